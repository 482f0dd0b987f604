"""The first figures and the pictures of a report, from its facts."""

from functools import partial

from riskcard.card.sentences import training_words as learned_words
from riskcard.evaluation.intervals import Interval
from riskcard.evaluation.summary import Evaluation
from riskcard.formatting.figures import plain, share
from riskcard.model.origin.recipe import RowOrigin
from riskcard.plots.calibration import draw_calibration
from riskcard.plots.decision import draw_decision
from riskcard.plots.embedded import Picture, drawn
from riskcard.plots.instability import draw_instability
from riskcard.plots.points import draw_points
from riskcard.plots.risk import draw_risk
from riskcard.plots.roc import draw_roc
from riskcard.report.facts import ReportFacts
from riskcard.report.figure_sentences import proof_in_short
from riskcard.report.judgement import correction_words, is_fitted_here, level_words

#: What rows are called in a sentence.
_PLACES = {
    "own rows": "the rows that the card was learned from",
    "these rows": "these rows",
    "test rows": "the test rows",
}
#: What is held out, by how rows are divided.
_HELD_OUT = {
    "folds": "held-out rows (refitted cards)",
    "groups": "held-out groups (refitted cards)",
    "sites": "held-out sites (refitted cards)",
    "later rows": "the later rows (a card of the earlier ones)",
}


def evaluations(facts: ReportFacts) -> dict[str, Evaluation]:
    """The same figures on different rows, by what these are called; the most telling come last."""
    own = "own rows" if facts.is_training else "these rows"
    found = {own: facts.rows.evaluation}
    if facts.validation is not None:
        found["held out"] = facts.validation.methods[0].evaluation
    if facts.test is not None:
        found["test rows"] = facts.test.evaluation
    return found


def place(facts: ReportFacts, name: str) -> str:
    """What rows are called in a sentence."""
    return _HELD_OUT[facts.division] if name == "held out" else _PLACES[name]


def most_honest(facts: ReportFacts) -> tuple[Evaluation, str]:
    """Test rows before held-out rows before the card's own, and what they are called."""
    name, evaluation = list(evaluations(facts).items())[-1]
    return evaluation, place(facts, name)


# --- at a glance --------------------------------------------------------------------------------


def first_figures(facts: ReportFacts) -> list[tuple[str, str]]:
    """The figures that people look for first, and what each of them is; none for a failed card."""
    if facts.mode.failures:
        return []
    data = facts.rows.data
    rate = share(data.base_rate).replace(" ", "\u00a0")
    boxes = [(f"{data.rows:,}", f"rows, {data.events:,} with the event ({rate})")]
    shown = list(evaluations(facts).items())[::-1]
    for name, one in shown:
        boxes.append(
            (plain(one.roc.area), f"AUC on {place(facts, name)}{_range(one.roc.interval)}")
        )
    name, judged = shown[0]
    if not is_fitted_here(facts, name):
        slope, ratio = judged.calibration.slope, judged.calibration.ratio
        boxes.append((plain(slope, 2), f"calibration slope, {name}"))
        boxes.append((plain(ratio, 2), f"expected per observed event, {name}"))
    boxes.append(proof_in_short(facts.card.certificate, facts.card.training))
    if facts.stability is not None:
        words = "of the resamples give a card with the same features"
        boxes.append((share(facts.stability.same_features, 0), words))
    return boxes


def _range(interval: Interval | None) -> str:
    return "" if interval is None else f", {plain(interval[0])} to {plain(interval[1])}"


def mode_words(facts: ReportFacts) -> list[str]:
    """What these rows are to the card."""
    mode, training = facts.mode, facts.card.training
    sentences = []
    if mode.origin is RowOrigin.OTHER:
        learned = "" if training is None else f" {learned_words(training)}"
        sentences.append(
            "These are not the rows that the card was learned from. All figures describe this card, as it "
            f"is, on these rows; nothing was refitted or corrected.{learned}"
        )
    elif mode.origin is RowOrigin.UNKNOWN:
        sentences.append(
            f"Whether the card was learned from these rows cannot be told: {mode.reason}. They are treated "
            "as rows that it has not seen. If it was learned from them, all figures are too good."
        )
    if mode.is_scale_fitted:
        sentences.append(
            "The scale of the card, from total to risk, was estimated on these rows. Expected events, and "
            "the slope if it was fitted too, are right here by construction and show nothing about other "
            "rows."
        )
    elif mode.is_training and facts.card.recipe is not None and facts.card.recipe.scale_rows:
        sentences.append(
            "The points of the card were learned from these rows, its scale from others. The AUC on these "
            "rows is too good."
        )
    return sentences


def cautions(facts: ReportFacts) -> list[str]:
    """What to keep in mind."""
    if facts.mode.failures:
        return []
    sentences = mode_words(facts)
    for name, one in evaluations(facts).items():
        if is_fitted_here(facts, name):
            continue
        low, high = one.calibration.slope_interval or (1.0, 1.0)
        found = [level_words(one.calibration)]
        found += [] if low <= 1 <= high else [one.calibration.slope_in_words]
        where = place(facts, name)
        sentences += [f"On {where}, {words}." for words in found if words]
    tested = facts.test.guesses if facts.test is not None else ()
    corrected = [correction_words(facts)] if correction_words(facts) else []
    return [*sentences, *corrected, *facts.notes, *facts.rows.guesses, *tested]


# --- pictures -----------------------------------------------------------------------------------


def points_pictures(facts: ReportFacts) -> list[Picture]:
    """The points of each feature over the distribution of its values."""
    return [
        drawn(
            partial(
                draw_points,
                feature=feature,
                distribution=shown,
                name=facts.card.labels.heading(feature.name),
            ),
            f"Points of {facts.card.labels.name(feature.name)} over the distribution of its values.",
            size=(3.2, 2.6),
        )
        for feature, shown in zip(facts.card.features, facts.distributions, strict=True)
    ]


def roc_picture(facts: ReportFacts) -> Picture:
    """The ROC curves of all kinds of rows."""
    curves = {name: one.roc for name, one in evaluations(facts).items()}
    return drawn(
        lambda ax: draw_roc(ax, curves),
        "ROC curve: true positives against false positives at every threshold.",
        "ROC curve: every dot is a total at which one could act. In brackets: 95 % intervals.",
        (4.8, 4.8),
    )


def instability_picture(facts: ReportFacts) -> Picture:
    """The risks of rows by the cards of resamples, against their risk by the card."""
    found = facts.instability
    assert found is not None
    return drawn(
        lambda ax: draw_instability(ax, found),
        "Risks by cards of resamples against the risk by the card.",
        "Thick bars: where 95 % of the risks of a row lie, on average over the rows with this risk by the card. "
        "Thin bars: the widest such ranges.",
        (4.8, 4.2),
    )


def calibration_pictures(facts: ReportFacts) -> list[Picture]:
    """Observed rates against risks, one picture per kind of rows."""
    shown = evaluations(facts)
    size = (3.05, 3.6) if len(shown) > 2 else (4.3, 4.7)
    return [
        drawn(
            partial(
                draw_calibration, bins=one.bins, figures=one.calibration, histogram=one.histogram
            ),
            f"Calibration, {name}: observed rate against risk.",
            f"{name.capitalize()}.",
            size,
        )
        for name, one in shown.items()
    ]


def risk_pictures(facts: ReportFacts) -> list[Picture]:
    """Risk and observed rate of each total."""
    shown = [(facts.rows.totals, "own rows" if facts.is_training else "these rows")]
    if facts.test is not None:
        shown.append((facts.test.totals, "test rows"))
    pictures = []
    for number, (counts, where) in enumerate(shown):
        is_training = facts.is_training and number == 0
        draw = partial(draw_risk, card=facts.card, counts=counts, is_training=is_training)
        caption = f"Risk and observed rate of each total, {where}."
        pictures.append(drawn(draw, caption, caption, (4.6, 3.3)))
    return pictures


def decision_picture(facts: ReportFacts) -> Picture:
    """Net benefit against the threshold."""
    curves = {name: one.decision for name, one in evaluations(facts).items()}
    return drawn(
        lambda ax: draw_decision(ax, curves),
        "Decision curve: net benefit against the threshold.",
        size=(5.8, 3.7),
    )
