"""The paper's experiments: what is run, kept, judged and shown."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from riskcard.cli.main import main
from riskcard.errors import FormatError, ParameterError
from riskcard.paper.experiments.methods import METHODS, Method
from riskcard.paper.experiments.published import MISPRINT, PUBLISHED
from riskcard.paper.experiments.result_tables import (
    COLUMNS,
    gather,
    lines_of,
    speed_up,
    to_csv,
    to_markdown,
)
from riskcard.paper.experiments.results_page import render_page, write_page
from riskcard.paper.experiments.runs.run_outcome import BestKnown, Outcome, best_known, verdict
from riskcard.paper.experiments.runs.run_process import run_in_process
from riskcard.paper.experiments.runs.run_progress import ExperimentDisplay
from riskcard.paper.experiments.runs.run_store import Store
from riskcard.paper.experiments.runs.runner import make_cells, run_cells
from riskcard.paper.experiments.table_rows import Row, choose_rows, distinct_rows, rows_of
from riskcard.paper.solvers.answer import Claim
from riskcard.paper.solvers.registry import SolveRecord
from riskcard.problem.objective import loss_of
from riskcard.problem.result import SolveResult
from riskcard.problem.solution import Solution
from riskcard.status import Progress, Status

ROOT = Path(__file__).parents[1]
SMALL, LARGE = Row(200, 1, 1), Row(1000, 1, 1)
PROVEN = Outcome(
    0.01, 0.008, 1.5, 1.0, "proven", "optimal", 1.5, 1.5, 1.5e-6, 19, ((0.002, 3.0), (0.008, 1.5))
)
OPTIMAL = Outcome(20.0, 12.0, 1.5, 1.0, "optimal", "SUCCESS", 1.5, 1.5, 2e-4, 3, ((12.0, 1.5),))
STOPPED = Outcome(61.0, None, None, None, "limit", "LIMIT_EXCEEDED", None, 0.2, 2e-4)
ROUNDED = Outcome(0.5, 0.5, 81.6, 0.92, "heuristic", history=((0.5, 81.6),))
FAKES = {"riskcard": PROVEN, "bonmin": STOPPED, "algorithm1": ROUNDED, "highs": OPTIMAL}


class Fakes:
    """Stands for the solvers: gives outcomes that are known, and counts how often it is asked."""

    def __init__(self, outcomes=FAKES, interrupt_at=None):
        self.outcomes, self.interrupt_at, self.asked = outcomes, interrupt_at, []

    def __call__(self, row: Row, method: Method, limit: float) -> Outcome:
        if len(self.asked) == self.interrupt_at:
            raise KeyboardInterrupt
        self.asked.append((row, method.name, limit))
        return self.outcomes[method.name]


def fake_cells(rows=(SMALL, LARGE), names=tuple(FAKES), limits=None):
    return make_cells(rows, [METHODS[name] for name in names], limits or {})


def run(cells, folder: Path, fakes: Fakes) -> Store:
    store = Store(folder)
    run_cells(cells, store, ExperimentDisplay(is_quiet=True), fakes)
    return store


# --- what is run --------------------------------------------------------------------------------


def test_the_four_tables_have_22_rows_of_which_19_differ():
    assert [len(rows_of(table)) for table in (1, 2, 3, 4)] == [5, 5, 6, 6]
    assert len(PUBLISHED) == 22
    assert len(distinct_rows((1, 2, 3, 4))) == 19


def test_rows_that_stand_in_two_tables_were_published_with_the_same_figures():
    told = {}
    for one in PUBLISHED:
        assert told.setdefault(one.size, one.bonmin) == one.bonmin


def test_rows_are_chosen_by_their_sizes():
    rows = distinct_rows((1, 2))
    assert choose_rows(rows, ["k=2"]) == [Row(200, 2, 2), Row(200, 5, 2)]
    assert choose_rows(rows, ["N=200,p=1", "p=5,k=5"]) == [SMALL, Row(200, 5, 5)]
    assert choose_rows(rows, []) == rows


@pytest.mark.parametrize(
    ("text", "message"),
    [("N=7", "No row fits --rows N=7"), ("q=1", "cannot be read at 'q=1'"), ("N=x", "at 'N=x'")],
)
def test_rows_that_do_not_exist_are_refused(text, message):
    with pytest.raises(ParameterError, match=message):
        choose_rows(distinct_rows((1,)), [text])


# --- what is kept -------------------------------------------------------------------------------


def test_a_second_run_makes_only_what_is_not_there(tmp_path):
    run(fake_cells(rows=[SMALL]), tmp_path, Fakes())
    again = Fakes()
    store = run(fake_cells(), tmp_path, again)
    assert [row for row, _, _ in again.asked] == [LARGE] * 4
    assert len(store) == 8
    assert store.get(fake_cells()[0]).outcome == PROVEN


def test_an_interrupted_run_keeps_what_was_finished(tmp_path):
    cells = fake_cells()
    with pytest.raises(KeyboardInterrupt):
        run(cells, tmp_path, Fakes(interrupt_at=3))
    kept = Store(tmp_path)
    assert [kept.get(cell) is not None for cell in cells] == [True] * 3 + [False] * 5
    rest = Fakes()
    run(cells, tmp_path, rest)
    assert len(rest.asked) == 5


def test_another_limit_is_another_run(tmp_path):
    run(fake_cells(rows=[SMALL]), tmp_path, Fakes())
    again = Fakes()
    run(fake_cells(rows=[SMALL], limits={"bonmin": 5.0}), tmp_path, again)
    assert again.asked == [(SMALL, "bonmin", 5.0)]


def test_of_two_runs_the_tables_list_the_one_with_more_time(tmp_path):
    run(fake_cells(rows=[SMALL]), tmp_path, Fakes())
    limits = {"bonmin": 500.0, "scip": 1.0}
    store = run(fake_cells(rows=[SMALL], limits=limits), tmp_path, Fakes())
    asked = fake_cells(rows=[SMALL])
    stands = {name: cell.limit for name, (cell, _) in gather(asked, store)[SMALL].runs.items()}
    assert stands == {cell.method.name: cell.limit for cell in asked} | {"bonmin": 500.0}


def test_what_is_forgotten_is_made_again(tmp_path):
    store = run(fake_cells(), tmp_path, Fakes())
    store.forget(fake_cells(rows=[LARGE]))
    again = Fakes()
    run(fake_cells(), tmp_path, again)
    assert [row for row, _, _ in again.asked] == [LARGE] * 4


@pytest.mark.parametrize("text", ["", "{}", '{"format": "riskcard experiment", "version": 99}'])
def test_a_file_that_is_something_else_is_refused_and_left_alone(tmp_path, text):
    path = tmp_path / "results.json"
    path.write_text(text)
    with pytest.raises(FormatError, match="not a file of finished runs"):
        Store(tmp_path)
    assert path.read_text() == text


# --- what is said of it -------------------------------------------------------------------------


def test_a_claim_is_true_when_the_proof_agrees():
    assert verdict(OPTIMAL, best_known([PROVEN, OPTIMAL])) == "claimed"
    assert verdict(PROVEN, best_known([PROVEN, OPTIMAL])) == "proven"


def test_a_claim_without_a_proof_is_not_checked():
    assert verdict(OPTIMAL, best_known([OPTIMAL])) == "claimed, not checked"


@pytest.mark.parametrize(
    "claim",
    [
        replace(OPTIMAL, loss=137.65, claimed_loss=137.65, claimed_bound=137.65),
        replace(OPTIMAL, loss=2.0),  # its card is worse than it says
        replace(STOPPED, claimed_bound=1.6),  # no card is below 1.6, it says
        replace(PROVEN, loss=1.6, claimed_loss=1.6, claimed_bound=1.6),  # our own would be caught
    ],
)
def test_a_claim_is_false_when_a_better_card_exists(claim):
    assert verdict(claim, BestKnown(1.5, is_proven=False)) == "claim is false"


def test_a_worse_card_at_the_limit_is_not_a_false_claim():
    best = best_known([PROVEN])
    assert verdict(replace(STOPPED, loss=50.0, claimed_loss=50.0), best) == "limit"
    assert verdict(ROUNDED, best) == "heuristic"


def test_a_proof_of_a_worse_card_does_not_make_the_best_one_proven():
    assert not best_known([PROVEN, replace(OPTIMAL, loss=1.0)]).is_proven
    assert best_known([STOPPED]) is None


# --- what is shown ------------------------------------------------------------------------------


@pytest.fixture
def results(tmp_path):
    cells = fake_cells(rows=distinct_rows((1, 2, 3, 4)))
    return gather(cells, run(cells, tmp_path, Fakes()))


@pytest.mark.slow
def test_the_table_has_the_columns_of_the_paper_and_its_signs(results):
    lines = list(csv.DictReader(io.StringIO(to_csv(lines_of(3, results)))))
    assert tuple(lines[0]) == COLUMNS
    assert {"TT", "ST", "OBJ", "AUC", "status", "times faster"} <= set(COLUMNS)
    here = {
        line["method"]: line for line in lines if line["N"] == "200" and line["source"] == "here"
    }
    bonmin = here["BONMIN, linear form"]
    assert (bonmin["TT"], bonmin["ST"], bonmin["OBJ"], bonmin["AUC"]) == ("*", "-", "-", "-")
    assert here["riskcard, certified"]["times faster"] == "> 6,000"
    assert here["reference card"]["OBJ"] == "96.163"
    paper = [line for line in lines if line["source"] == "paper" and line["N"] == "20000"]
    assert [line["OBJ"] for line in paper] == ["9276.00", "404.45", "8145.23"]
    assert [line["TT"] for line in paper] == ["", "*", "18.75"]


@pytest.mark.slow
def test_markdown_and_csv_say_the_same(results):
    lines = lines_of(1, results)
    rows = to_markdown(lines).splitlines()
    assert len(rows) == 2 + len(lines)
    assert all(row.count("|") == len(COLUMNS) for row in rows)
    assert r"| BONMIN, linear form | here | 60 | \* | - | - | - | limit |" in rows[6]


def test_the_speed_up_is_a_lower_bound_where_the_rival_was_stopped(tmp_path):
    cells = fake_cells(rows=[SMALL])
    store = run(cells, tmp_path, Fakes())
    assert speed_up(gather(cells, store)[SMALL]) == (6000.0, False)
    store.forget(cells)
    store = run(cells, tmp_path, Fakes({**FAKES, "bonmin": OPTIMAL}))
    assert speed_up(gather(cells, store)[SMALL]) == (2000.0, True)


@pytest.mark.slow
def test_the_page_has_every_row_the_rule_and_the_misprint(results):
    page = render_page((1, 2, 3, 4), results, has_pictures=False)
    for row in distinct_rows((1, 2, 3, 4)):
        assert f"| {row.n_rows} | {row.n_features} | {row.k} | 1.50000 |" in page
    for table in (1, 2, 3, 4):
        assert f"## Table {table}" in page
    assert "2234.78" in page
    assert "*above* 0.5" in page
    assert "19 of 19 rows" in page
    assert MISPRINT == (20000, 2)


def test_false_claims_are_listed_on_the_page(tmp_path):
    wrong = replace(OPTIMAL, loss=137.65, claimed_loss=137.65, claimed_bound=137.65)
    cells = fake_cells(rows=[SMALL])
    results = gather(cells, run(cells, tmp_path, Fakes({**FAKES, "bonmin": wrong})))
    page = render_page((1,), results, has_pictures=False)
    assert "N=200 p=1 k=1, BONMIN, linear form: says 'SUCCESS' with a loss of 137.65" in page
    assert "| claim is false |" in page


@pytest.mark.slow
def test_the_pictures_are_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    cells = fake_cells(rows=[SMALL, LARGE, Row(200, 2, 2)])
    results = gather(cells, run(cells, tmp_path, Fakes()))
    write_page(tmp_path / "page.md", (1, 3), results)
    for name in ("paper_losses.png", "paper_times.png"):
        assert (tmp_path / "images" / name).read_bytes().startswith(b"\x89PNG")
        assert f"images/{name}" in (tmp_path / "page.md").read_text()


@pytest.mark.slow
def test_without_matplotlib_the_page_has_no_pictures_and_says_so(results, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    remarks = write_page(tmp_path / "page.md", (1,), results)
    assert "riskcard[plots]" in remarks[0]
    assert "images/" not in (tmp_path / "page.md").read_text()


def test_the_docs_compare_the_best_run_of_bonmin_with_the_paper_as_the_results_have_it():
    store = Store(ROOT / "experiments" / "paper")
    rows, rivals = distinct_rows((1, 2, 3, 4)), [name for name in METHODS if "bonmin" in name]
    methods = [METHODS[name] for name in rivals]
    results = gather(make_cells(rows, methods, dict.fromkeys(rivals, 1.0)), store)
    published = {Row(*one.size): one.bonmin for one in PUBLISHED}
    page = (ROOT / "docs" / "solvers.md").read_text(encoding="utf-8")
    lines = re.findall(
        r"^\| (\d+) \| (\d) \| (\d) \| (.+) \| (yes|no) \| .+ \|$", page, re.MULTILINE
    )
    assert [Row(int(n), int(p), int(k)) for n, p, k, _, _ in lines] == rows
    for row, (*_, cells, is_as_good) in zip(rows, lines, strict=True):
        paper, loss, by, seconds, limit = (cell.strip(" `") for cell in cells.split("|"))
        told = published[row].loss
        assert paper.split()[0] == ("none" if told is None else f"{told:.2f}")
        outcomes = {name: results[row].outcome(name) for name in rivals}
        losses = [one.loss for one in outcomes.values() if one is not None and one.loss is not None]
        if losses:
            assert loss == f"{min(losses):.5f}"
            assert f"{outcomes[by].loss:.5f}" == loss
            assert seconds == f"{outcomes[by].seconds_to_best:.1f}"
            assert limit == f"{results[row].runs[by][0].limit:g}"
        is_reached = told is None or (bool(losses) and int(min(losses) * 100) / 100 <= told)
        assert is_as_good == ("yes" if is_reached else "no")


# --- real runs ----------------------------------------------------------------------------------


def test_a_solver_is_measured_by_the_referee():
    pytest.importorskip("highspy")
    from riskcard.paper.experiments.runs.solving import solve_row

    outcome = solve_row(SMALL, METHODS["highs"], 60.0)
    assert outcome.loss == pytest.approx(1.34307, abs=5e-6)
    assert verdict(outcome, BestKnown(outcome.loss, is_proven=True)) == "claimed"
    assert outcome.history[-1][1] == outcome.loss


def test_algorithm_1_gives_a_card_and_claims_nothing():
    pytest.importorskip("casadi")
    from riskcard.paper.experiments.runs.solving import solve_row

    outcome = solve_row(SMALL, METHODS["algorithm1"], 60.0)
    assert outcome.ending == "heuristic"
    assert outcome.claimed_loss is outcome.claimed_bound is None
    assert outcome.loss >= 1.343


@pytest.fixture
def started(monkeypatch):
    """Runs BONMIN from Algorithm 1 on the small row with known answers; 81.652 is Algorithm 1's loss."""
    pytest.importorskip("casadi")
    from riskcard.paper.experiments.runs import solving

    def run_with(claim: Claim, moments, has_start: bool) -> tuple[Outcome, dict]:
        asked = {}

        def solve(instance, form, solver, options, start):
            asked.update(form=form, solver=solver, limit=options.time_limit, start=start)
            card = start if has_start else Solution.of([(0, start.cuts[0], 4)], -2)
            history = tuple(Progress(seconds, loss, 0.0, 0) for seconds, loss in moments)
            loss = loss_of(card, instance.problem)
            result = SolveResult(card, loss, 0.0, Status.HEURISTIC, 3, 7.0, history, ())
            found = 0.0 if has_start else history[-1].seconds
            return SolveRecord(form, solver, result, claim, True, 7.0, found, 1e-4)

        monkeypatch.setattr(solving, "solve_form", solve)
        outcome = solving.solve_row(SMALL, METHODS["bonmin-started"], 50.0)
        return outcome, asked

    return run_with


def test_bonmin_from_algorithm_1_has_its_card_and_its_time(started):
    outcome, asked = started(Claim("time_limit", "stop"), [(2.0, 90.0)], has_start=True)
    (first, loss) = outcome.history[0]
    assert (asked["form"], asked["solver"]) == ("linear", "bonmin")
    assert asked["start"].terms
    assert asked["limit"] == pytest.approx(50.0 - first)
    assert outcome.loss == loss == pytest.approx(81.652, abs=5e-4)
    assert outcome.seconds_to_best == first
    assert outcome.seconds == first + 7.0
    assert outcome.ending == "limit"
    assert outcome.history == ((first, loss),)


def test_a_better_card_than_algorithm_1s_comes_later(started):
    moments = [(2.0, 80.0), (4.0, 70.0)]
    outcome, _ = started(Claim("optimal", "SUCCESS"), moments, has_start=False)
    first = outcome.history[0][0]
    assert outcome.history[1] == (first + 2.0, 80.0)
    assert outcome.history[-1] == (first + 4.0, outcome.loss)
    assert outcome.loss < 80.0
    assert outcome.seconds_to_best == first + 4.0
    assert outcome.ending == "optimal"


def test_no_card_below_the_cutoff_is_a_claim_that_the_start_is_optimal(started):
    outcome, _ = started(Claim("infeasible", "INFEASIBLE"), [], has_start=True)
    assert outcome.ending == "optimal"
    assert verdict(outcome, BestKnown(1.34307, is_proven=True)) == "claim is false"


@pytest.mark.slow
def test_bonmin_from_algorithm_1_really_starts_there():
    pytest.importorskip("casadi")
    from riskcard.paper.experiments.runs.solving import solve_row

    outcome = solve_row(SMALL, METHODS["bonmin-started"], 1.5)
    assert outcome.loss <= 81.653
    assert outcome.ending == "limit"
    assert outcome.history[0][1] == pytest.approx(81.652, abs=5e-4)


@pytest.mark.slow
def test_a_process_that_crashes_is_a_run_that_failed():
    outcome = run_in_process(SMALL, Method("nobody", "Nobody"), 1.0)
    assert outcome.ending == "failed"
    assert "KeyError: 'nobody'" in outcome.word


@pytest.mark.slow
def test_the_command_writes_tables_and_goes_on_where_it_was(tmp_path, capsys):
    command = ["experiment", "table3", "--rows", "N=200", "--solvers", "riskcard"]
    command += ["--time-limit", "20", "-o", str(tmp_path / "out")]
    assert main(command) == 0
    assert "proven" in capsys.readouterr().err
    text = (tmp_path / "out" / "table3.md").read_text()
    assert "| riskcard, certified | here | 20 |" in text
    assert main(command) == 0
    assert "proven" not in capsys.readouterr().err  # nothing was run
    (kept,) = json.loads((tmp_path / "out" / "results.json").read_text())["runs"]
    outcome = Outcome.from_dict(kept["outcome"])
    assert outcome.loss == pytest.approx(1.34307, abs=5e-6)
    assert outcome.auc == 1.0
    assert 0 < outcome.seconds_to_best <= outcome.seconds


def test_a_missing_solver_is_named_with_its_extra_and_left_out(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(
        "riskcard.cli.learning.experiment.is_installed", lambda method: method.extra is None
    )
    run(fake_cells(rows=[SMALL], names=["riskcard"]), tmp_path, Fakes())
    command = ["experiment", "table1", "--rows", "p=1", "-o", str(tmp_path)]
    assert main(command) == 0
    said = capsys.readouterr().err
    for extra in ("casadi", "scip", "highs"):
        assert f"riskcard[{extra}]" in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["table5"], "'table5' is not known"),
        (["all", "--time-limit", "cplex=3"], "no method 'cplex'"),
        (["all", "--time-limit", "-1"], "not a positive number"),
        (["all", "--solvers", "cplex"], "'cplex' is not known"),
    ],
)
def test_options_that_make_no_sense_are_one_sentence(words, message, capsys):
    assert main(["experiment", *words]) == 2
    assert message in capsys.readouterr().err


def test_a_page_that_cannot_be_written_is_refused_before_any_run(tmp_path, capsys):
    page = tmp_path / "nowhere" / "page.md"
    folder = tmp_path / "out"
    assert main(["experiment", "table1", "-o", str(folder), "--page", str(page)]) == 2
    assert "does not exist" in capsys.readouterr().err
    assert not folder.exists()


def test_help_loads_nothing_heavy():
    code = (
        "import sys; from riskcard.cli.main import main; main(['experiment', '--help']); "
        "sys.exit(any(name in sys.modules for name in ('numpy', 'sklearn', 'numba', 'casadi')))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="sends the signal of Ctrl-C")
@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_keeps_finished_runs_and_says_how_to_go_on(tmp_path):
    pytest.importorskip("casadi")
    command = [sys.executable, "-m", "riskcard.cli.main", "experiment", "table1", "--rows", "p=2"]
    command += ["--solvers", "algorithm1", "bonmin", "-o", str(tmp_path), "--time-limit", "100"]
    # in this order: the first is finished at once, and BONMIN would need minutes
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    path = tmp_path / "results.json"
    while not path.exists() and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said = process.communicate()[1]
    assert process.returncode == 130
    assert "Interrupted. 1 of 2 runs are finished and kept" in said
    assert (tmp_path / "table1.md").exists()
    assert len(Store(tmp_path)) == 1
