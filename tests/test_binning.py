"""Binning tables: counts, weight of evidence and information value, recomputed by hand; the best bins."""

import itertools
import math

import numpy as np
import pytest

from cards import mass_card
from html_reader import read_html
from optional import pd
from riskcard import RiskScoreClassifier
from riskcard.credit.binning_tables import READINGS, binning_tables
from riskcard.credit.bins import Binning, best_division, bins_of
from riskcard.data.columns import FeatureValues, read_column
from riskcard.errors import ParameterError
from riskcard.formatting.speech import say


def loans(n_rows: int = 600, seed: int = 0):
    rng = np.random.default_rng(seed)
    income = rng.lognormal(3.4, 0.45, n_rows).round()
    late = rng.poisson(0.5, n_rows).astype(float)
    purpose = rng.choice(["car", "home", "holiday"], n_rows)
    noise = rng.normal(size=n_rows)
    log_odds = -2 + 1.4 * (income <= 30) + np.minimum(late, 3) + 0.8 * (purpose == "holiday")
    y = (rng.random(n_rows) < 1 / (1 + np.exp(-log_odds))).astype(int)
    income[rng.random(n_rows) < 0.1] = np.nan
    return {"income": income, "late": late, "purpose": purpose, "noise": noise}, y


def evidence_by_hand(goods, bads):
    good, bad = np.array(goods) / np.sum(goods), np.array(bads) / np.sum(bads)
    woe = np.log(good / bad)
    return woe, (good - bad) * woe


def test_the_legend_has_every_reading_and_where_it_begins():
    text = " ".join(str(binning_tables(*loans())).split())
    for name, begin in READINGS.items():
        words = say(f"bins_reading_{name}").split(":")[0]
        assert f"{words} from {begin:g}" in text


def test_chosen_bins_are_not_said_to_be_judged_by_chance_alone():
    """A column of noise whose bins were chosen exceeds the limit in far more than one sample of twenty."""
    X, y = loans()
    chosen, fixed = (
        " ".join(str(binning_tables(X, y, method=one)).split())
        for one in ("supervised", "quantile")
    )
    assert "Bins that were chosen on these rows" in chosen
    assert "may still be due to chance" in chosen
    assert "may still be due to chance" not in fixed
    assert "Within chance: a column that has nothing to do with the event exceeds" in fixed


@pytest.mark.parametrize("method", ["supervised", "quantile"])
def test_counts_and_evidence_are_those_of_the_rows(method):
    X, y = loans()
    found = binning_tables(X, y, method=method)
    assert {one.feature for one in found} == set(X)
    assert [one.iv for one in found] == sorted((one.iv for one in found), reverse=True)
    for table in found:
        assert sum(one.rows for one in table.bins) == y.size
        assert sum(one.events for one in table.bins) == y.sum()
        woe, parts = evidence_by_hand(
            [one.rows - one.events for one in table.bins], [one.events for one in table.bins]
        )
        assert not table.is_adjusted
        assert [one.woe for one in table.bins] == pytest.approx(woe.tolist())
        assert [one.iv for one in table.bins] == pytest.approx(parts.tolist())
        assert table.iv == pytest.approx(parts.sum())
        for one in table.bins:
            assert one.rate == pytest.approx(one.events / one.rows)
            assert one.share == pytest.approx(one.rows / y.size)
            # safer than average means a positive weight of evidence
            assert (one.woe > 0) == (one.rate < y.mean()) or len(table.bins) == 1


def test_the_rows_of_a_bin_are_those_that_its_words_say():
    X, y = loans()
    income = X["income"]
    bins = binning_tables(X, y)["income"].bins
    assert bins[-1].words == "missing"
    assert bins[-1].rows == np.isnan(income).sum()
    cut = float(bins[0].words.removeprefix("≤ "))
    assert bins[0].rows == (income <= cut).sum()
    assert bins[0].events == y[income <= cut].sum()


def test_a_bin_without_bads_gets_half_a_row_as_all_others_do():
    X = {"kind": ["a"] * 6 + ["b"] * 4}
    y = [0, 0, 0, 0, 0, 0, 1, 1, 0, 0]
    table = binning_tables(X, y, method="quantile")["kind"]
    assert table.is_adjusted
    woe, parts = evidence_by_hand([6.5, 2.5], [0.5, 2.5])
    assert [one.woe for one in table.bins] == pytest.approx(woe.tolist())
    assert table.iv == pytest.approx(parts.sum())
    assert [one.rate for one in table.bins] == [0.0, 0.5]
    assert "half a row was added" in str(binning_tables(X, y, method="quantile"))


def test_weights_count_as_copies():
    X, y = loans(300)
    weights = np.random.default_rng(1).integers(1, 4, y.size)
    weighted = binning_tables(X, y, weights, method="quantile")
    copied = binning_tables(
        {name: np.repeat(column, weights) for name, column in X.items()},
        np.repeat(y, weights),
        method="quantile",
    )
    for table in copied:
        other = weighted[table.feature]
        assert other.iv == pytest.approx(table.iv)
        assert [one.rate for one in other.bins] == pytest.approx([one.rate for one in table.bins])
        assert sum(one.rows for one in other.bins) == y.size


# --- the lines of a card ------------------------------------------------------------------------


def test_the_lines_of_a_card_have_the_counts_that_it_stores():
    X, y = loans()
    card = RiskScoreClassifier(3).fit(pd.DataFrame(X), y).card_
    found = binning_tables(X, y, card=card)
    assert {one.feature for one in found} == set(X)
    for feature in card.features:
        table = found[feature.name]
        assert table.is_on_card
        assert [one.rows for one in table.bins] == list(feature.rows)
        assert [one.events for one in table.bins] == list(feature.events)
        assert [one.points for one in table.bins] == [line.points for line in feature.lines()]
    assert not found["noise"].is_on_card
    assert "late (lines of the card)" in str(found)


def test_a_line_without_rows_is_shown_without_evidence():
    rows = {
        "age": [30.0, 50.0, 70.0, 30.0],
        "shape": ["round", "round", "oval", "lobular"],
        "density": ["low", "high", "low", "high"],
        "palpable": [True, False, True, False],
    }
    found = binning_tables(rows, ["benign", "malignant", "malignant", "benign"], card=mass_card())
    code = next(one for one in found["age"].bins if one.words == "-9")
    assert (code.rows, code.rate, code.woe, code.iv) == (0, None, None, 0.0)


# --- bins ---------------------------------------------------------------------------------------


def loss_of(sums, ends):
    begins = [0, *(end + 1 for end in ends[:-1])]
    loss = 0.0
    for a, b in zip(begins, ends, strict=True):
        events, others = sums[:, a : b + 1].sum(axis=1)
        for own in (events, others):
            loss -= own * math.log(own / (events + others)) if own else 0.0
    return loss


@pytest.mark.parametrize("seed", range(8))
def test_no_other_division_is_better(seed):
    rng = np.random.default_rng(seed)
    sums = rng.integers(0, 30, (2, 7)).astype(float)
    sums[:, 0] += 1
    least, charge = 0.15 * sums.sum(), 0.5 * math.log(sums.sum())
    found = best_division(sums, least, 4)
    ways = {}
    for n_bins in (1, 2, 3, 4):
        for inner in itertools.combinations(range(6), n_bins - 1):
            ends = [*inner, 6]
            sizes = np.diff([0, *np.cumsum(sums.sum(axis=0))[list(ends)]])
            if n_bins == 1 or sizes.min() >= least:
                ways[tuple(ends)] = loss_of(sums, ends) + charge * (n_bins - 1)
    assert ways[tuple(found)] == pytest.approx(min(ways.values()))


def test_a_bin_may_have_just_the_smallest_share():
    sums = np.array([[0.0, 20.0], [80.0, 0.0]])  # one hundred rows, twenty of them events
    assert best_division(sums, 20.0, 5) == [0, 1]
    assert best_division(sums, 20.1, 5) == [1]


def test_noise_is_not_divided_and_a_jump_is_found():
    rng = np.random.default_rng(3)
    values = rng.uniform(0, 100, 1000)
    risk = np.where(values > 40, 0.6, 0.1)
    is_event, ones = rng.random(1000) < risk, np.ones(1000)
    found = bins_of("x", FeatureValues(values, None), is_event, ones, Binning())
    assert len(found.cuts) == 1
    assert found.cuts[0] == pytest.approx(40, abs=3)
    noise = bins_of("x", FeatureValues(values, None), rng.random(1000) < 0.3, ones, Binning())
    assert noise.cuts == ()


def test_quantiles_are_equal_shares_and_rare_levels_are_together():
    values = np.random.default_rng(4).permutation(np.arange(1000.0))
    binning = Binning("quantile", 4)
    found = bins_of("x", FeatureValues(values, None), values > 500, np.ones(1000), binning)
    assert found.cuts == (249.0, 499.0, 749.0)
    column = read_column(["a"] * 50 + ["b"] * 46 + ["c"] * 2 + ["d"] * 2, "kind")
    found = bins_of("kind", column, np.arange(100) % 2 == 0, np.ones(100), binning)
    assert found.groups == (("a",), ("b",), ("c", "d"))


def test_every_bin_is_large_enough():
    X, y = loans(400)
    for table in binning_tables(X, y, min_share=0.2, max_bins=6):
        assert all(one.share >= 0.2 - 1e-9 for one in table.bins if one.words != "missing")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "tree"}, "method is 'tree'. Use 'supervised' or 'quantile'"),
        ({"max_bins": 1}, "max_bins is 1"),
        ({"min_share": 0.7}, "min_share is 0.7. Use a share from 0 to 0.5"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, words):
    X, y = loans(60)
    with pytest.raises(ParameterError, match=words):
        binning_tables(X, y, **options)


# --- what it looks like -------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_a_frame_has_a_row_per_bin(backend):
    library = pytest.importorskip(backend)
    found = binning_tables(*loans())
    frame = found.to_frame(backend)
    assert isinstance(frame, library.DataFrame)
    assert list(frame.columns) == [
        "feature", "bin", "rows", "events", "share", "event_rate", "woe", "iv", "points", "feature_iv",
    ]  # fmt: skip
    assert len(frame) == sum(len(one.bins) for one in found)
    values = dict.fromkeys(frame["feature"], 0.0)
    for name, value in zip(frame["feature"], frame["iv"], strict=True):
        values[name] += value
    assert values == pytest.approx({one.feature: one.iv for one in found})


@pytest.mark.filterwarnings("ignore")  # those of the other package
def test_optbinning_finds_the_same_evidence_for_the_same_bins():
    optbinning = pytest.importorskip("optbinning")
    X, y = loans()
    late = X["late"]
    table = binning_tables({"late": late}, y)["late"]
    own = bins_of("late", FeatureValues(late, None), y == 1, np.ones(y.size), Binning())
    cuts = [cut + 0.5 for cut in own.cuts]  # there a bin begins at its split
    assert cuts
    other = optbinning.OptimalBinning(user_splits=cuts, user_splits_fixed=[True] * len(cuts))
    built = other.fit(late, y).binning_table.build()
    assert [one.woe for one in table.bins] == pytest.approx(
        built["WoE"][: len(table.bins)].tolist()
    )
    assert table.iv == pytest.approx(built["IV"].iloc[-1])


def test_it_shows_itself_as_text_and_in_a_notebook():
    X, y = loans()
    X = {"<late>": X["late"], "noise": X["noise"]}
    found = binning_tables(X, y)
    text = str(found)
    assert "positive where a bin is safer than\naverage" in text
    assert all(len(line) <= 79 for line in text.splitlines())
    page = read_html(found._repr_html_())
    assert "&lt;late&gt;" in found._repr_html_()
    assert page is not None
