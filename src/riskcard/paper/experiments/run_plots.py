"""Pictures of the runs: loss against time, and solving time against the size of the problem."""

import importlib
from collections.abc import Callable, Sequence
from math import log
from pathlib import Path
from typing import Any

from riskcard.extras import import_extra
from riskcard.paper.experiments.methods import METHODS, OURS
from riskcard.paper.experiments.published import PAPER_LIMIT, PUBLISHED
from riskcard.paper.experiments.result_tables import RowResults
from riskcard.paper.experiments.table_rows import Row

COLUMNS = 4
DOTS = 110
#: What a panel of times shows: its title, its axis, which rows belong to it, and their positions.
Panel = tuple[str, str, Callable[[Row], bool], Callable[[Row], int]]
PANELS: tuple[Panel, ...] = (
    ("p = k, N = 200", "features p", lambda row: row.n_rows == 200 and row.k == row.n_features,
     lambda row: row.n_features),
    ("p = k = 1", "rows N", lambda row: row.n_features == 1, lambda row: row.n_rows),
    ("p = k = 2", "rows N", lambda row: row.n_features == 2, lambda row: row.n_rows),
)  # fmt: skip


def draw_losses(results: Sequence[RowResults], path: Path) -> None:
    """For each row the loss of the best card so far against time, one line per method."""
    plotting = _import_matplotlib()
    lines = -(-len(results) // COLUMNS)
    figure, panels = plotting.subplots(
        lines, COLUMNS, figsize=(3.3 * COLUMNS, 2.5 * lines + 0.6), squeeze=False
    )
    for panel in panels.flat[len(results) :]:
        panel.axis("off")
    for panel, one in zip(panels.flat, results, strict=False):
        _draw_row(panel, one)
        panel.set_xlim(*_span_of_times(results))
    for panel in panels[:, 0]:
        panel.set_ylabel("loss")
    names = [name for name in METHODS if any(name in one.runs for one in results)]
    _finish(plotting, figure, names, path)


def _draw_row(panel: Any, results: RowResults) -> None:
    panel.set(xscale="log", yscale="log")
    panel.set_title(str(results.row), fontsize=9)
    for cell, finished in results.runs.values():
        outcome, colour, mark = finished.outcome, cell.method.colour, cell.method.mark
        if not outcome.history:
            continue
        times = [seconds for seconds, _ in outcome.history]
        losses = [loss for _, loss in outcome.history]
        end = cell.limit if outcome.ending == "limit" else outcome.seconds
        panel.step([*times, max(end, times[-1])], [*losses, losses[-1]], where="post", color=colour)
        panel.plot(times[-1:], losses[-1:], mark, color=colour, markersize=5)
    ours = results.outcome(OURS)
    if ours is not None and ours.ending == "proven" and ours.loss is not None:
        panel.axhline(ours.loss, color=METHODS[OURS].colour, linewidth=0.7, linestyle=":")
        panel.set_ylim(ours.loss / 2, _highest(results))
    panel.set_xlabel("seconds", fontsize=8)
    panel.tick_params(labelsize=7, which="both")


def _span_of_times(results: Sequence[RowResults]) -> tuple[float, float]:
    """From before the first card of all to after the last run, the same for all panels."""
    runs = [run for one in results for run in one.runs.values()]
    times = [one.outcome.seconds for _, one in runs if one.outcome.seconds > 0]
    firsts = [one.outcome.history[0][0] for _, one in runs if one.outcome.history]
    return 0.7 * min([*firsts, *times]), 1.4 * max([cell.limit for cell, _ in runs])


def _highest(results: RowResults) -> float:
    """The upper end of the losses worth seeing: solvers begin with points that no card would have."""
    finals = [finished.outcome.loss for _, finished in results.runs.values()]
    no_card = results.row.n_rows * log(2)  # the loss of no points at all
    return 3 * max(no_card, *(loss for loss in finals if loss is not None))


def draw_times(results: Sequence[RowResults], path: Path) -> None:
    """Total time against the number of features and of rows; open marks were stopped at a limit."""
    plotting = _import_matplotlib()
    figure, panels = plotting.subplots(1, len(PANELS), figsize=(4.2 * len(PANELS), 4.4))
    names = [name for name in METHODS if any(name in one.runs for one in results)]
    for panel, (title, axis, belongs, place) in zip(panels, PANELS, strict=True):
        rows = sorted((one for one in results if belongs(one.row)), key=lambda one: place(one.row))
        panel.set(xscale="log", yscale="log", title=title, xlabel=axis)
        for name in names:
            points = [
                (place(one.row), *_time_of(one, name))
                for one in rows
                if one.outcome(name) is not None
            ]
            _draw_line(panel, points, METHODS[name].colour, METHODS[name].mark)
        _draw_line(panel, _published_points(rows, place), METHODS["bonmin"].colour, "x", "--")
        ticks = [place(one.row) for one in rows]
        panel.set_xticks(
            ticks, [str(tick) for tick in ticks], rotation=45 if max(ticks, default=0) > 9 else 0
        )
        panel.minorticks_off()
        panel.grid(axis="y", alpha=0.3)
    panels[0].set_ylabel("seconds (open: stopped at the limit)")
    _finish(plotting, figure, names, path, has_published=True)


def _time_of(results: RowResults, name: str) -> tuple[float, bool]:
    """Seconds, and whether the run ended by itself."""
    cell, finished = results.runs[name]
    is_done = finished.outcome.ending != "limit"
    return (finished.outcome.seconds if is_done else cell.limit), is_done


def _published_points(
    rows: Sequence[RowResults], place: Callable[[Row], int]
) -> list[tuple[int, float, bool]]:
    told = {Row(*one.size): one.bonmin.seconds for one in PUBLISHED}
    return [
        (place(one.row), told[one.row] or PAPER_LIMIT, told[one.row] is not None) for one in rows
    ]


def _draw_line(
    panel: Any, points: Sequence[tuple[int, float, bool]], colour: str, mark: str, line: str = "-"
) -> None:
    places, times = [one[0] for one in points], [one[1] for one in points]
    panel.plot(places, times, line, color=colour, linewidth=1, alpha=0.7)
    for at, seconds, is_done in points:
        fill = colour if is_done else "white"
        panel.plot([at], [seconds], mark, color=colour, markerfacecolor=fill, markersize=6)


def _finish(
    plotting: Any, figure: Any, names: Sequence[str], path: Path, has_published: bool = False
) -> None:
    """One legend for all panels, and the file."""
    lines = importlib.import_module("matplotlib.lines")
    methods = [METHODS[name] for name in names]
    labels = [(one.colour, one.mark, "-", one.title) for one in methods]
    if has_published:
        title = f"BONMIN in the paper, limit {PAPER_LIMIT:g} s"
        labels.append((METHODS["bonmin"].colour, "x", "--", title))
    handles = [
        lines.Line2D([], [], color=colour, marker=mark, linestyle=line, label=label)
        for colour, mark, line, label in labels
    ]
    figure.legend(handles=handles, loc="lower center", ncols=5, fontsize=8, frameon=False)
    height = figure.get_size_inches()[1]
    figure.tight_layout(rect=(0, 0.75 / height, 1, 1))
    figure.savefig(path, dpi=DOTS, metadata={"Software": None})
    plotting.close(figure)


def _import_matplotlib() -> Any:
    otherwise = "; until then the page has no pictures."
    import_extra("matplotlib", "A picture of the runs", "plots", otherwise).use("Agg")
    return importlib.import_module("matplotlib.pyplot")
