"""What a bank's validation asks of a card on some rows: separation, bands, cut-offs, grades, swap set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.credit.cut_offs import CutOff, SwapSet, cut_off_table, swap_set
from riskcard.credit.master_scale import Grade, Grades, master_scale
from riskcard.credit.score_bands import ScoreBand, score_bands
from riskcard.data.rows_to_score import as_numbers
from riskcard.data.target import read_weights
from riskcard.errors import DataError
from riskcard.evaluation.calibration import Calibration, calibration_of
from riskcard.evaluation.comparison import compare
from riskcard.evaluation.intervals import Figure
from riskcard.evaluation.measures import Floats
from riskcard.evaluation.outcomes import Outcomes, read_outcomes
from riskcard.evaluation.separation import Separation, separation_of
from riskcard.formatting.plain_values import as_plain
from riskcard.model.card import RiskCard
from riskcard.model.origin.row_role import RowRole, role_of_rows

#: The approval rate at which scores are compared, unless it is given.
_APPROVAL_RATE = 0.7


@dataclass(frozen=True, slots=True)
class Rival:
    """An existing score on the same rows.

    Attributes
    ----------
    name
        What it is called.
    gini
        Its Gini coefficient, with its 95 % interval.
    gini_gain
        That of the card less its own, with the interval of a paired comparison.
    swap
        Who is swapped at the same approval rate.
    """

    name: str
    gini: Figure
    gini_gain: Figure
    swap: SwapSet


@dataclass(frozen=True, slots=True)
class CreditJudgement:
    """A card on some rows, in the figures of credit; ``print`` it.

    Attributes
    ----------
    title
        Whose risk the card gives.
    higher_is_safer
        As on the card.
    rows, events, base_rate
        Counts, and the share with the event by weight.
    is_weighted
        The rows have weights.
    clusters
        The number of groups within which rows are not independent; None where all are.
    outcomes
        The rows with their risks, for the pictures.
    separation, calibration
        The figures.
    ks_total
        The total at which the KS is attained: rows with it are on the riskier side.
    bands, cut_offs, grades
        The tables.
    rival
        An existing score, where one is given.
    role
        What the rows are to the card.
    """

    title: str
    higher_is_safer: bool
    rows: int
    events: int
    base_rate: float
    is_weighted: bool
    outcomes: Outcomes
    separation: Separation
    ks_total: int
    calibration: Calibration
    bands: tuple[ScoreBand, ...]
    cut_offs: tuple[CutOff, ...]
    grades: tuple[Grade, ...]
    rival: Rival | None = None
    clusters: int | None = None
    role: RowRole = RowRole.UNKNOWN

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain dicts, lists, texts and numbers, ready for JSON."""
        found: dict[str, Any] = as_plain(self)
        found.pop("outcomes")
        return found

    def __str__(self) -> str:
        from riskcard.credit.judgement_document import judgement_document

        return judgement_document(self).to_text()

    def _repr_html_(self) -> str:
        from riskcard.credit.judgement_document import judgement_document

        return judgement_document(self).to_box()


def judge_credit(
    card: RiskCard,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    groups: Any = None,
    existing: Any = None,
    existing_is_safer: bool = True,
    existing_name: str = "existing score",
    approval_rate: float = _APPROVAL_RATE,
    band_begins: Sequence[int] | None = None,
    grades: Grades | None = None,
) -> CreditJudgement:
    """Judge a card on some rows as credit risk does.

    Parameters
    ----------
    card
        Any card; credit points are not needed.
    X, y, sample_weight
        Rows, their labels (those of the card) and weights.
    groups
        One label per row; rows with the same one belong together, such as the loans of a customer, and
        intervals and tests allow for it.
    existing
        Another score of the same rows, one number per row.
    existing_is_safer, existing_name
        A higher number of it is safer (the default), and what it is called.
    approval_rate
        The share of rows at which both scores are compared.
    band_begins
        Totals with which a further score band begins; by default at most ten bands with about equal
        shares of the rows.
    grades
        Names and first risks of the grades of the master scale; see ``master_scale``.

    Examples
    --------
    >>> from riskcard import FeaturePoints
    >>> card = RiskCard([FeaturePoints("debts", [2], [0, 3])], multiplier=2.0, offset=-1.0)
    >>> found = judge_credit(card, {"debts": [0, 1, 1, 3, 4, 5]}, [0, 0, 1, 0, 1, 1])
    >>> round(found.separation.gini, 3), found.ks_total
    (0.333, 3)
    """
    totals = card.total_points(X)
    weights = read_weights(sample_weight, totals.size)
    outcomes = read_outcomes(card.risk_of_total(totals), y, weights, card.classes[1], groups)
    kept = weights > 0  # rows without a weight are left out
    totals = totals[kept]
    separation = separation_of(outcomes)
    rival = None
    if existing is not None:
        values = _existing(existing, weights.size)[kept]
        riskier = -values if existing_is_safer else values
        rival = _rival(outcomes, riskier, existing_name, approval_rate)
    return CreditJudgement(
        title=card.title,
        higher_is_safer=card.higher_is_safer,
        rows=totals.size,
        events=int(outcomes.is_event.sum()),
        base_rate=outcomes.base_rate,
        is_weighted=not bool((outcomes.weights == 1).all()),
        outcomes=outcomes,
        separation=separation,
        ks_total=_total_at(separation.ks.risk, outcomes, totals),
        calibration=calibration_of(outcomes),
        bands=score_bands(outcomes, totals, card.higher_is_safer, band_begins),
        cut_offs=cut_off_table(outcomes, totals, card.higher_is_safer),
        grades=master_scale(outcomes, grades),
        rival=rival,
        clusters=None if outcomes.clusters is None else np.unique(outcomes.clusters).size,
        role=role_of_rows(card, X, y, sample_weight, groups),
    )


def _existing(values: Any, n_rows: int) -> Floats:
    found = as_numbers("existing", values)
    if found.shape != (n_rows,):
        raise DataError(
            f"The existing score has shape {found.shape}, but there are {n_rows} rows. Give one number "
            "per row."
        )
    if np.isnan(found).any():
        row = int(np.flatnonzero(np.isnan(found))[0])
        raise DataError(
            f"The existing score is missing in {int(np.isnan(found).sum())} rows, the first is row {row}. "
            "Leave these rows out, or give them a score."
        )
    return found


def _rival(outcomes: Outcomes, riskier: Floats, name: str, approval_rate: float) -> Rival:
    # any increasing function from 0 to 1 will do: the places of the values
    places = np.unique(riskier, return_inverse=True)[1].astype(np.float64)
    other = Outcomes(
        places / max(float(places.max()), 1.0),
        outcomes.is_event,
        outcomes.weights,
        outcomes.clusters,
    )
    separation = separation_of(other)
    gain = compare(outcomes, other).auc
    ends = gain.interval
    return Rival(
        name,
        gini=Figure(separation.gini, separation.gini_interval),
        gini_gain=Figure(2 * gain.value, None if ends is None else (2 * ends[0], 2 * ends[1])),
        swap=swap_set(outcomes, riskier, approval_rate),
    )


def _total_at(risk: float, outcomes: Outcomes, totals: NDArray[np.int64]) -> int:
    """The total of the least risky rows on the riskier side."""
    is_there = outcomes.risks == risk
    return int(totals[is_there][0]) if is_there.any() else int(totals[np.argmax(outcomes.risks)])
