"""A card as a PMML 4.4 scorecard, with reason codes."""

import re
import sys
from xml.sax.saxutils import escape

from riskcard.checks import whole_number
from riskcard.data.levels import Label
from riskcard.export.cases import Kind, cases_for, new_names, refuse_texts, require_features
from riskcard.formatting.templates import render
from riskcard.model.card import RiskCard
from riskcard.model.rows.explain import MOST_REASONS
from riskcard.version import __version__

#: Everything that XML 1.0 cannot hold.
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

#: The reason code of a bin that costs no points.
_NO_REASON = "none"

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
        How many reason codes to give, at most four: the reason texts of the card's labels, or the
        names of columns, the feature whose points are farthest from those of its best bin first.
        They are the outputs "reason_1" and so on. Bins that cost nothing have the code "none",
        because some evaluators rank them behind the others, but do not leave them out.

    Returns
    -------
    str
        A Scorecard with the outputs "total", "log_odds" and "risk". Missing and unseen values get
        the points of the usual bin, or make the result invalid where there is none.
    """
    reasons = whole_number("reasons", reasons)
    card.require_yes_or_no("PMML files")
    cases = cases_for(card, "a field of PMML", "a number in PMML")
    require_features(cases, "PMML")
    refuse_texts(cases, _NOT_IN_XML, "a control character, which XML cannot hold")
    wanted = ["total", "log_odds", "risk"]
    wanted += [
        f"reason_{rank + 1}" for rank in range(min(reasons, MOST_REASONS, len(cases.features)))
    ]
    taken = [feature.name for feature in cases.features]
    total, log_odds, risk, *codes = new_names(wanted, taken)
    return render(
        "export/templates/scorecard.pmml.j2",
        cases=cases,
        title=_NOT_IN_XML.sub(" ", cases.title),
        version=__version__,
        types=_TYPES,
        largest=sys.float_info.max,
        total=total,
        log_odds=log_odds,
        risk=risk,
        codes=codes,
        no_reason=_NO_REASON,
        text=_escaped,
        shown=lambda heading: _escaped(_NOT_IN_XML.sub(" ", heading)),
        value_of=_value,
    )


def _escaped(text: str) -> str:
    """A text in an attribute, which comes back as it is."""
    return escape(text, {'"': "&quot;", "\r": "&#13;", "\n": "&#10;", "\t": "&#09;"})


def _value(value: Label) -> str:
    if isinstance(value, str):
        return value
    return str(value).lower() if isinstance(value, bool) else repr(float(value))
