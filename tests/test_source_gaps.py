"""Cuts at full resolution: the best gap between two numbers of all rows, wherever they are counted."""

from dataclasses import replace

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

from riskcard import CardRules, FeatureRule, RiskScoreClassifier, open_source  # noqa: E402
from riskcard.estimators.from_sources import best_gaps, refine  # noqa: E402
from riskcard.estimators.from_sources.best_gaps import CutSearch, search_gaps  # noqa: E402
from riskcard.formatting.numbers import choose_cut  # noqa: E402
from riskcard.sources.coding import FeatureCodes  # noqa: E402
from riskcard.sources.rows import Kind, Wanted  # noqa: E402
from riskcard.sources.windows import PointsOfCodes, Window  # noqa: E402
from riskcard.status import Status  # noqa: E402
from source_tables import every_source, facts_of, fit, random_table  # noqa: E402

FINE = {"regularization": None, "sample_rows": 60, "memory": 400_000, "certify": False}


def _loss(card, table):
    log_odds = card.log_odds(table)
    label = np.where(table.died.isin([True, "yes"]), 1.0, -1.0)
    return float(np.sum(table.times * np.logaddexp(0.0, -label * log_odds)))


def _moved(card, f, place, cut):
    feature = card.features[f]
    cuts = list(feature.cuts)
    cuts[place] = cut
    features = list(card.features)
    features[f] = replace(feature, cuts=tuple(cuts), rows=(), events=())
    return replace(card, features=tuple(features), certificate=None, recipe=None, training=None)


def _rivals(card, table):
    """Every card with one cut at another gap between two numbers of all rows."""
    for f, feature in enumerate(card.features):
        numbers = table[feature.name].to_numpy()
        if numbers.dtype == object or numbers.dtype == bool:
            continue
        codes = [code for code, _ in feature.codes]
        numbers = np.unique(numbers[~np.isnan(numbers) & ~np.isin(numbers, codes)])
        limits = [-np.inf, *feature.cuts, numbers[-1]]
        for place in range(len(feature.cuts)):
            inside = numbers[(numbers > limits[place]) & (numbers < limits[place + 2])]
            yield from ((f, place, cut) for cut in inside.tolist())


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.filterwarnings("default")
def test_no_other_gap_of_all_rows_is_better_where_the_card_says_so(seed):
    table = random_table(seed, 500)
    if seed % 2:
        table.loc[::9, "pressure"] = -9.0
    rules = CardRules({"pressure": FeatureRule(codes=[-9])} if seed % 2 else {})
    model = fit(table, rules=rules, **FINE)
    card = model.card_
    assert "is at its best gap" in card.certificate.notes[-1]
    rows = table[table.times > 0]
    loss, n_rivals = _loss(card, rows), 0
    assert np.isclose(loss, model.loss_, rtol=1e-9)
    for f, place, cut in _rivals(card, rows):
        n_rivals += 1
        assert _loss(_moved(card, f, place, cut), rows) >= loss * (1 - 1e-9)
    assert n_rivals > 20


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.filterwarnings("default")
def test_cuts_are_printed_between_two_numbers_of_all_rows(seed):
    table = random_table(seed, 500)
    rows = table[table.times > 0]
    found = 0
    for feature in fit(table, **FINE).card_.features:
        for cut in feature.cuts:
            numbers = rows[feature.name].dropna().to_numpy(dtype=float)
            below, above = numbers[numbers <= cut].max(), numbers[numbers > cut].min()
            assert cut == choose_cut(below, above)
            found += 1
    assert found


def _search(numbers, at, most, points=(0, 3), totals=(-1, 2)):
    """A search for the best cut of a feature next to one of two bins."""
    own = FeatureCodes("x", np.array([at]))
    other = PointsOfCodes(FeatureCodes("z", np.array([0.5])), totals)
    first = float(np.nextafter(numbers.min(), -np.inf))
    window = Window(own, ((first, float(numbers.max())),), True, at, (other,), most)
    return CutSearch(window, points[0] / 2, points[1] / 2, 2.0, -0.7, (1.0, 1.5), numbers[:0])


@pytest.mark.parametrize("spread", ["even", "wide", "ties", "neighbours"])
@pytest.mark.parametrize("most", [0, 3, 10_000])
def test_the_best_gap_is_that_of_enumeration_however_finely_rows_are_counted(
    spread, most, monkeypatch
):
    monkeypatch.setattr(best_gaps, "MOST_ENDS", 9)
    for seed in range(6):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=120)
        if spread == "wide":
            x *= 10.0 ** rng.integers(-300, 300, 120)
        if spread == "ties":
            x = rng.integers(-3, 4, 120).astype(float)
        if spread == "neighbours":
            x = 1.0 + rng.integers(0, 9, 120) * np.finfo(float).eps
        z, weight = rng.integers(0, 2, 120), rng.integers(1, 4, 120)
        died = rng.random(120) < np.where(x > np.median(x), 0.7, 0.3)
        frame = pd.DataFrame({"x": x, "z": z, "died": died, "times": weight})
        source = open_source(frame, "died", weights="times")
        wanted = Wanted({"x": Kind.NUMBER, "z": Kind.NUMBER}, "died", True, "times")
        at = float(np.sort(np.unique(x))[np.unique(x).size // 3])
        search = _search(x, at, most)
        search_gaps(source, wanted, [search])
        assert not search.is_undecided
        rest = np.where(z > 0.5, 2, -1) / 2.0 - 0.7

        def loss(cut, x=x, rest=rest, died=died, weight=weight):
            log_odds = rest + np.where(x <= cut, 0.0, 1.5)
            own = weight * np.where(died, 1.5, 1.0)
            return float(np.sum(own * np.logaddexp(0.0, np.where(died, -1, 1) * log_odds)))

        every = [loss(cut) for cut in np.unique(x)[:-1]]
        assert np.isclose(loss(search.place), min(every), rtol=1e-9)
        assert np.isclose(loss(at) - search.gain, min(every), rtol=1e-9)
        assert search.ends == (x[x <= at].max(), x[x > at].min())


@pytest.mark.parametrize("seed", [1, 2, 5])
@pytest.mark.filterwarnings("default")
def test_every_source_and_any_pieces_move_cuts_to_the_same_gaps(seed, tmp_path, monkeypatch):
    monkeypatch.setattr(best_gaps, "MOST_ENDS", 9)
    table = random_table(seed)
    # groups are too many to be listed at first, so that bins are divided
    way = FINE | {"memory": 60_000, "max_terms": 2, "certify": True}
    wanted = facts_of(fit(table, **way))
    assert "is at its best gap" in wanted["certificate"]["notes"][-1]
    for given in every_source(table, tmp_path, seed):
        assert facts_of(fit(**given, **way)) == wanted


def _plain_table():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(3000, 2)), columns=["a", "b"])
    log_odds = 1.5 * (table.a > 0.3141) + 1.1 * (table.b > -0.777) - 1
    table["died"] = rng.random(3000) < 1 / (1 + np.exp(-log_odds))
    return table.assign(times=1)


def test_a_small_sample_leads_to_the_card_of_a_fit_in_memory():
    table = _plain_table()
    model = fit(table, max_terms=2, **FINE | {"sample_rows": 100})
    plain = RiskScoreClassifier(2, regularization=None).fit(table[["a", "b"]], table.died)
    assert model.card_.features == plain.card_.features
    assert model.loss_ == pytest.approx(plain.loss_, rel=1e-12)


def test_class_weights_count_when_cuts_are_moved():
    table = _plain_table()
    way = FINE | {"sample_rows": 100, "max_terms": 2, "class_weight": "balanced"}
    model = fit(table, **way)
    plain = RiskScoreClassifier(2, regularization=None, class_weight="balanced")
    plain.fit(table[["a", "b"]], table.died)
    assert model.card_.features == plain.card_.features


def test_cuts_that_a_rule_places_stay_and_the_note_says_so():
    rules = CardRules({"a": FeatureRule(cuts=[0, 1]), "b": FeatureRule(use="must")})
    card = fit(_plain_table(), rules=rules, **FINE | {"max_terms": 2}).card_
    assert card.certificate.notes[-1].startswith("Every cut of the card that no rule places is")
    assert {cut for one in card.features if one.name == "a" for cut in one.cuts} <= {0.0, 1.0}


def test_nothing_is_claimed_where_the_work_ended_before_all_gaps_were_counted(monkeypatch):
    monkeypatch.setattr(refine, "MOST_ROUNDS", 1)
    notes = fit(_plain_table(), max_terms=2, **FINE | {"sample_rows": 100}).card_.certificate.notes
    assert "were still being moved" in notes[-1]
    monkeypatch.undo()
    monkeypatch.setattr(best_gaps, "MOST_PASSES", 1)
    way = FINE | {"sample_rows": 100, "memory": 60_000, "max_terms": 2}
    assert "were still being moved" in fit(_plain_table(), **way).card_.certificate.notes[-1]


def test_after_an_interrupt_the_best_card_is_kept(monkeypatch):
    source = open_source(_plain_table(), "died", weights="times")
    source.sample_rows, source.memory, count = 100, 400_000, source.count_windows
    calls = []

    def interrupted(*given):
        calls.append(given)
        if len(calls) > 1:
            raise KeyboardInterrupt
        return count(*given)

    monkeypatch.setattr(source, "count_windows", interrupted)
    model = RiskScoreClassifier(2, regularization=None, certify=False).fit(source)
    assert len(model.card_.terms) == 2
    assert model.card_.certificate.status is Status.INTERRUPTED
    assert "were still being moved" in model.card_.certificate.notes[-1]
