"""What notebooks show: the card, the pool, the proof and the stability, safely and with their figures."""

import json
import re

import pytest
import sklearn

from cards import certificate
from optional import pd
from riskcard import (
    RiskCard,
    RiskScoreClassifier,
    RiskScoreClassifierCV,
    audit_card,
    bootstrap_card,
    find_pool,
    make_report,
)
from riskcard.baselines import SelectRegressRoundClassifier

pytestmark = pytest.mark.filterwarnings("ignore::riskcard.RiskcardWarning")


@pytest.fixture(scope="module")
def table(small):
    X, y = small
    return pd.DataFrame(X, columns=["<i>age", "b", "c"]), y


@pytest.mark.parametrize(
    "model",
    [
        RiskScoreClassifier(2),
        RiskScoreClassifierCV(max_terms=2, cv=2, rule="best"),
        SelectRegressRoundClassifier(2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_classifier_shows_its_card_above_the_diagram_of_scikit_learn(model, table):
    for html in (model._repr_html_(), model._repr_mimebundle_()["text/html"]):
        assert "sk-top-container" in html
        assert '<div class="riskcard">' not in html
    fitted = sklearn.base.clone(model).fit(*table)
    for html in (fitted._repr_html_(), fitted._repr_mimebundle_()["text/html"]):
        card = fitted.card_.to_html()
        assert html.startswith(card)
        assert html.count('<div class="riskcard">') == 1
        assert "sk-top-container" in html
    assert fitted._repr_mimebundle_()["text/plain"] == repr(fitted)


def test_a_text_display_stays_text(table):
    fitted = RiskScoreClassifier(1).fit(*table)
    with sklearn.config_context(display="text"):
        assert not hasattr(fitted, "_repr_html_")
        assert set(fitted._repr_mimebundle_()) == {"text/plain"}


def test_a_model_chosen_by_cross_validation_explains_rows(table):
    X, y = table
    model = RiskScoreClassifierCV(max_terms=2, cv=2, rule="best").fit(X, y)
    assert model.explain(X.iloc[0]).total == model.card_.total_points(X.iloc[[0]])[0]


def test_a_pool_is_a_table_of_its_cards(table):
    pool = find_pool(RiskScoreClassifier(2), *table, tolerance=0.1)
    html = pool._repr_html_()
    assert html.count("<tr>") == len(pool) + 1
    assert f"{pool.losses[0]:.6g}" in html
    assert "<i>" not in html
    assert pool.summary.split(":")[0] in html


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({}, ("350.1000", "340.2000", "2.828 %", "time limit")),
        ({"bound": 0.0, "status": "heuristic"}, ("350.1000", "none", "unknown", "heuristic")),
        ({"bound": 340.2345678}, ("350.1000", "340.2345", "2.818 %", "time limit")),
    ],
)
def test_a_certificate_says_what_is_proven(changes, shown):
    html = certificate(**changes, notes=["a < b"])._repr_html_()
    cells = re.findall(r'class="number">([^<]*)</td>', html)
    assert tuple(cells[:4]) == shown
    assert "a &lt; b" in html
    assert "This kind: at most 3 terms" in html


def test_a_bootstrap_is_shown_with_its_figures(table):
    stability = bootstrap_card(RiskScoreClassifier(1), *table, n_bootstraps=5)
    html = stability._repr_html_()
    assert f"{stability.apparent.auc:.3f}" in html
    assert f"{100 * stability.features[0].share:.0f} %" in html
    assert "<i>" not in html
    assert "5 bootstrap resamples" in html


def test_a_report_is_shown_in_a_frame_and_described_in_a_line(table):
    pytest.importorskip("matplotlib")
    report = make_report(RiskScoreClassifier(1).fit(*table), *table, cv=0, n_bootstraps=0)
    html = report._repr_html_()
    assert html.count("<iframe") == 1
    assert "<html" not in html  # the page is escaped, so that its styles stay in the frame
    assert "&lt;html" in html
    assert repr(report).startswith("<Report on 'Risk of")
    assert len(repr(report)) < 100


def test_a_report_is_plain_values_with_the_figures_of_its_page(table, tmp_path):
    pytest.importorskip("matplotlib")
    model = RiskScoreClassifier(1).fit(*table)
    report = make_report(model, *table, cv=2, n_bootstraps=5)
    report.save(tmp_path / "report.json")
    found = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert found == report.to_dict()
    assert RiskCard.from_json(json.dumps(found["card"])) == model.card_
    evaluation = report.facts.rows.evaluation
    assert found["rows"]["evaluation"]["brier"] == pytest.approx(evaluation.brier)
    assert found["audit"]["passed"] is report.facts.audit.passed
    assert len(found["audit"]["checks"]) == len(report.facts.audit.checks)
    stability = found["stability"]
    assert stability["resamples"] == 5
    assert {one["feature"] for one in stability["features"]} == set(table[0].columns)
    assert stability["performance"]["apparent"]["auc"] == report.facts.stability.apparent.auc
    bare = make_report(model, *table, cv=0, n_bootstraps=0).to_dict()
    assert bare["stability"] is bare["validation"] is None


def test_an_audit_is_a_frame_and_plain_values(table):
    found = audit_card(RiskScoreClassifier(1).fit(*table), *table)
    frame = found.to_frame()
    assert frame["outcome"].tolist() == [str(check.outcome) for check in found.checks]
    assert frame["figures"].tolist() == [check.detail for check in found.checks]
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["checks"][0]["name"] == frame["check"][0]
    assert plain["passed"] is True
    assert plain["loss"] == found.loss
