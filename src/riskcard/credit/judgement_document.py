"""A judgement in the words of credit, as a document: figures, bands, cut-offs, grades, swap set."""

from __future__ import annotations

from typing import Any

from riskcard.credit.judgement import CreditJudgement, Rival
from riskcard.credit.master_scale import DOUBTFUL, OUT_OF_LINE
from riskcard.evaluation.intervals import Figure
from riskcard.formatting.figures import (
    amount,
    plain,
    share,
    share_with_interval,
    with_interval,
)
from riskcard.formatting.pages.document import Document, Section, ShownTable
from riskcard.formatting.speech import counted, in_figures, say
from riskcard.model.origin.row_role import RowRole

#: What is to be known about the rows before any figure.
_ROLES = {
    RowRole.TRAINING: "credit_role_training",
    RowRole.PARTLY: "credit_role_partly",
    RowRole.RECALIBRATION: "credit_role_recalibration",
}


def judgement_document(found: CreditJudgement, pictures: bool = False) -> Document:
    """All of it; pictures need matplotlib."""
    sections = [
        _separation(found, pictures),
        _bands(found, pictures),
        _cut_offs(found),
        _master_scale(found),
    ]
    if found.rival is not None:
        sections.insert(3, _swap_set(found, found.rival))
    rate = share(found.base_rate)
    parts = {
        "rows": counted(found.rows, "rows"),
        "events": amount(found.events),
        "share": say("credit_share_by_weight", share=rate) if found.is_weighted else rate,
        "role": say(_ROLES[found.role]) if found.role in _ROLES else "",
    }
    if found.clusters is None:
        lead = say("credit_lead", **parts)
    else:
        lead = say("credit_lead_groups", groups=amount(found.clusters), **parts)
    return Document(say("credit_title", title=found.title), lead, sections)


def _curves(found: CreditJudgement) -> tuple[Any, ...]:
    from riskcard.plots.credit.separation import draw_cap, draw_ks
    from riskcard.plots.embedded import drawn

    return (
        drawn(
            lambda ax: draw_cap(ax, {"": found.separation}, found.base_rate),
            say("credit_cap_shown"),
            say("credit_cap_caption"),
            (4.2, 4.2),
        ),
        drawn(
            lambda ax: draw_ks(ax, found.outcomes, found.separation),
            say("credit_ks_shown"),
            say("credit_ks_caption"),
            (5.2, 3.9),
        ),
    )


def _drawn_bands(found: CreditJudgement) -> tuple[Any, ...]:
    from riskcard.plots.credit.score_bands import plot_bands
    from riskcard.plots.embedded import drawn

    words = say("credit_bands_shown")
    return (drawn(lambda ax: plot_bands(found.bands, ax), words, size=(7.0, 3.8)),)


def _separation(found: CreditJudgement, pictures: bool) -> Section:
    one, calibration = found.separation, found.calibration
    ks = one.ks
    figures = [
        (say("credit_gini"), with_interval(one.gini, one.gini_interval)),
        ("KS", with_interval(ks.distance, ks.interval)),
        (
            say("credit_ratio"),
            with_interval(calibration.ratio, calibration.ratio_interval),
        ),
        (say("measure_slope"), with_interval(calibration.slope, calibration.slope_interval)),
    ]
    lift = ShownTable(
        (say("credit_tenth"), say("credit_event_rate"), say("credit_lift"), say("credit_captured"),
         say("credit_lift_so_far")),
        [
            (str(row.tenth), share(row.rate), plain(row.lift, 2), share(row.captured),
             plain(row.cumulative_lift, 2))
            for row in one.lift
        ],
        caption=say("credit_lift_caption"),
    )  # fmt: skip
    attained = say(
        "credit_ks_at_most" if found.higher_is_safer else "credit_ks_at_least",
        events=share(ks.events_above),
        others=share(ks.others_above),
        total=str(found.ks_total),
    )
    return Section(
        say("credit_separation"),
        (),
        [ShownTable((say("credit_figure"), say("credit_value")), figures), lift],
        [attained, say("credit_lift_note")],
        _curves(found) if pictures else (),
    )


def _bands(found: CreditJudgement, pictures: bool) -> Section:
    header = [
        say(f"credit_{name}")
        for name in ("total", "rows", "share", "bads", "risk", "bad_rate", "rows_so_far",
                     "goods_so_far", "bads_so_far", "distance")
    ]  # fmt: skip
    rows = [
        (
            one.words.replace(" ", "\u00a0"),  # many columns: a band stays on one line
            amount(one.rows),
            share(one.share),
            amount(one.events),
            "" if one.expected is None else share(one.expected),
            _rate(one.rate),
            share(one.cumulative_rows),
            share(one.cumulative_goods),
            share(one.cumulative_bads),
            share(one.distance),
        )
        for one in found.bands
    ]
    return Section(
        say("credit_bands"),
        [say("credit_bands_lead")],
        [ShownTable(header, rows)],
        [say("credit_bands_note")],
        _drawn_bands(found) if pictures else (),
    )


def _cut_offs(found: CreditJudgement) -> Section:
    approved = "credit_approved_from" if found.higher_is_safer else "credit_approved_up_to"
    others = ("approval_rate", "risk", "bad_rate", "bads_refused", "goods_refused")
    header = (say(approved), *(say(f"credit_{name}") for name in others))
    rows = [
        (
            str(one.at),
            share(one.approved.value),
            "" if one.expected is None else share(one.expected),
            _rate(one.bad_rate),
            share(one.bads_refused.value),
            share(one.goods_refused.value),
        )
        for one in found.cut_offs
    ]
    return Section(
        say("credit_cut_offs"),
        [say("credit_cut_offs_lead")],
        [ShownTable(header, rows)],
        [say("credit_cut_offs_note")],
    )


def _master_scale(found: CreditJudgement) -> Section:
    rows = [
        (
            one.name,
            one.reading,
            say("credit_band_range", low=share(one.low, 2), high=share(one.high, 2)),
            amount(one.rows),
            share(one.share),
            "" if one.expected is None else share(one.expected, 2),
            amount(one.events),
            _rate(one.observed, 2),
            ""
            if one.chance is None
            else f"< {plain(0.001)}"
            if one.chance < 0.001
            else plain(one.chance),
        )
        for one in found.grades
    ]
    header = [
        say(f"credit_{name}")
        for name in (
            "grade",
            "reading",
            "risks",
            "rows",
            "share",
            "mean_risk",
            "bads",
            "bad_rate",
            "p_value",
        )
    ]
    test = "normal" if found.is_weighted else "exact"
    test = test if found.clusters is None else "student"
    note = say(
        "credit_grades_note" if found.clusters is None else "credit_grades_note_groups",
        doubtful=in_figures(f"{DOUBTFUL:g}"),
        out=in_figures(f"{OUT_OF_LINE:g}"),
        n=str(len(found.grades)),
        number=in_figures(f"{DOUBTFUL * len(found.grades):.2g}"),
    )
    table = ShownTable(header, rows, n_left=2)
    return Section(say("credit_master_scale"), [say(f"credit_grades_{test}")], [table], [note])


def _swap_set(found: CreditJudgement, rival: Rival) -> Section:
    swap = rival.swap
    cells = (
        (say("credit_swap_both"), swap.both),
        (say("credit_swap_in"), swap.swapped_in),
        (say("credit_swap_out", name=rival.name), swap.swapped_out),
        (say("credit_swap_neither"), swap.neither),
    )
    rows = [
        (words, amount(one.rows, ",.1f"), amount(one.events, ",.1f"), _rate(one.rate))
        for words, one in cells
    ]
    header = [say(f"credit_{name}") for name in ("applicants", "rows", "bads", "bad_rate")]
    return Section(
        say("credit_against", name=rival.name),
        [
            _gain(rival),
            say(
                "credit_rival_rates",
                share=share(swap.approval_rate),
                own=_rate(swap.card_bad_rate),
                other=_rate(swap.existing_bad_rate),
                name=rival.name,
            ),
        ],
        [ShownTable(header, rows, caption=say("credit_swap_set"))],
        [say("credit_swap_note")],
    )


def _gain(rival: Rival) -> str:
    """By how much the card's Gini is higher or lower, with the interval on that side."""
    gain, is_higher = rival.gini_gain, rival.gini_gain.value >= 0
    ends = gain.interval
    if ends is not None and not is_higher:
        ends = (-ends[1], -ends[0])
    return say(
        "credit_rival_higher" if is_higher else "credit_rival_lower",
        name=rival.name,
        gini=with_interval(rival.gini.value, rival.gini.interval),
        gain=with_interval(abs(gain.value), ends),
    )


def _rate(figure: Figure, digits: int = 1) -> str:
    return share_with_interval(figure.value, figure.interval, digits)
