"""A checker of proof files: it needs this file, the card, the rows and the proof, and nothing else.

    python check_proof.py card.json data.csv card.proof

It uses the standard library and whole numbers only, and no code of riskcard: it may be copied out of it.
``docs/proof_format.md`` describes the format and why each step is right. The reading order is that of the file:
numbers, the file, the table, the card, then the tree with its one rule, `Checker.close`.
"""

from __future__ import annotations

import csv
import hashlib
import json
import random
import re
import sys
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, Context
from fractions import Fraction
from functools import cache
from itertools import accumulate, combinations, pairwise
from operator import add, itemgetter, mul, sub

MAGIC = b"riskcard proof 2\n"
#: Binary digits of log-odds, of the table's entries, between two of its knots, and of a chance.
ODDS, KNOT, BETWEEN = 32, 40, 21
CHANCE = KNOT + BETWEEN
ONE = 1 << CHANCE
#: Digits of logarithms and exponentials while they are computed.
FINE = 110
CLOSED, BY_SIDE, BY_CUT, EMPTY, LEAF, IN_POOL = 1, 2, 3, 4, 5, 6
#: Losses may be stated with this relative error: they are printed from floating point.
ROUNDING = Fraction(1, 10**9)
#: A card is called optimal if its gap is at most one millionth, and the error above.
OPTIMAL = Fraction(1001, 10**9)
#: So many chances are remembered.
MOST_KEPT = 1_000_000
#: So many slots may all nodes together have whose records are still to be read.
MOST_SLOTS = 10_000_000
#: Numbers in a CSV file. Python and JavaScript would read more, and not the same.
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
#: Gaps are printed with three digits, rounded up.
UP = Context(prec=3, rounding=ROUND_CEILING)


class Refused(Exception):
    """The proof does not hold; the message says where and why."""


# --- numbers ---------------------------------------------------------------------------------------


def log_of(number):
    """``log(number) * 2**FINE`` for a whole number, wrong by less than 2**20 units."""
    e = number.bit_length() - 1
    return e * _log_of_two() + _log_part(number - (1 << e), number + (1 << e))


@cache
def _log_of_two():
    return _log_part(1, 3)


def _log_part(above, below):
    """``log((1 + x) / (1 - x)) * 2**FINE`` at ``x = above / below``."""
    x = (above << FINE) // below
    square, total, n = x * x >> FINE, x, 3
    while x:
        x = x * square >> FINE
        total += x // n
        n += 2
    return 2 * total


def exp_of(x):
    """``exp(-x)`` for ``x >= 0``; both are multiples of ``2**-FINE``. Wrong by less than 2**20 units."""
    halvings = max(0, x.bit_length() - FINE + 3)
    x >>= halvings
    total = term = 1 << FINE
    n = 1
    while term:
        term = term * x // n >> FINE
        total += term
        n += 1
    for _ in range(halvings):
        total = total * total >> FINE
    return (1 << 2 * FINE) // total


class Knots(dict):
    """The table: for knot k the chance at log-odds k / 2048, and its entropy, both rounded down."""

    def __missing__(self, k):
        whole = 1 << KNOT
        chance = (1 << KNOT + FINE) // ((1 << FINE) + exp_of((k << FINE) >> (ODDS - BETWEEN)))
        rest = whole - chance
        total = whole * log_of(whole) - chance * log_of(chance)
        total -= rest * log_of(rest) if rest else 0
        # less than 2**80 units of 2**-FINE are lost: a last digit lower is lower still
        self[k] = chance, total - (1 << 80) >> FINE
        return self[k]


class Chances(dict):
    """For log-odds, in units of ``2**-ODDS``: a chance and a number below its entropy, in units of ``1 / ONE``.

    The chance is interpolated; any would do. The entropy is concave, so the chord between two knots
    is below it.
    """

    def __init__(self):
        self.knots = Knots()

    def __missing__(self, z):
        if len(self) > MOST_KEPT:
            self.clear()
        size = min(abs(z), (32 << ODDS) - 1)
        k, rest = size >> BETWEEN, size & (1 << BETWEEN) - 1
        (one, low), (two, high), (three, _) = (self.knots[k + i] for i in range(3))
        bend = (three - 2 * two + one) * (rest * (rest - (1 << BETWEEN)) >> BETWEEN) >> 1
        chance = (one << BETWEEN) + (two - one) * rest + bend
        chance = min(max(chance, one << BETWEEN), two << BETWEEN)
        entropy = min(low, high) << BETWEEN
        if two > one:
            entropy = (low << BETWEEN) + (high - low) * (chance - (one << BETWEEN)) // (two - one)
        self[z] = (chance if z >= 0 else ONE - chance), entropy
        return self[z]


def is_same(one, two):
    """Are two entries of JSON the same? As texts, since Python's True would equal 1."""
    return json.dumps(one, sort_keys=True) == json.dumps(two, sort_keys=True)


def picker(places):
    """A function that takes the entries at these places out of a list, in their order."""
    if len(places) > 1:
        return itemgetter(*places)
    return lambda values: tuple(values[place] for place in places)


def exact(number):
    """A number of card or header as a fraction; a text, `true` or `null` is none."""
    if type(number) not in (int, float) or number - number != 0:
        raise Refused(f"{number!r} is not a finite number")
    return Fraction(number)


def rounded_up(number):
    """The least multiple of ``2**-ODDS`` that is not below a fraction, as a whole number."""
    return -(-(number.numerator << ODDS) // number.denominator)


# --- the file --------------------------------------------------------------------------------------


class Body:
    """The bytes of the tree, read one number after another."""

    def __init__(self, data):
        self.data, self.place = data, 0

    def left(self):
        """How many bytes are still to be read."""
        return len(self.data) - self.place

    def byte(self):
        if self.place >= len(self.data):
            raise Refused("the file ends in the middle of the tree")
        self.place += 1
        return self.data[self.place - 1]

    def number(self):
        """Seven digits per byte, the lowest first; the eighth says that more follow."""
        total = shift = 0
        while True:
            byte = self.byte()
            total |= (byte & 127) << shift
            if byte < 128:
                break
            shift += 7
            if shift > 49:
                raise Refused(f"a number is too long at byte {self.place} of the tree")
        if total > 1 << 44:
            raise Refused(f"a number is too large at byte {self.place} of the tree")
        return total

    def signed(self):
        number = self.number()
        return -(number + 1 >> 1) if number & 1 else number >> 1

    def digits(self):
        digits = self.number()
        if digits > ODDS:
            raise Refused(f"more than {ODDS} digits at byte {self.place} of the tree")
        return digits


def refuse_constant(word):
    """JSON has no NaN and no infinity, but Python would read them."""
    raise Refused(f"there is the number {word}")


def unique(pairs):
    """An object of JSON; Python would take the last of two entries with one name."""
    found = {}
    for name, entry in pairs:
        if name in found:
            raise Refused(f"the entry {name!r} is there twice")
        found[name] = entry
    return found


def number_of(text):
    """A number of 64 bits, as all programs read it: whole ones are whole numbers, however they are written."""
    number = float(text)
    return int(number) if number.is_integer() and abs(number) < 1 << 53 else number


def read_json(text):
    """JSON that can be read in one way only."""
    return json.loads(
        text,
        parse_constant=refuse_constant,
        parse_int=number_of,
        parse_float=number_of,
        object_pairs_hook=unique,
    )


def open_proof(data):
    """Header and tree of a file, whose last 32 bytes are the SHA-256 of all before."""
    if not data.startswith(MAGIC):
        raise Refused(f"the file does not begin with {MAGIC.decode().strip()!r}")
    if len(data) < len(MAGIC) + 36 or hashlib.sha256(data[:-32]).digest() != data[-32:]:
        raise Refused("its SHA-256 does not agree with its content: it was changed or is not whole")
    begin = len(MAGIC) + 4
    size = int.from_bytes(data[len(MAGIC) : begin], "little")
    if begin + size > len(data) - 32:
        raise Refused("the header is longer than the file")
    try:
        header = read_json(data[begin : begin + size].decode("utf-8"))
    except (ValueError, RecursionError):
        raise Refused("the header is not valid JSON") from None
    except Refused as error:
        raise Refused(f"in the header {error}") from None
    return header, data[begin + size : -32]


# --- the table -------------------------------------------------------------------------------------


@dataclass
class Rows:
    """The user's rows: a value of each feature (number, text, or None if missing), label and weight."""

    values: dict  # by name, lists
    is_event: list
    weights: list = field(default_factory=list)


@dataclass
class Column:
    """Conditions of one feature that are nested: ``code <= cut``, for cuts 0 .. n_codes - 2."""

    feature: int
    most: tuple  # points where code <= cut, and where code > cut
    n_codes: int
    codes: list = field(default_factory=list)  # by pattern


class Table:
    """The merged rows: each pattern of codes once, with the weights of its rows with and without the event."""

    def __init__(self, header, rows):
        self.header, self.rows = header, rows
        digits = header["weights"]["digits"]
        factors = [exact(one) for one in header["weights"]["factors"]]
        if min(factors) <= 0 or type(digits) is not int or not 0 <= digits <= 1100:
            raise Refused("class weights must be above 0, and digits from 0 to 1100")
        self.unit = Fraction(1, 1 << digits)
        self.columns, self.in_bins, cells = [], [], []
        for number, feature in enumerate(header["features"]):
            cells += self._read_feature(number, feature, rows)
        weights = rows.weights or [1] * len(rows.is_event)
        found, lines = {}, list(zip(*cells, strict=True))
        for codes, is_event, weight in zip(lines, rows.is_event, weights, strict=True):
            own = Fraction(weight) * factors[is_event] / self.unit
            if own < 0:
                raise Refused(f"a row has the weight {weight}, which is below 0")
            pair = found.setdefault(codes, [0, 0])
            pair[not is_event] += own.numerator // own.denominator
        patterns = sorted(found)
        places = {codes: place for place, codes in enumerate(patterns)}
        self.pattern_of_row = [places[codes] for codes in lines]
        # for each feature the patterns of the rows whose value is in one of its bins
        self.binned = [
            sorted({place for place, one in zip(self.pattern_of_row, is_in, strict=True) if one})
            for is_in in self.in_bins
        ]
        self.events = [found[codes][0] for codes in patterns]
        self.others = [found[codes][1] for codes in patterns]
        self._add_extra(header["weights"]["extra"])
        for column, codes in zip(self.columns, zip(*patterns, strict=True), strict=False):
            column.codes = list(codes)
        text = "".join(
            f"{','.join(map(str, codes))}:{event},{other}\n"
            for codes, event, other in zip(patterns, self.events, self.others, strict=True)
        )
        if hashlib.sha256(text.encode()).hexdigest() != header["table"]:
            raise Refused(
                "the rows are not those of the proof: the SHA-256 of the merged table differs"
            )
        if not sum(self.events) or not sum(self.others):
            raise Refused("all rows have the same label")

    def _read_feature(self, number, feature, rows):
        """The codes of the rows in all columns of a feature."""
        name, cuts = feature["name"], feature["cuts"]
        if name not in rows.values:
            raise Refused(f"the rows have no feature {name!r}")
        if not all(one < two for one, two in pairwise(map(exact, cuts))):
            raise Refused(f"the cuts of {name!r} are not in ascending order")
        bins = feature["bins"]
        if bins is None:
            bins = [[code] for code in range(len(cuts) + 1)]
        if bins and len(bins) != len(cuts) + 1:
            raise Refused(f"{name!r} has {len(cuts)} cuts and {len(bins)} bins")
        known = {key_of(value): codes for value, codes in feature["values"]}
        if bins and any(key is not None and not key[0] for key in known):
            raise Refused(f"{name!r} has bins for its numbers, and other codes for one of them")
        lists = []
        for value in rows.values[name]:
            codes = known.get(key_of(value))
            if codes is None and isinstance(value, (int, float)) and bins:
                codes = bins[bisect_left(cuts, value)]
            if codes is None:
                what = "a missing value" if value is None else f"the value {value!r}"
                raise Refused(
                    f"the rows are not those of the proof: {name!r} has {what}, which the proof does not know"
                    + (
                        ". Only empty cells are missing here: if that means missing, leave the cell empty"
                        if isinstance(value, str)
                        else ""
                    )
                )
            lists.append(codes)
        self.in_bins.append([key_of(value) not in known for value in rows.values[name]])
        every = [*bins, *known.values()]
        for place, most in enumerate(feature["most"]):
            if type(most) is not list or len(most) != 2:
                raise Refused(
                    f"a column of {name!r} has the points {most!r}, not those of two sides"
                )
            codes = [one[place] for one in every]
            if min(codes) < 0 or any(type(code) is not int for code in codes):
                raise Refused(f"{name!r} has a code that is no whole number from 0 on")
            if max(codes) >= len(every):
                raise Refused(
                    f"{name!r} has the code {max(codes)} in its column {place}, but only {len(every)} bins and values: "
                    "a code is below their number"
                )
            self.columns.append(Column(number, tuple(most), max(codes) + 1))
        return [[codes[place] for codes in lists] for place in range(len(feature["most"]))]

    def _add_extra(self, extra):
        """Pseudo-observations: weights that the file adds to each pattern, taken as given."""
        self.share_given = Fraction(0)
        if extra is None:
            return
        own = sum(self.events) + sum(self.others)
        n = len(self.events)
        if [len(part) for part in extra] != [n, n]:
            raise Refused(
                f"the rows are not those of the proof: they have {n} patterns, and the proof has "
                f"pseudo-observations for {len(extra[0])}"
            )
        if any(type(one) is not int or one < 0 for part in extra for one in part):
            raise Refused("a weight of the pseudo-observations is no whole number from 0 on")
        self.events = list(map(add, self.events, extra[0]))
        self.others = list(map(add, self.others, extra[1]))
        self.share_given = Fraction(sum(map(sum, extra)), own + sum(map(sum, extra)))

    def rows_of(self, number):
        """For each row its pattern, whether its value of a feature is a number, and whether it has the event."""
        values = self.rows.values[self.header["features"][number]["name"]]
        is_number = [isinstance(value, (int, float)) for value in values]
        return zip(self.pattern_of_row, is_number, self.rows.is_event, strict=True)

    def has_every_condition(self, number, feature, rows):
        """Are all conditions listed that a feature can have?

        With numbers: each cut between two of them, a missing value on either side, and that it is missing.
        Without: each division of at most 12 levels, a missing value among them, into two groups.
        """
        codes_of = {}
        columns = [place for place, one in enumerate(self.columns) if one.feature == number]
        for value, pattern in zip(rows.values[feature["name"]], self.pattern_of_row, strict=True):
            codes_of[value] = [self.columns[place].codes[pattern] for place in columns]
        numbers = sorted(value for value in codes_of if isinstance(value, (int, float)))
        others = [value for value in codes_of if not isinstance(value, (int, float))]
        if (numbers and others not in ([], [None])) or (not numbers and len(others) > 12):
            return False
        values, n = [*numbers, *others], len(numbers)
        whole, listed = (1 << len(others)) - 1, set()
        for place in range(len(columns)):
            by_code = sorted((codes_of[value][place], i) for i, value in enumerate(values))
            low, high, count, others_below = n, -1, 0, 0
            for (code, i), (after, _) in pairwise([*by_code, (None, None)]):
                if i >= n:
                    others_below |= 1 << i - n
                else:
                    low, high, count = min(low, i), max(high, i), count + 1
                if after is not None and code != after:
                    listed.add(division_of((low, high, count), others_below, n, whole))
        if not numbers:
            return all(min(mask, whole - mask) in listed for mask in range(1, whole))
        wanted = {(i, 0) for i in range(1, n + len(others))} | {
            (i, 1) for i in range(1, n) if others
        }
        return wanted <= listed


def division_of(below, others, n, whole):
    """What a condition does: how many of the lowest of ``n`` numbers are together on one side, and which other values.

    ``below`` has the places of the lowest and the highest number where it holds, and how many these are. Without
    numbers the smaller of the two sets of other values; None if the numbers are not divided at one place.
    """
    low, high, count = below
    if n == 0:
        return min(others, whole - others)
    if count == 0:
        return n, whole - others
    if high == count - 1:
        return count, others
    return (n - count, whole - others) if low == n - count else None


def key_of(value):
    """Texts and missing values are known by their words; numbers never equal a text."""
    return (
        None
        if value is None
        else (isinstance(value, str), str(value) if isinstance(value, str) else value)
    )


# --- the card --------------------------------------------------------------------------------------


def points_of(feature, value):
    """The points of a value, as ``docs/card_format.md`` says."""
    usual = feature["usual"]
    if value is None and feature["missing"] is not None:
        return feature["missing"]
    if value is not None and "groups" in feature:
        for group, points in zip(feature["groups"], feature["points"], strict=True):
            if key_of(value) in map(key_of, group) or str(value) in map(str, group):
                return points
    elif value is not None:
        for code in feature["codes"]:
            if code["value"] == value:
                return code["points"]
        return feature["points"][bisect_left(feature["cuts"], value)]
    if usual is None:
        raise Refused(f"the card has no points for the value {value!r} of {feature['name']!r}")
    return feature["points"][usual]


def loss_of(card, table, rows):
    """A fraction that is not below the loss of the card on the rows, in the user's weights."""
    weights = card["certificate"]["class_weights"] or card
    multiplier, offset = exact(weights["multiplier"]), exact(weights["offset"])
    header, cells = table.header, {}
    factors = [exact(one) for one in header["weights"]["factors"]]
    for i, is_event in enumerate(rows.is_event):
        total = card["base"]
        for feature in card["features"]:
            total += points_of(feature, rows.values[feature["name"]][i])
        weight = Fraction(rows.weights[i] if rows.weights else 1) * factors[is_event]
        cells[total, is_event] = cells.get((total, is_event), 0) + weight
    extra = given_by_total(card, table)
    loss = Fraction(0)
    for (total, is_event), weight in [*cells.items(), *extra.items()]:
        loss += weight * loss_at((total / multiplier + offset) * (1 if is_event else -1))
    return loss


def given_by_total(card, table):
    """The pseudo-observations by what the card gives their pattern; none without any."""
    extra = table.header["weights"]["extra"]
    if extra is None:
        return {}
    found = {}
    for i, total in enumerate(table.totals):
        for is_event, part in ((True, extra[0]), (False, extra[1])):
            key = total, is_event
            found[key] = found.get(key, 0) + part[i] * table.unit
    return found


def loss_at(margin):
    """A fraction that is not below ``log(1 + exp(-margin))``."""
    size = abs(margin)
    # exp(-128) is far below the last digit, and is rounded up to it
    x = min((size.numerator << FINE) // size.denominator, 128 << FINE)
    small = exp_of(x) + (1 << 21)
    loss = log_of((1 << FINE) + small) - FINE * log_of(2) + (1 << 21)
    return Fraction(loss, 1 << FINE) + (0 if margin >= 0 else size)


# --- the tree --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Node:
    """All cards with exactly ``k`` terms from each slot, and at most ``listed`` of the sides not excluded.

    A side is ``2 * column``, plus 1 where the points are given above the cut. A slot is (side, low, high, k):
    the cuts from low to high.
    """

    slots: tuple
    listed: int
    excluded: int = 0  # a bit for each side
    is_in_pool: bool = False


class Checker:
    """The tree of a proof, checked node by node."""

    def __init__(self, header, table, body):
        self.header, self.table, self.body = header, table, body
        kind = header["kind"]
        for name in ("max_terms", "max_features", "max_cuts_per_feature", "max_points"):
            if type(kind[name]) is not int or kind[name] < 1:
                raise Refused(f"{name} is {kind[name]!r}, which is no whole number from 1 on")
        self.max_terms, self.max_features = kind["max_terms"], kind["max_features"]
        fine = (1 << CHANCE + ODDS) / table.unit
        self.bound_of_all = exact(header["bound"]) * fine
        self.charge = exact(kind["min_gain"]) * fine
        if self.charge < 0:
            raise Refused(f"min_gain is {kind['min_gain']!r}, which is below 0")
        self._set_pool(fine)
        self.cutoff = self.bound_of_all + self.beyond
        self.is_fixed = type(kind["scale"]) in (int, float)
        if not self.is_fixed and kind["scale"] not in ("calibrated", "multiplier"):
            raise Refused(f"the scale {kind['scale']!r} is not known")
        self.multiplier = exact(kind["scale"]) if self.is_fixed else None
        self.step = None if self.is_fixed else rounded_up(exact(kind["max_log_odds"]))
        if (self.multiplier if self.is_fixed else self.step) <= 0:
            raise Refused("the multiplier, or the largest step, is not above 0")
        self._set_sides()
        self._set_rows()
        self.chances, self.n_records, self.n_closed = Chances(), 0, 0
        self.sampled = None
        self.open = []  # nodes whose records are still to be read, the next one last
        self.open_slots = 0

    def _set_pool(self, fine):
        """The choices of conditions in the pool; how far above the bound all cards of other choices are."""
        pool, self.choices, self.beyond = self.header["pool"], [], Fraction(0)
        if pool is None:
            return
        self.beyond = exact(pool["below"]) * fine - self.bound_of_all
        if self.beyond < 0:
            raise Refused("the largest loss of the pool is below the bound")
        for choice in pool["choices"]:
            for column, cut in choice:
                if any(type(one) is not int or one < 0 for one in (column, cut)):
                    raise Refused(f"a choice of the pool has the condition {(column, cut)!r}")
                if cut > self.table.columns[column].n_codes - 2:
                    raise Refused(f"a choice of the pool has no condition {cut} of column {column}")
            self.choices.append({(column, cut) for column, cut in choice})

    def _set_sides(self):
        """The reach of every side, in units of ``2**-ODDS``: the most that a term may add to the log-odds."""
        self.reach = []
        for column in self.table.columns:
            for points in column.most:
                if type(points) is not int or points < 0:
                    raise Refused(f"a side may have {points!r} points")
                if self.is_fixed:
                    self.reach.append(rounded_up(points / self.multiplier))
                else:
                    self.reach.append(self.step if points else 0)
        is_used = [
            self.reach[s] > 0 and self.table.columns[s >> 1].n_codes > 1
            for s in range(len(self.reach))
        ]
        self.sides = [side for side, used in enumerate(is_used) if used]
        self.steepest = max([self.reach[side] for side in self.sides], default=0)
        self.all_sides = sum(1 << side for side in self.sides)
        # a feature has no more terms than conditions
        self.room = [feature["most_terms"] for feature in self.header["features"]]
        for number, most in enumerate(self.room):
            if type(most) is not int or most < 0:
                raise Refused(f"a feature may have {most!r} terms")
            own = [one.n_codes - 1 for one in self.table.columns if one.feature == number]
            self.room[number] = min(most, sum(own))

    def _set_rows(self):
        table = self.table
        n = len(table.events)
        self.weights = list(map(add, table.events, table.others))
        self.event_parts = [event * ONE for event in table.events]
        events, others = sum(table.events), sum(table.others)
        self.lowest = log_of(events) - log_of(others) >> FINE - ODDS
        self.highest = self.lowest + 1
        self.by_code, self.in_order, self.at_ends = [], [], []
        for column in table.columns:
            codes = sorted(column.codes)
            self.by_code.append(picker(column.codes))
            self.in_order.append(picker(sorted(range(n), key=column.codes.__getitem__)))
            # for each cut how many patterns are at or below it
            ends = [bisect_left(codes, cut + 1) for cut in range(column.n_codes - 1)]
            self.at_ends.append(picker(ends))

    def check(self):
        """Walk through the whole tree; every record must be right, and nothing may follow.

        Where terms are charged, there is a tree for each number of terms: a card with ``n`` terms pays for them, so
        its loss need not be above the bound without that charge.
        """
        body = self.body
        for n in range(self.max_terms + 1) if self.charge else [self.max_terms]:
            self.cutoff = self.bound_of_all + self.beyond - n * self.charge
            self.check_tree(Node((), n if self.sides else 0))
        if body.left():
            raise Refused(f"{body.left()} bytes follow the end of the tree")
        counts = self.header["records"], self.header["closed"]
        if not is_same((self.n_records, self.n_closed), counts):
            raise Refused(
                f"the header states {counts} records and closed nodes, the tree has "
                f"{(self.n_records, self.n_closed)}"
            )

    def check_tree(self, root):
        """Walk through one tree."""
        body = self.body
        self.open, self.open_slots = [root], 0
        while self.open:
            node, place = self.open.pop(), body.place
            self.open_slots -= len(node.slots)
            self.n_records += 1
            kind = body.byte()
            try:
                if kind == CLOSED:
                    self.close(node)
                elif kind == BY_SIDE:
                    self.divide(self.by_side(node))
                elif kind == BY_CUT:
                    self.divide(self.by_cut(node))
                elif kind == EMPTY:
                    self.require_empty(node, body.byte())
                elif kind == LEAF:
                    self.leaf(node)
                elif kind == IN_POOL:
                    self.divide([self.in_pool(node)])
                else:
                    raise Refused(f"there is no record of kind {kind}")
            except Refused as error:
                raise Refused(
                    f"record {self.n_records}, at byte {place} of the tree: {error}"
                ) from None

    # the one rule

    def bound(self, z, gains):
        """``sum of v H(p)`` plus what ``gains`` makes of the slopes, in units of ``1 / (ONE * 2**ODDS)``.

        Fenchel: ``log(1 + exp(-m)) >= H(p) - p m`` for every p. Summed over the rows, the loss of a card with
        log-odds ``z'`` is at least ``sum of v H(p) + sum of r z'``, with ``r = o p - e (1 - p)``.
        """
        chances, entropies = zip(*map(self.chances.__getitem__, z), strict=True)
        slopes = list(map(sub, map(mul, self.weights, chances), self.event_parts))
        return (sum(map(mul, self.weights, entropies)) << ODDS) + gains(slopes)

    def close(self, node):
        """Read chances, and check that they close a node."""
        digits, offset, parts = self.read_model()
        self.n_closed += 1
        if self.sampled is not None and random.SystemRandom().random() >= self.sampled:
            return
        shift = ODDS - digits
        z = [offset << shift] * len(self.weights)
        for column, values in parts.items():
            values = [value << shift for value in values]
            z = map(add, z, self.by_code[column](values))
        bound = self.bound(z, lambda slopes: self.gains(node, slopes))
        cutoff = self.cutoff_of(node)
        if bound < cutoff:
            short = float((cutoff - bound) / cutoff)
            raise Refused(
                f"the chances leave a gap of {short:.3g} of the bound: the node is not closed"
            )

    def cutoff_of(self, node):
        """What closes a node: cards of the pool need not be above its largest loss, but above the bound."""
        return self.cutoff - (self.beyond if node.is_in_pool else 0)

    def in_pool(self, node):
        """A node whose conditions are a choice of the pool; another record says how it is closed."""
        number, chosen = self.body.number(), {(side >> 1, low) for side, low, _, _ in node.slots}
        is_chosen = not node.listed and all(one[1] == one[2] and one[3] == 1 for one in node.slots)
        if not is_chosen or node.is_in_pool:
            raise Refused("a choice of the pool where not all conditions are chosen, or twice")
        if number >= len(self.choices) or self.choices[number] != chosen:
            raise Refused(f"the conditions are not those of choice {number} of the pool")
        return replace(node, is_in_pool=True)

    def read_model(self):
        """A sum of steps: for each column that has some, what it adds to the log-odds of every code."""
        body, jumps = self.body, {}
        digits, offset = body.digits(), body.signed()
        for _ in range(body.number()):
            side, cut, theta = body.number(), body.number(), body.number()
            if side not in self.sides or cut > self.table.columns[side >> 1].n_codes - 2:
                raise Refused(f"there is no condition {cut} of side {side}")
            # at the lowest code, and from one code to the next
            own = jumps.setdefault(side >> 1, {0: 0})
            own[0] += 0 if side & 1 else theta
            own[cut + 1] = own.get(cut + 1, 0) + (theta if side & 1 else -theta)
        parts = {column: self.levels(column, own) for column, own in jumps.items()}
        return digits, offset, parts

    def levels(self, column, jumps):
        """For every code of a column the sum of the jumps up to it."""
        levels, level = [], 0
        for code in sorted(jumps):
            levels += [level] * (code - len(levels))
            level += jumps[code]
        return levels + [level] * (self.table.columns[column].n_codes - len(levels))

    def gains(self, node, slopes):
        """The least that ``sum of r z'`` can be for a card of a node."""
        total, known, gain, furthest = sum(slopes), {}, 0, 0

        def sums(column):
            """For every cut the sum of the slopes of the patterns at or below it."""
            if column not in known:
                run = list(accumulate(self.in_order[column](slopes), initial=0))
                known[column] = self.at_ends[column](run)
            return known[column]

        for side, low, high, count in node.slots:
            own = sums(side >> 1)[low : high + 1]
            least = total - max(own) if side & 1 else min(own)
            gain += count * min(0, least) * self.reach[side]
            furthest += count * self.reach[side]
        if node.listed:
            least = 0
            for side in self.sides:
                if not node.excluded >> side & 1:
                    own = sums(side >> 1)
                    own = total - max(own) if side & 1 else min(own)
                    least = min(least, own * self.reach[side])
            gain += node.listed * least
            furthest += node.listed * self.steepest
        return gain + min((self.lowest - furthest) * total, self.highest * total)

    # divisions

    def divide(self, children):
        """Put the children of a node before all other nodes whose records are still to be read.

        They are made one by one, since a file may state any number of terms: each node needs a byte at least.
        """
        found = []
        for child in children:
            self.open_slots += len(child.slots)
            if len(self.open) + len(found) >= self.body.left():
                raise Refused("the node has more children than the tree has bytes for")
            if self.open_slots > MOST_SLOTS:
                raise Refused(f"all nodes still to be read have more than {MOST_SLOTS} slots")
            found.append(child)
        self.open += reversed(found)

    def by_side(self, node):
        """Children with 0, 1, .. terms of one side of the list, and the others from the rest of it."""
        side = self.body.number()
        if not node.listed or side not in self.sides or node.excluded >> side & 1:
            raise Refused(f"side {side} cannot be taken out of the list")
        excluded = node.excluded | 1 << side
        high = self.table.columns[side >> 1].n_codes - 2
        for count in range(node.listed + 1):
            slots = node.slots + (((side, 0, high, count),) if count else ())
            listed = node.listed - count if excluded != self.all_sides else 0
            yield Node(slots, listed, excluded, node.is_in_pool)

    def by_cut(self, node):
        """Children with 0, 1, .. terms from the left part of a slot, and the others from the right part."""
        place, middle = self.body.number(), self.body.number()
        if place >= len(node.slots):
            raise Refused(f"there is no slot {place}")
        side, low, high, total = node.slots[place]
        middle += low
        if middle >= high:
            raise Refused(f"slot {place} has no cut beyond {middle}")
        for count in range(total + 1):
            slots = list(node.slots)
            left, right = (side, low, middle, count), (side, middle + 1, high, total - count)
            slots[place] = left if count else right
            if 0 < count < total:
                slots.append(right)
            yield replace(node, slots=tuple(slots))

    def require_empty(self, node, rule):
        """A node without a card: its slots alone break a limit."""
        slots, columns = node.slots, self.table.columns
        terms = {}
        for side, _, _, count in slots:
            feature = columns[side >> 1].feature
            terms[feature] = terms.get(feature, 0) + count
        pairs = combinations(slots, 2)
        is_broken = {
            1: lambda: any(count > high - low + 1 for _, low, high, count in slots),
            2: lambda: any(self.shares_cuts(one, two) for one, two in pairs),
            3: lambda: any(count > self.room[feature] for feature, count in terms.items()),
            4: lambda: len(terms) > self.max_features,
            5: lambda: any(self.clashes(one, two) for one, two in pairs),
            6: lambda: any(
                self.shares_gap(one, two) or self.is_too_small([one, two]) for one, two in pairs
            ),
            7: lambda: self.breaks_rule(set(terms), node.listed),
            8: lambda: any(
                self.is_too_small([one for one in slots if columns[one[0] >> 1].feature == feature])
                for feature in terms
            ),
        }.get(rule)
        if is_broken is None or not is_broken():
            raise Refused(f"the node is called empty by rule {rule}, but keeps it")

    def shares_cuts(self, one, two):
        """A cut is on a card once, on one side or the other: do the slots have too few for their terms?"""
        is_same = one[0] >> 1 == two[0] >> 1
        return is_same and one[3] + two[3] > max(one[2], two[2]) - min(one[1], two[1]) + 1

    def clashes(self, one, two):
        """Two terms of one feature must make three groups of its values."""
        columns = [self.table.columns[slot[0] >> 1] for slot in (one, two)]
        if columns[0].feature != columns[1].feature or one[1] != one[2] or two[1] != two[2]:
            return False
        pairs = zip(columns[0].codes, columns[1].codes, strict=True)
        return len({(first <= one[1], second <= two[1]) for first, second in pairs}) != 3

    def shares_gap(self, one, two):
        """Two conditions of one feature that divide its numbers at the same place, and differ in other values."""
        columns = [self.table.columns[slot[0] >> 1] for slot in (one, two)]
        if columns[0].feature != columns[1].feature or one[1] != one[2] or two[1] != two[2]:
            return False
        binned = self.table.binned[columns[0].feature]
        parts = [
            [column.codes[pattern] <= slot[1] for pattern in binned]
            for slot, column in zip((one, two), columns, strict=True)
        ]
        return len(set(parts[0])) == 2 and parts[1] in (parts[0], [not part for part in parts[0]])

    def is_too_small(self, slots):
        """Do single conditions of one feature leave a group of rows, or of numbers, that is too small?"""
        columns = [slot[0] >> 1 for slot in slots]
        features = {self.table.columns[column].feature for column in columns}
        if len(features) > 1 or any(low != high for _, low, high, _ in slots):
            return False
        groups = {}
        for pattern, is_number, is_event in self.table.rows_of(features.pop()):
            codes = [self.table.columns[column].codes[pattern] for column in columns]
            key = tuple(code <= slot[1] for code, slot in zip(codes, slots, strict=True))
            for kind in {False, is_number}:
                pair = groups.setdefault((kind, key), [0, 0])
                pair[0] += 1
                pair[1] += is_event
        least = self.header["rules"]["least"]
        return any(rows < least[0] or events < least[1] for rows, events in groups.values())

    def breaks_rule(self, used, listed):
        """A budget, a group or features that must be used: can no card with these features keep it?"""
        rules = self.header["rules"]
        missing = len(set(rules["must_use"]) - used)
        cost = sum(exact(rules["costs"][feature]) for feature in used)
        is_dear = rules["budget"] is not None and cost > exact(rules["budget"])
        is_crowded = any(len(used & set(members)) > most for members, most in rules["groups"])
        return missing > listed or is_dear or is_crowded

    # leaves

    def leaf(self, node):
        """All conditions are chosen: check that no whole points give a card below the bound."""
        if node.listed or any(low != high or count != 1 for _, low, high, count in node.slots):
            raise Refused("a leaf whose conditions are not all chosen")
        holds = []
        for side, cut, _, _ in node.slots:
            codes = self.table.columns[side >> 1].codes
            holds.append([(code > cut) == bool(side & 1) for code in codes])
        most = [self.table.columns[side >> 1].most[side & 1] for side, _, _, _ in node.slots]
        cells = {}
        for cell, event, other in zip(
            zip(*holds, strict=True) if holds else [()] * len(self.weights),
            self.table.events,
            self.table.others,
            strict=False,
        ):
            pair = cells.setdefault(cell, [0, 0])
            pair[0] += event
            pair[1] += other
        weights = [tuple(pair) for pair in cells.values()]
        leaf = Leaf(self, self.cutoff_of(node), list(cells), weights, most)
        if self.is_fixed:
            leaf.boxes()
        elif most:
            leaf.points([])
        else:
            raise Refused("a leaf without conditions")


class Leaf:
    """The cells of a leaf: which conditions hold, and the weights with and without the event."""

    def __init__(self, checker, cutoff, cells, weights, most):
        self.checker, self.cutoff = checker, cutoff
        self.cells, self.weights, self.most = cells, weights, most

    def close(self, design, ends, tail=0):
        """Read coefficients of variables, and check that their chances close what lies between the ends.

        ``design`` has the numbers of each cell, ``ends`` the least and the most of each variable, in units
        of ``2**-ODDS``. For ``tail`` = 1 the sum of the slopes must not be negative: then adding the
        same to all log-odds does not lower the bound; for -1 not positive.
        """
        checker, body = self.checker, self.checker.body
        digits = body.digits()
        shift, numbers = ODDS - digits, [body.signed() for _ in ends]
        entropy, gains, total = 0, [0] * len(ends), 0
        for row, (event, other) in zip(design, self.weights, strict=True):
            p, h = checker.chances[sum(map(mul, row, numbers)) << shift]
            slope = (event + other) * p - event * ONE
            entropy += (event + other) * h
            total += slope
            gains = [gain + slope * one for gain, one in zip(gains, row, strict=True)]
        bound = entropy << ODDS
        for gain, (low, high) in zip(gains, ends, strict=True):
            bound += min(Fraction(low) * gain, Fraction(high) * gain)
        if tail * total < 0:
            raise Refused("the slope of a row of bases has the wrong sign")
        if bound < self.cutoff:
            raise Refused("the chances of a leaf do not close it")

    def points(self, given):
        """All points of the next condition, from 1 on; each is closed or goes on with the condition after it."""
        checker, body = self.checker, self.checker.body
        for e in range(1, self.most[len(given)] + 1):
            now = [*given, e]
            kind = body.byte()
            if kind == 1:
                n, free = len(now), len(self.most) - len(now)
                design = [(1, sum(map(mul, now, cell)), *map(int, cell[n:])) for cell in self.cells]
                ends = [
                    (checker.lowest - len(self.most) * checker.step, checker.highest),
                    (0, Fraction(checker.step, max(now))),
                    *[(0, checker.step)] * free,
                ]
                self.close(design, ends)
            elif kind != 0:
                raise Refused(f"points of kind {kind}")
            elif len(now) < len(self.most):
                self.points(now)
            elif checker.header["kind"]["scale"] == "multiplier":
                self.bases(now)
            else:
                raise Refused("points that are not closed")

    def bases(self, points):
        """All whole bases of given points: up to one, some in between, and from one on."""
        body = self.checker.body
        first = body.signed()
        last = first + body.number() + 1
        ends = [(0, Fraction(self.checker.step, max(points)))]
        for base in range(first, last + 1):
            design = [(base + sum(map(mul, points, cell)),) for cell in self.cells]
            self.close(design, ends, -1 if base == first else 1 if base == last else 0)

    def boxes(self):
        """Whole base and points between limits, divided until each box is closed."""
        checker, body, m = self.checker, self.checker.body, self.checker.multiplier
        design = [(1, *map(int, cell)) for cell in self.cells]
        lowest = (checker.lowest * m / (1 << ODDS)).__floor__() - sum(self.most) - 1
        highest = (checker.highest * m / (1 << ODDS)).__ceil__() + 1
        stack = [[(lowest, highest), *((1, most) for most in self.most)]]
        while stack:
            box, kind = stack.pop(), body.byte()
            if kind == 1:
                self.close(
                    design, [(low / m * (1 << ODDS), high / m * (1 << ODDS)) for low, high in box]
                )
                continue
            if kind != 0:
                raise Refused(f"a box of kind {kind}")
            which, where = body.number(), body.number()
            if which >= len(box) or box[which][0] + where >= box[which][1]:
                raise Refused(f"variable {which} cannot be divided there")
            low, high = box[which]
            left, right = list(box), list(box)
            left[which], right[which] = (low, low + where), (low + where + 1, high)
            stack += [right, left]


# --- all together ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """What was found to be true."""

    bound: float
    loss: float
    gap: float
    records: int
    closed: int
    checked_share: float
    sentences: tuple
    min_gain: float = 0.0
    charge: float = 0.0  # what the terms of the card are charged
    pool: tuple = ()  # the claim about a pool, in sentences


def check(card: dict, rows: Rows, data: bytes, sample: int | None = None) -> Verdict:
    """Check a proof file; raises `Refused` where it does not hold.

    Parameters
    ----------
    card
        The content of the card's JSON file.
    rows
        See `Rows`.
    data
        The bytes of the proof file.
    sample
        Check about this number of closed nodes, chosen at random, instead of all.
    """
    try:
        header, tree = open_proof(data)
        card, rows = read_json(json.dumps(card)), cleaned(rows)
        require_lists(header)
        is_own = is_same_card(card, header)
        require_same_kind(card, header)
        require_points(card)
        table = Table(header, rows)
        require_root(card, header, table, rows)
        checker = Checker(header, table, Body(tree))
        if sample is not None:
            checker.sampled = sample / max(header["closed"], 1)
        set_totals(card, table, rows)
        checker.check()
        require_member(card, header, checker)
        choice = choice_of(table, checker.choices)
        if not is_own and choice is None:
            raise Refused("the proof is about another card, and this one is not in its pool")
        loss = loss_of(card, table, rows)
        gap = gap_of(card, header, loss)
        sentences = tuple(taken_as_given(card, header, table, rows))
        pool = tuple(describe_pool(header, table, choice))
    except (
        KeyError,
        TypeError,
        ValueError,
        IndexError,
        AttributeError,
        ArithmeticError,
        RecursionError,
    ) as error:
        raise Refused(
            f"an entry is missing or of the wrong kind ({type(error).__name__}: {error})"
        ) from None
    share = min(1.0, checker.sampled) if checker.sampled is not None else 1.0
    return Verdict(
        header["bound"],
        float(loss),
        gap,
        checker.n_records,
        checker.n_closed,
        share,
        sentences,
        header["kind"]["min_gain"],
        float(price_of_terms(card["certificate"])),
        pool,
    )


def require_lists(header):
    """What is a list on the page of the format is one here: an empty object, or a text, would pass as one."""
    parts = [(header, ["features"]), (header["rules"], ["least", "must_use", "costs", "groups"])]
    parts += [(feature, ["cuts", "values", "most"]) for feature in header["features"]]
    parts += [(feature, ["bins"]) for feature in header["features"] if feature["bins"] is not None]
    parts += [] if header["pool"] is None else [(header["pool"], ["choices"])]
    for owner, names in parts:
        for name in names:
            if type(owner[name]) is not list:
                raise Refused(f"{name} of the header is {owner[name]!r}, which is no list")
    rules = header["rules"]
    whole = [*rules["least"], *rules["must_use"]]
    for members, most in rules["groups"]:
        whole += [*members, most]
    if any(type(one) is not int for one in whole):
        raise Refused("a rule of the header has something else than a whole number")


def gap_of(card, header, loss):
    """How far the bound is below the loss of the card, which must be the one that it states."""
    certificate, bound = card["certificate"], exact(header["bound"])
    stated = exact(certificate["loss"])
    if abs(loss - stated) > ROUNDING * stated:
        raise Refused(
            f"the loss of the card on these rows is {float(loss)!r}, not {float(stated)!r} as it states"
        )
    price = loss + price_of_terms(certificate)
    if price < bound:
        raise Refused("the loss of the card is below the bound: it is no card of the stated kind")
    gap = (price - bound) / price if price else Fraction(0)
    if certificate["status"] == "optimal" and gap > OPTIMAL:
        raise Refused(f"the card is called optimal, but the gap is {float(gap):.3g}")
    return float(gap)


def price_of_terms(certificate):
    """What the terms of the card are charged."""
    return exact(certificate["min_gain"]) * certificate["charged_terms"]


def cleaned(rows):
    """The rows that weigh something; NaN is a missing value."""
    kept = [i for i in range(len(rows.is_event)) if not rows.weights or rows.weights[i] != 0]
    values = {
        name: [None if column[i] != column[i] else column[i] for i in kept]
        for name, column in rows.values.items()
    }
    is_event, weights = rows.is_event, rows.weights
    return Rows(values, [is_event[i] for i in kept], [weights[i] for i in kept] if weights else [])


def is_same_card(card, header):
    """Are the points, cuts and scale those of the card in the header? They must be, if there is no pool."""
    for key in ("base", "multiplier", "offset", "features"):
        own = card[key]
        if key == "features":
            own = [{name: one[name] for name in sorted(one) if name in PARTS} for one in own]
        if not is_same(own, header["card"][key]):
            if header["pool"] is None:
                raise Refused(f"the proof is about another card: {key!r} differs")
            return False
    return True


def choice_of(table, choices):
    """The number of the smallest choice of the pool whose conditions decide on the card's totals; None if none do."""

    def decide(conditions):
        lists = [
            [code <= cut for code in table.columns[column].codes] for column, cut in conditions
        ]
        cells = list(zip(*lists, strict=True)) if lists else [()] * len(table.totals)
        return len(set(zip(cells, table.totals, strict=True))) == len(set(cells))

    order = sorted(range(len(choices)), key=lambda number: len(choices[number]))
    return next((number for number in order if decide(choices[number])), None)


def describe_pool(header, table, choice):
    """What the file says of a pool, in sentences; nothing without one."""
    pool = header["pool"]
    if pool is None:
        return
    place = (
        ""
        if choice is None
        else f" The points of this card follow from those of number {choice + 1}."
    )
    charge = header["kind"]["min_gain"]
    per_term = f" plus {charge!r} per term" if charge else ""
    yield (
        f"Every card with a loss{per_term} below {pool['below']!r} has the conditions of one of "
        f"{len(pool['choices'])} choices.{place} Whether each of them has such a card is checked with that card."
    )
    for number, conditions in enumerate(pool["choices"]):
        words = [condition_in_words(header, table, *one) for one in conditions]
        yield f"{number + 1}. {'; '.join(words) or 'no condition'}"


def condition_in_words(header, table, column, cut):
    """The values for which a condition holds."""
    feature = header["features"][table.columns[column].feature]
    place = column - sum(
        len(one["most"]) for one in header["features"][: table.columns[column].feature]
    )
    cuts, bins = feature["cuts"], feature["bins"]
    bins = [[code] for code in range(len(cuts) + 1)] if bins is None else bins
    holds = [codes[place] <= cut for codes in bins]
    words = [
        "missing" if value is None else repr(value)
        for value, codes in feature["values"]
        if codes[place] <= cut
    ]
    n, size = sum(holds), len(holds)
    if 0 < n < size and holds == sorted(holds, reverse=True):
        words.insert(0, f"<= {cuts[n - 1]!r}")
    elif 0 < n < size and holds == sorted(holds):
        words.insert(0, f"> {cuts[size - n - 1]!r}")
    elif n:
        words.insert(0, "any number" if n == size else f"code <= {cut} in column {column}")
    return f"{feature['name']} {' or '.join(words)}"


#: What cards the proof is about.
KINDS = ("max_terms", "max_features", "max_cuts_per_feature", "max_points", "scale", "min_gain")
#: What the points of a feature depend on.
PARTS = ("name", "cuts", "groups", "points", "missing", "codes", "usual")


def require_once(names, owner):
    """No feature is there twice: its second entry would hide what the first one does."""
    for name in names:
        if names.count(name) > 1:
            raise Refused(f"{owner} has the feature {name!r} twice")


def require_points(card):
    """The points of the card can be read in one way only."""
    require_once([feature["name"] for feature in card["features"]], "the card")
    for feature in card["features"]:
        name, points, codes = feature["name"], feature["points"], feature.get("codes", [])
        groups = feature.get("groups")
        cuts = [exact(cut) for cut in feature["cuts"]] if groups is None else []
        if not all(one < two for one, two in pairwise(cuts)):
            raise Refused(f"the cuts of {name!r} on the card are not in ascending order")
        if len(points) != (len(cuts) + 1 if groups is None else len(groups)):
            raise Refused(f"{name!r} has {len(points)} points on the card, and other bins")
        special = [code["points"] for code in codes if exact(code["value"]) is not None]
        special += [feature[part] for part in ("missing", "usual") if feature[part] is not None]
        if any(type(one) is not int for one in [card["base"], *points, *special]):
            raise Refused(f"{name!r} has points on the card that are no whole numbers")
        if feature["usual"] is not None and not 0 <= feature["usual"] < len(points):
            raise Refused(f"{name!r} has no points for its usual value")


def require_same_kind(card, header):
    """The cards that the proof is about are those of the certificate, and its bound is not above the proven one."""
    certificate, kind = card["certificate"], header["kind"]
    if certificate is None:
        raise Refused("the card has no certificate: it was edited, or nothing was proven")
    for key in ("bound", "loss", "pseudo_rows", "smooth_rows", "min_gain"):
        exact(certificate[key])
    for key, kind_of in (("rules", list), ("is_grid_full", bool), ("status", str)):
        if type(certificate[key]) is not kind_of:
            raise Refused(f"the certificate has {certificate[key]!r} as {key}")
    for key in KINDS:
        if not is_same(certificate[key], kind[key]):
            raise Refused(
                f"the certificate says {key} = {certificate[key]!r}, the proof {kind[key]!r}"
            )
    is_limited = isinstance(kind["scale"], str)
    if is_limited and not is_same(certificate["max_log_odds"], kind["max_log_odds"]):
        raise Refused(
            f"the certificate says max_log_odds = {certificate['max_log_odds']!r}, "
            f"the proof {kind['max_log_odds']!r}"
        )
    if certificate["bound"] > header["bound"]:
        raise Refused(
            f"the certificate states the bound {certificate['bound']!r}, proven is {header['bound']!r}"
        )
    if type(certificate["charged_terms"]) is not int:
        raise Refused(f"the card is charged for {certificate['charged_terms']!r} terms")
    weights = certificate["class_weights"]
    if weights is not None and (type(weights) is not dict or not weights):
        raise Refused(f"the class weights of the certificate are {weights!r}")
    factors = [weights["no_event"], weights["event"]] if weights else [1, 1]
    if not is_same(header["weights"]["factors"], factors):
        raise Refused(
            f"the class weights of the certificate are {factors}, those of the proof "
            f"{header['weights']['factors']}"
        )


def require_root(card, header, table, rows):
    """The root holds every card that the certificate speaks of."""
    certificate, kind = card["certificate"], header["kind"]
    names = [feature["name"] for feature in header["features"]]
    require_once(names, "the proof")
    if sorted(names) != sorted(card["feature_names"]):
        raise Refused("the features of the proof are not those of the card")
    for number, feature in enumerate(header["features"]):
        name, columns = feature["name"], [one for one in table.columns if one.feature == number]
        n_conditions = sum(column.n_codes - 1 for column in columns)
        if not certificate["rules"]:
            if feature["most_terms"] < min(
                kind["max_cuts_per_feature"], kind["max_terms"], n_conditions
            ):
                raise Refused(
                    f"the proof allows {feature['most_terms']} terms on {name!r}, without a rule for it"
                )
            if any(points != kind["max_points"] for column in columns for points in column.most):
                raise Refused(f"the proof limits the points of {name!r}, without a rule for it")
        is_number = all(isinstance(one, (int, float)) for one in rows.values[name])
        is_stated_full = certificate["is_grid_full"] and not certificate["rules"] and is_number
        if is_stated_full and not table.has_every_condition(number, feature, rows):
            raise Refused(f"the cuts of {name!r} do not tell all of its values apart")
    rules = header["rules"]
    has_rules = rules["must_use"] or rules["groups"] or rules["budget"] is not None
    has_rules = has_rules or rules["least"] != [1, 0]
    if has_rules and not certificate["rules"]:
        raise Refused("the proof has rules for the whole card, the certificate has none")
    has_pseudo = certificate["pseudo_rows"] + certificate["smooth_rows"] > 0
    if not has_pseudo and header["weights"]["extra"] is not None:
        raise Refused("the proof has pseudo-observations, the certificate has none")


def least_terms(feature):
    """The least number of terms that give a feature its points.

    Every change from a bin to the next needs a term, and so do points that special values alone have; groups without an
    order need one term fewer than they have different points.
    """
    special = {code["points"] for code in feature.get("codes", [])}
    special |= set() if feature["missing"] is None else {feature["missing"]}
    if "groups" in feature:
        return len({*feature["points"], *special}) - 1
    changes = sum(one != two for one, two in pairwise(feature["points"]))
    return changes + len(special - set(feature["points"]))


def require_member(card, header, checker):
    """The card is one of the cards that the proof is about, as far as its points tell."""
    kind, scale = header["kind"], card["certificate"]["class_weights"] or card
    numbers = {feature["name"]: number for number, feature in enumerate(header["features"])}
    if scale["multiplier"] <= 0:
        raise Refused("the multiplier of the card is not above 0")
    terms = {}
    for feature in card["features"]:
        name, own = feature["name"], least_terms(feature)
        if own and name not in numbers:
            raise Refused(f"the card uses {name!r}, which the proof does not have")
        if own:
            terms[numbers[name]] = own
            require_steps(feature, own, numbers[name], scale["multiplier"], checker)
    charged = card["certificate"]["charged_terms"]
    if kind["min_gain"] and sum(terms.values()) > charged:
        raise Refused(f"the card needs {sum(terms.values())} terms, and pays for {charged}")
    if sum(terms.values()) > kind["max_terms"]:
        raise Refused(
            f"the card needs {sum(terms.values())} terms, and its kind allows {kind['max_terms']}"
        )
    if len(terms) > kind["max_features"]:
        raise Refused(
            f"the card uses {len(terms)} features, and its kind allows {kind['max_features']}"
        )
    is_weighted = card["certificate"]["class_weights"] is not None
    has_own_scale = (card["multiplier"], card["offset"]) == (kind["scale"], 0)
    if checker.is_fixed and not is_weighted and not has_own_scale:
        raise Refused("the card has another scale than its kind")
    if checker.breaks_rule(set(terms), 0):
        raise Refused(
            "the card breaks a rule of the proof: a feature that must be used, a budget or a group"
        )


def require_steps(feature, terms, number, multiplier, checker):
    """A feature has no more terms than it may have and, from a bin to the next, no larger steps."""
    name, own = feature["name"], checker.header["features"][number]
    values = checker.table.rows.values[name]
    if terms > checker.room[number]:
        raise Refused(
            f"the card needs {terms} terms on {name!r}, and its kind allows {checker.room[number]}"
        )
    # two terms may be at one cut where a special code is on either side of it
    special = [code["value"] for code in feature.get("codes", []) if code["value"] in values]
    if "groups" in feature or special:
        return
    is_plain, most = own["bins"] is None and len(own["most"]) == 1, own["most"]
    for one, two in pairwise(feature["points"]):
        allowed = most[0][two > one] if is_plain else max(map(max, most))
        if abs(two - one) > allowed:
            raise Refused(
                f"a step of {name!r} is {two - one} points, and its kind allows {allowed}"
            )
        step = abs(two - one) / Fraction(multiplier) * (1 << ODDS)
        if not checker.is_fixed and step > checker.step * (1 + ROUNDING):
            raise Refused(f"a step of {name!r} is above max_log_odds")


def set_totals(card, table, rows):
    """The total of the card for every pattern: rows of one pattern have the same total, or the loss is refused."""
    table.totals = None
    if table.header["weights"]["extra"] is None and table.header["pool"] is None:
        return
    by_pattern = {}
    for i in range(len(rows.is_event)):
        total = card["base"]
        for feature in card["features"]:
            total += points_of(feature, rows.values[feature["name"]][i])
        pattern = table.pattern_of_row[i]
        if by_pattern.setdefault(pattern, total) != total:
            raise Refused(
                "rows that the proof does not tell apart have different totals on the card"
            )
    table.totals = [by_pattern[place] for place in range(len(table.events))]


def taken_as_given(card, header, table, rows):
    """What this check rests on without having looked at it, in sentences."""
    if table.share_given:
        yield (
            f"Pseudo-observations, {float(100 * table.share_given):.1f} % of the weight, are taken from the "
            "proof as given."
        )
    listed = [
        feature["name"]
        for number, feature in enumerate(header["features"])
        if not table.has_every_condition(number, feature, rows)
    ]
    if listed:
        yield (
            "The proof is about the conditions that it lists. Of these features it does not list all that "
            f"their values allow: {', '.join(listed)}."
        )
    for rule in card["certificate"]["rules"]:
        yield f"That the listed conditions and points are those of this rule was not checked: {rule}."


def read_csv(path, card, header, target=None, weights=None):
    """Rows of a plain CSV file: decimal numbers, with a point and maybe an exponent; empty cells are missing."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        names, *lines = [line for line in csv.reader(file, strict=True) if line] or [[]]
    target = target or card["outcome"]
    wanted = [target, *(feature["name"] for feature in header["features"])]
    for name in wanted + [weights] * (weights is not None):
        if names.count(name) != 1:
            raise Refused(f"{path} has {names.count(name)} columns {name!r}, not one")
    for i, line in enumerate(lines):
        if len(line) != len(names):
            raise Refused(f"row {i + 1} of {path} has {len(line)} cells, not {len(names)}")
    columns = {name: [line[names.index(name)] for line in lines] for name in names}
    values = {}
    for feature in header["features"]:
        is_text = any(isinstance(value, str) for value, _ in feature["values"])
        cells = columns[feature["name"]]
        values[feature["name"]] = [(one or None) if is_text else cell_of(one) for one in cells]
    is_event = [label_of(one, card["classes"]) for one in columns[target]]
    own = [weight_of(one, i) for i, one in enumerate(columns[weights])] if weights else []
    return Rows(values, is_event, own)


def label_of(text, classes):
    """Whether a cell is the event; it must be one of the two classes."""
    is_class = [cell_of(text) == one or text == str(one) for one in classes]
    if is_class not in ([True, False], [False, True]):
        raise Refused(f"a row has the label {text!r}, and the classes of the card are {classes}")
    return is_class[1]


def weight_of(text, row):
    """A weight, which must be a number."""
    if type(cell_of(text)) is not float:
        raise Refused(f"row {row + 1} has the weight {text!r}, which is no number")
    return cell_of(text)


def cell_of(text):
    """A number, a text, or None for an empty cell."""
    text = text.strip(" \t")
    return float(text) if NUMBER.fullmatch(text) else text or None


def say(text):
    """Write one line."""
    sys.stdout.write(f"{text}\n")


def main(arguments):
    """Exit code 0 where the proof was accepted, 1 where it was refused, 2 for bad input."""
    options = dict(zip(arguments[3::2], arguments[4::2], strict=False))
    known = {"--target", "--weights", "--sample"}
    if len(arguments) < 3 or len(arguments) % 2 == 0 or set(options) - known:
        say(
            "check_proof.py card.json data.csv card.proof [--target NAME] [--weights NAME] [--sample N]"
        )
        return 2
    try:
        with open(arguments[0], encoding="utf-8") as file:
            card = read_json(file.read())
        with open(arguments[2], "rb") as file:
            data = file.read()
    except (OSError, ValueError, RecursionError, Refused) as error:
        say(f"{arguments[0]}: {error}" if isinstance(error, Refused) else error)
        return 2
    try:
        sample = max(1, int(options["--sample"])) if "--sample" in options else None
        rows = read_csv(
            arguments[1],
            card,
            open_proof(data)[0],
            options.get("--target"),
            options.get("--weights"),
        )
        verdict = check(card, rows, data, sample)
    except (OSError, LookupError, ValueError, TypeError, AttributeError, csv.Error) as error:
        say(f"The rows cannot be read ({type(error).__name__}: {error}).")
        return 2
    except Refused as error:
        say(f"Refused: {error}.")
        return 1
    say("\n".join(describe(verdict)))
    return 0


def describe(verdict: Verdict) -> Iterator[str]:
    """A verdict in sentences."""
    given = ", with what is named below taken as given" if verdict.sentences else ""
    per_term = f" plus {verdict.min_gain!r} per term" if verdict.min_gain else ""
    claim = f"no card of the stated kind has a loss{per_term} below {verdict.bound!r}"
    loss = f"{verdict.loss + verdict.charge:.10g}"
    gap = f"it is at most {float(UP.create_decimal(100 * verdict.gap)):.3g} % from the best"
    if verdict.checked_share >= 1:
        yield f"Accepted{given}: {claim}. The card has {loss}, so {gap}."
        yield f"Checked: {verdict.records:,} records of the tree, {verdict.closed:,} of them closed by their bound."
        yield from verdict.pool
    else:
        n, missed = verdict.checked_share * verdict.closed, 1 - verdict.checked_share
        yield (
            f"No fault found in a part of the proof{given}. The proof claims that {claim}. The card has "
            f"{loss}: if the claim is true, {gap}."
        )
        yield (
            f"Looked at: all {verdict.records:,} records of the tree, but only about {n:,.0f} of the bounds of "
            f"{verdict.closed:,} closed nodes, chosen at random. If 1 % of these were wrong, all wrong ones "
            f"would be missed with a chance of {missed ** (verdict.closed / 100):.2g}; a single one with {missed:.3g}."
        )
    yield from verdict.sentences


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
