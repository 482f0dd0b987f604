"""All formats that a card can be exported to, by name and by the ending of a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from riskcard.errors import ParameterError
from riskcard.model.card import RiskCard
from riskcard.model.card_json import card_to_json
from riskcard.output_files import require_writable, write_whole


@dataclass(frozen=True, slots=True)
class Format:
    """One format.

    Attributes
    ----------
    endings
        Of files; none when the format must be named.
    options
        Names of the options that ``write`` takes.
    write
        From a card, options and the ending of the file to the content.
    is_text
        The content is text that can be shown.
    """

    endings: tuple[str, ...]
    options: tuple[str, ...]
    write: Callable[[RiskCard, dict[str, Any], str], str | bytes]
    is_text: bool = True


def _json(card: RiskCard, options: dict[str, Any], ending: str) -> str:
    return card_to_json(card)


def _python(card: RiskCard, options: dict[str, Any], ending: str) -> str:
    from riskcard.export.python import card_to_python

    return card_to_python(card)


def _sql(card: RiskCard, options: dict[str, Any], ending: str) -> str:
    from riskcard.export.sql import card_to_sql

    return card_to_sql(card, **options)


def _javascript(card: RiskCard, options: dict[str, Any], ending: str) -> str:
    from riskcard.export.javascript import card_to_javascript

    return card_to_javascript(
        card, **{"form": "script" if ending == ".js" else "module", **options}
    )


def _workbook(card: RiskCard, options: dict[str, Any], ending: str) -> bytes:
    from riskcard.export.workbook import card_to_workbook

    return card_to_workbook(card, **options)


def _pmml(card: RiskCard, options: dict[str, Any], ending: str) -> str:
    from riskcard.export.pmml import card_to_pmml

    return card_to_pmml(card, **options)


def _onnx(card: RiskCard, options: dict[str, Any], ending: str) -> bytes:
    from riskcard.export.onnx import card_to_onnx

    return card_to_onnx(card, **options)


def _credit(card: RiskCard, options: dict[str, Any], ending: str) -> str:
    from riskcard.export.credit import to_credit_points

    return card_to_json(to_credit_points(card, **options).card)


_CREDIT = ("points_to_double_odds", "odds", "at", "higher_is_safer")

FORMATS = {
    "json": Format((".json",), (), _json),
    "python": Format((".py",), (), _python),
    "sql": Format((".sql",), ("table", "dialect", "keep"), _sql),
    "javascript": Format((".mjs", ".js"), ("form",), _javascript),
    "xlsx": Format((".xlsx",), ("rows",), _workbook, is_text=False),
    "pmml": Format((".pmml", ".xml"), ("reasons",), _pmml),
    "onnx": Format((".onnx",), ("missing_text",), _onnx, is_text=False),
    "credit": Format((), _CREDIT, _credit),
}


def export_card(card: RiskCard, path: str | Path, to: str | None = None, **options: Any) -> None:
    """Write a card to a file in another format, whole or not at all.

    Parameters
    ----------
    card
        Any card that the format can say.
    path
        The file.
    to
        The format: "json", "python", "sql", "javascript", "xlsx", "pmml", "onnx", or "credit" (a
        card in JSON with credit points). By default it follows from the ending of the file.
    **options
        Those of the format: ``table``, ``dialect`` and ``keep`` of SQL, ``form`` of JavaScript,
        ``rows`` of a workbook, ``reasons`` of PMML, ``missing_text`` of ONNX,
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
    return FORMATS[to].write(card, options, ending)


def format_of(path: str | Path) -> str:
    """The format that the ending of a file stands for."""
    ending = Path(path).suffix.lower()
    for name, one in FORMATS.items():
        if ending in one.endings:
            return name
    endings = ", ".join(ending for one in FORMATS.values() for ending in one.endings)
    raise ParameterError(
        f"The ending of {str(path)!r} does not say which format is meant. "
        f"Name the format, or use one of these endings: {endings}."
    )
