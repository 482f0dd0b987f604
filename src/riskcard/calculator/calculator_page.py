"""The page of the calculator: one file of HTML with its style, its script and its data."""

import base64
import hashlib
import json
from typing import Any

from riskcard.calculator.questions import Question, questions_of
from riskcard.calculator.wording import PageWords
from riskcard.card.bands import BandLine, Seen, has_risk_intervals
from riskcard.card.scorecard import ScoreCard, score_card_of
from riskcard.formatting.templates import asset, render
from riskcard.model.card import RiskCard

#: With more totals than this, the curve has no dots.
_MOST_DOTS = 60


def render_calculator(card: RiskCard, words: PageWords | None = None) -> str:
    """The calculator of a card as a page that needs nothing else.

    Parameters
    ----------
    card
        The card.
    words
        What the page says; English by default.
    """
    words = PageWords() if words is None else words
    shown, questions = score_card_of(card), questions_of(card, words)
    style, script = (asset(f"calculator/templates/calculator.{end}") for end in ("css", "js"))
    return render(
        "calculator/templates/calculator.html.j2",
        words=words,
        say=words.say,
        shown=shown,
        title=shown.title if words.title is None else words.title,
        facts=facts_of(shown) if words.facts is None else words.facts,
        questions=questions,
        columns=_columns(shown),
        totals=[(line, _cells(line, words)) for line in shown.bands],
        data=_data(card, shown, questions, words),
        style=style,
        script=script,
        policy=(
            f"default-src 'none'; img-src data:; style-src {_hash(style)}; "
            f"script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
        ),
    )


def _columns(shown: ScoreCard) -> list[str]:
    """The columns of the table from total to risk, without those that would be empty."""
    columns = ["total", "risk"]
    columns += ["interval"] if has_risk_intervals(shown.bands) else []
    return [*columns, "rows", "events", "observed"] if shown.observed else columns


def _cells(line: BandLine, words: PageWords) -> dict[str, str]:
    low, high = words.number(str(line.low)), words.number(str(line.high))
    cells = {
        "total": low if low == high else words.say("range", low=low, high=high),
        "risk": words.percent(*line.shares),
    }
    if (seen := line.seen) is not None:
        cells["rows"], cells["events"] = str(seen.rows), str(seen.events)
        known = [] if seen.rate is None else [seen.rate]
        cells["observed"] = words.percent(*known, is_counted=True) if known else ""
    cells["interval"] = "" if line.interval is None else words.percent(*line.interval)
    return cells


def facts_of(shown: ScoreCard) -> tuple[str, ...]:
    """What the page says about a card by default."""
    return (*shown.front, *shown.back)


# --- what the script gets -----------------------------------------------------------------------


def _data(
    card: RiskCard, shown: ScoreCard, questions: tuple[Question, ...], words: PageWords
) -> str:
    """The card as JSON that cannot end the element around it."""
    totals = card.reachable_totals()
    content: dict[str, Any] = {
        "base": card.base,
        "multiplier": card.multiplier,
        "offset": card.offset,
        "questions": [question.as_data() for question in questions],
        "totals": totals if len(totals) <= _MOST_DOTS else [totals[0], totals[-1]],
        "has_all_totals": len(totals) <= _MOST_DOTS,
        "observed": [
            {"low": line.low, "high": line.high, **_figures(line.seen), "interval": line.interval}
            for line in shown.bands
            if line.seen is not None
        ],
        "words": dict(words.words),
    }
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _figures(seen: Seen) -> dict[str, Any]:
    return {name: getattr(seen, name) for name in ("rows", "events", "rate")}


def _hash(text: str) -> str:
    """Only this style and this script may act on the page, whatever is in the names."""
    digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
    return f"'sha256-{digest}'"
