"""The short way to totals gives what each feature says on its own."""

import csv
import io

import numpy as np
import pytest

from riskcard import FeaturePoints, LevelPoints, RiskCard
from riskcard.errors import DataError, RiskcardWarning
from riskcard.model.rows.scoring import add_up_numbers


def random_feature(rng, name, most_points):
    """A feature of up to 12 cuts, with or without points for missing values."""
    n_cuts = int(rng.integers(0, 13))
    cuts = np.sort(rng.choice(40, n_cuts, replace=False)).astype(float)
    points = rng.integers(-most_points, most_points + 1, n_cuts + 1).tolist()
    missing = None if rng.random() < 0.4 else int(rng.integers(-9, 10))
    return FeaturePoints(name, cuts, points, missing=missing, usual=0)


@pytest.mark.parametrize("seed", range(30))
def test_totals_are_sums_of_what_each_feature_says(seed):
    rng = np.random.default_rng(seed)
    features = [random_feature(rng, f"x{j}", 5 if seed % 3 else 300) for j in range(3)]
    X = rng.integers(0, 40, (70, 3)).astype(float)
    for j, feature in enumerate(features):
        if feature.missing is not None:
            X[rng.random(70) < 0.2, j] = np.nan
    card = RiskCard(features, base=-2)
    short = add_up_numbers(card.features, list(X.T), card.base)
    long = -2 + sum(feature.points_of(X[:, j]) for j, feature in enumerate(features))
    assert short is not None
    assert short.tolist() == long.tolist()
    assert card.total_points(X).tolist() == long.tolist()


def test_what_the_card_has_no_points_for_goes_the_long_way():
    card = RiskCard([FeaturePoints("age", [60], [0, 3], usual=1)])
    assert add_up_numbers(card.features, [np.array([np.nan])], 0) is None
    with pytest.warns(RiskcardWarning, match="'age' is missing in 1 row"):
        assert card.total_points([[np.nan], [50.0]]).tolist() == [3, 0]
    with pytest.raises(DataError, match="'age' is infinite in row 1"):
        card.total_points(np.array([[50.0], [np.inf]]))


def test_codes_levels_and_other_types_go_the_long_way():
    coded = FeaturePoints("age", [60], [0, 3], codes=[(-9, 2)])
    shape = LevelPoints("shape", [["round"], ["oval"]], [0, 3])
    assert add_up_numbers([coded], [np.array([-9.0])], 0) is None
    assert add_up_numbers([shape], [np.array(["oval"], dtype=object)], 0) is None
    assert add_up_numbers([FeaturePoints("age", [60], [0, 3])], [np.array([61])], 0) is None


def test_sums_that_overflow_do_no_harm():
    card = RiskCard([FeaturePoints("x", [0.0], [0, 1])])
    assert card.total_points(np.full((3, 1), 1e308)).tolist() == [1, 1, 1]


# --- rows as csv.DictReader gives them ----------------------------------------------------------

ROWS = "age,sex,note\n71,m,x\n,f,\n40.5,,y\n"


def dict_card():
    return RiskCard(
        [
            FeaturePoints("age", [60], [0, 3], missing=1),
            LevelPoints("sex", [["f"], ["m"]], [0, 2], missing=5),
        ]
    )


def test_rows_of_a_dict_reader_are_scored_with_empty_cells_as_missing_values():
    rows = list(csv.DictReader(io.StringIO(ROWS)))
    card = dict_card()
    assert card.total_points(rows).tolist() == [5, 1, 5]
    assert card.total_points(csv.DictReader(io.StringIO(ROWS))).tolist() == [5, 1, 5]
    columns = {"age": [71, None, 40.5], "sex": ["m", "f", None]}
    assert card.risk(rows).tolist() == card.risk(columns).tolist()


def test_rows_that_lack_a_name_are_refused():
    rows = list(csv.DictReader(io.StringIO(ROWS)))
    with pytest.raises(DataError, match="Row 1 has no 'sex', which others have"):
        dict_card().risk([rows[0], {"age": 3}])
    with pytest.raises(DataError, match="The card needs column 'sex'"):
        dict_card().risk([{"age": 3}])
    with pytest.raises(DataError, match="The card needs columns 'age', 'sex'"):
        dict_card().risk([{"other": 3}])
    with pytest.raises(DataError, match=r"'' is not a number.*and None for a missing value"):
        dict_card().risk({"age": [""], "sex": ["m"]})
