"""A risk, or a counted share, as people read it."""


def percent(risk: float) -> str:
    """A risk as a percentage: one decimal, two near 0 and 1, and never a rounded 0 or 100.

    Examples
    --------
    >>> percent(0.1234), percent(0.00123), percent(1e-9)
    ('12.3 %', '0.12 %', '< 0.01 %')
    """
    if risk < 0.0001:
        return "< 0.01 %"
    if risk > 0.9999:
        return "> 99.99 %"
    places = 2 if risk < 0.01 or risk > 0.99 else 1
    return f"{100 * risk:.{places}f} %"


def counted_percent(rate: float) -> str:
    """A counted share as a percentage; unlike a risk, it may be all or nothing.

    Examples
    --------
    >>> counted_percent(0.0), counted_percent(0.0004), counted_percent(1.0)
    ('0 %', '0.04 %', '100 %')
    """
    return f"{100 * rate:.0f} %" if rate in (0, 1) else percent(rate)
