"""A Bayesian reading of a complete pool: exact weights of its choices, and a bound on all others.

A *choice* is a set of conditions (features and cuts); the pool has the best card of each choice whose loss is
within its limit, and it is proven that no other choice has one. Each choice c gets the weight

    prior(c) * exp(-loss of the best card of c),    prior(c) proportional to exp(-term_charge * terms of c)

so points and scale are not integrated out: the likelihood of a choice is the largest one that its cards reach.
Pseudo-observations of a regularised fit are part of the loss, and so act as a further prior. Within the pool the
weights are exact sums, without sampling.

*Proof of the bound on the rest.* There are at most ``N = sum over j <= k of C(n, j)`` choices of at most k of n
conditions. One outside the pool has no card within ``most_loss``, so its weight is at most
``exp(-most_loss) * prior``, and the prior of j terms is at most that of 0. With S the weight of the pool and P its
number of choices, all choices weigh at most ``S + sum over j <= k of C(n, j) exp(-term_charge j - most_loss)``;
from this sum the terms of the choices in the pool may be taken off. So the pool has at least the share
``least_mass = S / (S + rest)`` of the posterior over all choices.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp

from riskcard.arrays import Floats
from riskcard.checks import finite_number
from riskcard.errors import ParameterError
from riskcard.estimators.card_pool import CardPool
from riskcard.model.card import RiskCard


@dataclass(frozen=True, slots=True)
class CardPosterior:
    """The posterior over the choices of a complete pool; ``print`` it.

    Attributes
    ----------
    cards
        The best card of each choice, in the order of the pool.
    weights
        The posterior weight of each, given the pool; their sum is 1.
    least_mass
        At least this share of the posterior over all choices, those outside the pool included, is in the pool.
    term_charge
        Of the prior.
    """

    cards: tuple[RiskCard, ...]
    weights: Floats
    least_mass: float
    term_charge: float

    def inclusion(self) -> dict[str, float]:
        """The probability of each feature, given the pool, from the largest."""
        found: dict[str, float] = {}
        for card, weight in zip(self.cards, self.weights.tolist(), strict=True):
            for name in {term.feature for term in card.terms}:
                found[name] = found.get(name, 0.0) + weight
        return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))

    def among_all(self, probability: float) -> tuple[float, float]:
        """Where the probability over all choices lies, if it is ``probability`` given the pool.

        With m of at least ``least_mass`` in the pool and an unknown q outside, it is ``m p + (1 - m) q``.
        """
        low = probability * self.least_mass
        return low, low + 1.0 - self.least_mass

    def cuts(self, feature: str, level: float = 0.9) -> tuple[float, float]:
        """The interval of a feature's cuts: equal tails of the weight, given the pool and that it has a cut.

        A card with several cuts of the feature shares its weight among them.
        """
        pairs = [
            (term.cut, weight / len(own))
            for card, weight in zip(self.cards, self.weights.tolist(), strict=True)
            for own in [
                [one for one in card.terms if one.feature == feature and one.cut is not None]
            ]
            for term in own
        ]
        if not pairs:
            raise ParameterError(
                f"No card of the pool has a cut of {feature!r}. Its features are "
                f"{', '.join(map(repr, self.inclusion()))}."
            )
        cuts, weights = (np.array(side, dtype=np.float64) for side in zip(*pairs, strict=True))
        low, high = _quantiles(cuts[:, None], weights, _tails(level))
        return float(low[0]), float(high[0])

    def risk(self, X: Any) -> Floats:
        """The risk of each row, averaged over the pool."""
        averaged: Floats = self.weights @ self._risks(X)
        return averaged

    def risk_interval(self, X: Any, level: float = 0.9) -> tuple[Floats, Floats]:
        """Equal tails of the risks that the cards of the pool give to each row.

        It says how much the choice of conditions matters; the sampling error of a card's risks is not in it.
        """
        low, high = _quantiles(self._risks(X), self.weights, _tails(level))
        return low, high

    def _risks(self, X: Any) -> Floats:
        return np.array([card.risk(X) for card in self.cards])

    def __str__(self) -> str:
        lines = [
            f"Posterior over {len(self.cards)} choices of conditions: a complete pool",
            "",
            f"{'feature':<30}{'given the pool':>16}{'among all choices':>22}",
        ]
        for name, share in self.inclusion().items():
            low, high = self.among_all(share)
            ends = f"{_down(low, 3):.3f} to {min(-_down(-high, 3), 1.0):.3f}"
            lines.append(f"{name:<30}{share:>16.3f}{ends:>22}")
        return "\n".join(
            [
                *lines,
                "",
                f"The pool has at least {_down(self.least_mass, 4):.4f} of the posterior over all choices. Weights are "
                "exp(-loss of the best card of a choice)"
                + (f", times exp(-{self.term_charge:g} per term)." if self.term_charge else "."),
            ]
        )


def read_posterior(
    pool: CardPool, X: Any, y: Any, *, sample_weight: Any = None, term_charge: float = 0.0
) -> CardPosterior:
    """The exact posterior over the choices of a complete pool.

    Parameters
    ----------
    pool
        From ``find_pool`` with ``certify=True``; it must be complete.
    X, y, sample_weight
        The rows that the pool was found on. They only count the conditions there were to choose from.
    term_charge
        The prior: a term makes a choice less probable by the factor ``exp(-term_charge)``. 0 gives all choices
        the same prior. What terms are charged by ``CardRules(min_gain=...)`` is part of the loss.

    Examples
    --------
    >>> from riskcard import RiskScoreClassifier, find_pool
    >>> X = [[value % 10, value % 9] for value in range(60)]
    >>> y = [value % 10 > 4 or value % 7 == 0 for value in range(60)]
    >>> pool = find_pool(RiskScoreClassifier(1, certify=True), X, y, tolerance=0.5)
    >>> posterior = read_posterior(pool, X, y)
    >>> list(posterior.inclusion()), bool(posterior.least_mass > 0.9)
    (['x0'], True)
    """
    pool.cards[0].require_yes_or_no("Posteriors over a pool")
    if not pool.is_complete:
        raise ParameterError(
            "The pool is not proven complete, so weights would leave out an unknown part. Find it with "
            "certify=True, more time, a larger size or a smaller tolerance."
        )
    charge = finite_number("term_charge", term_charge)
    if charge < 0:
        raise ParameterError(f"term_charge is {charge}. Use a number of at least 0.")
    terms = np.array([len(model.result_.solution.terms) for model in pool.models])
    logs = -np.array(pool.losses) - charge * terms
    inside = float(logsumexp(logs))
    _, _, problem = pool.model.pose(X, y, sample_weight)  # of all cards, none preselected
    sizes = [(j, math.comb(problem.n_conditions, j)) for j in range(problem.limits.max_terms + 1)]
    rest = [
        math.log(left) - charge * size - pool.most_loss
        for size, number in sizes
        if (left := number - int((terms == size).sum())) > 0
    ]
    outside = float(logsumexp(rest)) if rest else -math.inf
    return CardPosterior(
        cards=pool.cards,
        weights=np.exp(logs - inside),
        least_mass=math.exp(-float(np.logaddexp(0.0, outside - inside))),
        term_charge=charge,
    )


def _down(number: float, digits: int) -> float:
    """Rounded towards minus infinity, so that "at least" stays true as printed."""
    unit = 10.0**digits
    return math.floor(number * unit) / unit


def _tails(level: float) -> tuple[float, float]:
    if not 0 < level < 1:
        raise ParameterError(f"level is {level}. Use a share between 0 and 1, such as 0.9.")
    return (1 - level) / 2, (1 + level) / 2


def _quantiles(
    values: Floats, weights: Floats, shares: tuple[float, float]
) -> tuple[Floats, Floats]:
    """For each column the least value with at least each share of the weight at or below it."""
    order = np.argsort(values, axis=0, kind="stable")
    ascending = np.take_along_axis(values, order, axis=0)
    reached = np.cumsum(weights[order], axis=0) / weights.sum()
    low, high = (
        np.take_along_axis(ascending, (reached >= share - 1e-12).argmax(axis=0)[None, :], axis=0)[0]
        for share in shares
    )
    return low, high
