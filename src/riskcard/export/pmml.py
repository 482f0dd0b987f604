"""A card as a PMML 4.4 scorecard, with reason codes."""

from __future__ import annotations

import re
import sys
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from riskcard.checks import whole_number
from riskcard.data.levels import Label
from riskcard.errors import ParameterError
from riskcard.export.cases import (
    CardCases,
    Case,
    FeatureCases,
    Kind,
    When,
    cases_of,
    new_names,
    refuse_mixed,
    require_exact_levels,
    require_features,
    texts_of,
)
from riskcard.model.card import RiskCard
from riskcard.version import __version__

_NAMESPACE = "http://www.dmg.org/PMML-4_4"

#: Everything that XML 1.0 cannot hold.
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_TYPES = {
    Kind.NUMBER: ("continuous", "double"),
    Kind.TEXT: ("categorical", "string"),
    Kind.BOOLEAN: ("categorical", "boolean"),
    # not categorical: some evaluators compare categories by their texts, and 1 is not "1.0" then
    Kind.NUMERIC_LEVEL: ("continuous", "double"),
}


def card_to_pmml(card: RiskCard, reasons: int = 0) -> str:
    """Write a card as a PMML document.

    Parameters
    ----------
    card
        A card with at least one feature, whose levels are of one kind in each feature.
    reasons
        How many reason codes to give: names of features, that with most points above its lowest
        first. They are the outputs "reason_1", "reason_2" and so on.

    Returns
    -------
    str
        A Scorecard with the outputs "total", "log_odds" and "risk". Missing and unseen values get
        the points of the usual bin, or make the result invalid where there is none.
    """
    reasons = whole_number("reasons", reasons)
    cases = cases_of(card)
    require_features(cases, "PMML")
    refuse_mixed(cases, "a field of PMML")
    require_exact_levels(cases, "a number in PMML")
    for what, text in texts_of(cases):
        if _NOT_IN_XML.search(text):
            raise ParameterError(
                f"{what} has a control character, which XML cannot hold. Give it another name."
            )
    root = Element("PMML", xmlns=_NAMESPACE, version="4.4")
    header = SubElement(root, "Header", description=_NOT_IN_XML.sub(" ", cases.title))
    SubElement(header, "Application", name="riskcard", version=__version__)
    fields = SubElement(root, "DataDictionary", numberOfFields=str(len(cases.features)))
    for feature in cases.features:
        _add_field(fields, feature)
    _add_scorecard(root, cases, min(reasons, len(cases.features)))
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _add_field(fields: Element, feature: FeatureCases) -> None:
    optype, data_type = _TYPES[feature.kind]
    field = SubElement(fields, "DataField", name=feature.name, optype=optype, dataType=data_type)
    if data_type == "double":  # infinity is outside
        largest = repr(sys.float_info.max)
        margins = {"leftMargin": f"-{largest}", "rightMargin": largest}
        SubElement(field, "Interval", {"closure": "closedClosed", **margins})
    elif feature.otherwise.points is None:  # other levels are invalid
        for level in feature.levels:
            SubElement(field, "Value", value=_value(level))


def _add_scorecard(root: Element, cases: CardCases, reasons: int) -> None:
    scorecard = SubElement(
        root,
        "Scorecard",
        functionName="regression",
        initialScore=str(cases.base),
        useReasonCodes=_value(reasons > 0),
    )
    if reasons:
        scorecard.set("reasonCodeAlgorithm", "pointsAbove")
        scorecard.set("baselineMethod", "min")
    schema = SubElement(scorecard, "MiningSchema")
    for feature in cases.features:
        field = SubElement(schema, "MiningField", name=feature.name)
        field.set("invalidValueTreatment", "returnInvalid")
        if feature.missing.points is None:
            field.set("missingValueTreatment", "returnInvalid")
    _add_output(scorecard, cases, reasons)
    characteristics = SubElement(scorecard, "Characteristics")
    for feature in cases.features:
        _add_characteristic(characteristics, feature, reasons > 0)


# --- outputs ------------------------------------------------------------------------------------


def _add_output(scorecard: Element, cases: CardCases, reasons: int) -> None:
    output = SubElement(scorecard, "Output")
    wanted = ["total", "log_odds", "risk", *(f"reason_{rank + 1}" for rank in range(reasons))]
    taken = [feature.name for feature in cases.features]
    total, log_odds, risk, *codes = new_names(wanted, taken)
    _output_field(output, total, "predictedValue")
    summed = _apply(_output_field(output, log_odds, "transformedValue"), "+")
    divided = _apply(summed, "/")
    SubElement(divided, "FieldRef", field=total)
    _constant(divided, cases.multiplier)
    _constant(summed, cases.offset)
    ratio = _apply(_output_field(output, risk, "transformedValue"), "/")
    _constant(ratio, 1.0)
    odds_and_one = _apply(ratio, "+")
    _constant(odds_and_one, 1.0)
    negative = _apply(_apply(odds_and_one, "exp"), "-")
    _constant(negative, 0.0)
    SubElement(negative, "FieldRef", field=log_odds)
    for rank, code in enumerate(codes, 1):
        field = _output_field(output, code, "reasonCode")
        field.attrib |= {"rank": str(rank), "optype": "categorical", "dataType": "string"}


def _output_field(output: Element, name: str, feature: str) -> Element:
    kinds = {"optype": "continuous", "dataType": "double"}
    return SubElement(output, "OutputField", {"name": name, "feature": feature, **kinds})


def _apply(parent: Element, function: str) -> Element:
    return SubElement(parent, "Apply", function=function)


def _constant(parent: Element, value: float) -> None:
    SubElement(parent, "Constant", dataType="double").text = repr(value)


# --- one feature --------------------------------------------------------------------------------


def _add_characteristic(parent: Element, feature: FeatureCases, has_reasons: bool) -> None:
    characteristic = SubElement(parent, "Characteristic", name=f"{feature.name} points")
    if has_reasons:
        characteristic.set("reasonCode", feature.name)
        characteristic.set("baselineScore", str(min(feature.points)))
    for case in feature.cases:
        if case.points is not None:
            attribute = SubElement(characteristic, "Attribute", partialScore=str(case.points))
            _add_predicate(attribute, feature, case)


def _add_predicate(attribute: Element, feature: FeatureCases, case: Case) -> None:
    if case.when in (When.MISSING, When.OTHERWISE):
        # not just true: an evaluator must look at the value to find that it is invalid
        operator = "isMissing" if case.when is When.MISSING else "isNotMissing"
        SubElement(attribute, "SimplePredicate", field=feature.name, operator=operator)
    else:
        parent = attribute
        if len(case.values) > 1:
            parent = SubElement(attribute, "CompoundPredicate", booleanOperator="or")
        operator = "lessOrEqual" if case.when is When.UP_TO else "equal"
        for value in case.values:
            said = {"field": feature.name, "operator": operator, "value": _value(value)}
            SubElement(parent, "SimplePredicate", said)


def _value(value: Label) -> str:
    if isinstance(value, str):
        return value
    return str(value).lower() if isinstance(value, bool) else repr(float(value))
