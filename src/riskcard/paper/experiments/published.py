"""What the paper published: the figures of its four tables, as facts to compare with.

C. Molero-Río and C. D'Ambrosio, "Optimal Risk Scores for Continuous Predictors", LOD 2024. BONMIN
had 1000 seconds per row there. ``None`` is the paper's ``*`` as a total time, and its ``-``
elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

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

# --- table, N, p, k, reference; BONMIN: TT, ST, OBJ, AUC; Algorithm 1: time, OBJ, AUC
_FACTS: tuple[tuple[float | None, ...], ...] = (
    (1, 200, 1, 1, 96.16, 10.91, 10.91, 1.34, 1.00, 2.35, 81.65, 0.92),
    (1, 200, 2, 2, 24.80, 621.46, 621.46, 0.47, 1.00, 0.46, 43.34, 0.92),
    (1, 200, 3, 3, 45.54, None, 207.07, 644.00, 0.63, 0.68, 72.44, 0.81),
    (1, 200, 4, 4, 26.34, None, 10.96, 138.62, 0.50, 0.80, 70.44, 0.79),
    (1, 200, 5, 5, 38.36, None, 10.49, 138.62, 0.50, 1.01, 109.11, 0.72),
    (2, 200, 5, 1, 38.36, None, 10.69, 138.62, 0.50, 1.23, 124.76, 0.79),
    (2, 200, 5, 2, 38.36, None, 10.79, 138.62, 0.50, 1.23, 105.58, 0.78),
    (2, 200, 5, 3, 38.36, None, 10.50, 138.62, 0.50, 1.45, 92.29, 0.79),
    (2, 200, 5, 4, 38.36, None, 13.03, 138.62, 0.50, 1.58, 95.57, 0.75),
    (2, 200, 5, 5, 38.36, None, 10.49, 138.62, 0.50, 1.01, 109.11, 0.72),
    (3, 200, 1, 1, 96.16, 10.91, 10.91, 1.34, 1.00, 2.35, 81.65, 0.92),
    (3, 1000, 1, 1, 458.16, 15.83, 15.83, 6.71, 1.00, 0.94, 412.26, 0.91),
    (3, 5000, 1, 1, 2315.74, 57.92, 57.92, 33.57, 1.00, 5.21, 2050.30, 0.91),
    (3, 10000, 1, 1, 4650.17, 144.31, 144.31, 67.15, 1.00, 9.14, 4095.61, 0.91),
    (3, 15000, 1, 1, 6949.49, 405.31, 405.31, 100.73, 1.00, 13.78, 6105.92, 0.92),
    (3, 20000, 1, 1, 9276.00, None, 446.75, 404.45, 1.00, 18.75, 8145.23, 0.92),
    (4, 200, 2, 2, 24.80, 621.46, 621.46, 0.47, 1.00, 0.46, 43.34, 0.92),
    (4, 1000, 2, 2, 118.00, None, 730.72, 102.29, 0.97, 2.27, 232.39, 0.92),
    (4, 5000, 2, 2, 577.20, None, None, None, None, 11.90, 1170.77, 0.92),
    (4, 10000, 2, 2, 1163.40, None, None, None, None, 21.65, 2316.01, 0.91),
    (4, 15000, 2, 2, 1694.82, None, None, None, None, 33.59, 3468.51, 0.91),
    (4, 20000, 2, 2, 9276.00, None, None, None, None, 44.97, 4596.68, 0.92),
)


def _row(facts: tuple[float | None, ...]) -> PublishedRow:
    table, n_rows, n_features, k, reference = (value or 0.0 for value in facts[:5])
    seconds, loss, auc = facts[9:]
    return PublishedRow(
        table=int(table),
        size=(int(n_rows), int(n_features), int(k)),
        reference_loss=reference,
        bonmin=PublishedRun(*facts[5:9]),
        algorithm1=PublishedRun(seconds, seconds, loss, auc),
    )


#: Every row of the four tables, in the paper's order.
PUBLISHED = tuple(_row(facts) for facts in _FACTS)
