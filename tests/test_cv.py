"""Choosing the size: the path, the rule, and the manners of a scikit-learn classifier."""

from __future__ import annotations

import pickle
import sys

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, make_scorer, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
)
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from optional import pa, pd, pl
from riskcard import (
    CardRules,
    DataError,
    FeatureRule,
    ParameterError,
    RiskcardWarning,
    RiskScoreClassifier,
    RiskScoreClassifierCV,
    SolverMissing,
    audit_card,
)
from riskcard.data.frames import take_rows
from riskcard.estimators.cross_validation import path as path_module
from riskcard.estimators.cross_validation.folds import ShuffledFolds
from riskcard.estimators.cross_validation.size_choice import PathScores, choose_size, results_of

pytestmark = pytest.mark.filterwarnings("ignore:No card of up to:riskcard.RiskcardWarning")

if sklearn.__version__.startswith("1.6"):
    # the same repair of scikit-learn's own check as in test_estimator.py
    estimator_checks._enforce_estimator_tags_y = lambda _, y: (
        np.where(y == y.min(), y, y.min() + 1) if y.size else y
    )


@pytest.fixture(scope="module")
def smooth():
    """Real numbers without ties: no two cards have the same loss."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(90, 3))
    y = (X[:, 0] + 0.7 * X[:, 1] + rng.normal(size=90) > 0).astype(int)
    return X, y


@pytest.fixture(scope="module")
def noise():
    rng = np.random.default_rng(0)
    return rng.normal(size=(120, 2)), rng.integers(0, 2, 120)


def path_of(test, folds_a_pass=None, sizes=None) -> PathScores:
    """A path with these test scores; the rest is of no matter."""
    test = np.array(test, dtype=float)
    sizes = np.arange(test.shape[1]) if sizes is None else np.array(sizes)
    blank = np.zeros_like(test)
    return PathScores(sizes, test, blank, blank, blank, blank, folds_a_pass or len(test))


#: Automatic regularization counts rows, so that a row of weight 2 is not two rows.
LOWEST_LOSS = RiskScoreClassifier(regularization=None)


@pytest.mark.filterwarnings("ignore:The target has the values")  # such as 1 and 2
@parametrize_with_checks([RiskScoreClassifierCV(LOWEST_LOSS, max_terms=2, cv=2)])
def test_every_check_of_scikit_learn_passes(estimator, check, monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # one check is skipped without it
    check(estimator)


# --- the rule -----------------------------------------------------------------------------------


def test_the_smallest_size_within_one_standard_error_is_chosen():
    # means 1, 4, 5, 4.9; the distances of 4 from 5 are 0, 0 and 3: sqrt(3) / sqrt(3) = 1
    path = path_of([[1, 4, 4, 4.9], [1, 4, 4, 4.9], [1, 4, 7, 4.9]])
    assert path.standard_errors[1:3] == pytest.approx([1, 0])
    choice = choose_size(path, "one_se")
    assert (choice.chosen, choice.best) == (1, 2)
    assert choose_size(path, "best").chosen == 2


def test_folds_that_are_easy_for_every_size_do_not_blur_the_choice():
    worse_in_every_fold = np.array([[0.0, 1.0], [0.1, 1.0], [0.0, 1.1]])
    path = path_of(worse_in_every_fold + np.array([[0.0], [50.0], [-50.0]]))
    assert path.standard_errors == pytest.approx(path_of(worse_in_every_fold).standard_errors)
    assert choose_size(path, "one_se").chosen == 1


def test_a_size_just_below_one_standard_error_is_not_chosen():
    path = path_of([[1, 3.99, 4, 4.9], [1, 3.99, 4, 4.9], [1, 3.99, 7, 4.9]])
    assert choose_size(path, "one_se").chosen == 2


def test_of_equal_scores_the_smallest_size_is_best_whatever_rounding_does():
    third = 0.1 + 0.2
    path = path_of([[0, 0.3, third], [0, 0.3, third]])
    assert choose_size(path, "best").chosen == 1


def test_repetition_of_the_folds_does_not_shrink_the_standard_error():
    once = path_of([[1.0, 9], [2, 9], [3, 9]])
    often = path_of([[1.0, 9], [2, 9], [3, 9]] * 100, folds_a_pass=3)
    deviation = np.std([1, 2, 3] * 100, ddof=1)
    assert often.standard_errors[0] == pytest.approx(deviation / np.sqrt(3))
    assert once.standard_errors[0] == pytest.approx(1 / np.sqrt(3))


def test_results_have_the_figures_of_every_fold():
    path = path_of([[1, 5, 3], [2, 2, 3]])
    results = results_of(path, choose_size(path, "best"))
    assert results["mean_test_score"].tolist() == [1.5, 3.5, 3]
    assert results["std_test_score"].tolist() == [0.5, 1.5, 0]
    assert results["rank_test_score"].tolist() == [3, 1, 2]
    assert results["split1_test_score"].tolist() == [2, 2, 3]
    assert results["is_chosen"].tolist() == [False, True, False]


def test_a_single_fold_has_no_standard_error(smooth):
    X, y = smooth
    split = [(np.arange(60), np.arange(60, 90))]
    with pytest.raises(ParameterError, match="only one fold"):
        RiskScoreClassifierCV(max_terms=2, cv=split).fit(X, y)
    model = RiskScoreClassifierCV(max_terms=2, cv=split, rule="best").fit(X, y)
    assert np.isnan(model.cv_results_["se_test_score"]).all()
    assert model.n_terms_ == model.best_n_terms_


# --- the path -----------------------------------------------------------------------------------


@pytest.mark.parametrize("scoring", ["neg_log_loss", "roc_auc", None])
def test_scores_are_those_of_a_grid_search(smooth, scoring):
    X, y = smooth
    folds = StratifiedKFold(3, shuffle=True, random_state=1)
    model = RiskScoreClassifierCV(max_terms=3, cv=folds, scoring=scoring).fit(X, y)
    sizes = {"max_terms": [1, 2, 3]}
    search = GridSearchCV(
        RiskScoreClassifier(), sizes, cv=folds, scoring=scoring, return_train_score=True
    ).fit(X, y)
    for name in ("mean_test_score", "std_test_score", "mean_train_score", "split2_test_score"):
        np.testing.assert_allclose(model.cv_results_[name][1:], search.cv_results_[name], rtol=1e-9)
    assert model.cv_results_["n_terms"].tolist() == [0, 1, 2, 3]
    assert model.n_splits_ == 3


def test_the_first_size_is_the_share_of_events(smooth):
    X, y = smooth
    folds = list(KFold(3).split(X))
    results = RiskScoreClassifierCV(max_terms=1, cv=folds).fit(X, y).cv_results_
    for fold, (fit, test) in enumerate(folds):
        share = np.full(test.size, y[fit].mean())
        expected = -log_loss(y[test], share)
        assert results[f"split{fold}_test_score"][0] == pytest.approx(expected, rel=1e-7)
    assert results["mean_n_features"][0] == 0


def test_the_last_card_is_that_of_all_rows_and_passes_the_audit(cancer):
    X, y = cancer
    model = RiskScoreClassifierCV(max_terms=3, cv=3).fit(X, y)
    alone = RiskScoreClassifier(model.n_terms_).fit(X, y)
    assert model.card_.features == alone.card_.features
    assert model.loss_ == pytest.approx(alone.loss_, rel=1e-12)
    assert model.card_.training.rows == len(y)
    assert "chosen by cross-validation" in model.card_.certificate.notes[-1]
    report = audit_card(model, X, y)
    assert report.passed, str(report)


@pytest.mark.parametrize("scale", ["calibrated", "multiplier", 1, 2.5])
def test_noise_gives_the_empty_card_and_a_warning(noise, scale):
    X, y = noise
    with pytest.warns(RiskcardWarning, match="better than the share of events alone"):
        model = RiskScoreClassifierCV(RiskScoreClassifier(scale=scale), max_terms=2, cv=4).fit(X, y)
    assert model.n_terms_ == 0
    assert model.card_.features == ()
    assert model.card_.feature_names == ("x0", "x1")
    assert len(set(model.predict_proba(X)[:, 1])) == 1
    if scale in ("calibrated", "multiplier"):
        np.testing.assert_allclose(model.predict_proba(X)[:, 1], y.mean())
    report = audit_card(model, X, y)
    assert report.passed, str(report)


def test_only_the_last_fit_is_certified(smooth, monkeypatch):
    X, y = smooth
    fits = []
    honest = RiskScoreClassifier._fit

    def noting(self, X, y, *more):
        fits.append((len(y), self.certify))
        return honest(self, X, y, *more)

    monkeypatch.setattr(RiskScoreClassifier, "_fit", noting)
    model = RiskScoreClassifierCV(
        RiskScoreClassifier(certify=True), max_terms=2, cv=3, rule="best"
    ).fit(X, y)
    assert model.status_ == "optimal"
    assert (model.lower_bound_, model.gap_) == (
        model.best_estimator_.lower_bound_,
        model.best_estimator_.gap_,
    )
    assert fits[-1] == (90, True)
    assert not any(is_certified for _, is_certified in fits[:-1])


def test_threads_do_not_change_a_bit(smooth):
    X, y = smooth
    models = [RiskScoreClassifierCV(max_terms=3, cv=4, n_jobs=n).fit(X, y) for n in (None, 2, -1)]
    for model in models[1:]:
        assert model.card_.features == models[0].card_.features
        for name, column in models[0].cv_results_.items():
            if "time" not in name:
                np.testing.assert_array_equal(model.cv_results_[name], column)


def test_the_path_ends_where_a_fold_has_no_more_rows():
    X, y = np.arange(12.0).reshape(-1, 1), np.array([0, 1] * 6)
    model = RiskScoreClassifierCV(cv=2).fit(X, y)
    assert model.cv_results_["n_terms"].tolist() == list(range(7))


def test_an_interrupt_ends_all_threads(smooth, monkeypatch):
    X, y = smooth
    n_fits = 0

    def interrupted(self, X, y, *more):
        nonlocal n_fits
        n_fits += 1
        raise KeyboardInterrupt

    monkeypatch.setattr(RiskScoreClassifier, "_fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        RiskScoreClassifierCV(max_terms=3, n_jobs=2).fit(X, y)
    assert n_fits <= 5


# --- rows, weights and groups -------------------------------------------------------------------


def test_tables_of_every_kind_give_the_same_path(small):
    X, y = small
    frame = pd.DataFrame(X, columns=["age", "bmi", "dose"])
    reference = RiskScoreClassifierCV(max_terms=2, cv=3).fit(frame, pd.Series(y))
    assert reference.feature_names_in_.tolist() == ["age", "bmi", "dose"]
    kinds = (
        (pl.from_pandas(frame), pl.Series(y)),
        (pa.Table.from_pandas(frame), y),
        (frame.set_index(np.arange(60)[::-1]), list(y)),
        (X, y),
    )
    for table, target in kinds:
        model = RiskScoreClassifierCV(max_terms=2, cv=3).fit(table, target)
        for name in ("mean_test_score", "mean_train_score"):
            np.testing.assert_array_equal(model.cv_results_[name], reference.cv_results_[name])
        np.testing.assert_array_equal(model.predict_proba(table), reference.predict_proba(frame))


@pytest.mark.slow
def test_missing_values_texts_and_categories_go_through_the_path(mixed):
    frame, y = mixed
    # other libraries do not hand on the order of levels, which the regression uses
    frame = frame.assign(stage=frame["stage"].astype(str))
    reference = RiskScoreClassifierCV(
        RiskScoreClassifier(rules=CardRules(min_bin_rows=10)), max_terms=3, cv=3
    ).fit(frame, y)
    assert reference.n_terms_ > 0
    report = audit_card(reference, frame, y)
    assert report.passed, str(report)
    tables = (pl.from_pandas(frame), pa.Table.from_pandas(frame, preserve_index=False))
    for table in tables:
        model = RiskScoreClassifierCV(
            RiskScoreClassifier(rules=CardRules(min_bin_rows=10)), max_terms=3, cv=3
        ).fit(table, y)
        for name in ("mean_test_score", "mean_train_score"):
            np.testing.assert_allclose(
                model.cv_results_[name], reference.cv_results_[name], rtol=1e-8
            )
        np.testing.assert_array_equal(model.predict(table), reference.predict(frame))


def test_a_level_that_only_held_out_rows_have_is_no_reason_to_warn(mixed, recwarn):
    frame, y = mixed
    frame = frame[["shape", "age"]].copy()
    frame.loc[0, "shape"] = "once"
    frame.loc[1, "age"] = np.nan
    RiskScoreClassifierCV(max_terms=2, cv=3).fit(frame, y)
    assert [str(warning.message) for warning in recwarn if "once" in str(warning.message)] == []


def test_rules_hold_for_every_card_and_the_path_begins_with_what_must_be_used(mixed):
    frame, y = mixed
    rules = CardRules(
        {"smoker": FeatureRule(use="must"), "age": FeatureRule(direction="rises", cuts=[50, 60])}
    )
    model = RiskScoreClassifierCV(RiskScoreClassifier(rules=rules), max_terms=3, cv=3).fit(frame, y)
    assert model.cv_results_["n_terms"].tolist() == [1, 2, 3]
    assert "1 to 3 terms" in model.card_.certificate.notes[-1]
    names = [feature.name for feature in model.card_.features]
    assert "smoker" in names
    for feature in model.card_.features:
        assert feature.name != "age" or set(feature.cuts) <= {50, 60}
    report = audit_card(model, frame, y)
    assert report.passed, str(report)
    with pytest.raises(ParameterError, match="'smoker' must be used, but"):
        RiskScoreClassifierCV(RiskScoreClassifier(rules=rules), max_terms=3, cv=3).fit(
            frame.assign(smoker=True), y
        )


def test_rules_are_read_from_a_file_once(mixed, tmp_path, monkeypatch):
    frame, y = mixed
    path = tmp_path / "rules.toml"
    path.write_text('[features.age]\nuse = "never"\n', encoding="utf-8")
    calls = []
    honest = CardRules.load
    monkeypatch.setattr(
        CardRules, "load", classmethod(lambda cls, given: calls.append(given) or honest(given))
    )
    model = RiskScoreClassifierCV(RiskScoreClassifier(rules=path), max_terms=2, cv=3).fit(frame, y)
    assert len(calls) == 1
    assert "age" not in [feature.name for feature in model.card_.features]
    assert clone(model).estimator.rules == path


def test_class_weights_choose_points_but_scores_are_of_the_rows_as_they_are(small):
    X, y = small
    folds = list(StratifiedKFold(3).split(X, y))
    model = RiskScoreClassifierCV(
        RiskScoreClassifier(class_weight={0: 1, 1: 3}), max_terms=2, cv=folds
    ).fit(X, y)
    as_weights = RiskScoreClassifier(model.n_terms_).fit(X, y, np.where(y == 1, 3, 1))
    assert model.card_.features == as_weights.card_.features
    assert model.predict_proba(X)[:, 1].mean() == pytest.approx(y.mean())
    by_hand = []
    for fit, test in folds:
        card = RiskScoreClassifier(1, class_weight={0: 1, 1: 3}).fit(X[fit], y[fit])
        by_hand.append(-log_loss(y[test], card.predict_proba(X[test])))
    assert model.cv_results_["mean_test_score"][1] == pytest.approx(np.mean(by_hand))


def test_the_empty_card_has_the_rate_of_the_rows_whatever_the_class_weights_are(small):
    X, y = small
    keep = np.concatenate([np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:10]])
    model = RiskScoreClassifierCV(
        RiskScoreClassifier(class_weight="balanced"), max_terms=1, cv=2, rule="best"
    )
    model.fit(X[keep], y[keep])
    rate = y[keep].mean()
    entropy = rate * np.log(rate) + (1 - rate) * np.log(1 - rate)
    assert model.cv_results_["mean_test_score"][0] == pytest.approx(entropy)


def test_rows_are_taken_as_often_as_they_are_named():
    positions = np.array([2, 0, 2])
    frame = pd.DataFrame({"a": ["x", None, "z"], "b": [1.0, 2, np.nan]}, index=[7, 7, 9])
    for table in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame, preserve_index=False)):
        taken = take_rows(table, positions)
        assert type(taken) is type(table)
        assert list(taken["a"].to_numpy()) == ["z", "x", "z"]
    assert take_rows([[1], ["b"], [3]], positions) == [[3], [1], [3]]
    masked = np.ma.masked_equal([[1.0], [2.0], [3.0]], 3.0)
    assert take_rows(masked, positions).mask.ravel().tolist() == [True, False, True]


def test_groups_are_never_divided(smooth):
    X, y = smooth
    groups = np.repeat(np.arange(15), 6)
    X = np.column_stack([X, groups])
    seen = []

    def noting(model, X, y):
        seen.append(frozenset(X[:, 3]))
        return 0.0

    RiskScoreClassifierCV(max_terms=1, cv=3, repeats=1, scoring=noting, rule="best").fit(
        X, y, groups=groups
    )
    held_out, fitted = seen[0::4], seen[1::4]
    assert len(held_out) == 3
    assert all(not test & fit for test, fit in zip(held_out, fitted, strict=True))
    assert frozenset().union(*held_out) == frozenset(range(15))


def test_weights_count_in_fits_and_scores_as_repeated_rows_do(small):
    X, y = small
    counts = np.random.default_rng(2).integers(0, 3, 60)
    order = np.repeat(np.arange(60), counts)
    folds = [(np.arange(60) % 3 != fold, np.arange(60) % 3 == fold) for fold in range(3)]
    weighted = RiskScoreClassifierCV(LOWEST_LOSS, max_terms=2, cv=folds)
    weighted.fit(X, y, sample_weight=counts)
    repeated = RiskScoreClassifierCV(
        LOWEST_LOSS, max_terms=2, cv=[(fit[order], test[order]) for fit, test in folds]
    )
    repeated.fit(X[order], y[order])
    for name in ("mean_test_score", "se_test_score", "mean_train_score"):
        np.testing.assert_allclose(
            weighted.cv_results_[name], repeated.cv_results_[name], rtol=1e-9
        )
    np.testing.assert_array_equal(weighted.predict_proba(X), repeated.predict_proba(X))
    assert weighted.score(X, y, counts) == pytest.approx(repeated.score(X[order], y[order]))


def test_a_scorer_that_takes_no_weights_is_given_none(small):
    X, y = small
    weights = np.linspace(1, 2, 60)

    def plain(model, X, y):
        return float(np.mean(model.predict(X) == y))

    def weighing(model, X, y, sample_weight=None):
        assert sample_weight is not None
        return float(np.average(model.predict(X) == y, weights=sample_weight))

    def metric(truth, guess):
        return float(np.mean(truth == guess))

    found = {
        name: RiskScoreClassifierCV(max_terms=1, cv=3, scoring=scoring)
        .fit(X, y, sample_weight=weights)
        .cv_results_["mean_test_score"]
        for name, scoring in {
            "plain": plain,
            "metric": make_scorer(metric),
            "weighing": weighing,
            "accuracy": "accuracy",
        }.items()
    }
    np.testing.assert_array_equal(found["plain"], found["metric"])
    np.testing.assert_allclose(found["weighing"], found["accuracy"], rtol=1e-12)
    assert (found["plain"] != found["weighing"]).any()


@pytest.mark.parametrize(
    ("cv", "folds_a_pass"),
    [
        (RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0), 3),
        (ShuffleSplit(4, test_size=0.5, random_state=0), 2),
        (LeaveOneOut(), 20),
    ],
)
def test_the_standard_error_goes_by_folds_of_one_pass(small, cv, folds_a_pass):
    X, y = (part[:20] for part in small)
    results = RiskScoreClassifierCV(max_terms=1, cv=cv).fit(X, y).cv_results_
    n_splits = cv.get_n_splits(X)
    scores = np.array([results[f"split{fold}_test_score"] for fold in range(n_splits)])
    best = np.argmax(results["rank_test_score"] == 1)
    deviation = np.std(scores - scores[:, [best]], axis=0, ddof=1)
    np.testing.assert_allclose(results["se_test_score"], deviation / np.sqrt(folds_a_pass))


def test_a_fold_without_events_is_named(smooth):
    X, _ = smooth
    y = np.repeat([0, 1], [31, 59])  # without the first half all rows have the event
    with pytest.raises(DataError, match=r"Fold 0: .* one class only: y is 1 in all 45 rows"):
        RiskScoreClassifierCV(max_terms=1, cv=KFold(2)).fit(X, y)


def test_a_score_that_is_not_a_number_is_refused(smooth):
    X, y = smooth
    with pytest.raises(DataError, match=r"Fold 0: the score of 18 rows is nan"):
        RiskScoreClassifierCV(max_terms=1, scoring=lambda model, X, y: float("nan")).fit(X, y)


# --- a good citizen -----------------------------------------------------------------------------


def test_every_parameter_of_the_classifier_holds_for_the_last_fit(smooth):
    X, y = smooth
    own = RiskScoreClassifier(7, max_points=3, gap=0.1, certify=True, random_state=3, n_jobs=2)
    model = RiskScoreClassifierCV(own, max_terms=2, cv=2, rule="best").fit(X, y)
    wanted = {**own.get_params(), "max_terms": max(model.n_terms_, 1)}
    wanted |= {"event": 1, "identifiers": None}
    assert model.best_estimator_.get_params() == wanted
    assert own.max_terms == 7
    assert clone(model).set_params(estimator__max_points=2).estimator.max_points == 2


def test_clone_and_pickle_keep_the_model(small):
    X, y = small
    model = RiskScoreClassifierCV(
        RiskScoreClassifier(max_points=3), max_terms=2, cv=KFold(3), scoring="roc_auc"
    ).fit(X, y)
    reloaded = pickle.loads(pickle.dumps(model))
    assert reloaded.card_ == model.card_
    np.testing.assert_array_equal(reloaded.decision_function(X), model.decision_function(X))
    assert str(clone(model).get_params()) == str(model.get_params())
    assert not hasattr(clone(model), "card_")


def test_the_score_is_the_one_that_sizes_were_chosen_by(small):
    X, y = small
    model = RiskScoreClassifierCV(max_terms=2, cv=3).fit(X, y)
    assert model.score(X, y) == pytest.approx(-log_loss(y, model.predict_proba(X)))
    model = RiskScoreClassifierCV(max_terms=2, cv=3, scoring=None).fit(X, y)
    assert model.score(X, y) == np.mean(model.predict(X) == y)


def test_labels_of_any_kind_are_scored(small):
    X, y = small
    plain = RiskScoreClassifierCV(max_terms=2, cv=3).fit(X, y)
    named = RiskScoreClassifierCV(max_terms=2, cv=3).fit(X, np.array(["no", "yes"])[y])
    assert named.classes_.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(
        named.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"]
    )


def test_results_come_as_a_frame(small):
    pytest.importorskip("pandas")
    X, y = small
    model = RiskScoreClassifierCV(max_terms=2, cv=3).fit(X, y)
    frame = model.results_frame()
    assert frame["terms"].tolist() == [0, 1, 2]
    assert frame.loc[frame["chosen"], "terms"].tolist() == [model.n_terms_]
    np.testing.assert_array_equal(frame["mean_score"], model.cv_results_["mean_test_score"])


def test_without_pandas_there_is_a_sentence(small, monkeypatch):
    X, y = small
    model = RiskScoreClassifierCV(max_terms=1, cv=3).fit(X, y)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(SolverMissing, match="use cv_results_"):
        model.results_frame()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_terms": 0}, "max_terms is 0"),
        ({"max_terms": 2.5}, r"max_terms is 2\.5"),
        ({"rule": "two_se"}, "rule is 'two_se'. Use 'one_se' or 'best'"),
        ({"scoring": "log_los"}, "scoring is 'log_los'. .* such as 'neg_log_loss'"),
        ({"scoring": ["roc_auc"]}, r"scoring is \['roc_auc'\]"),
        ({"cv": 1}, "cv is 1. Use at least 2 folds"),
        ({"cv": "five"}, "cannot be divided by cv='five'"),
        ({"cv": []}, "gives no folds"),
        ({"cv": [([0, 1], [60])]}, "positions from 0 to 59"),
        ({"cv": [([0, 1], [])]}, "positions from 0 to 59"),
        ({"n_jobs": 0}, "n_jobs is 0"),
        ({"estimator": LogisticRegression()}, "estimator is LogisticRegression"),
        ({"estimator": RiskScoreClassifier(random_state="seed")}, "random_state is 'seed'"),
        ({"estimator": RiskScoreClassifier(max_points=0)}, "max_points is 0"),
        ({"estimator": RiskScoreClassifier(time_limit=-1)}, "time_limit is -1"),
    ],
)
def test_impossible_parameters_are_named(small, parameters, message):
    X, y = small
    with pytest.raises(ParameterError, match=message):
        RiskScoreClassifierCV(**parameters).fit(X, y)


def test_more_folds_than_rows_of_a_class_is_an_error(small):
    X, y = small
    with pytest.raises(ParameterError, match="cannot be divided by cv=50"):
        RiskScoreClassifierCV(max_terms=2, cv=50).fit(X, y)


def test_verbose_shows_no_bar_where_there_is_no_terminal(small, capsys):
    X, y = small
    model = RiskScoreClassifierCV(max_terms=1, cv=2, verbose=True).fit(X, y)
    assert capsys.readouterr() == ("", f"{model.data_summary_}\n")


def test_the_path_hands_each_card_on_as_a_start(smooth, monkeypatch):
    X, y = smooth
    starts = []
    honest = RiskScoreClassifier._fit

    def noting(self, X, y, sample_weight, request):
        starts.append((self.max_terms, request.start))
        return honest(self, X, y, sample_weight, request)

    monkeypatch.setattr(RiskScoreClassifier, "_fit", noting)
    rows = path_module.Rows(X, y)
    lowest_loss = RiskScoreClassifier(regularization=None)
    steps = list(path_module.card_path(lowest_loss, rows, (0, 1, 2, 3)))
    assert [step.size for step in steps] == [0, 1, 2, 3]
    assert [len(step.model.card_.terms) for step in steps] == [0, 1, 2, 3]
    losses = [step.model.loss_ for step in steps]
    assert losses == sorted(losses, reverse=True)
    one, two = steps[1].model.card_, steps[2].model.card_
    assert [given for given in starts if given[0] > 1] == [(2, one), (3, two)]


def test_a_start_does_not_change_what_a_regularised_card_is_chosen_from(cancer):
    X, y = cancer
    rows = path_module.Rows(X.iloc[:150], y.to_numpy()[:150])
    *_, last = path_module.card_path(RiskScoreClassifier(), rows, (1, 2, 3, 4))
    alone = RiskScoreClassifier(4).fit(rows.X, rows.y)
    assert last.model.card_.recipe.resolved == alone.card_.recipe.resolved
    assert alone.card_.recipe.resolved["shortlist"] is not None


def test_a_path_with_no_time_never_gets_worse_with_more_terms(smooth):
    X, y = smooth
    rows = path_module.Rows(X, y)
    hurried = RiskScoreClassifier(time_limit=0, regularization=None)
    losses = [step.model.loss_ for step in path_module.card_path(hurried, rows, range(7))]
    assert losses == sorted(losses, reverse=True)


def test_a_term_that_does_not_pay_stays_out_of_the_path(smooth):
    X, y = smooth
    model = RiskScoreClassifierCV(
        RiskScoreClassifier(rules=CardRules(min_gain=1000000.0)), max_terms=3, cv=3, rule="best"
    ).fit(X, y)
    assert model.cv_results_["mean_n_terms_used"].tolist() == [0, 0, 0, 0]
    assert model.n_terms_ == 0  # the smallest of equal sizes


def test_a_number_of_folds_is_shuffled_by_the_seed_and_repeated(small):
    X, y = small
    order = np.argsort(y, kind="stable")  # a sorted table
    X, y = X[order], y[order]
    given = ShuffledFolds(3, 2, 5)
    own = RiskScoreClassifier(random_state=5)
    plain = RiskScoreClassifierCV(own, max_terms=2, cv=3).fit(X, y)
    by_hand = RiskScoreClassifierCV(own, max_terms=2, cv=given).fit(X, y)
    assert plain.n_splits_ == 6
    for name in ("mean_test_score", "split5_test_score"):
        np.testing.assert_array_equal(plain.cv_results_[name], by_hand.cv_results_[name])


def test_auc_loss_and_slope_of_held_out_rows_are_given_for_every_size(small):
    X, y = small
    weights = np.linspace(1, 2, len(y))
    model = RiskScoreClassifierCV(max_terms=2, cv=3, repeats=1).fit(X, y, sample_weight=weights)
    results, areas, log_odds, labels, counts = model.cv_results_, [], [], [], []
    for fit, test in ShuffledFolds(3, 1, 0).split(X, y):
        fitted = RiskScoreClassifier(1).fit(X[fit], y[fit], sample_weight=weights[fit])
        log_odds.append(fitted.decision_function(X[test]))
        labels.append(y[test])
        counts.append(weights[test])
        areas.append(roc_auc_score(y[test], log_odds[-1], sample_weight=weights[test]))
    assert results["mean_test_auc"][1] == pytest.approx(np.mean(areas))
    rows = [np.concatenate(parts) for parts in (labels, log_odds, counts)]
    risks = 1 / (1 + np.exp(-rows[1]))
    expected = log_loss(rows[0], risks, sample_weight=rows[2])
    assert results["test_log_loss"][1] == pytest.approx(expected)
    line = LogisticRegression(C=1e9, tol=1e-10).fit(rows[1][:, None], rows[0], rows[2])
    assert results["test_slope"][1] == pytest.approx(line.coef_[0, 0], rel=1e-3)
    assert np.isnan(results["test_slope"][0])
    assert results["mean_test_auc"][0] == 0.5
