"""Cards in other people's packages: SHAP, skops and MLflow, as the page about such tools shows them."""

import numpy as np
import pytest
from docs.pages import DOCS, run_page

from cards import mass_card
from riskcard import RiskScoreClassifier
from test_points_output import MASSES


def test_the_page_on_tools_shows_what_its_code_prints(tmp_path, monkeypatch, find_module):
    for name in ("matplotlib", "mlflow", "pandas", "shap", "skops"):
        find_module(name)
    monkeypatch.chdir(tmp_path)
    for one in run_page(DOCS / "tools.md"):
        assert one.real == one.shown, one.what


def test_shap_finds_the_same_values_from_outside(find_module):
    shap, rng = find_module("shap"), np.random.default_rng(3)
    X = rng.integers(0, 6, (60, 3)).astype(float)
    y = (X[:, 0] + rng.normal(size=60) > X[:, 1]).astype(int)
    model = RiskScoreClassifier(max_terms=3).fit(X, y)
    found = shap.Explainer(model.card_.log_odds, shap.maskers.Independent(X), algorithm="exact")(X)
    ours = model.shap_explanation(X)
    used = [int(name[1:]) for name in model.get_feature_names_out()]
    np.testing.assert_allclose(ours.values, found.values[:, used], atol=1e-9)
    np.testing.assert_allclose(ours.base_values, found.base_values, atol=1e-9)
    np.testing.assert_array_equal(ours.data, X[:, used])


@pytest.mark.parametrize("columns", [4, 12])
@pytest.mark.parametrize("kind", ["array", "frame", "missing"])
def test_an_explainer_of_the_classifier_itself_finds_the_same_values(find_module, kind, columns):
    shap, pd, rng = find_module("shap"), find_module("pandas"), np.random.default_rng(4)
    X = rng.normal(size=(80, columns))
    y = (X[:, 0] + rng.normal(size=80) > X[:, 1]).astype(int)
    if kind == "missing":
        X[rng.random(X.shape) < 0.1] = np.nan
    if kind != "array":
        X = pd.DataFrame(X, columns=[f"x{place}" for place in range(columns)])
    model = RiskScoreClassifier(max_terms=3).fit(X, y)
    explainer = shap.Explainer(model, X, seed=0)
    assert type(explainer).__name__ == ("Exact" if columns < 10 else "Permutation") + "Explainer"
    found = explainer(X[:5])
    used = [int(name[1:]) for name in model.get_feature_names_out()]
    np.testing.assert_allclose(found.values[:, used], model.shap_values(X[:5], X), atol=1e-9)
    np.testing.assert_allclose(np.delete(found.values, used, axis=1), 0, atol=1e-9)
    risks = shap.Explainer(model.predict_proba, X, seed=0)(X[:2])
    whole = risks.base_values + risks.values.sum(axis=1)
    np.testing.assert_allclose(whole, model.predict_proba(X[:2]), atol=1e-9)


def test_mlflow_serves_a_pickled_classifier_too(find_module, tmp_path):
    mlflow = find_module("mlflow")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    model = RiskScoreClassifier(max_terms=2).fit(X, (X[:, 0] > 0).astype(int))
    place = str(tmp_path / "model")
    options = {"serialization_format": "cloudpickle", "pip_requirements": ["riskcard"]}
    mlflow.sklearn.save_model(model, place, **options)
    served = mlflow.pyfunc.load_model(place)
    np.testing.assert_array_equal(served.predict(X), model.predict(X))


@pytest.mark.parametrize("kind", ["waterfall", "beeswarm", "bar", "scatter", "heatmap", "force"])
def test_the_plots_of_shap_draw_levels_and_missing_values(kind, find_module):
    shap, pyplot = find_module("shap"), find_module("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    explanation = mass_card().shap_explanation(MASSES, background=MASSES)
    if kind == "force":
        shap.plots.force(explanation[0], matplotlib=True, show=False)
    elif kind == "scatter":
        shap.plots.scatter(explanation[:, "age"], show=False)
    else:
        shown = explanation[0] if kind == "waterfall" else explanation
        getattr(shap.plots, kind)(shown, show=False)
    assert pyplot.gcf().axes
    pyplot.close("all")
