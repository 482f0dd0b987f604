"""The modules of the page as one text, for a notebook, which takes a single module.

There is no build step: modules import each other by lines of one form, so each becomes a function that returns
what it exports, and all of them one function that makes a studio with a state of its own.
"""

from __future__ import annotations

import json
import re
from importlib.resources import files

_IMPORT = re.compile(r'^import \{([^}]*)\} from "/page/(\w+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?function|const|let) (\w+)", re.MULTILINE)


def bundle() -> str:
    """The module of the widget: the page's modules in their order, its style, and what shows it in a cell."""
    order: list[str] = []
    _list_with_needed("main", order)
    parts = "\n".join(map(_as_function, order))
    style = json.dumps(_text("studio.css"))
    studio = f"const newStudio = () => {{\n{parts}\nreturn _main.start;\n}};\n"
    return f"{studio}const STYLE = {style};\n{_text('widget.js')}"


def _list_with_needed(name: str, order: list[str]) -> None:
    """List a module after those that it imports."""
    if name not in order:
        for found in _IMPORT.finditer(_text(f"{name}.js")):
            _list_with_needed(found[2], order)
        order.append(name)


def _as_function(name: str) -> str:
    text = _text(f"{name}.js")
    exported = ", ".join(found[2] for found in _EXPORT.finditer(text))
    inner = _IMPORT.sub(r"const {\1} = _\2;", text)
    inner = _EXPORT.sub(r"\1 \2", inner)
    return f"const _{name} = (() => {{\n{inner}\nreturn {{ {exported} }};\n}})();"


def _text(name: str) -> str:
    return files("riskcard").joinpath("studio/page", name).read_text("utf-8")
