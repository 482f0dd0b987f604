"""Every line of a fitted card knows its training rows and events, and shows them."""

import io
import json

import numpy as np
import pytest

from riskcard import (
    FeaturePoints,
    LevelPoints,
    RiskCard,
    RiskScoreClassifier,
    recalibrate,
    to_credit_points,
)
from riskcard.card.scorecard import score_card_of
from riskcard.errors import FormatError, ParameterError
from riskcard.evaluation.intervals import wilson_interval
from riskcard.export.javascript import card_to_javascript
from riskcard.export.pmml import card_to_pmml
from riskcard.export.python import card_to_python
from riskcard.export.sql import card_to_sql, sql_expressions
from riskcard.export.workbook import card_to_workbook

pd = pytest.importorskip("pandas")

NAN = float("nan")


def mixed_rows(n_rows: int = 400, seed: int = 0):
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 90, n_rows).astype(float)
    kind = rng.choice(["a", "b", "c"], n_rows)
    y = rng.random(n_rows) < 1 / (1 + np.exp(-(age - 60) / 10 - 2.0 * (kind == "c")))
    age[rng.random(n_rows) < 0.2] = NAN
    return pd.DataFrame({"age": age, "kind": kind}), y.astype(int)


def test_every_line_has_its_rows_and_events():
    X, y = mixed_rows()
    weights = np.random.default_rng(1).uniform(0.5, 2, y.size)
    card = RiskScoreClassifier(4).fit(X, y, weights).card_
    assert card.features
    for feature in card.features:
        found = feature.look_up(X[feature.name]).lines
        for place, line in enumerate(feature.lines()):
            assert line.rows == (found == place).sum()  # counts, whatever the weights are
            assert line.events == y[found == place].sum()
    assert RiskCard.from_json(card.to_json()) == card


def test_counts_are_shown_and_kept_where_points_or_scale_change():
    X, y = mixed_rows()
    card = RiskScoreClassifier(3).fit(X, y).card_
    for other in (card, recalibrate(card, X, y, update="both"), to_credit_points(card).card):
        assert [one.rows for one in other.features] == [one.rows for one in card.features]
        assert [one.events for one in other.features] == [one.events for one in card.features]
        for text in (other.to_text(), other.to_markdown(), other.to_latex(), other.to_html()):
            first = other.features[0].lines()[0]
            assert f"{first.rows:,}" in text
            assert f"{first.events:,}" in text
    by_hand = RiskCard([FeaturePoints("age", [60], [0, 3])])
    assert not score_card_of(by_hand).has_line_counts
    assert "Events" not in by_hand.to_text()


def plural(number):
    return "" if number == 1 else "s"


def test_counts_are_on_the_sheet_in_the_calculator_and_in_exports():
    X, y = mixed_rows()
    card = RiskScoreClassifier(3).fit(X, y).card_
    texts = [card.to_svg(), card.to_calculator()]
    for feature in card.features:
        for line in feature.lines():
            assert all(f">{line.rows}<" in text and f">{line.events}<" in text for text in texts)
            words = f"{line.rows} training row{plural(line.rows)}, {line.events} event{plural(line.events)}"
            for write in (card_to_python, card_to_javascript, card_to_sql, card_to_pmml):
                assert words in write(card)
            assert words not in sql_expressions(card).risk  # a comment would end the line there
    by_hand = RiskCard([FeaturePoints("age", [60], [0, 3])])
    assert ">Events<" not in by_hand.to_svg()
    assert "training rows" not in card_to_python(by_hand)


def test_counts_and_rates_are_in_the_workbook():
    openpyxl = pytest.importorskip("openpyxl")
    X, y = mixed_rows()
    card = RiskScoreClassifier(3).fit(X, y).card_
    book = openpyxl.load_workbook(io.BytesIO(card_to_workbook(card, rows=2)))
    sheet = book["Card"]
    counts = [
        (row[4].value, row[5].value)
        for row in sheet.iter_rows(min_row=9)
        if row[4].value is not None
    ]
    expected = [(line.rows, line.events) for one in card.features for line in one.lines()]
    assert sorted(counts) == sorted(expected)
    example = [cell.value for cell in book["Cases"][4]][: len(card.features) + 1]
    assert example[0] == "example"
    row = dict(zip([one.name for one in card.features], example[1:], strict=True))
    usual = [line.points for one in card.features for line in one.lines() if line.is_usual]
    assert card.total_points(row).tolist() == [card.base + sum(usual)]


def test_counts_that_do_not_fit_the_lines_are_refused():
    with pytest.raises(ParameterError, match="has 2 lines, but rows of 1 and events of 1"):
        FeaturePoints("age", [60], [0, 3], rows=[5], events=[1])
    with pytest.raises(ParameterError, match="more events than rows"):
        LevelPoints("kind", [["a"]], [0], rows=[5], events=[6])
    X, y = mixed_rows()
    text = RiskScoreClassifier(2).fit(X, y).card_.to_json()
    with pytest.raises(FormatError, match='"rows" is 3'):
        RiskCard.from_json(_with_rows(text))


def _with_rows(text: str) -> str:
    content = json.loads(text)
    content["features"][0]["rows"] = 3
    return json.dumps(content)


def test_cards_have_intervals_and_those_of_lowest_loss_have_wider_ones():
    X, y = mixed_rows()
    card = RiskScoreClassifier(3).fit(X, y).card_
    assert all(one.interval is not None for one in card.training.totals)
    for one in card.training.totals:
        low, high = one.interval
        assert 0 < low < high < 1
        # between the card and what was observed, or around both
        ends = sorted([one.rate, *card.risk_of_total([one.low, one.high]).tolist()])
        assert low < ends[-1]
        assert ends[0] < high
    assert "95 % interval" in card.to_text()
    plain = RiskScoreClassifier(3, regularization=None).fit(X, y).card_
    width, wider = (
        np.mean([np.ptp(np.log(one.interval) - np.log1p(-np.array(one.interval))) for one in own])
        for own in (card.training.totals, plain.training.totals)
    )
    assert wider > 1.3 * width


def test_a_recalibrated_card_has_the_intervals_of_the_shares_among_its_own_rows():
    X, y = mixed_rows(800)
    card = RiskScoreClassifier(3).fit(X[:400], y[:400]).card_
    for one in recalibrate(card, X[400:], y[400:], update="both").training.totals:
        assert one.interval == pytest.approx(wilson_interval(one.events, one.rows))
    assert "95 % interval" not in recalibrate(card, X[:400], y[:400], update="both").to_text()


@pytest.mark.parametrize("scale", [1.0, "multiplier"])
def test_intervals_are_around_the_scale_that_fits_where_another_one_is_given(scale):
    """A whole base and a given multiplier can be far from what the rows say; intervals are not."""
    X, y = mixed_rows(3000)
    card = RiskScoreClassifier(2, scale=scale, regularization=None).fit(X, y).card_
    for one in card.training.totals:
        if one.rows >= 100:
            assert one.interval[0] < one.rate < one.interval[1]


def test_intervals_do_not_depend_on_the_unit_of_weights_and_narrow_with_rows():
    X, y = mixed_rows()
    weights = np.random.default_rng(1).uniform(0.5, 2, y.size)
    cards = [RiskScoreClassifier(3).fit(X, y, unit * weights).card_ for unit in (1.0, 1e6)]
    ends = [[one.interval for one in card.training.totals] for card in cards]
    np.testing.assert_allclose(ends[0], ends[1], rtol=1e-6)
    many = pd.concat([X] * 10, ignore_index=True)
    wide, narrow = (
        np.mean([np.subtract(*one.interval[::-1]) for one in card.training.totals])
        for card in (cards[0], RiskScoreClassifier(3).fit(many, np.tile(y, 10)).card_)
    )
    assert narrow < wide


def test_intervals_hold_for_the_people_a_card_was_not_learned_from():
    """A quick check on one simulated population; benchmarks.coverage looks at real tables."""
    X, y = mixed_rows(60_000, seed=7)
    held = weight = 0.0
    for start in range(0, 6000, 600):
        own = X.iloc[start : start + 600]
        card = RiskScoreClassifier(3).fit(own, y[start : start + 600]).card_
        totals = card.total_points(X.iloc[6000:])
        for one in card.training.totals:
            here = (totals >= one.low) & (totals <= one.high)
            if here.sum() < 300:
                continue
            truth = y[6000:][here].mean()
            held += one.rows * (one.interval[0] <= truth <= one.interval[1])
            weight += one.rows
    assert held / weight >= 0.9
