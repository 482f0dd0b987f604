"""Rows to be predicted: the columns on the card are read, and the others only counted and named."""

import numpy as np
import pytest
from scipy import sparse

from optional import pa, pd, pl
from riskcard import DataError, RiskScoreClassifier

NAMES = ["age", "shape", "note", "code"]


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(5)
    age, shape = random.integers(20, 90, 200).astype(float), random.choice(["round", "oval"], 200)
    y = (age + 25 * (shape == "oval") + random.normal(0, 8, 200) > 65).astype(int)
    noise = random.choice(["x", "y"], 200)
    return pd.DataFrame({"age": age, "shape": shape, "note": noise, "code": noise}), y


@pytest.fixture(scope="module")
def model(rows):
    X, y = rows
    model = RiskScoreClassifier(2, max_cuts_per_feature=1, regularization=None).fit(X, y)
    assert sorted(feature.name for feature in model.card_.features) == ["age", "shape"]
    return model


def test_columns_that_are_not_on_the_card_are_never_asked_for(rows, model):
    asked = []

    class Watched(pd.DataFrame):
        def __getitem__(self, name):
            asked.append(name)
            return super().__getitem__(name)

    model.predict_proba(Watched(rows[0]))
    assert sorted(asked) == ["age", "shape"]


def test_columns_that_are_not_on_the_card_may_hold_anything(rows, model):
    X, _ = rows
    odd = X.assign(note=[{}] * len(X), code=[1j, np.inf] * (len(X) // 2))
    np.testing.assert_array_equal(model.predict_proba(odd), model.predict_proba(X))
    with pytest.raises(DataError, match=r"'age' is infinite in row 3\. The card has no points"):
        model.predict(X.assign(age=np.where(np.arange(len(X)) == 3, np.inf, X.age)))


@pytest.mark.parametrize(
    "form",
    [pl.from_pandas, pa.Table.from_pandas, np.asarray, lambda frame: frame.to_numpy().tolist()],
    ids=["polars", "pyarrow", "numpy", "list"],
)
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_rows_of_every_kind_get_the_same_risks(rows, model, form):
    np.testing.assert_array_equal(model.predict_proba(form(rows[0])), model.predict_proba(rows[0]))


@pytest.mark.filterwarnings("ignore:X has feature names")
def test_a_model_without_names_takes_columns_by_their_place(rows):
    X, y = rows
    unnamed = RiskScoreClassifier(max_terms=2).fit(X.to_numpy(), y)
    np.testing.assert_array_equal(unnamed.predict_proba(X), unnamed.predict_proba(X.to_numpy()))


@pytest.mark.parametrize("form", [lambda frame: frame, pl.from_pandas], ids=["pandas", "polars"])
def test_wrong_names_get_the_words_of_scikit_learn(rows, model, form):
    X, _ = rows
    with pytest.raises(ValueError, match=r"(?s)feature names should match.*Feature names unseen"):
        model.predict(form(X.rename(columns={"note": "remark"})))
    with pytest.raises(ValueError, match=r"(?s)feature names should match.*in the same order"):
        model.predict(form(X[NAMES[::-1]]))


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize(
    ("shaped", "message"),
    [
        (lambda X: X.to_numpy()[:, :3], "X has 3 features, but RiskScoreClassifier is expecting 4"),
        (lambda X: X.to_numpy()[0], "Reshape your data"),
        (lambda X: [[1.0, "oval"], [2.0]], "rows of X differ in length"),
        (lambda X: sparse.csr_array(np.ones((2, 4))), "sparse data are not supported"),
        (lambda X: sparse.dok_array(np.ones((2, 4))), "sparse data are not supported"),
    ],
    ids=["count", "one dimension", "ragged", "sparse", "sparse mapping"],
)
def test_rows_of_a_wrong_shape_are_refused(rows, model, shaped, message):
    with pytest.raises((ValueError, TypeError), match=message):
        model.predict(shaped(rows[0]))
