"""A card in other people's tools: as a frame, as a transformer, with importances and SHAP values."""

from itertools import combinations
from math import factorial

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from cards import heart_card, mass_card
from optional import pd
from riskcard import (
    DataError,
    FeaturePoints,
    ParameterError,
    RiskCard,
    RiskScoreClassifier,
    RiskScoreClassifierCV,
    SolverMissing,
)
from riskcard.model.origin.certificate import TrainingFacts
from riskcard.model.totals import TotalCount

BACKENDS = ["pandas", "polars", "pyarrow"]
MASSES = {
    "age": [50.0, None, -9.0, 70.0, 44.0],
    "shape": ["round", "oval", "lobular", "irregular", "round"],
    "density": ["low", None, "high", "medium", "low"],
    "palpable": [True, False, False, True, True],
}


def columns_of(frame):
    """The columns of a frame of any library as lists, with None for missing values."""
    names = frame.column_names if hasattr(frame, "column_names") else frame.columns
    found = {}
    for name in names:
        column = frame[name]
        values = column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
        found[name] = [None if value != value else value for value in values]
    return found


@pytest.fixture(scope="module")
def fitted(small):
    return RiskScoreClassifier(max_terms=3).fit(*small)


# --- frames -------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_lines_of_a_card_come_as_a_frame(small, fitted, backend):
    pytest.importorskip(backend)
    X, y = small
    card = fitted.card_
    found = columns_of(card.to_frame(backend))
    assert list(found) == ["feature", "condition", "points", "rows", "events"]
    assert len(found["points"]) == sum(len(feature.lines()) for feature in card.features)
    place = 0
    for feature in card.features:
        values = X[:, int(feature.name[1:])]
        for low, high in zip((-np.inf, *feature.cuts), (*feature.cuts, np.inf), strict=True):
            held = (values > low) & (values <= high)
            line = {name: column[place] for name, column in found.items()}
            assert line["feature"] == feature.name
            assert (line["rows"], line["events"]) == (held.sum(), y[held].sum())
            assert (fitted.transform(X)[held, card.features.index(feature)] == line["points"]).all()
            place += 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_totals_come_as_a_frame_with_their_training_rows(small, fitted, backend):
    pytest.importorskip(backend)
    X, y = small
    totals, risks = fitted.total_points(X), fitted.predict_proba(X)[:, 1]
    found = columns_of(fitted.card_.totals_frame(backend))
    assert list(found) == ["total", "log_odds", "risk", "rows", "events", "low", "high"]
    assert found["total"] == fitted.card_.reachable_totals()
    for place, total in enumerate(found["total"]):
        held = totals == total
        assert (found["rows"][place], found["events"][place]) == (held.sum(), y[held].sum())
        assert risks[held] == pytest.approx(found["risk"][place])
        if held.any():
            assert found["low"][place] < found["risk"][place] < found["high"][place]
        else:
            assert found["low"][place] is None


def test_counts_of_bands_are_not_given_to_single_totals():
    pytest.importorskip("pandas")
    bands = (
        TotalCount(-1, 2, 300, 100, 300.0, 100.0, 300.0),
        TotalCount(4, 4, 9, 2, 9.0, 2.0, 9.0),
    )
    facts = TrainingFacts(309, 102, 309.0, 102.0, bands)
    frame = heart_card(training=facts).totals_frame()
    assert 4 in frame["total"].tolist()
    assert frame[["rows", "events", "low", "high"]].isna().all(axis=None)


def test_a_card_written_by_hand_has_frames_without_counts():
    pytest.importorskip("pandas")
    found = columns_of(mass_card().to_frame())
    assert found["condition"][:5] == ["≤ 45", "> 45 to ≤ 60", "> 60", "-9", "missing"]
    assert set(found["rows"]) == set(found["events"]) == {None}
    assert len(RiskCard([]).to_frame()) == 0
    assert columns_of(RiskCard([]).totals_frame())["risk"] == [0.5]


def test_an_unknown_kind_of_frame_is_refused(fitted, monkeypatch):
    with pytest.raises(ParameterError, match="backend is 'excel'"):
        fitted.card_.to_frame("excel")
    monkeypatch.setitem(__import__("sys").modules, "polars", None)
    with pytest.raises(SolverMissing, match="A frame needs polars"):
        fitted.card_.to_frame("polars")


# --- transform and importances ------------------------------------------------------------------


def test_points_by_feature_and_base_add_up_to_the_total():
    card = mass_card()
    points = card.points_by_feature(MASSES)
    assert points.shape == (5, 4)
    np.testing.assert_array_equal(card.base + points.sum(axis=1), card.total_points(MASSES))
    for place, feature in enumerate(card.features):
        np.testing.assert_array_equal(points[:, place], feature.points_of(MASSES[feature.name]))


def test_a_card_without_features_has_no_columns_of_points(small):
    X, _ = small
    assert RiskCard([], feature_names=("a", "b", "c")).points_by_feature(X).shape == (60, 0)


def test_transform_gives_points_in_the_kind_of_table_that_was_asked_for(cancer):
    X, y = cancer
    model = RiskScoreClassifier(max_terms=3).set_output(transform="pandas").fit(X, y)
    frame = model.transform(X)
    assert list(frame.columns) == [feature.name for feature in model.card_.features]
    assert frame.index.equals(X.index)
    assert (frame.sum(axis=1) + model.card_.base == model.total_points(X)).all()
    polars = pytest.importorskip("polars")
    assert isinstance(model.set_output(transform="polars").transform(X), polars.DataFrame)


def test_points_are_features_for_another_model(small):
    X, y = small
    chain = make_pipeline(RiskScoreClassifier(max_terms=3), LogisticRegression())
    assert chain.fit(X, y).score(X, y) > 0.7
    assert chain[:-1].get_feature_names_out(["a", "b", "c"]).tolist() == [
        {"x0": "a", "x1": "b", "x2": "c"}[feature.name] for feature in chain[0].card_.features
    ]


def test_names_of_other_columns_are_refused(small, fitted):
    X, y = small
    with pytest.raises(ParameterError, match="number of features, 3, but has 2"):
        fitted.get_feature_names_out(["a", "b"])
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    named = RiskScoreClassifier(max_terms=3).fit(frame, y)
    with pytest.raises(ParameterError, match="not equal to feature_names_in_"):
        named.get_feature_names_out(["a", "b", "d"])
    with pytest.raises(NotFittedError):
        RiskScoreClassifier().get_feature_names_out()


@pytest.mark.parametrize(
    "model", [RiskScoreClassifier(3), RiskScoreClassifierCV(max_terms=3, cv=2)], ids=["one", "cv"]
)
def test_importances_are_shares_of_the_mean_absolute_deviation_of_points(small, model):
    X, y = small
    model.fit(X, y)
    points = model.transform(X)
    deviations = np.abs(points - points.mean(axis=0)).mean(axis=0)
    expected = np.zeros(3)
    for feature, share in zip(model.card_.features, deviations / deviations.sum(), strict=True):
        expected[int(feature.name[1:])] = share
    np.testing.assert_allclose(model.feature_importances_, expected)
    assert not hasattr(RiskScoreClassifier(), "feature_importances_")


def test_an_empty_card_has_importances_of_zero(small):
    _, y = small
    model = RiskScoreClassifier(1).fit(np.ones((60, 3)), y)
    assert model.feature_importances_.tolist() == [0.0, 0.0, 0.0]
    assert model.transform(np.ones((2, 3))).shape == (2, 0)


def test_select_from_model_keeps_the_features_of_the_card(cancer):
    X, y = cancer
    chosen = SelectFromModel(RiskScoreClassifier(max_terms=3), threshold=1e-9).fit(X, y)
    used = {feature.name for feature in chosen.estimator_.card_.features}
    assert set(chosen.get_feature_names_out()) == used


# --- SHAP ---------------------------------------------------------------------------------------


def shapley_values(model, row, background):
    """By definition: the mean gain of a feature over all orders, others averaged over the background."""
    n = row.size

    def worth(chosen):
        rows = background.copy()
        rows[:, list(chosen)] = row[list(chosen)]
        return model.card_.log_odds(rows).mean()

    found = np.zeros(n)
    for feature in range(n):
        others = [one for one in range(n) if one != feature]
        for size in range(n):
            share = factorial(size) * factorial(n - size - 1) / factorial(n)
            for chosen in combinations(others, size):
                found[feature] += share * (worth((*chosen, feature)) - worth(chosen))
    return found


@pytest.mark.parametrize("is_default", [True, False])
def test_shap_values_are_shapley_values_of_the_log_odds(small, fitted, is_default):
    X, _ = small
    background = X if is_default else X[:7]
    found = fitted.shap_values(X[:5], None if is_default else background)
    places = [int(name[1:]) for name in fitted.get_feature_names_out()]
    for row, values in zip(X[:5], found, strict=True):
        expected = shapley_values(fitted, row, background)
        np.testing.assert_allclose(values, expected[places], atol=1e-12)
        assert np.delete(expected, places) == pytest.approx(0.0)


def test_a_classifier_that_is_called_gives_the_log_odds_of_the_event(small, fitted):
    X, y = small
    assert callable(fitted)
    np.testing.assert_array_equal(fitted(X), fitted.card_.log_odds(X))
    labels = np.where(y == 1, "a", "b")  # the event is the first label of the alphabet
    other = RiskScoreClassifier(max_terms=3, event="a").fit(X, labels)
    np.testing.assert_array_equal(other(X), other.card_.log_odds(X))
    np.testing.assert_array_equal(other(X), -other.decision_function(X))
    with pytest.raises(NotFittedError):
        RiskScoreClassifier()(X)


def test_shap_values_on_a_card_with_credit_points_stay_those_of_the_event(small, fitted):
    from riskcard import to_credit_points

    X, _ = small
    scaled = to_credit_points(fitted.card_).card
    assert scaled.higher_is_safer
    plain = fitted.card_.shap_values(X)
    assert np.corrcoef(plain.ravel(), scaled.shap_values(X).ravel())[0, 1] > 0.99


def test_a_card_written_by_hand_asks_for_rows_to_compare_with():
    card = mass_card()
    with pytest.raises(ParameterError, match="background=X"):
        card.shap_values(MASSES)
    values = card.shap_values(MASSES, background=MASSES)
    np.testing.assert_allclose(values.sum(axis=0), 0.0, atol=1e-12)
    average = card.log_odds(MASSES).mean()
    np.testing.assert_allclose(average + values.sum(axis=1), card.log_odds(MASSES), atol=1e-12)
    with pytest.raises(DataError, match="no rows"):
        RiskCard([FeaturePoints("age", [60], [0, 3])]).shap_values([[61.0]], np.empty((0, 1)))
