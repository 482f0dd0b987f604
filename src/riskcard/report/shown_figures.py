"""The first figures and the pictures of a report, from its facts."""

from functools import partial

from riskcard.card.sentences import training_words as learned_words
from riskcard.evaluation.summary import Evaluation
from riskcard.formatting.figures import amount, plain, share
from riskcard.formatting.speech import say, sentence_case
from riskcard.model.origin.recipe import RowOrigin
from riskcard.plots.calibration import draw_calibration
from riskcard.plots.cards.points import draw_points
from riskcard.plots.decision import draw_decision
from riskcard.plots.embedded import Picture, drawn
from riskcard.plots.instability import draw_instability
from riskcard.plots.risk import draw_risk
from riskcard.plots.roc import draw_roc
from riskcard.report.facts import ReportFacts
from riskcard.report.figure_sentences import proof_in_short
from riskcard.report.judgement import correction_words, is_fitted_here, level_words


def evaluations(facts: ReportFacts) -> dict[str, Evaluation]:
    """The same figures on different rows, by what these are called; the most telling come last."""
    own = "own rows" if facts.is_training else "these rows"
    found = {own: facts.rows.evaluation}
    if facts.validation is not None:
        found["held out"] = facts.validation.methods[0].evaluation
    if facts.test is not None:
        found["test rows"] = facts.test.evaluation
    return found


def called(name: str) -> str:
    """What rows are called in headings."""
    return say(f"called_{name.replace(' ', '_')}")


def place(facts: ReportFacts, name: str) -> str:
    """What rows are called in a sentence; of held-out rows, what was held out."""
    what = f"{name} {facts.division}" if name == "held out" else name
    return say(f"place_{what.replace(' ', '_')}")


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
    boxes = [(amount(data.rows), say("glance_rows", events=amount(data.events), rate=rate))]
    shown = list(evaluations(facts).items())[::-1]
    boxes += [(plain(one.roc.area), _auc_words(place(facts, name), one)) for name, one in shown]
    name, judged = shown[0]
    if not is_fitted_here(facts, name):
        slope, ratio = judged.calibration.slope, judged.calibration.ratio
        boxes.append((plain(slope, 2), say("glance_slope", name=called(name))))
        boxes.append((plain(ratio, 2), say("glance_ratio", name=called(name))))
    boxes.append(proof_in_short(facts.card.certificate, facts.card.training))
    if facts.stability is not None:
        boxes.append((share(facts.stability.same_features, 0), say("glance_same_features")))
    return boxes


def _auc_words(where: str, one: Evaluation) -> str:
    if one.roc.interval is None:
        return say("glance_auc", where=where)
    low, high = map(plain, one.roc.interval)
    return say("glance_auc_range", where=where, low=low, high=high)


def mode_words(facts: ReportFacts) -> list[str]:
    """What these rows are to the card."""
    mode, training = facts.mode, facts.card.training
    sentences = []
    if mode.origin is RowOrigin.OTHER:
        sentences.append(say("mode_other"))
        if training is not None:
            sentences[-1] += f" {learned_words(training, facts.card.labels)}"
    elif mode.origin is RowOrigin.UNKNOWN:
        sentences.append(say("mode_unknown", reason=mode.reason))
    if mode.is_scale_fitted:
        sentences.append(say("mode_scale_fitted"))
    elif mode.is_training and facts.card.recipe is not None and facts.card.recipe.scale_rows:
        sentences.append(say("mode_scale_elsewhere"))
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
        sentences += [say("on_where", where=where, words=words) for words in found if words]
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
            say("card_points_picture", name=facts.card.labels.name(feature.name)),
            size=(3.2, 2.6),
        )
        for feature, shown in zip(facts.card.features, facts.distributions, strict=True)
    ]


def roc_picture(facts: ReportFacts) -> Picture:
    """The ROC curves of all kinds of rows."""
    curves = {called(name): one.roc for name, one in evaluations(facts).items()}
    return drawn(
        lambda ax: draw_roc(ax, curves),
        say("roc_picture"),
        say("roc_caption"),
        (4.8, 4.8),
    )


def instability_picture(facts: ReportFacts) -> Picture:
    """The risks of rows by the cards of resamples, against their risk by the card."""
    found = facts.instability
    assert found is not None
    return drawn(
        lambda ax: draw_instability(ax, found),
        say("stability_picture"),
        say("stability_caption"),
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
            say("calibration_picture", name=called(name)),
            f"{sentence_case(called(name))}.",
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
        origin = "training" if facts.is_training and number == 0 else ""
        draw = partial(draw_risk, card=facts.card, counts=counts, where=origin)
        caption = say("calibration_picture_total", name=called(where))
        pictures.append(drawn(draw, caption, caption, (4.6, 3.3)))
    return pictures


def decision_picture(facts: ReportFacts) -> Picture:
    """Net benefit against the threshold."""
    curves = {called(name): one.decision for name, one in evaluations(facts).items()}
    return drawn(
        lambda ax: draw_decision(ax, curves),
        say("decisions_picture"),
        size=(5.8, 3.7),
    )
