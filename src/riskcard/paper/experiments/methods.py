"""What the rows are run with: our own proof, the paper's two methods, and solvers on better forms."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal

#: Seconds per row and method, unless set otherwise.
DEFAULT_LIMIT = 60.0
#: The method whose card is certified.
OURS = "riskcard"


@dataclass(frozen=True, slots=True)
class Method:
    """A way to find a card.

    Attributes
    ----------
    name, title
        On the command line, and in tables.
    form, solver
        Which form is handed to which solver; None for a method that is no form and solver.
    package, extra
        What must be installed, and the extra of riskcard that brings it; None for nothing.
    starts_from_algorithm1
        Algorithm 1 is run first, and its card is the solver's start.
    rounding
        Of Algorithm 1.
    """

    name: str
    title: str
    form: str | None = None
    solver: str | None = None
    package: str | None = None
    extra: str | None = None
    starts_from_algorithm1: bool = False
    rounding: Literal["nearest", "published"] = "nearest"


#: Every method by its name, in the order in which they are run and shown.
METHODS = {
    method.name: method
    for method in (
        Method(OURS, "riskcard, certified"),
        Method("bonmin", "BONMIN, linear form", "linear", "bonmin", "casadi", "casadi"),
        Method("bonmin-oa", "BONMIN B-OA, linear form", "linear", "bonmin-oa", "casadi", "casadi"),
        Method(
            "bonmin-strengthened", "BONMIN, strengthened form",
            "strengthened", "bonmin", "casadi", "casadi",
        ),
        Method(
            "bonmin-started", "BONMIN from Algorithm 1", "linear", "bonmin", "casadi", "casadi",
            starts_from_algorithm1=True,
        ),
        Method("algorithm1", "Algorithm 1", None, "ipopt", "casadi", "casadi"),
        Method(
            "algorithm1-down", "Algorithm 1, negatives down", None, "ipopt", "casadi", "casadi",
            rounding="published",
        ),
        Method("scip", "SCIP, strengthened form", "strengthened", "scip", "pyscipopt", "scip"),
        Method("scip-secants", "SCIP, secants", "secants", "scip", "pyscipopt", "scip"),
        Method("highs", "HiGHS, secants", "secants", "highs", "highspy", "highs"),
    )
}  # fmt: skip


def is_installed(method: Method) -> bool:
    """Whether the package that the method needs can be found."""
    return method.package is None or find_spec(method.package) is not None
