"""An explanation of one row, as plain text and as a piece of HTML."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from riskcard.formatting.html import Number, boxed, html_table, paragraphs
from riskcard.formatting.numbers import minus
from riskcard.formatting.percent import percent
from riskcard.formatting.plain_text import one_line, text_table

if TYPE_CHECKING:
    from riskcard.model.explain import Change, Explanation, FeatureReason

_WIDTH = 79
#: The most changes that are printed, and the most characters of the label of a group.
_MOST_CHANGES, _MOST_LETTERS = 4, 44

_HEADER = ("Feature", "Value", "Condition", "Points", "Best", "Against best")


def explanation_as_text(why: Explanation) -> str:
    """Points, total and risk; reasons; changes. ASCII except for the user's own words."""
    parts = [
        [f"{one_line(why.title)}: {why.outcome_words} (total {why.total})"],
        _points_table(why),
        [_plain(line) for sentence in _sentences(why) for line in _wrapped(sentence)],
    ]
    return "\n\n".join("\n".join(lines) for lines in parts if lines)


def explanation_as_html(why: Explanation) -> str:
    """The same for a notebook."""
    rows = [[*row[:3], *(Number(minus(text)) for text in row[3:])] for row in _rows(why)]
    header = [*_HEADER[:3], *map(Number, _HEADER[3:])]
    title = f"{one_line(why.title)}: {why.outcome_words} (total {minus(why.total)})"
    return boxed(title, html_table(header, rows), paragraphs(_sentences(why)))


def explanation_as_markdown(why: Explanation) -> str:
    """The points as a table, then the reasons, in Markdown."""
    lines = [_HEADER, *_rows(why)]
    cells = [[_markdown_cell(text) for text in line] for line in lines]
    table = [f"| {' | '.join(row)} |" for row in cells]
    table.insert(1, f"|{'---|' * 3}{'---:|' * (len(_HEADER) - 3)}")
    return "\n".join([*table, "", *map(_markdown_text, _reason_sentences(why))])


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
        ("Base (everyone)", "", "", str(why.base), "", ""),
        ("Total", "", "", str(why.total), "", ""),
    ]


def _points_table(why: Explanation) -> list[str]:
    *rows, total = (tuple(map(_plain, row)) for row in _rows(why))
    return text_table(_HEADER, rows, [total], n_left=3)[:-1]


def _sentences(why: Explanation) -> list[str]:
    return [*_reason_sentences(why), *_change_sentences(why)]


def _reason_sentences(why: Explanation) -> list[str]:
    reasons = [f"{i}. {_reason_words(one)}" for i, one in enumerate(why.reasons, start=1)]
    if not reasons:
        return ["Reasons: none; no bin of any feature has a lower risk."]
    side = "below" if why.higher_is_safer else "above"
    return [f"Reasons, by points {side} the best bin of the feature:", *reasons]


def _reason_words(one: FeatureReason) -> str:
    known = f"{one_line(one.name)} is {one_line(one.shown)}"
    is_range = isinstance(one.value, (int, float)) and one.place != one.shown
    is_range = is_range and not isinstance(one.value, bool)
    known = f"{known} ({one.place})" if is_range else known
    words = f"{one_line(one.reason)}; {known}" if one.reason else known
    return f"{words}: {_against_best(one)}"


def _against_best(one: FeatureReason) -> str:
    """By how many points the line differs from the best one; what is lost is below it on a credit card."""
    difference = one.points - one.best
    return f"{difference:+d}" if difference else "0"


def _change_sentences(why: Explanation) -> list[str]:
    if not why.changes:
        return ["Nearest change: no other value of one feature would alter the total."]
    shown = {one.feature: one.shown for one in why.features}
    changes = [
        f"{i}. {_change_words(one, shown[one.feature])}"
        for i, one in enumerate(why.changes[:_MOST_CHANGES], start=1)
    ]
    return ["Changes of one value that alter the total, the nearest first:", *changes]


def _change_words(one: Change, shown: str) -> str:
    return (
        f"{one_line(one.name)} {_shortened(one.place)} instead of {one_line(shown)}: "
        f"total {one.total} ({one.points:+d}), {_risk_words(one)}"
    )


def _risk_words(one: Change) -> str:
    return one.outlook if one.risk is None else f"risk {percent(one.risk)}"


def _plain(text: str) -> str:
    return text.replace("≤", "<=")


def _wrapped(sentence: str) -> list[str]:
    is_item = sentence[:1].isdigit()
    return textwrap.wrap(sentence, _WIDTH, subsequent_indent="   " if is_item else "")


def _shortened(words: str) -> str:
    text = one_line(words)
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 4].rstrip(', ')}, ..."
