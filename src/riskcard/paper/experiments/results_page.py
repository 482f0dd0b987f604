"""The results page: what was run, on what, what came out, and pictures of it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from riskcard.errors import SolverMissing
from riskcard.formatting.templates import render
from riskcard.output_files import write_whole
from riskcard.paper.experiments.methods import METHODS, OURS
from riskcard.paper.experiments.published import MISPRINT, PAPER_LIMIT, TITLES
from riskcard.paper.experiments.result_tables import (
    RowResults,
    lines_of,
    seconds_text,
    speed_up,
    speed_up_text,
    to_markdown,
)
from riskcard.paper.experiments.run_plots import draw_losses, draw_times
from riskcard.paper.experiments.runs.run_store import Cell, Finished
from riskcard.paper.experiments.table_rows import Row
from riskcard.paper.wrapped_prose import wrap_prose

#: The speed-up over BONMIN that the page counts.
ASKED = 1000
IMAGES = "images"
LOSSES, TIMES = "paper_losses.png", "paper_times.png"


def write_page(path: Path, tables: Sequence[int], results: Mapping[Row, RowResults]) -> list[str]:
    """Write the page, and its pictures into ``images`` next to it.

    Returns
    -------
    list of str
        What the user should know, such as that the pictures are left out.
    """
    run = [one for one in results.values() if one.runs]
    folder, remarks, has_pictures = path.parent / IMAGES, [], bool(run)
    try:
        if run:
            folder.mkdir(parents=True, exist_ok=True)
            draw_losses(run, folder / LOSSES)
            draw_times(run, folder / TIMES)
    except SolverMissing as error:
        remarks.append(str(error))
        has_pictures = False
    write_whole(path, render_page(tables, results, has_pictures))
    return [*remarks, f"Wrote {path}."]


def render_page(
    tables: Sequence[int], results: Mapping[Row, RowResults], has_pictures: bool
) -> str:
    """The page as Markdown; its prose is in ``templates/results.md.j2``."""
    runs = [run for one in results.values() for run in one.runs.values()]
    found = [ratio for one in results.values() if (ratio := speed_up(one)) is not None]
    text = render(
        "paper/experiments/templates/results.md.j2",
        results=results,
        conditions=_conditions(runs),
        late=_latest(runs),
        ratios=[ratio for ratio, _ in found],
        n_exact=sum(is_exact for _, is_exact in found),
        false_claims=[
            (row, cell.method.title, finished.outcome)
            for row, one in results.items()
            for name, (cell, finished) in one.runs.items()
            if one.verdict(name) == "claim is false"
        ],
        tables=[
            (TITLES[one], to_markdown(lines)) for one in tables if (lines := lines_of(one, results))
        ],
        has_pictures=has_pictures,
        ours=OURS,
        seconds_text=seconds_text,
        speed_up_text=speed_up_text,
        asked=ASKED,
        paper_limit=PAPER_LIMIT,
        misprint=MISPRINT,
        images=IMAGES,
        losses=LOSSES,
        times=TIMES,
    )
    return wrap_prose(text)


def _conditions(runs: Sequence[tuple[Cell, Finished]]) -> dict[str, str]:
    """When, on which machine and with which limits the runs were made."""
    limits: dict[float, list[str]] = {}
    for name, method in METHODS.items():
        for limit in sorted({cell.limit for cell, _ in runs if cell.method.name == name}):
            limits.setdefault(limit, []).append(method.title)
    listed = [f"{limit:g} s ({'; '.join(names)})" for limit, names in sorted(limits.items())]
    finished = [one for _, one in runs]
    fields = {name: _distinct(finished, name) for name in ("date", "machine", "software")}
    return fields | {"limits": ", ".join(listed)}


def _latest(runs: Sequence[tuple[Cell, Finished]]) -> tuple[float, Cell] | None:
    """The run furthest past its limit, if one took more than 1.5 times as long as allowed."""
    late = [(one.outcome.seconds, cell) for cell, one in runs]
    late = [(seconds, cell) for seconds, cell in late if seconds > 1.5 * cell.limit]
    return max(late, key=lambda pair: pair[0] - pair[1].limit) if late else None


def _distinct(finished: Sequence[Finished], field: str) -> str:
    """The distinct values of a field; in lists of versions each version once."""
    values = sorted({getattr(one, field) for one in finished})
    if field == "software":
        values = sorted({part for value in values for part in value.split(", ")}, key=str.lower)
        return ", ".join(values)
    return "; ".join(values)
