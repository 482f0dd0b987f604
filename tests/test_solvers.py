"""Every solver that can take a form finds the oracle's optimum; claims are checked, limits kept."""

from __future__ import annotations

import importlib
import pickle
import re
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from oracle.enumerate_cards import enumerate_cards
from riskcard.data.table import Table
from riskcard.errors import ParameterError, SolverMissing
from riskcard.paper.formulations.card_variables import solution_of, values_of
from riskcard.paper.formulations.forms import FORMS, form_of
from riskcard.paper.formulations.instance import Instance, make_instance
from riskcard.paper.formulations.ranges import with_best_base
from riskcard.paper.solvers import bonmin
from riskcard.paper.solvers import registry as door
from riskcard.paper.solvers import solve_apart as apart
from riskcard.paper.solvers.answer import Answer, Claim, Incumbent, SolverOptions
from riskcard.paper.solvers.casadi_problem import casadi_problem
from riskcard.paper.solvers.flat_model import flatten
from riskcard.paper.solvers.registry import SOLVERS, Solver, bound_base, solve_form, solve_model
from riskcard.problem.objective import loss_of, violations
from riskcard.problem.solution import Solution
from riskcard.status import Status

pytestmark = pytest.mark.slow

PACKAGES = {
    "bonmin": "casadi",
    "bonmin-oa": "casadi",
    "ipopt": "casadi",
    "scip": "pyscipopt",
    "highs": "highspy",
}
#: B-Hyb runs its feasibility pump for ten seconds whatever the model; this switches it off.
NO_PUMP = {"bonmin.pump_for_minlp": "no"}
#: Every solver that finds cards, with every form that it can take, by what the form asks for.
PAIRS = [
    (name, solver)
    for name, form in FORMS.items()
    for solver in ("scip", "highs", "bonmin", "bonmin-oa")
    if solver == "scip" or not form.has_cardinality
    if solver != "highs" or form.objective == "linear"
]
CONTINUOUS = [(form, solver) for form, solver in PAIRS if FORMS[form].data == "continuous"]


def tiny_instance(seed: int = 0, is_binary: bool = False) -> Instance:
    """Ten rows with ties and weights, two features of which one may be used, small weights."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 2 if is_binary else 4, (10, 2)).astype(float)
    values[:2] = [[0.0, 1.0], [1.0, 0.0]]
    labels = np.where(values[:, 0] + rng.normal(size=10) > 1, 1, -1).astype(np.int8)
    labels[:2] = 1, -1
    table = Table(values, ("one", "two"), labels, rng.uniform(0.5, 2.0, 10), (0, 1))
    return make_instance(table, 1, low=-2, high=[2, 1], is_one_sided=is_binary)


def parameters_for(solver: str) -> dict[str, str]:
    return NO_PUMP if solver == "bonmin" else {}


def need(solver: str) -> None:
    pytest.importorskip(PACKAGES[solver])


# --- the right answer ---------------------------------------------------------------------------


def test_the_pairs_are_all_there_are():
    assert len(PAIRS) == 6 + 1 + 5 + 5
    finders = {name for name, solver in SOLVERS.items() if not solver.is_relaxing}
    assert finders == {solver for _, solver in PAIRS}


@pytest.mark.slow
@pytest.mark.parametrize(("form", "solver"), PAIRS)
def test_every_solver_finds_the_optimum_of_the_oracle(form, solver):
    need(solver)
    instance = tiny_instance(is_binary=FORMS[form].data == "binary")
    best = enumerate_cards(instance.problem)
    record = solve_form(
        instance, form, solver, SolverOptions(parameters=parameters_for(solver), time_limit=60)
    )
    assert record.result.loss == pytest.approx(best.loss, abs=record.tolerance)
    assert record.result.loss == loss_of(record.result.solution, instance.problem)
    assert violations(record.result.solution, instance.problem) == []
    assert record.claim.ending == "optimal"
    assert record.agrees
    assert not record.is_refuted_by(best.loss)
    assert 0 <= record.seconds_to_best <= record.seconds
    assert record.result.bound <= best.loss + record.tolerance


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_exact_linear_form_is_proven_optimal(seed):
    need("highs")
    instance = tiny_instance(seed)
    record = solve_form(instance, "secants", "highs")
    assert record.result.status in (Status.OPTIMAL, Status.ROUNDING)
    assert record.result.loss == pytest.approx(enumerate_cards(instance.problem).loss, rel=1e-6)


@pytest.mark.slow
def test_a_solution_of_bonmin_is_never_called_optimal():
    need("bonmin-oa")
    record = solve_form(tiny_instance(), "linear", "bonmin-oa", SolverOptions(time_limit=60))
    assert record.claim.word == "SUCCESS"
    assert record.result.status is Status.HEURISTIC
    assert record.result.bound == 0
    assert any("proves nothing" in note for note in record.result.notes)


# --- what a solver cannot take ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "solver"),
    [
        (form, solver)
        for form in FORMS
        for solver in ("scip", "highs", "bonmin", "bonmin-oa")
        if (form, solver) not in PAIRS
    ],
)
def test_every_other_pair_is_refused(form, solver):
    need(solver)
    instance = tiny_instance(is_binary=FORMS[form].data == "binary")
    with pytest.raises(ParameterError, match=f"The form '{form}' .* Use the form"):
        solve_form(instance, form, solver)


@pytest.mark.parametrize(
    ("form", "solver", "message"),
    [
        ("linear", "highs", "minimises the log-loss, and HiGHS takes linear objectives"),
        ("binary", "bonmin", "BONMIN has no such constraint.*'reformulation'"),
        ("binary", "ipopt", "IPOPT has no such constraint"),
        ("linear", "cplex", "There is no solver 'cplex'. Use one of bonmin"),
    ],
)
def test_a_model_that_a_solver_cannot_take_is_refused(form, solver, message):
    need(solver if solver in PACKAGES else "highs")
    instance = tiny_instance(is_binary=FORMS[form].data == "binary")
    model = form_of(form).build(instance)
    with pytest.raises(ParameterError, match=message):
        solve_model(model, solver)


def test_a_relaxation_is_not_a_card():
    with pytest.raises(ParameterError, match=r"finds no card\. Use riskcard\.paper\.algorithm1"):
        solve_form(tiny_instance(), "linear", "ipopt")


def test_a_start_of_another_model_is_refused():
    model = form_of("secants").build(tiny_instance())
    with pytest.raises(ParameterError, match=r"start has shape \(3,\) and the model"):
        solve_model(model, "highs", SolverOptions(start=np.zeros(3)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"time_limit": -1.0}, "time_limit is -1.0"),
        ({"time_limit": float("nan")}, "time_limit is nan"),
        ({"node_limit": -1}, "node_limit is -1"),
        ({"threads": 0}, "threads is 0"),
    ],
)
def test_options_without_sense_are_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        SolverOptions(**options)


@pytest.mark.parametrize(
    ("solver", "form", "extra"),
    [
        ("scip", "linear", "scip"),
        ("highs", "secants", "highs"),
        ("bonmin", "linear", "casadi"),
        ("ipopt", "linear", "casadi"),
    ],
)
def test_a_missing_solver_names_its_extra(monkeypatch, solver, form, extra):
    found = importlib.import_module

    def fail(name, *rest):
        if name == PACKAGES[solver]:
            raise ImportError(name)
        return found(name, *rest)

    monkeypatch.setattr(importlib, "import_module", fail)
    model = form_of(form).build(tiny_instance())
    with pytest.raises(SolverMissing, match=rf'pip install "riskcard\[{extra}\]"'):
        solve_model(model, solver)


# --- limits, starts and logs --------------------------------------------------------------------


@pytest.mark.parametrize(("form", "solver"), CONTINUOUS)
def test_without_time_the_record_is_still_sane(form, solver):
    need(solver)
    instance = tiny_instance()
    record = solve_form(instance, form, solver, SolverOptions(time_limit=0.0))
    best = enumerate_cards(instance.problem)
    if record.result is None:
        assert record.seconds_to_best is None
        assert record.claim.ending == "time_limit"
    else:
        # a presolver may have needed no time at all
        assert record.result.loss >= best.loss * (1 - 1e-9)
        assert record.result.status is Status.TIME_LIMIT or record.claim.ending == "optimal"
    assert not record.is_refuted_by(best.loss)


@pytest.mark.parametrize(
    ("form", "solver"), [("linear", "scip"), ("bilinear", "scip"), ("secants", "highs")]
)
def test_a_start_is_the_first_solution(form, solver):
    need(solver)
    instance = tiny_instance()
    start = with_best_base(instance, Solution.of([(1, 1, 1)]))
    options = SolverOptions(time_limit=0.0)
    record = solve_form(instance, form, solver, options, start=start)
    assert record.result.loss == pytest.approx(loss_of(start, instance.problem), rel=1e-9)
    assert record.claim.objective == pytest.approx(record.result.loss, abs=record.tolerance)


@pytest.mark.slow
def test_bonmin_keeps_a_start_that_it_cannot_improve():
    need("bonmin-oa")
    instance = tiny_instance()
    best = enumerate_cards(instance.problem)
    for limit in (0.0, 60.0):
        options = SolverOptions(time_limit=limit)
        record = solve_form(instance, "linear", "bonmin-oa", options, start=best.solution)
        assert record.result.loss == pytest.approx(best.loss, rel=1e-9)


def test_ipopt_starts_where_it_is_told_and_stays_within_its_iterations():
    need("ipopt")
    instance = tiny_instance()
    model = form_of("strengthened").build(instance)
    start = values_of(model, instance, enumerate_cards(instance.problem).solution)
    answer = solve_model(model, "ipopt", SolverOptions(start=start, node_limit=1))
    assert answer.claim.ending == "node_limit"
    assert answer.is_relaxation
    solved = solve_model(model, "ipopt", SolverOptions(time_limit=60))
    assert solved.claim.ending == "optimal"
    assert solved.claim.objective <= enumerate_cards(instance.problem).loss + 1e-6


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "solver"),
    [("secants", "scip"), ("secants", "highs"), ("linear", "bonmin-oa"), ("linear", "ipopt")],
)
def test_solvers_are_silent_and_their_log_can_be_kept(form, solver, tmp_path, capfd):
    need(solver)
    log = tmp_path / "log.txt"
    model = bound_base(form_of(form).build(tiny_instance()), tiny_instance())
    solve_model(model, solver, SolverOptions(log_file=log, time_limit=60))
    assert capfd.readouterr() == ("", "")
    assert log.stat().st_size > 0


# --- bonmin's process ---------------------------------------------------------------------------


def test_bonmin_is_ended_when_it_overruns(monkeypatch):
    need("bonmin")
    monkeypatch.setattr(apart, "GRACE", 0.05)
    record = solve_form(tiny_instance(), "linear", "bonmin", SolverOptions(time_limit=0.0))
    assert record.claim.word == apart.ENDED
    assert record.claim.ending == "time_limit"


def test_the_best_point_of_an_ended_process_survives(tmp_path):
    instance = tiny_instance()
    model = form_of("linear").build(instance)
    card = enumerate_cards(instance.problem).solution
    point = values_of(model, instance, card)
    (tmp_path / "log").write_text("After 7 nodes, 3 on tree, best possible 1.25 (1.0 seconds)")
    history = (Incumbent(0.1, 9.0), Incumbent(0.2, 4.0))
    (tmp_path / "incumbent").write_bytes(pickle.dumps((point, history)))
    answer = bonmin.with_log(apart.read_answer("bonmin", tmp_path, was_ended=True))
    assert solution_of(model, instance, answer.values) == card
    assert answer.history == history
    assert answer.claim == Claim("time_limit", apart.ENDED, 4.0, 1.25, 7)
    assert answer.seconds_to_best == 0.2


@pytest.mark.slow
def test_a_full_name_wins_over_what_the_algorithm_sets_and_strange_files_are_not_read(
    tmp_path, monkeypatch
):
    need("bonmin")
    log = tmp_path / "log.txt"
    (tmp_path / "bonmin.opt").write_text("bonmin.no_such_parameter 1")
    monkeypatch.chdir(tmp_path)
    options = SolverOptions(parameters=NO_PUMP, time_limit=60, log_file=log)
    record = solve_form(tiny_instance(), "strengthened", "bonmin", options)
    assert record.claim.word == "SUCCESS"
    generators = re.findall(r"Cut generator \d+ \((.+?)\)", log.read_text())
    assert "Mixed Integer Gomory" in generators  # B-Hyb has it, B-QG has not
    assert not [name for name in generators if "Pump" in name]


@pytest.mark.slow
def test_a_process_that_fails_says_why():
    need("bonmin")
    options = SolverOptions(parameters={"no_such_parameter": 1}, time_limit=60)
    record = solve_form(tiny_instance(), "linear", "bonmin", options)
    assert record.result is None
    assert record.claim.ending == "failed"
    assert "no_such_parameter" in record.claim.word


# --- large models, apart ------------------------------------------------------------------------

LINEAR = [("secants", "highs"), ("secants", "scip"), ("linear", "scip")]


@pytest.fixture
def all_are_large(monkeypatch):
    monkeypatch.setattr(apart, "LARGE", 0)


@pytest.mark.slow
@pytest.mark.parametrize(("form", "solver"), LINEAR)
def test_a_large_model_gives_the_same_answer_in_a_process_of_its_own(
    form, solver, all_are_large, tmp_path, capfd
):
    need(solver)
    instance = tiny_instance()
    options = SolverOptions(time_limit=60, log_file=tmp_path / "log.txt")
    record = solve_form(instance, form, solver, options)
    assert record.result.loss == pytest.approx(enumerate_cards(instance.problem).loss, rel=1e-5)
    assert record.claim.ending == "optimal"
    assert record.result.bound > 0
    assert 0 < record.seconds_to_best <= record.seconds
    assert capfd.readouterr() == ("", "")
    assert (tmp_path / "log.txt").stat().st_size > 0


@pytest.mark.parametrize("solver", ["highs", "scip"])
def test_a_solver_that_overruns_is_ended(solver, all_are_large, monkeypatch):
    need(solver)
    monkeypatch.setattr(apart, "GRACE", 0.05)
    record = solve_form(tiny_instance(), "secants", solver, SolverOptions(time_limit=0.0))
    assert record.result is None
    assert record.claim == Claim("time_limit", apart.ENDED)


@pytest.mark.parametrize(("form", "solver"), LINEAR)
def test_every_better_point_is_reported_and_survives_the_process(form, solver, tmp_path):
    need(solver)
    instance = tiny_instance()
    model = bound_base(form_of(form).build(instance), instance)
    begin = time.time() - 5  # the process was started five seconds later
    task = apart.Task(solver, model, SolverOptions(time_limit=60), begin)
    (tmp_path / "task").write_bytes(pickle.dumps(task))
    apart.run_task(tmp_path)
    values, history = apart.read_incumbents(tmp_path)
    best = enumerate_cards(instance.problem)
    assert loss_of(solution_of(model, instance, values), instance.problem) == pytest.approx(
        best.loss, rel=1e-5
    )
    assert history[-1].seconds > 5
    assert [one.objective for one in history] == sorted(
        (one.objective for one in history), reverse=True
    )
    answer = pickle.loads((tmp_path / "answer").read_bytes())
    assert answer.history[-1].seconds > 5
    assert answer.claim.objective == pytest.approx(history[-1].objective, rel=1e-6)


def test_an_error_in_the_other_process_is_reported_here(all_are_large):
    need("highs")
    model = form_of("linear").build(tiny_instance())
    with pytest.raises(ParameterError, match="HiGHS takes linear objectives"):
        solve_model(model, "highs", SolverOptions(time_limit=60))


def test_small_models_and_models_without_a_limit_need_no_process(monkeypatch):
    need("highs")
    instance = tiny_instance()

    def fail(*_):
        raise AssertionError

    monkeypatch.setattr(door, "solve_apart", fail)
    solve_form(instance, "secants", "highs", SolverOptions(time_limit=60))
    monkeypatch.setattr(apart, "LARGE", 0)
    solve_form(instance, "secants", "highs")


def test_every_solver_of_cards_can_be_run_in_a_process_of_its_own():
    assert apart.SOLVERS.keys() == {name for name, one in SOLVERS.items() if not one.is_relaxing}
    for name, solver in SOLVERS.items():
        if solver.overruns:
            assert apart.SOLVERS[name] is solver.solve


# --- claims before the referee ------------------------------------------------------------------


def solve_with_claim(monkeypatch, claim: Claim, proves_bounds: bool, shift: float = 0.0):
    """The record of a solver that gives the oracle's card and claims what it likes."""
    instance = tiny_instance()
    best = enumerate_cards(instance.problem)
    claim = replace(
        claim,
        objective=best.loss + shift,
        bound=None if claim.bound is None else claim.bound * best.loss,
    )

    def solve(model, options):
        values = values_of(model, instance, with_best_base(instance, best.solution))
        return Answer("fake", values, claim, 1.0, (Incumbent(0.5, best.loss),))

    monkeypatch.setitem(door.SOLVERS, "fake", Solver("fake", solve, proves_bounds=proves_bounds))
    return best, solve_form(instance, "linear", "fake")


@pytest.mark.parametrize(
    ("ending", "bound", "proves", "status"),
    [
        ("optimal", 1.0, True, Status.OPTIMAL),
        ("optimal", 0.999, True, Status.ROUNDING),
        ("optimal", 1.0, False, Status.HEURISTIC),
        ("time_limit", 0.5, True, Status.TIME_LIMIT),
        ("time_limit", 1.0, True, Status.TIME_LIMIT),
        ("node_limit", None, True, Status.NODE_LIMIT),
        ("infeasible", None, True, Status.HEURISTIC),
        ("failed", 1.0, True, Status.HEURISTIC),
    ],
)
def test_endings_are_translated_honestly(monkeypatch, ending, bound, proves, status):
    best, record = solve_with_claim(monkeypatch, Claim(ending, "word", bound=bound), proves)
    assert record.result.status is status
    assert record.result.bound == pytest.approx(best.loss * (bound or 0.0) if proves else 0.0)
    assert record.claim.word == "word"


def test_a_claim_that_is_not_the_loss_of_the_card_is_noticed(monkeypatch):
    claim = Claim("optimal", "done", bound=1.0)
    assert solve_with_claim(monkeypatch, claim, True)[1].agrees
    best, record = solve_with_claim(monkeypatch, claim, True, shift=-0.5)
    assert record.agrees is False
    assert record.result.loss == best.loss


def test_a_better_card_refutes_a_claim(monkeypatch):
    best, record = solve_with_claim(monkeypatch, Claim("optimal", "done"), False, shift=1.0)
    assert record.is_refuted_by(best.loss)
    _, record = solve_with_claim(monkeypatch, Claim("time_limit", "stop", bound=1.5), True)
    assert record.is_refuted_by(best.loss)
    assert record.result.bound <= record.result.loss
    _, record = solve_with_claim(monkeypatch, Claim("time_limit", "stop"), False, shift=1.0)
    assert not record.is_refuted_by(best.loss)


def test_only_solvers_with_bounds_of_their_own_are_believed():
    assert {name for name, solver in SOLVERS.items() if solver.proves_bounds} == {"scip", "highs"}


# --- the parts ----------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["linear", "bilinear", "reformulation", "binary"])
@pytest.mark.parametrize("seed", range(4))
def test_a_bounded_base_leaves_room_for_every_best_card(form, seed):
    rng = np.random.default_rng(seed)
    instance = tiny_instance(seed, FORMS[form].data == "binary")
    model = bound_base(form_of(form).build(instance), instance)
    block = model.block("w0")
    assert np.isfinite([block.lower, block.upper]).all()
    problem = instance.problem
    for feature in range(2):
        for jump in range(problem.jump_low[feature], problem.jump_high[feature] + 1):
            cut = int(rng.integers(problem.data.n_cuts[feature]))
            card = with_best_base(instance, Solution.of([(feature, cut, jump)]))
            point = values_of(model, instance, card)
            assert flatten(model).breach(point) < 1e-9


@pytest.mark.parametrize("form", ["linear", "bilinear", "secants"])
def test_the_derivatives_given_to_casadi_are_right(form):
    casadi = pytest.importorskip("casadi")
    flat = flatten(form_of(form).build(tiny_instance()))
    problem = casadi_problem(casadi, flat)
    point = np.random.default_rng(0).normal(size=flat.n_variables)
    value = casadi.Function("value", [problem.nlp["x"]], [problem.nlp["f"]])
    loss, gradient = problem.functions["grad_f"](point, [])
    steps = np.eye(flat.n_variables) * 1e-6
    slopes = [float(value(point + step) - value(point - step)) / 2e-6 for step in steps]
    assert float(loss) == pytest.approx(float(value(point)))
    assert np.array(gradient).ravel() == pytest.approx(np.array(slopes), abs=1e-6)
    assert gradient.is_dense()
    rows, jacobian = problem.functions["jac_g"](point, [])
    assert np.array(rows).ravel() == pytest.approx(flat.matrix @ point)
    assert np.array(jacobian) == pytest.approx(flat.matrix.toarray())
    if "hess_lag" in problem.functions:
        upper = problem.functions["hess_lag"](point, [], 2.0, np.zeros(flat.n_rows))
        assert upper.sparsity().is_triu()
        full = np.array(upper) + np.triu(np.array(upper), 1).T
        for place in range(0, flat.n_variables, 7):
            ends = [problem.functions["grad_f"](point + s * steps[place], [])[1] for s in (1, -1)]
            column = np.array(ends[0] - ends[1]).ravel() / 2e-6
            assert full[:, place] == pytest.approx(2.0 * column, abs=1e-6)


def test_huge_scores_do_not_overflow():
    casadi = pytest.importorskip("casadi")
    for form in ("linear", "bilinear"):
        flat = flatten(form_of(form).build(tiny_instance()))
        problem = casadi_problem(casadi, flat)
        point = np.full(flat.n_variables, 2000.0)
        loss, gradient = problem.functions["grad_f"](point, [])
        assert np.isfinite(float(loss))
        assert np.isfinite(np.array(gradient)).all()


def test_the_example_of_the_docs_runs(capsys):
    need("highs")
    page = (Path(__file__).parents[1] / "docs" / "solvers.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```python\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {}
    exec(example, names)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0][:7] for line in lines[:2]] == ["0.47444", "0.47444"]
    assert lines[0].split()[1] == "optimal"
    assert lines[2].endswith("True")
