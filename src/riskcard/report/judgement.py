"""What the figures say, in sentences that know how uncertain they are."""

from riskcard.evaluation.calibration import Calibration
from riskcard.evaluation.comparison import Comparison
from riskcard.evaluation.decision import DecisionCurve
from riskcard.evaluation.intervals import Interval
from riskcard.formatting.figures import amount, plain, share, with_interval
from riskcard.formatting.speech import say, sentence_case
from riskcard.report.facts import MethodFacts, ReportFacts, ValidationFacts
from riskcard.report.refits.rivals import RIVALS
from riskcard.stability.text import few_events
from riskcard.validation.sentences import threshold_words

#: Corrected figures stay too good with few events, unless there are as many as candidate conditions.
FEW_EVENTS_PER_CONDITION = 1.0


# --- calibration --------------------------------------------------------------------------------


def level_words(figures: Calibration) -> str:
    """What the numbers of expected and observed events say; empty where they may agree."""
    interval = figures.ratio_interval
    if interval is None or interval[0] <= 1 <= interval[1]:
        return ""
    more = figures.ratio - 1
    name = "calibration_too_high" if more > 0 else "calibration_too_low"
    return say(name, share=share(abs(more), 0))


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
    better = [_inline(one) for one in rivals if _is_better(one)]
    worse = [one for one in rivals if _is_worse(one)]
    if len(better) > 1:
        who = say("first_and_second", first=better[0], second=better[1])
        sentences.append(say("price_better_two", who=who))
    elif better:
        sentences.append(say("price_better_one", who=better[0]))
    elif len(worse) == len(rivals):
        sentences.append(say("price_worse"))
    else:
        lost = max(_could_lose(one.against_card.auc.interval) for one in rivals)  # type: ignore[union-attr]
        sentences.append(say("price_open", lost=plain(lost)))
    return sentences


def _inline(rival: MethodFacts) -> str:
    """The name of a rival within a sentence."""
    names = {say(f"method_{one.key}"): say(f"method_{one.key}_inline") for one in RIVALS}
    return names.get(rival.name, rival.name.lower())


def _against(rival: MethodFacts) -> str:
    found = rival.against_card
    assert found is not None
    auc, loss = (
        f"{_sign(one.value)}{with_interval(one.value, one.interval)}"
        for one in (found.auc, found.log_loss)
    )
    return say("price_against", name=rival.name, auc=auc, loss=loss)


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
    words = say("correction_words", number=amount(facts.events_per_condition, ".2g"))
    if facts.validation is None:
        return sentence_case(words)
    return say("correction_lead", words=words)


def decision_words(curve: DecisionCurve, where: str) -> str:
    """At which thresholds acting on the card is shown to be worth it."""
    if not curve.supported:
        return say("decisions_none", where=where)
    return say("decisions_shown", where=where, ranges=threshold_words(curve))
