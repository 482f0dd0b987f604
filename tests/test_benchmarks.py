"""The harness of the benchmark: its evaluator is exact, runs go on, the guard fails when it should."""

import json
import os
import sys
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import rankdata

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import folds_at_once, quick
from benchmarks.__main__ import QUESTIONS, main, parse, plan_of, reductions, shown_arguments
from benchmarks.bench import PLAIN, Bench, commit_of, figures_of, run_jobs, small_table
from benchmarks.calls import Call, Desk, Worker
from benchmarks.evaluate import (
    calibration_error,
    calibration_error_by_chance,
    judge,
    recovery,
)
from benchmarks.families import FAMILIES
from benchmarks.methods import (
    ABOUT,
    CARDS,
    CEILINGS,
    DEFAULT,
    FOR_NEW_ROWS,
    LOWEST_LOSS,
    METHODS,
    TUNED,
)
from benchmarks.model import Model
from benchmarks.page import render
from benchmarks.peers import PEERS, Environment, Peer, install
from benchmarks.published import from_csv, origins, to_csv
from benchmarks.questions import proving, training
from benchmarks.questions.common import Plan, Section, Standing, compare, verdict_on
from benchmarks.questions.growing import exponent, too_slow
from benchmarks.ranks import rank
from benchmarks.store import NOT_INSTALLED, Job, Kept, Store
from benchmarks.tables import Table, folds_of, load_table, read_csv

pytestmark = pytest.mark.slow

RECORD = {
    "parts": [
        {"column": 0, "cuts": [1.0, 2.0], "points": [0, 3, 5], "missing": 1},
        {"column": 2, "levels": [0, 2, 2], "missing": -1},
        {"column": 0, "cuts": [2.0], "points": [0, -2], "missing": 0},
    ],
    "base": 1,
    "multiplier": 2.0,
    "offset": 0.5,
}
ROWS = np.array([[1.0, 9, 0], [1.5, 9, 1], [2.5, 9, 2], [np.nan, 9, np.nan]])


# --- the model and its evaluator ----------------------------------------------------------------


def test_a_record_scores_rows_as_added_up_by_hand():
    model = Model.of(RECORD)
    assert model.scores(ROWS).tolist() == [1, 6, 6, 1]
    assert model.log_odds(ROWS).tolist() == [1.0, 3.5, 3.5, 1.0]


def test_parts_of_one_column_are_merged_and_cuts_without_effect_do_not_count():
    model = Model.of(RECORD)
    assert model.cuts == [(0, 1.0)]  # +2 and -2 at 2.0 cancel out
    assert (model.n_terms, model.n_features, model.largest_jump) == (4, 2, 3)
    # a cut, missing values of column 0 with points of their own, and three groups of levels


def test_a_part_without_effect_belongs_to_the_base():
    part = {"column": 0, "cuts": [1.0], "points": [2, 2], "missing": 2}
    model = Model.of({"parts": [part], "base": 1, "multiplier": 1, "offset": 0})
    assert (model.n_terms, model.base) == (0, 3)


@pytest.mark.parametrize("points", [[0, 1.5], [0], [0, True]])
def test_points_that_are_not_whole_or_not_one_per_bin_are_refused(points):
    part = {"column": 0, "cuts": [1.0], "points": points, "missing": 0}
    with pytest.raises(ValueError, match=r"whole numbers|has the cuts"):
        Model.of({"parts": [part], "base": 0, "multiplier": 1, "offset": 0})


def test_figures_are_those_of_the_definition():
    model, y = Model.of(RECORD), np.array([0, 1, 1, 0])
    risks = 1 / (1 + np.exp(-model.log_odds(ROWS)))
    loss = -np.log(np.where(y == 1, risks, 1 - risks)).sum()
    found = judge(model, None, ROWS, y)
    assert found["loss"] == pytest.approx(loss, rel=1e-13)
    assert found["auc"] == 1.0
    assert found["calibration"] == pytest.approx(abs(risks[0]) / 2 + abs(1 - risks[1]) / 2)
    same = judge(None, risks, ROWS, y)
    assert same["loss"] == pytest.approx(loss, rel=1e-12)


def test_rows_with_equal_risks_are_one_group_of_the_calibration_error():
    risks = np.full(100, 0.3)
    y = np.arange(100) < 30
    assert calibration_error(risks, y) == pytest.approx(0, abs=1e-12)
    assert calibration_error(risks, ~y) == pytest.approx(0.4)


def test_the_calibration_error_by_chance_is_that_of_labels_drawn_with_the_risks():
    rng = np.random.default_rng(0)
    risks = rng.choice(rng.uniform(0.05, 0.6, 25), 400)
    drawn = [calibration_error(risks, rng.random(400) < risks) for _ in range(400)]
    assert calibration_error_by_chance(risks) == pytest.approx(np.mean(drawn), rel=0.03)


def test_coverage_is_grouped_by_the_risk_that_the_card_prints():
    pd = pytest.importorskip("pandas")
    from benchmarks.coverage import look_at, printed_group

    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 4, (6000, 2)), columns=["a", "b"])
    chances = 1 / (1 + np.exp(4 - frame.sum(axis=1).to_numpy()))
    found = look_at(frame, (rng.random(6000) < chances).astype(int), 300, 3, seed=0)
    printed = [one.printed for one in found]
    assert len(printed) > 2
    assert printed == sorted(printed)  # totals come in order, and the shares of others need not
    assert [printed_group(risk) for risk in (0.0, 0.03, 0.5, 0.99)] == [
        "below 2 %",
        "2 to 5 %",
        "5 to 95 %",
        "above 95 %",
    ]


def test_recovery_is_one_for_the_planted_cuts_and_counts_each_of_them_once():
    made = FAMILIES["planted"].make(500, 0)
    exact = recovery(made.cuts, made.cuts, made.values)
    assert exact == {"features": 1.0, "cuts": 1.0}
    twice = recovery([made.cuts[0], made.cuts[0]], made.cuts[:1], made.values)
    assert twice["cuts"] == pytest.approx(2 / 3)
    other = [(9, cut) for _, cut in made.cuts]
    assert recovery(other, made.cuts, made.values) == {"features": 0.0, "cuts": 0.0}


# --- tables and families ------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_families_are_repeatable_and_have_both_labels(family):
    one, same = FAMILIES[family].make(400, 1), FAMILIES[family].make(400, 1)
    other = FAMILIES[family].make(400, 2)
    assert np.array_equal(one.values, same.values)
    assert np.array_equal(one.y, same.y)
    assert not np.array_equal(one.values, other.values)
    assert set(one.y) == {0, 1}
    assert len(one.values) == 400


def test_the_separable_family_is_separated_by_its_card_and_the_rare_one_is_rare():
    made = FAMILIES["separable"].make(300, 0)
    conditions = np.column_stack([made.values[:, column] <= cut for column, cut in made.cuts])
    _, group = np.unique(conditions, axis=0, return_inverse=True)
    assert all(len(set(made.y[group == g])) == 1 for g in set(group.ravel()))
    assert FAMILIES["rare"].make(2000, 0).y.mean() < 0.1


def test_a_csv_file_is_read_with_levels_and_missing_values_and_has_a_numeric_view(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("age,sex,target\n30,f,1\n,m,0\n50,,1\n")
    table = read_csv(path)
    assert table.levels == (None, ("f", "m"))
    assert np.array_equal(table.values, [[30, 0], [np.nan, 1], [50, np.nan]], equal_nan=True)
    plain = table.plain()
    assert plain.columns == ("age", "sex = f", "sex = m", "sex missing")
    assert plain.values.tolist() == [[30, 1, 0, 0], [29, 0, 1, 0], [50, 0, 0, 1]]
    assert load_table("t", tmp_path).y.tolist() == [1, 0, 1]


def test_an_unknown_table_is_refused_by_name(tmp_path):
    with pytest.raises(SystemExit, match=r"no table 'nothing'"):
        load_table("nothing", tmp_path)


def test_every_row_is_held_out_in_one_fold():
    table = load_table("ties:101:0", None)
    folds = folds_of(table, 3)
    assert sorted(row for _, asked in folds for row in asked) == list(range(101))
    for fitted, asked in folds:
        assert sorted([*fitted, *asked]) == list(range(101))


def test_a_table_is_read_from_the_folder_that_has_it(tmp_path):
    folders = [tmp_path / "old", tmp_path / "new"]
    for folder in folders:
        folder.mkdir()
    (folders[1] / "t.csv").write_text("age,target\n30,1\n40,0\n")
    bench = Bench(Desk(tmp_path), folders, {}, 2)
    assert bench.table("t", PLAIN).y.tolist() == [1, 0]
    with pytest.raises(SystemExit, match=r"no table 'u'"):
        bench.table("u", PLAIN)


# --- runs that go on ----------------------------------------------------------------------------

JOBS = [Job("a", LOWEST_LOSS, f"ties:{n}:0") for n in (100, 200, 300)]


def test_an_interrupted_run_goes_on_with_the_jobs_that_are_left(tmp_path):
    done = []

    def measure(job):
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(job)
        return {"value": len(done)}

    store = Store(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        run_jobs(JOBS, store, measure, lambda text: None)
    again = Store(tmp_path)
    assert len(again) == 2
    later = []
    run_jobs(JOBS, again, lambda job: later.append(job) or {"value": 3}, lambda text: None)
    assert later == JOBS[2:]
    assert [one.figures["value"] for one in Store(tmp_path).kept("a")] == [1, 2, 3]


def test_a_torn_last_line_is_dropped_and_a_damaged_one_refused(tmp_path):
    store = Store(tmp_path)
    store.put(JOBS[0], {"value": 1})
    path = tmp_path / "jobs.jsonl"
    path.write_text(path.read_text() + '{"job": {"que')
    torn = path.read_text()
    again = Store(tmp_path)
    assert len(again) == 1
    assert path.read_text() == torn  # a reader changes nothing: another process may be writing
    again.put(JOBS[1], {"value": 2})
    assert len(Store(tmp_path)) == 2
    path.write_text("nonsense\n")
    with pytest.raises(SystemExit, match="Line 1"):
        Store(tmp_path)


def test_a_job_whose_package_could_not_be_installed_is_tried_again(tmp_path):
    store = Store(tmp_path)
    store.put(JOBS[0], {"error": f"{NOT_INSTALLED}: no network"})
    store.put(JOBS[1], {"error": "out of memory"})
    again, done = Store(tmp_path), []
    run_jobs(JOBS, again, lambda job: done.append(job) or {"value": 1}, lambda text: None)
    assert done == [JOBS[0], JOBS[2]]
    assert not any(NOT_INSTALLED in str(one.figures) for one in Store(tmp_path).kept("a"))


def test_day_and_commit_are_kept_with_every_job(tmp_path):
    store = Store(None)
    run_jobs(JOBS[:1], store, lambda job: {"value": 1}, lambda text: None)
    figures = store.kept("a")[0].figures
    assert figures["day"][:2] == "20"
    assert figures["commit"] == commit_of(Path(__file__).parent)
    assert commit_of(tmp_path) == "-"
    kept = [
        Kept(JOBS[0], {}),
        *(
            Kept(job, {"day": day, "commit": "12e4567"})
            for job, day in zip(JOBS[1:], ("2026-01-02", "2026-01-01"), strict=True)
        ),
    ]
    assert origins(kept) == [
        "Jobs by the commit of the code, measured 2026-01-01 to 2026-01-02: 12e4567 (2); of 1 others day and "
        "commit were not kept"
    ]
    assert origins(kept[:1]) == []


def test_a_run_goes_on_from_what_was_published(tmp_path):
    given = {
        "fit": {"loss": 100 / 3, "auc": 1.0}, "nodes": 12, "status": "optimal", "commit": "1234567",
        "day": "2026-11-17", "history": [[1.0, 2.0, 3.0]],
    }  # fmt: skip
    store = Store(None)
    store.put(JOBS[0], given)
    store.put(replace(JOBS[1], limit=60.0), {"error": "out of memory, twice"})
    path = tmp_path / "published.csv"
    path.write_text(to_csv(store.kept("a")))
    (tmp_path / "keep").mkdir()
    again = Store(tmp_path / "keep")
    again.take_over(from_csv(path))
    wanted = [
        Kept(one.job, {k: v for k, v in one.figures.items() if k != "history"})
        for one in store.kept("a")
    ]
    assert Store(tmp_path / "keep").kept("a") == wanted
    assert wanted[0].figures["fit"] == {"loss": 33.333333, "auc": 1.0}
    # what is kept already is not mixed with what was published
    again.forget([LOWEST_LOSS], ["a"])
    again.put(JOBS[2], {"value": 1})
    again.take_over(from_csv(path))
    assert [one.job for one in again.kept("a")] == [JOBS[2]]
    path.write_text("question,method\na,b\n")
    with pytest.raises(SystemExit, match="Line 2"):
        from_csv(path)


def test_the_published_figures_can_be_read_back():
    path = Path(__file__).parents[1] / "docs" / "benchmarks.csv"
    kept = from_csv(path)
    assert len({one.job for one in kept}) == len(kept)
    assert to_csv(kept).splitlines()[1:] == path.read_text().splitlines()[1:]


def test_only_the_methods_named_are_measured_again(tmp_path):
    store = Store(tmp_path)
    store.put(JOBS[0], {"value": 1})
    store.put(Job("a", "round", "ties"), {"value": 2})
    assert store.forget([LOWEST_LOSS], ["b", "c"]) == 0  # it was measured in another question
    assert store.forget([LOWEST_LOSS], ["a"]) == 1
    assert [one.job.method for one in Store(tmp_path).kept("a")] == ["round"]


def test_a_method_that_was_slow_or_failed_is_not_tried_on_a_larger_table():
    store = Store(None)
    small, large = (Job("e", LOWEST_LOSS, f"steps:{n}:5", "rows") for n in (100, 1000))
    assert too_slow(large, store, 1.0) == ""
    store.put(small, {"processor": 2.0})
    assert "took 2 s" in too_slow(large, store, 1.0)
    assert too_slow(small, store, 1.0) == ""
    store.put(small, {"error": "out of memory"})
    assert "no figures" in too_slow(large, store, 1.0)


def test_a_long_fit_is_not_repeated():
    store, bench = Store(None), SimpleNamespace(run=lambda job: {"processor": 1.0})
    measure = training.measurer(bench, store)
    first, second = (Job("a", LOWEST_LOSS, "ties:100:0", repeat=repeat) for repeat in (0, 1))
    for seconds, error in ((training.LONG + 1, "more than 20 s"), (1.0, "")):
        store.put(first, {"processor": seconds})
        assert error in measure(second).get("error", "")
        assert ("error" in measure(second)) == bool(error)
        assert measure(first) == {"processor": 1.0}
    store.put(first, {"error": "broken"})
    assert "no figures" in measure(second)["error"]


def test_all_who_prove_the_same_problem_have_the_same_time():
    plan = Plan(("ties",), limits=(10.0, 600.0), rival_limit=60.0)
    jobs = QUESTIONS["c"].jobs(plan)
    assert {job.limit for job in jobs if job.method != "certified-steep"} == {60.0}
    ours = {(job.terms, job.limit) for job in jobs if job.method == "certified-steep"}
    assert ours == {(3, 600.0), (5, 600.0), (8, 600.0), (5, 60.0), (8, 60.0)}
    assert proving.limit_of("lattice", Plan(("ties",), limits=(10.0,))) == 10.0
    job = Job("c", "lattice", "ties", terms=3, limit=60.0)
    store = Store(None)
    store.put(job, figures(50.0, 1.0) | {"bound": 50.0, "seconds": 20.0})
    text = QUESTIONS["c"].section(store.kept("c"), plan).text
    # within 10 s; nothing is said of 600 s; no gap at the end
    assert "| 0 of 1 | - | 0.0 % |\n" in text


def test_on_long_tables_every_method_with_rivals_also_gets_the_longest_time():
    names = ("ties", "planted")
    plan = Plan(names, limits=(10.0, 600.0), rival_limit=60.0, long_tables=("ties", "paper:200:0"))
    limits: dict[tuple[str, str], set[float]] = {}
    for job in QUESTIONS["c"].jobs(plan):
        limits.setdefault((job.method, job.table), set()).add(job.limit)
    assert limits["lattice", "ties"] == limits["certified-lattice", "ties"] == {60.0, 600.0}
    assert limits["bonmin", "paper:200:0"] == limits["paper", "paper:200:0"] == {60.0, 600.0}
    assert limits["lattice", "planted"] == limits["certified-limited", "ties"] == {60.0}
    store = Store(None)
    for limit, gap in ((60.0, 0.5), (600.0, 0.1)):
        for name, worse in (("certified-lattice", 0.05), ("lattice", 0.0)):
            job = Job("c", name, "ties", terms=3, limit=limit)
            bound = 50.0 * (1 - gap - worse)
            store.put(
                job, figures(50.0, 1.0) | {"bound": bound, "seconds": limit, "processor": 1.0}
            )
    section = QUESTIONS["c"].section(store.kept("c"), plan)
    assert "| 60 s | lattice cutting planes | 0 of 1 | - | 50.0 % |\n" in section.text
    assert "| 600 s | lattice cutting planes | 0 of 1 | 0 of 1 | 10.0 % |\n" in section.text
    compared = [line for line in section.losing if "leaves a gap" in line]
    assert len(compared) == 2  # runs of the same time with each other
    assert "10.00 % on ties, 3 terms, 600 s, riskcard 15.00 %" in compared[1]


def test_a_long_table_that_is_not_asked_about_is_refused():
    words = ["c", "--tables", "breast_cancer", "--long-tables"]
    assert plan_of(parse([*words, "breast_cancer", "ties:400:0"])).long_tables[1] == "ties:400:0"
    with pytest.raises(SystemExit, match="--long-tables pina: asked about are only breast_cancer"):
        plan_of(parse([*words, "pina"]))


def test_losses_and_times_at_equal_numbers_of_thresholds_are_compared_and_defeats_reported():
    store = Store(None)
    known = {LOWEST_LOSS: (99.0, 3.0), "riskcard-9": (100.0, 1.0), "imodels-9": (101.0, 2.0)}
    for terms, factor in ((3, 1.0), (5, 0.9)):
        for name, (loss, seconds) in known.items():
            is_rival = name == "imodels-9"
            found = figures(
                loss * (factor if is_rival else 1.0), seconds * (factor**10 if is_rival else 1.0)
            )
            store.put(Job("a", name, "ties", terms=terms), found)
    section = QUESTIONS["a"].section(store.kept("a"), Plan(("ties",)))
    row = next(line for line in section.text.split("\n") if "| 1 | 0 | 1 |" in line)
    assert row.startswith("| imodels, 9 thresholds |")
    assert row.endswith("| 1 of 2 |")
    lost = [line for line in section.losing if "riskcard, 9 cuts" in line]
    assert any(
        "lower than riskcard, 9 cuts in 1 of 2 cases; the largest difference is on ties with 5 terms"
        in line
        for line in lost
    )
    assert any("faster than riskcard, 9 cuts in 1 of 2 cases" in line for line in lost)
    assert not any("riskcard, 9 cuts is faster" in line for line in section.losing)


# --- workers and peers --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def worker():
    with Worker("run_riskcard") as made:
        yield made


@pytest.mark.slow
@pytest.mark.parametrize("name", [LOWEST_LOSS, DEFAULT, "round", *CEILINGS])
def test_a_worker_returns_a_model_whose_figures_the_evaluator_finds(name, worker, tmp_path):
    method, table = METHODS[name], small_table(PLAIN)
    call = Call(method.worker[1], method.settings(2, 1.0), 60.0, asked=not method.has_card)
    answer = Desk(tmp_path).ask(worker, call, table)
    assert "error" not in answer
    assert ("model" in answer) == method.has_card
    figures = figures_of(answer, table, None, None)
    empty = len(table.y) * np.log(2)
    assert 0 < figures["fit"]["loss"] < empty
    if method.has_card:
        assert figures["card"]["terms"] <= 2


def test_the_record_of_our_card_gives_its_loss_with_levels_and_missing_values(worker, tmp_path):
    from riskcard import RiskScoreClassifier

    table = small_table("as it comes")
    call = Call("lowest-loss", {"max_terms": 4}, 60.0)
    answer = Desk(tmp_path).ask(worker, call, table)
    found = judge(Model.of(answer["model"]), None, table.values, table.y)
    frame = {name: table.values[:, place] for place, name in enumerate(table.columns)}
    frame["d"] = np.array(table.levels[3], dtype=object)[table.values[:, 3].astype(int)]
    import pandas as pd

    model = RiskScoreClassifier(4, regularization=None).fit(pd.DataFrame(frame), table.y)
    assert found["loss"] == pytest.approx(model.loss_, rel=1e-12)


def test_a_worker_says_what_went_wrong_and_goes_on(worker, tmp_path):
    desk, table = Desk(tmp_path), small_table(PLAIN)
    answer = desk.ask(worker, Call("lowest-loss", {"max_terms": 0}, 60.0), table)
    assert "ParameterError" in answer["error"]
    assert "model" in desk.ask(worker, Call("lowest-loss", {"max_terms": 1}, 60.0), table)


def test_a_worker_that_cannot_start_is_reported(tmp_path):
    with Worker("no_such_script") as worker:
        answer = Desk(tmp_path).ask(worker, Call("nothing", {}, 5.0), small_table(PLAIN))
    assert "the process ended with code 2" in answer["error"]
    assert "no_such_script.py" in answer["error"]


def test_a_method_that_the_worker_does_not_know_is_reported(worker, tmp_path):
    answer = Desk(tmp_path).ask(worker, Call("nothing", {}, 5.0), small_table(PLAIN))
    assert "nothing" in answer["error"]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a file that never ends")
def test_a_worker_that_takes_too_long_is_ended_and_starts_again_cold(tmp_path):
    path = tmp_path / "request"
    desk = Desk(tmp_path)
    with Worker("run_riskcard") as worker:
        assert worker.life == 0
        desk.ask(worker, Call("logistic", {}, 60.0), small_table(PLAIN))
        assert worker.life == 1
        os.mkfifo(path)
        assert worker.ask(path, 0.1) == {"error": "ended after 0.1 s"}
        assert worker.life == 0
        desk.ask(worker, Call("logistic", {}, 60.0), small_table(PLAIN))
        assert worker.life == 2


def test_a_worker_that_ended_is_warmed_again_before_its_next_fit(tmp_path, monkeypatch):
    asked = []
    bench = Bench(Desk(tmp_path), [], {}, 2)
    monkeypatch.setattr(
        Desk, "ask", lambda self, worker, call, table, rows=None: asked.append(table.name)
    )
    lives = iter([0, 1, 1, 1, 0, 2])
    monkeypatch.setattr(Worker, "life", property(lambda self: next(lives)))
    method = METHODS["logistic"]
    bench._warm_worker(method, PLAIN)  # starts, is warmed, lives
    bench._warm_worker(method, PLAIN)  # lives on
    bench._warm_worker(method, PLAIN)  # ended in between
    assert asked == ["small", "small"]


def test_a_peer_that_cannot_be_installed_is_kept_with_its_reason(tmp_path):
    peer = Peer("impossible", ("x",), "x", newest=(2, 7))
    environment = install(peer, tmp_path)
    assert environment.python == ""
    assert "Python 2.7" in environment.reason
    assert json.loads((tmp_path / "impossible" / "riskcard-benchmark.json").read_text())["reason"]


# --- ranks, growth, page ------------------------------------------------------------------------


def test_ranks_and_critical_difference_are_those_of_the_definition():
    values = np.random.default_rng(0).random((12, 4))
    found = rank(list("abcd"), values)
    assert found.ranks == pytest.approx(np.mean([rankdata(row) for row in values], axis=0))
    # Demšar's table has 2.569 for four methods at 5 %
    assert found.difference == pytest.approx(2.569 * np.sqrt(4 * 5 / (6 * 12)), rel=1e-3)


def test_methods_further_apart_than_the_critical_difference_are_not_joined():
    values = np.array([[1.0, 1.1, 5.0]] * 40) + np.random.default_rng(0).normal(0, 0.3, (40, 3))
    assert rank(["a", "b", "c"], values).groups() == [(0, 1)]


def test_exponents_are_slopes_of_logarithms():
    assert exponent([10, 100, 1000], [3.0, 30.0, 300.0]) == pytest.approx(1.0)
    assert np.isnan(exponent([10, 100], [1.0, 2.0]))  # two points always lie on a line


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="Linux only")
def test_the_memory_of_a_fit_is_its_own_and_not_that_of_the_harness(tmp_path):
    rng = np.random.default_rng(0)
    values = rng.standard_normal((200_000, 10))
    y = (values[:, 0] > 0).astype(np.int64)
    table = Table("large", tuple("abcdefghij"), values, (None,) * 10, y)
    ballast = np.ones(30_000_000)  # 240 MB that a new process must not be credited with
    with Worker("run_riskcard") as worker:
        answer = Desk(tmp_path).ask(worker, Call("logistic", {}, 60.0), table)
    assert ballast.size
    # scaling makes a copy of the 16 MB
    assert 16e6 <= answer["peak"] < 200e6


def test_every_question_plans_jobs_of_known_methods_once_each():
    plan = Plan(("ties",), terms=(3,), limits=(1.0,), repeats=2, seeds=1)
    for letter, question in QUESTIONS.items():
        jobs = question.jobs(plan)
        assert jobs
        assert len(set(jobs)) == len(jobs)
        assert {job.method for job in jobs} <= set(METHODS)
        assert {job.question for job in jobs} == {letter}


def test_the_standing_and_the_losses_open_the_page_and_failures_are_named():
    standing = [Standing("loss", "1.0", "2.0 (another)", "yes")]
    sections = [
        Section("(a) First", "text", ["training loss: another is lower"], standing=standing)
    ]
    broken = Environment("fasterrisk", "", "no wheels", 0.0, {})
    pages = render(sections, ["python"], {"fasterrisk": broken}, ["tables left out: many"])
    assert list(pages) == ["benchmarks.md", "benchmarks_first.md"]
    assert "text" in pages["benchmarks_first.md"]
    text = pages["benchmarks.md"]
    words = (
        "| loss | 1.0 | 2.0 (another) | yes |",
        "another is lower",
        "[(a) First]",
        "Conditions",
    )
    places = [text.index(word) for word in words]
    assert places == sorted(places)
    assert "fasterrisk could not be installed: no wheels" in text
    assert "tables left out: many" in text


@pytest.mark.parametrize(
    ("ours", "theirs", "is_high_good", "verdict"),
    [(1.0, 2.0, False, "yes"), (1.0, 2.0, True, "no"), (1.0, 1.04, True, "about equal")],
)
def test_the_verdict_says_who_is_ahead(ours, theirs, is_high_good, verdict):
    assert verdict_on(ours, theirs, is_high_good, noise=0.05) == verdict


def test_a_duel_counts_cases_that_are_better_the_same_and_worse():
    found = compare("loss", "another", [(1.0, 2.0), (2.0, 2.0), (3.0, 2.0), (4.0, 2.0)])
    assert (found.better, found.same, found.worse, found.cases) == (1, 1, 2, 4)
    assert compare("AUC", "another", [(1.0, 2.0)], is_high_good=True).worse == 1


def test_figures_of_all_questions_lead_to_lines_of_the_standing():
    plan = Plan(("ties", "rare"), terms=(3,), new_tables=("paper",), limits=(1.0,), repeats=1)
    store = Store(None)
    for letter in "ab":
        for job in QUESTIONS[letter].jobs(plan):
            ours = {LOWEST_LOSS: 90.0, DEFAULT: 50.0}.get(job.method, 60.0)
            store.put(job, figures(ours, 1.0))
    lines = [one for q in "ab" for one in QUESTIONS[q].section(store.kept(q), plan).standing]
    lines = [one for one in lines if "log-loss" in one.question or "training loss" in one.question]
    assert [(one.ours, one.verdict) for one in lines] == [
        ("0 of 2 cases", "no"),
        ("0.5000", "1 of 1 sizes"),
        ("0.9000", "0 of 1 sizes"),
        ("0.5000", "1 of 1 sizes"),
    ]


def figures(loss, seconds):
    judged = {"loss": loss, "mean_loss": loss / 100, "auc": 0.8, "brier": 0.2, "calibration": 0.1}
    judged["slope"] = 1.0
    return {"fit": judged, "held_out": judged, "processor": seconds, "card": {"terms": 3}}


def test_a_lower_loss_or_shorter_time_of_another_is_reported():
    plan = Plan(("ties",), terms=(3,), limits=(1.0,), repeats=1)
    store = Store(None)
    for job in QUESTIONS["a"].jobs(plan):
        store.put(job, figures(90.0 if job.method == "fasterrisk" else 100.0, 1.0))
    losing = QUESTIONS["a"].section(store.kept("a"), plan).losing
    assert len(losing) == 1
    assert "FasterRisk, 100 thresholds is lower" in losing[0]
    assert "10.00 %" in losing[0]


def test_the_page_of_held_out_rows_has_a_rank_for_every_method():
    plan = Plan(("ties", "rare", "paper"), terms=(3, 5))
    store, rng = Store(None), np.random.default_rng(0)
    for job in QUESTIONS["b"].jobs(plan):
        store.put(job, figures(float(rng.uniform(80, 100)), 1.0))
    text = QUESTIONS["b"].section(store.kept("b"), plan).text
    ranks = text.split("## Ranks")[1].split("\n## ")[0]
    for name in FOR_NEW_ROWS:
        assert METHODS[name].title in ranks
    for name in CEILINGS:
        assert METHODS[name].title in text
        assert METHODS[name].title not in ranks  # they are no cards
    assert "; 3 tables, critical difference" in ranks


def test_only_methods_that_were_run_on_the_same_tables_are_compared():
    plan, store = Plan(("ties", "rare"), terms=(3,)), Store(None)
    for job in QUESTIONS["b"].jobs(plan):
        if job.method in (DEFAULT, "imodels-9"):
            store.put(job, figures(90.0, 1.0))
    found = QUESTIONS["b"].section(store.kept("b"), plan).duels
    assert [(one.rival, one.cases) for one in found] == [(METHODS["imodels-9"].title, 2)]


def test_sizes_of_one_table_do_not_count_as_tables():
    values = np.random.default_rng(0).normal(size=(12, 4))
    tables = [f"table {case // 3}" for case in range(12)]
    apart, together = rank("abcd", values), rank("abcd", values, tables)
    assert together.ranks == pytest.approx(apart.ranks)
    assert together.n_blocks == 4
    assert together.difference == pytest.approx(np.sqrt(3) * apart.difference)


def test_new_tables_are_kept_apart_from_those_of_the_development():
    plan = Plan(("bank",), terms=(3,), new_tables=("ties",))
    store = Store(None)
    for job in QUESTIONS["b"].jobs(plan):
        is_ahead = job.method == "round" and job.table == "ties"
        ours = 20.0 if job.table == "bank" else 60.0
        store.put(job, figures(50.0 if is_ahead else ours if job.method == DEFAULT else 100.0, 1.0))
    found = QUESTIONS["b"].section(store.kept("b"), plan)
    losing = [line for line in found.losing if "log-loss" in line and "riskcard, default" in line]
    assert losing == [
        "held-out rows, log-loss, 3 terms: select, regress, round has 0.5000, riskcard, default 0.6000 (rank 2 of 6)",
        "held-out rows, mean rank in log-loss: select, regress, round has a better rank than riskcard, default",
    ]


def test_cards_of_the_default_and_of_the_lowest_loss_are_compared_with_others_on_held_out_rows():
    plan = Plan((), terms=(3,), new_tables=("ties", "rare"))
    losses = {LOWEST_LOSS: 90.0, DEFAULT: 50.0, "sturdy": 40.0, TUNED: 45.0, "round": 60.0}
    store = Store(None)
    for job in QUESTIONS["b"].jobs(plan):
        store.put(job, figures(losses.get(job.method, 100.0), 1.0))
    losing = QUESTIONS["b"].section(store.kept("b"), plan).losing
    assert [line for line in losing if "log-loss" in line] == [
        "held-out rows, log-loss, 3 terms: select, regress, round has 0.6000, riskcard, lowest loss 0.9000 (rank 2 of 6)",
        "held-out rows, mean rank in log-loss: select, regress, round has a better rank than riskcard, lowest loss",
        "held-out rows, log-loss: riskcard, former `sturdy` has 0.4000 with 3 terms, riskcard, default 0.5000",
    ]


def test_a_size_chosen_by_cross_validation_is_compared_with_five_terms():
    plan = Plan((), terms=(3, 5), new_tables=("ties", "rare"))
    store = Store(None)
    for job in QUESTIONS["b"].jobs(plan):
        is_worse = job.method == TUNED and job.table == "rare"
        store.put(job, figures(80.0 if is_worse else 3.0 if job.terms == 3 else 50.0, 1.0))
    found = QUESTIONS["b"].section(store.kept("b"), plan)
    assert "log-loss: better on 0 tables, the same on 1, worse on 1." in found.text
    assert (
        "held-out rows, log-loss: the size chosen by cross-validation has 0.6500, a fixed size of 5 terms 0.5000 "
        "(2 tables)"
    ) in found.losing


def test_a_regression_on_all_columns_that_is_better_than_a_card_is_reported():
    plan = Plan((), terms=(3, 5), new_tables=("ties", "rare"))
    store = Store(None)
    for job in QUESTIONS["b"].jobs(plan):
        ours = 60.0 if job.terms == 3 else 40.0
        store.put(job, figures(50.0 if job.method == "splines" else ours, 1.0))
    losing = QUESTIONS["b"].section(store.kept("b"), plan).losing
    assert [line for line in losing if "not a card" in line and "splines" in line] == [
        "held-out rows, log-loss: LogisticRegression on splines, which is not a card, is better than the default "
        "with 3 terms"
    ]


def test_cards_of_the_default_are_asked_for_held_out_rows_and_planted_cuts_not_for_the_lowest_loss():
    plan = Plan(("ties",), terms=(3,), limits=(1.0,), repeats=1, seeds=1)
    asked = {letter: {job.method for job in QUESTIONS[letter].jobs(plan)} for letter in "abd"}
    assert [DEFAULT in asked[letter] for letter in "abd"] == [False, True, True]
    assert set(CARDS) <= asked["a"]


def test_a_method_without_all_tables_is_compared_on_those_that_it_has():
    plan = Plan((), terms=(3,), new_tables=("ties", "rare"))
    store = Store(None)
    for job in QUESTIONS["b"].jobs(plan):
        is_missing = (job.table, job.fold, job.method) == ("rare", 3, "fasterrisk")
        if not is_missing:
            store.put(job, figures(20.0 if job.table == "ties" else 90.0, 1.0))
    found = QUESTIONS["b"].section(store.kept("b"), plan)
    assert "| FasterRisk, 100 thresholds, 1 tables | 0.8000 | 0.2000 |" in found.text
    assert "| riskcard, default, the same 1 | 0.8000 | 0.2000 |" in found.text
    assert "| riskcard, default | 0.8000 | 0.5500 |" in found.text
    assert "FasterRisk" not in found.text.split("## Ranks")[1].split("\n## ")[0]
    few = [one for one in store.kept("b") if one.job.method != DEFAULT]
    assert "No table is finished" in QUESTIONS["b"].section(few, plan).text


def test_all_figures_are_in_the_csv_file_with_flat_names():
    store = Store(None)
    store.put(JOBS[0], {"fit": {"loss": 1.5}, "history": [1, 2], "processor": 0.1})
    header, line = to_csv(store.kept("a")).splitlines()
    assert header.split(",")[-2:] == ["fit.loss", "processor"]
    assert line.split(",")[-2:] == ["1.5", "0.1"]


def test_the_command_line_says_what_a_run_leaves_out_and_hides_folders():
    given = parse(["a", "--limits", "10", "--folds", "2"])
    plan = Plan((), limits=(10.0,), folds=2)
    found = " ".join(reductions(plan, ["a"], given))
    assert "seconds for proofs: 10 instead of 10, 60, 600" in found
    assert "questions left out: b, c, d, e, f" in found
    assert shown_arguments(["a", "--data", "/somewhere"]) == ["a", "--data", "FOLDER"]


def test_a_page_of_a_stopped_run_says_how_much_is_finished(tmp_path, capsys):
    plan = Plan(("ties",), terms=(3,), limits=(1.0,), repeats=1)
    keep, peers = tmp_path / "keep", tmp_path / "peers"
    keep.mkdir()
    store = Store(keep)
    for job in QUESTIONS["a"].jobs(plan)[:2]:
        store.put(job, figures(100.0, 1.0))
    for name in PEERS:
        home = peers / name
        home.mkdir(parents=True)
        note = Environment(name, sys.executable, "", 1.0, {name: "1.0"})
        (home / "riskcard-benchmark.json").write_text(json.dumps(asdict(note)))
    words = ["a", "--tables", "ties", "--terms", "3", "--limits", "1", "--repeats", "1"]
    folders = ["--keep", str(keep), "--peers", str(peers)]
    assert main([*words, *folders, "--no-run"]) == 0
    text = capsys.readouterr().out
    assert "finished jobs of (a): 2 of 11" in text
    assert "riskcard, certified, 1 s" in text
    assert len(Store(keep)) == 2


def test_an_unknown_question_is_refused(capsys):
    with pytest.raises(SystemExit):
        parse(["z"])
    assert "there is no question 'z'" in capsys.readouterr().err


# --- the guard ----------------------------------------------------------------------------------

REFERENCE = {"ratios": {"r": 1.0}, "counts": {"nodes": 10}, "losses": {"t": 5.0}}


def test_the_guard_passes_on_its_own_reference():
    assert quick.compare(REFERENCE, REFERENCE) == []


@pytest.mark.parametrize(
    ("kind", "name", "value", "word"),
    [
        ("ratios", "r", 1.7, "more than 1.6 times the reference"),
        ("counts", "nodes", 11, "the reference has 10"),
        ("counts", "nodes", 9, "the reference has 10"),
        ("losses", "t", 5.001, "the reference has 5.0"),
    ],
)
def test_the_guard_fails_when_a_figure_is_worse(kind, name, value, word):
    measured = {**REFERENCE, kind: {name: value}}
    wrong = quick.compare(measured, REFERENCE)
    assert len(wrong) == 1
    assert word in wrong[0]


def test_ratios_over_a_fixed_piece_of_work_have_the_wider_factor():
    name = "fit / numpy work"
    reference = {**REFERENCE, "ratios": {name: 1.0}}
    assert quick.compare({**REFERENCE, "ratios": {name: 2.9}}, reference) == []
    assert "more than 3 times" in quick.compare({**REFERENCE, "ratios": {name: 3.1}}, reference)[0]


@pytest.mark.parametrize(("kind", "value"), [("ratios", {"r": 1.5}), ("losses", {"t": 4.0})])
def test_the_guard_lets_small_changes_of_time_and_lower_losses_pass(kind, value):
    assert quick.compare({**REFERENCE, kind: value}, REFERENCE) == []


def test_the_guard_leaves_with_an_error_code_and_says_why(tmp_path, monkeypatch, capsys):
    for name, kind in (("counts", "counts"), ("losses", "losses"), ("ratios", "ratios")):
        monkeypatch.setattr(quick, f"measure_{name}", lambda kind=kind: REFERENCE[kind])
    path = tmp_path / "reference.json"
    assert quick.main(["--write", "--reference", str(path)]) == 0
    assert quick.main(["--reference", str(path)]) == 0
    path.write_text(json.dumps({**REFERENCE, "counts": {"nodes": 8}}))
    assert quick.main(["--reference", str(path)]) == 1
    assert "WORSE: nodes: 10, the reference has 8" in capsys.readouterr().out


def test_the_checked_in_reference_has_every_kind_of_figure():
    reference = json.loads(quick.REFERENCE.read_text())
    assert set(reference) == {"counts", "losses", "ratios"}
    assert all(value > 0 for value in reference["ratios"].values())


def test_kernel_calls_are_counted_the_same_twice_and_the_kernels_are_put_back():
    from benchmarks.counting import counted_kernels

    from riskcard import RiskScoreClassifier
    from riskcard.search.heuristic import descent

    table, before = small_table(PLAIN), descent.fit_offers
    RiskScoreClassifier(2, regularization=None).fit(table.values, table.y)  # the first fit compiles
    counts = []
    for _ in range(2):
        with counted_kernels() as calls:
            RiskScoreClassifier(2, regularization=None).fit(table.values, table.y)
        counts.append(calls)
    assert counts[0] == counts[1]
    assert sum(counts[0].values()) > 0
    assert descent.fit_offers is before


def test_missing_values_are_one_below_the_least_number_in_the_numeric_view():
    table = Table("t", ("a",), np.array([[1.0], [np.nan]]), (None,), np.array([0, 1]))
    assert table.plain().values.tolist() == [[1.0], [0.0]]


def test_every_method_is_described_to_the_reader():
    assert set(ABOUT) == set(METHODS)


def test_methods_that_go_beyond_the_points_asked_for_are_named():
    plan = Plan(("ties",), terms=(3,), limits=(1.0,), repeats=1)
    store = Store(None)
    for job in QUESTIONS["a"].jobs(plan):
        jump = 9 if job.method == "optbinning" else 5
        store.put(job, figures(100.0, 1.0) | {"card": {"terms": 3, "jump": jump}})
    text = QUESTIONS["a"].section(store.kept("a"), plan).text
    assert "; optbinning, rounded has none, and its terms have up to 9. *Loss*" in text


# --- folds at once ------------------------------------------------------------------------------


@pytest.mark.slow
def test_folds_at_once_give_the_same_scores_and_all_figures():
    found = {
        mode: folds_at_once.numbers_of(folds_at_once.FOLDS, mode, "breast cancer")
        for mode in ("serial", "loky")
    }
    assert found["serial"][2] == found["loky"][2]
    parts = folds_at_once.best_of(1, folds_at_once.STEPS)
    assert len(parts) == len(folds_at_once.PARTS)
