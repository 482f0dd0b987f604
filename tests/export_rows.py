"""Rows that find out whether an export means the same as its card: every boundary of it."""

import math
import random
import warnings

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from cards import finite, risk_cards
from riskcard.errors import DataError, RiskcardWarning
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints, LevelPoints

__all__ = [
    "assert_same",
    "mixed_card",
    "odd_card",
    "rows_of",
    "sample_cards",
    "scores_of",
    "typed_cards",
]

texts = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=5)
whole = st.integers(-(2**53), 2**53)


def typed_cards(texts=texts):
    """Cards whose levels are of one kind in each feature, as the columns of a database are."""
    return risk_cards(kinds=(texts, whole | finite, st.booleans()))


def mixed_card() -> RiskCard:
    """Levels that are easily taken for each other."""
    groups = ((1, "0"), (True,), ("1", 0), (False, "True"))
    return RiskCard([LevelPoints("x", groups, (0, 1, 2, 3), usual=2)])


def odd_card(**changes) -> RiskCard:
    """Names and levels that languages stumble over: quotes, keywords, other alphabets, formulas."""
    fields = {
        "features": (
            FeaturePoints('select "x"', (0.1, 0.30000000000000004), (0, 1, 2), -1, ((-9.5, 4),), 0),
            FeaturePoints("größe'; --", (-1e300, 5e-324, 123456789.123), (7, 0, 3, 1), usual=1),
            FeaturePoints("=1+1", (60.0,), (0, 5)),
            LevelPoints(
                "${order} by\\n`%s`",
                (
                    ("it's", 'say "no"', "back\\slash"),
                    ("日本", "é", "${x}"),
                    ("NULL", "=A1", "<&>", ""),
                ),
                (0, 2, 5),
                usual=1,
            ),
            LevelPoints("rank", ((1, 2.5), (-3,), (10**6,)), (0, 1, 2), missing=4),
            LevelPoints("is \t new", ((True,), (False,)), (3, 0), usual=1),
        ),
        "base": -4,
        "multiplier": 1.7,
        "offset": 0.1 + 0.2,
        "outcome": "a */ 'b' --> \"c\"",
        "classes": ("no", 'yes"'),
    }
    return RiskCard(**{**fields, **changes})


def sample_cards(strategy, number: int) -> list[RiskCard]:
    """The same random cards in every run, for programs that take long to start."""
    found: list[RiskCard] = []

    @settings(max_examples=number, derandomize=True, database=None, phases=[Phase.generate])
    @given(strategy)
    def collect(card):
        found.append(card)

    collect()
    return found


def rows_of(card: RiskCard, near=None, has_empty: bool = True) -> list[dict]:
    """Each value of each feature next to a value of the others that has points, and any mixture.

    Parameters
    ----------
    card
        The card to be tried.
    near
        Gives the numbers just below and above another; by default the next floats.
    has_empty
        Empty texts are among the levels that the card does not know.
    """
    values = {one.name: _values(one, near or _next_floats, has_empty) for one in card.features}
    usual = {name: next(one for one in found if one is not None) for name, found in values.items()}
    rows = [usual | {name: one} for name, found in values.items() for one in found]
    choose = random.Random(0)
    rows += [{name: choose.choice(found) for name, found in values.items()} for _ in range(25)]
    return rows


def _next_floats(number: float) -> list[float]:
    found = [math.nextafter(number, -math.inf), math.nextafter(number, math.inf)]
    return list(filter(math.isfinite, found))


def _values(feature: FeaturePoints | LevelPoints, near, has_empty: bool) -> list:
    if isinstance(feature, FeaturePoints):
        edges = [*feature.cuts, *(code for code, _ in feature.codes)]
        around = [one for edge in edges for one in (edge, *near(edge))]
        return [0.0, *around, 1e300, -1e300, None]
    found = [*feature.levels, None]
    texts = [level for level in feature.levels if isinstance(level, str)]
    numbers = [level for level in feature.levels if type(level) in (int, float)]
    booleans = [level for level in feature.levels if isinstance(level, bool)]
    if texts:
        others = [change(text) for text in texts for change in (str.swapcase, str.strip, _blank)]
        found += [one for one in [*others, "never seen"] if one or has_empty]
    if numbers:
        found.append(float(max(numbers)) / 2 + 0.25)
    if booleans:
        found.append(not booleans[0])
    return found


def _blank(text: str) -> str:
    return f"{text} "


def scores_of(card: RiskCard, rows: list[dict]) -> list[tuple[int, float] | None]:
    """Total and risk of each row by the card itself; None where it refuses the row."""
    found: list[tuple[int, float] | None] = []
    for row in rows:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RiskcardWarning)
            try:
                total = card.total_points(row)[0] if row else card.base
            except DataError:
                found.append(None)
                continue
        found.append((int(total), float(card.risk_of_total(total))))
    return found


def assert_same(card: RiskCard, rows: list[dict], found: list) -> None:
    """The totals are equal and the risks nearly so; None or NaN stands for a refused row."""
    assert len(found) == len(rows)
    for row, expected, (total, risk) in zip(rows, scores_of(card, rows), found, strict=True):
        is_refused = total is None or total != total
        assert is_refused == (expected is None), f"{row}: {total}, {risk} for {expected}"
        if expected is None:
            assert risk is None or risk != risk
            continue
        assert total == expected[0], f"{row}: {total} for {expected[0]}"
        assert math.isclose(risk, expected[1], rel_tol=1e-12, abs_tol=1e-300), f"{row}: {risk}"
