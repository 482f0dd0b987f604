"""The command ``riskcard experiment``: choose the runs, make them, write the tables."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from riskcard.cli.remarks import say
from riskcard.errors import FormatError
from riskcard.output_files import write_whole
from riskcard.paper.experiments.methods import METHODS, Method, is_installed
from riskcard.paper.experiments.table_rows import TABLES, choose_rows, distinct_rows

if TYPE_CHECKING:
    from riskcard.paper.experiments.runs.run_store import Cell, Store

_FAILED, _INTERRUPTED = 1, 130


def run_experiment(options: Namespace) -> int:
    """Run the rows of the paper's tables and write them as CSV and Markdown."""
    from riskcard.paper.experiments.runs.run_progress import ExperimentDisplay
    from riskcard.paper.experiments.runs.run_store import Store
    from riskcard.paper.experiments.runs.runner import make_cells, run_cells

    tables = TABLES[options.table]
    rows = choose_rows(distinct_rows(tables), options.rows)
    methods = _installed([METHODS[name] for name in options.solvers or METHODS])
    cells = make_cells(rows, methods, _limits(options))
    store = Store(_make_folder(options.output))
    if options.fresh:
        store.forget(cells)
    try:
        with ExperimentDisplay(is_quiet=options.quiet) as display:
            run_cells(cells, store, display)
    except KeyboardInterrupt:
        _write(options, tables, cells, store)
        done = sum(store.get(cell) is not None for cell in cells)
        say(
            f"Interrupted. {done} of {len(cells)} runs are finished and kept in {options.output}; "
            "the same command goes on with the others."
        )
        return _INTERRUPTED
    _write(options, tables, cells, store)
    return _FAILED if _failed(cells, store) else 0


def _installed(methods: Sequence[Method]) -> list[Method]:
    """The methods that can be run; of the others it is said how to get them."""
    for method in methods:
        if not is_installed(method):
            say(
                f"{method.title} is left out: {method.package!r} is not installed. "
                f'Install it with: pip install "riskcard[{method.extra}]"'
            )
    return [method for method in methods if is_installed(method)]


def _limits(options: Namespace) -> dict[str, float]:
    """Seconds by method: a limit of one method wins over a limit of all."""
    limits: dict[str, float] = {}
    for name, seconds in sorted(options.time_limit, key=lambda pair: pair[0] is not None):
        limits.update({name: seconds} if name is not None else dict.fromkeys(METHODS, seconds))
    return limits


def _make_folder(name: str) -> Path:
    folder = Path(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FormatError(
            f"The folder {name!r} cannot be made: {error.strerror or error}. "
            "Choose another with --output."
        ) from None
    return folder


def _write(options: Namespace, tables: Sequence[int], cells: Sequence[Cell], store: Store) -> None:
    """Write the tables, with whatever is finished."""
    from riskcard.paper.experiments.published import TITLES
    from riskcard.paper.experiments.result_tables import gather, lines_of, to_csv, to_markdown

    results = gather(cells, store)
    folder = Path(options.output)
    for table in tables:
        lines = lines_of(table, results)
        if lines:
            write_whole(folder / f"table{table}.csv", to_csv(lines))
            text = f"# {TITLES[table]}\n\n{to_markdown(lines)}"
            write_whole(folder / f"table{table}.md", text)
    if options.page is not None:
        from riskcard.paper.experiments.results_page import write_page

        for remark in write_page(Path(options.page), tables, results):
            say(remark)
    if not options.quiet:
        say(f"Wrote the tables to {options.output}.")


def _failed(cells: Sequence[Cell], store: Store) -> bool:
    found = [store.get(cell) for cell in cells]
    return any(one is not None and one.outcome.ending == "failed" for one in found)
