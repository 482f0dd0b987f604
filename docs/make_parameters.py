"""Write ``parameters.md`` from the table of parameters: ``python docs/make_parameters.py``."""

from __future__ import annotations

import textwrap
from pathlib import Path

from riskcard.parameters import OWNERS, Kind, Parameter, parameters_of


def docstring_section(*groups: str) -> str:
    """The entries of a numpydoc section, indented as in the docstring of a class."""
    lines = []
    for name, one in parameters_of(*groups).items():
        lines.append(f"    {name}")
        text = f"{one.help} {_values(one)}".strip()
        lines += textwrap.wrap(text, 96, initial_indent=" " * 8, subsequent_indent=" " * 8)
    return "\n".join(lines)


def _values(one: Parameter) -> str:
    """What "auto" and None mean, as a sentence."""
    parts = [f'"auto" means {one.auto}'] if one.auto else []
    parts += [f"None means {one.none}"] if one.none else []
    text = "; ".join(parts)
    return f"{text}." if text else ""


def parameters_page() -> str:
    """The page ``docs/parameters.md``."""
    lines = [
        "# Parameters",
        "",
        "Every parameter of the library, by the class or function that has it. The option of the command line",
        "has the same name with dashes. This page is written by `docs/make_parameters.py` from the table in",
        "`src/riskcard/parameters.toml`.",
    ]
    for owner in dict.fromkeys(OWNERS.values()):
        groups = [group for group, name in OWNERS.items() if name == owner]
        lines += [
            "",
            f"## `{owner}`",
            "",
            "| parameter | option | default | meaning |",
            "|---|---|---|---|",
        ]
        for one in parameters_of(*groups).values():
            option = f"`{one.option}`" if one.metavar else ""
            text = (
                f"{one.help} Values: {one.accepts}."
                if one.kind is not Kind.OBJECT
                else (f"{one.help} {_values(one)}".strip())
            )
            lines.append(f"| `{one.name}` | {option} | `{one.default!r}` | {text} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (Path(__file__).parent / "parameters.md").write_text(parameters_page(), encoding="utf-8")
