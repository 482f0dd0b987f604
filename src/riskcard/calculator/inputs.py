"""The fields of the calculator: a number, a few buttons or a list for each feature of the card."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from riskcard.calculator.questions import Question
from riskcard.calculator.wording import PageWords


def inputs_html(questions: Sequence[Question], words: PageWords) -> str:
    """All questions as HTML; each says by ``data-question`` which one it is."""
    kinds = {"number": _number, "buttons": _buttons, "list": _list, "none": _none}
    return "\n".join(
        kinds[question.kind](question, place, words) for place, question in enumerate(questions)
    )


def _number(question: Question, place: int, words: PageWords) -> str:
    """A field for a number, buttons for special values and "missing", and the rows of the card."""
    choices = "".join(
        f'<button type="button" class="special" data-choice="{i}" aria-pressed="false">'
        f"{escape(choice.label)}</button>"
        for i, choice in enumerate(question.choices)
    )
    unit = question.words.unit
    unit_html = f'<span class="unit" id="unit-{place}">{escape(unit)}</span>' if unit else ""
    described = f"{f'unit-{place} ' if unit else ''}{_help_id(question, place)}error-{place}"
    # the keys of a phone for decimal numbers have no minus sign
    keys = "text" if any(cut < 0 for cut in question.cuts) else "decimal"
    name = escape(question.name)
    return (
        f'<div class="question" role="group" aria-labelledby="name-{place}" data-question="{place}">'
        f'<label class="title" id="name-{place}" for="value-{place}">{name}</label>'
        f"{_head(words)}{_help(question, place)}"
        f'<div class="entry"><input type="text" inputmode="{keys}" id="value-{place}" '
        f'enterkeyhint="next" spellcheck="false" aria-describedby="{described}">'
        f"{unit_html}{choices}</div>{_error(place)}{_rows(question, words)}</div>"
    )


def _buttons(question: Question, place: int, words: PageWords) -> str:
    """One radio button a level; each is a row of the card."""
    rows = "".join(
        f'<li class="row" data-row="{choice.row}"><label>'
        f'<input type="radio" name="value-{place}" value="{i}">'
        f'<span class="label">{escape(choice.label)}</span>'
        f"{_points(question.rows[choice.row].points, words)}</label></li>"
        for i, choice in enumerate(question.choices)
    )
    return _fieldset(question, place, words, f'<ul class="rows choices">{rows}</ul>')


def _list(question: Question, place: int, words: PageWords) -> str:
    """A list to open, for many levels, and the groups of the card."""
    options = "".join(
        f'<option value="{i}">{escape(choice.label)}</option>'
        for i, choice in enumerate(question.choices)
    )
    described = f"{_help_id(question, place)}error-{place}"
    return (
        f'<div class="question" role="group" aria-labelledby="name-{place}" data-question="{place}">'
        f'<label class="title" id="name-{place}" for="value-{place}">{escape(question.name)}</label>'
        f"{_head(words)}{_help(question, place)}"
        f'<div class="entry"><select id="value-{place}" aria-describedby="{described}">'
        f'<option value="">{escape(words.say("choose"))}</option>{options}</select></div>'
        f"{_error(place)}{_rows(question, words)}</div>"
    )


def _none(question: Question, place: int, words: PageWords) -> str:
    """Nothing to ask: every answer has the same points."""
    return _fieldset(question, place, words, _rows(question, words))


def _fieldset(question: Question, place: int, words: PageWords, content: str) -> str:
    described = f' aria-describedby="help-{place}"' if question.words.help else ""
    return (
        f'<fieldset class="question" data-question="{place}"{described}>'
        f'<legend class="title">{escape(question.name)}</legend>'
        f"{_head(words)}{_help(question, place)}{content}</fieldset>"
    )


def _head(words: PageWords) -> str:
    """What the numbers at the right are; each of them says so itself to those who hear it."""
    return f'<span class="head" aria-hidden="true">{escape(words.say("points"))}</span>'


def _rows(question: Question, words: PageWords) -> str:
    rows = "".join(
        f'<li class="row" data-row="{i}"><span class="label">{escape(row.label)}</span>'
        f"{_points(row.points, words)}</li>"
        for i, row in enumerate(question.rows)
    )
    return f'<ul class="rows">{rows}</ul>'


def _points(points: int, words: PageWords) -> str:
    """The points as a number to see and as words to hear; "applies" is heard while it is so."""
    number = words.number(str(points))
    said = words.say("one_point") if points == 1 else words.say("many_points", number=number)
    return (
        f'<span class="points"><span aria-hidden="true">{escape(number)}</span>'
        f'<span class="unseen">{escape(said)}</span>'
        f'<span class="unseen applies" hidden> {escape(words.say("applies"))}</span></span>'
    )


def _help(question: Question, place: int) -> str:
    if not question.words.help:
        return ""
    return f'<p class="help" id="help-{place}">{escape(question.words.help)}</p>'


def _help_id(question: Question, place: int) -> str:
    return f"help-{place} " if question.words.help else ""


def _error(place: int) -> str:
    return f'<p class="error" id="error-{place}" role="alert"></p>'
