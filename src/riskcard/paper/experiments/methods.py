"""What the rows are run with: our own proof, the paper's two methods, and solvers on better forms."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Literal

from riskcard.formatting.templates import asset

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
    colour, mark
        In pictures; methods can be told apart without colour.
    """

    name: str
    title: str
    form: str | None = None
    solver: str | None = None
    package: str | None = None
    extra: str | None = None
    starts_from_algorithm1: bool = False
    rounding: Literal["nearest", "published"] = "nearest"
    colour: str = "#000000"
    mark: str = "o"


def _read(line: dict[str, Any]) -> Method:
    """A method from its cells; the empty ones have the defaults."""
    starts = line.pop("starts_from_algorithm1") == "yes"
    given = {name: value for name, value in line.items() if value}
    return Method(**given, starts_from_algorithm1=starts)


#: Every method by its name, in the order in which they are run and shown.
METHODS = {
    method.name: method
    for method in map(_read, csv.DictReader(asset("paper/experiments/methods.csv").splitlines()))
}


def is_installed(method: Method) -> bool:
    """Whether the package that the method needs can be found."""
    return method.package is None or find_spec(method.package) is not None
