"""Looking for a card that refutes a certificate: all cards of the kind that its words describe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from optional import pd
from oracle.raw_kinds import Kind, RuledFeature, cards_of, objectives_of
from raw_cards import RawFeature
from riskcard import (
    CardRules,
    FeatureGroup,
    FeatureRule,
    Regularization,
    RiskScoreClassifier,
    audit_card,
)
from riskcard.errors import ParameterError
from riskcard.model.origin.certificate import Certificate

NAN, CODE, TOLERANCE = float("nan"), -9.0, 1e-6
KINDS = ("number", "number", "missing", "code", "levels", "levels with missing")


@dataclass(frozen=True)
class Setting:
    """A table, and a classifier with a random choice of all settings."""

    columns: dict[str, list[Any]]
    y: np.ndarray
    weights: np.ndarray
    model: RiskScoreClassifier

    @property
    def frame(self) -> Any:
        return pd.DataFrame(
            {
                name: pd.Series(
                    own, dtype=object if isinstance(own[0], str) or own[0] is None else float
                )
                for name, own in self.columns.items()
            }
        )


def random_column(rng: np.random.Generator, kind: str, n_rows: int) -> list[Any]:
    n_values = int(rng.integers(2, 5))
    values: list[Any] = [float(value) for value in range(n_values)]
    if kind.startswith("levels"):
        values = list("abcd"[: max(n_values, 2)])
    extra = {"missing": [NAN], "code": [CODE], "levels with missing": [None]}.get(kind, [])
    values = [*values[: 4 - len(extra)], *extra]
    at = rng.choice(len(values), n_rows, p=rng.dirichlet(np.full(len(values), 2.0)))
    at[: len(values)] = rng.permutation(len(values))
    return [values[place] for place in at]


def random_rule(rng: np.random.Generator, column: list[Any]) -> FeatureRule:
    is_number = not any(isinstance(value, str) for value in column)
    cuts = tuple(np.sort(rng.choice([-0.5, 0.0, 0.5, 1.0, 1.5, 2.0], 2, replace=False)))
    choice = rng.integers(8) if is_number else 7
    points = [(-1, 1), (0, 2), (-2, 0), (-1, 2), (1, 2)][int(rng.integers(5))]
    return FeatureRule(
        direction=str(rng.choice(["rises", "falls"])) if choice == 0 else None,
        points=points if choice in (1, 2) else None,
        use=str(rng.choice(["may", "must", "never"], p=[0.7, 0.2, 0.1])),
        cuts=cuts if choice == 3 else None,
        fixed_cuts=cuts if choice == 4 else None,
        max_cuts=1 if choice == 5 else None,
        cost=float(rng.integers(0, 3)) * (1 + (choice == 6)),
        codes=(CODE,) if is_number else (),
    )


def random_setting(seed: int) -> Setting:
    rng = np.random.default_rng([seed, 5])
    n_rows, n_features = int(rng.integers(12, 25)), int(rng.choice([1, 2, 2, 3]))
    columns = {
        f"x{f}": random_column(rng, str(rng.choice(KINDS)), n_rows) for f in range(n_features)
    }
    signal = [hash_of(row) for row in zip(*columns.values(), strict=True)]
    y = (rng.random(n_rows) < np.where(np.array(signal) % 3 == 0, 0.75, 0.3)).astype(int)
    y[:2] = 0, 1
    names, is_ruled = list(columns), rng.random() < 0.6

    def maybe(value: Any, chance: float = 0.25) -> Any:
        return value if rng.random() < chance else None

    rules = CardRules(
        {
            name: random_rule(rng, own) if is_ruled and rng.random() < 0.7 else plain_rule(own)
            for name, own in columns.items()
        },
        groups=[FeatureGroup(names[:2], 1)] if n_features > 1 and rng.random() < 0.15 else [],
        budget=maybe(float(rng.integers(4, 6)), 0.2),
        min_bin_rows=maybe(int(rng.integers(2, 5))),
        min_bin_events=maybe(1, 0.15),
        min_gain=maybe(float(rng.choice([0.2, 0.7]))),
        round_cuts=maybe(0.1, 0.15),
    )
    scale = [0.8, 1.5, "calibrated", "multiplier"][int(rng.integers(4))]
    model = RiskScoreClassifier(
        int(rng.integers(1, 4)) if n_features < 3 else 2,
        max_features=maybe(1),
        max_cuts_per_feature=maybe(int(rng.integers(1, 3))),
        max_points=int(rng.integers(1, 3)),
        scale=scale,
        max_log_odds=["auto", 0.4, 1.1][int(rng.integers(3))] if isinstance(scale, str) else "auto",
        certify=True,
        rules=rules,
        regularization=Regularization.only(
            # with rounder cuts a grid has other candidates than the quantiles
            grid=maybe(int(rng.integers(1, 3))) if rules.round_cuts is None else None,
            pseudo_rows=maybe(3),
            min_line_rows=maybe(int(rng.integers(2, 5))),
        ),
        class_weight=[None, None, "balanced", {0: 3.0, 1: 0.5}][int(rng.integers(4))],
        gap=float(rng.choice([0.0, 0.0, 0.1])),
    )
    weights = [np.ones(n_rows), rng.integers(1, 4, n_rows) * 1.0, rng.lognormal(0, 1, n_rows)]
    return Setting(columns, y, weights[seed % 3], model)


def hash_of(row: tuple[Any, ...]) -> int:
    """A number for a row, the same in every run."""
    return sum((place + 1) * ord(str(value)[0]) for place, value in enumerate(row))


def plain_rule(column: list[Any]) -> FeatureRule:
    return FeatureRule(codes=(CODE,)) if CODE in column else FeatureRule()


# --- the kind that the words describe ---------------------------------------------------------------


def is_missing(value: Any) -> bool:
    return value is None or value != value


def is_special(value: Any, rule: FeatureRule) -> bool:
    return is_missing(value) or value in rule.codes


def tied(
    column: list[Any], rule: FeatureRule, least: int, weights: np.ndarray, y: np.ndarray
) -> list[Any]:
    """The column in which rare values count as a typical one, and rare levels together as one."""
    keys = [None if is_missing(value) else value for value in column]
    count = {key: keys.count(key) for key in keys}
    stands: dict[Any, Any] = {}
    if any(isinstance(value, str) for value in column):
        common = [key for key in sorted(k for k in count if k is not None) if count[key] >= least]
        rare = [key for key in sorted(k for k in count if k is not None) if count[key] < least]
        if not common:
            return keys
        here = np.array([key in common for key in keys])
        average = weights[here & (y == 1)].sum() / weights[here].sum()

        def distance(level: str) -> float:
            own = np.array([key == level for key in keys])
            return abs(weights[own & (y == 1)].sum() / weights[own].sum() - average)

        typical = min(common, key=distance)
        if sum(count[key] for key in rare) >= least:
            first = max(rare, key=lambda key: count[key])
            stands = dict.fromkeys(rare, first)
        else:
            stands = dict.fromkeys(rare, typical)
        if count.get(None, least) < least:
            stands[None] = typical
    else:
        numbers = sorted(
            (key, weight)
            for key, weight in zip(keys, weights, strict=True)
            if not is_special(key, rule)
        )
        if not numbers:
            return keys
        sums = np.cumsum([weight for _, weight in numbers])
        median = numbers[int(np.argmax(sums >= sums[-1] / 2))][0]
        stands = {key: median for key in count if is_special(key, rule) and count[key] < least}
    return [stands.get(key, key) for key in keys]


def ruled_feature(
    column: list[Any], rule: FeatureRule, setting: Setting, weights: np.ndarray
) -> RuledFeature:
    model, parts = setting.model, setting.model.regularization
    keys = tied(column, rule, parts.min_line_rows or 1, weights, setting.y)
    is_nominal = any(isinstance(value, str) for value in column)
    numbers = sorted({key for key in keys if not is_special(key, rule)})
    specials = sorted({key for key in keys if key is not None and is_special(key, rule)})
    specials += [None] if None in keys else []
    values = [*numbers, *specials]
    listed = rule.cuts or rule.fixed_cuts
    cuts = frozenset(range(len(numbers) - 1))
    if listed is not None:
        cuts = frozenset(p for p in cuts if any(numbers[p] <= c < numbers[p + 1] for c in listed))
    elif parts.grid is not None and len(cuts) > parts.grid:
        cuts = frozenset(quantiles(keys, numbers, weights, parts.grid))
    low, high = rule.points or (-model.max_points, model.max_points)
    low, high = max(low, -model.max_points), min(high, model.max_points)
    low = 0 if rule.direction == "rises" else low
    high = 0 if rule.direction == "falls" else high
    return RuledFeature(
        RawFeature(
            len(values),
            0 if is_nominal else len(specials),
            is_nominal,
            tuple(values.index(key) for key in keys),
            (low, high),
        ),
        frozenset() if is_nominal else cuts,
        rule.use,
        min(rule.max_cuts or 9, model.max_cuts_per_feature or 9),
        rule.cost,
    )


def quantiles(keys: list[Any], numbers: list[float], weights: np.ndarray, grid: int) -> set[int]:
    """The places of a grid: at each quantile the first value that reaches it."""
    below = np.cumsum(
        [sum(w for k, w in zip(keys, weights, strict=True) if k == v) for v in numbers]
    )
    wanted = [below[-1] * part / (grid + 1) for part in range(1, grid + 1)]
    found = (int(np.argmax(below >= one * (1 - 1e-9))) for one in wanted)
    return {min(place, len(numbers) - 2) for place in found}


def weights_of(setting: Setting) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The weights with those of the classes; and with pseudo-observations, by event and not."""
    y, weights, model = setting.y, setting.weights, setting.model
    factors = 1.0, 1.0
    if model.class_weight == "balanced":
        whole, events = weights.sum(), weights[y == 1].sum()
        factors = whole / 2 / (whole - events), whole / 2 / events
    elif model.class_weight is not None:
        factors = model.class_weight[0], model.class_weight[1]
    weights = weights * np.where(y == 1, factors[1], factors[0])
    share = (model.regularization.pseudo_rows or 0.0) / y.size
    rate = weights[y == 1].sum() / weights.sum()
    return weights, weights * ((y == 1) + share * rate), weights * ((y == 0) + share * (1 - rate))


def kind_of(setting: Setting, weights: np.ndarray) -> tuple[Kind, list[RuledFeature]]:
    model, rules, names = setting.model, setting.model.rules, list(setting.columns)
    kind = Kind(
        model.max_terms,
        model.max_features or 9,
        model.max_points,
        model.scale,
        np.log(1000) if model.max_log_odds == "auto" else model.max_log_odds,
        np.inf if rules.budget is None else rules.budget,
        tuple(
            (frozenset(names.index(name) for name in group.features), group.at_most)
            for group in rules.groups
        ),
        (int(rules.min_bin_rows or 1), int(rules.min_bin_events or 0)),
        (rules.min_gain or 0.0) * weights.mean(),
    )
    features = [
        ruled_feature(own, rules.rule_of(name), setting, weights)
        for name, own in setting.columns.items()
    ]
    return kind, features


def faults_against(certificate: Certificate, lowest: float) -> list[str]:
    """What is wrong with a certificate if the best card of its kind has this objective."""
    bound, own = certificate.bound, certificate.objective
    faults = []
    if bound > lowest * (1 + TOLERANCE):
        faults.append(f"a card has {lowest}, below the bound {bound}")
    if own < lowest * (1 - TOLERANCE):
        faults.append(f"the card has {own}, below all of its kind: {lowest}")
    if certificate.status == "optimal" and own > lowest * (1 + TOLERANCE):
        faults.append(f"optimal is {lowest}, not {own}")
    return faults


def faults_of(seed: int) -> list[str]:
    """What refutes the certificate of a seed's card."""
    try:
        setting = random_setting(seed)
    except ParameterError:  # rules that contradict each other
        return []
    model = setting.model
    weights, of_event, of_others = weights_of(setting)
    kind, features = kind_of(setting, weights)
    cards = cards_of(features, kind, setting.y == 1)
    try:
        model.fit(setting.frame, setting.y, sample_weight=setting.weights)
    except ParameterError as error:
        is_none = "No card" in str(error) or "must be used, but" in str(error)
        is_contradiction = any(word in str(error) for word in ("each cut must add",))
        return (
            []
            if is_contradiction or (is_none and not cards)
            else [f"{len(cards)} cards, but {error}"]
        )
    if not cards:
        return ["there is no card of this kind"]
    lowest = float(objectives_of(cards, features, kind, of_event, of_others).min())
    faults = faults_against(model.card_.certificate, lowest)
    if model.status_ not in ("optimal", "gap_reached", "chosen"):
        faults.append(f"the status is {model.status_}")
    report = audit_card(model, setting.frame, setting.y, setting.weights)
    return faults if report.passed else [*faults, str(report)]


@pytest.mark.slow
@pytest.mark.parametrize("block", range(2))
def test_no_card_of_the_kind_refutes_the_certificate(block):
    wrong = {
        seed: faults for seed in range(25 * block, 25 * (block + 1)) if (faults := faults_of(seed))
    }
    assert not wrong
