"""Figures as pages write them: counts, shares, decimals, intervals."""

import math

from riskcard.formatting.numbers import minus


def count(number: int, noun: str) -> str:
    """A number and what is counted: "1 row", "2,000 rows"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def share(part: float, digits: int = 1) -> str:
    """A share in per cent."""
    return f"{plain(100 * part, digits)} %"


def plain(number: float, digits: int = 3) -> str:
    """A figure, with a true minus sign; in words when there is none."""
    if math.isnan(number):
        return "none"
    if math.isinf(number):
        return "infinite"
    text = f"{number:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else minus(text)


def with_interval(number: float, interval: tuple[float, float] | None, digits: int = 3) -> str:
    """A figure with its interval in brackets."""
    if interval is None:
        return plain(number, digits)
    low, high = (plain(end, digits) for end in interval)
    # a line ends before the brackets, where there is no room, and not within them
    return f"{plain(number, digits)} ({low}\u00a0to\u00a0{high})"


def share_with_interval(part: float, interval: tuple[float, float] | None, digits: int = 1) -> str:
    """A share in per cent with its interval in brackets; empty where there is none."""
    if math.isnan(part):
        return ""
    if interval is None:
        return share(part, digits)
    low, high = (plain(100 * end, digits) for end in interval)
    return f"{share(part, digits)} ({low}\u00a0to\u00a0{high})"
