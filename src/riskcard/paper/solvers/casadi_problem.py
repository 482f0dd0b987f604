"""A model as CasADi's functions, all of it vectorised: objective, rows, and their derivatives."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from riskcard.paper.formulations.mip_model import Floats, LinearObjective, LogLoss
from riskcard.paper.solvers.flat_model import FlatModel

#: exp(-margin) overflows at a margin of -709; from here on the loss is continued as a straight line.
LEAST_MARGIN = -500.0


@dataclass(frozen=True, slots=True)
class CasadiProblem:
    """What ``casadi.nlpsol`` is given.

    ``functions`` are the derivatives, made here because they are known in closed form: of a model
    with 20,000 rows CasADi would colour a matrix of 360,000 rows to find them.
    """

    nlp: dict[str, Any]
    functions: dict[str, Any]


def casadi_problem(casadi: Any, flat: FlatModel) -> CasadiProblem:
    """State a model for CasADi; integer variables are named when the solver is made."""
    values = casadi.MX.sym("values", flat.n_variables)
    nothing = casadi.MX.sym("nothing", 0)
    matrix = _constant(casadi, flat.matrix)
    rows = casadi.mtimes(matrix, values)
    objective = flat.objective
    if isinstance(objective, LogLoss) and objective.products is None:
        loss, gradient, hessian = _smooth_loss(casadi, objective, values)
    else:
        loss = _any_objective(casadi, objective, values)
        gradient, hessian = casadi.gradient(loss, values), None
    inputs = [values, nothing]
    functions = {
        # solvers take the gradient as a full vector, also where the loss has no such variable
        "grad_f": casadi.Function("nlp_grad_f", inputs, [loss, casadi.densify(gradient)]),
        "jac_g": casadi.Function("nlp_jac_g", inputs, [rows, casadi.MX(matrix)]),
    }
    if hessian is not None:
        factor, multipliers = casadi.MX.sym("factor"), casadi.MX.sym("multipliers", flat.n_rows)
        inputs = [*inputs, factor, multipliers]
        functions["hess_lag"] = casadi.Function("nlp_hess_l", inputs, [factor * hessian])
    return CasadiProblem({"x": values, "f": loss, "g": rows}, functions)


def run_casadi(
    casadi: Any,
    solver: str,
    flat: FlatModel,
    problem: CasadiProblem,
    settings: dict[str, Any],
    start: Floats | None,
) -> tuple[str, Floats, float]:
    """A solver's last word, its last point, and the objective there.

    Without a start iterations begin at 0, or at the bound next to it.
    """
    settings = {"print_time": False, "error_on_fail": False, **problem.functions, **settings}
    run = casadi.nlpsol(solver, solver, problem.nlp, settings)
    first = np.clip(np.zeros(flat.n_variables), flat.lower, flat.upper) if start is None else start
    found = run(x0=first, lbx=flat.lower, ubx=flat.upper, lbg=flat.row_lower, ubg=flat.row_upper)
    word = str(run.stats()["return_status"])
    return word, np.array(found["x"]).ravel(), float(found["f"])


def _constant(casadi: Any, matrix: sparse.csr_array) -> Any:
    columns = sparse.csc_array(matrix)
    columns.sort_indices()
    pattern = casadi.Sparsity(
        matrix.shape[0], matrix.shape[1], columns.indptr.tolist(), columns.indices.tolist()
    )
    return casadi.DM(pattern, columns.data)


def _smooth_loss(casadi: Any, objective: LogLoss, values: Any) -> tuple[Any, Any, Any]:
    """The loss of scores that are linear, its gradient, and the upper half of its Hessian.

    With ``e = exp(-|margin|)`` nothing overflows: the loss is ``log(1 + e) + max(-margin, 0)``, its
    second derivative ``e / (1 + e)^2``.
    """
    signed = sparse.csr_array(objective.matrix.multiply(objective.labels[:, None].astype(float)))
    matrix = _constant(casadi, signed)
    constant = casadi.DM(objective.labels * objective.constant)
    margin = casadi.mtimes(matrix, values) + constant
    weights = casadi.DM(objective.weights)
    small = casadi.exp(-casadi.fabs(margin))
    loss = casadi.dot(weights, casadi.log1p(small) + casadi.fmax(-margin, 0))
    slope = -weights * casadi.if_else(margin > 0, small, 1) / (1 + small)
    gradient = casadi.mtimes(matrix.T, slope)
    curvature = weights * small / (1 + small) ** 2
    pattern, collect = _upper_outer_products(casadi, signed)
    hessian = casadi.MX(pattern, casadi.mtimes(collect, curvature))
    return loss, gradient, hessian


def _upper_outer_products(casadi: Any, matrix: sparse.csr_array) -> tuple[Any, Any]:
    """The pattern of the upper half of ``matrix.T @ diag(c) @ matrix``, and its entries from c.

    The entries, column by column, are ``collect @ c``.
    """
    size = matrix.shape[1]
    counts = np.diff(matrix.indptr)
    # every pair of entries of each row
    row_of_entry = np.repeat(np.arange(counts.size), counts)
    left = np.repeat(np.arange(matrix.nnz), counts[row_of_entry])
    offset = np.arange(left.size) - np.repeat(
        np.cumsum(counts[row_of_entry]) - counts[row_of_entry], counts[row_of_entry]
    )
    right = matrix.indptr[row_of_entry[left]] + offset
    first = matrix.indices[left].astype(np.int64)
    second = matrix.indices[right].astype(np.int64)
    is_upper = first <= second
    first, second = first[is_upper], second[is_upper]
    entries = (matrix.data[left] * matrix.data[right])[is_upper]
    keys, place = np.unique(second * size + first, return_inverse=True)
    starts = np.searchsorted(keys // size, np.arange(size + 1))
    pattern = casadi.Sparsity(size, size, starts.tolist(), (keys % size).tolist())
    shape = (keys.size, counts.size)
    collect = sparse.csr_array((entries, (place.ravel(), row_of_entry[left][is_upper])), shape)
    return pattern, _constant(casadi, collect)


def _any_objective(casadi: Any, objective: LogLoss | LinearObjective, values: Any) -> Any:
    """An objective that CasADi differentiates by itself."""
    if isinstance(objective, LinearObjective):
        return casadi.dot(casadi.DM(objective.coefficients), values) + objective.constant
    scores = casadi.mtimes(_constant(casadi, objective.matrix), values)
    scores += casadi.DM(objective.constant)
    products = objective.products
    if products is not None:
        count = products.rows.size
        triplets = (products.factors, (products.rows, np.arange(count)))
        spread = sparse.csr_array(triplets, shape=(objective.labels.size, count))
        factors = values[products.left.tolist()] * values[products.right.tolist()]
        scores += casadi.mtimes(_constant(casadi, spread), factors)
    margin = casadi.DM(objective.labels.astype(float)) * scores
    # |margin| would have no second derivative at 0, where iterations often begin
    losses = casadi.log1p(casadi.exp(-casadi.fmax(margin, LEAST_MARGIN)))
    losses += casadi.fmax(LEAST_MARGIN - margin, 0)
    return casadi.dot(casadi.DM(objective.weights), losses)
