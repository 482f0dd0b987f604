"""What REDCap makes of an equation: a small evaluator of its language, which shares nothing with exports.

A field without a value is the empty text. Comparisons with it are false, except that it equals "" and
differs from anything else; arithmetic with it has no result, which is the empty text again.
"""

import math
import re

TOKEN = re.compile(
    r'\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<text>"[^"]*")|\[(?P<field>[a-z][a-z0-9_]*)\]'
    r"|(?P<word>[a-z]+)|(?P<sign><=|>=|<>|[-+*/^(),=<>]))"
)


def evaluate(equation, fields):
    """The value of an equation: a number, or the empty text."""
    parser = _Parser(_tokens(equation), fields)
    value = parser.either()
    assert not parser.tokens, parser.tokens
    return value


def _tokens(equation):
    tokens, place = [], 0
    while place < len(equation.rstrip()):
        found = TOKEN.match(equation, place)
        assert found, equation[place:]
        tokens.append((found.lastgroup, found[found.lastgroup]))
        place = found.end()
    return tokens


def _blank(function):
    """Arithmetic that has no result where an operand has none."""

    def apply(*operands):
        if "" in operands:
            return ""
        value = function(*map(float, operands))
        return "" if math.isnan(value) else value

    return apply


def _power(base, exponent):
    try:
        return base**exponent
    except OverflowError:
        return math.inf


class _Parser:
    def __init__(self, tokens, fields):
        self.tokens, self.fields = tokens, fields

    def take(self, *signs):
        if self.tokens and self.tokens[0][1] in signs and self.tokens[0][0] != "text":
            return self.tokens.pop(0)[1]
        return None

    def either(self):
        value = self.comparison()
        while word := self.take("or", "and"):
            other = self.comparison()
            value = (value or other) if word == "or" else (value and other)
        return value

    def comparison(self):
        left = self.sum()
        sign = self.take("=", "<>", "<=", ">=", "<", ">")
        if sign is None:
            return left
        right = self.sum()
        if "" in (left, right):
            return {"=": left == right, "<>": left != right}.get(sign, False)
        left, right = float(left), float(right)
        return {
            "=": left == right, "<>": left != right, "<=": left <= right,
            ">=": left >= right, "<": left < right, ">": left > right,
        }[sign]  # fmt: skip

    def sum(self):
        value = self.product()
        while sign := self.take("+", "-"):
            other = self.product()
            value = _blank(float.__add__ if sign == "+" else float.__sub__)(value, other)
        return value

    def product(self):
        value = self.power()
        while sign := self.take("*", "/"):
            other = self.power()
            value = _blank(float.__mul__ if sign == "*" else float.__truediv__)(value, other)
        return value

    def power(self):
        is_bracket = self.tokens[0][1] == "("
        value = self.atom()
        if self.take("^"):
            # REDCap asks for brackets around both
            assert is_bracket
            assert self.tokens[0][1] == "("
            value = _blank(_power)(value, self.atom())
        return value

    def atom(self):
        if self.take("-"):
            return _blank(float.__neg__)(self.atom())
        if self.take("("):
            value = self.either()
            assert self.take(")")
            return value
        kind, token = self.tokens.pop(0)
        if kind == "number":
            return float(token)
        if kind == "text":
            return token[1:-1]
        if kind == "field":
            return self.fields[token]
        assert kind == "word", token
        return self.call(token)

    def call(self, name):
        assert self.take("(")
        values = [self.either()]
        while self.take(","):
            values.append(self.either())
        assert self.take(")")
        if name == "if":
            condition, yes, no = values
            return yes if condition else no
        assert name == "round", name
        value, digits = values
        return _blank(lambda number: round(number, int(digits)))(value)
