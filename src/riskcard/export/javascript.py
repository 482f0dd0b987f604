"""A card as JavaScript that needs nothing else: an ES module, or a script for pages and Node."""

from __future__ import annotations

import json
from collections.abc import Iterator

from riskcard.data.levels import Label
from riskcard.errors import ParameterError
from riskcard.export.cases import (
    CardCases,
    Case,
    FeatureCases,
    Kind,
    When,
    cases_of,
    require_exact_levels,
)
from riskcard.model.card import RiskCard
from riskcard.version import __version__

_HEAD = """\
// {title}
// written by riskcard {version}
//
// score({{"name of a feature": value, ...}}) gives {{points, total, logOdds, risk, guesses}} of one row.
//
// Numbers: a number, a boolean (1 or 0), or a text such as " 12.5 " or "-1e3", with a decimal point.
// Levels: a text, number or boolean, compared with ===; where all levels are booleans, 1 and 0 too.
// Missing: null, undefined, NaN, and an empty text where a number is needed.
// A missing value or a level that training did not have gets the points of the usual bin, and the
// feature stands among the guesses. A RangeError is thrown for a value that has no points, for what
// is not a number where one is needed, for infinity, and when the row lacks a feature.

"""

_TAIL = """
function score(row) {
  const points = Object.create(null);
  const guesses = [];
  let total = BASE;
  for (const { name, kind, pointsOf } of FEATURES) {
    if (!Object.prototype.hasOwnProperty.call(row, name)) {
      throw new RangeError(`The row has no ${JSON.stringify(name)}.`);
    }
    const value = kind === "number" ? readNumber(name, row[name]) : readLevel(name, row[name]);
    const guess = (worth) => {
      guesses.push(name);
      return worth;
    };
    points[name] = pointsOf(value, guess);
    total += points[name];
  }
  const logOdds = total / MULTIPLIER + OFFSET;
  return { points, total, logOdds, risk: 1 / (1 + Math.exp(-logOdds)), guesses };
}

function readNumber(name, value) {
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean") return Number(value);
  let number = value;
  if (typeof value === "string") {
    const text = value.trim();
    if (text === "" || /^[+-]?nan$/i.test(text)) return null;
    if (!/^[+-]?(\\d+\\.?\\d*|\\.\\d+)(e[+-]?\\d+)?$/i.test(text)) {
      throw new RangeError(`${JSON.stringify(name)} is ${JSON.stringify(value)}, not a number.`);
    }
    number = Number(text);
  }
  if (typeof number !== "number") throw new RangeError(`${JSON.stringify(name)} is not a number.`);
  return finite(name, number);
}

function readLevel(name, value) {
  if (value === null || value === undefined) return null;
  if (typeof value === "number") return finite(name, value);
  if (typeof value === "string" || typeof value === "boolean") return value;
  throw new RangeError(`${JSON.stringify(name)} is not a text, a number or a boolean.`);
}

function finite(name, number) {
  if (number === Infinity || number === -Infinity) {
    throw new RangeError(`${JSON.stringify(name)} is infinite. Give a finite number.`);
  }
  return Number.isNaN(number) ? null : number;
}

function refuse(name, value) {
  const what = value === null ? "missing" : `${JSON.stringify(value)}, an unknown level`;
  throw new RangeError(`${JSON.stringify(name)} is ${what}. The card has no points for that.`);
}
"""

#: How the names get out, by form: before and after everything.
_FORMS = {
    "module": ("", "\nexport { score };\nexport default score;\n"),
    "script": (
        "var riskcard = (() => {\n",
        "\nreturn { score };\n})();\n"
        'if (typeof module !== "undefined" && module.exports) module.exports = riskcard;\n',
    ),
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
    before, after = _FORMS[form]
    head = _HEAD.format(title=cases.title.replace("</", "< /"), version=__version__)
    return head + before + "\n".join(_card_lines(cases)) + "\n" + _TAIL + after


def _card_lines(cases: CardCases) -> Iterator[str]:
    yield f"const BASE = {cases.base};"
    yield f"const MULTIPLIER = {cases.multiplier!r};"
    yield f"const OFFSET = {cases.offset!r};"
    yield "const FEATURES = ["
    for feature in cases.features:
        yield "  {"
        yield f"    name: {_literal(feature.name)},"
        yield f"    kind: {_literal('number' if feature.kind is Kind.NUMBER else 'level')},"
        yield "    pointsOf(value, guess) {"
        for case in feature.cases:
            condition = "" if case.when is When.OTHERWISE else f"if ({_condition(feature, case)}) "
            yield f"      {condition}return {_answer(feature, case)};"
        yield "    },"
        yield "  },"
    yield "];"


def _condition(feature: FeatureCases, case: Case) -> str:
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
