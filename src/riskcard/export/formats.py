"""All formats that a card can be exported to, by name and by the ending of a file."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from riskcard.errors import ParameterError
from riskcard.output_files import require_writable, write_whole

if TYPE_CHECKING:
    from riskcard.model.card import RiskCard  # the command line asks for the names of formats only


@dataclass(frozen=True, slots=True)
class Format:
    """One format.

    Attributes
    ----------
    endings
        Of files; none when the format must be named.
    options
        Names of the options that the writer takes.
    writer
        The module and the function that write a card, loaded when they are needed.
    is_text
        The content is text that can be shown.
    """

    endings: tuple[str, ...]
    options: tuple[str, ...]
    writer: str
    is_text: bool = True

    def write(self, card: RiskCard, **options: Any) -> str | bytes:
        """The content of a file."""
        module, _, function = self.writer.partition(":")
        content: str | bytes = getattr(import_module(module), function)(card, **options)
        return content


_CREDIT = ("points_to_double_odds", "odds", "at", "higher_is_safer")

FORMATS = {
    "json": Format((".json",), (), "riskcard.model.card_json:card_to_json"),
    "python": Format((".py",), (), "riskcard.export.python:card_to_python"),
    "sql": Format(
        (".sql",), ("table", "dialect", "keep", "reasons"), "riskcard.export.sql:card_to_sql"
    ),
    "javascript": Format(
        (".mjs", ".js"), ("form",), "riskcard.export.javascript:card_to_javascript"
    ),
    "xlsx": Format(
        (".xlsx",), ("rows",), "riskcard.export.workbook:card_to_workbook", is_text=False
    ),
    "pmml": Format((".pmml", ".xml"), ("reasons",), "riskcard.export.pmml:card_to_pmml"),
    "onnx": Format(
        (".onnx",), ("missing_text",), "riskcard.export.onnx:card_to_onnx", is_text=False
    ),
    "cql": Format((".cql",), (), "riskcard.export.clinical.cql:card_to_cql"),
    "cds-hooks": Format((), (), "riskcard.export.clinical.cds_hooks:card_to_cds_hooks"),
    "redcap": Format((), (), "riskcard.export.clinical.redcap:card_to_redcap"),
    "credit": Format((), _CREDIT, "riskcard.credit.scaling:credit_card_as_json"),
}


def export_card(card: RiskCard, path: str | Path, to: str | None = None, **options: Any) -> None:
    """Write a card to a file in another format, completely or not at all.

    Parameters
    ----------
    card
        Any card that the format can express.
    path
        The file.
    to
        The format: "json", "python", "sql", "javascript", "xlsx", "pmml", "onnx", "cql", "cds-hooks" (the
        description of a service), "redcap" (a data dictionary), or "credit" (a card in JSON with credit points). By
        default it follows from the ending of the file.
    **options
        Those of the format: ``table``, ``dialect`` and ``keep`` of SQL, ``form`` of JavaScript,
        ``rows`` of a workbook, ``reasons`` of SQL and PMML, ``missing_text`` of ONNX,
        ``points_to_double_odds``, ``odds``, ``at`` and ``higher_is_safer`` of credit points.
    """
    name = to or format_of(path)
    require_writable(path)
    write_whole(path, render(card, name, Path(path).suffix.lower(), **options))


def render(card: RiskCard, to: str, ending: str = "", **options: Any) -> str | bytes:
    """The content of such a file."""
    if to not in FORMATS:
        raise ParameterError(f"There is no format {to!r}. Use one of {', '.join(FORMATS)}.")
    unknown = [name for name in options if name not in FORMATS[to].options]
    if unknown:
        known = ", ".join(FORMATS[to].options) or "none"
        raise ParameterError(f"The format {to} has no option {unknown[0]!r}; its options: {known}.")
    if to == "javascript" and ending == ".js":
        options = {"form": "script", **options}
    return FORMATS[to].write(card, **options)


def format_of(path: str | Path) -> str:
    """The format that the ending of a file means."""
    ending = Path(path).suffix.lower()
    for name, one in FORMATS.items():
        if ending in one.endings:
            return name
    endings = ", ".join(ending for one in FORMATS.values() for ending in one.endings)
    raise ParameterError(
        f"The ending of {str(path)!r} does not tell which format is meant. "
        f"Name the format, or use one of these endings: {endings}."
    )
