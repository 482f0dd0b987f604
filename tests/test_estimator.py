"""The classifier is a good scikit-learn citizen, and says what its card does."""

from __future__ import annotations

import math
import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from optional import pa, pd, pl
from riskcard import (
    DataError,
    ParameterError,
    Regularization,
    RiskCard,
    RiskcardError,
    RiskcardWarning,
    RiskScoreClassifier,
    RiskScoreClassifierCV,
    audit_card,
    find_pool,
)
from riskcard.card.sentences import kind_words
from riskcard.data.table import make_table
from riskcard.encoding.rank_table import rank_table
from riskcard.estimators import learning
from riskcard.problem import merge_rows
from riskcard.problem.merge_rows import merge_equal_rows

IS_OLD = sklearn.__version__.startswith("1.6")
SCALES = ["calibrated", "multiplier", 1, 2.5]


def _two_labels(estimator: object, y: np.ndarray) -> np.ndarray:
    return np.where(y == y.min(), y, y.min() + 1) if y.size else y


if IS_OLD:
    # Up to 1.6 the check itself gave shuffled rows other labels (scikit-learn issue 30770); this
    # is its repair of 1.7.
    estimator_checks._enforce_estimator_tags_y = _two_labels


@pytest.mark.filterwarnings("ignore:The target has the values")  # such as 1 and 2
@parametrize_with_checks([RiskScoreClassifier(), RiskScoreClassifier(regularization=None)])
def test_every_check_of_scikit_learn_passes(estimator, check, monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # one check is skipped without it
    name = getattr(check, "func", check).__name__
    if estimator.regularization == "auto" and name.endswith("equivalence_on_dense_data"):
        # the unit of weights does not matter, so a row of weight 2 is not two rows of evidence
        with pytest.raises(AssertionError, match="not equivalent"):
            check(estimator)
    else:
        check(estimator)


@pytest.mark.parametrize("scale", SCALES)
def test_every_result_passes_the_audit(cancer, scale):
    X, y = cancer
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    classifier = RiskScoreClassifier(max_terms=3, scale=scale).fit(X, y, sample_weight=weights)
    report = audit_card(classifier, X, y, sample_weight=weights)
    assert report.passed, str(report)
    assert report.loss == pytest.approx(classifier.loss_, rel=1e-12)


def test_fitted_attributes_agree_with_the_card(small):
    X, y = small
    classifier = RiskScoreClassifier(max_terms=2).fit(X, y)
    certificate = classifier.card_.certificate
    assert type(classifier.status_) is str
    assert classifier.status_ == "heuristic"
    assert (certificate.loss, certificate.bound) == (classifier.loss_, classifier.lower_bound_)
    assert classifier.gap_ == 1.0
    assert classifier.card_.training.rows == 60
    assert classifier.n_features_in_ == 3
    assert not hasattr(classifier, "feature_names_in_")


@pytest.mark.parametrize("scale", SCALES)
def test_adding_up_the_card_by_hand_gives_the_probabilities(small, scale):
    X, y = small
    classifier = RiskScoreClassifier(max_terms=3, scale=scale).fit(X, y)
    card = classifier.card_
    by_hand = []
    for row in X:
        total = card.base
        for feature in card.features:
            value = row[int(feature.name[1:])]
            total += feature.points[sum(value > cut for cut in feature.cuts)]
        by_hand.append(total / card.multiplier + card.offset)
    log_odds = classifier.decision_function(X)
    np.testing.assert_allclose(log_odds, by_hand, rtol=1e-12)
    risks = 1 / (1 + np.exp(-np.array(by_hand)))
    np.testing.assert_allclose(classifier.predict_proba(X)[:, 1], risks, rtol=1e-12)
    assert (classifier.predict(X) == (log_odds > 0)).all()
    np.testing.assert_array_equal(classifier.total_points(X), card.total_points(X))


def test_the_lowest_loss_is_the_weighted_sum_on_raw_rows(small):
    X, y = small
    weights = np.linspace(0.5, 2, 60)
    classifier = RiskScoreClassifier(2, regularization=None).fit(X, y, sample_weight=weights)
    risks = classifier.predict_proba(X)[np.arange(60), y]
    assert classifier.loss_ == pytest.approx(-(weights * np.log(risks)).sum(), rel=1e-12)


@pytest.mark.parametrize("labels", [("no", "yes"), (False, True), (-1, 1), (0.0, 5.0)])
def test_any_two_labels_give_the_same_card(small, labels):
    X, y = small
    plain = RiskScoreClassifier(max_terms=2).fit(X, y)
    other = RiskScoreClassifier(max_terms=2).fit(X, np.array(labels)[y])
    assert other.card_.features == plain.card_.features
    assert other.loss_ == plain.loss_
    assert other.classes_.tolist() == list(labels)
    assert other.card_.classes == labels
    np.testing.assert_array_equal(other.predict(X), np.array(labels)[plain.predict(X)])


def test_frames_of_every_kind_give_the_same_card(small):
    X, y = small
    names = ["age", "bmi", "dose"]
    pandas = pd.DataFrame(X, columns=names)
    polars = pl.DataFrame(X, schema=names)
    reference = RiskScoreClassifier(max_terms=2).fit(pandas, pd.Series(y))
    for frame, target in ((polars, pl.Series(y)), (pandas.convert_dtypes(), list(y))):
        classifier = RiskScoreClassifier(max_terms=2).fit(frame, target)
        assert classifier.card_.features == reference.card_.features
        assert classifier.card_.feature_names == tuple(names)
        if not IS_OLD:  # 1.6 does not see the names of new polars frames
            assert classifier.feature_names_in_.tolist() == names
        np.testing.assert_array_equal(classifier.predict(frame), reference.predict(pandas))
    with pytest.raises(ValueError, match="feature names should match"):
        reference.predict(pandas[["bmi", "age", "dose"]])


def test_row_order_and_repetition_do_not_change_a_bit(small):
    X, y = small
    rng = np.random.default_rng(1)
    counts = rng.integers(0, 4, 60)
    # what is regularised by itself counts rows, and a row of weight 3 is not three rows
    model = RiskScoreClassifier(max_terms=3, regularization=None)
    weighted = clone(model).fit(X, y, sample_weight=counts)
    order = rng.permutation(np.repeat(np.arange(60), counts))
    repeated = clone(model).fit(X[order], y[order])
    assert repeated.result_.solution == weighted.result_.solution
    np.testing.assert_array_equal(repeated.predict_proba(X), weighted.predict_proba(X))


def test_the_order_of_rows_does_not_change_a_regularised_card(small):
    X, y = small
    order = np.random.default_rng(1).permutation(60)
    model, other = RiskScoreClassifier(3).fit(X, y), RiskScoreClassifier(3).fit(X[order], y[order])
    assert other.card_.features == model.card_.features
    np.testing.assert_allclose(other.predict_proba(X), model.predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize("is_shared", [False, True])
def test_merging_equal_rows_keeps_every_weight(is_shared, monkeypatch):
    """Also where all rows happen to share one digest."""
    if is_shared:
        monkeypatch.setattr(
            merge_rows,
            "_order_by_digest",
            lambda data: (np.arange(data.n_rows), np.arange(data.n_rows) == 0),
        )
    X = [[1.0, 2], [0, 2], [1, 2], [1, 2], [0, 3]]
    data, _ = rank_table(make_table(X, [1, 0, 1, 0, 0], [1.0, 2, 4, 8, 16]))
    merged = merge_equal_rows(data)
    rows = zip(*merged.codes.tolist(), merged.labels.tolist(), merged.weights.tolist(), strict=True)
    assert sorted(rows) == [(0, 0, -1, 2), (0, 1, -1, 16), (1, 0, -1, 8), (1, 0, 1, 5)]


def test_merged_weights_do_not_depend_on_the_order_of_rows():
    weights = np.array([0.1, 0.2, 0.3, 0.7, 1e-9, 3.3])
    X, y = np.array([[1.0]] * 5 + [[2.0]]), np.array([1] * 5 + [0])
    rng = np.random.default_rng(0)
    merged = set()
    for _ in range(20):
        order = rng.permutation(6)
        data, _ = rank_table(make_table(X[order], y[order], weights[order]))
        merged.add(tuple(merge_equal_rows(data).weights.tolist()))
    assert len(merged) == 1


def test_clone_and_pickle_keep_the_model(small):
    X, y = small
    classifier = RiskScoreClassifier(max_terms=2, scale="multiplier").fit(X, y)
    reloaded = pickle.loads(pickle.dumps(classifier))
    assert reloaded.card_ == classifier.card_
    np.testing.assert_array_equal(reloaded.predict_proba(X), classifier.predict_proba(X))
    assert clone(classifier).get_params() == classifier.get_params()
    with pytest.raises(NotFittedError, match="not fitted"):
        clone(classifier).predict(X)


def test_it_works_in_pipelines_and_cross_validation(cancer):
    X, y = cancer
    pipeline = make_pipeline(MinMaxScaler(), RiskScoreClassifier(max_terms=2))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.85


def test_the_paper_problem_has_its_limits():
    classifier = RiskScoreClassifier.paper(3, time_limit=5, max_points=4)
    wanted = {
        "max_terms": 3,
        "max_features": 3,
        "max_cuts_per_feature": 1,
        "max_points": 4,
        "scale": 1,
        "certify": True,
        "time_limit": 5,
    }
    assert {name: classifier.get_params()[name] for name in wanted} == wanted
    assert RiskScoreClassifier.paper(2).max_points == 10


def test_constant_features_give_the_empty_card_and_a_note():
    classifier = RiskScoreClassifier().fit(np.ones((8, 2)), [0, 1, 1, 1, 0, 1, 1, 1])
    assert classifier.card_.terms == ()
    np.testing.assert_allclose(classifier.predict_proba(np.ones((1, 2))), [[0.25, 0.75]])
    assert "constant" in classifier.card_.certificate.notes[0]


def test_a_grid_is_kept_to_and_stated(cancer):
    X, y = cancer
    few_cuts = Regularization.only(grid=3)
    classifier = RiskScoreClassifier(max_terms=2, regularization=few_cuts).fit(X, y)
    certificate = classifier.card_.certificate
    assert not certificate.is_grid_full
    assert certificate.grid == 3
    assert "at most 3 candidate cuts per feature" in kind_words(certificate)
    for term in classifier.card_.terms:
        is_below = X[term.feature] <= term.cut
        share = is_below.groupby(np.asarray(y)).mean().mean()  # both classes count the same
        assert min(abs(share - quantile) for quantile in (0.25, 0.5, 0.75)) < 0.02
    every_cut = RiskScoreClassifier(max_terms=2, regularization=None).fit(X, y)
    assert every_cut.card_.certificate.is_grid_full


def test_random_states_of_every_kind_are_accepted(small):
    X, y = small
    cards = [
        RiskScoreClassifier(max_terms=2, random_state=seed).fit(X, y).card_.features
        for seed in (0, np.int64(0), None, np.random.RandomState(0))
    ]
    assert cards[0] == cards[1]


def test_threads_do_not_change_the_card(small):
    X, y = small
    cards = [RiskScoreClassifier(n_jobs=n).fit(X, y).result_.solution for n in (1, 2, None, -1)]
    assert len(set(cards)) == 1


def test_a_zero_time_limit_still_gives_a_card(small):
    X, y = small
    classifier = RiskScoreClassifier(time_limit=0, certify=True).fit(X, y)
    report = audit_card(classifier, X, y)
    assert report.passed, str(report)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_terms": 0}, "max_terms is 0"),
        ({"max_terms": 2.0}, r"max_terms is 2\.0"),
        ({"max_features": 0}, "max_features is 0"),
        ({"max_cuts_per_feature": -1}, "max_cuts_per_feature is -1"),
        ({"max_points": True}, "max_points is True"),
        ({"scale": -1}, "scale is -1"),
        ({"scale": "log"}, "scale is 'log'"),
        ({"time_limit": -1}, "time_limit is -1"),
        ({"time_limit": float("nan")}, "time_limit is nan"),
        ({"time_limit": "1"}, "time_limit is '1'"),
        ({"gap": 1.5}, r"gap is 1\.5"),
        ({"gap": float("nan")}, "gap is nan"),
        ({"n_jobs": 0}, "n_jobs is 0"),
        ({"n_jobs": "all"}, "n_jobs is 'all'"),
        ({"random_state": "seed"}, "random_state is 'seed'"),
        ({"random_state": -3}, "random_state is -3"),
    ],
)
def test_impossible_parameters_are_named(small, parameters, message):
    X, y = small
    with pytest.raises(ParameterError, match=message):
        RiskScoreClassifier(**parameters).fit(X, y)


def test_fewer_rows_than_terms_is_an_error():
    X, y = [[1.0], [2], [3], [4]], [0, 1, 0, 1]
    with pytest.raises(DataError, match="4 rows, fewer than the 5 terms"):
        RiskScoreClassifier().fit(X, y)
    RiskScoreClassifier(max_terms=4).fit(X, y)


def test_rows_without_weight_count_as_absent(small):
    X, y = small
    weights = np.ones(60)
    weights[40:] = 0
    with_zeros = RiskScoreClassifier(max_terms=2).fit(X, y, sample_weight=weights)
    without = RiskScoreClassifier(max_terms=2).fit(X[:40], y[:40])
    assert with_zeros.card_ == without.card_ or (
        with_zeros.result_.solution == without.result_.solution
    )
    with pytest.raises(DataError, match="negative in row 1"):
        RiskScoreClassifier().fit(X, y, sample_weight=[1, -1, *[1] * 58])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda result: replace(result, loss=result.loss * 1.001), "its loss is"),
        (
            lambda result: replace(
                result, solution=replace(result.solution, jumps=(99, *result.solution.jumps[1:]))
            ),
            "jump 99 of column",
        ),
    ],
)
def test_a_solver_that_errs_is_not_believed(small, monkeypatch, change, message):
    X, y = small
    honest = learning.solve
    monkeypatch.setattr(learning, "solve", lambda *given: change(honest(*given)))
    with pytest.raises(RiskcardError, match=message):
        RiskScoreClassifier(max_terms=2).fit(X, y)


def test_verbose_shows_progress_on_the_error_stream(small, capsys):
    X, y = small
    RiskScoreClassifier(max_terms=2, certify=True, verbose=True).fit(X, y)
    assert capsys.readouterr().out == ""


def test_a_card_is_titled_by_the_name_of_the_target(small):
    X, y = small
    named = pd.Series(y, name="relapse")
    model = RiskScoreClassifier(2)
    table = pa.table({"relapse": y})
    for target in (named, named.to_frame(), pl.Series("relapse", y), table):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a column that is no vector is warned of
            card = model.fit(X, target).card_
            pool = find_pool(model, X, target, tolerance=0.1)
        assert (card.outcome, str(card).splitlines()[0]) == ("relapse", "Risk of relapse")
        assert {other.outcome for other in pool} == {"relapse"}
    for target in (y, *(named.rename(name) for name in (None, 3, " ", "a\nb"))):
        assert model.fit(X, target).card_.outcome is None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert model.fit(X, named.rename("name").to_frame()).card_.outcome == "name"
        chosen = RiskScoreClassifierCV(max_terms=2, cv=2, rule="best").fit(X, named)
    assert chosen.card_.outcome == "relapse"


def steepest_of(model):
    """The most by which a term of a fitted model moves the log-odds."""
    solution = model.result_.solution
    return max(abs(jump) for jump in solution.jumps) / solution.multiplier


@pytest.mark.parametrize("scale", ["calibrated", "multiplier"])
def test_no_term_moves_the_log_odds_further_than_allowed(small, scale):
    X, y = small
    settings = {"scale": scale, "certify": True, "regularization": None}
    free = RiskScoreClassifier(3, **settings, max_log_odds=None).fit(X, y)
    steepest = steepest_of(free)
    losses = [free.loss_]
    for limit in (0.6 * steepest, 0.3 * steepest):
        model = RiskScoreClassifier(3, **settings, max_log_odds=limit).fit(X, y)
        assert 0.9 * limit < steepest_of(model) <= limit * (1 + 1e-9)
        assert model.status_ == "optimal"
        assert audit_card(model, X, y).passed
        kind = (
            " ".join(str(model.card_).split())
            .split("multiplies the odds by more than ")[1]
            .split(", ")[0]
        )
        assert 0.99 * np.exp(limit) < float(kind.replace(",", "")) <= np.exp(limit)
        losses.append(model.loss_)
        again = RiskCard.from_json(model.card_.to_json())
        assert again.certificate.max_log_odds == limit
        lied = replace(again.certificate, max_log_odds=0.9 * limit)
        told = audit_card(replace(again, certificate=lied, recipe=None), X, y)
        assert "the limit is" in str(told)
        assert not told.passed
    assert losses == sorted(losses)
    assert losses[0] < losses[-1]


@pytest.mark.parametrize("limit", [0, -1, 0.009, 31, "2", True, float("nan")])
def test_a_limit_on_log_odds_that_makes_no_sense_is_refused(small, limit):
    with pytest.raises(ParameterError, match="max_log_odds is"):
        RiskScoreClassifier(2, max_log_odds=limit).fit(*small)


def test_a_given_multiplier_leaves_no_room_for_a_limit_on_log_odds(small):
    with pytest.raises(ParameterError, match="max_points is the limit"):
        RiskScoreClassifier(2, scale=1, max_log_odds=2.0).fit(*small)


def test_a_card_without_a_limit_says_nothing_of_it(small):
    model = RiskScoreClassifier(2, max_log_odds=None).fit(*small)
    assert model.card_.recipe.resolved["max_log_odds"] == 30
    assert "multiplies the odds" not in " ".join(str(model.card_).split())


def test_a_term_multiplies_the_odds_by_at_most_1000_unless_more_is_asked_for():
    X, y = np.arange(40.0)[:, None], np.arange(40) >= 20
    usual = RiskScoreClassifier(1, certify=True, regularization=None).fit(X, y)
    assert steepest_of(usual) == pytest.approx(math.log(1000), rel=1e-12)
    assert usual.status_ == "optimal"
    assert audit_card(usual, X, y).passed
    assert "no term multiplies the odds by more than 1,000" in " ".join(str(usual.card_).split())
    steeper = RiskScoreClassifier(1, max_log_odds=None, regularization=None).fit(X, y)
    assert steepest_of(steeper) == pytest.approx(30, rel=1e-12)
    assert steeper.loss_ < usual.loss_


def test_a_given_multiplier_knows_no_usual_limit():
    X, y = np.arange(40.0)[:, None], np.arange(40) >= 20
    model = RiskScoreClassifier(1, max_points=10, scale=1, regularization=None).fit(X, y)
    assert model.max_log_odds == "auto"
    assert steepest_of(model) == 10


def test_a_search_over_sizes_hands_the_limit_on_log_odds_down(small):
    chosen = RiskScoreClassifierCV(
        RiskScoreClassifier(max_log_odds=0.5), max_terms=2, cv=2, rule="best"
    ).fit(*small)
    assert chosen.card_.certificate.max_log_odds == 0.5
    noise = np.random.default_rng(0).random((60, 2)), np.arange(60) % 2
    for limit in (0.5, None):
        with pytest.warns(RiskcardWarning, match="the card has no terms"):
            empty = RiskScoreClassifierCV(
                RiskScoreClassifier(max_log_odds=limit), max_terms=2, cv=2
            ).fit(*noise)
        assert empty.n_terms_ == 0
        assert empty.card_.certificate.max_log_odds == (limit or 30)


# --- mappings from name to column ---------------------------------------------------------------


@pytest.fixture(scope="module")
def mapping():
    rng = np.random.default_rng(0)
    X = {"a": rng.normal(size=80), "b": rng.choice(["x", "y"], 80).tolist()}
    return X, (X["a"] + rng.normal(size=80) > 0).astype(int)


def test_a_mapping_of_columns_gives_the_card_of_the_frame(mapping):
    X, y = mapping
    frame = pd.DataFrame(X)
    model, other = (RiskScoreClassifier(2).fit(rows, y) for rows in (X, frame))
    assert model.card_.features == other.card_.features
    assert model.feature_names_in_.tolist() == ["a", "b"]
    for name in ("predict_proba", "predict", "decision_function", "total_points", "transform"):
        assert np.array_equal(getattr(model, name)(X), getattr(other, name)(frame)), name
    assert model.score(X, y) == other.score(frame, y)
    turned = dict(reversed(X.items()))
    assert np.array_equal(model.predict(turned), model.predict(X))
    with pytest.raises(DataError, match="columns"):
        model.predict({"z": X["a"]})


def test_folds_of_a_mapping_are_those_of_the_frame(mapping):
    X, y = mapping
    model, other = (
        RiskScoreClassifierCV(RiskScoreClassifier(2, random_state=0), max_terms=2, cv=2).fit(
            rows, y
        )
        for rows in (X, {"a": pd.Series(X["a"]), "b": pd.Series(X["b"], dtype="category")})
    )
    assert model.best_estimator_.card_.terms == other.best_estimator_.card_.terms
    assert model.n_features_in_ == 2


def test_a_mapping_without_names_is_one_of_columns_in_their_order(mapping):
    X, y = mapping
    model = RiskScoreClassifier(2).fit({0: X["a"], 1: X["a"] ** 2}, y)
    assert model.n_features_in_ == 2
    assert not hasattr(model, "feature_names_in_")
    assert model.predict({0: X["a"], 1: X["a"] ** 2}).shape == (80,)
