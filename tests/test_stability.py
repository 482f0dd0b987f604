"""The bootstrap of a card: its figures are right, and the whole fit is repeated each time."""

from __future__ import annotations

import sys
from dataclasses import FrozenInstanceError, astuple, replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from optional import pa, pd, pl
from riskcard import (
    DataError,
    FeaturePoints,
    LevelPoints,
    ParameterError,
    RiskCard,
    RiskScoreClassifier,
    RiskScoreClassifierCV,
    SolverMissing,
    bootstrap_card,
)
from riskcard.evaluation.measures import Performance
from riskcard.stability.result import CardStability
from riskcard.stability.summary import Spread, summarise_features

pytestmark = pytest.mark.filterwarnings("ignore:No card of up to:riskcard.RiskcardWarning")


@pytest.fixture(scope="module")
def signal():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 3)).round(1)
    y = (X[:, 0] + rng.normal(size=120) > 0).astype(int)
    return X, y


# --- the bootstrap ------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_a_calibrated_card_has_slope_one_on_its_own_rows(signal, weighted):
    X, y = signal
    weights = np.random.default_rng(0).integers(1, 4, 120) if weighted else None
    model = RiskScoreClassifier(2, regularization=None)
    stability = bootstrap_card(model, X, y, n_bootstraps=2, sample_weight=weights)
    assert stability.apparent.slope == pytest.approx(1, abs=1e-6)
    model.set_params(regularization="auto")
    shrunk = bootstrap_card(model, X, y, n_bootstraps=2, sample_weight=weights)
    assert shrunk.apparent.slope > 1


def test_on_noise_the_optimism_is_positive_and_the_truth_is_near():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(150, 4)), rng.integers(0, 2, 150)
    stability = bootstrap_card(RiskScoreClassifier(3, regularization=None), X, y, n_bootstraps=20)
    assert stability.optimism.auc > 0.05
    assert stability.optimism.log_loss < -0.05
    assert stability.corrected.slope < 0.7
    assert stability.apparent.auc > stability.corrected.auc


def test_every_resample_is_a_fit_of_its_own(signal):
    """What the result says is what a plain loop gives."""
    X, y = signal
    stability = bootstrap_card(RiskScoreClassifier(2), X, y, n_bootstraps=4, random_state=9)
    differences = []
    for number, seed in enumerate(np.random.SeedSequence(9).spawn(4)):
        rows = np.random.default_rng(seed).integers(120, size=120)
        model = RiskScoreClassifier(2).fit(X[rows], y[rows])
        assert stability.cards[number].features == model.card_.features
        auc = [
            roc_auc_score(y[some], model.decision_function(X[some])) for some in (rows, range(120))
        ]
        differences.append(auc[0] - auc[1])
    own = RiskScoreClassifier(2).fit(X, y)
    apparent = roc_auc_score(y, own.decision_function(X))
    assert stability.card.features == own.card_.features
    assert stability.corrected.auc == pytest.approx(apparent - np.mean(differences))
    expected = np.std(differences, ddof=1) / 2
    assert stability.standard_error.auc == pytest.approx(expected)


def test_the_result_is_reproducible_with_any_number_of_threads(signal):
    X, y = signal
    results = [
        bootstrap_card(RiskScoreClassifier(2), X, y, n_bootstraps=6, random_state=1, n_jobs=n)
        for n in (None, 2)
    ]
    assert results[0].features == results[1].features
    assert results[0].on_rows == results[1].on_rows
    other = bootstrap_card(RiskScoreClassifier(2), X, y, n_bootstraps=6, random_state=2)
    assert other.on_rows != results[0].on_rows


@pytest.mark.parametrize(
    "random_state", [None, np.int64(3), np.random.RandomState(3), np.random.default_rng(3)]
)
def test_random_states_of_every_kind_are_accepted(signal, random_state):
    X, y = signal
    stability = bootstrap_card(
        RiskScoreClassifier(1), X, y, n_bootstraps=1, random_state=random_state
    )
    assert len(stability.cards) == 1


def test_resamples_of_one_class_are_drawn_again():
    X, y = np.arange(8.0).reshape(-1, 1), np.array([0] * 7 + [1])
    # of plain draws (7/8)^8, about a third, have no event
    stability = bootstrap_card(RiskScoreClassifier(1), X, y, n_bootstraps=20)
    assert all(0 < card.training.events < 8 for card in stability.cards)


def test_weights_go_along_with_their_rows(signal):
    X, y = signal
    weights = np.ones(120)
    weights[:60] = 0
    stability = bootstrap_card(RiskScoreClassifier(1), X, y, n_bootstraps=3, sample_weight=weights)
    own = RiskScoreClassifier(1).fit(X[60:], y[60:])
    assert stability.card.features == own.card_.features
    assert stability.apparent.auc == pytest.approx(
        roc_auc_score(y[60:], own.decision_function(X[60:]))
    )
    assert all(30 < card.training.rows < 90 for card in stability.cards)


def test_tables_of_every_kind_give_the_same_result(signal):
    X, y = signal
    frame = pd.DataFrame(X, columns=["age", "bmi", "dose"])
    tables = [frame, pl.from_pandas(frame), pa.Table.from_pandas(frame), X, X.tolist()]
    results = [bootstrap_card(RiskScoreClassifier(1), table, y, n_bootstraps=3) for table in tables]
    assert len({result.on_rows for result in results}) == 1
    assert results[0].features[0].name == "age"


def test_missing_values_texts_and_categories_are_resampled(mixed, recwarn):
    frame, y = mixed
    # other libraries do not hand on the order of levels, which the regression uses
    frame = frame.assign(stage=frame["stage"].astype(str))
    reference = bootstrap_card(RiskScoreClassifier(2), frame, y, n_bootstraps=6)
    shape = {one.name: one for one in reference.features}["shape"]
    assert shape.share > 0
    assert shape.cuts == ()
    known = {"round", "oval", "lobular", "irregular", "missing"}
    assert {value for value, _ in shape.values} <= known
    assert "lobular" in str(reference)
    for table in (pl.from_pandas(frame), pa.Table.from_pandas(frame, preserve_index=False)):
        result = bootstrap_card(RiskScoreClassifier(2), table, y, n_bootstraps=6)
        np.testing.assert_allclose(
            astuple(result.corrected), astuple(reference.corrected), rtol=1e-6
        )
    assert not recwarn.list


def test_pipelines_are_repeated_as_a_whole(signal):
    X, y = signal
    weights = np.linspace(1, 2, 120)
    pipeline = make_pipeline(MinMaxScaler(), RiskScoreClassifier(1))
    stability = bootstrap_card(pipeline, X, y, n_bootstraps=3, sample_weight=weights)
    plain = bootstrap_card(RiskScoreClassifier(1), X, y, n_bootstraps=3, sample_weight=weights)
    assert all(0 <= cut <= 1 for card in stability.cards for cut in card.features[0].cuts)
    np.testing.assert_allclose(astuple(stability.corrected), astuple(plain.corrected), rtol=1e-9)


def test_copies_of_a_row_stay_in_one_fold(signal, monkeypatch):
    X, y = signal
    seen = []
    honest = RiskScoreClassifierCV.fit

    def noting(self, X, y, sample_weight=None, groups=None):
        seen.append((X, groups))
        return honest(self, X, y, sample_weight, groups)

    monkeypatch.setattr(RiskScoreClassifierCV, "fit", noting)
    bootstrap_card(RiskScoreClassifierCV(max_terms=1, cv=3), X, y, n_bootstraps=2)
    (_, own), *resamples = seen
    assert own is None
    for table, groups in resamples:
        np.testing.assert_array_equal(table, X[groups])


def test_progress_is_reported_after_every_resample(signal):
    X, y = signal
    calls = []
    bootstrap_card(
        RiskScoreClassifier(1), X, y, n_bootstraps=3, n_jobs=2, progress=lambda: calls.append(1)
    )
    assert len(calls) == 3


# --- the summary --------------------------------------------------------------------------------


def cards_of(*features) -> list[RiskCard]:
    names = ("age", "shape", "dose")
    return [RiskCard(each, multiplier=2.0, feature_names=names) for each in features]


def test_features_are_summed_up_over_the_cards_that_use_them():
    shape = LevelPoints("shape", [["round", "oval"], ["lobular"]], [1, 3], missing=2)
    cards = cards_of(
        [FeaturePoints("age", [60], [0, 3]), shape],
        [FeaturePoints("age", [50, 70], [0, 4, 1], missing=6, codes=[(-9, 2)])],
        [FeaturePoints("age", [65], [2, 0])],
        [],
    )
    age, level, dose = summarise_features(cards[0], cards)
    assert (age.name, age.share, age.is_on_card) == ("age", 0.75, True)
    assert age.cuts == (Spread(60, 60, 65),)  # two of three cards have one cut
    assert age.points == Spread(2, 3, 6)
    assert age.log_odds == Spread(1, 1.5, 3)
    assert age.mean_cuts == pytest.approx(4 / 3)
    assert age.rises == pytest.approx(2 / 3)
    assert age.values == (("-9", Spread(2, 2, 2)), ("missing", Spread(6, 6, 6)))
    assert (level.name, level.share, level.cuts, level.rises) == ("shape", 0.25, (), None)
    assert [value for value, _ in level.values] == ["round", "oval", "lobular", "missing"]
    assert [spread.middle for _, spread in level.values] == [0, 0, 2, 1]
    assert (dose.share, dose.points, dose.is_on_card) == (0, None, False)


def test_each_cut_has_a_spread_of_its_own():
    """Of all cuts together, the median would belong to neither."""
    cards = cards_of(
        [FeaturePoints("age", [40, 70], [0, 1, 3]), FeaturePoints("dose", [1], [0, 1])],
        [FeaturePoints("age", [41, 72], [0, 1, 3])],
        [FeaturePoints("age", [45, 71], [0, 1, 3])],
        [FeaturePoints("age", [60], [0, 3])],
        [FeaturePoints("age", [62], [0, 3]), FeaturePoints("dose", [1, 2], [0, 1, 2])],
    )
    age, dose, _ = summarise_features(cards[0], cards)
    assert age.cuts == (Spread(40, 41, 45), Spread(70, 71, 72))
    assert dose.cuts == (Spread(1, 1, 1),)  # of two numbers that are as common, the smaller
    assert age.mean_cuts == pytest.approx(8 / 5)
    figures = tuple(Performance(0.9, 0.2, 1.0) for _ in cards)
    stability = CardStability(cards[0], tuple(cards), Performance(0.8, 0.3, 1.0), figures, figures)
    assert "41 (40, 45); 71 (70, 72)" in str(stability)
    first, second, third = stability.feature_rows()
    assert [first[name] for name in ("cut_5", "cut_50", "cut_95")] == [40, 41, 45]
    assert [first[name] for name in ("cut_2_5", "cut_2_50", "cut_2_95")] == [70, 71, 72]
    assert (second["cut_50"], second["cut_2_50"], third["cut_50"]) == (1, None, None)
    assert list(first) == list(second) == list(third)


def made_by_hand(slopes) -> CardStability:
    cards = cards_of([FeaturePoints("age", [60], [0, 3])], [FeaturePoints("dose", [1], [0, 1])])
    figures = tuple(Performance(0.9, 0.2, slope) for slope in slopes)
    others = tuple(Performance(0.7, 0.5, 0.5) for _ in slopes)
    return CardStability(cards[0], tuple(cards), Performance(0.8, 0.3, 1.0), figures, others)


def test_slopes_that_do_not_exist_are_left_out_and_counted():
    stability = made_by_hand([1.0, np.inf])
    assert stability.optimism.slope == pytest.approx(0.5)
    assert stability.corrected.auc == pytest.approx(0.6)
    assert stability.corrected.log_loss == pytest.approx(0.6)
    assert stability.n_slopes == 1
    assert "not finite in 1 resamples" in str(stability).replace("\n", " ")
    assert np.isnan(made_by_hand([np.nan, np.inf]).corrected.slope)
    odd = replace(stability, apparent=Performance(0.8, 0.3, np.inf))
    assert np.isnan(odd.corrected.slope)
    assert odd.corrected.auc == pytest.approx(0.6)


def test_the_text_says_what_was_found():
    text = str(made_by_hand([1.0, 1.0]))
    lines = [line.split() for line in text.splitlines()]
    assert ["age", "yes", "50", "%", "60", "3", "1.5", "100", "%"] in lines
    assert ["dose", "50", "%", "1", "1", "0.5", "100", "%"] in lines
    assert ["AUC", "0.800", "0.200", "0.600"] in lines
    assert "Never used: shape." in text
    assert "50 % of the resamples give the features of the card itself" in text.replace("\n", " ")


def test_a_result_is_frozen_and_comes_as_frames():
    stability = made_by_hand([1.0, 1.0])
    with pytest.raises(FrozenInstanceError):
        stability.card = None
    pytest.importorskip("pandas")
    frame = stability.features_frame()
    assert frame["feature"].tolist() == ["age", "dose", "shape"]
    assert frame["cut_50"].tolist()[:2] == [60, 1]
    assert frame["share"].tolist() == [0.5, 0.5, 0]
    table = stability.performance_frame()
    assert table.loc["corrected", "auc"] == pytest.approx(0.6)
    assert list(table.index) == ["apparent", "optimism", "corrected", "standard_error"]


def test_without_pandas_there_is_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(SolverMissing, match="needs pandas"):
        made_by_hand([1.0]).features_frame()


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_bootstraps": 0}, "n_bootstraps is 0"),
        ({"n_bootstraps": 2.5}, r"n_bootstraps is 2\.5"),
        ({"random_state": -1}, "random_state is -1"),
        ({"random_state": "seed"}, "random_state is 'seed'"),
        ({"estimator": "card"}, "The estimator is 'card'"),
        ({"estimator": LogisticRegression()}, "LogisticRegression has no card_"),
    ],
)
def test_impossible_arguments_are_named(signal, arguments, message):
    X, y = signal
    estimator = arguments.pop("estimator", RiskScoreClassifier(1))
    with pytest.raises(ParameterError, match=message):
        bootstrap_card(estimator, X, y, **arguments)


def test_labels_of_one_class_are_refused(signal):
    X, _ = signal
    with pytest.raises(DataError, match="one class only"):
        bootstrap_card(RiskScoreClassifier(1), X, np.ones(120))


def test_an_error_in_a_resample_says_which():
    X, y = np.arange(6.0).reshape(-1, 1), [0, 1, 0, 1, 0, 1]
    weights = [1.0, 1, 1, 1, 0, 0]
    with pytest.raises(DataError, match=r"Resample \d+: The table has \d rows, fewer than the 4"):
        bootstrap_card(RiskScoreClassifier(4), X, y, n_bootstraps=20, sample_weight=weights)


def test_with_few_events_the_correction_is_called_too_good(signal):
    X, y = signal
    found = bootstrap_card(RiskScoreClassifier(1), X, y, n_bootstraps=2)
    words = "corrected figures usually stay too good"
    assert words in " ".join(str(found).split())
    training = replace(found.card.training, rows=900, events=400, weight=900.0, event_weight=400.0)
    many = replace(found, card=replace(found.card, training=training))
    assert words not in " ".join(str(many).split())
