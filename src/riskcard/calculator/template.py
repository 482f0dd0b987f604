"""The words of a calculator as a file that people can change, with everything that it may say."""

import json
from typing import Any

from riskcard.calculator.calculator_page import facts_of
from riskcard.calculator.questions import Question, known_levels, questions_of
from riskcard.calculator.wording import PageWords
from riskcard.card.scorecard import score_card_of
from riskcard.model.card import RiskCard


def words_as_json(card: RiskCard, words: PageWords | None = None) -> str:
    """All words of the page of a card as JSON; read back they give the same page.

    Parameters
    ----------
    card
        The card.
    words
        What the page says now; English by default.
    """
    words = PageWords() if words is None else words
    shown = score_card_of(card)
    levels = known_levels(card)
    content = {
        "language": words.language,
        "direction": words.direction,
        "title": shown.title if words.title is None else words.title,
        "facts": list(facts_of(shown) if words.facts is None else words.facts),
        "features": {
            question.feature: _feature_entry(question, levels[question.feature])
            for question in questions_of(card, words)
        },
        "words": dict(words.words),
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _feature_entry(question: Question, levels: tuple[str, ...]) -> dict[str, Any]:
    own = question.words
    entry: dict[str, Any] = {"name": question.name, "unit": own.unit, "help": own.help}
    if not levels:
        return {**entry, "lowest": own.lowest, "highest": own.highest}
    labels = {choice.key: choice.label for choice in question.choices}
    return {**entry, "levels": {level: labels[level] for level in levels}}
