"""The benchmark by one command: ``python -m benchmarks a b c --data FOLDER --keep FOLDER -o PAGE``."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.bench import Bench, run_jobs
from benchmarks.calls import Desk
from benchmarks.methods import METHODS
from benchmarks.page import render, write_pages
from benchmarks.peers import PEERS, Environment, install
from benchmarks.published import from_csv, origins
from benchmarks.questions import growing, held_out_rows, proving, recovering, starting, training
from benchmarks.questions.common import Plan
from benchmarks.store import Job, Store
from benchmarks.tables import names_of_tables

__all__ = ["QUESTIONS", "main"]

#: Every question by its letter.
QUESTIONS: dict[str, ModuleType] = {
    "a": training,
    "b": held_out_rows,
    "c": proving,
    "d": recovering,
    "e": growing,
    "f": starting,
}
EPILOGUE = """\
questions:
  a  training loss and time        d  recovery of planted cards
  b  held-out rows                 e  growth with rows, features and terms
  c  proofs                        f  cold start and prediction

A stopped run continues where it was if --keep names the same folder, or from what it
has published: --published docs/benchmarks.csv.
A full run takes many hours; the options make it smaller, and the page says so.
"""


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    full = Plan(())
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Compare riskcard with other methods and write a page.",
        epilog=EPILOGUE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("questions", nargs="*", metavar="QUESTION", help="a to f; all by default")
    parser.add_argument("--data", type=Path, help="folder of CSV files, the target last")
    parser.add_argument(
        "--new-tables",
        type=Path,
        metavar="FOLDER",
        help="CSV files on which nothing was developed, for b alone; benchmarks.r_tables writes such",
    )
    parser.add_argument("--keep", type=Path, help="folder that keeps what is finished")
    parser.add_argument(
        "--published",
        type=Path,
        help="CSV of an earlier run, whose jobs need not be done again; read when --keep has none",
    )
    parser.add_argument("--peers", type=Path, help="folder of the environments of other packages")
    parser.add_argument(
        "-o", "--output", type=Path, help="the first page, such as docs/benchmarks.md"
    )
    parser.add_argument(
        "--notes", type=Path, help="a text that is put on the page after the losses"
    )
    parser.add_argument("--tables", nargs="+", help="only these")
    parser.add_argument("--methods", nargs="+", metavar="METHOD", help="run only these for now")
    parser.add_argument("--terms", type=int, nargs="+", default=full.terms)
    parser.add_argument("--folds", type=int, default=full.folds, help="of the rows, in b")
    parser.add_argument("--limits", type=float, nargs="+", default=full.limits, help="seconds")
    parser.add_argument(
        "--rival-limit",
        type=float,
        default=full.rival_limit,
        help="seconds in c where others take part or steps are limited",
    )
    parser.add_argument(
        "--long-tables",
        nargs="+",
        default=full.long_tables,
        metavar="TABLE",
        help="tables of c on which all get the longest limit in addition, such as pima paper:200:0",
    )
    parser.add_argument(
        "--planted-limit", type=float, default=full.planted_limit, help="seconds in d"
    )
    parser.add_argument("--repeats", type=int, default=full.repeats, help="of timed fits")
    parser.add_argument("--seeds", type=int, default=full.seeds, help="tables per family, in d")
    parser.add_argument("--rows", type=int, nargs="+", default=full.rows, help="in e")
    parser.add_argument("--features", type=int, nargs="+", default=full.features, help="in e")
    parser.add_argument("--sizes", type=int, nargs="+", default=full.sizes, help="terms in e")
    parser.add_argument("--cap", type=float, default=full.cap, help="seconds of one fit in e")
    parser.add_argument("--memory", type=float, default=full.memory, help="bytes of one fit in e")
    parser.add_argument(
        "--no-run", action="store_true", help="only write the page of what is finished"
    )
    parser.add_argument(
        "--again", nargs="+", default=[], metavar="METHOD", help="measure again, in these questions"
    )
    given = parser.parse_args(arguments)
    unknown = [letter for letter in given.questions if letter not in QUESTIONS]
    if unknown:
        parser.error(f"there is no question {unknown[0]!r}: use {', '.join(QUESTIONS)}")
    unknown = [name for name in [*given.again, *(given.methods or [])] if name not in METHODS]
    if unknown:
        parser.error(f"there is no method {unknown[0]!r}: use {', '.join(METHODS)}")
    for option in ("data", "new_tables"):
        folder = getattr(given, option)
        if folder is not None and not folder.is_dir():
            parser.error(f"--{option.replace('_', '-')} {folder} is not a folder")
    if given.published is not None and not given.published.is_file():
        parser.error(f"--published {given.published} is not a file")
    return given


def names_in(folder: Path | None) -> tuple[str, ...]:
    """The tables of a folder."""
    return () if folder is None else tuple(sorted(path.stem for path in folder.glob("*.csv")))


def plan_of(given: argparse.Namespace) -> Plan:
    """What the command line asks for; every table that is no family by default."""
    files = names_in(given.data)
    tables = tuple(given.tables or [*files, "breast_cancer"])
    known = set(names_of_tables(given.data))
    for table in tables:
        if table.split(":")[0] not in known:
            raise SystemExit(f"There is no table {table!r}. Known are {', '.join(sorted(known))}.")
    asked = [*tables, *proving.SMALL]
    for table in given.long_tables:
        if table not in asked:
            raise SystemExit(f"--long-tables {table}: asked about are only {', '.join(asked)}.")
    return Plan(
        tables=tables,
        terms=tuple(given.terms),
        new_tables=names_in(given.new_tables),
        folds=given.folds,
        limits=tuple(given.limits),
        rival_limit=given.rival_limit,
        long_tables=tuple(given.long_tables),
        planted_limit=given.planted_limit,
        repeats=given.repeats,
        seeds=given.seeds,
        rows=tuple(given.rows),
        features=tuple(given.features),
        sizes=tuple(given.sizes),
        cap=given.cap,
        memory=given.memory,
    )


def reductions(plan: Plan, letters: Sequence[str], given: argparse.Namespace) -> list[str]:
    """What a full run has and this one has not."""
    full, found = Plan(()), []
    files = names_in(given.data)
    left_out = [name for name in files if name not in plan.tables]
    if left_out or given.data is None:
        found.append(f"tables left out: {', '.join(left_out) or 'a folder of real tables'}")
    for name, word in (
        ("terms", "sizes of cards"), ("limits", "seconds for proofs"), ("rows", "rows in (e)"),
        ("features", "features in (e)"), ("sizes", "terms in (e)"),
    ):  # fmt: skip
        have, want = getattr(plan, name), getattr(full, name)
        if not set(want) <= set(have):
            found.append(f"{word}: {listed(have)} instead of {listed(want)}")
    for name, word in (
        ("rival_limit", "seconds for proofs where other solvers take part or steps are limited"), ("folds", "folds in (b)"), ("repeats", "repeats of timed fits"),
        ("seeds", "tables of each family in (d)"), ("planted_limit", "seconds for methods with a limit in (d)"),
        ("cap", "seconds after which a method is not tried on larger tables in (e)"),
    ):  # fmt: skip
        if getattr(plan, name) < getattr(full, name):
            found.append(f"{word}: {getattr(plan, name):g} instead of {getattr(full, name):g}")
            if name == "rival_limit" and plan.long_tables:
                found[-1] += f"; on {', '.join(plan.long_tables)} both, if other solvers take part"
    missing = [letter for letter in QUESTIONS if letter not in letters]
    if missing:
        found.append(f"questions left out: {', '.join(missing)}")
    return found


def listed(values: Sequence[float]) -> str:
    return ", ".join(f"{value:,.0f}" for value in values)


def needed_peers(jobs: Mapping[str, Sequence[Job]]) -> list[str]:
    """The environments that jobs need; those of the cold start include our own."""
    names = {METHODS[job.method].peer for some in jobs.values() for job in some} - {None}
    if "f" in jobs:
        names |= set(starting.NEEDED)
    return [name for name in PEERS if name in names]


def say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def run(given: argparse.Namespace, store: Store, folder: Path) -> str:
    """Do what is left to do; the pages, one after the other."""
    plan, letters = plan_of(given), given.questions or list(QUESTIONS)
    jobs = {letter: QUESTIONS[letter].jobs(plan) for letter in letters}
    home = given.peers or (given.keep or folder) / "peers"
    needed = needed_peers(jobs)
    if given.no_run:
        needed = [name for name in needed if (home / name).is_dir()]
    environments = environments_of(needed, home)
    if not given.no_run:
        run_questions(given, plan, jobs, environments, store, folder)
    sections, kept = [], []
    reduced = reductions(plan, letters, given)
    for letter in letters:
        asked = set(jobs[letter])
        finished = [one for one in store.kept(letter) if one.job in asked]
        if len(finished) < len(asked):
            reduced.append(f"finished jobs of ({letter}): {len(finished)} of {len(asked)}")
        if finished:
            sections.append(QUESTIONS[letter].section(finished, plan))
            kept += finished
    remarks = [*(f"Reduced: {sentence}" for sentence in reduced), *origins(kept)]
    command = ["python", "-m", "benchmarks", *shown_arguments(sys.argv[1:])]
    notes = "" if given.notes is None else given.notes.read_text(encoding="utf-8")
    stem = "benchmarks" if given.output is None else given.output.stem
    pages = render(sections, command, environments, remarks, notes, stem)
    if given.output is not None:
        write_pages(given.output, pages, sections, kept)
        say(f"Wrote {given.output} and {len(pages) - 1} pages next to it.")
    return "\n".join(pages.values())


def environments_of(names: Sequence[str], home: Path) -> dict[str, Environment]:
    """Install what is not there yet, and say what cannot be."""
    environments = {}
    for name in names:
        say(f"the environment of {name} ...")
        environments[name] = install(PEERS[name], home)
        if environments[name].reason:
            say(f"  could not be installed: {environments[name].reason}")
    return environments


def run_questions(
    given: argparse.Namespace,
    plan: Plan,
    jobs: Mapping[str, Sequence[Job]],
    environments: dict[str, Environment],
    store: Store,
    folder: Path,
) -> None:
    """Measure every job that is not finished; cold starts first."""
    desk = Desk(folder)
    folders = [folder for folder in (given.data, given.new_tables) if folder is not None]
    bench = Bench(desk, folders, environments, plan.folds)
    measures: dict[str, Callable[[Job], dict[str, Any]]] = {
        "a": training.measurer(bench, store),
        "e": growing.measurer(bench, desk, store, plan),
        "f": starting.measurer(bench, desk, environments, plan),
    }
    try:
        for letter in sorted(jobs, key=lambda one: one != "f"):
            chosen = [
                job for job in jobs[letter] if not given.methods or job.method in given.methods
            ]
            run_jobs(chosen, store, measures.get(letter, bench.run), say)
    finally:
        bench.close()


def shown_arguments(arguments: Sequence[str]) -> list[str]:
    """The command line without the folders of this machine."""
    folders = (
        "--data",
        "--new-tables",
        "--keep",
        "--peers",
        "--published",
        "--notes",
        "-o",
        "--output",
    )
    shown = list(arguments)
    for place, word in enumerate(arguments[:-1]):
        if word in folders:
            words = {"-o": "PAGE", "--output": "PAGE", "--notes": "NOTES", "--published": "CSV"}
            shown[place + 1] = words.get(word, "FOLDER")
    return shown


def stop(number: int, frame: Any) -> None:
    """A polite request to end is treated as Ctrl-C, so that workers are ended and files removed."""
    raise KeyboardInterrupt


def main(arguments: Sequence[str] | None = None) -> int:
    given = parse(arguments)
    signal.signal(signal.SIGTERM, stop)
    if given.keep is not None:
        given.keep.mkdir(parents=True, exist_ok=True)
    store = Store(given.keep)
    if given.published is not None:
        store.take_over(from_csv(given.published))
    if given.again:
        dropped = store.forget(given.again, given.questions or QUESTIONS)
        say(f"{dropped} finished jobs are measured again")
    with tempfile.TemporaryDirectory(prefix="riskcard-benchmark-") as folder:
        try:
            text = run(given, store, Path(folder))
        except KeyboardInterrupt:
            where = "" if given.keep is None else f" and kept in {given.keep}"
            say(f"Stopped. {len(store)} jobs are finished{where}.")
            return 130
    if given.output is None:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
