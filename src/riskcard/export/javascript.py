"""A card as JavaScript that needs nothing else: an ES module, or a script for pages and Node."""

import json

from riskcard.data.levels import Label
from riskcard.errors import ParameterError
from riskcard.export.cases import (
    Case,
    FeatureCases,
    Kind,
    When,
    cases_of,
    require_exact_levels,
)
from riskcard.formatting.templates import render
from riskcard.model.card import RiskCard
from riskcard.model.outcome_kinds import name_of_kind
from riskcard.model.rows.explain import MOST_REASONS
from riskcard.version import __version__

_FORMS = ("module", "script")
#: What is given of a total, by the kind of outcome: the linear predictor first, what has keys last.
_GIVEN = {
    "binary": ("logOdds", "risk"),
    "time_to_event": ("logHazard", "relativeHazard", "riskBy"),
    "counts": ("logRate", "rate"),
    "ordered_levels": ("logHazard", "relativeHazard", "atLeast"),
    "numbers": ("expected",),
}


def card_to_javascript(card: RiskCard, form: str = "module") -> str:
    """Write a card as JavaScript.

    Parameters
    ----------
    card
        Any card.
    form
        "module": an ES module that exports ``score``. "script": a script that defines
        ``riskcard.score`` in a page, and that Node can ``require``.
    """
    if form not in _FORMS:
        raise ParameterError(
            f"JavaScript has no form {form!r} here. Use {' or '.join(map(repr, _FORMS))}."
        )
    cases = cases_of(card)
    require_exact_levels(cases, "a number in JavaScript")
    given = _GIVEN[name_of_kind(card.kind)]
    return render(
        "export/templates/scorer.js.j2",
        cases=cases,
        linear=given[0],
        relative=given[1] if len(given) > 1 else "",
        by_key=given[-1],
        given=", ".join(given),
        title=cases.title.replace("</", "< /"),
        version=__version__,
        most_reasons=MOST_REASONS,
        form=form,
        condition_of=_condition,
        answer_of=_answer,
        literal=_literal,
    )


def _condition(feature: FeatureCases, case: Case) -> str:
    """The condition of a case in JavaScript; empty for the last one, which has none."""
    if case.when is When.OTHERWISE:
        return ""
    if case.when is When.MISSING:
        return "value === null"
    if case.when is When.UP_TO:
        return f"value <= {case.cut!r}"
    values = list(case.values)
    if feature.kind is Kind.BOOLEAN:
        values += [int(level) for level in case.values]
    if len(values) == 1:
        return f"value === {_literal(values[0])}"
    return f"[{', '.join(map(_literal, values))}].includes(value)"


def _answer(feature: FeatureCases, case: Case) -> str:
    if case.points is None:
        return f"refuse({_literal(feature.name)}, value)"
    return f"guess({case.points})" if case.is_guess else str(case.points)


def _literal(value: Label) -> str:
    """A text, number or boolean; "</" would end a script in a page."""
    return json.dumps(value).replace("</", "<\\/")
