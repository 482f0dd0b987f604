"""The printed cut divides the two values, and is as short as it can be."""

import math
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from riskcard.formatting.numbers import choose_cut, format_number

finite = st.floats(allow_nan=False, allow_infinity=False)


def decimal_places(value: float) -> int:
    return max(0, -int(Decimal(repr(value)).normalize().as_tuple().exponent))


@given(finite, finite)
@example(0.0, 5e-324)
@example(-5e-324, 0.0)
@example(-1.7976931348623157e308, 1.7976931348623157e308)
@example(0.3, 0.30000000000000004)
@example(9007199254740992.0, 9007199254740994.0)
def test_cut_divides_the_values_and_reads_back_from_its_text(one, other):
    below, above = min(one, other), max(one, other)
    if below == above:
        return
    cut = choose_cut(below, above)
    assert below <= cut < above
    assert float(format_number(cut)) == cut
    assert decimal_places(cut) <= decimal_places(below)


@given(finite)
def test_between_neighbouring_floats_the_cut_is_the_lower_one(below):
    above = math.nextafter(below, math.inf)
    if math.isfinite(above):
        assert choose_cut(below, above) == below


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**4), st.integers(0, 6))
def test_no_shorter_decimal_lies_strictly_between(low, width, places):
    step = Decimal(1).scaleb(-places)
    below, above = low * step, (low + width) * step
    if float(below) >= float(above):
        return
    cut = Decimal(repr(choose_cut(float(below), float(above))))
    if cut == below or cut == 0:
        return
    # any multiple of a power of ten above the cut's own would have been preferred
    coarser = Decimal(1).scaleb(int(cut.normalize().as_tuple().exponent) + 1)
    first_multiple = (below // coarser - 1) * coarser
    while first_multiple <= below:
        first_multiple += coarser
    assert first_multiple >= above


@pytest.mark.parametrize(
    ("below", "above", "expected"),
    [
        (60, 61, 60),  # 60.5 would need a decimal that the data do not have
        (60, 62, 61),
        (60, 80, 70),
        (14, 99, 60),  # nearest to the middle, 56.5
        (58, 63, 60),
        (99, 101, 100),
        (-1, 1, 0),
        (-61, -60, -61),
        (-0.0, 0.5, 0),
        (0.1234, 0.1291, 0.126),
        (0.1234, 0.31, 0.2),
        (0.30000000000000004, 0.4, 0.35),
        (1e22, 3e22, 2e22),
        (1.25e-300, 3e-300, 2e-300),
    ],
)
def test_cut_is_the_number_a_person_would_write(below, above, expected):
    assert choose_cut(below, above) == expected


def test_cut_is_never_minus_zero():
    assert math.copysign(1, choose_cut(-0.0, 5e-324)) == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (60.0, "60"),
        (-0.0, "0"),
        (0.5, "0.5"),
        (1e-5, "0.00001"),
        (1e15, "1000000000000000"),
        (1e300, "1e+300"),
        (-1234.5, "-1234.5"),
        (100.0, "100"),
    ],
)
def test_numbers_are_written_short(value, text):
    assert format_number(value) == text


@given(finite)
def test_written_numbers_read_back(value):
    assert float(format_number(value)) == value
