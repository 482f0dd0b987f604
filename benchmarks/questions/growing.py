"""(e) Growth: processor time and memory with rows, features and terms, and fitted exponents."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.bench import PLAIN, Bench, small_table
from benchmarks.calls import Call, Desk, Worker
from benchmarks.methods import LOWEST_LOSS, METHODS, title_of
from benchmarks.questions.common import (
    Plan,
    Section,
    Standing,
    best_of,
    markdown_table,
    reasons,
    verdict_on,
)
from benchmarks.store import NOT_INSTALLED, Job, Kept, Store

__all__ = ["AXES", "PICTURE", "exponent", "jobs", "measurer", "section"]

PICTURE = "benchmark_growth.png"
#: Who is measured: cards, and scikit-learn for the scale.
NAMES = (LOWEST_LOSS, "imodels-99", "fasterrisk", "round", "optbinning", "logistic", "boosting")
#: What stays the same along an axis.
COLUMNS, ROWS, TERMS = 10, 1000, 5
WIDE_ROWS = 10_000
AXES = ("rows", "features", "terms")
#: Fits that take longer are not repeated, in seconds.
LONG = 60.0
#: Times and amounts of memory that differ by no more than this, relatively, count as the same.
NOISE = 0.05
#: Exponents are fitted to this many of the largest sizes.
LAST_SIZES = 3
#: Shorter times are mainly overhead and say nothing about growth.
LEAST_SECONDS = 0.01


def jobs(plan: Plan) -> list[Job]:
    """Along each axis the smallest first, the methods in turn."""
    tables = {
        "rows": [(f"steps:{n}:{COLUMNS}", TERMS) for n in plan.rows],
        "features": [(f"steps:{ROWS}:{p}", TERMS) for p in plan.features],
        "terms": [(f"steps:{WIDE_ROWS}:{2 * COLUMNS}", terms) for terms in plan.sizes],
    }
    return [
        # the axis takes the place of the view in other questions
        Job("e", name, table, axis, terms)
        for axis, points in tables.items()
        for table, terms in points
        for name in (NAMES if axis != "terms" else [n for n in NAMES if METHODS[n].has_card])
    ]


def measurer(bench: Bench, desk: Desk, store: Store, plan: Plan) -> Callable[[Job], dict[str, Any]]:
    """A function that measures one job, in a process of its own so that its memory can be read."""

    def measure(job: Job) -> dict[str, Any]:
        method = METHODS[job.method]
        python = bench.python(method)
        if not python:
            return {"error": f"{NOT_INSTALLED}: {bench.reason(method)}"}
        slow = too_slow(job, store, plan.cap)
        if slow:
            return {"error": slow}
        table = bench.table(job.table, PLAIN)
        settings = method.settings(job.terms, 0.0)
        with Worker(method.worker[0], python, plan.memory) as worker:
            desk.ask(worker, Call(method.worker[1], settings, 600.0), small_table(PLAIN))
            call = Call(method.worker[1], settings, plan.cap)
            answer = desk.ask(worker, call, table)
            if answer.get("processor", LONG) < LONG:
                # some compile for sizes that the small table does not have; the memory is that of the first
                again = desk.ask(worker, call, table)
                answer |= {key: again[key] for key in ("seconds", "processor") if key in again}
        kept = ("seconds", "processor", "peak", "error")
        return {key: answer[key] for key in kept if key in answer}

    return measure


def too_slow(job: Job, store: Store, cap: float) -> str:
    """Why a job is not tried: the method failed or was slow on a smaller one of the same axis."""
    for one in store.kept("e"):
        if (one.job.method, one.job.view) != (job.method, job.view):
            continue
        if size_of(one.job) < size_of(job):
            if one.failed:
                return f"not tried: {one.job.table} gave no figures"
            if one.figures["processor"] > cap:
                return f"not tried: {one.job.table} took {one.figures['processor']:.0f} s"
    return ""


def size_of(job: Job) -> int:
    """The place of a job on its axis."""
    _, n_rows, n_columns = job.table.split(":")
    return {"rows": int(n_rows), "features": int(n_columns), "terms": job.terms}[job.view]


def exponent(sizes: list[int], values: list[float]) -> float:
    """The slope of a line through the logarithms; NaN with fewer than three points."""
    if len(sizes) < 3:
        return math.nan
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def section(kept: list[Kept], plan: Plan) -> Section:
    """Times, memory and exponents along each axis."""
    text = (
        "Normal columns; the labels depend on steps in five of them (`benchmarks/million.py`). Along *rows* there are "
        f"{COLUMNS} features and {TERMS} terms; along *features* {ROWS:,} rows; along *terms* {WIDE_ROWS:,} rows and "
        f"{2 * COLUMNS} features. Every fit has a process of its own, warmed up on a small table. A fit that "
        "took less than "
        f"{LONG:g} s is repeated, and the second time counts. Memory is the peak of the first fit beyond what "
        "the process "
        "used with the table loaded. Exponents are slopes of the logarithms over the last "
        f"{LAST_SIZES} sizes that took at least {LEAST_SECONDS:g} s or 1 MB. A method that needed more than "
        f"{plan.cap:g} s "
        f"is not tried on larger tables, and no method may use more than {plan.memory / 1e9:g} GB.\n"
    )
    losing = []
    for axis in AXES:
        of_axis = [one for one in kept if one.job.view == axis]
        if any(not one.failed for one in of_axis):
            text += f"\n### {axis.capitalize()}\n\n" + axis_table(
                of_axis, "processor", "{:.3g}", " s"
            )
            if any(one.figures.get("peak") is not None for one in of_axis):
                text += "\n" + axis_table(of_axis, "peak", "{:.0f}", " MB")
            else:
                text += "\nThe memory was not measured in this run.\n"
            losing += losing_of(axis, of_axis)
    text += (
        f"\n![Growth](images/{PICTURE})\n\n*Processor seconds and megabytes against rows, features and terms, on "
        "logarithmic axes.*\n"
    )
    return Section(
        "(e) Growth",
        text + "\n" + reasons(kept),
        losing,
        lambda folder: draw(kept, folder),
        standings(kept),
    )


def standings(kept: list[Kept]) -> list[Standing]:
    """Time and memory at the largest size of each axis that we and another card have."""
    found = []
    for figure, word, form in (("processor", "time", "{:.3g} s"), ("peak", "memory", "{:,.0f} MB")):
        sizes, own, best, ahead = [], [], [], 0
        for axis in AXES:
            of_axis = [one for one in kept if one.job.view == axis]
            values = {
                name: dict(zip(*points_of(of_axis, name, figure), strict=True))
                for name in NAMES
                if METHODS[name].has_card
            }
            ours = values.pop(LOWEST_LOSS)
            common = set(ours) & set().union(*values.values())
            if not common:
                continue
            size = max(common)
            rivals = {name: points[size] for name, points in values.items() if size in points}
            winner = best_of(rivals)
            sizes.append(f"{size:,} {axis}")
            own.append(form.format(ours[size]))
            best.append(f"{form.format(rivals[winner])} ({title_of(winner)})")
            ahead += verdict_on(ours[size], rivals[winner], noise=NOISE) == "yes"
        if sizes:
            question = f"{word} at {' / '.join(sizes)}"
            verdict = f"{ahead} of {len(sizes)}"
            found.append(Standing(question, " / ".join(own), " / ".join(best), verdict))
    return found


def points_of(kept: list[Kept], name: str, figure: str) -> tuple[list[int], list[float]]:
    """Sizes and values of a method, the smallest first."""
    found = sorted(
        (size_of(one.job), one.figures[figure])
        for one in kept
        if one.job.method == name and not one.failed and one.figures.get(figure) is not None
    )
    factor = 1e-6 if figure == "peak" else 1.0
    return [size for size, _ in found], [max(value * factor, 1e-6) for _, value in found]


def axis_table(kept: list[Kept], figure: str, form: str, unit: str) -> str:
    sizes = sorted({size_of(one.job) for one in kept})
    rows = []
    for name in NAMES:
        at, values = points_of(kept, name, figure)
        if not at:
            continue
        cells = {s: form.format(v) for s, v in zip(at, values, strict=True)}
        least = LEAST_SECONDS if figure == "processor" else 1.0
        good = [(s, v) for s, v in zip(at, values, strict=True) if v >= least][-LAST_SIZES:]
        slope = exponent([s for s, _ in good], [v for _, v in good])
        shown = "-" if math.isnan(slope) else f"{slope:.2f}"
        rows.append([title_of(name), *(cells.get(size, "-") for size in sizes), shown])
    return markdown_table([f"method,{unit}", *(f"{s:,}" for s in sizes), "exponent"], rows)


def losing_of(axis: str, kept: list[Kept]) -> list[str]:
    """Cards that are faster, or need less memory, at the largest size that both have."""
    found = []
    for figure, word in (("processor", "time"), ("peak", "memory")):
        ours = dict(zip(*points_of(kept, LOWEST_LOSS, figure), strict=True))
        for name in NAMES:
            theirs = dict(zip(*points_of(kept, name, figure), strict=True))
            both = sorted(set(ours) & set(theirs))
            if name == LOWEST_LOSS or not METHODS[name].has_card or not both:
                continue
            # less than a megabyte is nothing that could be measured
            least = 1.0 if figure == "peak" else 1e-3
            ratio = max(ours[both[-1]], least) / max(theirs[both[-1]], least)
            if ratio > 1 + NOISE:
                found.append(
                    f"growth with {axis}: {title_of(name)} needs less {word} at {both[-1]:,} {axis}; "
                    f"riskcard needs {ratio:.1f} times as much"
                )
    return found


def draw(kept: list[Kept], folder: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 7))
    all_axes = figure.subplots(2, len(AXES))
    for column, axis in enumerate(AXES):
        of_axis = [one for one in kept if one.job.view == axis]
        for row, (what, label) in enumerate((("processor", "processor seconds"), ("peak", "MB"))):
            axes = all_axes[row, column]
            if not any(points_of(of_axis, name, what)[0] for name in NAMES):
                axes.set_axis_off()
                continue
            for name in NAMES:
                sizes, values = points_of(of_axis, name, what)
                width = 2.2 if name == LOWEST_LOSS else 1.1
                axes.plot(sizes, values, marker="o", ms=3, lw=width, label=title_of(name))
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_xlabel(axis)
            axes.set_ylabel(label)
            axes.grid(alpha=0.3)
    handles, labels = next(
        found for axes in all_axes.flat if (found := axes.get_legend_handles_labels())[0]
    )
    figure.legend(handles, labels, ncols=len(NAMES), fontsize=7, loc="lower center")
    figure.tight_layout(rect=(0, 0.04, 1, 1))
    figure.savefig(folder / PICTURE, dpi=110)
