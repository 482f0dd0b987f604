"""The paper's tables, our runs next to the published ones, as CSV and Markdown."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.metrics import roc_auc_score

from riskcard.logistic import log_loss
from riskcard.paper.experiments.methods import METHODS, OURS
from riskcard.paper.experiments.published import PAPER_LIMIT, PUBLISHED, PublishedRow, PublishedRun
from riskcard.paper.experiments.runs.run_outcome import Outcome, best_known, verdict
from riskcard.paper.experiments.runs.run_store import Cell, Finished, Store
from riskcard.paper.experiments.table_rows import Row
from riskcard.paper.synthetic_data import paper_data

#: One method on one row of one table: texts by column, as they are shown.
Line = dict[str, str]
COLUMNS = (
    "table", "N", "p", "k", "method", "source", "limit", "TT", "ST", "OBJ", "AUC", "status", "times faster",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RowResults:
    """The finished runs of one row, by name of the method."""

    row: Row
    runs: Mapping[str, tuple[Cell, Finished]]

    def outcome(self, method: str) -> Outcome | None:
        """How a method ended; None when it was not run."""
        return self.runs[method][1].outcome if method in self.runs else None

    def verdict(self, method: str) -> str:
        """What may be said of a method that was run."""
        outcomes = [finished.outcome for _, finished in self.runs.values()]
        return verdict(self.runs[method][1].outcome, best_known(outcomes))


def gather(cells: Sequence[Cell], store: Store) -> dict[Row, RowResults]:
    """What the store has of these runs, row by row; a row without any run is empty.

    Where another run gave a method more time on a row, that run counts.
    """
    runs: dict[Row, dict[str, tuple[Cell, Finished]]] = {cell.row: {} for cell in cells}
    for cell in cells:
        found = store.longest(cell)
        if found is not None:
            runs[cell.row][cell.method.name] = found
    return {row: RowResults(row, found) for row, found in runs.items()}


def lines_of(table: int, results: Mapping[Row, RowResults]) -> list[Line]:
    """The lines of one table: for each row what was published and what was run."""
    lines = []
    for published in PUBLISHED:
        row = Row(*published.size)
        if published.table == table and row in results:
            lines += _lines_of_row(published, results[row])
    return lines


def speed_up(results: RowResults, rival: str = "bonmin") -> tuple[float, bool] | None:
    """How many times our certified run was faster than a rival's, and whether that is exact.

    It is a lower bound where the rival was stopped at its limit. None when either was not run, or
    nothing was proven, or the rival failed.
    """
    ours, other = results.outcome(OURS), results.outcome(rival)
    if ours is None or other is None or ours.ending != "proven" or other.ending == "failed":
        return None
    is_exact = other.ending != "limit"
    seconds = other.seconds if is_exact else results.runs[rival][0].limit
    return seconds / ours.seconds, is_exact


def to_csv(lines: Sequence[Line]) -> str:
    """All lines, with one line of names first."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()


def to_markdown(lines: Sequence[Line]) -> str:
    """A Markdown table; the sizes are printed once per row of the paper."""
    names = COLUMNS[1:]
    text = [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
    last: list[str] = []
    for line in lines:
        # a lone star would begin emphasis
        cells = [line[name].replace("*", r"\*") for name in names]
        sizes = cells[:3]
        if sizes == last:
            cells[:3] = ["", "", ""]
        last = sizes
        text.append(f"| {' | '.join(cells)} |")
    return "\n".join(text) + "\n"


def seconds_text(seconds: float) -> str:
    """Seconds with as many digits as they are worth."""
    return f"{seconds:.2f}" if seconds >= 1 else f"{seconds:.4f}"


def speed_up_text(results: RowResults) -> str:
    """The speed-up over BONMIN, marked where it is a lower bound."""
    found = speed_up(results)
    return "" if found is None else f"{'' if found[1] else '> '}{found[0]:,.0f}"


# --- the lines of one row -----------------------------------------------------------------------


def _lines_of_row(published: PublishedRow, results: RowResults) -> list[Line]:
    row = results.row
    sizes = dict(zip(COLUMNS, (published.table, row.n_rows, row.n_features, row.k), strict=False))

    def line(method: str, source: str, figures: Line) -> Line:
        filled = {**sizes, "method": method, "source": source, **figures}
        return {name: str(filled.get(name, "")) for name in COLUMNS}

    loss, auc = f"{published.reference_loss:.2f}", f"{published.reference_auc:.2f}"
    lines = [
        line("reference card", "paper", {"OBJ": loss, "AUC": auc}),
        line("reference card", "here", _reference(row)),
    ]
    told = {"bonmin": published.bonmin, "algorithm1": published.algorithm1}
    for name, method in METHODS.items():
        if name in told:
            lines.append(line(method.title, "paper", _published(name, told[name])))
        if name in results.runs:
            lines.append(line(method.title, "here", _ours(name, results)))
    return lines


def _reference(row: Row) -> Line:
    X, y, card = paper_data(row.n_rows, row.n_features)
    labels = np.where(y == 1, 1, -1).astype(np.int8)
    loss = log_loss(card.log_odds(X), labels, np.ones(row.n_rows))
    return {"OBJ": f"{loss:.3f}", "AUC": f"{roc_auc_score(y, card.total_points(X)):.2f}"}


def _published(method: str, run: PublishedRun) -> Line:
    is_heuristic = method == "algorithm1"
    status = "limit" if run.seconds is None else "heuristic" if is_heuristic else "claimed"
    return {
        "limit": "" if is_heuristic else f"{PAPER_LIMIT:g}",
        "TT": "*" if run.seconds is None else f"{run.seconds:.2f}",
        "ST": _or_dash(run.seconds_to_best, "{:.2f}".format),
        "OBJ": _or_dash(run.loss, "{:.2f}".format),
        "AUC": _or_dash(run.auc, "{:.2f}".format),
        "status": status,
    }


def _ours(method: str, results: RowResults) -> Line:
    cell, finished = results.runs[method]
    outcome = finished.outcome
    return {
        "limit": f"{cell.limit:g}",
        "TT": "*" if outcome.ending == "limit" else seconds_text(outcome.seconds),
        "ST": _or_dash(outcome.seconds_to_best, seconds_text),
        "OBJ": _or_dash(outcome.loss, "{:.5f}".format),
        "AUC": _or_dash(outcome.auc, "{:.2f}".format),
        "status": results.verdict(method),
        "times faster": speed_up_text(results) if method == OURS else "",
    }


def _or_dash(value: float | None, text: Callable[[float], str]) -> str:
    return "-" if value is None else text(value)
