"""A pool: cards about as good as the best, side by side."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR
from typing import Any

from sklearn.base import clone

from riskcard.checks import is_whole
from riskcard.errors import ParameterError
from riskcard.estimators.classifier import RiskScoreClassifier
from riskcard.estimators.fitted import finish
from riskcard.estimators.learning import Request
from riskcard.estimators.other_outcomes.rate_estimator import RateEstimator
from riskcard.extras import import_pandas
from riskcard.formatting.figures import loss_words
from riskcard.formatting.pages.html import Number, boxed, html_table, paragraphs
from riskcard.model.card import RiskCard
from riskcard.parameters import parameters_of
from riskcard.problem.result import Pool


@dataclass(frozen=True, slots=True)
class CardPool(Sequence[RiskCard]):
    """Cards within a tolerance of the best: one for each choice of features and cuts.

    Two choices may come to the same card, as where two of three groups get the same points. Cards that
    differ in their features come first, then others, both by loss; ``print`` shows a table. Where rules
    charge for terms (``min_gain``), a loss is one with its charge throughout.

    Attributes
    ----------
    cards
        The cards.
    losses
        The loss of each on the training rows, pseudo-observations included.
    most_loss
        The largest loss that was allowed. Of outcomes other than yes or no it may be lower by what the proof
        leaves, where the pool is complete; where a card is right about every row, it is what rounding may hide.
    is_complete
        It is proven that no other choice of features and cuts has a card within that loss.
    n_found
        Choices found, of which these are the first.
    models
        A fitted estimator for each card.
    model
        The fitted estimator with the card that ``fit`` gives: the best of the pool, or one with
        rounder cuts.
    choices
        The conditions of each card as pairs of numbers, by which `write_proof` names them.
    """

    cards: tuple[RiskCard, ...]
    losses: tuple[float, ...]
    most_loss: float
    is_complete: bool
    n_found: int
    models: tuple[Any, ...] = field(default=(), repr=False, compare=False)
    model: Any = field(default=None, repr=False, compare=False)
    choices: tuple[frozenset[tuple[int, int]], ...] = field(default=(), repr=False, compare=False)

    def choose(self, index: int) -> Any:
        """The fitted estimator whose model is a card of the pool.

        Parameters
        ----------
        index
            The place of the card in the pool.
        """
        if not is_whole(index) or not 0 <= index < len(self.models):
            raise ParameterError(
                f"There is no card {index!r} in the pool. Choose from 0 to {len(self.models) - 1}."
            )
        return self.models[index]

    def __getitem__(self, index: Any) -> Any:
        return self.cards[index]

    def __len__(self) -> int:
        return len(self.cards)

    @property
    def summary(self) -> str:
        """Whether these are all, in a sentence."""
        first = self.cards[0].certificate
        what = "loss" if first is None else first.objective_name
        within = f"with a {what} of at most"
        if self.is_complete:
            # more terms or points, or cuts that were no candidates, may give others; and more than was proven is
            # not said, so the limit is rounded down
            return (
                f"Proven: no other choice of features and cuts has a card of this kind {within} "
                f"{loss_words(self.most_loss, self.most_loss, ROUND_FLOOR)} (for the kind, see the details of a card)."
            )
        within += f" {loss_words(self.most_loss, self.most_loss, ROUND_CEILING)}"
        if self.n_found > len(self.cards):
            return f"{self.n_found} choices of features and cuts {within} were found; there may be more."
        return f"Choices of features and cuts {within}; there may be more."

    def rows(self) -> list[dict[str, Any]]:
        """One dict per card: its place, loss, loss above the best in per cent, features and terms."""
        best = min(self.losses)
        return [
            {
                "card": place,
                "loss": loss,
                "above_best": 100.0 * (loss - best) / best if best > 0 else 0.0,
                "features": [feature.name for feature in card.features],
                "terms": [str(term) for term in card.terms],
            }
            for place, (card, loss) in enumerate(zip(self.cards, self.losses, strict=True))
        ]

    def to_frame(self) -> Any:
        """The same as a pandas frame."""
        return import_pandas("use rows()").DataFrame(self.rows())

    def _repr_html_(self) -> str:
        rows = [
            [
                Number(row["card"]),
                Number(f"{row['loss']:.6g}"),
                Number(f"{row['above_best']:.2f} %"),
                ", ".join(row["features"]),
                "; ".join(row["terms"]),
            ]
            for row in self.rows()
        ]
        header = [*map(Number, ("Card", "Loss", "Above the best")), "Features", "Terms"]
        return boxed("Cards about as good", html_table(header, rows), paragraphs([self.summary]))

    def __str__(self) -> str:
        lines = [f"{'card':>4}  {'loss':>12}  {'above':>7}  terms"]
        lines += [
            f"{row['card']:>4}  {row['loss']:>12.6g}  {row['above_best']:>6.2f}%  "
            + "; ".join(row["terms"])
            for row in self.rows()
        ]
        return "\n".join([*lines, self.summary])


def find_pool(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    tolerance: float = 0.01,
    size: int = 100,
    sample_weight: Any = None,
    **further: Any,
) -> CardPool:
    """Find the cards that are about as good as the best one.

    With ``certify=True`` of the estimator all choices of features and cuts that have such a card
    are looked for, and ``is_complete`` says whether they were all found.

    Parameters
    ----------
    estimator
        A ``RiskScoreClassifier``, ``RiskScoreSurvival``, ``RiskScoreRegressor`` or ``RiskScoreOrdinal``, fitted or
        not; it is cloned.
    X, y
        Rows and their labels.
    tolerance
        Cards whose loss is at most this share above the best are kept.
    size
        The largest number of cards.
    sample_weight
        One weight per row.
    **further
        ``entry`` of times to an event, ``exposure`` of counts.

    Examples
    --------
    >>> from riskcard import RiskScoreClassifier, find_pool
    >>> X = [[value % 10, value % 9] for value in range(60)]
    >>> y = [value % 10 > 4 or value % 7 == 0 for value in range(60)]
    >>> pool = find_pool(RiskScoreClassifier(1, certify=True), X, y, tolerance=0.1)
    >>> pool.is_complete, pool.choose(0).card_ == pool[0]
    (True, True)
    """
    limits = parameters_of("pool")
    most, n_most = limits["tolerance"].checked(tolerance), limits["size"].checked(size)
    asked = {"tolerance": most, "size": n_most}
    request = Request("find_pool", asked, pool_tolerance=float(most), pool_size=n_most)
    if isinstance(estimator, RateEstimator):
        model = clone(estimator)
        pool, models = model.fit_pool(request, X, y, sample_weight, **further)
        return _card_pool(pool, models, model)
    if not isinstance(estimator, RiskScoreClassifier):
        raise ParameterError(
            "Pools are found for RiskScoreClassifier and the estimators of other outcomes, not for "
            f"{type(estimator).__name__}."
        )
    if further:
        raise ParameterError(
            f"{min(further)} is given, but pools for outcomes of yes or no have no use for it. Leave it out."
        )
    model = clone(estimator)
    (result, problem, layout), training = model._fit(X, y, sample_weight, request)
    pool = result.pool
    assert pool is not None
    models = []
    for solution, loss in zip(pool.cards, pool.losses, strict=True):
        one = result.with_card(solution, loss)
        models.append(copy.copy(model))
        models[-1]._keep(finish(one, problem, layout, training), one, y)
    return _card_pool(pool, models, model)


def _card_pool(pool: Pool, models: list[Any], model: Any) -> CardPool:
    """The pool in the user's units."""
    return CardPool(
        cards=tuple(one.card_ for one in models),
        losses=tuple(one.card_.certificate.objective for one in models),
        most_loss=pool.most_price,
        is_complete=pool.is_complete,
        n_found=pool.n_found,
        models=tuple(models),
        model=model,
        choices=tuple(frozenset(solution.conditions) for solution in pool.cards),
    )
