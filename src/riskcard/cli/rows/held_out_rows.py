"""Rows that ``fit --hold-out`` seals: taken from the training rows, remembered by the card, written."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from riskcard.data.files.wanted_columns import Kind, Selection
from riskcard.errors import ParameterError
from riskcard.output_files import table_as_csv, write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from riskcard.data.columns import FeatureValues
    from riskcard.data.files.table_file import TableFile
    from riskcard.model.card import RiskCard


@dataclass(frozen=True, slots=True)
class HeldOutRows:
    """The rows that are kept from a fit.

    Attributes
    ----------
    features, is_event, weights
        The rows themselves.
    is_held_out
        Which rows of the file they are.
    drawn
        The amount and the seed with which they were drawn; (0, 0) where they are the later rows.
    groups
        The column whose groups were drawn as a whole, and the number of these; None where rows were drawn.
    file, wanted
        Where they are from, and how that was read.
    """

    features: Mapping[str, FeatureValues]
    is_event: NDArray[np.bool_]
    weights: NDArray[np.float64] | None
    is_held_out: NDArray[np.bool_]
    drawn: tuple[float, int]
    groups: tuple[str, int] | None
    file: TableFile
    wanted: Selection

    @property
    def in_words(self) -> str:
        """What is said about them before the fit."""
        events = int(self.is_event.sum())
        whole = (
            "" if self.groups is None else f"all rows of {self.groups[1]:,} {self.groups[0]!r}: "
        )
        whole = whole if self.drawn[0] else "the later rows: "
        return f"Held out: {whole}{self.is_event.size:,} rows, {events:,} with the event, for 'riskcard validate'"

    def seal(self, card: RiskCard) -> RiskCard:
        """The card that remembers the rows."""
        from riskcard.model.origin.held_out import with_held_out

        groups = "" if self.groups is None else self.groups[0]
        return with_held_out(card, self.features, self.is_event, self.weights, self.drawn, groups)

    def write(self, path: str) -> None:
        """Write the rows with all their columns to a CSV file."""
        import numpy as np

        wanted = replace(self.wanted, kinds=dict.fromkeys(self.file.names, Kind.TEXT))
        table = self.file.read(wanted)
        rows = np.flatnonzero(self.is_held_out)
        columns = {name: table[name][rows].tolist() for name in self.file.names}
        write_whole(path, table_as_csv(columns))


def require_hold_out(options: Namespace) -> None:
    """Refuse options that do not go together, before the rows are read."""
    later = getattr(options, "hold_out_from", None)
    for name in ("hold_out", "groups"):
        if later is not None and getattr(options, name) is not None:
            raise ParameterError(
                f"--hold-out-from holds out the later rows, so --{name.replace('_', '-')} has no place next to it. "
                "Give one of the two."
            )
    if options.held_out is not None and options.hold_out is None and later is None:
        raise ParameterError("--held-out has no effect without --hold-out. Give both, or neither.")
    if options.command == "fit" and options.groups is not None and options.hold_out is None:
        raise ParameterError(
            "--groups has no effect without --hold-out, since a fit divides no rows. Give both, or leave the "
            "column out with --drop."
        )
