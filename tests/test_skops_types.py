"""skops and MLflow are told which classes to trust: all that a saved classifier consists of."""

from importlib import import_module

import numpy as np
import pytest

from optional import pd
from riskcard import (
    CardRules,
    FeatureGroup,
    FeatureRule,
    Regularization,
    RiskScoreClassifier,
    RiskScoreClassifierCV,
    skops_types,
)
from riskcard.baselines import SelectRegressRoundClassifier, UnitWeightsClassifier
from riskcard.model.words.labels import FeatureLabel, Labels

RULES = CardRules({"x": FeatureRule("rises")}, groups=[FeatureGroup(("x", "z"), 2)])
MODELS = [
    RiskScoreClassifier(3, certify=True, class_weight="balanced", rules=RULES),
    RiskScoreClassifier(3, regularization=Regularization(shortlist=None), max_log_odds=None),
    RiskScoreClassifier(5, certify=True, time_limit=0.001, regularization=None),
    RiskScoreClassifierCV(RiskScoreClassifier(rules=RULES), max_terms=2, cv=2),
    SelectRegressRoundClassifier(2),
    UnitWeightsClassifier(2),
]


@pytest.fixture(scope="module")
def table():
    """Numbers with a special code and missing values, levels, an identifier and a leak."""
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 200)).round(2)
    y = (x + z + rng.normal(size=200) > 0).astype(int)
    frame = {"x": x, "z": z, "patient_id": np.arange(200), "leak": y + rng.normal(0, 0.01, 200)}
    frame["with_missing"] = np.where(rng.random(200) < 0.2, np.nan, z)
    frame["level"] = np.where(x > 0.5, "high", np.where(x > -0.5, "middle", "low"))
    return pd.DataFrame(frame), y


def test_every_class_exists():
    for name in skops_types():
        module, _, one = name.rpartition(".")
        assert isinstance(getattr(import_module(module), one), type)


@pytest.mark.filterwarnings("ignore::riskcard.RiskcardWarning")
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_classifier_is_loaded_by_skops_and_gives_the_same_risks(model, table):
    io = pytest.importorskip("skops.io")
    X, y = table
    X = X if model.takes_any_table else X[["x", "z"]]
    fitted = model.fit(X, y)
    fitted = getattr(fitted, "best_estimator_", fitted)
    labels = Labels(title="Risk", features={"x": FeatureLabel("The first", unit="mm")})
    fitted.card_ = fitted.card_.with_labels(labels)
    content = io.dumps(fitted)
    assert set(io.get_untrusted_types(data=content)) <= set(skops_types())
    loaded = io.loads(content, trusted=skops_types())
    assert loaded.card_ == fitted.card_
    np.testing.assert_array_equal(loaded.predict_proba(X), fitted.predict_proba(X))
