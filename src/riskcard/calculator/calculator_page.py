"""The page of the calculator: one file of HTML with its style, its script and its data."""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from importlib.resources import files
from typing import Any

from riskcard.calculator.inputs import inputs_html
from riskcard.calculator.questions import Question, questions_of
from riskcard.calculator.wording import PageWords
from riskcard.card.bands import BandLine
from riskcard.card.scorecard import ScoreCard, score_card_of
from riskcard.model.card import RiskCard

#: With more totals than this the curve has no dot for each.
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
    title = shown.title if words.title is None else words.title
    style, script = _asset("calculator.css"), _asset("calculator.js")
    policy = (
        f"default-src 'none'; img-src data:; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(words.language)}" dir="{words.direction}">\n<head>\n'
        '<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f"{_body(card, shown, questions, words, title)}\n"
        f'<script type="application/json" id="data">{_data(card, shown, questions, words)}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


def _body(
    card: RiskCard,
    shown: ScoreCard,
    questions: tuple[Question, ...],
    words: PageWords,
    title: str,
) -> str:
    say = words.say
    return f"""<main>
<header>
<h1>{escape(title)}</h1>
<p class="lead">{escape(say("lead"))}</p>
<noscript><p class="error">{escape(say("needs_script"))}</p></noscript>
</header>
<form id="inputs" autocomplete="off" novalidate>
{inputs_html(questions, words)}
</form>
<aside>
<section class="summary" aria-labelledby="result-title">
<h2 id="result-title">{escape(say("result"))}</h2>
<p class="figures">
<span class="figure"><span class="name">{escape(say("total"))}</span> <output id="total">–</output></span>
<span class="figure risk"><span class="name">{escape(say("risk"))}</span> <output id="risk">–</output></span>
</p>
<p id="open" class="open"></p>
</section>
<div class="more">
<p id="said" class="unseen" role="status" aria-live="polite"></p>
<p id="meaning" class="open"></p>
{_sum_table(card, questions, words)}
<figure>
<svg id="curve" role="img" aria-label="{escape(say("curve"))}" viewBox="0 0 360 242"></svg>
<figcaption>{escape(_caption(shown, words))}</figcaption>
</figure>
<p class="buttons">
<button type="button" id="again">{escape(say("start_again"))}</button>
<button type="button" id="link">{escape(say("link"))}</button>
<button type="button" id="print">{escape(say("print"))}</button>
</p>
<p id="linked" class="note" role="status"></p>
</div>
</aside>
<footer>
<details id="table"><summary>{escape(say("from_total_to_risk"))}</summary>
{_total_table(shown, words)}
</details>
<details id="about"><summary>{escape(say("about"))}</summary>
{_facts(shown, words)}
</details>
<p class="caution">{escape(say("caution"))}</p>
</footer>
</main>"""


def _caption(shown: ScoreCard, words: PageWords) -> str:
    return " ".join(
        words.say(key) for key in ("curve", "curve_observed")[: 2 if shown.observed else 1]
    )


def _sum_table(card: RiskCard, questions: tuple[Question, ...], words: PageWords) -> str:
    """The points as they add up: one line for each feature, filled in by the script."""
    rows = "".join(
        f'<tr data-sum="{place}"><th scope="row">{escape(question.name)}</th>'
        '<td class="value"></td><td class="number"></td></tr>'
        for place, question in enumerate(questions)
    )
    if card.base != 0:
        base = escape(words.number(str(card.base)))
        rows += (
            f'<tr><th scope="row" colspan="2">{escape(words.say("base"))}</th>'
            f'<td class="number">{base}</td></tr>'
        )
    return (
        f'<table class="sum"><tbody>{rows}</tbody><tfoot><tr>'
        f'<th scope="row" colspan="2">{escape(words.say("total"))}</th>'
        '<td class="number" id="sum">–</td></tr></tfoot></table>'
    )


def _total_table(shown: ScoreCard, words: PageWords) -> str:
    names = ["total", "risk"]
    if shown.observed:
        names += ["rows", "events", "observed"]
        names += (
            ["interval"] if any(line.seen and line.seen.interval for line in shown.bands) else []
        )
    head = "".join(
        f'<th scope="col" class="number">{escape(words.say(name))}</th>' for name in names
    )
    rows = "".join(_total_row(line, words, names) for line in shown.bands)
    return (
        f'<div class="wide"><table class="totals"><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _total_row(line: BandLine, words: PageWords, names: list[str]) -> str:
    low, high = words.number(str(line.low)), words.number(str(line.high))
    cells = {
        "total": low if low == high else words.say("range", low=low, high=high),
        "risk": words.percent(*line.shares),
    }
    if (seen := line.seen) is not None:
        cells["rows"], cells["events"] = str(seen.rows), str(seen.events)
        shares = {"observed": [seen.rate], "interval": seen.interval or [None]}
        for name, ends in shares.items():
            known = [end for end in ends if end is not None]
            cells[name] = words.percent(*known, is_counted=True) if known else ""
    drawn = "".join(f'<td class="number">{escape(cells[name])}</td>' for name in names)
    return f'<tr data-low="{line.low}" data-high="{line.high}">{drawn}</tr>'


def _facts(shown: ScoreCard, words: PageWords) -> str:
    facts = facts_of(shown) if words.facts is None else words.facts
    return "".join(f"<p>{escape(fact)}</p>" for fact in facts)


def facts_of(shown: ScoreCard) -> tuple[str, ...]:
    """What the page says about a card when the words say nothing of it."""
    return (shown.formula, *shown.remarks)


# --- what the script gets -----------------------------------------------------------------------


def _data(
    card: RiskCard, shown: ScoreCard, questions: tuple[Question, ...], words: PageWords
) -> str:
    """The card as JSON that cannot end the element it stands in."""
    totals = card.reachable_totals()
    content: dict[str, Any] = {
        "base": card.base,
        "multiplier": card.multiplier,
        "offset": card.offset,
        "questions": [question.as_data() for question in questions],
        "totals": totals if len(totals) <= _MOST_DOTS else [totals[0], totals[-1]],
        "has_all_totals": len(totals) <= _MOST_DOTS,
        "observed": [_observed(line) for line in shown.bands if line.seen is not None],
        "words": dict(words.words),
    }
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _observed(line: BandLine) -> dict[str, Any]:
    seen = line.seen
    assert seen is not None
    return {
        "low": line.low,
        "high": line.high,
        "rows": seen.rows,
        "events": seen.events,
        "rate": seen.rate,
        "interval": seen.interval,
    }


def _asset(name: str) -> str:
    return (files("riskcard.calculator") / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Only this style and this script may act on the page, whatever is in the names."""
    digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
    return f"'sha256-{digest}'"
