"""An explanation of one row, as plain text and as a piece of HTML, in the language of the card's labels."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from riskcard.formatting.figures import percentage
from riskcard.formatting.numbers import minus
from riskcard.formatting.pages.html import Number, boxed, html_table, paragraphs
from riskcard.formatting.plain_text import one_line, text_table
from riskcard.formatting.speech import say

if TYPE_CHECKING:
    from riskcard.model.rows.explain import Change, Explanation, FeatureReason

_WIDTH = 79
#: The most changes that are printed, and the most characters of the label of a group.
_MOST_CHANGES, _MOST_LETTERS = 4, 44


def explanation_as_text(why: Explanation) -> str:
    """Points, total and risk; reasons; changes. In English ASCII except for the user's own words."""
    with why.labels.spoken():
        parts = [
            [_plain(_title(why, str(why.total)))],
            _points_table(why),
            [_plain(line) for sentence in _sentences(why) for line in _wrapped(sentence)],
        ]
    return "\n\n".join("\n".join(lines) for lines in parts if lines)


def explanation_as_html(why: Explanation) -> str:
    """The same for a notebook."""
    with why.labels.spoken():
        rows = [[*row[:3], *(Number(minus(text)) for text in row[3:])] for row in _rows(why)]
        header = _header(why)
        shown = html_table([*header[:3], *map(Number, header[3:])], rows)
        return boxed(_title(why, minus(why.total)), shown, paragraphs(_sentences(why)))


def explanation_as_markdown(why: Explanation) -> str:
    """The points as a table, then the reasons, in Markdown."""
    with why.labels.spoken():
        lines = [header := _header(why), *_rows(why)]
        cells = [[_markdown_cell(text) for text in line] for line in lines]
        table = [f"| {' | '.join(row)} |" for row in cells]
        table.insert(1, f"|{'---|' * 3}{'---:|' * (len(header) - 3)}")
        return "\n".join([*table, "", *map(_markdown_text, _reason_sentences(why))])


def _title(why: Explanation, total: str) -> str:
    outlook = why.outlook if why.risk is None else percentage(why.risk)
    return say("explain_title", title=one_line(why.title), risk=outlook, total=total)


def _header(why: Explanation) -> tuple[str, ...]:
    feature, value, points = map(why.labels.say, ("feature", "value", "points"))
    best, against = say("explain_best"), say("explain_against")
    if why.risk is None:  # whether a low number is a good one is not known
        best, against = say("explain_best_outlook"), say("explain_against_outlook")
    return feature, value, say("explain_condition"), points, best, against


def _markdown_cell(text: str) -> str:
    return _markdown_text(text).replace("|", "\\|")


def _markdown_text(text: str) -> str:
    """Words of a table as they are, not as markup."""
    return re.sub(r"([\\`*_\[\]<>#])", r"\\\1", text)


def _rows(why: Explanation) -> list[tuple[str, ...]]:
    """One row per feature, the base and the total."""
    found = [
        (
            _shortened(one.name),
            one_line(one.shown),
            _shortened(one.place),
            str(one.points),
            str(one.best),
            _against_best(one),
        )
        for one in why.features
    ]
    return [
        *found,
        (why.labels.say("base"), "", "", str(why.base), "", ""),
        (why.labels.say("total"), "", "", str(why.total), "", ""),
    ]


def _points_table(why: Explanation) -> list[str]:
    *rows, total = (tuple(map(_plain, row)) for row in _rows(why))
    return text_table(_header(why), rows, [total], n_left=3)[:-1]


def _sentences(why: Explanation) -> list[str]:
    return [*_reason_sentences(why), *_change_sentences(why)]


def _reason_sentences(why: Explanation) -> list[str]:
    reasons = [f"{i}. {_reason_words(one)}" for i, one in enumerate(why.reasons, start=1)]
    if why.risk is None:
        heading = "explain_reasons_outlook" if reasons else "explain_no_reasons_outlook"
        return [say(heading), *reasons]
    if not reasons:
        return [say("explain_no_reasons")]
    heading = "explain_reasons_below" if why.higher_is_safer else "explain_reasons_above"
    return [say(heading), *reasons]


def _reason_words(one: FeatureReason) -> str:
    is_range = isinstance(one.value, (int, float)) and one.place != one.shown
    is_range = is_range and not isinstance(one.value, bool)
    known = say(
        "explain_reason_place" if is_range else "explain_reason",
        name=one_line(one.name),
        value=one_line(one.shown),
        place=one.place,
    )
    words = f"{one_line(one.reason)}{say('between_items')}{known}" if one.reason else known
    return say("explain_item", words=words, points=_against_best(one))


def _against_best(one: FeatureReason) -> str:
    """By how many points the line differs from the best one; what is lost is below it on a credit card."""
    difference = one.points - one.best
    return f"{difference:+d}" if difference else "0"


def _change_sentences(why: Explanation) -> list[str]:
    if not why.changes:
        return [say("explain_no_changes")]
    shown = {one.feature: one.shown for one in why.features}
    changes = [
        f"{i}. {_change_words(one, shown[one.feature])}"
        for i, one in enumerate(why.changes[:_MOST_CHANGES], start=1)
    ]
    return [say("explain_changes"), *changes]


def _change_words(one: Change, shown: str) -> str:
    return say(
        "explain_change" if one.risk is not None else "explain_change_outlook",
        name=one_line(one.name),
        place=_shortened(one.place),
        value=one_line(shown),
        total=str(one.total),
        points=f"{one.points:+d}",
        risk=percentage(one.risk) if one.risk is not None else one.outlook,
    )


def _plain(text: str) -> str:
    return text.replace("≤", "<=").replace("\u00a0", " ")


def _wrapped(sentence: str) -> list[str]:
    is_item = sentence[:1].isdigit()
    return textwrap.wrap(sentence, _WIDTH, subsequent_indent="   " if is_item else "")


def _shortened(words: str) -> str:
    text = one_line(words)
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 4].rstrip(', ')}, ..."
