"""The first half of a report: what the card is, what is proven, what it was learned from."""

from __future__ import annotations

from html import escape

from riskcard.card.card_html import render_html
from riskcard.card.sentences import training_words as learned_words
from riskcard.evaluation.distribution import Distribution
from riskcard.evaluation.summary import Evaluation
from riskcard.formatting.html import Number, html_table, paragraphs
from riskcard.formatting.percent import percent
from riskcard.model.feature_points import CardFeature
from riskcard.plots.points import draw_points
from riskcard.report.facts import DataFacts, ReportFacts
from riskcard.report.figure_sentences import (
    bound_sentence,
    certificate_facts,
    count,
    counted_rows,
    gain_sentence,
    plain,
    proof_in_short,
    share,
    slope_words,
    training_words,
)
from riskcard.report.pictures import figure, side_by_side

#: Columns of a table that are listed at most; those of the card come first.
_MOST_COLUMNS = 60


def glance_section(facts: ReportFacts) -> str:
    """The figures that people look for first, and what to keep in mind."""
    data = facts.rows.data
    rate = share(data.base_rate).replace(" ", "\u00a0")
    boxes = [
        (f"{data.rows:,}", f"rows, {data.events:,} with the event ({rate})"),
    ]
    boxes += [proof_in_short(facts.card.certificate), *_area_boxes(facts)]
    held_out = _held_out(facts)
    judged = facts.test.evaluation if facts.test is not None else held_out
    if judged is not None:
        where = "test rows" if facts.test is not None else "held out"
        boxes.append((plain(judged.calibration.slope, 2), f"calibration slope, {where}"))
    if facts.stability is not None:
        words = "of the resamples give a card of the same features"
        boxes.append((share(facts.stability.same_features, 0), words))
    items = "".join(
        f"<li><b>{escape(number)}</b><span>{escape(words)}</span></li>" for number, words in boxes
    )
    # two rows of about equal length rather than one box alone in the second
    across = len(boxes) if len(boxes) <= 6 else -(-len(boxes) // 2)
    return f'<ul class="glance" style="--across: {across}">{items}</ul>{_cautions(facts)}'


def _held_out(facts: ReportFacts) -> Evaluation | None:
    validation = facts.validation
    if validation is None or not validation.is_refitted:
        return None
    return validation.methods[0].evaluation


def _area_boxes(facts: ReportFacts) -> list[tuple[str, str]]:
    where = "on its own rows" if facts.is_training else "on these rows"
    boxes = [(plain(facts.rows.evaluation.roc.area), f"AUC {where}")]
    held_out = _held_out(facts)
    if held_out is not None:
        boxes.append((plain(held_out.roc.area), "AUC, learned again, on rows held out"))
    if facts.test is not None:
        boxes.append((plain(facts.test.evaluation.roc.area), "AUC on the test rows"))
    return boxes


def _cautions(facts: ReportFacts) -> str:
    sentences = list(facts.notes)
    held_out = _held_out(facts)
    if held_out is not None and held_out.calibration.slope_interval is not None:
        low, high = held_out.calibration.slope_interval
        if not low <= 1 <= high:
            sentences.insert(0, f"On rows held out {slope_words(held_out.calibration)}.")
    if facts.card.training is not None and not facts.is_training:
        sentences.insert(
            0,
            "These are not the rows that the card was learned from: "
            f"{_first_lower(learned_words(facts.card.training))}",
        )
    sentences += [*facts.rows.guesses, *(facts.test.guesses if facts.test is not None else ())]
    if not sentences:
        return ""
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return f"<p>To keep in mind:</p><ul>{items}</ul>"


def _first_lower(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]


def card_section(facts: ReportFacts) -> str:
    """The card itself, and its points over the data."""
    card = facts.card
    table = card.risk_table()
    words = (
        f"Add the points of one line of each feature{' and the base' if card.base else ''}; the "
        f"total gives the risk. Totals go from {table[0].total} to {table[-1].total}, risks from "
        f"{percent(table[0].risk)} to {percent(table[-1].risk)}."
    )
    pictures = [
        _points_picture(feature, distribution)
        for feature, distribution in zip(card.features, facts.distributions, strict=True)
    ]
    over = ""
    if pictures:
        has_special = any(slot.is_special for one in facts.distributions for slot in one.slots)
        apart = " Missing and special values stand apart, hatched." if has_special else ""
        legend = f"The steps are points, the pale bars shares of the rows.{apart}"
        over = f"<h3>Points and where the rows are</h3>{side_by_side(*pictures)}<p class='small'>{legend}</p>"
    return f"{paragraphs([words])}{render_html(card)}{over}"


def _points_picture(feature: CardFeature, distribution: Distribution) -> str:
    return figure(
        lambda ax: draw_points(ax, feature, distribution),
        f"Points of {feature.name} over the distribution of its values.",
        size=(3.2, 2.6),
    )


def certificate_section(facts: ReportFacts) -> str:
    """What is proven, what was checked, and what this does not mean."""
    certificate = facts.card.certificate
    pieces = [f'<p class="verdict">{escape(bound_sentence(certificate))}</p>']
    if certificate is not None:
        pieces.append(paragraphs(certificate_facts(certificate)))
    if facts.is_training:
        pieces.append(paragraphs([gain_sentence(facts.rows.evaluation)]))
    pieces.append(_audit(facts))
    if certificate is not None:
        pieces.append(
            "<h3>What it does not mean</h3><ul><li>It is about the rows that the card was learned from. How "
            "well the card does for others, the figures on rows held out and on test rows tell."
            "</li><li>“Of this kind” means the limits above. More terms or points may give a smaller loss."
            "</li><li>A small loss makes a card neither fair nor safe, and a feature on it is not for that "
            "reason a cause.</li></ul>"
        )
    return "".join(pieces)


def _audit(facts: ReportFacts) -> str:
    if facts.card.certificate is None:
        return ""
    if not facts.is_training:
        prior = " with prior rows" if facts.card.certificate.prior_rows > 0 else ""
        return paragraphs(
            [
                "These are not the rows that the card was learned from, so what it claims about them could "
                f"not be checked here. Its loss on these rows is {facts.audit.loss:,.4f}{prior}."
            ]
        )
    checks = facts.audit.checks
    items = "".join(
        f'<li class="{"passed" if check.passed else "failed"}">{escape(check.name)}: '
        f"{escape(check.detail)}</li>"
        for check in checks
    )
    verdict = (
        f"All {len(checks)} checks passed."
        if facts.audit.passed
        else f"{len(facts.audit.failures)} of {len(checks)} checks failed."
    )
    return (
        "<h3>Recomputed from the rows</h3>"
        f"<p>What the card claims was computed again from the rows by plain code that shares nothing with the "
        f"solver. {escape(verdict)}</p><ul class='checks'>{items}</ul>"
    )


def data_section(facts: ReportFacts) -> str:
    """Rows, events, and a line for every column."""
    sentences = [
        f"{counted_rows(facts.rows.data)}: {training_words(facts)}. "
        f"{_missing_words(facts.rows.data)}"
    ]
    if facts.test is not None:
        sentences.append(
            f"Test: {counted_rows(facts.test.data)}. {_missing_words(facts.test.data)}"
        )
    return paragraphs(sentences) + _columns(facts)


def _missing_words(data: DataFacts) -> str:
    if data.complete_rows == data.rows:
        return "No value is missing."
    return (
        f"{count(data.rows - data.complete_rows, 'row')} "
        f"({share(1 - data.complete_rows / data.rows)}) lack at least one value."
    )


def _columns(facts: ReportFacts) -> str:
    columns = sorted(facts.rows.data.columns, key=lambda one: not one.is_on_card)
    tested = {} if facts.test is None else {one.name: one for one in facts.test.data.columns}
    header = ["Feature", "On the card", "Kind", Number("Missing"), "Values"]
    if tested:
        header.insert(4, Number("Missing, test"))
    rows = []
    for one in columns[:_MOST_COLUMNS]:
        row = [
            one.name,
            "yes" if one.is_on_card else "",
            one.kind,
            Number(_part(one.missing, facts.rows.data.rows)),
            one.summary,
        ]
        if tested:
            test = tested.get(one.name)
            missing = "" if test is None else _part(test.missing, facts.test.data.rows)  # type: ignore[union-attr]
            row.insert(4, Number(missing))
        rows.append(row)
    left = len(columns) - len(rows)
    more = f"<p>And {left} more columns that the card does not use.</p>" if left else ""
    return html_table(header, rows, "Candidate features") + more


def _part(number: int, rows: int) -> str:
    return f"{number:,} ({share(number / rows)})" if number else "0"
