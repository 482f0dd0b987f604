"""The page of the calculator: one file of HTML with its style, its script and its data."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from riskcard.calculator.page_words import number_words, share_words
from riskcard.calculator.questions import Question, questions_of
from riskcard.card.bands import BandLine, Seen, has_risk_intervals
from riskcard.card.kind_card import KindCard, in_english, kind_card_of
from riskcard.card.scorecard import ScoreCard, score_card_of
from riskcard.card.sentences import about_rows
from riskcard.formatting.pages.script_data import script_data, source_hash
from riskcard.formatting.templates import asset, render
from riskcard.model.card import RiskCard
from riskcard.model.outcome_kinds import Counts, Numbers, OrderedLevels, TimeToEvent
from riskcard.model.rows.explain import MOST_REASONS
from riskcard.model.totals import bands_of
from riskcard.model.words.labels import Labels, words_of

#: With more totals than this, the curve has no dots.
_MOST_DOTS = 60
#: The curve of a rate or a number has at most about this many lines behind it.
_MOST_TICKS = 5
#: The first and the last total of a line, and its cells.
_Line = tuple[int, int, list[str]]


def render_calculator(card: RiskCard) -> str:
    """The calculator of a card as a page that needs nothing else; its labels are the words."""
    card = in_english(card)
    labels, questions = card.labels, questions_of(card)
    shown, header, totals = _shown(card)
    amount, horizons = _amount(card), _horizons(card)
    style, script = (asset(f"calculator/templates/calculator.{end}") for end in ("css", "js"))
    return render(
        "calculator/templates/calculator.html.j2",
        labels=labels,
        say=partial(_say, card),
        number=partial(number_words, labels),
        shown=shown,
        facts=(*shown.front, *shown.back) if labels.facts is None else labels.facts,
        caution=_caution(card),
        figure=amount["words"]
        if amount
        else horizons[0]["words"]
        if horizons
        else labels.say("risk"),
        curve_observed=labels.say(about_rows("curve_observed", card.training)),
        questions=questions,
        has_reasons=_has_reasons(card),
        header=header,
        totals=totals,
        horizons=horizons,
        choice="Level" if isinstance(card.kind, OrderedLevels) else "Horizon",
        data=_data(card, () if isinstance(shown, KindCard) else shown.bands, questions),
        style=style,
        script=script,
        policy=(
            f"default-src 'none'; img-src data:; style-src {source_hash(style)}; "
            f"script-src {source_hash(script)}; base-uri 'none'; form-action 'none'"
        ),
    )


def _caution(card: RiskCard) -> str:
    """What the labels say, or which rows the risk is an estimate from."""
    own = card.labels.caution
    return _say(card, about_rows("caution", card.training)) if own is None else own


def _say(card: RiskCard, key: str, **parts: str) -> str:
    """A text of the page; where the card gives no risks, one that does not speak of them."""
    gives_risks = card.kind is None or isinstance(card.kind, TimeToEvent)
    other = f"{key}_value"
    has_other = not gives_risks and other in words_of(card.labels.language)
    return card.labels.say(other if has_other else key, **parts)


def _shown(card: RiskCard) -> tuple[ScoreCard | KindCard, list[str], list[_Line]]:
    """What the page shows of a card, and the header and the lines of the table from total to risk."""
    if card.kind is None:
        shown, labels = score_card_of(card), card.labels
        columns = _columns(shown)
        cells = [(line, _cells(line, labels)) for line in shown.bands]
        lines = [(one.low, one.high, [own[name] for name in columns]) for one, own in cells]
        return shown, list(map(labels.say, columns)), lines
    by_kind = kind_card_of(card)
    bands = zip(bands_of(card.reachable_totals()), by_kind.rows, strict=True)
    return by_kind, list(by_kind.header), [(*band, list(row)) for band, row in bands]


def _horizons(card: RiskCard) -> list[dict[str, Any]]:
    """What the choice of a horizon offers, and the baseline by each; empty for yes or no."""
    kind = card.kind
    if isinstance(kind, OrderedLevels):
        given = zip(kind.figures(0.0), kind.hazards, strict=True)
        return [{"words": one.heading, "hazard": hazard} for one, hazard in given]
    if not isinstance(kind, TimeToEvent):
        return []
    return [
        {"words": f"Risk by {kind.horizon_words(one)}", "hazard": kind.baseline(one)}
        for one in kind.horizons
    ]


def _amount(card: RiskCard) -> dict[str, Any] | None:
    """What the script needs of a rate or of an expected number; None of shares."""
    if not isinstance(card.kind, Counts | Numbers):
        return None
    totals = card.reachable_totals()
    (figure,) = card.kind.figures(card.linear_of_total([totals[0], totals[-1]]))
    return {
        "words": figure.heading,
        "is_log": isinstance(card.kind, Counts),
        "decimals": figure.decimals,
        "ticks": _ticks(float(figure.values.min()), float(figure.values.max())),
        "thousands": card.labels.say("thousands"),
    }


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers from one that is not above ``low`` to one that is not below ``high``.

    Examples
    --------
    >>> _ticks(0.367, 2.5)
    [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]
    """
    span = (high - low) or abs(high) or 1.0
    power = 10.0 ** math.floor(math.log10(span / _MOST_TICKS))
    step = next(power * n for n in (1, 2, 5, 10) if span / (power * n) <= _MOST_TICKS)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [float(f"{step * place:.12g}") for place in range(first, max(last, first + 1) + 1)]


def _has_reasons(card: RiskCard) -> bool:
    """Reasons are listed where the labels have a text for one."""
    return any(card.labels.of(one.name).reason for one in card.features)


def _columns(shown: ScoreCard) -> list[str]:
    """The columns of the table from total to risk, without those that would be empty."""
    columns = ["total", "risk"]
    columns += ["interval"] if has_risk_intervals(shown.bands) else []
    return [*columns, "rows", "events", "observed"] if shown.observed else columns


def _cells(line: BandLine, labels: Labels) -> dict[str, str]:
    low, high = number_words(labels, str(line.low)), number_words(labels, str(line.high))
    cells = {
        "total": low if low == high else labels.say("range", low=low, high=high),
        "risk": share_words(labels, *line.shares),
    }
    if (seen := line.seen) is not None:
        cells["rows"], cells["events"] = str(seen.rows), str(seen.events)
        known = [] if seen.rate is None else [seen.rate]
        cells["observed"] = share_words(labels, *known, is_counted=True) if known else ""
    cells["interval"] = "" if line.interval is None else share_words(labels, *line.interval)
    return cells


# --- what the script gets -----------------------------------------------------------------------


def _data(card: RiskCard, bands: Sequence[BandLine], questions: tuple[Question, ...]) -> str:
    """The card as JSON that cannot end the element around it."""
    totals = card.reachable_totals()
    content: dict[str, Any] = {
        "base": card.base,
        "multiplier": card.multiplier,
        "offset": card.offset,
        "questions": [question.as_data() for question in questions],
        "totals": totals if len(totals) <= _MOST_DOTS else [totals[0], totals[-1]],
        "has_all_totals": len(totals) <= _MOST_DOTS,
        "most_reasons": MOST_REASONS if _has_reasons(card) else 0,
        "observed": [
            {"low": line.low, "high": line.high, **_figures(line.seen), "interval": line.interval}
            for line in bands
            if line.seen is not None
        ],
        "words": _words(card),
    }
    if horizons := _horizons(card):
        content["horizons"] = horizons
    if (amount := _amount(card)) is not None:
        content["amount"] = amount
    return script_data(content)


def _words(card: RiskCard) -> dict[str, str]:
    """The texts by their names; what was counted is said of the rows that it was counted in."""
    words = {key: _say(card, key) for key in words_of(card.labels.language)}
    for key in ("counted", "counted_none"):
        words[key] = words[about_rows(key, card.training)]
    return words


def _figures(seen: Seen) -> dict[str, Any]:
    return {name: getattr(seen, name) for name in ("rows", "events", "rate")}
