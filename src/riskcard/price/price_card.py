"""The price of a card or a score: its loss on some rows against the best card of a kind, as an interval.

Let ``loss`` be that of the card with its best scale, ``found`` the lowest loss of a card of the kind that was
found and ``bound`` a proven lower bound on the loss of every card of the kind. The best card of the kind has a
loss from ``bound`` to ``found``, so the price, ``loss`` minus that of the best card, is from ``loss - found``
to ``loss - bound``, whether the given card is itself of the kind or not.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from riskcard.arrays import Floats
from riskcard.checks import whole_number
from riskcard.data.frames import NotANumber
from riskcard.data.raw_columns import read_raw
from riskcard.encoding.fit_card_scale import with_fitted_scale
from riskcard.errors import DataError, ParameterError
from riskcard.estimators.classifier import RiskScoreClassifier
from riskcard.estimators.improve import improve
from riskcard.estimators.regularization import Regularization
from riskcard.evaluation.measures import Tally, area_under_curve, fit_logistic
from riskcard.evaluation.outcomes import Outcomes, read_outcomes
from riskcard.model.card import RiskCard
from riskcard.model.origin.certificate import Certificate
from riskcard.price.price_text import price_in_words


@dataclass(frozen=True, slots=True)
class CardKind:
    """The cards that a card or a score is compared with; their scale is calibrated.

    Attributes
    ----------
    max_terms, max_features, max_points
        Their limits.
    grid
        Candidate cuts per feature, at quantiles, next to those of the card; None for every cut.
    time_limit
        Seconds for search and proof; None for no limit. What is proven by then is a valid bound.
    """

    max_terms: int
    max_features: int
    max_points: int
    grid: int | None = None
    time_limit: float | None = 60.0

    @classmethod
    def of(cls, card: RiskCard, **others: Any) -> CardKind:
        """The kind of a card: as many terms and features, and terms worth as much at most."""
        worth = [abs(term.above - term.below) for term in card.terms]
        used = sum(len(feature.possible_points) > 1 for feature in card.features)
        return cls(max(1, len(card.terms)), max(1, used), max(worth, default=1), **others)

    def classifier(self, event: Any) -> RiskScoreClassifier:
        """What looks for the best card of the kind, and proves a bound."""
        return RiskScoreClassifier(
            self.max_terms,
            max_features=self.max_features,
            max_points=self.max_points,
            max_log_odds=None,
            regularization=Regularization.only(grid=self.grid),
            certify=True,
            time_limit=self.time_limit,
            event=event,
            identifiers=None,
        )


@dataclass(frozen=True, slots=True)
class Price:
    """What a card or a score costs on some rows; ``print`` it.

    Attributes
    ----------
    what
        "card" or "score".
    rows, events
        Counts.
    weight
        Sum of the row weights; the number of rows without weights.
    own_loss
        Sum of the log-losses with the risks that the card states; None for a score without risks.
    loss
        The same with the slope and offset that fit these rows best.
    rises
        The risk rises with the total of the card; if not, its best scale gives every row the same risk.
    auc
        Area under the ROC curve; of a score, after its direction was fitted.
    base_loss
        The loss of the share of events for every row.
    kind
        What it is compared with.
    best
        The best card of the kind that was found, with its certificate.
    best_auc
        Its area under the ROC curve.
    n_features
        Columns that cards of the kind may use.
    """

    what: str
    rows: int
    events: int
    weight: float
    own_loss: float | None
    loss: float
    rises: bool
    auc: float
    base_loss: float
    kind: CardKind
    best: RiskCard = field(repr=False)
    best_auc: float
    n_features: int

    @property
    def certificate(self) -> Certificate:
        """What is proven about the kind."""
        assert self.best.certificate is not None
        return self.best.certificate

    @property
    def at_least(self) -> float:
        """The best card of the kind has a loss that is lower by at least this; negative if it may be higher."""
        return self.loss - self.certificate.loss

    @property
    def at_most(self) -> float:
        """... and by at most this."""
        return self.loss - self.certificate.bound

    def __str__(self) -> str:
        return price_in_words(self)


def price_card(
    card: RiskCard, X: Any, y: Any, *, sample_weight: Any = None, kind: CardKind | None = None
) -> Price:
    """What a card costs on some rows, against the proven optimum of its kind.

    Parameters
    ----------
    card
        Any card: written by hand, published, or learned elsewhere.
    X, y, sample_weight
        Rows, labels and weights. ``X`` is a data frame with the columns of the card and all others that the
        best card may use.
    kind
        What to compare with; by default cards with as many terms and features and terms worth as much as
        those of the card, on all columns and every cut.

    Examples
    --------
    >>> from riskcard import FeaturePoints, RiskCard
    >>> X = [[value % 10] for value in range(60)]
    >>> y = [value % 10 > 4 or value % 7 == 0 for value in range(60)]
    >>> card = RiskCard([FeaturePoints("x0", [7], [0, 1])], classes=(False, True))
    >>> price = price_card(card, X, y)
    >>> bool(0 < price.at_least <= price.at_most)
    True
    """
    if not isinstance(card, RiskCard):
        raise ParameterError(f"The card to price is {card!r}. Use a RiskCard, or price_score.")
    card.require_yes_or_no("Prices")
    kind = CardKind.of(card) if kind is None else kind
    totals = card.total_points(X)
    outcomes = read_outcomes(card.risk_of_total(totals), y, sample_weight, card.classes[1])
    _require_weights(outcomes, totals.size)
    unsealed = replace(card, certificate=None, recipe=None)  # nothing is claimed of another scale
    fitted = with_fitted_scale(unsealed, totals, outcomes.is_event, outcomes.weights)
    found = improve(
        card,
        X,
        y,
        max_changes=None,
        estimator=kind.classifier(card.classes[1]),
        sample_weight=sample_weight,
    )
    sign = -1 if card.higher_is_safer else 1
    return _price(
        "card",
        outcomes,
        (_loss(card.log_odds_of_total(totals), outcomes), sign * totals.astype(np.float64)),
        _loss(fitted.log_odds_of_total(totals), outcomes),
        kind,
        found,
        X,
    )


def price_score(
    scores: Any,
    X: Any,
    y: Any,
    *,
    kind: CardKind,
    sample_weight: Any = None,
    event: Any = None,
    is_risk: bool = False,
) -> Price:
    """What a score costs on some rows, against the proven optimum of a kind of cards.

    Parameters
    ----------
    scores
        One number per row: a total, a score of experts, or a risk. Slope (of either sign) and offset to
        log-odds are fitted; of risks, on their log-odds.
    X, y, sample_weight
        Rows without the score, labels and weights.
    kind
        The cards to compare with, such as ``CardKind(max_terms=5, max_features=5, max_points=5)``.
    event
        The label of the event, where the labels do not say so themselves.
    is_risk
        The scores are risks of the event, whose own loss is reported too.
    """
    numbers = _finite(scores)
    outcomes = read_outcomes(np.zeros(numbers.size), y, sample_weight, event)
    _require_weights(outcomes, numbers.size)
    own = None
    if is_risk:
        if numbers.min() < 0 or numbers.max() > 1:
            raise DataError(
                f"The risks range from {numbers.min():g} to {numbers.max():g}. Risks are from 0 to 1; "
                "leave out is_risk (--is-risk) for another score."
            )
        with np.errstate(divide="ignore"):
            own = _loss(np.log(numbers) - np.log1p(-numbers), outcomes)
        numbers = Outcomes(numbers, outcomes.is_event, outcomes.weights).log_odds
    centre, spread = float(numbers.mean()), float(numbers.std()) or 1.0
    design = np.column_stack([np.ones(numbers.size), (numbers - centre) / spread])
    tally = Tally(
        numbers, outcomes.weights * outcomes.is_event, outcomes.weights * ~outcomes.is_event
    )
    coefficients = fit_logistic(design, tally)
    model = kind.classifier(event).fit(X, y, sample_weight=sample_weight)
    sign = -1.0 if coefficients[1] < 0 else 1.0
    loss = _loss(design @ coefficients, outcomes)
    return _price("score", outcomes, (own, sign * numbers), loss, kind, model.card_, X)


def _price(
    what: str,
    outcomes: Outcomes,
    own: tuple[float | None, Floats],
    loss: float,
    kind: CardKind,
    best: RiskCard,
    X: Any,
) -> Price:
    rate, weight = outcomes.base_rate, float(outcomes.weights.sum())
    constant = np.full(outcomes.risks.size, np.log(rate) - np.log1p(-rate))
    totals = best.total_points(X)
    auc, best_auc = (
        area_under_curve(outcomes.tally(scores)) for scores in (own[1], totals.astype(np.float64))
    )
    base_loss = _loss(constant, outcomes)
    return Price(
        what=what,
        rows=outcomes.risks.size,
        events=int(np.count_nonzero(outcomes.is_event)),
        weight=weight,
        own_loss=own[0],
        loss=loss,
        rises=loss < base_loss * (1 - 1e-12),
        auc=auc,
        base_loss=base_loss,
        kind=kind,
        best=best,
        best_auc=best_auc,
        n_features=len(best.feature_names),
    )


def _require_weights(outcomes: Outcomes, n_rows: int) -> None:
    if outcomes.weights.size < n_rows:
        raise DataError(
            f"{n_rows - outcomes.weights.size} rows have the weight 0. Leave them out: they cost nothing."
        )


def _loss(log_odds: Floats, outcomes: Outcomes) -> float:
    """The sum of the log-losses; infinite where a risk of 0 or 1 is wrong."""
    wrong_way = np.where(outcomes.is_event, -log_odds, log_odds)
    return float(outcomes.weights @ np.logaddexp(0.0, wrong_way))


def _finite(scores: Any) -> Floats:
    try:
        numbers = np.asarray(read_raw(scores).values, dtype=np.float64)
    except (TypeError, ValueError):
        raise NotANumber("The scores are not numbers. Give one number per row.") from None
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if wrong.size:
        raise DataError(
            f"The score is missing or infinite in {wrong.size} of {numbers.size} rows, the first is row "
            f"{wrong[0]}. Leave these rows out."
        )
    return numbers


def kind_of_size(max_terms: Any, max_points: Any, **others: Any) -> CardKind:
    """A kind with as many features as terms at most."""
    terms = whole_number("max_terms", max_terms, 1)
    return CardKind(terms, terms, whole_number("max_points", max_points, 1), **others)
