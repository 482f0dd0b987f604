"""The paper's data come out as published: the loss of the reference card on every data set."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from riskcard.errors import ParameterError
from riskcard.logistic import log_loss
from riskcard.paper.synthetic_data import paper_data

#: (rows, features) -> the published loss of the reference card, to the cent.
PUBLISHED = {
    (200, 1): 96.16,
    (200, 2): 24.80,
    (200, 3): 45.54,
    (200, 4): 26.34,
    (200, 5): 38.36,
    (1000, 1): 458.16,
    (5000, 1): 2315.74,
    (10000, 1): 4650.17,
    (15000, 1): 6949.49,
    (20000, 1): 9276.00,
    (1000, 2): 118.00,
    (5000, 2): 577.20,
    (10000, 2): 1163.40,
    (15000, 2): 1694.82,
    # the paper prints 9276.00 here, the figure of one feature
    (20000, 2): 2234.78,
}


def reference_loss(n_rows: int, n_features: int) -> float:
    X, y, card = paper_data(n_rows, n_features)
    return log_loss(card.log_odds(X), 2 * y - 1, np.ones(n_rows))


@pytest.mark.parametrize(("n_rows", "n_features"), PUBLISHED)
def test_the_reference_card_has_the_published_loss(n_rows, n_features):
    loss, published = reference_loss(n_rows, n_features), PUBLISHED[n_rows, n_features]
    # to the cent: rounded, or with the third decimal cut off
    assert published in (round(loss, 2), np.floor(100 * loss) / 100)


@pytest.mark.parametrize("n_features", [1, 2, 3, 4, 5])
def test_the_reference_card_ranks_all_events_above_the_rest(n_features):
    X, y, card = paper_data(200, n_features)
    assert roc_auc_score(y, card.total_points(X)) == 1.0


def test_a_risk_of_one_half_is_not_an_event():
    X, y, card = paper_data(200, 1)
    is_even = card.risk(X) == 0.5
    assert is_even.sum() > 100
    assert not y[is_even].any()


def test_a_larger_data_set_with_one_feature_begins_with_the_smaller():
    np.testing.assert_array_equal(paper_data(1000, 1).X[:200], paper_data(200, 1).X)


def test_making_data_leaves_the_global_generator_alone():
    np.random.seed(7)  # noqa: NPY002
    expected = np.random.RandomState(7).uniform()
    paper_data(10, 1)
    assert np.random.uniform() == expected  # noqa: NPY002


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ((0, 1), "n_rows is 0"),
        ((2.5, 1), "n_rows is 2.5"),
        ((10, 6), "n_features is 6. Use 1 to 5"),
    ],
)
def test_sizes_that_make_no_sense_are_refused(size, message):
    with pytest.raises(ParameterError, match=message):
        paper_data(*size)
