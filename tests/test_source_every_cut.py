"""A bound on all cards with any cuts of all rows: never above the best loss, and close to it where that is said."""

import itertools

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

from oracle.enumerate_cards import enumerate_cards  # noqa: E402
from riskcard import RiskScoreClassifier  # noqa: E402
from riskcard.data.table import make_table  # noqa: E402
from riskcard.encoding.rank_table import rank_table  # noqa: E402
from riskcard.estimators.from_sources import every_cut  # noqa: E402
from riskcard.estimators.from_sources.every_cut import families_of  # noqa: E402
from riskcard.estimators.from_sources.free_bins import TermKind, with_free_bins  # noqa: E402
from riskcard.problem.problem import make_problem  # noqa: E402
from riskcard.status import Status  # noqa: E402
from source_tables import every_source, facts_of, fit, random_table  # noqa: E402

SETTINGS = {"regularization": None, "sample_rows": 80, "memory": 10**7}


@pytest.fixture
def few_bins(monkeypatch):
    """Coarse bins, so that they have to be divided often."""
    monkeypatch.setattr(every_cut, "FIRST_BINS", {1: 9, 2: 9, 3: 9})
    monkeypatch.setattr(every_cut, "MOST_CELLS", 2000)
    monkeypatch.setattr(every_cut, "MOST_LISTED", 12)


def _in_memory(table, **settings):
    rows = table[table.times > 0]
    frame = rows.drop(columns=["died", "times"])
    model = RiskScoreClassifier(regularization=None, certify=True, time_limit=None, **settings)
    return model.fit(frame, rows.died, rows.times)


@pytest.mark.parametrize("max_terms", [1, 2])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.filterwarnings("default")
def test_the_bound_is_that_of_a_proof_in_memory(seed, max_terms, few_bins):
    table = random_table(seed, 400)
    plain = _in_memory(table, max_terms=max_terms)
    assert plain.card_.certificate.status is Status.OPTIMAL
    found = fit(table, max_terms=max_terms, **SETTINGS)
    certificate = found.card_.certificate
    assert certificate.is_grid_full
    assert certificate.shortlist is None
    assert 0.9 * plain.loss_ < certificate.bound <= plain.loss_ * (1 + 1e-9)
    if certificate.status is Status.OPTIMAL:
        assert found.loss_ <= plain.loss_ * (1 + 1e-6)


def test_three_terms_are_proven_about_every_cut():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(3000, 4)), columns=list("abcd"))
    steps = 2 * (table.a > 0.31) - 1.5 * (table.b > -0.77) + 1.8 * (table.c > 0) - 1
    table["died"] = rng.random(3000) < 1 / (1 + np.exp(-steps))
    table["times"] = 1
    way = SETTINGS | {"sample_rows": 500, "max_terms": 3, "memory": 10**8}
    found = fit(table, **way)
    plain = _in_memory(table, max_terms=3)
    assert found.card_.certificate.status is Status.OPTIMAL
    assert found.card_.features == plain.card_.features
    assert found.lower_bound_ <= plain.loss_ * (1 + 1e-9)
    assert any("with any cuts between" in note for note in found.card_.certificate.notes)
    assert not any("candidates that were listed" in note for note in found.card_.certificate.notes)


@pytest.mark.parametrize("scale", ["calibrated", "multiplier", 1])
@pytest.mark.parametrize("seed", range(6))
def test_no_card_with_any_cut_is_below_the_best_of_free_bins(seed, scale):
    rng = np.random.default_rng(seed)
    n_rows, n_terms = 24, 2
    values = rng.integers(0, 8, (n_rows, 2)).astype(float)
    if seed % 2:
        values[rng.random(n_rows) < 0.2, 0] = np.nan
    labels = np.where(rng.random(n_rows) < 0.3 + 0.08 * values[:, 1], 1, 0)
    weights = rng.integers(1, 4, n_rows).astype(float)
    table = make_table(values, labels, sample_weight=weights)
    data, _ = rank_table(table)
    best = enumerate_cards(make_problem(data, n_terms, max_points=2, scale=scale)).loss
    # three bins of each feature, of which some have one number
    bounds = []
    cuts = np.array([2.0, 3.0, 5.0])
    merged = np.where(np.isnan(values), np.nan, np.searchsorted(cuts, values).astype(float))
    coarse, _ = rank_table(make_table(merged, labels, sample_weight=weights))
    is_open = [
        np.array([np.unique(values[merged[:, f] == b, f]).size > 1 for b in _bins(merged[:, f])])
        for f in range(2)
    ]
    scale_of = make_problem(data, n_terms, scale=scale).scale
    for pair in itertools.combinations_with_replacement([(0, 1), (0, -1), (1, 1), (1, -1)], 2):
        kinds = [TermKind(f, sign, is_open[f]) for f, sign in pair]
        free = with_free_bins(coarse, kinds, n_terms, scale_of, 2)
        bounds.append(enumerate_cards(free.problem).loss)
    assert min(bounds) <= best * (1 + 1e-9)
    # with every number in a bin of its own nothing is free
    closed = [np.zeros(_bins(values[:, f]).size, dtype=bool) for f in range(2)]
    exact = []
    for pair in itertools.combinations_with_replacement([(0, 1), (0, -1), (1, 1), (1, -1)], 2):
        kinds = [TermKind(f, sign, closed[f]) for f, sign in pair]
        exact.append(
            enumerate_cards(with_free_bins(data, kinds, n_terms, scale_of, 2).problem).loss
        )
    assert min(exact) <= best * (1 + 1e-9)
    if not seed % 2:  # terms on missing values may be on one more column here
        assert min(exact) == pytest.approx(best, rel=1e-9)


def test_a_number_that_the_sample_does_not_have_is_known():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"grade": rng.integers(0, 6, 5000), "more": rng.integers(0, 8, 5000)})
    table["died"] = rng.random(5000) < 0.1 + 0.1 * table.grade
    table.loc[0, "grade"] = 17
    table["times"] = 1
    found = fit(table, **SETTINGS | {"sample_rows": 10, "max_terms": 2})
    assert found.card_.certificate.status is Status.OPTIMAL
    assert found.loss_ == pytest.approx(_in_memory(table, max_terms=2).loss_, rel=1e-9)


def _bins(column):
    return np.unique(column[~np.isnan(column)])


@pytest.mark.parametrize(
    ("seed", "share"),
    [(0, 1.02), *(pytest.param(seed, 1.1, marks=pytest.mark.slow) for seed in (0, 1, 3))],
)
@pytest.mark.filterwarnings("default")
def test_a_bound_holds_where_the_best_card_was_not_found(seed, share, few_bins, monkeypatch):
    table = random_table(seed, 400).drop(columns=["stage", "smokes"])
    best = _in_memory(table, max_terms=2).loss_
    begin, run, found = every_cut.Prover.__init__, every_cut.Prover.run, []

    def with_a_worse_card(self, refiner, learned, task):
        worse = learned.result.__class__(
            learned.result.solution, best * share, 0.0, Status.HEURISTIC
        )
        begin(self, refiner, learned._replace(result=worse), task)

    monkeypatch.setattr(every_cut.Prover, "__init__", with_a_worse_card)
    monkeypatch.setattr(every_cut.Prover, "run", lambda own: found.append(run(own)) or found[-1])
    fit(table, max_terms=2, **SETTINGS)
    (proof,) = found
    assert 0.5 * best < proof.bound <= best * (1 + 1e-9)
    assert proof.status is not Status.OPTIMAL


@pytest.mark.parametrize(
    ("max_terms", "max_features", "max_cuts"),
    [(3, None, None), (3, 2, None), (3, None, 1), (2, 1, 2)],
)
def test_every_card_belongs_to_a_family(max_terms, max_features, max_cuts):
    names = list("abcd")
    limits = {
        "max_terms": max_terms,
        "max_features": max_features,
        "max_cuts_per_feature": max_cuts,
    }
    families = families_of(names, limits)
    families += [part for one in families for part in one.split(max_terms)]
    counts = [{kind: one.kinds.count(kind) for kind in one.kinds} for one in families]
    signed = [own for own, one in zip(counts, families, strict=True) if len(one.kinds) <= max_terms]
    for size in range(1, max_terms + 1):
        for card in itertools.combinations_with_replacement(
            itertools.product(names, (1, -1)), size
        ):
            used = [name for name, _ in card]
            if len(set(used)) > (max_features or size):
                continue
            if max(map(used.count, used)) > (max_cuts or size):
                continue
            wanted = {kind: card.count(kind) for kind in card}
            for own in (counts, signed):
                assert any(all(one.get(k, 0) >= n for k, n in wanted.items()) for one in own), card


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.filterwarnings("default")
def test_every_source_and_any_pieces_give_the_same_proof(seed, tmp_path, few_bins):
    table = random_table(seed)
    way = SETTINGS | {"max_terms": 2}
    wanted = facts_of(fit(table, **way))
    assert wanted["certificate"]["is_grid_full"]
    for given in every_source(table, tmp_path, seed):
        assert facts_of(fit(**given, **way)) == wanted


def test_after_an_interrupt_the_card_and_what_is_known_are_kept(few_bins, monkeypatch):
    divide = every_cut.Prover._divide
    calls = []

    def interrupted(self, left):
        calls.append(left)
        if len(calls) > 1:
            raise KeyboardInterrupt
        divide(self, left)

    monkeypatch.setattr(every_cut.Prover, "_divide", interrupted)
    certificate = fit(random_table(0), max_terms=2, **SETTINGS).card_.certificate
    assert certificate.status is Status.INTERRUPTED
    assert certificate.bound > 0
