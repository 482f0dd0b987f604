"""What the paper published: the figures of its four tables, as facts to compare with.

C. Molero-Río and C. D'Ambrosio, "Optimal Risk Scores for Continuous Predictors", LOD 2024. BONMIN
had 1000 seconds per row there. The figures are in ``published.csv``, where an empty cell is the
paper's ``*`` as a total time, and its ``-`` elsewhere.
"""

import csv
from dataclasses import dataclass

from riskcard.formatting.templates import asset

#: Seconds that BONMIN had in the paper.
PAPER_LIMIT = 1000.0


@dataclass(frozen=True, slots=True)
class PublishedRun:
    """What the paper says of one method on one row: TT, ST, OBJ and AUC.

    ``seconds`` is None where the limit was reached, the others where there was no solution.
    """

    seconds: float | None
    seconds_to_best: float | None
    loss: float | None
    auc: float | None


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One row of a table of the paper."""

    table: int
    size: tuple[int, int, int]  # N, p, k
    reference_loss: float
    bonmin: PublishedRun
    algorithm1: PublishedRun
    reference_auc: float = 1.0


#: What the tables vary.
TITLES = {
    1: "Table 1: N = 200, features p = k",
    2: "Table 2: N = 200, p = 5, at most k features",
    3: "Table 3: p = k = 1, rows N",
    4: "Table 4: p = k = 2, rows N",
}
#: (N, p) of the one reference loss that is a misprint: the paper repeats the figure of p = 1.
MISPRINT = (20000, 2)


def _read(line: list[str]) -> PublishedRow:
    table, *size = map(int, line[:4])
    figures = [float(cell) if cell else None for cell in line[5:]]
    seconds, loss, auc = figures[4:]
    return PublishedRow(
        table=table,
        size=(size[0], size[1], size[2]),
        reference_loss=float(line[4]),
        bonmin=PublishedRun(*figures[:4]),
        algorithm1=PublishedRun(seconds, seconds, loss, auc),
    )


#: Every row of the four tables, in the paper's order.
PUBLISHED = tuple(
    map(_read, list(csv.reader(asset("paper/experiments/published.csv").splitlines()))[1:])
)
