"""A card as a Python file that needs no package: a function, and a command for CSV files."""

import unicodedata

from riskcard.export.cases import Case, FeatureCases, Kind, When, cases_of, new_names
from riskcard.formatting.templates import render
from riskcard.model.card import RiskCard
from riskcard.model.rows.explain import MOST_REASONS
from riskcard.version import __version__


def card_to_python(card: RiskCard) -> str:
    """Write a card as the text of a Python file.

    Examples
    --------
    >>> from riskcard import FeaturePoints
    >>> names = {}
    >>> exec(card_to_python(RiskCard([FeaturePoints("age", [60], [0, 3])], base=-1)), names)
    >>> names["score"]({"age": 61}).total
    2
    """
    cases = cases_of(card)
    # fields of a tuple: 0.5 and 0_5 are the same to them
    wanted = [cases.answers.linear, *(one.name for one in cases.answers.further)]
    names = new_names(list(map(_as_identifier, wanted)), ["points", "total", "reasons"])
    shown = zip(wanted, names, strict=True)
    cells = [
        (one, name) for one, name in shown if one in [own.name for own in cases.answers.numbers]
    ]
    return render(
        "export/templates/scorer.py.j2",
        cases=cases,
        names=names,
        columns=", ".join(repr(one) for one, _ in cells),
        cells=", ".join(f"found.{name}" for _, name in cells),
        version=__version__,
        most_reasons=MOST_REASONS,
        condition_of=_condition,
        answer_of=_answer,
    )


def _as_identifier(name: str) -> str:
    """A name in which every sign may stand in an identifier, and means itself there."""
    is_fine = [f"_{one}".isidentifier() and unicodedata.is_normalized("NFKC", one) for one in name]
    return "".join(one if fine else "_" for one, fine in zip(name, is_fine, strict=True))


def _condition(feature: FeatureCases, case: Case) -> str:
    """The condition of a case in Python; empty for the last one, which has none."""
    if case.when is When.OTHERWISE:
        return ""
    if case.when is When.MISSING:
        return "value is None"
    if case.when is When.UP_TO:
        return f"value <= {case.cut!r}"
    if feature.kind is Kind.NUMBER:
        return f"value == {case.values[0]!r}"
    if feature.kind in (Kind.TEXT, Kind.BOOLEAN):  # True is equal to 1 here, as it should be
        return f"value in {case.values!r}"
    keys = tuple((isinstance(level, bool), level) for level in case.values)
    return f"(isinstance(value, bool), value) in {keys!r}"


def _answer(feature: FeatureCases, case: Case) -> str:
    if case.points is None:
        return f"return refuse({feature.name!r}, value)"
    if case.is_guess:
        return f"return guess({feature.name!r}, value, {case.points})"
    return f"return {case.points}"
