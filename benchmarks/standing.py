"""Where riskcard stands: the table and the picture at the head of the benchmark page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.questions.common import Duel, Section

PICTURE = "benchmark_standing.png"
HEAD = "| question | riskcard | best of the others | riskcard ahead? |\n|---|---|---|---|\n"
CAPTION = (
    "*Share of the cases (a table and a number of terms each) in which riskcard is better than another method (dark), "
    "the same (pale) or worse (hatched).*"
)
NOTE = (
    "*Ahead* means a better figure, not a significant difference; the page on held-out rows has the tests. *Default* "
    "and *lowest loss* (`--lowest-loss`) are two settings of riskcard. On *new* tables nothing of the default "
    "was tuned; one change was accepted after a look at them (see *choosing*). Rows of most *used* ones took part."
)
#: Outcomes of a comparison, as they are drawn; they can be told apart without colours.
STYLES = (
    ("better", "#1f5a99", ""),
    ("same", "#d9d9d9", ""),
    ("worse", "#f2b48c", "///"),
)


def standing_of(sections: Sequence[Section]) -> str:
    """The picture and the table as Markdown; empty when nothing can be compared."""
    rows = [one for section in sections for one in section.standing]
    if not rows:
        return ""
    picture = ""
    if any(section.duels for section in sections):
        picture = f"![riskcard against each method](images/{PICTURE})\n\n{CAPTION}\n\n"
    lines = [f"| {one.question} | {one.ours} | {one.others} | {one.verdict} |" for one in rows]
    return picture + HEAD + "\n".join(lines) + f"\n\n{NOTE}\n"


def draw_standing(sections: Iterable[Section], folder: Path) -> None:
    """One panel for each measure, one bar for each rival."""
    duels = [one for section in sections for one in section.duels]
    measures = list(dict.fromkeys(one.measure for one in duels))
    if not measures:
        return
    from matplotlib.figure import Figure

    rivals = list(dict.fromkeys(one.rival for one in duels))
    figure = Figure(figsize=(11, 1.4 + 0.32 * len(rivals)))
    all_axes = figure.subplots(1, len(measures), sharey=True, squeeze=False)[0]
    for axes, measure in zip(all_axes, measures, strict=True):
        _draw(axes, [one for one in duels if one.measure == measure], rivals)
        axes.set_title(measure, fontsize=9)
    handles, labels = all_axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, ncols=len(STYLES), fontsize=8, loc="lower center")
    figure.tight_layout(rect=(0, 0.08, 1, 1))
    figure.savefig(folder / PICTURE, dpi=110)


def _draw(axes: Any, duels: Sequence[Duel], rivals: Sequence[str]) -> None:
    places = [len(rivals) - rivals.index(one.rival) for one in duels]
    left = [0.0] * len(duels)
    for name, colour, hatch in STYLES:
        shares = [100 * getattr(one, name) / one.cases for one in duels]
        axes.barh(
            places, shares, left=left, color=colour, hatch=hatch, edgecolor="#666666", lw=0.5,
            height=0.7, label=f"riskcard is {name}",
        )  # fmt: skip
        left = [start + share for start, share in zip(left, shares, strict=True)]
    axes.set_xlim(0, 100)
    axes.set_xticks([0, 50, 100], ["0", "50", "100 %"], fontsize=8)
    axes.set_yticks(range(len(rivals), 0, -1), rivals, fontsize=8)
    axes.tick_params(length=0)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
