"""A risk as people read it."""


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
