"""The formulas of a workbook: from a cell with a value to points, a remark, a total and a risk.

Only functions are used that every spreadsheet has. Ranges are compared inside SUMPRODUCT, which
needs no array formulas; texts by EXACT, since "=" ignores the case of letters.
"""

from dataclasses import dataclass

from riskcard.export.answers import Answer, Rule
from riskcard.export.cases import FeatureCases, Kind

_SHEET = "Card"

#: A formula may have this many characters.
_LONGEST = 8000

#: EXP of more than this overflows.
_LARGEST_EXPONENT = 700


@dataclass(frozen=True, slots=True)
class Lines:
    """The rows of a feature on the sheet of the card, from the first to the last one.

    Attributes
    ----------
    feature
        The cases.
    codes, cuts, bins
        Of a number: special values, upper limits, and the bins, of which the last has no limit.
    levels
        Of a category.
    missing, otherwise
        One row each; ``otherwise`` is the last bin of a number.
    """

    feature: FeatureCases
    codes: tuple[int, int]
    cuts: tuple[int, int]
    levels: tuple[int, int]
    missing: int
    otherwise: int

    @property
    def bins(self) -> tuple[int, int]:
        """The rows with the points of the bins."""
        return self.cuts[0], self.otherwise


def points_formula(lines: Lines, value: str, inputs: str) -> str:
    """Points of the value in one cell; empty when the whole row of inputs is."""
    kind = lines.feature.kind
    if kind is Kind.NUMBER:
        known = _number_points(lines, value)
    elif kind is Kind.BOOLEAN:
        known = _boolean_points(lines, value)
    else:
        is_level = _is_level(lines, value)
        found = f"SUMPRODUCT({is_level}*{_points(lines.levels)})"
        known = f"IF(SUMPRODUCT(--{is_level})=0,{_point(lines.otherwise)},{found})"
    return f'=IF(COUNTA({inputs})=0,"",IF({value}="",{_point(lines.missing)},{known}))'


def _number_points(lines: Lines, value: str) -> str:
    found = _point(lines.otherwise)
    if _has_rows(lines.cuts):
        found = f"INDEX({_points(lines.bins)},1+SUMPRODUCT(--({_values(lines.cuts)}<{value})))"
    if _has_rows(lines.codes):
        is_code = f"({_values(lines.codes)}={value})"
        coded = f"SUMPRODUCT({is_code}*{_points(lines.codes)})"
        found = f"IF(SUMPRODUCT(--{is_code})>0,{coded},{found})"
    return f'IF(ISNUMBER({value}),{found},"not a number")'


def _boolean_points(lines: Lines, value: str) -> str:
    found = _point(lines.otherwise)
    for place, level in enumerate(lines.feature.levels):
        is_level = f"OR({value}={str(level).upper()},{value}={int(level)})"
        found = f"IF({is_level},{_point(lines.levels[0] + place)},{found})"
    return found


def _is_level(lines: Lines, value: str) -> str:
    """For each level whether the value is the same."""
    levels = _values(lines.levels)
    if lines.feature.kind is Kind.TEXT:
        return f"EXACT({levels},{value})"
    return f"({levels}={value})"


def remark_formula(blocks: list[tuple[Lines, str, str]], inputs: str) -> str:
    """What a reader should know about a row: which values were guessed or cannot be used.

    Parameters
    ----------
    blocks
        The lines of each feature, the cell with its value and the cell with its name.
    inputs
        All cells of the row that are filled in by hand.
    """
    parts = [part for block in blocks for part in _remarks(*block)]
    formula = f'=IF(COUNTA({inputs})=0,"",TRIM({"&".join(parts)}))'
    return formula if parts and len(formula) <= _LONGEST else '=""'


def _remarks(lines: Lines, value: str, name: str) -> list[str]:
    kind, found = lines.feature.kind, []
    if lines.feature.missing.is_guess:
        found.append((f'{value}=""', "missing", lines.feature.missing.points))
    if kind is Kind.NUMBER:
        is_wrong = f'AND({value}<>"",NOT(ISNUMBER({value})))'
        found.append((is_wrong, "not a number", None))
    elif kind is Kind.BOOLEAN:
        known = [f"{value}={word}" for one in lines.feature.levels for word in (one, int(one))]
        is_unseen = f'AND({value}<>"",NOT(OR({",".join(known).upper()})))'
        found.append((is_unseen, "an unseen level", lines.feature.otherwise.points))
    else:
        is_unseen = f'AND({value}<>"",SUMPRODUCT(--{_is_level(lines, value)})=0)'
        found.append((is_unseen, "an unseen level", lines.feature.otherwise.points))
    return [_remark(name, *one) for one in found]


def _remark(name: str, condition: str, what: str, points: int | None) -> str:
    words = f" is {what}" + (". " if points is None else ": usual points. ")
    return f'IF({condition},{name}&"{words}","")'


def total_formula(points: str, count: int, base: str, inputs: str) -> str:
    """The base and all points, when every feature has some."""
    summed = f"{base}+SUM({points})" if count else base
    is_scored = f"COUNT({points})={count}" if count else "TRUE"
    return f'=IF(COUNTA({inputs})=0,"",IF({is_scored},{summed},"cannot be scored"))'


def risk_formula(total: str, multiplier: str, offset: str) -> str:
    """The risk that belongs to a total."""
    exponent = f"MIN({_LARGEST_EXPONENT},-({total}/{multiplier}+{offset}))"
    return f'=IF(ISNUMBER({total}),1/(1+EXP({exponent})),"")'


def answer_formula(answer: Answer, total: str, scale: tuple[str, str], hazard: str) -> str:
    """What follows from a total.

    Parameters
    ----------
    answer
        Which number.
    total
        The cell of the total.
    scale
        The cells of multiplier and offset.
    hazard
        The cell of the cumulative hazard by the horizon.
    """
    if answer.rule is Rule.RISK:
        return risk_formula(total, *scale)
    if answer.rule is Rule.LINEAR:
        return f'=IF(ISNUMBER({total}),{total}/{scale[0]}+{scale[1]},"")'
    relative = f"EXP(MIN({_LARGEST_EXPONENT},{total}/{scale[0]}+{scale[1]}))"
    found = relative
    if answer.rule is Rule.RISK_BY:
        found = f"1-EXP(-MIN({_LARGEST_EXPONENT},{hazard}*{relative}))"
    return f'=IF(ISNUMBER({total}),{found},"")'


def _has_rows(rows: tuple[int, int]) -> bool:
    return rows[0] <= rows[1]


def _values(rows: tuple[int, int]) -> str:
    return f"{_SHEET}!$C${rows[0]}:$C${rows[1]}"


def _points(rows: tuple[int, int]) -> str:
    return f"{_SHEET}!$D${rows[0]}:$D${rows[1]}"


def _point(row: int) -> str:
    return f"{_SHEET}!$D${row}"
