"""Templates and assets: HTML, styles, scripts and exported code are files next to their room.

A name is the path of a file inside the package, such as ``card/templates/card.html.j2``.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from riskcard.formatting.numbers import minus
from riskcard.formatting.percent import percent

if TYPE_CHECKING:
    from jinja2 import Environment


def render(name: str, **values: Any) -> str:
    """Fill in a template; in markup every value is escaped.

    Parameters
    ----------
    name
        The template; one that ends in ``.html.j2`` or ``.svg.j2`` is markup.
    values
        What the template speaks of; a value that is not given is an error.
    """
    return _environment().get_template(name).render(values)


@cache
def asset(name: str) -> str:
    """The text of a file that is used as it is: a style or a script."""
    return files("riskcard").joinpath(name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("riskcard", ""),
        autoescape=lambda name: name is not None and name.endswith((".html.j2", ".svg.j2")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"minus": minus, "percent": percent, "repr": repr, "short": _short}
    environment.globals["asset"] = lambda name: Markup(asset(name))
    return environment


def _short(value: float) -> str:
    """A coordinate with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
