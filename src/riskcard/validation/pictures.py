"""The pictures of a validation, from its facts."""

from __future__ import annotations

from collections.abc import Sequence

from riskcard.evaluation.groups.random_effects import RandomEffects
from riskcard.evaluation.groups.subgroups import GroupFigures
from riskcard.evaluation.intervals import Figure
from riskcard.plots.calibration import draw_calibration
from riskcard.plots.decision import draw_decision
from riskcard.plots.embedded import Picture, drawn, drawn_on_figure
from riskcard.plots.forest import ForestLine, ForestPanel, draw_forest, forest_size
from riskcard.plots.risk import draw_risk
from riskcard.plots.roc import draw_roc
from riskcard.validation.facts import SiteFacts, ValidationFacts
from riskcard.validation.shown import group_words


def calibration_picture(facts: ValidationFacts) -> Picture:
    """Observed rates against risks: the smooth curve with its band, and bins."""
    found = facts.evaluation
    return drawn(
        lambda ax: draw_calibration(
            ax, found.bins, found.calibration, found.histogram, facts.smooth
        ),
        "Calibration: observed rate against risk, with a smooth curve and its band.",
        "Squares: rows of similar risk. Below: how many rows have each risk.",
        (4.8, 5.4),
    )


def risk_picture(facts: ValidationFacts) -> Picture:
    """Risk and observed rate of each total."""
    return drawn(
        lambda ax: draw_risk(ax, facts.card, facts.totals),
        "Risk and observed rate of each total.",
        "What the card says for each total, and what happened.",
        (4.8, 3.5),
    )


def roc_picture(facts: ValidationFacts) -> Picture:
    """The ROC curve."""
    return drawn(
        lambda ax: draw_roc(ax, {"the card": facts.evaluation.roc}),
        "ROC curve: true positives against false positives at every threshold.",
        "Every dot is a total from which one could act.",
        (4.4, 4.4),
    )


def decision_picture(facts: ValidationFacts) -> Picture:
    """Net benefit against the threshold."""
    return drawn(
        lambda ax: draw_decision(ax, {"": facts.evaluation.decision}, with_band=True),
        "Decision curve: net benefit against the threshold, with its band.",
        size=(5.8, 3.7),
    )


def subgroup_picture(facts: ValidationFacts) -> Picture:
    """A forest plot of all groups, under a line for all rows."""
    found = facts.evaluation
    calibration = found.calibration
    everyone = ForestLine(
        "All rows",
        [
            (found.roc.area, found.roc.interval),
            (calibration.ratio, calibration.ratio_interval),
            (calibration.slope, calibration.slope_interval),
        ],
        is_summary=True,
    )
    lines = [everyone]
    for part in facts.subgroups:
        lines.append(ForestLine(part.column, None))
        lines += _group_lines(part.groups, found.rows)
    return _forest(lines, found.roc.area, "AUC and calibration of each group of rows.")


def site_picture(facts: ValidationFacts, sites: SiteFacts) -> Picture:
    """A forest plot of all sites with their summary."""
    most = max(one.rows for one in sites.sites)
    lines = _group_lines(sites.sites, most)
    summary = sites.summary
    named = (summary.auc, summary.ratio, summary.slope)
    lines.append(
        ForestLine("Mean of sites", [_effect(one) for one in named], is_summary=True),
    )
    predicted = [_effect(one, is_prediction=True) for one in named]
    lines.append(ForestLine("A further site", predicted, is_summary=True))
    middle = facts.evaluation.roc.area if summary.auc is None else summary.auc.mean
    return _forest(lines, middle, "AUC and calibration of each site, and their summary.")


def _forest(lines: Sequence[ForestLine], area: float, alternative: str) -> Picture:
    panels = [
        ForestPanel("AUC", area),
        ForestPanel("expected / observed", 1.0, is_log=True),
        ForestPanel("calibration slope", 1.0),
    ]
    return drawn_on_figure(
        lambda figure: draw_forest(figure, lines, panels),
        alternative,
        "Squares: figures, larger for more rows; bars: 95 % intervals, with an arrow where they go on.",
        forest_size(lines, panels),
    )


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
