"""What the figures say, in sentences that know how uncertain they are."""

from riskcard.evaluation.calibration import Calibration
from riskcard.evaluation.comparison import Comparison
from riskcard.evaluation.intervals import Interval
from riskcard.formatting.figures import plain, with_interval
from riskcard.report.facts import MethodFacts, ReportFacts, ValidationFacts
from riskcard.stability.text import few_events

#: Corrected figures stay too good with few events, unless there are as many as candidate conditions.
FEW_EVENTS_PER_CONDITION = 1.0


# --- calibration --------------------------------------------------------------------------------


def level_words(figures: Calibration) -> str:
    """What the numbers of expected and observed events say; empty where they may agree."""
    interval = figures.ratio_interval
    if interval is None or interval[0] <= 1 <= interval[1]:
        return ""
    more = figures.ratio - 1
    amount = f"{abs(100 * more):.0f} % {'more' if more > 0 else 'fewer'} events than happened"
    return f"risks are too {'high' if more > 0 else 'low'} on average: they expect {amount}"


def is_fitted_here(facts: ReportFacts, name: str) -> bool:
    """Slope and expected events of these rows are what the fit made them."""
    if name == "own rows":
        return facts.card.recipe is None or not facts.card.recipe.scale_rows
    return name == "these rows" and facts.mode.is_scale_fitted


# --- the price of a card ------------------------------------------------------------------------


def price_words(validation: ValidationFacts) -> list[str]:
    """Each rival against the card on held-out rows, with paired intervals, and what follows."""
    rivals = [one for one in validation.methods if one.against_card is not None]
    sentences = [_against(one) for one in rivals]
    better = [one.name.lower() for one in rivals if _is_better(one)]
    worse = [one.name.lower() for one in rivals if _is_worse(one)]
    if better:
        who = " and ".join(better)
        sentences.append(
            f"So {who} on all features {'predicts' if len(better) == 1 else 'predict'} better here: "
            "that is the price of points that can be added up by hand."
        )
    elif len(worse) == len(rivals):
        sentences.append("So the card predicts better here than both.")
    else:
        lost = max(_could_lose(one.against_card.auc.interval) for one in rivals)  # type: ignore[union-attr]
        sentences.append(
            "So no loss of accuracy is shown, but none is excluded either: these rows are compatible "
            f"with an AUC of the card that is up to {plain(lost)} lower than that of one of the two."
        )
    return sentences


def _against(rival: MethodFacts) -> str:
    found = rival.against_card
    assert found is not None
    auc, loss = (with_interval(one.value, one.interval) for one in (found.auc, found.log_loss))
    return (
        f"{rival.name} on all features less the card: AUC {_sign(found.auc.value)}{auc}, log-loss "
        f"{_sign(found.log_loss.value)}{loss}."
    )


def _sign(number: float) -> str:
    return "+" if float(f"{number:.3f}") > 0 else ""


def _is_better(rival: MethodFacts) -> bool:
    """One of AUC and log-loss is shown to be better, and the other is not shown to be worse."""
    found: Comparison = rival.against_card  # type: ignore[assignment]
    auc, loss = _side(found.auc.interval), -_side(found.log_loss.interval)
    return max(auc, loss) > 0 and min(auc, loss) >= 0


def _is_worse(rival: MethodFacts) -> bool:
    found: Comparison = rival.against_card  # type: ignore[assignment]
    auc, loss = _side(found.auc.interval), -_side(found.log_loss.interval)
    return min(auc, loss) < 0 and max(auc, loss) <= 0


def _side(interval: Interval | None) -> int:
    """1 if an interval is above 0, -1 if it is below, 0 if it has 0 in it or is not known."""
    if interval is None:
        return 0
    return int(interval[0] > 0) - int(interval[1] < 0)


def _could_lose(interval: Interval | None) -> float:
    return 0.0 if interval is None else max(0.0, interval[1])


# --- which figures to go by ---------------------------------------------------------------------


def correction_words(facts: ReportFacts) -> str:
    """Why the corrected figures are not to be relied on; empty where they may be."""
    data = facts.rows.data
    is_enough = (
        not few_events(data.rows, data.events)
        or facts.events_per_condition >= FEW_EVENTS_PER_CONDITION
    )
    if facts.stability is None or is_enough:
        return ""
    lead = "Go by the held-out figures: " if facts.validation is not None else ""
    words = (
        "corrected figures are known to stay too good where there are few events for what a card can "
        "choose from; here there are "
        f"{facts.events_per_condition:.2g} rows of the rarer outcome per candidate condition."
    )
    return lead + (words if lead else words[0].upper() + words[1:])
