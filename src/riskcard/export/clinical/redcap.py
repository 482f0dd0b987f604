"""A card as a REDCap data dictionary: a field per feature, and calculated fields for total and risk."""

import csv
import io
import re
from decimal import Decimal

from riskcard.data.levels import Label
from riskcard.export.cases import CardCases, Case, FeatureCases, Kind, When, cases_for
from riskcard.model.card import RiskCard
from riskcard.model.lines import LineKind

#: The columns of a data dictionary, as REDCap names and orders them.
COLUMNS = (
    "Variable / Field Name", "Form Name", "Section Header", "Field Type", "Field Label",
    "Choices, Calculations, OR Slider Labels", "Field Note",
    "Text Validation Type OR Show Slider Number", "Text Validation Min", "Text Validation Max",
    "Identifier?", "Branching Logic (Show field only if...)", "Required Field?", "Custom Alignment",
    "Question Number (surveys only)", "Matrix Group Name", "Matrix Ranking?", "Field Annotation",
)  # fmt: skip
FORM = "risk_score"
#: The fields that are not features.
RECORD, TOTAL, RISK = "record_id", "risk_total", "risk_percent"
#: REDCap has powers but no exponential function.
_E = "2.718281828459045"


def card_to_redcap(card: RiskCard) -> str:
    """Write a card as the CSV of a data dictionary.

    Numbers are text fields with the validation "number", levels are radio buttons, booleans are
    yes-no fields. A value that the card cannot score leaves total and risk empty.

    Examples
    --------
    >>> from riskcard import FeaturePoints
    >>> text = card_to_redcap(RiskCard([FeaturePoints("age", [60], [0, 3], missing=1)]))
    >>> list(csv.reader(text.splitlines()))[3][5]
    '(if([age] = "", 1, if([age] <= 60, 0, 3)))'
    """
    card.require_yes_or_no("REDCap dictionaries")
    cases = cases_for(card, "a field of REDCap", "a number of REDCap")
    names = field_names([feature.name for feature in cases.features])
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    writer.writerow(_row(RECORD, "text", "Record ID"))
    for feature, name in zip(cases.features, names, strict=True):
        writer.writerow(_input(card, feature, name))
    total = _total(cases, names)
    writer.writerow(_row(TOTAL, "calc", f"Total points: {card.title}", total))
    writer.writerow(_row(RISK, "calc", f"{card.title} (%)", _percent(cases)))
    return written.getvalue()


def field_names(names: list[str]) -> list[str]:
    """Different names that REDCap allows: lower-case letters, digits and single underscores.

    Examples
    --------
    >>> field_names(["Age (years)", "age years", "24h dose"])
    ['age_years', 'age_years_2', 'f_24h_dose']
    """
    taken, found = {RECORD, TOTAL, RISK}, []
    for name in names:
        plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "feature"
        plain = (plain if plain[0].isalpha() else f"f_{plain}")[:26].rstrip("_")
        number, chosen = 1, plain
        while chosen in taken:
            number += 1
            chosen = f"{plain[:22].rstrip('_')}_{number}"
        taken.add(chosen)
        found.append(chosen)
    return found


def _row(name: str, kind: str, label: str, choices: str = "", validation: str = "") -> list[str]:
    filled = [name, FORM, "", kind, _label(label), choices, "", validation]
    return filled + [""] * (len(COLUMNS) - len(filled))


def _input(card: RiskCard, feature: FeatureCases, name: str) -> list[str]:
    """The field that a value is entered into."""
    label = card.labels.name(feature.name)
    unit = card.labels.of(feature.name).unit
    label = f"{label} ({unit})" if unit else label
    if feature.kind is Kind.NUMBER:
        return _row(name, "text", label, validation="number")
    if _is_yes_or_no(feature):
        return _row(name, "yesno", label)
    shown = [
        text
        for line in card.lines_of(next(one for one in card.features if one.name == feature.name))
        if line.kind is LineKind.LEVELS
        for text in line.value_labels
    ]
    choices = (f"{code}, {_choice(text)}" for code, text in enumerate(shown, start=1))
    return _row(name, "radio", label, " | ".join(choices))


def _is_yes_or_no(feature: FeatureCases) -> bool:
    """Both answers of a yes-no field have points."""
    return feature.kind is Kind.BOOLEAN and len(feature.levels) == 2


def _label(text: str) -> str:
    """A label on one line; REDCap puts values in place of names in square brackets."""
    return " ".join(text.split()).replace("[", "(").replace("]", ")")


def _choice(text: str) -> str:
    return _label(text).replace("|", "/") or '""'


def _total(cases: CardCases, names: list[str]) -> str:
    """The equation of the total; empty where a value has no points."""
    parts = [
        _points(feature, f"[{name}]") for feature, name in zip(cases.features, names, strict=True)
    ]
    added = " + ".join([str(cases.base), *parts] if cases.base or not parts else parts)
    unscored = [
        f'[{name}] = ""'
        for feature, name in zip(cases.features, names, strict=True)
        if feature.missing.points is None
    ]
    return f'if({" or ".join(unscored)}, "", {added})' if unscored else added


def _points(feature: FeatureCases, field: str) -> str:
    """The points of one feature, as nested conditions."""
    codes = {level: code for code, level in enumerate(feature.levels, start=1)}
    answers = [case for case in feature.cases if case.points is not None]
    # a radio button has no other choices than the levels, so the last group needs no condition
    if feature.kind is not Kind.NUMBER and answers[-1].when is When.OTHERWISE:
        answers.pop()
    *conditions, last = answers
    written = str(last.points)
    for case in reversed(conditions):
        written = f"if({_condition(feature, case, field, codes)}, {case.points}, {written})"
    return f"({written})"


def _condition(feature: FeatureCases, case: Case, field: str, codes: dict[Label, int]) -> str:
    if case.when is When.MISSING:
        return f'{field} = ""'
    if case.when is When.UP_TO:
        return f"{field} <= {_number(case.cut)}"
    if feature.kind is Kind.NUMBER:
        return f"{field} = {_number(float(case.values[0]))}"
    if _is_yes_or_no(feature):
        return " or ".join(f'{field} = "{int(bool(level))}"' for level in case.values)
    return " or ".join(f'{field} = "{codes[level]}"' for level in case.values)


def _percent(cases: CardCases) -> str:
    """The risk in per cent, rounded; empty where there is no total."""
    log_odds = f"[{TOTAL}] / {_number(cases.multiplier)} + {_number(cases.offset)}"
    risk = f"round(100 / (1 + ({_E})^(-1 * ({log_odds}))), 2)"
    return f'if([{TOTAL}] = "", "", {risk})'


def _number(value: float) -> str:
    """A number without an exponent; a negative one in brackets.

    Examples
    --------
    >>> _number(60.0), _number(1e-7), _number(-2.5)
    ('60', '0.0000001', '(-2.5)')
    """
    written = format(Decimal(repr(float(value))), "f")
    written = written.rstrip("0").rstrip(".") if "." in written else written
    return f"({written})" if value < 0 else written
