"""The pictures of a validation, from its facts."""

from __future__ import annotations

from collections.abc import Sequence

from riskcard.evaluation.groups.random_effects import RandomEffects
from riskcard.evaluation.groups.subgroups import GroupFigures
from riskcard.evaluation.intervals import Figure
from riskcard.formatting.speech import say
from riskcard.plots.calibration import draw_calibration
from riskcard.plots.decision import draw_decision
from riskcard.plots.embedded import Picture, drawn, drawn_on_figure
from riskcard.plots.forest import ForestLine, ForestPanel, draw_forest, forest_size
from riskcard.plots.risk import draw_risk
from riskcard.plots.roc import draw_roc
from riskcard.validation.facts import ValidationFacts
from riskcard.validation.shown import group_words


def calibration_picture(facts: ValidationFacts) -> Picture:
    """Observed rates against risks: the smooth curve with its band, and bins."""
    found = facts.evaluation
    return drawn(
        lambda ax: draw_calibration(
            ax, found.bins, found.calibration, found.histogram, facts.smooth
        ),
        say("validation_picture_calibration"),
        say("validation_caption_calibration"),
        (4.8, 5.4),
    )


def risk_picture(facts: ValidationFacts) -> Picture:
    """Risk and observed rate of each total."""
    return drawn(
        lambda ax: draw_risk(ax, facts.card, facts.totals),
        say("validation_picture_risk"),
        say("validation_caption_risk"),
        (4.8, 3.5),
    )


def roc_picture(facts: ValidationFacts) -> Picture:
    """The ROC curve."""
    return drawn(
        lambda ax: draw_roc(ax, {say("validation_the_card"): facts.evaluation.roc}),
        say("roc_picture"),
        say("validation_caption_roc"),
        (4.4, 4.4),
    )


def decision_picture(facts: ValidationFacts) -> Picture:
    """Net benefit against the threshold."""
    return drawn(
        lambda ax: draw_decision(ax, {"": facts.evaluation.decision}, with_band=True),
        say("validation_picture_decision"),
        size=(5.8, 3.7),
    )


def forest_picture(facts: ValidationFacts, what: str) -> Picture:
    """A forest plot of "subgroups" or "sites"."""
    lines, panels = forest_of(facts, what)
    return drawn_on_figure(
        lambda figure: draw_forest(figure, lines, panels),
        say("forest_picture_sites" if what == "sites" else "forest_picture_subgroups"),
        say("forest_caption"),
        forest_size(lines, panels),
    )


def forest_of(
    facts: ValidationFacts, what: str
) -> tuple[list[ForestLine], tuple[ForestPanel, ...]]:
    """The lines and the panels of a forest plot: AUC, expected / observed events, slope."""
    lines, area = _site_lines(facts) if what == "sites" else _subgroup_lines(facts)
    panels = (
        ForestPanel(say("figure_auc"), area),
        ForestPanel(say("forest_ratio"), 1.0, is_log=True),
        ForestPanel(say("forest_slope"), 1.0),
    )
    return lines, panels


def _subgroup_lines(facts: ValidationFacts) -> tuple[list[ForestLine], float]:
    """All groups of all columns, under a line for all rows."""
    found = facts.evaluation
    calibration = found.calibration
    everyone = [
        (found.roc.area, found.roc.interval),
        (calibration.ratio, calibration.ratio_interval),
        (calibration.slope, calibration.slope_interval),
    ]
    lines = [ForestLine(say("forest_all_rows"), everyone, is_summary=True)]
    for part in facts.subgroups:
        lines.append(ForestLine(part.column, None))
        lines += _group_lines(part.groups, found.rows)
    return lines, found.roc.area


def _site_lines(facts: ValidationFacts) -> tuple[list[ForestLine], float]:
    """All sites, and below them their mean and where a further one is expected."""
    assert facts.sites is not None
    sites, summary = facts.sites.sites, facts.sites.summary
    lines = _group_lines(sites, max(one.rows for one in sites))
    named = (summary.auc, summary.ratio, summary.slope)
    predicted = [_effect(one, is_prediction=True) for one in named]
    lines.append(ForestLine(say("forest_mean"), [_effect(one) for one in named], is_summary=True))
    is_known = any(one is not None and one.prediction is not None for one in named)
    further = say("forest_further" if is_known else "forest_further_unknown")
    lines.append(ForestLine(further, predicted, is_summary=True))
    return lines, facts.evaluation.roc.area if summary.auc is None else summary.auc.mean


def _group_lines(groups: Sequence[GroupFigures], most: int) -> list[ForestLine]:
    return [
        ForestLine(
            group_words(one),
            [_pair(part) for part in (one.auc, one.ratio, one.slope)],
            one.rows / most,
        )
        for one in groups
    ]


def _pair(figure: Figure | None) -> tuple[float, tuple[float, float] | None]:
    return (float("nan"), None) if figure is None else (figure.value, figure.interval)


def _effect(
    one: RandomEffects | None, *, is_prediction: bool = False
) -> tuple[float, tuple[float, float] | None]:
    if one is None or (is_prediction and one.prediction is None):
        return float("nan"), None
    return one.mean, one.prediction if is_prediction else one.interval
