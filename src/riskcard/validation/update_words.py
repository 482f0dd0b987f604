"""What rows say about the scale of a card, in words: the update that they support, and why."""

from riskcard.evaluation.monitoring.updating import LEAST_ROWS, ScaleUpdate
from riskcard.formatting.figures import plain, with_interval


def update_advice(update: ScaleUpdate) -> str:
    """Which update the rows support, in one sentence."""
    if update.choice == "none":
        if update.p_value is None:
            return (
                f"With {_rarer(update)}, there are too few rows to tell whether the scale needs an update: "
                f"that takes at least {LEAST_ROWS['offset']} of either kind."
            )
        if update.p_value_slope is None:
            return (
                "The rows do not show that the offset of the card needs an update "
                f"({p_words(update.p_value)}); there are too few rows, or too few different risks, to test "
                "its slope."
            )
        return (
            "The rows do not show that the scale of the card needs an update "
            f"({p_words(update.p_value)})."
        )
    figures = update.calibration
    offset = with_interval(figures.intercept, figures.intercept_interval, 2)
    if update.choice == "offset":
        low, high = figures.intercept_interval or (0.0, 0.0)
        if low <= 0 <= high:
            return (
                f"Offset and slope together are not right ({p_words(update.p_value)}), but neither is shown to "
                f"be wrong by itself. The least update, of the offset, is by {offset} in log-odds: “riskcard "
                "recalibrate --update offset” makes it."
            )
        reason = f"risks are too {'low' if figures.intercept > 0 else 'high'} on the whole"
        if update.p_value_slope is None:
            reason += (
                ", and there are too few rows, or too few different risks, to judge their spread"
            )
        else:
            reason += (
                f", and their spread is not shown to be wrong ({p_words(update.p_value_slope)})"
            )
        return (
            f"An update of the offset is supported, by {offset} in log-odds: {reason}. "
            "“riskcard recalibrate --update offset” makes it."
        )
    slope = with_interval(figures.slope, figures.slope_interval, 2)
    if figures.slope <= 0:
        return (
            f"The slope is {slope}: higher risks do not go with more events here, and no update of the scale "
            "can correct that. Check the labels and the columns, or fit a new card."
        )
    return (
        f"An update of offset and slope is supported: the slope is {slope} "
        f"({p_words(update.p_value_slope)}). “riskcard recalibrate --update both” makes it."
    )


def p_words(p_value: float | None) -> str:
    """A P value as it is printed."""
    if p_value is None:
        return "no test"
    return "P < 0.001" if p_value < 0.001 else f"P = {p_value:.{2 if p_value >= 0.01 else 3}f}"


def update_done(update: ScaleUpdate, done: str) -> str:
    """What was fitted and the figures behind it, in one sentence."""
    figures = update.calibration
    if done == "none":
        return "The scale was left as it is."
    offset = with_interval(figures.intercept, figures.intercept_interval, 2)
    if done == "offset":
        return f"Updated: the offset, by {offset} in log-odds (95 % interval)."
    return (
        "Updated: offset and slope. Before, the slope was "
        f"{with_interval(figures.slope, figures.slope_interval, 2)}, and at slope 1 the offset was off by "
        f"{offset} (95 % intervals)."
    )


def _rarer(update: ScaleUpdate) -> str:
    number = plain(update.rarer, 0 if float(update.rarer).is_integer() else 1)
    return f"{number} row{'' if update.rarer == 1 else 's'} of the rarer kind (with or without the event)"
