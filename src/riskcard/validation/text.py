"""A validation as plain text, for the screen."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from riskcard.evaluation.groups.subgroups import GroupFigures
from riskcard.evaluation.intervals import Figure
from riskcard.formatting.figures import amount, plain, share
from riskcard.formatting.plain_text import one_line, text_table
from riskcard.formatting.speech import in_figures, say
from riskcard.validation.facts import FairnessFacts, ValidationFacts
from riskcard.validation.sentences import (
    cautions,
    origin_sentences,
    rival_sentence,
    rows_sentence,
    site_sentences,
    value_words,
    verdicts,
    where_words,
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
        "„": "'",
        "²": "2",
    }
)


def render_text(facts: ValidationFacts) -> str:
    """Write all figures; long tables without what the page has room for."""
    parts = [
        [
            one_line(facts.card.title),
            *_wrapped([say("validation_on", where=where_words(facts), rows=rows_sentence(facts))]),
        ],
        _table(("", say("table_value"), say("table_interval")), headlines(facts)),
        _bullets(verdicts(facts)),
        _bullets(dict.fromkeys([*origin_sentences(facts), *cautions(facts)])),
        _thresholds(facts),
        _risk_groups(facts),
        *(
            _groups(say("subgroups_by", column=part.column), part.groups)
            for part in facts.subgroups
        ),
        *(_fairness(part) for part in facts.fairness),
        _sites(facts),
        *(
            [one_line(say("rival_against", name=one.name)), *_wrapped([rival_sentence(one)])]
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
    names = ("flagged", "sensitivity", "specificity", "ppv", "npv")
    header = (say("table_total"), *(_without_percent(say(f"table_{name}")) for name in names))
    rows = [
        (
            f"{sign} {in_figures(f'{one.at:g}')}",
            plain(100 * one.flagged.value, 0),
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
        (row[0], short(one.positive_ratio, 2), short(one.negative_ratio, 2))
        for row, one in zip(rows, facts.thresholds, strict=True)
    ]
    ratio_names = tuple(say(f"table_{name}_ratio") for name in ("positive", "negative"))
    return [
        say("thresholds_caption"),
        *_table(header, rows),
        "",
        *_table((say("table_total"), *ratio_names), ratios),
    ]


def _risk_groups(facts: ValidationFacts) -> list[str]:
    if not facts.risk_groups:
        return []
    name = say("table_total" if facts.groups_are_totals else "table_risk")
    rows = [
        (
            band_words(one, facts.groups_are_totals),
            amount(one.rows),
            amount(one.events),
            figure_or_dash(100 * one.expected, 1),
            in_percent(one.observed, 1),
        )
        for one in facts.risk_groups
    ]
    columns = ("rows", "events", "mean_risk", "observed")
    header = (name, *(say(f"table_{column}") for column in columns))
    return [say("validation_section_groups"), *_table(header, rows)]


def _groups(title: str, groups: Sequence[GroupFigures]) -> list[str]:
    figures = ("table_rows", "table_events", "figure_auc", "table_ratio", "table_slope")
    header = (say("subgroups_group"), *map(say, figures))
    lines = [
        (
            one_line(group_words(one)),
            amount(one.rows),
            amount(one.events),
            *(_optional(part) for part in (one.auc, one.ratio, one.slope)),
        )
        for one in groups
    ]
    note = _wrapped([f"* {say('table_small')}"] * any(one.is_small for one in groups))
    return [one_line(title), *_table(header, lines), *note]


def _fairness(part: FairnessFacts) -> list[str]:
    """Error rates of each group, and their differences from the reference group."""
    lines = [one_line(say("fairness_text", column=part.column, reference=part.found.reference))]
    difference = say("rival_difference")
    header = [
        say("subgroups_group"),
        say("fairness_from_risk"),
        _without_percent(say("table_flagged")),
        say("fairness_short_positives"),
        difference,
        say("fairness_short_negatives"),
        difference,
    ]
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
    column = facts.sites.column or say("subgroups_site")
    found = _groups(say("subgroups_by", column=column), facts.sites.sites)
    return [*found, *_wrapped(site_sentences(facts.sites))]


def _drift(facts: ValidationFacts) -> list[str]:
    if facts.drift is None and not facts.values:
        return []
    training = facts.card.training
    is_recalibrated = training is not None and training.is_recalibrated
    lines = [say("drift_text_recalibrated" if is_recalibrated else "drift_text")]
    if facts.drift is not None:
        total = facts.drift.total
        parts = [*([] if total is None else [total]), *facts.drift.features]
        rows = [(one_line(one.name), plain(one.index, 3), one.in_words) for one in parts]
        lines += _table(("", say("drift_index"), say("drift_reading")), rows)
    return lines + _wrapped([f"{one.feature}: {value_words(one)}." for one in facts.values])


def _without_percent(heading: str) -> str:
    """A heading of a table whose caption says that it is in per cent."""
    return heading.rstrip("%").rstrip(", \u00a0")
