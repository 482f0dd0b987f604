"""A card as SQL: one CASE expression per feature, and a query that adds them up."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from riskcard.checks import whole_number
from riskcard.errors import ParameterError
from riskcard.export.answers import Answer, Rule
from riskcard.export.cases import (
    CardCases,
    Case,
    FeatureCases,
    Kind,
    When,
    cases_for,
    new_names,
    refuse_texts,
)
from riskcard.export.sql_literals import (
    exact_number,
    literal,
    number_literal,
    quoted_name,
    quoted_text,
    short_name,
)
from riskcard.export.sql_reasons import reason_expressions
from riskcard.formatting.templates import render
from riskcard.model.card import RiskCard
from riskcard.model.rows.explain import MOST_REASONS
from riskcard.version import __version__

#: The databases known here; "standard" runs in all of them and many others, but handles neither
#: NaN nor infinity, which standard SQL does not have.
DIALECTS = ("standard", "sqlite", "duckdb", "postgresql")

#: EXP of more than this overflows or underflows, which PostgreSQL takes for an error.
_LARGEST_EXPONENT = 700.0

#: Sums below this fit into any type for whole numbers.
_LARGEST_INTEGER = 2**31

_NUMBERS = (Kind.NUMBER, Kind.NUMERIC_LEVEL)


@dataclass(frozen=True, slots=True)
class SqlExpressions:
    """A card as expressions over the columns of a table.

    Attributes
    ----------
    points
        From the name of each feature to its points.
    total
        Like all others it contains all that it needs, so that it can be used in any query.
    answers
        What follows from the total: "log_odds" and "risk"; or "log_hazard", "risk_by_365" and the like and
        "relative_hazard"; or "log_rate" and "rate"; or "log_hazard", "at_least_severe" and the like; or
        "expected".
    """

    points: dict[str, str]
    total: str
    answers: dict[str, str]

    @property
    def log_odds(self) -> str:
        """The log-odds, where the outcome is yes or no."""
        return self.answers["log_odds"]

    @property
    def risk(self) -> str:
        """The risk, where the outcome is yes or no."""
        return self.answers["risk"]


def sql_expressions(card: RiskCard, dialect: str = "standard") -> SqlExpressions:
    """Write a card as expressions, to be put into queries.

    Examples
    --------
    >>> from riskcard import FeaturePoints
    >>> found = sql_expressions(RiskCard([FeaturePoints("age", [60], [0, 3], missing=1)], base=-1))
    >>> found.points["age"]
    'CASE WHEN "age" IS NULL THEN 1 WHEN "age" <= 60 THEN 0 ELSE 3 END'
    """
    cases = _checked(card, dialect)
    points = {
        one.name: " ".join(map(str.strip, _points_lines(one, quoted_name(one.name), dialect)))
        for one in cases.features
    }
    total = f"({_total(cases, list(points.values()))})"
    linear = f"({_log_odds(cases, total)})"
    answers = {one.name: _answer(cases, one, linear) for one in cases.answers.further}
    return SqlExpressions(points, total, {cases.answers.linear: linear, **answers})


def card_to_sql(
    card: RiskCard,
    table: str = "data",
    dialect: str = "standard",
    keep: Sequence[str] | None = None,
    reasons: int = 0,
) -> str:
    """Write a card as a query that scores the rows of a table.

    Parameters
    ----------
    card
        Any card whose levels are of one kind in each feature.
    table
        The table that has the features as columns; a dot divides a schema from a table.
    dialect
        "standard", "sqlite", "duckdb" or "postgresql".
    keep
        Columns of the table to show next to the scores; by default all.
    reasons
        How many columns of reasons to add, at most four: the features that cost most points against
        their best bin, by the texts of the card's labels or the names of the columns.

    Returns
    -------
    str
        One SELECT, which gives the points of each feature, total, log-odds and risk (or, where the outcome is
        not yes or no, the logarithm of hazard or rate and what follows from it, or the expected value). They are NULL
        for a row that the card cannot score, and a reason is NULL where there are fewer.
    """
    cases = _checked(card, dialect)
    n_reasons = min(whole_number("reasons", reasons), MOST_REASONS, len(cases.features))
    taken = [*card.feature_names, *(keep or ())]
    wanted = [short_name(one.name, "_points") for one in cases.features]
    reason_names = [f"reason_{rank + 1}" for rank in range(n_reasons)]
    answers = cases.answers
    own = ["total", answers.linear, *(short_name(one.name, "") for one in answers.further)]
    names = new_names([*wanted, *own, *reason_names], taken)
    quoted = [quoted_name(name) for name in names]
    points, (total, linear, *given) = quoted[: len(wanted)], quoted[len(wanted) :][: len(own)]
    kept = ["source.*"] if keep is None else [f"source.{quoted_name(name)}" for name in keep]
    scored = [
        "\n    ".join(_points_lines(one, f"source.{quoted_name(one.name)}", dialect, True))
        + f" AS {name}"
        for one, name in zip(cases.features, points, strict=True)
    ]
    return render(
        "export/templates/query.sql.j2",
        title=cases.title,
        version=__version__,
        dialect=dialect,
        columns=[*kept, *scored] or ["1 AS riskcard_row"],
        source=".".join(quoted_name(part) for part in table.split(".")),
        total=_total(cases, points),
        linear=_log_odds(cases, total),
        stage=f"riskcard_{answers.linear}",
        answers=[
            (_answer(cases, one, linear), name)
            for one, name in zip(answers.further, given, strict=True)
        ],
        names={"total": total, "linear": linear},
        reasons=zip(
            reason_expressions(cases, points, total, n_reasons),
            quoted[len(wanted) + len(own) :],
            strict=True,
        ),
    )


def _checked(card: RiskCard, dialect: str) -> CardCases:
    """The cases of a card that the dialect can express."""
    if dialect not in DIALECTS:
        raise ParameterError(
            f"There is no dialect {dialect!r} of SQL here. Use one of {', '.join(DIALECTS)}."
        )
    cases = cases_for(card, "a column of a database", "a number in a database")
    refuse_texts(cases, re.compile("\0"), "the character NUL, which SQL cannot express")
    if dialect in ("sqlite", "duckdb"):
        _refuse_equal_names([one.name for one in cases.features], dialect)
    if dialect == "standard" and any(one.kind is Kind.BOOLEAN for one in cases.features):
        _refuse_names_like_literals(card.feature_names)
    return cases


def _refuse_equal_names(names: list[str], dialect: str) -> None:
    """These databases ignore the case of letters in the names of columns."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.lower(), name)
        if other != name:
            raise ParameterError(
                f"The features {other!r} and {name!r} are one column to {dialect}, whose names "
                "do not depend on capitals. Rename one of them."
            )


def _refuse_names_like_literals(names: Sequence[str]) -> None:
    """SQLite reads TRUE and FALSE as columns where the table has columns of these names."""
    for name in names:
        if name.upper() in ("TRUE", "FALSE"):
            raise ParameterError(
                f"A column is named {name!r}, which some databases would read in place of the "
                f"boolean {name.upper()}. Name the dialect, or rename the column."
            )


# --- one feature --------------------------------------------------------------------------------


def _points_lines(
    feature: FeatureCases, column: str, dialect: str, has_comments: bool = False
) -> Iterator[str]:
    """The CASE expression, one line per case; comments count the training rows of each."""
    yield "CASE"
    for case in feature.cases:
        points = "NULL" if case.points is None else str(case.points)
        points += f" -- {case.counted}" if has_comments and case.counted else ""
        if case.when is When.OTHERWISE:
            yield f"  ELSE {points}"
        else:
            yield f"  WHEN {_condition(feature, case, column, dialect)} THEN {points}"
        if case.when is When.MISSING:
            yield from (f"  WHEN {bad} THEN NULL" for bad in _refused(feature, column, dialect))
    yield "END"


def _condition(feature: FeatureCases, case: Case, column: str, dialect: str) -> str:
    if case.when is When.MISSING:
        has_nan = feature.kind in _NUMBERS and dialect in ("duckdb", "postgresql")
        return f"{column} IS NULL" + (f" OR {column} = {_double('NaN')}" if has_nan else "")
    number = exact_number if dialect == "sqlite" else number_literal
    if case.when is When.UP_TO:
        return f"{column} <= {number(case.cut)}"
    if feature.kind is Kind.TEXT and dialect == "sqlite":
        column = f"{column} COLLATE BINARY"  # whatever the table says of capitals
    is_number = feature.kind in _NUMBERS
    values = [number(float(one)) if is_number else literal(one, dialect) for one in case.values]
    return f"{column} = {values[0]}" if len(values) == 1 else f"{column} IN ({', '.join(values)})"


def _refused(feature: FeatureCases, column: str, dialect: str) -> Iterator[str]:
    """Conditions for values that no card can score: infinities, and texts among numbers."""
    if feature.kind not in _NUMBERS or dialect == "standard":
        return
    if dialect != "sqlite":
        yield f"{column} IN ({_double('Infinity')}, {_double('-Infinity')})"
        return
    if feature.kind is Kind.NUMBER:
        yield f"typeof({column}) NOT IN ('integer', 'real')"
    yield f"{column} IN (9e999, -9e999)"


def _double(word: str) -> str:
    return f"CAST({quoted_text(word)} AS DOUBLE PRECISION)"


# --- from points to risk ------------------------------------------------------------------------


def _total(cases: CardCases, points: list[str]) -> str:
    largest = abs(cases.base) + sum(max(map(abs, one.points)) for one in cases.features)
    base = f"CAST({cases.base} AS BIGINT)" if largest >= _LARGEST_INTEGER else str(cases.base)
    return " + ".join([base, *points])


def _log_odds(cases: CardCases, total: str) -> str:
    sign = "-" if cases.offset < 0 else "+"
    multiplier, offset = number_literal(cases.multiplier), number_literal(abs(cases.offset))
    return f"CAST({total} AS DOUBLE PRECISION) / {multiplier} {sign} {offset}"


def _answer(cases: CardCases, answer: Answer, linear: str) -> str:
    """What follows from the linear predictor."""
    if answer.rule is Rule.RISK:
        return _risk(cases, linear)
    limit = number_literal(_LARGEST_EXPONENT)
    relative = f"EXP({linear})"
    if cases.widest_log_odds > _LARGEST_EXPONENT:
        relative = (
            f"EXP(CASE WHEN {linear} < -{limit} THEN -{limit} WHEN {linear} > {limit} THEN {limit} "
            f"ELSE {linear} END)"
        )
    if answer.rule is Rule.EXPONENTIAL:
        return relative
    if answer.hazard == 0:
        return f"0E0 * {linear}"
    hazard = f"{number_literal(answer.hazard)} * {relative}"
    # beyond, the exponential is below the least number, which PostgreSQL takes for an error
    if math.log(answer.hazard) + cases.widest_log_odds < math.log(_LARGEST_EXPONENT):
        return f"1 - EXP(-({hazard}))"
    return f"CASE WHEN {hazard} > {limit} THEN 1E0 ELSE 1 - EXP(-({hazard})) END"


def _risk(cases: CardCases, log_odds: str) -> str:
    risk = f"1 / (1 + EXP(-{log_odds}))"
    if cases.widest_log_odds <= _LARGEST_EXPONENT:
        return risk
    limit = number_literal(_LARGEST_EXPONENT)
    return (
        f"CASE WHEN {log_odds} < -{limit} THEN 0E0 WHEN {log_odds} > {limit} THEN 1E0 "
        f"ELSE {risk} END"
    )
