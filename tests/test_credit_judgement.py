"""Bands, cut-offs, swap sets and grades, recomputed by hand from the rows."""

import itertools
import json
import math

import numpy as np
import pytest
from scipy.stats import ks_2samp

from optional import pd
from riskcard import FeaturePoints, RiskCard, judge_credit, to_credit_points
from riskcard.credit.cut_offs import approvals, swap_set
from riskcard.credit.judgement_document import judgement_document
from riskcard.credit.master_scale import master_scale
from riskcard.credit.score_bands import band_words
from riskcard.errors import DataError, ParameterError
from riskcard.evaluation.intervals import wilson_interval
from riskcard.evaluation.outcomes import read_outcomes

POINTS = RiskCard(
    [
        FeaturePoints("used", [30, 60], [0, 2, 4]),
        FeaturePoints("late", [0, 1], [0, 3, 5]),
    ],
    multiplier=2.0,
    offset=-3.0,
    classes=("no", "yes"),
    outcome="default",
)
CARDS = {"points": POINTS, "credit": to_credit_points(POINTS).card}


def loans(n_rows: int = 500, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = {"used": rng.integers(0, 101, n_rows).astype(float), "late": rng.poisson(0.6, n_rows) * 1.0}
    y = np.where(rng.random(n_rows) < POINTS.risk(X), "yes", "no")
    return X, y


@pytest.mark.parametrize("name", CARDS)
def test_bands_count_goods_and_bads_from_the_riskiest_on(name):
    card, (X, y) = CARDS[name], loans()
    found = judge_credit(card, X, y)
    risks, bad = card.risk(X), y == "yes"
    assert sum(one.rows for one in found.bands) == y.size
    assert sum(one.events for one in found.bands) == bad.sum()
    means = [one.expected for one in found.bands]
    assert means == sorted(means, reverse=True)
    begin = 0
    order = np.argsort(-risks, kind="stable")
    for one in found.bands:
        own = order[begin : begin + one.rows]
        begin += one.rows
        assert one.events == bad[own].sum()
        assert one.rate.value == pytest.approx(bad[own].mean())
        assert one.rate.interval == pytest.approx(wilson_interval(one.events, one.rows))
        assert one.expected == pytest.approx(risks[own].mean())
        assert one.cumulative_rows == pytest.approx(begin / y.size)
        assert one.cumulative_bads == pytest.approx(bad[order[:begin]].sum() / bad.sum())
        assert one.cumulative_goods == pytest.approx((~bad[order[:begin]]).sum() / (~bad).sum())


def test_bands_that_are_given_are_kept_even_if_they_are_empty():
    X, y = loans()
    found = judge_credit(POINTS, X, y, band_begins=[3, 6, 100])
    assert [one.words for one in found.bands] == ["100 or more", "6 to 99", "3 to 5", "up to 2"]
    totals = POINTS.total_points(X)
    assert found.bands[0].rows == 0
    assert found.bands[0].expected is None
    assert found.bands[1].rows == (totals >= 6).sum()
    assert found.bands[3].rows == (totals < 3).sum()
    assert [band_words(*ends) for ends in ((3, 4), (-math.inf, math.inf))] == ["3", "any total"]


@pytest.mark.parametrize("name", CARDS)
def test_every_cut_off_has_its_approval_and_bad_rate(name):
    card, (X, y) = CARDS[name], loans()
    found = judge_credit(card, X, y)
    totals, bad = card.total_points(X), y == "yes"
    assert len(found.cut_offs) > 5
    for one in found.cut_offs:
        approved = totals >= one.at if card.higher_is_safer else totals <= one.at
        assert one.approved.value == pytest.approx(approved.mean())
        assert one.bad_rate.value == pytest.approx(bad[approved].mean())
        assert one.bad_rate.interval == pytest.approx(
            wilson_interval(bad[approved].sum(), approved.sum())
        )
        assert one.expected == pytest.approx(card.risk(X)[approved].mean())
        assert one.bads_refused.value == pytest.approx(bad[~approved].sum() / bad.sum())
        assert one.goods_refused.value == pytest.approx((~bad[~approved]).sum() / (~bad).sum())
    rates = [one.approved.value for one in found.cut_offs]
    assert rates == sorted(rates)
    assert rates[-1] == pytest.approx(1)


def test_the_scaled_card_says_the_same_as_the_first():
    X, y = loans()
    one, other = (judge_credit(card, X, y) for card in CARDS.values())
    assert other.separation.gini == pytest.approx(one.separation.gini)
    assert other.separation.ks.distance == pytest.approx(one.separation.ks.distance)
    assert [band.rows for band in other.bands] == [band.rows for band in one.bands]
    assert [cut.bad_rate for cut in other.cut_offs] == [cut.bad_rate for cut in one.cut_offs]


@pytest.mark.parametrize("name", CARDS)
def test_the_total_of_the_ks_divides_the_rows_as_stated(name):
    card, (X, y) = CARDS[name], loans()
    found, totals, bad = judge_credit(card, X, y), card.total_points(X), y == "yes"
    risky = totals <= found.ks_total if card.higher_is_safer else totals >= found.ks_total
    assert risky[bad].mean() - risky[~bad].mean() == pytest.approx(found.separation.ks.distance)
    assert found.separation.ks.distance == pytest.approx(
        ks_2samp(totals[bad], totals[~bad]).statistic
    )


# --- swap set -----------------------------------------------------------------------------------


def test_a_swap_set_without_ties_is_a_table_of_two_times_two():
    rng = np.random.default_rng(1)
    risks = rng.permutation(np.linspace(0.01, 0.99, 200))
    old = rng.permutation(200).astype(float)
    y = (rng.random(200) < risks).astype(int)
    found = swap_set(read_outcomes(risks, y), old, 0.6)
    by_card, by_old = risks <= np.sort(risks)[119], old <= np.sort(old)[119]
    for cell, chosen in (
        (found.both, by_card & by_old),
        (found.swapped_in, by_card & ~by_old),
        (found.swapped_out, ~by_card & by_old),
        (found.neither, ~by_card & ~by_old),
    ):
        assert cell.rows == pytest.approx(chosen.sum())
        assert cell.events == pytest.approx(y[chosen].sum())
        assert cell.rate.value == pytest.approx(y[chosen].mean())
        assert cell.rate.interval == pytest.approx(wilson_interval(y[chosen].sum(), chosen.sum()))
    assert found.swapped_in.rows == pytest.approx(found.swapped_out.rows)
    assert found.card_bad_rate.value == pytest.approx(y[by_card].mean())
    assert found.existing_bad_rate.value == pytest.approx(y[by_old].mean())


def test_ties_are_approved_in_part_so_that_both_approve_the_same():
    parts = approvals(np.array([1.0, 2.0, 2.0, 3.0]), np.ones(4), 0.5)
    assert parts.tolist() == [1.0, 0.5, 0.5, 0.0]
    weighted = approvals(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 1.0]), 0.5)
    assert weighted.tolist() == [1.0, 0.5, 0.0]


def test_an_existing_score_that_is_the_card_swaps_nobody():
    X, y = loans()
    card = CARDS["credit"]
    found = judge_credit(card, X, y, existing=card.total_points(X), existing_name="itself")
    assert found.rival.gini_gain.value == pytest.approx(0, abs=1e-12)
    assert found.rival.gini.value == pytest.approx(found.separation.gini)
    assert found.rival.swap.card_bad_rate.value == pytest.approx(
        found.rival.swap.existing_bad_rate.value
    )
    worse = judge_credit(card, X, y, existing=card.total_points(X), existing_is_safer=False)
    assert worse.rival.gini.value == pytest.approx(-found.separation.gini)


def test_an_existing_score_must_have_a_number_for_every_row():
    X, y = loans(50)
    with pytest.raises(DataError, match="but there are 50 rows"):
        judge_credit(POINTS, X, y, existing=[1.0, 2.0])
    with pytest.raises(DataError, match="is missing in 1 rows, the first is row 3"):
        judge_credit(POINTS, X, y, existing=[1.0, 2.0, 3.0, np.nan] + [4.0] * 46)
    with pytest.raises(ParameterError, match=r"approval rate is 1\.5"):
        judge_credit(POINTS, X, y, existing=np.arange(50.0), approval_rate=1.5)


# --- master scale -------------------------------------------------------------------------------


def exact_chance(events: int, rows: int, risk: float) -> float:
    """The chance of all counts that are no more likely than the one that was seen."""
    chances = [math.comb(rows, k) * risk**k * (1 - risk) ** (rows - k) for k in range(rows + 1)]
    return sum(one for one in chances if one <= chances[events] * (1 + 1e-7))


def test_grades_are_tested_against_what_happened():
    X, y = loans(300)
    risks, bad = POINTS.risk(X), y == "yes"
    grades = [("A", 0.0), ("B", 0.1), ("C", 0.3), ("D", 0.99)]
    found = master_scale(read_outcomes(risks, y), grades)
    assert [one.name for one in found] == ["A", "B", "C", "D"]
    for one in found[:3]:
        own = (risks >= one.low) & (risks < one.high)
        assert (one.rows, one.events) == (own.sum(), bad[own].sum())
        assert one.expected == pytest.approx(risks[own].mean())
        assert one.observed.interval == pytest.approx(wilson_interval(one.events, one.rows))
        expected = exact_chance(one.events, one.rows, risks[own].mean())
        assert one.chance == pytest.approx(expected, rel=1e-6)
    assert found[3].reading == "no rows"


def test_doubling_grades_cover_all_rows():
    X, y = loans(300)
    found = master_scale(read_outcomes(POINTS.risk(X), y))
    assert sum(one.rows for one in found) == 300
    assert found[0].rows
    assert found[-1].rows
    for left, right in itertools.pairwise(found):
        assert left.high == right.low


def test_risks_that_are_too_low_are_out_of_line():
    y = np.array([1] * 40 + [0] * 60)
    (found,) = master_scale(read_outcomes(np.full(100, 0.1), y), [("all", 0.0)])
    assert found.reading == "risk too low"
    (other,) = master_scale(read_outcomes(np.full(100, 0.7), y), [("all", 0.0)])
    assert other.reading == "risk too high"
    # with weights that are all 2 nothing is known that was not known before
    weights = np.where(np.arange(100) % 2, 2.0, 1.0)
    (weighted,) = master_scale(read_outcomes(np.full(100, 0.4), y, weights), [("all", 0.0)])
    assert weighted.reading == "in line"


@pytest.mark.parametrize(
    "grades", [[("A", 0.1)], [("A", 0.0), ("B", 0.3), ("C", 0.2)], [("A", 0.0), ("B", 1.2)]]
)
def test_grades_that_do_not_rise_from_0_are_refused(grades):
    with pytest.raises(ParameterError, match="Grades have to rise from 0 to below 1"):
        master_scale(read_outcomes([0.1, 0.2], [0, 1]), grades)


# --- all of it ----------------------------------------------------------------------------------


def test_weights_count_as_copies():
    X, y = loans(200)
    weights = np.random.default_rng(2).integers(0, 4, 200)
    weighted = judge_credit(POINTS, X, y, weights, band_begins=[3, 6])
    rows = np.repeat(np.arange(200), weights)
    copied = judge_credit(
        POINTS, {key: one[rows] for key, one in X.items()}, y[rows], band_begins=[3, 6]
    )
    assert weighted.is_weighted
    assert weighted.separation.gini == pytest.approx(copied.separation.gini)
    for one, other in zip(weighted.bands, copied.bands, strict=True):
        assert one.rate.value == pytest.approx(other.rate.value)
        assert one.cumulative_goods == pytest.approx(other.cumulative_goods)
        assert one.rows < other.rows  # counts are rows


def test_copies_of_a_row_in_one_group_narrow_no_interval():
    X, y = loans(400, 5)
    old = np.arange(400) * 7 % 90
    customers = np.arange(400)
    copied = {name: np.repeat(column, 4) for name, column in X.items()}
    labels, score = np.repeat(y, 4), np.repeat(old, 4)
    once = judge_credit(CARDS["credit"], X, y, existing=old)
    known = judge_credit(
        CARDS["credit"], copied, labels, groups=np.repeat(customers, 4), existing=score
    )
    ignored = judge_credit(CARDS["credit"], copied, labels, existing=score)
    assert (once.clusters, known.clusters) == (None, 400)
    n_figures = 0
    for before, allowed, naive in zip(
        *(intervals_in(one.to_dict()) for one in (once, known, ignored)), strict=True
    ):
        widths = [end - begin for begin, end in (before, allowed, naive)]
        assert widths[1] >= 0.9 * widths[0]  # linear ones are a little narrower than Wilson's
        assert widths[2] < 0.7 * widths[1]
        n_figures += 1
    assert n_figures > 20
    tests = [[grade.chance for grade in one.grades] for one in (once, known, ignored)]
    assert sum(tests[2]) < sum(tests[1])
    np.testing.assert_allclose(tests[1], tests[0], atol=0.15)
    text = " ".join(str(known).split())
    assert "in 400 groups, for which intervals and tests allow" in text
    assert "Student's test" in text
    assert "treats defaults of different groups as independent" in text


def intervals_in(found):
    """All 95 % intervals of a judgement that can be narrower, in order."""
    if isinstance(found, dict):
        for key, value in found.items():
            if key.endswith("interval") and value is not None:
                if value[0] > 0 and value[1] < 1:
                    yield value
            else:
                yield from intervals_in(value)
    elif isinstance(found, list):
        for one in found:
            yield from intervals_in(one)


def test_it_prints_itself_and_is_plain_json():
    X, y = loans()
    found = judge_credit(
        CARDS["credit"], pd.DataFrame(X), y, existing=X["used"], existing_is_safer=False
    )
    text = str(found)
    for words in ("Gini", "KS", "Score bands", "Approved from", "Swap set", "Master scale"):
        assert words in text
    assert "Approved up to" in str(judge_credit(POINTS, X, y))
    again = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert again["separation"]["gini"] == found.separation.gini
    assert "outcomes" not in again
    assert "<table>" in found._repr_html_()


def test_the_page_has_three_pictures_with_words_for_them():
    pytest.importorskip("matplotlib")
    X, y = loans()
    page = judgement_document(judge_credit(POINTS, X, y), pictures=True).to_page()
    assert page.count("<img ") == page.count('alt="') == 3
    assert "http" not in page.replace("http://www.w3.org", "")
