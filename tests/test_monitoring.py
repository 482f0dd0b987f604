"""A card in use: what is compared, which findings ask for action, and how they are shown."""

import json
from dataclasses import replace

import numpy as np
import pytest

from html_reader import read_html
from optional import pd
from riskcard import RiskScoreClassifier, monitor_card, plot_drift, to_credit_points
from riskcard.credit.monitoring import Light, light_of
from riskcard.credit.monitoring_document import monitoring_document
from riskcard.errors import DataError
from riskcard.evaluation.monitoring.drift import drift_between
from riskcard.evaluation.outcomes import read_outcomes
from riskcard.evaluation.separation import separation_of


def loans(n_rows: int, seed: int, older: float = 0.0, worse: float = 0.0, noise: float = 0.0):
    rng = np.random.default_rng(seed)
    age = np.clip(rng.normal(45 + older, 12, n_rows), 18, 90).round()
    used = rng.integers(0, 101, n_rows).astype(float)
    log_odds = -3 + worse + (1 - noise) * (0.04 * used + 1.2 * (age < 35))
    y = (rng.random(n_rows) < 1 / (1 + np.exp(-log_odds))).astype(int)
    return pd.DataFrame({"age": age, "used": used}), y


@pytest.fixture(scope="module")
def trained():
    X, y = loans(1500, 0)
    return RiskScoreClassifier(4).fit(X, y).card_, X, y


def lights(found) -> dict[str, str]:
    return {one.subject: str(one.light) for one in found.findings}


def test_rows_like_those_of_training_are_in_order(trained):
    card, X, y = trained
    found = monitor_card(card, *loans(1500, 1))
    assert set(lights(found).values()) == {"in order"}
    assert found.light is Light.IN_ORDER
    assert found.reference_rows == 1500
    given = monitor_card(card, *loans(1500, 1), reference=X, reference_y=y)
    assert given.drift.total == found.drift.total
    assert given.drift.features == found.drift.features
    assert given.outcomes.reference_gini == pytest.approx(found.outcomes.reference_gini)


@pytest.mark.parametrize("n_rows", [1, 5])
def test_a_handful_of_rows_is_not_in_order_but_not_judged(trained, n_rows):
    card, *_ = trained
    found = monitor_card(card, loans(n_rows, 1)[0])
    assert set(lights(found).values()) == {"not judged"}
    assert found.light is Light.NOT_JUDGED
    assert "with this number of rows even a large change would be" in str(found)
    with_outcomes = monitor_card(card, loans(8, 1)[0], [0, 1] * 4)
    assert lights(with_outcomes)["risks"] == "not judged"


def test_the_reference_gini_in_the_card_is_that_of_its_rows(trained):
    card, X, y = trained
    gini = separation_of(read_outcomes(card.risk(X), y)).gini
    for one in (card, to_credit_points(card).counted(X, y)):
        found = monitor_card(one, *loans(500, 1))
        own = separation_of(read_outcomes(one.risk(X), y)).gini
        assert found.outcomes.reference_gini == pytest.approx(own)
    assert own == pytest.approx(gini, abs=0.01)


def test_other_people_change_the_total_and_the_feature(trained):
    card, *_ = trained
    found = monitor_card(card, loans(1500, 2, older=20)[0])
    assert found.outcomes is None
    assert lights(found)["age"] == "act"
    assert lights(found)["used"] == "in order"
    assert found.light is Light.ACT
    age = next(one for one in found.drift.features if one.name == "age")
    assert age.points_shift < -0.5  # fewer points: older people default less here


def test_risks_that_are_too_low_and_a_lost_separation_are_found(trained):
    card, *_ = trained
    worse = monitor_card(card, *loans(2000, 3, worse=1.0))
    assert lights(worse)["risks"] == "act"
    assert "risks are too low" in str(worse)
    assert worse.outcomes.calibration.expected < worse.outcomes.calibration.observed
    lost = monitor_card(card, *loans(3000, 4, noise=0.8, worse=1.0))
    assert lights(lost)["separation"] == "act"


def test_values_that_training_did_not_have_are_found(trained):
    card, *_ = trained
    X, _ = loans(400, 5)
    X.loc[:9, "used"] = 400.0  # 2.5 %
    found = monitor_card(card, X)
    assert Light.WATCH in {one.light for one in found.findings if "outside the range" in one.words}
    assert "2.5 % of the values are outside the range of training" in str(found)


def test_what_cannot_be_compared_is_not_called_in_order(trained):
    card, X, y = trained
    bare = replace(card, training=replace(card.training, totals=()), certificate=None)
    found = monitor_card(bare, *loans(300, 6))
    assert found.drift.total is None
    assert lights(found)["total"] == lights(found)["separation"] == "not judged"
    assert "Give the reference rows to compare totals" in " ".join(str(found).split())
    with_rows = monitor_card(bare, *loans(300, 6), reference=X, reference_y=y)
    assert lights(with_rows)["total"] == "in order"


@pytest.mark.parametrize(
    ("old", "new", "light"),
    [
        ([500, 500], [510, 490], Light.IN_ORDER),
        ([5, 5], [8, 2], Light.NOT_JUDGED),  # within chance, as any large change would be
        ([50, 50], [55, 45], Light.IN_ORDER),
        ([5000, 5000], [6600, 3400], Light.WATCH),
        ([5000, 5000], [8000, 2000], Light.ACT),
    ],
)
def test_an_index_asks_for_attention_only_beyond_chance(old, new, light):
    assert light_of(drift_between(old, new)) is light


@pytest.mark.parametrize("label", [0, 1])
def test_rows_of_one_class_are_compared_without_outcomes(trained, label):
    card, *_ = trained
    X, _ = loans(300, 5)
    found = monitor_card(card, X, np.full(300, label))
    assert found.drift == monitor_card(card, X).drift
    assert found.outcomes is None
    assert lights(found)["outcomes"] == "not judged"
    expected = f"({card.risk(X).sum():.1f} expected)"
    start = "All of the 300 rows have the event" if label else "None of the 300 rows has the event"
    text = " ".join(str(found).split())
    assert f"{start} {expected}" in text
    assert "as far as it was judged (not judged: outcomes)" in text
    assert json.loads(json.dumps(found.to_dict()))["same_outcome"]["has_event"] is bool(label)
    with pytest.raises(DataError, match="All labels are 'maybe', but the card knows 0 and 1"):
        monitor_card(card, X, ["maybe"] * 300)
    # a reference of one class has no Gini to compare with
    given = monitor_card(card, *loans(300, 6), reference=X, reference_y=np.full(300, label))
    assert given.outcomes.reference_gini is None


def test_groups_widen_what_chance_explains(trained):
    card, *_ = trained
    X, y = loans(200, 7)
    copies, labels = X.loc[np.repeat(X.index, 5)], np.repeat(y, 5)
    groups = np.repeat(np.arange(200), 5)
    once, naive = monitor_card(card, X, y), monitor_card(card, copies, labels)
    known = monitor_card(card, copies, labels, groups=groups)
    for one, other, alone in zip(
        known.drift.features, naive.drift.features, once.drift.features, strict=True
    ):
        assert one.index == pytest.approx(other.index)
        assert one.chance_limit > 1.5 * other.chance_limit
        assert one.chance_limit == pytest.approx(alone.chance_limit, rel=0.05)
    width = [np.ptp(one.outcomes.separation.gini_interval) for one in (once, known, naive)]
    assert width[2] < 0.6 * width[1]
    assert width[1] == pytest.approx(width[0], rel=0.05)
    assert "1,000 new rows in 200 groups against" in str(known)


def test_everything_is_plain_json(trained):
    card, *_ = trained
    found = json.loads(json.dumps(monitor_card(card, *loans(300, 7)).to_dict(), allow_nan=False))
    assert found["light"] in [str(one) for one in Light]
    assert {one["subject"] for one in found["findings"]} >= {"total", "age", "used", "separation"}
    assert found["drift"]["total"]["index"] >= 0


def test_verdicts_are_words_with_signs_not_colours_alone(trained):
    pytest.importorskip("matplotlib")
    card, *_ = trained
    found = monitor_card(card, *loans(1500, 2, older=20))
    page = monitoring_document(found, pictures=True).to_page()
    shown = read_html(page.replace("<img ", "<meta "))
    assert [text for text in shown.texts if text in ("act", "watch", "in order")]
    assert '<td class="verdict-act">act</td>' in page
    assert '.verdict-act::before { content: "\\25a0' in page
    assert page.count("<img ") == page.count('alt="') == 2


def test_the_picture_of_a_drift_has_both_shares():
    pytest.importorskip("matplotlib")
    ax = plot_drift(drift_between([50, 50], [60, 40], ["low", "high"]))
    assert [bar.get_height() for bar in ax.patches] == pytest.approx([50, 50, 60, 40])
    assert [one.get_text() for one in ax.get_xticklabels()] == ["low", "high"]
