"""Cross-validation: the card refitted in every fold, and two other models on the same folds.

Folds are drawn several times, since one division is noisy. A row then has several held-out risks, each
from another card. They are not averaged, which would judge a committee of cards instead of one: figures
are computed for each division and combined, see ``repeated.py``. For curves and bins, every risk counts as a
row of its own, with the weight of its row divided by the number of divisions; copies of a row are one
cluster (or its group is), since they bring no new rows.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from riskcard.data.features import Features
from riskcard.data.frames import take_rows
from riskcard.estimators.cross_validation.cv import RiskScoreClassifierCV
from riskcard.estimators.cross_validation.division import Division, Positions, Split
from riskcard.evaluation.outcomes import Outcomes
from riskcard.evaluation.summary import Evaluation, evaluate
from riskcard.formatting.speech import counted, say
from riskcard.model.card import RiskCard
from riskcard.report.facts import MethodFacts, SiteFacts, ValidationFacts
from riskcard.report.refits.repeated import compare_divisions, evaluate_divisions
from riskcard.report.refits.rivals import RIVALS, Rival

#: Positions of held-out rows, and their risks.
HeldOutRisks = tuple[Positions, NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a report.

    Attributes
    ----------
    table
        All candidate features, as a classifier takes them.
    features
        The same as numbers, with indices for levels.
    is_event, weights
        Of each row.
    risks
        What the card gives each row.
    division
        Which rows stay together or apart in folds and resamples.
    """

    table: Any
    features: Features
    is_event: NDArray[np.bool_]
    weights: NDArray[np.float64]
    risks: NDArray[np.float64]
    division: Division

    @property
    def n_rows(self) -> int:
        return int(self.is_event.size)

    def judged(self, held_out: list[HeldOutRisks], n_copies: int = 1) -> Outcomes:
        """Held-out risks as one set of rows, each of which may occur several times."""
        at = np.concatenate([positions for positions, _ in held_out])
        risks = np.concatenate([risks for _, risks in held_out])
        clusters = self.division.groups
        if clusters is None and n_copies > 1:
            clusters = np.arange(self.n_rows)
        return Outcomes(
            risks,
            self.is_event[at],
            self.weights[at] / n_copies,
            None if clusters is None else clusters[at],
        )


@dataclass(frozen=True, slots=True)
class FoldPlan:
    """How often rows are held out.

    Attributes
    ----------
    folds, repeats
        Folds, and how often they are drawn at most.
    seed
        Of the first division; every other has the next one.
    seconds
        For all fits together: folds are drawn again as long as that suffices.
    """

    folds: int
    repeats: int
    seed: int
    seconds: float


@dataclass(slots=True)
class _Method:
    """A way of learning, its held-out risks so far, and the models of the last division."""

    name: str
    fit: Callable[[Positions], Any]
    table: Any
    held_out: list[HeldOutRisks]
    models: list[Any]


def hold_out(
    rows: Table, estimator: Any, plan: FoldPlan, tell: Callable[[], None]
) -> tuple[ValidationFacts | None, float]:
    """Hold out every fold, for the card and its rivals.

    Parameters
    ----------
    rows
        The rows.
    estimator
        The procedure behind the card.
    plan
        The folds.
    tell
        Called after every fit.

    Returns
    -------
    ValidationFacts or None
        The figures; None where one class is too small to be divided.
    float
        Seconds of one fit of the card: the median, since the first one may compile. 0 without fits.
    """
    seconds: list[float] = []
    methods = [
        _Method(say("method_card"), partial(_fit_card, estimator, rows), rows.table, [], []),
        *(
            _Method(
                say(f"method_{rival.key}"),
                partial(_fit_rival, rival, rows),
                rows.features.values,
                [],
                [],
            )
            for rival in RIVALS
        ),
    ]
    begun = time.perf_counter()
    passes: list[list[Split]] = []
    while len(passes) < (plan.repeats if rows.division.is_drawn else 1):
        splits = rows.division.one_pass(rows.is_event, plan.folds, plan.seed + len(passes))
        if not splits:
            return None, 0.0
        passes.append(splits)
        seconds += _one_pass(methods, splits, tell)
        spent = time.perf_counter() - begun
        if spent + spent / len(passes) > plan.seconds:
            break
    return _facts(rows, methods, passes), float(np.median(seconds))


def _one_pass(methods: list[_Method], splits: list[Split], tell: Callable[[], None]) -> list[float]:
    """Hold out each fold once; the seconds of the fits of the first method."""
    seconds = []
    for place, method in enumerate(methods):
        method.models.clear()
        for fitted, judged in splits:
            begun = time.perf_counter()
            model = method.fit(fitted)
            if place == 0:
                seconds.append(time.perf_counter() - begun)
            risks = model.predict_proba(take_rows(method.table, judged))[:, 1]
            method.held_out.append((judged, risks))
            method.models.append(model)
            tell()
    return seconds


def _fit_card(estimator: Any, rows: Table, fitted: Positions) -> Any:
    groups = rows.division.groups
    more = {}
    if isinstance(estimator, RiskScoreClassifierCV) and groups is not None:
        more["groups"] = groups[fitted]
    table = take_rows(rows.table, fitted)
    model = clone(estimator)
    return model.fit(table, rows.is_event[fitted], sample_weight=rows.weights[fitted], **more)


def _fit_rival(rival: Rival, rows: Table, fitted: Positions) -> Any:
    values = rows.features.values[fitted]
    # more threads are slower where other processes run too
    with threadpool_limits(limits=1):
        return rival.fit(rows.features.levels, values, rows.is_event[fitted], rows.weights[fitted])


def _facts(rows: Table, methods: list[_Method], passes: list[list[Split]]) -> ValidationFacts:
    card, *others = methods
    judged = np.unique(np.concatenate([at for at, _ in card.held_out]))
    counts = judged.size, int(rows.is_event[judged].sum())

    def outcomes(method: _Method) -> tuple[list[Outcomes], Outcomes]:
        """Of each division, and of all together."""
        step = len(passes[0])
        starts = range(0, len(method.held_out), step)
        each = [rows.judged(method.held_out[start : start + step]) for start in starts]
        return each, rows.judged(method.held_out, len(passes))

    def evaluated(each: list[Outcomes], together: Outcomes) -> Evaluation:
        """With the numbers of rows and events, not of their copies."""
        return replace(evaluate_divisions(each, together), rows=counts[0], events=counts[1])

    own, all_own = outcomes(card)
    size = _size_of_cards([model.card_ for model in card.models])
    found = [MethodFacts(card.name, say("method_card_how"), evaluated(own, all_own), size)]
    for rival, method in zip(RIVALS, others, strict=True):
        each, together = outcomes(method)
        found.append(
            MethodFacts(
                method.name,
                rival.describe(len(passes[-1][-1][0])),
                evaluated(each, together),
                rival.size(method.models[-1]),
                compare_divisions(each, own, (together, all_own)),
            )
        )
    return ValidationFacts(len(passes[0]), len(passes), tuple(found), _sites(rows, card.held_out))


def _sites(rows: Table, held_out: list[HeldOutRisks]) -> tuple[SiteFacts, ...]:
    """Each site by the card that was learned without it."""
    if rows.division.sites is None:
        return ()
    found = []
    for at, risks in held_out:
        outcomes = rows.judged([(at, risks)])
        name = rows.division.site_names[rows.division.sites[at[0]]]
        events = int(outcomes.is_event.sum())
        known = evaluate(outcomes) if outcomes.has_both else None
        found.append(SiteFacts(name, at.size, events, known))
    return tuple(found)


def _size_of_cards(cards: list[RiskCard]) -> str:
    numbers = sorted({len(card.terms) for card in cards})
    if len(numbers) == 1:
        return counted(numbers[0], "terms")
    return say("method_terms_range", low=str(numbers[0]), high=str(numbers[-1]))
