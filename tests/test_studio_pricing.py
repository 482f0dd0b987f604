"""What a card costs in the studio: the loss of the fit, exactly, held against the bound of the fit."""

import itertools
import math
from functools import cache

import numpy as np
import pytest
from scipy.optimize import minimize

from riskcard.data.columns import FeatureValues
from riskcard.encoding.pseudo_rows import loss_with_pseudo_rows
from riskcard.estimators.watched_fit import WatchedFit
from riskcard.evaluation.outcomes import Outcomes
from riskcard.evaluation.summary import evaluate
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints, LevelPoints
from riskcard.model.totals import count_totals
from riskcard.studio.state.edits import edit_card, finished
from riskcard.studio.table.pricing import Price, Referee, figures_of, groups_of, totals_of
from riskcard.studio.table.rows import Labelled, Rows
from studio_rows import referee_of, rows_of, watched

ROWS = rows_of()


@cache
def fit() -> WatchedFit:
    return watched(ROWS)


@cache
def referee() -> Referee:
    return Referee(ROWS, fit().pseudo, fit().card)


def priced(card: RiskCard) -> Price:
    return referee().price(card)


def by_hand(card: RiskCard) -> float:
    """The loss that a fit states, by the code that states it."""
    raw = {name: one.by_name() for name, one in ROWS.features.items()}
    labels = np.where(ROWS.is_event, 1, -1).astype(np.int8)
    return loss_with_pseudo_rows(card.log_odds(raw), labels, ROWS.weights, fit().pseudo)


def test_the_proven_card_has_the_loss_and_the_bound_of_its_certificate():
    certificate = referee().best.certificate
    price = priced(referee().best)
    assert math.isclose(price.loss, certificate.loss, rel_tol=1e-12)
    assert price.bound == certificate.bound
    assert fit().pseudo.number > 0  # otherwise this would show little
    assert price.above_best == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("regularization", ["auto", None])
def test_the_proven_card_fitted_again_has_the_same_loss(regularization):
    judge = referee_of(ROWS, regularization=regularization)
    card = finished(judge.best, judge)
    loss = judge.price(card).loss
    assert math.isclose(loss, judge.best.certificate.loss, rel_tol=1e-9)


EDITS = [
    {"what": "points", "feature": "age", "line": 0, "points": 2},
    {"what": "points", "feature": "kind", "line": 1, "points": 1},
    {"what": "cut", "feature": "age", "place": 0, "cut": 55.5},
    {"what": "add cut", "feature": "age"},
    {"what": "add", "feature": "dose"},
    {"what": "remove", "feature": "kind"},
    {"what": "level", "feature": "kind", "level": "a", "group": 2},
]


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit["what"])
def test_a_changed_card_has_the_loss_that_the_fit_would_state_with_the_best_scale(edit):
    card = edit_card(referee().best, edit, referee())
    loss = priced(card).loss
    assert math.isclose(loss, by_hand(card), rel_tol=1e-9)

    totals = totals_of(card, ROWS)
    labels = np.where(ROWS.is_event, 1, -1).astype(np.int8)

    def other(scale):
        log_odds = scale[0] * totals + scale[1]
        return loss_with_pseudo_rows(log_odds, labels, ROWS.weights, fit().pseudo)

    best = minimize(other, [0.3, -1.0], method="BFGS").fun
    assert loss <= best * (1 + 1e-7)


def test_no_card_of_the_proven_kind_has_a_price_below_zero():
    """The bound is proven optimal, so every card that is moved by hand within the kind is above it."""
    certificate = referee().best.certificate
    assert str(certificate.status) == "optimal"
    (age,) = (one for one in referee().best.features if one.name == "age")
    kind = LevelPoints("kind", [["a", "b"], ["c", "d"]], [0, 1])
    for low, high, other in itertools.product(range(-3, 4), range(-3, 4), range(-3, 4)):
        if abs(high - low) > 3 or high == low:
            continue
        features = [FeaturePoints("age", age.cuts, (low, high))]
        features += [LevelPoints("kind", kind.groups, (0, other))] if other else []
        price = priced(finished(RiskCard(features), referee()))
        assert price.above_bound >= -1e-9
        assert price.above_best >= -1e-6
        assert price.loss / price.best - 1 <= price.above_bound + 1e-12


def test_a_card_with_more_terms_may_be_below_the_bound():
    judge = referee_of(ROWS, max_terms=1)
    card = edit_card(judge.best, {"what": "add", "feature": "kind"}, judge)
    price = judge.price(card)
    assert price.above_bound < 0
    assert price.above_best < 0


def test_a_bound_that_is_heard_of_never_falls_and_never_passes_the_loss():
    judge = referee_of(ROWS)
    card = judge.best
    bound = judge.price(card).bound
    judge.hear_bound(bound / 2)
    assert judge.price(card).bound == bound
    judge.hear_bound(2 * bound)
    assert judge.price(card).bound <= card.certificate.loss


@pytest.mark.parametrize("edit", [None, *EDITS], ids=lambda edit: edit["what"] if edit else "none")
def test_figures_are_those_of_the_library(edit):
    card = referee().best if edit is None else edit_card(referee().best, edit, referee())
    raw = {name: one.by_name() for name, one in ROWS.features.items()}
    assert totals_of(card, ROWS).tolist() == card.total_points(raw).tolist()
    figures = figures_of(card, ROWS)
    known = evaluate(Outcomes(card.risk(raw), ROWS.is_event, ROWS.weights))
    assert figures.auc == pytest.approx(known.roc.area, rel=1e-12)
    assert figures.slope == pytest.approx(known.calibration.slope, rel=1e-6)
    assert figures.expected == pytest.approx(known.calibration.expected, rel=1e-9)
    assert (figures.rows, figures.events) == (300, int(ROWS.is_event.sum()))


def test_groups_count_the_risks_that_a_row_reaches():
    risks = referee().best.risk({name: one.by_name() for name, one in ROWS.features.items()})
    cuts = [float(np.quantile(risks, 0.4)), 0.5]
    found = groups_of(referee().best, totals_of(referee().best, ROWS), sorted(cuts))
    assert found.tolist() == [sum(risk >= cut for cut in cuts) for risk in risks]


def test_lines_that_are_kept_are_those_of_a_new_look():
    rows = rows_of()
    for cut in (50.0, 60.0, 50.0):
        feature = FeaturePoints("age", [cut], [0, 1])
        expected = feature.look_up(rows.features["age"].values).lines
        assert rows.lines_of(feature).tolist() == expected.tolist()


def test_taken_rows_are_judged_by_themselves():
    part = ROWS.take(np.arange(40))
    assert isinstance(part.features["age"], FeatureValues)
    assert totals_of(referee().best, part).tolist() == totals_of(referee().best, ROWS)[:40].tolist()


# --- cells ---------------------------------------------------------------------------------------

SHAPES = [
    FeaturePoints("age", [50], [0, 1]),
    FeaturePoints("age", [45.5, 60, 80], [0, 1, 4, 2]),
    FeaturePoints("age", range(31, 60), range(30)),
    FeaturePoints("age", [50], [0, 1], codes=[(61, 2), (40, 3)]),
    FeaturePoints("dose", [4.5, 6], [0, 1, 3], missing=2),
    FeaturePoints("dose", [5], [0, 1], usual=1),
    FeaturePoints("dose", range(1, 12), range(12), missing=5),
    LevelPoints("kind", [["a", "b"], ["c"], ["d"]], [0, 2, 3]),
    LevelPoints("kind", [["a"], ["d"]], [0, 2], usual=1),
]


@pytest.mark.parametrize("feature", SHAPES, ids=str)
def test_lines_are_those_that_the_card_looks_up(feature):
    raw = ROWS.features[feature.name].by_name()
    assert ROWS.lines_of(feature).tolist() == feature.look_up(raw).lines.tolist()


@pytest.mark.parametrize("seed", range(6))
def test_cells_count_every_row_once_whatever_was_counted_before(seed):
    """Cards in a random order on rows with weights: each uses what is kept of those before it."""
    rng = np.random.default_rng(seed)
    rows = Rows(ROWS.features, ROWS.is_event, rng.random(300) + 0.5)
    raw = {name: one.by_name() for name, one in rows.features.items()}
    label = Labelled("odd", np.arange(300) % 3)
    for _ in range(12):
        some = {SHAPES[i].name: SHAPES[i] for i in rng.permutation(len(SHAPES))[:4]}
        card = RiskCard(list(some.values())[: rng.integers(0, 4)])
        cells = rows.cells_of(card, label if rng.random() < 0.5 else None)
        totals = cells.totals(card)[cells.of_rows]
        known = [one.look_up(raw[one.name]).points for one in card.features]
        assert totals.tolist() == (card.base + sum(known, np.zeros(300, int))).tolist()
        if cells.label.any():
            assert cells.label[cells.of_rows].tolist() == label.of_rows.tolist()
        place = cells.of_rows * 2 + rows.is_event
        for sums, one in (
            (cells.counts, np.ones(300)),
            (cells.weights, rows.weights),
            (cells.squares, (rows.weights / rows.weights.max()) ** 2),
        ):
            assert sums.ravel() == pytest.approx(np.bincount(place, one, sums.size), rel=1e-12)
        assert (cells.counts.sum(axis=1) > 0).all()


def test_rows_in_another_group_than_with_the_best_card_are_counted():
    best, cuts = referee().best, [0.2, 0.4]
    assert referee().moved(best, cuts) == 0
    for edit in EDITS:
        card = edit_card(best, edit, referee())
        groups = [groups_of(one, totals_of(one, ROWS), cuts) for one in (best, card)]
        assert referee().moved(card, cuts) == int((groups[0] != groups[1]).sum())


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit["what"])
def test_a_changed_card_counts_its_totals_as_a_fit_does(edit):
    weights = np.random.default_rng(1).random(300) * 1e3
    rows = Rows(ROWS.features, ROWS.is_event, weights)
    judge = Referee(rows, fit().pseudo, fit().card)
    card = edit_card(judge.best, edit, judge)
    totals = totals_of(card, rows)
    known = count_totals(totals, rows.is_event, weights, card.reachable_totals())
    for own, other in zip(card.training.totals, known, strict=True):
        assert (own.low, own.high, own.rows, own.events) == (
            other.low, other.high, other.rows, other.events,
        )  # fmt: skip
        for name in ("weight", "event_weight", "effective_rows"):
            assert getattr(own, name) == pytest.approx(getattr(other, name), rel=1e-12)
    assert card.training.weight == pytest.approx(weights.sum(), rel=1e-12)


def test_a_point_more_looks_at_no_row(monkeypatch):
    """An edit of points uses the cells that are known; a cut looks at rows once for its feature."""
    judge = referee_of(rows_of())
    card = edit_card(judge.best, {"what": "add", "feature": "dose"}, judge)
    looked = []
    real = Rows._look_up
    monkeypatch.setattr(
        Rows, "_look_up", lambda self, one: looked.append(one.name) or real(self, one)
    )
    monkeypatch.setattr(Rows, "_part_without", lambda *_: looked.append("all"))
    for points in (2, 3, -1):
        edit = {"what": "points", "feature": "dose", "line": 0, "points": points}
        judge.price(edit_card(card, edit, judge))
    assert looked == []
    for cut in (3.5, 4.5):
        judge.price(
            edit_card(card, {"what": "cut", "feature": "dose", "place": 0, "cut": cut}, judge)
        )
    assert looked == ["dose", "dose"]
