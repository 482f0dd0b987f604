"""The forms by name, and what each asks of data and solver."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from riskcard.errors import ParameterError
from riskcard.paper.formulations import bilinear, binary, linear, secants, strengthened
from riskcard.paper.formulations.mip_model import Model


@dataclass(frozen=True, slots=True)
class Form:
    """A way to write the problem.

    Attributes
    ----------
    build
        From an ``Instance``, and options of the form, to a ``Model``.
    data
        Whether the values must be 0 and 1.
    objective
        What a solver must be able to minimise.
    has_products
        Whether the scores have products of two variables.
    has_cardinality
        Whether the model carries a ``Cardinality``.
    bounds_base
        Whether only cards with their best base are sure to be feasible (``ranges.with_best_base``).
    """

    name: str
    summary: str
    build: Callable[..., Model]
    data: Literal["binary", "continuous"]
    objective: Literal["log_loss", "linear"] = "log_loss"
    has_products: bool = False
    has_cardinality: bool = False
    bounds_base: bool = False


#: Every form by its name.
FORMS = {
    form.name: form
    for form in (
        Form("binary", "the original form for binary data, with at most k weights that are not 0",
             binary.build, "binary", has_cardinality=True),
        Form("reformulation", "the original form with a binary alpha for each feature",
             binary.build_reformulation, "binary"),
        Form("bilinear", "a threshold and two weights per feature; products in the scores",
             bilinear.build, "continuous", has_products=True),
        Form("linear", "the bilinear form with Fortet's inequalities", linear.build, "continuous"),
        Form("strengthened", "the linear form with ordered b, one jump and the hull of each feature",
             strengthened.build, "continuous", bounds_base=True),
        Form("secants", "the strengthened form with secants instead of the log-loss; exact",
             secants.build, "continuous", objective="linear", bounds_base=True),
    )
}  # fmt: skip


def form_of(name: str) -> Form:
    """The form of this name.

    Examples
    --------
    >>> form_of("secants").objective
    'linear'
    """
    if name not in FORMS:
        raise ParameterError(f"There is no form {name!r}. Use one of {', '.join(FORMS)}.")
    return FORMS[name]
