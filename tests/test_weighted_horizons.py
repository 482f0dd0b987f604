"""Validations by horizon with weights, groups of rows and other cards."""

from __future__ import annotations

import math

import numpy as np
import pytest

from optional import find
from other_rows import draw_kinds, model_of
from riskcard import (
    DataError,
    ParameterError,
    RiskScoreClassifier,
    RiskScoreSurvival,
    validate_survival,
)
from riskcard.cli.main import main
from riskcard.evaluation.other_outcomes.by_time import area_linearised
from riskcard.evaluation.other_outcomes.incidence_error import incidence_linearised
from riskcard.evaluation.other_outcomes.row_units import RowUnits
from riskcard.evaluation.other_outcomes.survival import (
    brier_score,
    concordance_linearised,
    risk_figure,
    share_with_event,
)
from riskcard.outcomes.hazards import FollowUp
from survival_rows import draw_rows

X, Y, ENTRY = draw_rows(150)
OTHER, TARGETS = draw_kinds(150)
CODES = TARGETS["competing"]
ROWS = {
    "times": FollowUp(Y[:, 1], Y[:, 0] > 0),
    "entry": FollowUp(Y[:, 1], Y[:, 0] > 0, ENTRY),
    "competing": FollowUp(CODES[:, 1], CODES[:, 0] == 3, None, CODES[:, 0] == 7),
}
WEIGHTS = 1.0 + np.arange(150) % 3
TWICE = np.repeat(np.arange(150), WEIGHTS.astype(int))


@pytest.fixture(scope="module")
def timed():
    X, y, _ = draw_rows(200, seed=7)
    return RiskScoreSurvival(2, horizons=[10, 30]).fit(X, y)


@pytest.fixture(scope="module")
def rival():
    X, y, _ = draw_rows(200, seed=8)
    return RiskScoreSurvival(1, horizons=[10, 30]).fit(X, y)


@pytest.mark.parametrize("kind", ROWS)
@pytest.mark.parametrize("horizon", [8.0, 25.0])
def test_the_influence_of_a_row_is_the_derivative_by_its_weight(kind, horizon):
    rows = ROWS[kind]

    def incidence(weights):
        return float(share_with_event(rows, weights).at(np.array([horizon]))[0])

    found = incidence_linearised(rows, horizon, RowUnits(WEIGHTS))
    assert found.value == pytest.approx(incidence(WEIGHTS))
    moves = found.influence / math.sqrt(units_factor(WEIGHTS))
    for row in range(0, 150, 7):
        step = np.zeros(150)
        step[row] = 1e-5
        derivative = (incidence(WEIGHTS + step) - incidence(WEIGHTS - step)) / 2e-5
        assert moves[row] == pytest.approx(WEIGHTS[row] * derivative, abs=1e-9)


def units_factor(weights):
    units = weights.sum() ** 2 / np.sum(weights**2)
    return units / (units - 1)


def test_the_influences_of_concordance_are_derivatives_too():
    linear = X[:, 0] - X[:, 1]
    found = concordance_linearised(ROWS["times"], linear, RowUnits(WEIGHTS))
    moves = found.influence / math.sqrt(units_factor(WEIGHTS))
    for row in range(0, 150, 11):
        step = np.zeros(150)
        step[row] = 1e-5
        ends = [
            concordance_linearised(ROWS["times"], linear, RowUnits(WEIGHTS + sign * step)).value
            for sign in (1, -1)
        ]
        assert moves[row] == pytest.approx(WEIGHTS[row] * (ends[0] - ends[1]) / 2e-5, abs=1e-8)


@pytest.mark.parametrize("kind", ["times", "competing"])
def test_robust_intervals_are_near_those_without_weights(kind):
    rows = ROWS[kind]
    plain = risk_figure(rows, 20.0)
    robust = risk_figure(rows, 20.0, RowUnits(np.ones(150), np.arange(150)))
    assert robust.value == pytest.approx(plain.value)
    assert np.diff(robust.interval) == pytest.approx(np.diff(plain.interval), rel=0.05)


def test_a_weight_of_two_is_a_row_that_occurs_twice(timed):
    weighted = validate_survival(timed, X, Y, sample_weight=WEIGHTS)
    repeated = validate_survival(timed, X[TWICE], Y[TWICE])
    assert weighted.concordance.value == pytest.approx(repeated.concordance.value)
    for one, other in zip(weighted.at, repeated.at, strict=True):
        assert one.mean_risk == pytest.approx(other.mean_risk)
        assert one.observed.value == pytest.approx(other.observed.value)
        assert one.brier.value == pytest.approx(other.brier.value)
        assert one.brier.of_average == pytest.approx(other.brier.of_average)
        assert one.area.value == pytest.approx(other.area.value)
        assert one.benefit.net_benefit == pytest.approx(other.benefit.net_benefit, nan_ok=True)
    # the copies together say as much as the weighted row: not more
    together = validate_survival(timed, X[TWICE], Y[TWICE], groups=TWICE)
    width = [np.diff(one.concordance.interval)[0] for one in (together, weighted, repeated)]
    assert width[0] == pytest.approx(width[1], rel=0.01)
    assert width[0] > width[2]
    assert np.diff(together.at[0].observed.interval) > np.diff(repeated.at[0].observed.interval)
    assert weighted.constancy is None
    assert "Rows have weights" in " ".join(str(weighted).split())
    assert "Rows are in 150 groups that belong together" in " ".join(str(together).split())


def test_the_interval_of_a_difference_is_near_that_of_leaving_out_rows(timed, rival):
    found = validate_survival(timed, X, Y, against={"small": rival, "age": X[:, 0]})
    small, age = found.against
    own, other = timed.predict(X), rival.predict(X)
    rows = ROWS["times"]

    def difference(kept):
        return (
            concordance_linearised(rows.take(kept), own[kept]).value
            - concordance_linearised(rows.take(kept), other[kept]).value
        )

    assert small.difference.value == pytest.approx(difference(np.arange(150)))
    assert small.concordance.value == pytest.approx(rival.score(X, Y))
    left_out = np.array([difference(np.delete(np.arange(150), row)) for row in range(150)])
    error = math.sqrt(149 / 150 * np.sum((left_out - left_out.mean()) ** 2))
    assert np.diff(small.difference.interval)[0] == pytest.approx(2 * 1.96 * error, rel=0.05)
    for place, horizon in enumerate((10.0, 30.0)):
        ours, theirs = (one.predict_risk(X)[:, place] for one in (timed, rival))
        at = small.at[place]
        expected = brier_score(rows, ours, horizon).value - brier_score(rows, theirs, horizon).value
        assert at.brier.value == pytest.approx(expected)
        assert at.brier.interval[0] < expected < at.brier.interval[1]
        areas = [area_linearised(rows, one, horizon).value for one in (ours, X[:, 0])]
        assert age.at[place].area.value == pytest.approx(areas[0] - areas[1])
        assert age.at[place].brier is None
    assert "Against small" in str(found)


def test_competing_events_are_weighted_and_compared():
    model, small = (
        model_of("competing").fit(OTHER, CODES),
        model_of("competing", 1).fit(OTHER, CODES),
    )
    found = validate_survival(
        model,
        OTHER,
        CODES,
        sample_weight=WEIGHTS,
        groups=np.arange(150) // 2,
        against={"small": small},
    )
    again = validate_survival(model, OTHER[TWICE], CODES[TWICE])
    assert found.concordance.value == pytest.approx(again.concordance.value)
    assert found.at[0].observed.value == pytest.approx(again.at[0].observed.value)
    assert found.against[0].difference.value == pytest.approx(
        model.score(OTHER, CODES, WEIGHTS) - small.score(OTHER, CODES, WEIGHTS)
    )


def test_rows_that_entered_late_have_no_areas_to_compare(timed, rival):
    found = validate_survival(
        timed, X, Y, entry=ENTRY, sample_weight=WEIGHTS, against={"one": rival}
    )
    assert found.against[0].at[0].area is None
    assert found.against[0].difference.interval is not None
    assert "not known" in str(found)


@pytest.mark.parametrize(
    ("given", "error", "match"),
    [
        ({"sample_weight": WEIGHTS - 1}, DataError, "have the weight 0. Leave them out"),
        ({"groups": np.zeros(150)}, DataError, "Intervals need at least two clusters"),
        (
            {"against": {"it": np.ones(3)}},
            DataError,
            "The score 'it' has the shape .3,., but X has 150 rows",
        ),
        (
            {"against": {"it": ["a"] * 150}},
            DataError,
            "The score 'it' is not a number in every row",
        ),
        ({"against": {"it": None}}, DataError, "'it' is None. Give a card, or one number per row"),
    ],
)
def test_what_cannot_be_used_is_refused(timed, given, error, match):
    with pytest.raises(error, match=match):
        validate_survival(timed, X, Y, **given)


def test_a_card_of_another_kind_is_no_rival(timed):
    other = RiskScoreClassifier(1).fit(X, Y[:, 0])
    with pytest.raises(ParameterError, match="'it' is no card for the time to an event"):
        validate_survival(timed, X, Y, against={"it": other})


def test_the_command_line_takes_weights_groups_and_other_cards(tmp_path, capsys):
    path, cards = tmp_path / "rows.csv", [tmp_path / "one.json", tmp_path / "two.json"]
    frame = find("pandas").DataFrame(X, columns=["age", "marker", "size"])
    frame = frame.assign(
        days=Y[:, 1], died=Y[:, 0].astype(int), weight=WEIGHTS, who=np.arange(150) // 2
    )
    frame.to_csv(path, index=False)
    for size, card in zip((2, 1), cards, strict=True):
        fit = [
            "fit",
            path,
            "--target",
            "died",
            "--time",
            "days",
            "--horizon",
            "10",
            "--max-terms",
            size,
        ]
        assert (
            main([*map(str, fit), "--columns", "age", "marker", "size", "-q", "-o", str(card)]) == 0
        )
    more = [
        "--weights",
        "weight",
        "--groups",
        "who",
        "--against",
        cards[1],
        "--against-column",
        "age",
    ]
    facts = tmp_path / "facts.json"
    assert main([str(one) for one in ("validate", cards[0], path, *more, "--json", facts)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "Rows are in 75 groups that belong together" in out
    assert "Against two.json" in out
    assert "Against age" in out
    expected = validate_survival(
        RiskScoreSurvival(2, horizons=10).fit(frame[["age", "marker", "size"]], Y), X, Y,
        sample_weight=WEIGHTS, groups=np.arange(150) // 2, against={"age": X[:, 0]},
    )  # fmt: skip
    import json

    found = json.loads(facts.read_text())
    assert found["concordance"]["interval"] == pytest.approx(expected.concordance.interval)
    assert found["against"][1]["difference"]["value"] == pytest.approx(
        expected.against[0].difference.value
    )
