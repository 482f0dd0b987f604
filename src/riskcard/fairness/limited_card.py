"""A card within limits on differences between groups: what it keeps, what was proven, what it costs."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sklearn.base import clone

from riskcard.data.target import read_weights
from riskcard.errors import ParameterError
from riskcard.estimators.advice import hints_on
from riskcard.estimators.classifier import RiskScoreClassifier
from riskcard.estimators.fitted import finish
from riskcard.estimators.learning import Request
from riskcard.extras import import_pandas
from riskcard.fairness.group_limits import GroupLimits
from riskcard.fairness.groups import read_groups
from riskcard.fairness.limited_search import (
    PROVEN_WITH,
    Candidate,
    PricedProblem,
    find_candidates,
    prove_bound,
)
from riskcard.formatting.pages.html import Number, boxed, html_table, paragraphs
from riskcard.model.card import RiskCard
from riskcard.problem.problem import Problem
from riskcard.problem.result import SolveResult
from riskcard.search.heuristic.binned_rows import all_cuts
from riskcard.status import OPTIMALITY_TOLERANCE, Status


@dataclass(frozen=True, slots=True)
class Price:
    """What one limit, or all together, cost on the training rows.

    Attributes
    ----------
    measure
        What is limited; "all" for all limits together.
    limit
        The largest difference allowed; None for "all".
    without, within
        The difference of the best card without limits, and of the best card found within this
        limit; None for "all".
    loss
        Mean loss of that card per row, pseudo-observations included.
    price
        How far that is above the mean loss of the best card without limits.
    """

    measure: str
    limit: float | None
    without: float | None
    within: float | None
    loss: float
    price: float


@dataclass(frozen=True, slots=True)
class LimitedCard:
    """The best card found within limits.

    Attributes
    ----------
    card, model
        The card, and a fitted classifier with it.
    unlimited
        The best card without limits.
    groups, limits
        The column of the groups, and the limits.
    prices
        Of each limit alone, and of all together, per row.
    most_price
        The loss per row that the limits can cost at most: from the bound on all cards, with or
        without limits, to this card; None where nothing was proven.
    """

    card: RiskCard
    unlimited: RiskCard
    groups: str
    limits: GroupLimits
    prices: tuple[Price, ...]
    most_price: float | None
    model: RiskScoreClassifier = field(repr=False, compare=False)

    @property
    def summary(self) -> str:
        """What the limits cost, in sentences."""
        total = self.prices[-1]
        if total.price <= 0:
            words = "The best card found without limits keeps them: they cost nothing."
        else:
            words = (
                f"Within the limits the mean loss of the training rows is {total.loss:.5f}, "
                f"{total.price:.5f} above that of the best card found without limits."
            )
        if not self.card.features:
            words += " Only a card without terms was found within them."
        if self.most_price is None:
            return f"{words} Nothing was proven."
        most = math.ceil(self.most_price * 1e5) / 1e5
        return f"{words} Proven: the limits cost at most {most:.5f} per row."

    def rows(self) -> list[dict[str, Any]]:
        """One dict per limit and one for all: measure, limit, differences, loss and price."""
        return [{name: getattr(one, name) for name in Price.__slots__} for one in self.prices]

    def to_frame(self) -> Any:
        """The same as a pandas frame."""
        return import_pandas("use rows()").DataFrame(self.rows())

    def _cells(self) -> list[list[str]]:
        def shown(number: float | None, digits: int = 3) -> str:
            return "" if number is None else f"{number:.{digits}f}"

        return [
            [
                "all limits" if one.limit is None else self.limits.measure_in_words(one.measure),
                "" if one.limit is None else f"{one.limit:g}",
                shown(one.without),
                shown(one.within),
                shown(one.loss, 5),
                shown(one.price, 5),
            ]
            for one in self.prices
        ]

    def __str__(self) -> str:
        header = ["largest difference", "limit", "without", "within", "mean loss", "price"]
        table = [header, *self._cells()]
        widths = [max(len(row[place]) for row in table) for place in range(len(header))]
        lines = [
            "  ".join(
                [row[0].ljust(widths[0])]
                + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
            ).rstrip()
            for row in table
        ]
        return "\n".join([f"Differences between groups of {self.groups!r}", *lines, self.summary])

    def _repr_html_(self) -> str:
        header = [
            "Largest difference",
            *map(Number, ("Limit", "Without", "Within", "Mean loss", "Price")),
        ]
        rows = [[row[0], *map(Number, row[1:])] for row in self._cells()]
        title = f"Differences between groups of {self.groups!r}"
        return boxed(title, html_table(header, rows), paragraphs([self.summary]))


def fit_within_limits(
    estimator: RiskScoreClassifier,
    X: Any,
    y: Any,
    *,
    groups: Any,
    limits: GroupLimits | Mapping[str, float],
    groups_name: str | None = None,
    sample_weight: Any = None,
) -> LimitedCard:
    """Find a good card that treats groups of rows alike, within limits.

    The best card without limits is found first. With ``certify=True`` of the estimator a bound is proven on the
    loss of all cards of its kind within the limits. A limit on mean log-odds takes part in that proof; other limits
    do not, and then the bound is that on cards without limits, which holds for fewer cards as well. The time limit
    of the estimator holds for the card without limits, and again for this second proof.

    Limits are kept on the training rows. On other rows differences scatter about them: judge the
    card there with ``validate``.

    Parameters
    ----------
    estimator
        A ``RiskScoreClassifier``, fitted or not; it is cloned.
    X, y
        Rows and their labels. The column of the groups need not be among the features, and usually
        should not be.
    groups
        The group of each row.
    limits
        A ``GroupLimits``, or a mapping of its fields.
    groups_name
        What the groups are of; by default the name of the column ``groups``.
    sample_weight
        One weight per row.

    Examples
    --------
    >>> from riskcard import GroupLimits, RiskScoreClassifier, fit_within_limits
    >>> X = [[value % 10, value % 2] for value in range(200)]
    >>> y = [value % 10 + 3 * (value % 2) > 6 for value in range(200)]
    >>> found = fit_within_limits(
    ...     RiskScoreClassifier(2), X, y, groups=[row[1] for row in X], limits=GroupLimits(mean_risk=0.1)
    ... )
    >>> found.prices[0].within <= 0.1 < found.prices[0].without
    True
    """
    found = limits if isinstance(limits, GroupLimits) else GroupLimits(**limits)
    if not isinstance(estimator, RiskScoreClassifier):
        raise ParameterError(
            f"Cards within limits are found for RiskScoreClassifier, not for {type(estimator).__name__}."
        )
    model: RiskScoreClassifier = clone(estimator)
    rules = model._card_rules()
    refused = {
        "class_weight": model.class_weight is not None,
        "min_gain": bool(rules.min_gain),
        "round_cuts": rules.round_cuts is not None,
    }
    if any(refused.values()):
        name = next(name for name, is_given in refused.items() if is_given)
        raise ParameterError(
            f"Limits between groups cannot be used together with {name}. Leave {name} out."
        )
    begun = time.perf_counter()
    read = read_groups(groups, len(y), groups_name)
    further = {"groups": read.column, "limits": {**found.given, "threshold": found.threshold}}
    request = Request("fit_within_limits", further)
    (result, problem, layout), training = model._fit(X, y, sample_weight, request)
    kept = read_weights(sample_weight, len(y)) > 0
    read = read.take(kept)
    found.require_rows(layout.data.labels > 0, layout.data.weights, read)
    unlimited, unit = model.card_, layout.table.weight_unit
    options = model._task(request).options
    priced = PricedProblem(problem, layout, read, found, options, all_cuts(problem))
    candidates = find_candidates(priced, result.solution)
    chosen = _best(candidates, found.given)
    bound = prove_bound(priced, result.solution, result.bound / unit)
    limited = replace(
        _result(result, chosen, bound, unit),
        seconds=time.perf_counter() - begun,
    )
    limited = replace(limited, notes=_notes(result, problem, limited, found))
    layout = replace(layout, further_rules=tuple(found.in_words(read.column)))
    model._keep(finish(limited, problem, layout, training), limited, y)
    weight = float(problem.data.weights.sum())
    return LimitedCard(
        card=model.card_,
        unlimited=unlimited,
        groups=read.column,
        limits=found,
        prices=tuple(_prices(candidates, found, weight)),
        most_price=None
        if result.bound <= 0
        else max(0.0, chosen.loss - result.bound / unit) / weight,
        model=model,
    )


def _best(candidates: list[Candidate], limits: dict[str, float]) -> Candidate:
    """The card with the lowest loss within some limits."""
    within = [one for one in candidates if one.is_within(limits)]
    if not within:
        raise ParameterError(
            "No card within the limits was found: the rules ask for features that cannot be without "
            "effect. Relax a limit or a rule."
        )
    return min(within, key=lambda one: (one.loss, one.solution.terms))


def _result(result: SolveResult, chosen: Candidate, bound: float, unit: float) -> SolveResult:
    """The solver's answer with the card within limits and the bound that holds for such cards."""
    limited = replace(
        result,
        solution=chosen.solution,
        loss=chosen.loss * unit,
        bound=min(bound, chosen.loss) * unit,
    )
    if result.status is Status.HEURISTIC:
        return limited
    if limited.gap <= OPTIMALITY_TOLERANCE:
        return replace(limited, status=Status.OPTIMAL)
    is_done = result.status in (Status.OPTIMAL, Status.GAP_REACHED)
    return replace(limited, status=Status.CHOSEN if is_done else result.status)


def _notes(
    result: SolveResult, problem: Problem, limited: SolveResult, limits: GroupLimits
) -> tuple[str, ...]:
    """What was said about the search, without hints for the card without limits, and what the proof left out."""
    hints = hints_on(result, problem)
    notes = [note for note in result.notes if note not in hints]
    if limited.bound > 0 and limited.status is not Status.OPTIMAL:
        notes += [
            f"Limit on the {limits.measure_in_words(name)}: it was kept in the search but took no part in the "
            "proof. The bound is one on cards with and without this limit, so part of the gap may be its price."
            for name in limits.given
            if name != PROVEN_WITH
        ]
    return tuple(notes)


def _prices(candidates: list[Candidate], limits: GroupLimits, weight: float) -> list[Price]:
    """What each limit costs, and all of them, per unit of weight."""
    first, found = candidates[0], []
    for name, limit in limits.given.items():
        best = _best(candidates, {name: limit})
        found.append(
            Price(
                name,
                limit,
                first.differences[name],
                best.differences[name],
                best.loss / weight,
                (best.loss - first.loss) / weight,
            )
        )
    best = _best(candidates, limits.given)
    found.append(
        Price("all", None, None, None, best.loss / weight, (best.loss - first.loss) / weight)
    )
    return found
