"""The first figures and the pictures of a report, from its facts."""

from functools import partial

from riskcard.card.sentences import training_words as learned_words
from riskcard.evaluation.summary import Evaluation
from riskcard.formatting.figures import plain, share
from riskcard.plots.calibration import draw_calibration
from riskcard.plots.decision import draw_decision
from riskcard.plots.embedded import Picture, drawn
from riskcard.plots.points import draw_points
from riskcard.plots.risk import draw_risk
from riskcard.plots.roc import draw_roc
from riskcard.report.facts import ReportFacts
from riskcard.report.figure_sentences import proof_in_short, slope_words

#: What rows are called in a sentence.
PLACES = {
    "own rows": "the rows that the card was learned from",
    "these rows": "these rows",
    "held out": "held-out rows (refitted cards)",
    "test rows": "the test rows",
}


def evaluations(facts: ReportFacts) -> dict[str, Evaluation]:
    """The same figures on different rows, by what these are called."""
    own = "own rows" if facts.is_training else "these rows"
    found = {own: facts.rows.evaluation}
    validation = facts.validation
    if validation is not None and validation.is_refitted:
        found["held out"] = validation.methods[0].evaluation
    if facts.test is not None:
        found["test rows"] = facts.test.evaluation
    return found


def most_honest(facts: ReportFacts) -> tuple[Evaluation, str]:
    """Test rows before held-out rows before the card's own, and what they are called."""
    name, evaluation = list(evaluations(facts).items())[-1]
    return evaluation, PLACES[name]


# --- at a glance --------------------------------------------------------------------------------


def first_figures(facts: ReportFacts) -> list[tuple[str, str]]:
    """The figures that people look for first, and what each of them is."""
    data = facts.rows.data
    rate = share(data.base_rate).replace(" ", "\u00a0")
    boxes = [
        (f"{data.rows:,}", f"rows, {data.events:,} with the event ({rate})"),
        proof_in_short(facts.card.certificate, facts.card.training),
    ]
    shown = evaluations(facts)
    boxes += [(plain(one.roc.area), f"AUC on {PLACES[name]}") for name, one in shown.items()]
    name, judged = list(shown.items())[-1]
    if name in ("held out", "test rows"):
        boxes.append((plain(judged.calibration.slope, 2), f"calibration slope, {name}"))
    if facts.stability is not None:
        words = "of the resamples give a card with the same features"
        boxes.append((share(facts.stability.same_features, 0), words))
    return boxes


def cautions(facts: ReportFacts) -> list[str]:
    """What to keep in mind."""
    sentences = []
    if facts.card.training is not None and not facts.is_training:
        words = learned_words(facts.card.training)
        sentences.append(
            f"These are not the rows that the card was learned from: {words[0].lower()}{words[1:]}"
        )
    held_out = evaluations(facts).get("held out")
    if held_out is not None and held_out.calibration.slope_interval is not None:
        low, high = held_out.calibration.slope_interval
        if not low <= 1 <= high:
            sentences.append(
                f"On held-out rows (refitted cards), {slope_words(held_out.calibration)}."
            )
    tested = facts.test.guesses if facts.test is not None else ()
    return [*sentences, *facts.notes, *facts.rows.guesses, *tested]


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
    for place, (counts, where) in enumerate(shown):
        is_training = facts.is_training and place == 0
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
