"""Pages from templates: files next to the code that fills them, every value escaped."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def templates_of(package: str) -> Any:
    """The Jinja2 environment over the folder ``templates`` of a package.

    Values are escaped as HTML. A name that the template does not get is an error.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
