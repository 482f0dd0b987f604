"""A validation as plain text, for the screen."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from riskcard.evaluation.groups.subgroups import GroupFigures
from riskcard.evaluation.intervals import Figure
from riskcard.formatting.figures import plain, share
from riskcard.formatting.plain_text import one_line, text_table
from riskcard.validation.facts import FairnessFacts, ValidationFacts
from riskcard.validation.sentences import (
    WHICH_ROWS,
    cautions,
    origin_sentences,
    rival_sentence,
    rows_sentence,
    site_sentences,
    value_words,
    verdicts,
)
from riskcard.validation.shown import (
    band_words,
    figure_or_dash,
    group_words,
    headlines,
    in_percent,
    short,
    signed_points,
)

_WIDTH = 79
#: Marks that every terminal can show.
_PLAIN = str.maketrans(
    {
        "\u00a0": " ",
        "\u2060": "",
        "−": "-",
        "–": "-",
        "≤": "<=",
        "∞": "inf",
        "“": "'",
        "”": "'",
        "²": "2",
    }
)


def render_text(facts: ValidationFacts) -> str:
    """Write all figures; long tables without what the page has room for."""
    parts = [
        [
            one_line(facts.card.title),
            *_wrapped([f"On {WHICH_ROWS[facts.rows.origin]}: {rows_sentence(facts)}."]),
        ],
        _table(("", "Value", "95 % interval"), headlines(facts)),
        _bullets(verdicts(facts)),
        _bullets(dict.fromkeys([*origin_sentences(facts), *cautions(facts)])),
        _thresholds(facts),
        _risk_groups(facts),
        *(_groups(f"By {part.column}", part.groups) for part in facts.subgroups),
        *(_fairness(part) for part in facts.fairness),
        _sites(facts),
        *(
            [one_line(f"Against {one.name}"), *_wrapped([rival_sentence(one)])]
            for one in facts.rivals
        ),
        _drift(facts),
    ]
    text = "\n\n".join("\n".join(part) for part in parts if part)
    return f"{text.translate(_PLAIN)}\n"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return text_table(header, [[cell.translate(_PLAIN) for cell in row] for row in rows])


def _wrapped(sentences: Sequence[str], **more: str) -> list[str]:
    return [
        line
        for one in sentences
        for line in textwrap.wrap(one_line(one), _WIDTH, **more)  # type: ignore[arg-type]
    ]


def _bullets(sentences: object) -> list[str]:
    return _wrapped(list(sentences), initial_indent="- ", subsequent_indent="  ")  # type: ignore[call-overload]


def _thresholds(facts: ValidationFacts) -> list[str]:
    if not facts.thresholds:
        return []
    sign = "<=" if facts.card.higher_is_safer else ">="
    header = ("Total", "Flagged", "Sensitivity", "Specificity", "PPV", "NPV")
    rows = [
        (
            f"{sign} {one.at:g}",
            share(one.flagged.value, 0).replace(" %", ""),
            *(
                in_percent(part)
                for part in (
                    one.sensitivity,
                    one.specificity,
                    one.positive_value,
                    one.negative_value,
                )
            ),
        )
        for one in facts.thresholds
    ]
    ratios = [
        (f"{sign} {one.at:g}", short(one.positive_ratio, 2), short(one.negative_ratio, 2))
        for one in facts.thresholds
    ]
    return [
        "Acting from a total on, in per cent (95 % intervals)",
        *_table(header, rows),
        "",
        *_table(("Total", "LR+", "LR-"), ratios),
    ]


def _risk_groups(facts: ValidationFacts) -> list[str]:
    if not facts.risk_groups:
        return []
    name = "Total" if facts.groups_are_totals else "Risk"
    rows = [
        (
            band_words(one, facts.groups_are_totals),
            f"{one.rows:,}",
            f"{one.events:,}",
            figure_or_dash(100 * one.expected, 1),
            in_percent(one.observed, 1),
        )
        for one in facts.risk_groups
    ]
    header = (name, "Rows", "Events", "Mean risk %", "Observed %")
    return ["Risk groups", *_table(header, rows)]


def _groups(title: str, groups: Sequence[GroupFigures]) -> list[str]:
    header = ("Group", "Rows", "Events", "AUC", "E/O", "Slope")
    lines = [
        (
            one_line(group_words(one)),
            f"{one.rows:,}",
            f"{one.events:,}",
            *(_optional(part) for part in (one.auc, one.ratio, one.slope)),
        )
        for one in groups
    ]
    note = ["* fewer than 100 rows with the event, or without it: imprecise"] * any(
        one.is_small for one in groups
    )
    return [one_line(title), *_table(header, lines), *note]


def _fairness(part: FairnessFacts) -> list[str]:
    """Error rates of each group, and their differences from the reference group."""
    lines = [
        one_line(f"Errors by {part.column}, in per cent; differences from {part.found.reference}")
    ]
    header = (
        "Group",
        "From risk",
        "Flagged",
        "False pos.",
        "Difference",
        "False neg.",
        "Difference",
    )
    rows = []
    for one in part.found.groups:
        for place, rates in enumerate(one.rates):
            cells = [one_line(group_words(one.figures)), share(rates.threshold, 0)]
            cells.append(plain(100 * rates.flagged.value, 0))
            for name in ("false_positive", "false_negative"):
                cells.append(in_percent(getattr(rates, name)))
                has = bool(one.differences)
                cells.append(signed_points(getattr(one.differences[place], name), 0) if has else "")
            rows.append(cells)
    return [*lines, *_table(header, rows)]


def _optional(figure: Figure | None) -> str:
    return "" if figure is None else short(figure, 2)


def _sites(facts: ValidationFacts) -> list[str]:
    if facts.sites is None:
        return []
    found = _groups(f"By {facts.sites.column or 'site'}", facts.sites.sites)
    return [*found, *_wrapped(site_sentences(facts.sites))]


def _drift(facts: ValidationFacts) -> list[str]:
    if facts.drift is None and not facts.values:
        return []
    lines = ["Inputs and drift from training (stability index)"]
    if facts.drift is not None:
        total = facts.drift.total
        parts = [*([] if total is None else [total]), *facts.drift.features]
        rows = [(one_line(one.name), plain(one.index, 3), one.in_words) for one in parts]
        lines += _table(("", "Index", "Reading"), rows)
    return lines + _wrapped([f"{one.feature}: {value_words(one)}." for one in facts.values])
