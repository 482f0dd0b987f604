"""A Dask data frame: its pieces are counted where they are, and only counts travel."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from riskcard.errors import DataError, RiskcardError
from riskcard.extras import import_extra
from riskcard.sources.look import join_looks
from riskcard.sources.rows import Wanted, divide_columns
from riskcard.sources.source import (
    Pass,
    PieceSource,
    Step,
    columns_for,
    count_each_step,
    count_step,
    group_step,
    join_counts,
    join_labels,
    join_windows,
    label_step,
    window_step,
)

#: Answers that are added up at once.
FAN_IN = 8


def is_dask(frame: Any) -> bool:
    """Whether this is a frame of Dask, without loading it."""
    return type(frame).__module__.split(".")[0] in ("dask", "dask_expr") and hasattr(
        frame, "to_delayed"
    )


def is_dask_array(array: Any) -> bool:
    """Whether this is an array of Dask, without loading it."""
    return type(array).__module__.split(".")[0] == "dask" and hasattr(array, "chunks")


def frame_of_arrays(X: Any, y: Any, weights: Any) -> tuple[Any, str, str | None]:
    """Arrays of Dask as one data frame, and the names of its target and of its weights."""
    delayed = import_extra("dask", "A Dask array", "dask").delayed
    frames = import_extra("dask.dataframe", "A Dask array", "dask")
    further = {"target": y} | ({} if weights is None else {"weights": weights})
    if X.ndim != 2:
        raise DataError(f"X has {X.ndim} dimensions. Give rows and columns.")
    rows = X.rechunk({1: -1})
    given = [("y", y), *([] if weights is None else [("sample_weight", weights)])]
    for name, one in given:
        if not is_dask_array(one) or one.shape != X.shape[:1]:
            raise DataError(
                f"{name} is a {type(one).__name__} of shape {getattr(one, 'shape', 'unknown')}. With a Dask array "
                "for X, give a Dask array with one value for each of its rows."
            )
    names = [f"x{f}" for f in range(X.shape[1])]
    parts = [rows.to_delayed().ravel()]
    parts += [one.rechunk((rows.chunks[0],)).to_delayed().ravel() for one in further.values()]
    example = {name: np.zeros(1, one.dtype) for name, one in further.items()}
    first = _frame_of(np.zeros((1, len(names)), X.dtype), names, example)
    pieces = [
        delayed(_frame_of)(own, names, dict(zip(further, others, strict=True)))
        for own, *others in zip(*parts, strict=True)
    ]
    frame = frames.from_delayed(pieces, meta=first, verify_meta=False)
    return frame, "target", None if weights is None else "weights"


def _frame_of(rows: Any, names: Sequence[str], further: dict[str, Any]) -> Any:
    """A piece of arrays as a data frame of pandas."""
    import pandas as pd

    return pd.DataFrame(rows, columns=list(names)).assign(**further)


class DaskSource(PieceSource):
    """A Dask data frame, on the cluster of the current client, if there is one.

    Parameters
    ----------
    frame
        The rows; a piece has to fit on one worker, and nothing else.
    """

    def __init__(self, frame: Any) -> None:
        import_extra("dask.dataframe", "A Dask data frame", "dask")
        import pyarrow as pa

        self.name = "The Dask data frame"
        self._frame = frame
        schema = pa.Schema.from_pandas(frame._meta_nonempty, preserve_index=False)
        self.kinds, self.unusable = divide_columns(schema)

    def pieces(self, columns: Sequence[str]) -> Iterator[Any]:
        for part in self._frame[list(columns)].to_delayed():
            yield as_arrow(part.compute())

    def _fold(
        self, step: Step, wanted: Wanted, features: Any, what: str, most: int | None = None
    ) -> Any:
        dask = import_extra("dask", "A Dask data frame", "dask")
        columns = columns_for(step, wanted, features)
        first, join_all = dask.delayed(_first_step), dask.delayed(_join)
        found = [first(step, part, wanted, features) for part in self._frame[columns].to_delayed()]
        while len(found) > 1:
            found = [
                join_all(step, found[start : start + FAN_IN], wanted, features)
                for start in range(0, len(found), FAN_IN)
            ]
        with Pass(what, self) as shown:
            try:
                answer, rows = dask.compute(found[0])[0]
            except (RiskcardError, MemoryError):
                raise
            except (OSError, TimeoutError) as error:
                raise DataError(
                    f"The cluster did not answer: {_first_words(error)}. Start it, and try again."
                ) from None
            except Exception as error:  # whatever the code of a user's frame raises on a worker
                raise DataError(
                    f"{self.name}: a worker failed on a partition: {_first_words(error)}. All partitions need "
                    "the same columns with the same types."
                ) from error
            shown.add(rows)
        return answer


def _first_words(error: Exception) -> str:
    """What an error says, with its kind where that says more, on one short line."""
    said = " ".join(str(error).split())[:300].rstrip(".")
    return f"{type(error).__name__}: {said}" if isinstance(error, LookupError) else said


def as_arrow(frame: Any) -> Any:
    """A pandas data frame as a table of pyarrow."""
    import pyarrow as pa

    return pa.Table.from_pandas(frame, preserve_index=False)


def _first_step(step: Step, frame: Any, wanted: Wanted, features: Any) -> tuple[Any, int]:
    return step(None, as_arrow(frame), wanted, features), len(frame)


def _join(
    step: Step, answers: Sequence[tuple[Any, int]], wanted: Wanted, features: Any
) -> tuple[Any, int]:
    found, rows = [one for one, _ in answers if one is not None], sum(n for _, n in answers)
    if not found:
        return None, rows
    if step is label_step:
        return join_labels(found), rows
    if step is count_each_step:
        return join_counts(found), rows
    if step is window_step:
        return join_windows(found, features), rows
    if step in (count_step, group_step):
        total = copy.deepcopy(found[0])  # what a worker holds may be asked for again
        for one in found[1:]:
            total = total.add(one)
        return total, rows
    return join_looks(found, wanted), rows
