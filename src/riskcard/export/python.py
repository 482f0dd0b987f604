"""A card as a Python file that needs nothing but Python: a function, and a command for CSV files."""

from __future__ import annotations

from collections.abc import Iterator

from riskcard.export.cases import Case, FeatureCases, Kind, When, cases_of
from riskcard.model.card import RiskCard
from riskcard.version import __version__

#: What every file has, before and after the lines that are the card's own.
_HEAD = '''\
"""A risk card as plain Python; it needs no other package.

    score({{"name of a feature": value, ...}})    points, total, log-odds and risk of one row
    python THIS_FILE < rows.csv > scores.csv    total and risk of every row of a CSV file

A value that is None or not a number (NaN) is missing. Texts are read as numbers where numbers are
needed. A missing value or a level that training did not have gets the points of the usual bin, with
a warning; where there is no usual bin, and for infinite numbers, the row is refused.
"""

# {title}
# written by riskcard {version}

import csv
import math
import sys
import warnings
from collections import namedtuple

BASE = {base!r}
MULTIPLIER = {multiplier!r}
OFFSET = {offset!r}

Score = namedtuple("Score", ["points", "total", "log_odds", "risk"])

'''

_TAIL = '''

def score(row):
    """Score one row: a mapping from the names of the features to values."""
    points = {name: points_of(row[name]) for name, (_, points_of) in FEATURES.items()}
    total = BASE + sum(points.values())
    log_odds = total / MULTIPLIER + OFFSET
    return Score(points, total, log_odds, risk_of(log_odds))


def risk_of(log_odds):
    """The probability that belongs to log-odds."""
    if log_odds >= 0:
        return 1 / (1 + math.exp(-log_odds))
    odds = math.exp(log_odds)
    return odds / (1 + odds)


def number(name, value):
    """A finite number, or None for a missing value."""
    if is_missing(value):
        return None
    try:
        value = float(value)
    except OverflowError:
        value = math.inf
    except (TypeError, ValueError):
        raise ValueError("{!r} is {!r}, which is not a number.".format(name, value)) from None
    if math.isinf(value):
        raise ValueError("{!r} is infinite. Give a finite number.".format(name))
    return None if math.isnan(value) else value


def level(name, value):
    """A text, a number or a boolean, or None for a missing value."""
    if is_missing(value):
        return None
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and math.isinf(value):
        raise ValueError("{!r} is infinite. Give a finite number.".format(name))
    return value if isinstance(value, (str, bool, int, float)) else str(value)


def is_missing(value):
    """None, NaN, and what pandas has for them."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and math.isnan(value)


def guess(name, value, points):
    """Points of the usual bin, for a value that training did not have."""
    what = "missing" if value is None else "an unseen level, {!r}".format(value)
    warnings.warn("{!r} is {}: it gets {} points.".format(name, what, points), stacklevel=4)
    return points


def refuse(name, value):
    """The card has no points for this value."""
    what = "missing" if value is None else "{!r}, an unknown level".format(value)
    raise ValueError("{!r} is {}. The card has no points for that.".format(name, what))


def from_cell(kind, cell):
    """The value that a cell of a CSV file stands for; an empty one is missing."""
    if cell == "":
        return None
    if kind == "boolean":
        return {"true": True, "1": True, "false": False, "0": False}.get(cell.lower(), cell)
    if kind == "numeric level":
        try:
            return float(cell)
        except ValueError:
            return cell
    return cell


def main():
    """Score the rows of a CSV file from the standard input."""
    sys.stdin.reconfigure(encoding="utf-8-sig")
    rows = csv.DictReader(sys.stdin, restval="")
    lacking = [name for name in FEATURES if name not in (rows.fieldnames or [])]
    if lacking:
        sys.exit("The file has no column {!r}.".format(lacking[0]))
    writer = csv.writer(sys.stdout, lineterminator="\\n")
    writer.writerow(["total", "risk"])
    for place, row in enumerate(rows, 1):
        try:
            values = {name: from_cell(kind, row[name]) for name, (kind, _) in FEATURES.items()}
            found = score(values)
        except ValueError as error:
            sys.exit("Row {}: {}".format(place, error))
        writer.writerow([found.total, found.risk])


if __name__ == "__main__":
    main()
'''


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
    head = _HEAD.format(
        title=cases.title,
        version=__version__,
        base=cases.base,
        multiplier=cases.multiplier,
        offset=cases.offset,
    )
    lines = [line for i, one in enumerate(cases.features) for line in _function(one, i + 1)]
    lines += ["", "FEATURES = {"]
    lines += [
        f"    {one.name!r}: ({one.kind.value!r}, points_{i + 1}),"
        for i, one in enumerate(cases.features)
    ]
    return head + "\n".join([*lines, "}", ""]) + _TAIL


def _function(feature: FeatureCases, place: int) -> Iterator[str]:
    """The function from a value to points."""
    reader = "number" if feature.kind is Kind.NUMBER else "level"
    yield from ("", f"def points_{place}(value):")
    yield f"    value = {reader}({feature.name!r}, value)"
    for case in feature.cases:
        if case.when is When.OTHERWISE:
            yield f"    {_answer(feature, case)}"
        else:
            yield f"    if {_condition(feature, case)}:"
            yield f"        {_answer(feature, case)}"
    yield ""


def _condition(feature: FeatureCases, case: Case) -> str:
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
