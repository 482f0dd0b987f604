"""The command ``riskcard validate``: judge a card on rows that it was not learned from."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from riskcard.cli.card_rows import candidates, labelled_rows_of
from riskcard.cli.reading import open_data
from riskcard.cli.remarks import put, say, warnings_as_sentences
from riskcard.model.card_json import load_card

if TYPE_CHECKING:
    from riskcard.evaluation.intervals import Interval
    from riskcard.evaluation.summary import Evaluation


def run_validate(options: Namespace) -> int:
    """Judge a card on its held-out rows, or on new ones."""
    import numpy as np

    from riskcard.evaluation.outcomes import read_outcomes
    from riskcard.evaluation.summary import evaluate
    from riskcard.model.origin.held_out import find_held_out
    from riskcard.model.origin.recipe import RowOrigin, matches

    card = load_card(options.card)
    file = open_data(options)
    rows, labels, weights = labelled_rows_of(file, options, card)
    features = candidates(options, card, file).features
    is_event = labels == card.classes[1]
    chosen = find_held_out(card, features, is_event, weights)
    with warnings_as_sentences():
        risks = card.risk(rows) if card.features else np.full(labels.size, card.risk_of_total(0))
    if chosen is not None:
        what = "the rows that were held out of the fit"
        risks, labels = risks[chosen], labels[chosen]
        weights = None if weights is None else weights[chosen]
    elif matches(card, features, is_event, weights) is RowOrigin.TRAINING:
        what = "the rows that the card was learned from"
        say(
            "The card was chosen on these rows, so the figures are too good. Give rows that it has not seen."
        )
    else:
        what = "these rows"
        if card.recipe is not None and card.recipe.held_out is not None:
            held_out = card.recipe.held_out
            say(
                f"These are not the {held_out.rows:,} rows that were held out of the fit. Give the file "
                "that the card was learned from, or the held-out rows, with the same options."
            )
    found = evaluate(read_outcomes(risks, labels, weights, event=card.classes[1]))
    put("\n".join([f"{card.title}, on {what}", "", *_lines(found), ""]))
    return 0


def _lines(found: Evaluation) -> list[str]:
    """The figures, one per line."""
    from riskcard.formatting.percent import percent

    calibration = found.calibration
    mean = calibration.expected / (calibration.observed / found.base_rate)
    figures = {
        "Rows": f"{found.rows:,}, of which {found.events:,} with the event ({percent(found.base_rate)})",
        "AUC": _with_interval(found.roc.area, found.roc.interval),
        "Log-loss": f"{found.log_loss:.4f} ({found.base_rate_loss:.4f} for the share of events alone)",
        "Brier score": f"{found.brier:.4f}",
        "Calibration slope": _with_interval(calibration.slope, calibration.slope_interval),
        "Mean risk": f"{percent(mean)}, observed {percent(found.base_rate)}",
    }
    width = max(map(len, figures))
    return [f"{name:{width}}  {figure}" for name, figure in figures.items()]


def _with_interval(figure: float, interval: Interval | None) -> str:
    if interval is None:
        return f"{figure:.3f}"
    return f"{figure:.3f} (95 % interval {interval[0]:.3f} to {interval[1]:.3f})"
