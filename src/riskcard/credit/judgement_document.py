"""A judgement in the words of credit, as a document: figures, bands, cut-offs, grades, swap set."""

from __future__ import annotations

from typing import Any

from riskcard.credit.judgement import CreditJudgement, Rival
from riskcard.credit.master_scale import DOUBTFUL, OUT_OF_LINE
from riskcard.evaluation.intervals import Figure
from riskcard.formatting.figures import count, plain, share, share_with_interval, with_interval
from riskcard.formatting.pages.document import Document, Section, ShownTable
from riskcard.model.origin.row_role import RowRole

_LIFT = (
    "Tenths of the rows, the riskiest first. Rows of equal risk that lie in two tenths belong to each in "
    "proportion. Lift: the event rate as a multiple of that of all rows."
)
#: What is to be known about the rows before any figure.
_ROLES = {
    RowRole.TRAINING: " These are the rows that the card was learned from: the figures are too good, and do not "
    "show how it performs on others.",
    RowRole.PARTLY: " Among these are the rows that the card was learned from, and those that were held out: the "
    "figures are too good. 'riskcard validate' judges the held-out rows alone.",
    RowRole.RECALIBRATION: " The card was recalibrated on these rows: its risks fit them by construction, and are to "
    "be judged on others.",
}


def judgement_document(found: CreditJudgement, pictures: bool = False) -> Document:
    """All of it; pictures need matplotlib."""
    weighted = " by weight" if found.is_weighted else ""
    sections = [
        _separation(found, pictures),
        _bands(found, pictures),
        _cut_offs(found),
        _master_scale(found),
    ]
    if found.rival is not None:
        sections.insert(3, _swap_set(found, found.rival))
    return Document(
        f"{found.title}: separation, bands and cut-offs",
        f"{count(found.rows, 'row')}, {found.events:,} of them with the event "
        f"({share(found.base_rate)}{weighted}){_in_groups(found)}. Bads have the event, goods do not. Ranges in brackets are "
        f"95 % intervals.{_ROLES.get(found.role, '')}",
        sections,
    )


def _in_groups(found: CreditJudgement) -> str:
    if found.clusters is None:
        return ""
    return f", in {found.clusters:,} groups, for which intervals and tests allow"


def _curves(found: CreditJudgement) -> tuple[Any, ...]:
    from riskcard.plots.credit.separation import draw_cap, draw_ks
    from riskcard.plots.embedded import drawn

    return (
        drawn(
            lambda ax: draw_cap(ax, {"": found.separation}, found.base_rate),
            "The share of all events among the riskiest rows, from none of the rows to all of them",
            "CAP curve. The grey area is between no ranking and a perfect one.",
            (4.2, 4.2),
        ),
        drawn(
            lambda ax: draw_ks(ax, found.outcomes, found.separation),
            "The cumulative distribution of the risk with and without the event",
            "Distributions of the risk, and where they are farthest apart.",
            (5.2, 3.9),
        ),
    )


def _drawn_bands(found: CreditJudgement) -> tuple[Any, ...]:
    from riskcard.plots.credit.score_bands import plot_bands
    from riskcard.plots.embedded import drawn

    words = "Risk on the card and observed rate in each score band, with the share of rows"
    return (drawn(lambda ax: plot_bands(found.bands, ax), words, size=(7.0, 3.8)),)


def _separation(found: CreditJudgement, pictures: bool) -> Section:
    one, calibration = found.separation, found.calibration
    ks = one.ks
    side = "at most" if found.higher_is_safer else "at least"
    figures = [
        ("Gini (2 AUC - 1), accuracy ratio of the CAP", with_interval(one.gini, one.gini_interval)),
        ("KS", with_interval(ks.distance, ks.interval)),
        (
            "Expected / observed events",
            with_interval(calibration.ratio, calibration.ratio_interval),
        ),
        ("Calibration slope", with_interval(calibration.slope, calibration.slope_interval)),
    ]
    lift = ShownTable(
        ("Tenth", "Event rate", "Lift", "Events captured", "Lift so far"),
        [
            (str(row.tenth), share(row.rate), plain(row.lift, 2), share(row.captured),
             plain(row.cumulative_lift, 2))
            for row in one.lift
        ],
        caption="Lift by tenths",
    )  # fmt: skip
    attained = (
        f"The KS is attained where {share(ks.events_above)} of the bads and {share(ks.others_above)} of the "
        f"goods have a total of {side} {found.ks_total}."
    )
    return Section(
        "Separation",
        (),
        [ShownTable(("Figure", "Value"), figures), lift],
        [attained, _LIFT],
        _curves(found) if pictures else (),
    )


def _bands(found: CreditJudgement, pictures: bool) -> Section:
    header = ("Total", "Rows", "Share", "Bads", "Risk", "Bad rate", "Rows so far", "Goods so far",
              "Bads so far", "Distance")  # fmt: skip
    rows = [
        (
            one.words.replace(" ", "\u00a0"),  # many columns: a band stays on one line
            f"{one.rows:,}",
            share(one.share),
            f"{one.events:,}",
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
        "Score bands",
        [
            "The riskiest band first. So far: of all rows, goods and bads, in this band and all riskier ones."
        ],
        [ShownTable(header, rows)],
        ["Risk: mean of the card's risks. Distance: bads so far less goods so far."],
        _drawn_bands(found) if pictures else (),
    )


def _cut_offs(found: CreditJudgement) -> Section:
    words = "from" if found.higher_is_safer else "up to"
    header = (
        f"Approved {words}",
        "Approval rate",
        "Risk",
        "Bad rate",
        "Bads refused",
        "Goods refused",
    )
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
        "Cut-off strategy",
        [
            "What happens among these rows if all applicants on the safe side of a total are approved."
        ],
        [ShownTable(header, rows)],
        [
            "Risk and bad rate are those of the applicants who are approved. Applicants who were refused in "
            "the past are usually not in the data, so these rows do not tell the bad rate of those who would "
            "be approved in addition."
        ],
    )


def _master_scale(found: CreditJudgement) -> Section:
    rows = [
        (
            one.name,
            one.reading,
            f"{share(one.low, 2)} to {share(one.high, 2)}",
            f"{one.rows:,}",
            share(one.share),
            "" if one.expected is None else share(one.expected, 2),
            f"{one.events:,}",
            _rate(one.observed, 2),
            "" if one.chance is None else "< 0.001" if one.chance < 0.001 else plain(one.chance),
        )
        for one in found.grades
    ]
    header = (
        "Grade",
        "Reading",
        "Risks",
        "Rows",
        "Share",
        "Mean risk",
        "Bads",
        "Bad rate",
        "p-value",
    )
    test = "the normal approximation" if found.is_weighted else "the exact binomial test"
    test = test if found.clusters is None else "Student's test for the effective number of rows"
    return Section(
        "Master scale",
        [f"Grades by risk, the safest first, each tested against what happened by {test}."],
        [ShownTable(header, rows, n_left=2)],
        [
            f"Doubtful: a p-value below {DOUBTFUL:g}; risk too low or too high: below {OUT_OF_LINE:g}. The test "
            f"treats defaults{'' if found.clusters is None else ' of different groups'} as independent; in a downturn they are not, and it rejects more often than it says. "
            f"With {len(found.grades)} grades, about {DOUBTFUL * len(found.grades):.2g} would be doubtful or worse "
            "by chance."
        ],
    )


def _swap_set(found: CreditJudgement, rival: Rival) -> Section:
    swap = rival.swap
    cells = (
        ("approved by both", swap.both),
        ("swapped in: approved by the card only", swap.swapped_in),
        (f"swapped out: approved by {rival.name} only", swap.swapped_out),
        ("refused by both", swap.neither),
    )
    rows = [
        (words, f"{one.rows:,.1f}", f"{one.events:,.1f}", _rate(one.rate)) for words, one in cells
    ]
    return Section(
        f"Against {rival.name}",
        [
            f"Gini of {rival.name}: {with_interval(rival.gini.value, rival.gini.interval)}. That of the card is "
            f"{_gain(rival.gini_gain)} on the same rows.",
            f"If either approves {share(swap.approval_rate)} of the rows, the bad rate is "
            f"{_rate(swap.card_bad_rate)} with the card and {_rate(swap.existing_bad_rate)} with {rival.name}.",
        ],
        [ShownTable(("Applicants", "Rows", "Bads", "Bad rate"), rows, caption="Swap set")],
        [
            "Where rows tie at a cut-off, each counts as approved by the share that is needed, so that both "
            "approve the same number."
        ],
    )


def _gain(gain: Figure) -> str:
    """By how much a figure is higher or lower, with the interval on that side."""
    if gain.value >= 0:
        return f"higher by {with_interval(gain.value, gain.interval)}"
    ends = None if gain.interval is None else (-gain.interval[1], -gain.interval[0])
    return f"lower by {with_interval(-gain.value, ends)}"


def _rate(figure: Figure, digits: int = 1) -> str:
    return share_with_interval(figure.value, figure.interval, digits)
