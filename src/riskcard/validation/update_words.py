"""What rows say about the scale of a card, in words: the update that they support, and why."""

from riskcard.evaluation.monitoring.updating import LEAST_ROWS, ScaleUpdate
from riskcard.formatting.figures import plain, with_interval
from riskcard.formatting.speech import in_figures, say


def update_advice(update: ScaleUpdate) -> str:
    """Which update the rows support, in one sentence."""
    test = p_words(update.p_value)
    if update.choice == "none":
        if update.p_value is None:
            return say("update_too_few", rarer=_rarer(update), least=str(LEAST_ROWS["offset"]))
        return say(
            "update_offset_right" if update.p_value_slope is None else "update_right", test=test
        )
    if update.choice == "offset":
        return _offset_advice(update)
    figures = update.calibration
    slope = with_interval(figures.slope, figures.slope_interval, 2)
    if figures.slope <= 0:
        return say("update_reversed", slope=slope)
    return say("update_both", slope=slope, test=p_words(update.p_value_slope))


def _offset_advice(update: ScaleUpdate) -> str:
    figures = update.calibration
    offset = with_interval(figures.intercept, figures.intercept_interval, 2)
    low, high = figures.intercept_interval or (0.0, 0.0)
    if low <= 0 <= high:
        return say("update_neither", test=p_words(update.p_value), offset=offset)
    reason = say("validation_mean_low" if figures.intercept > 0 else "validation_mean_high")
    if update.p_value_slope is None:
        reason = say("update_offset_few", reason=reason)
    else:
        test = p_words(update.p_value_slope)
        reason = say("update_offset_spread", reason=reason, test=test)
    return say("update_offset", offset=offset, reason=reason)


def p_words(p_value: float | None) -> str:
    """A P value as it is printed."""
    if p_value is None:
        return say("update_no_test")
    if p_value < 0.001:
        return in_figures("P < 0.001")
    return in_figures(f"P = {p_value:.{2 if p_value >= 0.01 else 3}f}")


def how_chosen(update: ScaleUpdate) -> str:
    """The closed test behind the advice, with its P values where there are some."""
    tests = (update.p_value, update.p_value_slope)
    first, second = ("" if one is None else f" ({p_words(one)})" for one in tests)
    return say("update_how", first=first, second=second)


def update_done(update: ScaleUpdate, done: str) -> str:
    """What was fitted and the figures behind it, in one sentence."""
    figures = update.calibration
    if done == "none":
        return say("update_done_none")
    offset = with_interval(figures.intercept, figures.intercept_interval, 2)
    if done == "offset":
        return say("update_done_offset", offset=offset)
    slope = with_interval(figures.slope, figures.slope_interval, 2)
    return say("update_done_both", slope=slope, offset=offset)


def _rarer(update: ScaleUpdate) -> str:
    number = plain(update.rarer, 0 if float(update.rarer).is_integer() else 1)
    return say(f"update_rarer_{'one' if update.rarer == 1 else 'many'}", number=number)
