"""What a fit asks of a table that is not in memory, and a table that is read piece by piece."""

from __future__ import annotations

import copy
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from riskcard.arrays import Integers
from riskcard.errors import DataError
from riskcard.formatting.spelling import nearest_name
from riskcard.progress import LiveLine
from riskcard.sources.coding import CodedRows, Counts, FeatureCodes, n_patterns
from riskcard.sources.groups import BYTES_PER_GROUP, MOST_PATTERNS, Groups
from riskcard.sources.look import Look, join_looks, look_at
from riskcard.sources.rows import Kind, Rows, Wanted, label_counts, read_rows
from riskcard.sources.sample import MOST_ROWS
from riskcard.sources.windows import CountedRows, Window, WindowCounts

State = TypeVar("State")
#: From a label to its rows, their weight and the sum of the squares of weights.
LabelCounts = Mapping[Any, Integers]


class Source(ABC):
    """A table that is asked for counts.

    Attributes
    ----------
    name
        What it is, for messages.
    kinds
        From each column that can be used to its kind, in order.
    unusable
        From each other column to the type of its cells.
    target, weights
        The columns that are no features; None where they are not known yet.
    kept
        Columns that are features whatever they look like.
    memory
        Bytes that counts and a fit may use.
    sample_rows
        The most different rows of the sample that places candidate cuts.
    is_shown
        Show how far a pass over the rows has come.
    passes, most_passes
        How many passes were begun, and how many there will be; None where that is not known.
    rows_per_pass
        Rows that a pass reads; None before the first one has ended.
    """

    name: str
    kinds: Mapping[str, Kind]
    unusable: Mapping[str, str]
    target: str | None = None
    weights: str | None = None
    kept: frozenset[str] = frozenset()
    memory: int = 2 * 10**9
    sample_rows: int = MOST_ROWS
    is_shown: bool = False
    passes: int = 0
    most_passes: int | None = None
    rows_per_pass: int | None = None

    @abstractmethod
    def count_labels(self, wanted: Wanted) -> LabelCounts:
        """The different labels, None for a missing one, and their rows of a weight above 0."""

    @abstractmethod
    def look(self, wanted: Wanted) -> Look:
        """Ranges, levels and a sample."""

    @abstractmethod
    def count(self, wanted: Wanted, features: Sequence[FeatureCodes]) -> Counts:
        """The rows of every pattern of some features."""

    def count_each(self, wanted: Wanted, choices: Sequence[Sequence[FeatureCodes]]) -> list[Counts]:
        """The rows of every pattern, for each of several choices of features."""
        return [self.count(wanted, features) for features in choices]

    @abstractmethod
    def count_windows(self, wanted: Wanted, windows: Sequence[Window]) -> list[WindowCounts]:
        """What is in each of some windows."""

    def group(self, wanted: Wanted, features: Sequence[FeatureCodes]) -> Groups:
        """The rows that are alike, as far as memory allows."""
        if n_patterns(features) > MOST_PATTERNS:
            raise DataError(
                f"{self.name}: the {len(features)} features of the card have too many combinations of lines to "
                "be counted. Use a card with fewer features."
            )
        return self._group(wanted, tuple(features), self.memory // BYTES_PER_GROUP)

    @abstractmethod
    def _group(self, wanted: Wanted, features: tuple[FeatureCodes, ...], most: int) -> Groups:
        """The rows that are alike, at most so many different ones."""

    def require_few(self, n_groups: int, most: int) -> None:
        """Refuse more different rows than there is memory for."""
        if n_groups > most:
            weights = "" if self.weights is None else f" and weights {self.weights!r}"
            needed = -(-n_groups * BYTES_PER_GROUP // 10**6)
            raise DataError(
                f"{self.name}: there are more than {most:,} different combinations of lines{weights}, which is "
                f"too many for the memory. Give more memory, at least {needed:,} MB."
            )

    def require(self, column: str, role: str) -> None:
        """Refuse a column that is not there or cannot be used."""
        if column in self.unusable:
            raise DataError(
                f"{self.name}: the {role} {column!r} holds {self.unusable[column]}, which is not used. "
                "Turn it into numbers or texts."
            )
        if column not in self.kinds:
            raise DataError(
                f"{self.name} has no column {column!r} for the {role}. "
                f"{nearest_name(column, list(self.kinds), 'columns')}"
            )


class PieceSource(Source):
    """A table that is read piece by piece: each piece is counted by itself, and counts are added."""

    @abstractmethod
    def pieces(self, columns: Sequence[str]) -> Iterator[Any]:
        """The rows as tables of pyarrow, in any order and of any size."""

    def count_labels(self, wanted: Wanted) -> LabelCounts:
        found = self._fold(label_step, wanted, None, "labels")
        return {} if found is None else found

    def look(self, wanted: Wanted) -> Look:
        found: Look | None = self._fold(look_step, wanted, None, "ranges and a sample")
        if found is None:
            raise DataError(f"{self.name} has no rows. Give a table with rows.")
        return found

    def count(self, wanted: Wanted, features: Sequence[FeatureCodes]) -> Counts:
        found: Counts | None = self._fold(count_step, wanted, tuple(features), "counts")
        assert found is not None  # or the look would have failed
        return found

    def count_each(self, wanted: Wanted, choices: Sequence[Sequence[FeatureCodes]]) -> list[Counts]:
        found = self._fold(count_each_step, wanted, tuple(map(tuple, choices)), "counts")
        assert found is not None  # or the look would have failed
        return list(found)

    def count_windows(self, wanted: Wanted, windows: Sequence[Window]) -> list[WindowCounts]:
        found = self._fold(window_step, wanted, tuple(windows), "finer counts")
        assert found is not None  # or the look would have failed
        return list(found)

    def _group(self, wanted: Wanted, features: tuple[FeatureCodes, ...], most: int) -> Groups:
        found: Groups | None = self._fold(group_step, wanted, features, "counts", most)
        if found is None:
            raise DataError(f"{self.name} has no rows. Give a table with rows.")
        self.require_few(found.keys.size, most)
        return found

    def _fold(
        self, step: Step, wanted: Wanted, features: Any, what: str, most: int | None = None
    ) -> Any:
        state = None
        with Pass(what, self) as shown:
            for piece in self.pieces(columns_for(step, wanted, features)):
                state = step(state, piece, wanted, features)
                shown.add(piece.num_rows)
                if most is not None:
                    self.require_few(state.keys.size, most)
        return state


#: Adds a piece to what is known, None at first.
Step = Callable[[Any, Any, Wanted, Any], Any]


def columns_for(step: Step, wanted: Wanted, features: Any) -> list[str]:
    """The columns that a step reads."""
    if step is label_step:
        return [name for name in wanted.columns if name in (wanted.target, wanted.weights)]
    if step is window_step:
        own = {name for window in features for name in window.names}
        own |= {wanted.target, wanted.weights}
        return [name for name in wanted.columns if name in own]
    if step is count_each_step:
        own = {feature.name for choice in features for feature in choice}
        own |= {wanted.target, wanted.weights}
        return [name for name in wanted.columns if name in own]
    if step in (count_step, group_step):
        own = {feature.name for feature in features} | {wanted.target, wanted.weights}
        return [name for name in wanted.columns if name in own]
    return wanted.columns


def label_step(state: Any, piece: Any, wanted: Wanted, features: Any = None) -> Any:
    """Count the labels of one more piece."""
    return join_labels([label_counts(piece, wanted), *([] if state is None else [state])])


def join_labels(found: Sequence[LabelCounts]) -> LabelCounts:
    """The labels of all pieces."""
    total: dict[Any, Integers] = {}
    for one in found:
        for label, counts in one.items():
            total[label] = total[label] + counts if label in total else counts
    return total


def look_step(state: Any, piece: Any, wanted: Wanted, features: Any = None) -> Any:
    """Look at one more piece."""
    if piece.num_rows == 0:
        return state
    rows = read_rows(piece, wanted)
    if rows.is_event.size == 0:
        return state
    limit = None
    if state is not None and not state.too_many_texts:
        hashes = state.sample.hashes
        if hashes.size >= wanted.sample_rows:
            limit = int(hashes[-1])
    look = look_at(rows, wanted, limit)
    return look if state is None else join_looks([state, look], wanted)


def count_step(state: Any, piece: Any, wanted: Wanted, features: Any) -> Any:
    """Count the patterns of one more piece."""
    if state is None:
        state = Counts.of_no_rows(features, wanted.weights is not None)
    return state.add_rows(*_rows_of(piece, wanted, features))


def count_each_step(state: Any, piece: Any, wanted: Wanted, choices: Any) -> Any:
    """Count the patterns of several choices of features in one more piece."""
    if state is None:
        state = [Counts.of_no_rows(choice, wanted.weights is not None) for choice in choices]
    own = {feature.name: feature for choice in choices for feature in choice}
    rows, _, names = _rows_of(piece, wanted, list(own.values()))
    coded = CodedRows(rows, names)
    for counts, choice in zip(state, choices, strict=True):
        coded.add_to(counts, choice)
    return state


def join_counts(found: Sequence[Any]) -> Any:
    """The counts of several choices of features in all pieces."""
    total = copy.deepcopy(found[0])  # what a worker holds may be asked for again
    for one in found[1:]:
        for own, more in zip(total, one, strict=True):
            own.add(more)
    return total


def group_step(state: Any, piece: Any, wanted: Wanted, features: Any) -> Any:
    """Count the alike rows of one more piece."""
    found = Groups.of_rows(*_rows_of(piece, wanted, features))
    return found if state is None else state.add(found)


def window_step(state: Any, piece: Any, wanted: Wanted, windows: Any) -> Any:
    """Count what one more piece has in some windows."""
    own = {name for window in windows for name in window.names}
    names = [name for name in wanted.features if name in own]
    some = replace(wanted, features={name: wanted.features[name] for name in names})
    rows = read_rows(piece, some)
    counted = CountedRows(rows, names)
    known = [True] * len(windows) if state is None else [one.is_complete for one in state]
    pairs = zip(windows, known, strict=True)
    found = tuple(counted.window(one, is_listed) for one, is_listed in pairs)
    return found if state is None else join_windows([state, found], windows)


def join_windows(found: Sequence[Any], windows: Sequence[Window]) -> Any:
    """What all pieces have in some windows."""
    total, *others = found
    for one in others:
        pairs = zip(total, one, windows, strict=True)
        total = tuple(own.add(more, window.most) for own, more, window in pairs)
    return total


def _rows_of(piece: Any, wanted: Wanted, features: Any) -> tuple[Rows, Any, list[str]]:
    """The rows of a piece with these features only."""
    own = {feature.name: wanted.features[feature.name] for feature in features}
    some = Wanted(own, wanted.target, wanted.event, wanted.weights, wanted.codes)
    return read_rows(piece, some), features, list(own)


class Pass(LiveLine):
    """The live line of one pass over all rows."""

    def __init__(self, what: str, source: Source) -> None:
        super().__init__(is_quiet=not source.is_shown)
        self._source, self._rows, self._begin = source, 0, time.perf_counter()
        source.passes += 1
        most = source.most_passes
        of = "" if most is None or source.passes > most else f" of {most}"
        self._what = f"pass {source.passes}{of}, {what}"
        self.show(self._text_of)

    def add(self, n_rows: int) -> None:
        """Some more rows were read."""
        self._rows += n_rows

    def _text_of(self) -> str:
        seconds = max(time.perf_counter() - self._begin, 1e-9)
        known = self._source.rows_per_pass
        of = "" if known is None else f" of {known:,}"
        return f"{self._what}: {self._rows:,}{of} rows, {self._rows / seconds:,.0f} rows per second"

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        if error[0] is None:
            self.keep(f"{self._text_of()}, done")
            self._source.rows_per_pass = self._rows


class Query(LiveLine):
    """The live line of one query."""

    def __init__(self, what: str, is_quiet: bool) -> None:
        super().__init__(is_quiet=is_quiet)
        self._what, self._begin = what, time.perf_counter()
        self.show(self._text_of)

    def _text_of(self) -> str:
        return f"{self._what}: {time.perf_counter() - self._begin:.1f} s"

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        if error[0] is None:
            self.keep(f"{self._text_of()}, done")
