"""Looking for a card that refutes the certificate of another with few changes, among all of them."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from oracle.raw_kinds import Kind, RuledFeature, cards_of, objectives_of
from riskcard import (
    CardRules,
    FeaturePoints,
    Regularization,
    RiskCard,
    RiskScoreClassifier,
    improve,
)
from riskcard.errors import ParameterError
from test_kinds_refuted import Setting, faults_against, kind_of, random_column, weights_of

#: Values such that a cut between the first two needs four digits, and others need fewer.
UNROUND = (1.231, 1.237, 1.262, 1.31)


def random_start(rng: np.random.Generator, features: list[RuledFeature], kind: Kind) -> Any:
    """A card of numbers, each with the first of ``UNROUND`` as its values."""
    chosen = []
    for place, feature in enumerate(features):
        jumps = [0] * (feature.raw.n_values - 1)
        for cut in range(len(jumps)):
            if rng.random() < 0.5:
                jumps[cut] = int(rng.choice([-1, 1])) * int(rng.integers(1, kind.max_points + 1))
        points = np.concatenate([[0], np.cumsum(jumps)])
        if any(jumps):
            cuts = [UNROUND[cut] for cut, jump in enumerate(jumps) if jump]
            own = [int(points[0]), *(int(points[c + 1]) for c, jump in enumerate(jumps) if jump)]
            low = min(own)
            chosen.append(FeaturePoints(f"x{place}", cuts, [one - low for one in own]))
    return RiskCard(chosen)


def terms_of(points: tuple[tuple[int, ...], ...]) -> set[tuple[int, int, int]]:
    """Feature, cut and jump of each term, from what numbers get."""
    return {
        (place, cut, after - before)
        for place, own in enumerate(points)
        for cut, (before, after) in enumerate(itertools.pairwise(own))
        if after != before
    }


def changing_setting(seed: int, rng: np.random.Generator) -> Setting:
    """A table of numbers, and a classifier for cards with few changes."""
    n_rows, n_features = int(rng.integers(12, 25)), int(rng.integers(1, 3))
    places = [random_column(rng, "number", n_rows) for _ in range(n_features)]
    columns = {f"x{f}": [UNROUND[int(one)] for one in own] for f, own in enumerate(places)}
    y = (rng.random(n_rows) < np.where(np.array(places[0]) > 0, 0.7, 0.3)).astype(int)
    y[:2] = 0, 1
    is_rounded = int(rng.integers(2))  # then a grid has other candidates than the quantiles
    model = RiskScoreClassifier(
        int(rng.integers(1, 4)),
        max_points=2,
        scale=[0.8, "calibrated", "multiplier"][seed % 3],
        max_log_odds=["auto", 0.6][int(rng.integers(2))] if seed % 3 else "auto",
        certify=True,
        rules=CardRules(
            min_bin_rows=[None, 3][int(rng.integers(2))], round_cuts=[None, 0.2][is_rounded]
        ),
        regularization=Regularization.only(
            pseudo_rows=[None, 3][int(rng.integers(2))], grid=None if is_rounded else 1
        ),
    )
    return Setting(columns, y, np.ones(n_rows), model)


def terms_on(card: RiskCard, columns: dict[str, list[Any]]) -> set[tuple[int, int, int]]:
    """The terms of a card by what it gives to the numbers of each column."""
    by_name = {feature.name: feature for feature in card.features}
    numbers = {name: np.unique(own) for name, own in columns.items()}
    points = [
        tuple(by_name[name].points_of(own).tolist()) if name in by_name else (0,) * own.size
        for name, own in numbers.items()
    ]
    return terms_of(tuple(points))


def n_changes(before: set[tuple[int, int, int]], after: set[tuple[int, int, int]]) -> int:
    return max(len(before - after), len(after - before))


def faults_of_changes(seed: int) -> list[str]:
    """What refutes the certificate of a card with few changes."""
    rng = np.random.default_rng([seed, 6])
    setting = changing_setting(seed, rng)
    weights, of_event, of_others = weights_of(setting)
    kind, features = kind_of(setting, weights)
    start, most = random_start(rng, features, kind), int(rng.integers(0, 3))
    before = terms_on(start, setting.columns)
    features = [  # the cuts of the card it starts from are candidates in addition
        replace(feature, cuts=feature.cuts | {cut for f, cut, _ in before if f == place})
        for place, feature in enumerate(features)
    ]
    cards = [
        card
        for card in cards_of(features, kind, setting.y == 1)
        if n_changes(before, terms_of(tuple(offer.points for offer in card))) <= most
    ]
    try:
        card = improve(start, setting.frame, setting.y, max_changes=most, estimator=setting.model)
    except ParameterError as error:
        is_refused = not cards or "too small" in str(error)
        return [] if is_refused else [f"{len(cards)} cards, but {error}"]
    if not cards:
        return ["no card has at most this number of changes"]
    lowest = float(objectives_of(cards, features, kind, of_event, of_others).min())
    faults = faults_against(card.certificate, lowest)
    after = terms_on(card, setting.columns)
    if n_changes(before, after) > most:
        faults.append(f"more than {most} changes: {before} became {after}")
    return faults


@pytest.mark.slow
def test_no_card_with_few_changes_refutes_the_certificate():
    wrong = {seed: faults for seed in range(80) if (faults := faults_of_changes(seed))}
    assert not wrong
