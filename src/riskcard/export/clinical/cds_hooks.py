"""A card as a service of CDS Hooks: its description for the discovery endpoint, and its answer for one patient."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import quote

from riskcard.errors import ParameterError
from riskcard.export.cases import Kind, cases_of
from riskcard.formatting.percent import percent
from riskcard.formatting.plain_text import one_line
from riskcard.model.card import RiskCard
from riskcard.model.rows.explain import explain_row
from riskcard.version import __version__

#: A summary has to be shorter than this.
_SUMMARY_LENGTH = 140
#: The hook at which the service is asked: when a patient's record is opened.
_HOOK = "patient-view"
_SOURCE = f"riskcard {__version__}"
_NEWEST = "Observation?patient={{context.patientId}}&code=%s|%s&_sort=-date&_count=1"
_TYPES = {Kind.NUMBER: "number", Kind.NUMERIC_LEVEL: "number", Kind.BOOLEAN: "boolean"}


def card_to_cds_hooks(card: RiskCard) -> str:
    """Write the description of a service that answers with the risk of a card, as JSON.

    Values whose clinical code is in the labels are prefetched: the newest observation of each. What the card needs
    in all, with codes and units, is in the extension.

    Examples
    --------
    >>> from riskcard import FeaturePoints
    >>> text = card_to_cds_hooks(RiskCard([FeaturePoints("age", [60], [0, 3])], outcome="stroke"))
    >>> json.loads(text)["services"][0]["id"]
    'risk-of-stroke'
    """
    card.require_yes_or_no("Services of decision support")
    service: dict[str, Any] = {
        "hook": _HOOK,
        "title": one_line(card.title),
        "description": _description(card),
        "id": re.sub(r"[^a-z0-9]+", "-", card.title.lower()).strip("-") or "risk",
        "extension": {"riskcard": {"version": __version__, "features": _features(card)}},
    }
    prefetch = {
        one["name"]: _NEWEST % tuple(quote(one[part], safe=":/") for part in ("system", "code"))
        for one in service["extension"]["riskcard"]["features"]
        if one["code"]
    }
    if prefetch:
        service["prefetch"] = prefetch
    return json.dumps({"services": [service]}, ensure_ascii=False, indent=2) + "\n"


def cds_hooks_response(
    card: RiskCard, row: Any, warning_from: float = 1.0, critical_from: float = 1.0
) -> dict[str, Any]:
    """The answer of such a service for one patient: a card with risk, total and points, ready for JSON.

    Parameters
    ----------
    card
        The risk card.
    row
        The patient's values, as ``RiskCard.explain`` takes them.
    warning_from, critical_from
        Risks from which the answer is marked as a warning, or as critical; below them it is information. A risk
        of 1 is never reached, so that by default all answers are information.

    Examples
    --------
    >>> from riskcard import FeaturePoints
    >>> card = RiskCard([FeaturePoints("age", [60], [0, 3])], base=-2, outcome="stroke")
    >>> answer = cds_hooks_response(card, {"age": 71}, warning_from=0.5)["cards"][0]
    >>> answer["summary"], answer["indicator"]
    ('Risk of stroke: 73.1 % (total 1)', 'warning')
    """
    if not 0 < warning_from <= critical_from <= 1:
        raise ParameterError(
            f"warning_from is {warning_from:g} and critical_from {critical_from:g}. Give risks above 0, the "
            "first not above the second."
        )
    card.require_yes_or_no("Answers of decision support")
    why = explain_row(card, row)
    assert why.risk is not None
    indicator = "info" if why.risk < warning_from else "warning"
    if why.risk >= critical_from:
        indicator = "critical"
    ending = f": {percent(why.risk)} (total {why.total})"
    title = one_line(why.title)
    if len(title) + len(ending) >= _SUMMARY_LENGTH:
        title = f"{title[: _SUMMARY_LENGTH - len(ending) - 4]}..."
    answer = {
        "summary": f"{title}{ending}",
        "detail": why.to_markdown(),
        "indicator": indicator,
        "source": {"label": _SOURCE},
    }
    return {"cards": [answer]}


def _description(card: RiskCard) -> str:
    names = ", ".join(one_line(card.labels.name(one.name)) for one in card.features)
    return f"{one_line(card.title)}, by a card of points from {names or 'no features'}."


def _features(card: RiskCard) -> list[dict[str, str]]:
    """What the card needs: names, types, and codes and units where the labels have them."""
    found = []
    for feature in cases_of(card).features:
        label = card.labels.of(feature.name)
        found.append(
            {
                "name": feature.name,
                "type": _TYPES.get(feature.kind, "string"),
                "system": label.code_system,
                "code": label.code,
                "unit": label.code_unit or label.unit,
            }
        )
    return found
