"""The audit passes honest cards, and finds every kind of lie."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given

from cards import risk_cards, values_of
from optional import pa, pd, pl
from riskcard import (
    DataError,
    FeaturePoints,
    LevelPoints,
    ParameterError,
    RiskCard,
    RiskScoreClassifier,
    audit_card,
    recalibrate,
)
from riskcard.audit.findings import Outcome
from riskcard.audit.limits import (
    is_surely_allowed,
    least_points,
    least_terms,
    one_step_changes,
)
from riskcard.audit.raw_rows import (
    Rows,
    places_by_hand,
    read_by_hand,
    totals_by_hand,
    worth,
)
from riskcard.audit.rivals import Rival
from riskcard.errors import RiskcardWarning
from riskcard.model.origin.certificate import Certificate, TrainingFacts

RNG = np.random.default_rng(5)
X = RNG.integers(0, 10, (200, 3)).astype(float)  # age, bmi and dose
Y = np.where(X[:, 0] + 0.5 * X[:, 1] + RNG.normal(scale=2, size=200) > 7, "ill", "fit")
WEIGHTS = RNG.integers(1, 4, 200).astype(float)


def honest_card(scale="calibrated"):
    """A card of two features and three cuts with a certificate that is true on X, Y, WEIGHTS."""
    is_fixed = scale == 1
    card = RiskCard(
        features=(
            FeaturePoints("age", [3.0, 6.0], [0, 2, 5]),
            FeaturePoints("bmi", [4.5], [0, 1]),
        ),
        base=0 if scale == "calibrated" else -3,
        multiplier=1.0 if is_fixed else 1.5,
        offset=-2.0 if scale == "calibrated" else 0.0,
        feature_names=("age", "bmi", "dose"),
        classes=("fit", "ill"),
    )
    log_odds = card.log_odds(X)
    margin = np.where(Y == "ill", log_odds, -log_odds)
    is_ill = Y == "ill"
    facts = 200, int(is_ill.sum()), WEIGHTS.sum(), WEIGHTS[is_ill].sum()
    training = TrainingFacts(*facts, is_weighted=True)
    certificate = Certificate(
        loss=float((WEIGHTS * np.logaddexp(0, -margin)).sum()),
        bound=1.0,
        status="time_limit",
        max_terms=3,
        max_features=2,
        max_cuts_per_feature=2,
        max_points=3,
        scale=scale,
    )
    return replace(card, training=training, certificate=certificate)


def failed(card, y=Y, weights=WEIGHTS, rows=X):
    return {check.name for check in audit_card(card, rows, y, weights).failures}


@pytest.mark.parametrize("scale", ["calibrated", "multiplier", 1])
def test_an_honest_card_passes(scale):
    report = audit_card(honest_card(scale), X, Y, WEIGHTS)
    assert report.failures == (), str(report)
    # the bound, and which rows these are, for a card without a recipe
    assert [check.name for check in report.not_checked] == ["values of the rows", "proof"]
    assert str(report).endswith(
        f"{len(report.checks) - 2} passed, 0 failed, 2 not checked. The card has no recipe, so nothing backs its bound."
    )
    assert report.loss == pytest.approx(honest_card(scale).certificate.loss, rel=1e-12)


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"loss": 1.01}, {"loss", "gap"}),
        ({"max_terms": 2}, {"terms"}),
        ({"max_features": 1}, {"features"}),
        ({"max_cuts_per_feature": 1}, {"cuts on one feature"}),
        ({"max_points": 2}, {"points of one term"}),
        ({"status": "optimal"}, {"status"}),
        ({"scale": "multiplier"}, {"scale"}),
        ({"scale": 1.5}, {"scale"}),
        ({"bound": -1.0}, {"bound"}),
    ],
)
def test_a_tampered_certificate_is_found(change, names):
    card = honest_card()
    if "loss" in change:
        change = {"loss": card.certificate.loss * change["loss"]}
    assert failed(replace(card, certificate=replace(card.certificate, **change))) == names


def test_a_bound_above_the_loss_is_found():
    card = honest_card()
    too_high = replace(card.certificate, bound=card.certificate.loss * 1.001)
    assert {"bound", "neighbours"} <= failed(replace(card, certificate=too_high))


@pytest.mark.parametrize("scale", ["calibrated", "multiplier", 1])
def test_a_bound_that_a_neighbouring_card_refutes_is_found(scale):
    card = honest_card(scale)
    false = replace(card.certificate, bound=card.certificate.loss, status="optimal")
    assert failed(replace(card, certificate=false)) == {"neighbours", "proof"}


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"multiplier": 1.6}, {"loss", "gap"}),
        ({"offset": -1.9}, {"loss", "gap"}),
        ({"base": 1}, {"loss", "gap", "scale"}),
        ({"classes": ("ill", "fit")}, {"loss", "gap", "rows"}),
        ({"classes": ("fit", "sick")}, {"labels", "loss", "gap", "rows"}),
        ({"features": (FeaturePoints("bmi", [4.5], [0, 1]),)}, {"loss", "gap"}),
    ],
)
def test_a_tampered_card_is_found(change, names):
    assert failed(replace(honest_card(), **change)) == names


@pytest.mark.parametrize(
    ("features", "names"),
    [
        (FeaturePoints("age", [3.5, 6.0], [0, 2, 5]), set()),  # divides the rows in the same way
        (FeaturePoints("age", [2.9, 6.0], [0, 2, 5]), {"loss", "gap"}),
        (FeaturePoints("age", [3.0, 6.0], [0, 2, 6]), {"loss", "gap", "points of one term"}),
        (FeaturePoints("age", [3.0, 6.0], [0, 2, 2]), {"loss", "gap", "cuts"}),
        (FeaturePoints("age", [3.0, 60.0], [0, 2, 5]), {"loss", "gap", "cuts"}),
        (FeaturePoints("age", [3.0, 3.5], [0, 2, 5]), {"loss", "gap", "cuts"}),
        (FeaturePoints("dose", [3.0, 6.0], [0, 2, 5]), {"loss", "gap"}),
    ],
)
def test_a_tampered_feature_is_found(features, names):
    card = honest_card()
    assert failed(replace(card, features=(features, card.features[1]))) == names


@pytest.mark.parametrize(
    ("cuts", "words"),
    [
        ([-1.0, 6.0], "in (-inf, -1]"),
        ([3.0, 3.5], "in (3, 3.5]"),
        ([3.0, 60.0], "in (60, inf]"),
    ],
)
def test_a_bin_without_rows_is_named(cuts, words):
    feature = FeaturePoints("age", cuts, [0, 2, 5])
    card = replace(honest_card(), features=(feature, honest_card().features[1]))
    details = {check.name: check.detail for check in audit_card(card, X, Y, WEIGHTS).failures}
    assert details["cuts"] == f"no row has 'age' {words}"


@pytest.mark.parametrize(("max_terms", "names"), [(4, {"points of one term"}), (5, set())])
def test_points_are_divided_only_among_terms_that_other_features_leave(max_terms, names):
    """A step of 8 points between groups is two terms of 4 points with three terms, not with two."""
    groups = LevelPoints("shape", [["oval"], ["round"]], [0, 8])
    honest = honest_card()
    limits = replace(honest.certificate, max_terms=max_terms, max_cuts_per_feature=3, max_points=4)
    card = replace(
        honest,
        features=(groups, FeaturePoints("age", [3.0, 6.0], [0, 2, 5])),
        feature_names=("shape", "age"),
        certificate=limits,
    )
    rows = {"shape": np.where(X[:, 2] > 4, "oval", "round"), "age": X[:, 0]}
    assert failed(card, rows=rows) - {"loss", "gap"} == names


@pytest.mark.parametrize("name", ["rows", "events", "weight", "event_weight"])
def test_tampered_training_facts_are_found(name):
    card = honest_card()
    facts = replace(card.training, **{name: getattr(card.training, name) + 1})
    assert failed(replace(card, training=facts)) == {"rows"}


def test_other_rows_labels_or_weights_are_found():
    card = honest_card()
    assert failed(card, weights=None) == {"rows", "loss", "gap"}
    assert failed(card, rows=X[:-1], y=Y[:-1], weights=WEIGHTS[:-1]) == {"rows", "loss", "gap"}
    assert failed(card, rows=X + 1) == {"loss", "gap"}
    assert "labels" in failed(card, y=np.where(Y == "ill", 1, 0))


@pytest.mark.parametrize("number", [1, 30])
def test_pseudo_observations_count_in_the_loss(number):
    card = honest_card()
    log_odds, is_ill = card.log_odds(X), Y == "ill"
    rate = WEIGHTS[is_ill].sum() / WEIGHTS.sum()
    if_ill, if_fit = np.logaddexp(0, -log_odds), np.logaddexp(0, log_odds)
    # each weighs as much as an average row
    more = number * np.mean(WEIGHTS * (rate * if_ill + (1 - rate) * if_fit))
    shrunk = replace(card.certificate, loss=card.certificate.loss + more, pseudo_rows=float(number))
    report = audit_card(replace(card, certificate=shrunk), X, Y, WEIGHTS)
    assert report.failures == (), str(report)
    assert report.loss == pytest.approx(card.certificate.loss + more, rel=1e-12)


# --- recalibrated cards ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def two_tables():
    """A card learned from the first 120 rows, that card recalibrated on the others, and what these rows are."""
    model = RiskScoreClassifier(2, event="ill", regularization=None)
    first, second = (X[:120], Y[:120], WEIGHTS[:120]), (X[120:], Y[120:], WEIGHTS[120:])
    card = model.fit(first[0], first[1], sample_weight=first[2]).card_
    with pytest.warns(RiskcardWarning, match="few for this update"):
        return recalibrate(card, *second, update="both"), first, second


def found_in(card, rows):
    report = audit_card(card, *rows)
    return {check.name: check for check in report.checks}


def test_a_recalibrated_card_passes_on_the_rows_of_its_scale(two_tables):
    card, _, second = two_tables
    found = found_in(card, second)
    assert all(found[name].outcome is Outcome.PASSED for name in ("rows", "values of the rows"))
    assert "those that the scale of the card was fitted to" in found["values of the rows"].detail
    assert "scale fitted to 80 rows" in found["rows"].detail
    assert "points learned from 120 rows" in found["rows"].detail


def test_a_recalibrated_card_passes_on_the_rows_of_its_points_too(two_tables):
    card, first, _ = two_tables
    found = found_in(card, first)
    assert all(found[name].outcome is Outcome.PASSED for name in ("rows", "values of the rows"))
    assert "those that the points of the card were" in found["values of the rows"].detail
    # the totals were counted in the other rows, so there is nothing to compare
    assert all(check.outcome is not Outcome.FAILED for check in found.values())


@pytest.mark.parametrize("lie", ["labels", "weights", "values", "fewer"])
def test_a_recalibrated_card_fails_on_rows_that_are_neither(two_tables, lie):
    card, _, (values, labels, weights) = two_tables
    others = {
        "labels": (values, np.where(labels == "ill", "fit", "ill"), weights),
        "weights": (values, labels, weights[::-1]),
        "values": (values[::-1], labels, weights),
        "fewer": (values[:-1], labels[:-1], weights[:-1]),
    }[lie]
    found = found_in(card, others)
    assert found["values of the rows"].outcome is Outcome.FAILED
    assert "neither those" in found["values of the rows"].detail
    assert (found["rows"].outcome is Outcome.FAILED) == (lie != "values")


def test_only_cards_are_audited():
    with pytest.raises(ParameterError, match="a fitted classifier or a RiskCard, not dict"):
        audit_card({}, X, Y)


def test_without_a_search_no_time_was_spent():
    assert (Rival().seconds, Rival().card) == (0.0, None)


def test_a_term_beyond_the_limit_of_log_odds_is_found():
    card = honest_card("multiplier")
    assert "scale" in failed(replace(card, multiplier=0.05))


def test_a_wrong_risk_table_is_found(monkeypatch):
    honest = RiskCard.risk_table
    shifted = lambda card: tuple(row._replace(risk=row.risk + 1e-6) for row in honest(card))  # noqa: E731
    monkeypatch.setattr(RiskCard, "risk_table", shifted)
    assert failed(honest_card()) == {"risk table"}
    monkeypatch.setattr(RiskCard, "risk_table", lambda card: honest(card)[:-1])
    assert failed(honest_card()) == {"totals"}


@pytest.fixture(scope="module")
def best_card():
    """A card that no other beats, with a certificate that does not say so."""
    model = RiskScoreClassifier(max_terms=2, certify=True).fit(X, Y, WEIGHTS)
    unfinished = replace(model.card_.certificate, status="time_limit")
    return replace(model.card_, certificate=unfinished, recipe=None)


@pytest.mark.parametrize("excess", [5e-10, 2e-9])
def test_rounding_is_forgiven_and_nothing_else(best_card, excess):
    """The tolerance is 1e-9, relatively, for each figure that is compared."""
    is_wrong = excess > 1e-9
    honest, factor = best_card.certificate, 1 + excess
    assert failed(best_card) == set()
    loss = replace(honest, loss=factor * honest.loss)
    bound = replace(honest, bound=factor * honest.loss)
    training = replace(best_card.training, weight=factor * best_card.training.weight)
    for card, names in (
        (replace(best_card, certificate=loss), {"loss"}),
        (replace(best_card, certificate=bound), {"bound"}),
        (replace(best_card, training=training), {"rows"}),
    ):
        found = failed(card) - {"gap"}
        assert found == (names if is_wrong else set())


def test_a_card_of_one_total_has_a_risk_table():
    card = RiskCard([], offset=0.2, feature_names=("age", "bmi", "dose"), classes=("fit", "ill"))
    assert failed(card) == set()


@pytest.mark.parametrize("multiplier", [-0.5, -1.5])
def test_a_card_without_certificate_may_call_a_higher_total_safer(multiplier):
    card = RiskCard(
        [FeaturePoints("age", [3.0], [0, 2])],
        multiplier=multiplier,
        feature_names=("age", "bmi", "dose"),
        classes=("fit", "ill"),
    )
    assert failed(card) == set()


def test_a_certified_card_on_which_a_higher_total_is_safer_is_found():
    assert "scale" in failed(replace(honest_card(), multiplier=-1.5))


@pytest.mark.parametrize("weights", [np.zeros(200), WEIGHTS[:0]])
def test_rows_without_weight_cannot_be_audited(weights):
    with pytest.raises(DataError, match="No row has a weight above 0"):
        audit_card(honest_card(), X[: weights.size], Y[: weights.size], weights)


def test_a_card_without_certificate_is_not_checked_and_does_not_pass():
    report = audit_card(replace(honest_card(), certificate=None), X, Y, WEIGHTS)
    assert report.failures == ()
    assert report.not_checked[-1].name == "certificate"
    assert not report.passed
    assert report.summary.endswith("not checked. The card has no certificate.")


# --- missing values, codes and levels ------------------------------------------------------------

MIXED = pd.DataFrame(
    {
        "age": np.where(RNG.random(200) < 0.2, np.nan, X[:, 0]),
        "bmi": np.where(RNG.random(200) < 0.2, -9.0, X[:, 1]),
        "shape": RNG.choice(["oval", "round", "odd", None], 200, p=[0.4, 0.3, 0.2, 0.1]),
        "grade": RNG.choice(["low", "mid", "high"], 200),
        "smoker": RNG.random(200) < 0.5,
    }
)
MIXED_FEATURES = (
    FeaturePoints("age", [3.0, 6.0], [0, 2, 4], missing=1, usual=0),
    FeaturePoints("bmi", [4.5], [0, 1], codes=[(-9, 1)], usual=1),
    LevelPoints("shape", [["oval"], ["round"], ["odd"]], [0, 1, 3], missing=0, usual=0),
    LevelPoints("grade", [["low", "mid"], ["high"]], [0, 2], usual=0, is_ordered=True),
    LevelPoints("smoker", [[False], [True]], [1, 0], usual=0, is_ordered=True),
)


def mixed_card(features=MIXED_FEATURES, rows=MIXED, **limits):
    """A card of every kind with a certificate that is true on the rows, Y, WEIGHTS."""
    card = RiskCard(
        features, 0, 1.5, -3.0, feature_names=tuple(MIXED.columns), classes=("fit", "ill")
    )
    is_ill = Y == "ill"
    log_odds = card.log_odds(rows)
    losses = WEIGHTS * np.logaddexp(0, np.where(is_ill, -log_odds, log_odds))
    allowed = {
        "bound": 1.0,
        "status": "time_limit",
        "max_terms": 8,
        "max_features": 5,
        "max_cuts_per_feature": 3,
        "max_points": 2,
        "scale": "calibrated",
    }
    return replace(
        card,
        training=TrainingFacts(
            200, int(is_ill.sum()), WEIGHTS.sum(), WEIGHTS[is_ill].sum(), is_weighted=True
        ),
        certificate=Certificate(loss=float(losses.sum()), **{**allowed, **limits}),
    )


def failed_mixed(card, rows=MIXED):
    return failed(card, rows=rows)


@pytest.mark.parametrize(
    "as_table",
    [
        lambda frame: frame,
        lambda frame: frame.astype({"shape": "category", "smoker": "boolean", "age": "Float64"}),
        lambda frame: frame.to_numpy(),
        lambda frame: frame.to_dict("list"),
        pl.from_pandas,
        pa.Table.from_pandas,
        lambda frame: pa.Table.from_pandas(frame.astype({"shape": "category"})),
    ],
    ids=["pandas", "pandas nullable", "array", "mapping", "polars", "pyarrow", "dictionary"],
)
def test_an_honest_card_with_missing_values_codes_and_levels_passes(as_table):
    report = audit_card(mixed_card(), as_table(MIXED), Y, WEIGHTS)
    assert report.failures == (), str(report)


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"missing": 2}, {"loss", "gap"}),
        ({"missing": None}, {"loss", "gap"}),
        ({"points": (0, 2, 5)}, {"loss", "gap"}),
        ({"points": (0, 2, 7)}, {"loss", "gap", "points of one term"}),
    ],
)
def test_tampered_points_for_missing_values_are_found(change, names):
    features = (replace(MIXED_FEATURES[0], **change), *MIXED_FEATURES[1:])
    found = failed_mixed(replace(mixed_card(), features=features))
    assert found == names


@pytest.mark.parametrize("place", range(5))
def test_a_feature_that_is_worth_nothing_is_found(place):
    feature = MIXED_FEATURES[place]
    flat = replace(feature, points=(0,) * len(feature.points), missing=None)
    flat = replace(flat, codes=()) if place < 2 else flat
    features = (*MIXED_FEATURES[:place], flat, *MIXED_FEATURES[place + 1 :])
    rows = MIXED.fillna({"age": 3.0, "shape": "oval"})
    assert "cuts" in failed_mixed(mixed_card(features, rows), rows)


@pytest.mark.parametrize(
    ("place", "change", "names"),
    [
        (1, {"codes": ((-9.0, 2),)}, {"loss", "gap", "terms"}),
        (1, {"codes": ()}, {"loss", "gap"}),
        (2, {"groups": (("round",), ("oval",), ("odd",))}, {"loss", "gap"}),
        (2, {"missing": 2}, {"loss", "gap", "terms"}),
        (2, {"points": (0, 1, 6)}, {"loss", "gap", "points of one term"}),
        (3, {"points": (2, 0)}, {"loss", "gap"}),
        (4, {"groups": ((True,), (False,))}, {"loss", "gap"}),
    ],
)
def test_tampered_codes_and_levels_are_found(place, change, names):
    features = list(MIXED_FEATURES)
    features[place] = replace(features[place], **change)
    assert failed_mixed(replace(mixed_card(), features=tuple(features))) == names


@pytest.mark.parametrize(
    ("limits", "names"),
    [
        ({"max_terms": 7}, {"terms"}),
        ({"max_cuts_per_feature": 2}, {"cuts on one feature"}),
        ({"max_points": 1}, {"points of one term"}),
    ],
)
def test_limits_count_missing_values_and_groups(limits, names):
    assert failed_mixed(mixed_card(**limits)) == names


@pytest.mark.parametrize("place", [0, 2, 3, 4])  # a feature with codes is not changed
def test_a_bound_that_other_points_refute_is_found(place):
    features = MIXED_FEATURES[place : place + 1]
    card = mixed_card(features)
    false = replace(card.certificate, bound=card.certificate.loss, status="optimal")
    assert "neighbours" in failed_mixed(replace(card, certificate=false))
    ruled = replace(false, rules=("something that the neighbours may not keep",))
    report = audit_card(replace(card, certificate=ruled), MIXED, Y, WEIGHTS)
    assert report.failures == ()
    assert {"neighbours", "proof"} <= {check.name for check in report.not_checked}


def test_rules_may_ask_for_cuts_without_rows_or_points():
    features = (replace(MIXED_FEATURES[0], cuts=(3.0, 6.0, 60.0), points=(0, 2, 4, 4)),)
    assert failed_mixed(mixed_card(features)) == {"cuts"}
    assert failed_mixed(mixed_card(features, rules=("age: cuts at 3, 6, 60",))) == set()


def test_what_the_card_has_no_points_for_is_refused():
    features = (*MIXED_FEATURES[:2], replace(MIXED_FEATURES[2], usual=None))
    rows = MIXED.assign(shape="flat")
    with pytest.raises(DataError, match="'shape' has 'flat' in some row"):
        audit_card(mixed_card(features), rows, Y, WEIGHTS)
    with pytest.raises(DataError, match="'age' is not numeric: it holds 'old'"):
        audit_card(mixed_card(features), MIXED.assign(age="old"), Y, WEIGHTS)
    with pytest.raises(DataError, match="'age' is infinite"):
        audit_card(mixed_card(features), MIXED.assign(age=np.inf), Y, WEIGHTS)


@given(risk_cards())
def test_adding_up_by_hand_gives_the_totals(card):
    columns = {feature.name: values_of(feature) for feature in card.features}
    longest = max(map(len, columns.values()), default=0)
    rows = {name: (values * longest)[:longest] for name, values in columns.items()}
    if not rows:
        return
    n_rows, read = read_by_hand(card, rows)
    places = {one.name: places_by_hand(one, read[one.name]) for one in card.features}
    kept = Rows(read, places, np.zeros(n_rows), np.ones(n_rows), np.ones(n_rows, dtype=bool))
    assert totals_by_hand(card, kept).tolist() == card.total_points(rows).tolist()


@pytest.mark.parametrize(("usual", "other"), [(0, 1), (1, 3)])
def test_0_and_1_stand_for_booleans_where_all_levels_are_booleans(usual, other):
    feature = LevelPoints("x", [[False], [True]], [1, 3], usual=usual)
    values = [0, 1, 0.0, 1.0, True, False, 2, "1"]
    _, read = read_by_hand(RiskCard([feature]), {"x": values})
    points = worth(feature)[places_by_hand(feature, read["x"])]
    assert points.tolist() == [1, 3, 1, 3, 3, 1, other, other]


def test_true_and_1_are_distinguished_by_hand():
    feature = LevelPoints("x", [[True], [1], ["1"], [0]], [1, 2, 3, 4], missing=5)
    values = [1, True, "1", 0.0, 1.0, None, np.nan, pd.NA, np.True_]
    _, read = read_by_hand(RiskCard([feature]), {"x": values})
    points = worth(feature)[places_by_hand(feature, read["x"])]
    assert points.tolist() == [2, 1, 3, 4, 2, 5, 5, 5, 1]
    assert points.tolist() == feature.points_of(values).tolist()


# --- how many terms a feature needs: every set of compatible conditions is tried -----------------


def conditions_on(n_bins: int, n_special: int, has_order: bool) -> list[int]:
    """Every division of the values in two, as the bits of the side without the last bin."""
    values = n_bins + n_special
    if not has_order:
        return list(range(1, 2 ** (values - 1)))
    thresholds = [2**place - 1 for place in range(n_bins)]  # 0 means special values alone
    sides = [low + (special << n_bins) for low in thresholds for special in range(2**n_special)]
    return [side for side in sides if side]


def are_compatible(one: int, other: int, n_values: int) -> bool:
    groups = {(one >> value & 1, other >> value & 1) for value in range(n_values)}
    return len(groups) <= 3


def reachable_points(n_bins: int, n_special: int, has_order: bool, max_points: int) -> dict:
    """From the points of all values (up to a constant) to the least largest term by number of terms."""
    n_values = n_bins + n_special
    worths = [w for w in range(-max_points, max_points + 1) if w]
    found: dict[tuple[int, ...], dict[int, int]] = {}
    for n_terms in range(4):
        for sides in combinations(conditions_on(n_bins, n_special, has_order), n_terms):
            if all(are_compatible(a, b, n_values) for a, b in combinations(sides, 2)):
                for points in product(worths, repeat=n_terms):
                    total = [
                        sum(p for p, side in zip(points, sides, strict=True) if side >> value & 1)
                        for value in range(n_values)
                    ]
                    least = found.setdefault(tuple(t - total[0] for t in total), {})
                    largest = max(map(abs, points), default=0)
                    least[n_terms] = min(largest, least.get(n_terms, largest))
    return found


def feature_of(points, n_bins: int, n_special: int, has_order: bool):
    if not has_order:
        return LevelPoints("x", [[str(i)] for i in range(len(points))], points)
    specials = points[n_bins:]
    codes = [(-9, specials[1])] if n_special == 2 else []
    cuts = list(range(n_bins - 1))
    return FeaturePoints("x", cuts, points[:n_bins], specials[0] if specials else None, codes)


@pytest.mark.parametrize(
    ("n_bins", "n_special", "has_order", "n_sure"),
    [
        (3, 0, True, 25),
        (2, 1, True, 31),
        (3, 1, True, 175),
        (3, 0, False, 37),
        (4, 0, False, 365),
    ],
)
def test_the_least_number_of_terms_is_that_of_compatible_conditions(
    n_bins, n_special, has_order, n_sure
):
    max_points = 2
    found = reachable_points(n_bins, n_special, has_order, max_points)
    card = mixed_card()
    limits = replace(card.certificate, max_points=max_points, max_cuts_per_feature=3)
    spread = range(-3 * max_points, 3 * max_points + 1)
    sure = []
    for points in product([0], *[spread] * (n_bins + n_special - 1)):
        feature = feature_of(points, n_bins, n_special, has_order)
        if points in found:
            assert least_terms(feature) <= min(found[points])
        if is_surely_allowed(feature, card, limits, room=3):
            assert min(found[points]) == least_terms(feature)
            sure.append(feature)
    # this many are recognised: fewer would make the search for neighbours weaker
    assert len(sure) == n_sure
    for feature in sure:
        n_terms = least_terms(feature)
        assert is_surely_allowed(feature, card, limits, room=n_terms)
        assert not is_surely_allowed(feature, card, limits, room=n_terms - 1)
        few = replace(limits, max_cuts_per_feature=n_terms)
        assert is_surely_allowed(feature, card, few, room=3)
        if n_terms > 1:
            few = replace(limits, max_cuts_per_feature=n_terms - 1)
            assert not is_surely_allowed(feature, card, few, room=3)


@pytest.mark.parametrize(
    ("n_bins", "n_special", "has_order", "n_exact"),
    [
        (3, 0, True, [13, 49, 49]),
        (2, 1, True, [19, 73, 87]),
        (3, 1, True, [31, 205, 307]),
        (2, 2, True, [43, 367, 383]),
        (3, 0, False, [19, 73, 67]),
        (4, 0, False, [43, 367, 289]),
    ],
)
def test_the_least_points_are_never_too_many_and_often_exact(n_bins, n_special, has_order, n_exact):
    exact = [0, 0, 0]
    for points, least in reachable_points(n_bins, n_special, has_order, 3).items():
        feature = feature_of(points, n_bins, n_special, has_order)
        for most_terms in (1, 2, 3):
            own = [largest for n_terms, largest in least.items() if n_terms <= most_terms]
            if own:
                found = least_points(feature, most_terms)
                assert found <= min(own)
                exact[most_terms - 1] += found == min(own)
    assert exact == n_exact


def test_an_empty_card_needs_no_points_and_no_terms():
    flat = FeaturePoints("x", [], [4])
    assert (least_terms(flat), least_points(flat, 0)) == (0, 0)


# --- cards one step away --------------------------------------------------------------------------


def changes_of(card, rows, **limits):
    """How the totals change in the cards one step away, as a set."""
    n_rows, columns = read_by_hand(card, rows)
    places = {one.name: places_by_hand(one, columns[one.name]) for one in card.features}
    read = Rows(columns, places, np.zeros(n_rows), np.ones(n_rows), np.ones(n_rows, dtype=bool))
    wide = {"max_terms": 9, "max_features": 9, "max_cuts_per_feature": 9, "max_points": 9}
    settings = {"loss": 1.0, "bound": 0.0, "status": "time_limit", "scale": "calibrated"}
    certificate = Certificate(**{**settings, **wide, "is_grid_full": False, **limits})
    found = [
        tuple(np.broadcast_to(change, n_rows).tolist())
        for change, _, _ in one_step_changes(card, certificate, read)
    ]
    assert len(found) == len(set(found))
    return set(found)


def change_to(card, rows, *others):
    """How the totals change when the one feature of the card is another."""
    before = card.total_points(rows)
    return {
        tuple((replace(card, features=(one,)).total_points(rows) - before).tolist())
        for one in others
    }


AGES = {"age": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, None]}
AGE = FeaturePoints("age", [3.0, 6.0], [0, 2, 5], missing=2)
SHAPES = {"shape": ["oval", "round", "odd", None]}
SHAPE = LevelPoints("shape", [["oval"], ["round"], ["odd"]], [0, 3, 6], missing=6)


def test_every_card_with_other_points_at_one_cut_is_tried():
    card = RiskCard([AGE])
    jumps = [
        ((points, missing) for points, missing in steps)
        for steps in (
            # at the first cut: the same points on both sides, a point more, a point less
            [((2, 2, 5), 2), ((-1, 2, 5), 2), ((1, 2, 5), 2)],
            # at the second cut; missing values are worth as much as the middle bin, and move with it
            [((3, 5, 5), 5), ((-1, 1, 5), 1), ((1, 3, 5), 3)],
            # missing values: a point less or more, or as much as one of the bins
            [((0, 2, 5), missing) for missing in (1, 3, 0, 5)],
        )
    ]
    others = [replace(AGE, points=points, missing=m) for steps in jumps for points, m in steps]
    assert changes_of(card, AGES) == change_to(card, AGES, *others)
    # with less room only what needs no more terms is tried
    tight = {"max_terms": 2}
    kept = [one for one in others if least_terms(one) <= 2]
    assert changes_of(card, AGES, **tight) == change_to(card, AGES, *kept)
    assert changes_of(card, AGES, max_points=2) == change_to(
        card,
        AGES,
        replace(AGE, points=(1, 3, 5), missing=3),
        replace(AGE, points=(3, 5, 5), missing=5),
    )


def test_every_card_with_other_points_for_one_group_is_tried():
    card = RiskCard([SHAPE])
    others = [
        replace(SHAPE, points=points)
        for points in [
            (-1, 3, 6), (1, 3, 6), (3, 3, 6), (6, 3, 6),
            (0, 2, 6), (0, 4, 6), (0, 0, 6), (0, 6, 6),
            (0, 3, 5), (0, 3, 7), (0, 3, 0), (0, 3, 3),
        ]
    ] + [replace(SHAPE, missing=missing) for missing in (5, 7, 0, 3)]  # fmt: skip
    assert changes_of(card, SHAPES) == change_to(card, SHAPES, *others)
    kept = [one for one in others if least_terms(one) <= 2]
    assert 3 < len(kept) < len(others)
    assert changes_of(card, SHAPES, max_terms=2) == change_to(card, SHAPES, *kept)


@pytest.mark.parametrize(
    ("cuts", "points", "moved"),
    [
        # from each cut to the value below and to that above
        ([3.0, 6.0], [0, 2, 5], [[2.0, 6.0], [4.0, 6.0], [3.0, 5.0]]),
        ([3.5], [0, 2], [[2.0], [4.0]]),
        # no cut is moved onto another, nor beyond the outer values
        ([3.0, 4.0], [0, 2, 5], [[2.0, 4.0], [3.0, 5.0]]),
        ([1.0], [0, 2], [[2.0]]),
        ([6.9], [0, 2], [[5.0]]),
    ],
)
def test_every_card_with_one_moved_cut_is_tried_when_all_cuts_are_allowed(cuts, points, moved):
    feature = FeaturePoints("age", cuts, points, missing=points[0])
    card = RiskCard([feature])
    others = [replace(feature, cuts=tuple(one)) for one in moved]
    added = changes_of(card, AGES, is_grid_full=True) - changes_of(card, AGES)
    assert added == change_to(card, AGES, *others) - changes_of(card, AGES)
    assert added


def test_a_base_is_one_step_away_where_the_card_has_one():
    card = RiskCard([FeaturePoints("age", [3.0], [0, 2])], base=1, multiplier=2.0)
    rows = {"age": AGES["age"][:-1]}
    with_base = changes_of(card, rows, scale="multiplier") - changes_of(card, rows)
    assert with_base == {(-1,) * 7, (1,) * 7}


def test_features_with_codes_are_not_changed():
    card = RiskCard([FeaturePoints("age", [3.0], [0, 2], codes=[(-9, 4)])])
    assert changes_of(card, {"age": [1.0, 5.0, -9.0]}, is_grid_full=True) == set()


def test_the_limit_of_log_odds_holds_for_neighbours():
    card = RiskCard([FeaturePoints("age", [3.0], [0, 2])], multiplier=2.0)
    rows = {"age": [1.0, 5.0]}
    steeper = change_to(card, rows, FeaturePoints("age", [3.0], [-1, 2]))
    assert steeper <= changes_of(card, rows, max_log_odds=1.5)
    assert not steeper & changes_of(card, rows, max_log_odds=1.49)
    # with a given multiplier there is none: here one point is worth more than any limit
    card = replace(card, multiplier=0.01)
    assert steeper <= changes_of(card, rows, scale=0.01)
    assert not steeper & changes_of(card, rows)


@pytest.fixture
def classifier():
    return RiskScoreClassifier(max_terms=3, gap=0.01).fit(X, Y, WEIGHTS)


def test_an_honest_classifier_passes(classifier):
    assert failed(classifier) == set()
    assert failed(classifier.card_) == set()


@pytest.mark.parametrize(
    ("name", "value", "names"),
    [
        ("loss_", 1.0, {"loss", "certificate"}),
        ("lower_bound_", 1.0, {"gap", "status", "certificate"}),
        ("gap_", 0.5, {"gap"}),
        ("status_", "optimal", {"status", "certificate"}),
        ("status_", "gap_reached", {"status", "certificate"}),
        ("status_", "perfect", {"status", "certificate"}),
        ("classes_", np.array(["ill", "fit"]), {"classes"}),
    ],
)
def test_a_tampered_classifier_is_found(classifier, name, value, names):
    setattr(classifier, name, value)
    assert failed(classifier) == names


def test_predictions_that_are_not_the_cards_are_found(classifier, monkeypatch):
    wrong = lambda self, rows: np.full((len(rows), 2), 0.5)  # noqa: E731
    monkeypatch.setattr(RiskScoreClassifier, "predict_proba", wrong)
    assert failed(classifier) == {"predictions"}


def test_what_cannot_be_audited_is_refused(classifier):
    with pytest.raises(ParameterError, match="not SolveResult"):
        audit_card(classifier.result_, X, Y)
    with pytest.raises(ParameterError, match="not RiskScoreClassifier"):
        audit_card(RiskScoreClassifier(), X, Y)
    with pytest.raises(DataError, match="needs column 'age'"):
        audit_card(honest_card(), {"bmi": X[:, 1], "dose": X[:, 2]}, Y)
    with pytest.raises(DataError, match="X has 200 rows and y has 199"):
        audit_card(honest_card(), X, Y[1:])


@pytest.mark.parametrize("class_weight", ["balanced", {0: 1.0, 1: 3.5}])
def test_the_weights_of_classes_count(class_weight):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    rows = (rng.normal(size=60) + y)[:, None]
    model = RiskScoreClassifier(max_terms=2, class_weight=class_weight, certify=True).fit(rows, y)
    for subject in (model, model.card_, RiskCard.from_json(model.card_.to_json())):
        assert audit_card(subject, rows, y).passed
    assert not audit_card(model, rows, np.zeros(60, dtype=int)).passed
    # the class weights are part of what is claimed
    certificate = model.card_.certificate
    other = replace(certificate.class_weights, event=2 * certificate.class_weights.event)
    changed = replace(
        model.card_, certificate=replace(certificate, class_weights=other), recipe=None
    )
    assert "loss" in [check.name for check in audit_card(changed, rows, y).failures]
