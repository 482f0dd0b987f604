"""A card as a library of the Clinical Quality Language (CQL): a parameter per feature, total and risk."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from decimal import Decimal

from riskcard.data.levels import Label
from riskcard.errors import ParameterError
from riskcard.export.cases import Case, FeatureCases, Kind, When, cases_for, new_names
from riskcard.formatting.templates import render
from riskcard.model.card import RiskCard
from riskcard.version import __version__

#: A decimal of CQL has this many digits before and after the point.
_WHOLE_DIGITS, _DECIMALS = 20, 8
_TYPES = {
    Kind.NUMBER: "Decimal",
    Kind.NUMERIC_LEVEL: "Decimal",
    Kind.TEXT: "String",
    Kind.BOOLEAN: "Boolean",
}
_NO_POINTS = "null as Integer"


@dataclass(frozen=True, slots=True)
class _Input:
    """One feature as the template writes it: names, type, code and cases."""

    name: str
    points_name: str
    code_name: str
    type: str
    shown: str
    unit: str
    code: str
    system: str
    cases: tuple[tuple[str, str], ...]


def card_to_cql(card: RiskCard) -> str:
    """Write a card as the text of a CQL library.

    Values are parameters, so that no data model is needed. Where the labels have the clinical code of a feature, the
    library declares it, for the library that reads the record and sets the parameters.

    Examples
    --------
    >>> from riskcard import FeaturePoints
    >>> text = card_to_cql(RiskCard([FeaturePoints("age", [60], [0, 3], missing=1)]))
    >>> print("\\n".join(line for line in text.splitlines() if line.strip().startswith(("when", "else"))))
        when "age" is null then 1
        when "age" <= 60.0 then 0
        else 3
    """
    card.require_yes_or_no("CQL libraries")
    cases = cases_for(card, "a parameter of CQL", "a number of CQL")
    columns = [feature.name for feature in cases.features]
    total, risk = new_names(["total", "risk"], columns)
    taken = [*columns, total, risk]
    points = new_names([f"points of {name}" for name in columns], taken)
    codes = new_names([f"code of {name}" for name in columns], [*taken, *points])
    inputs = [
        _input(card, feature, *names)
        for feature, *names in zip(cases.features, points, codes, strict=True)
    ]
    added = [str(cases.base), *(quoted(one.points_name) for one in inputs)]
    return render(
        "export/templates/library.cql.j2",
        cases=cases,
        version=__version__,
        library="RiskCard",
        systems=list(dict.fromkeys(one.system for one in inputs if one.code)),
        inputs=inputs,
        names={"total": total, "risk": risk},
        total=" + ".join(added if cases.base or not inputs else added[1:]),
        multiplier=_rounded(cases.multiplier),
        offset=_rounded(cases.offset),
        quoted=quoted,
        text=text_literal,
    )


def _input(card: RiskCard, feature: FeatureCases, points: str, code: str) -> _Input:
    label = card.labels.of(feature.name)
    return _Input(
        name=feature.name,
        points_name=points,
        code_name=code,
        type=_TYPES[feature.kind],
        shown=card.labels.name(feature.name),
        unit=" ".join((label.code_unit or label.unit).split()),
        code=label.code,
        system=label.code_system,
        cases=tuple(
            (_condition(feature, case), _NO_POINTS if case.points is None else str(case.points))
            for case in feature.cases
        ),
    )


def _condition(feature: FeatureCases, case: Case) -> str:
    """The condition of a case; empty for the last one, which has none."""
    name = quoted(feature.name)
    if case.when is When.OTHERWISE:
        return ""
    if case.when is When.MISSING:
        return f"{name} is null"
    if case.when is When.UP_TO:
        return f"{name} <= {_exact(feature.name, case.cut)}"
    return " or ".join(f"{name} = {_literal(feature, level)}" for level in case.values)


def _literal(feature: FeatureCases, level: Label) -> str:
    if feature.kind is Kind.TEXT:
        return text_literal(str(level))
    if feature.kind is Kind.BOOLEAN:
        return "true" if level else "false"
    return _exact(feature.name, float(level))


def _exact(name: str, value: float) -> str:
    """A number as CQL writes it; one with more digits than CQL has is refused."""
    number = Decimal(repr(value))
    digits, exponent = number.as_tuple()[1:]
    assert isinstance(exponent, int)  # cuts and levels are finite
    if len(digits) + exponent > _WHOLE_DIGITS or number != round(number, _DECIMALS):
        raise ParameterError(
            f"The number {value!r} of {name!r} has more digits than CQL can hold, which are {_DECIMALS} "
            f"behind the point and {_WHOLE_DIGITS} before it. Choose rounder cuts (round_cuts), or export to "
            "JavaScript."
        )
    return _rounded(value)


def _rounded(value: float) -> str:
    written = format(round(Decimal(repr(float(value))), _DECIMALS), "f").rstrip("0")
    return f"{written}0" if written.endswith(".") else written


def quoted(name: str) -> str:
    """A name in CQL."""
    return f'"{_escaped(name)}"'


def text_literal(text: str) -> str:
    """A text in CQL."""
    return f"'{_escaped(text)}'"


def _escaped(text: str) -> str:
    """Quotes, backslashes, and signs that do not belong in a line of text, as CQL escapes them."""
    found = text.replace("\\", "\\\\").replace("'", "\\'").replace('"', '\\"')
    return re.sub(r"[^ -~]", lambda sign: json.dumps(sign[0])[1:-1], found)
