"""The results page: what was run, on what, what came out, and pictures of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from riskcard.errors import SolverMissing
from riskcard.formatting.markdown import wrap_prose
from riskcard.output_files import write_whole
from riskcard.paper.experiments.methods import METHODS, OURS
from riskcard.paper.experiments.published import MISPRINT, PAPER_LIMIT, TITLES
from riskcard.paper.experiments.result_tables import (
    RowResults,
    lines_of,
    seconds_text,
    speed_up,
    to_markdown,
)
from riskcard.paper.experiments.run_plots import draw_losses, draw_times
from riskcard.paper.experiments.run_store import Cell, Finished
from riskcard.paper.experiments.table_rows import Row

#: The speed-up over BONMIN that the page counts.
ASKED = 1000
IMAGES = "images"
LOSSES, TIMES = "paper_losses.png", "paper_times.png"
_INTRODUCTION = """\
# The paper's experiments, run again

This page was written by `riskcard experiment`. It contains every row of the four tables of Molero-Río and D'Ambrosio,
*Optimal Risk Scores for Continuous Predictors* (LOD 2024): the published figures ("paper") and our runs ("here").

- **TT** and **ST** are the seconds in total and until the best card was found. **OBJ** is the loss of the card; for our
  runs it is recomputed from the raw rows, whatever the solver says. **AUC** is that of its score. As in the paper, `*`
  means that the time limit was reached and `-` that no card was found.
- **status**: *proven* by riskcard's branch and bound; *claimed*: the solver says that the card is optimal, and the proof
  agrees; *claim is false*: there is a card that is better than what the solver calls optimal, or below the bound that
  it gives; *limit*; *heuristic*: nothing is claimed.
- **times faster**: BONMIN's TT here divided by riskcard's. If BONMIN was stopped, its limit is used, and the figure,
  marked `>`, is a lower bound.
- riskcard's time is that of a whole `fit` on one thread (reading the table, search, proof), the median of three. It is
  measured warm: the row is solved once before the clock starts, so compiling and loading the kernels is not included.
  ST is the time at which its proof first reports the best card, after the search. All other methods have one thread too.
"""
_NOTES = f"""\
## Notes

- *Labels.* According to the paper's text, a row has the event if the reference card's risk is at least 0.5. Its published
  figures come out only with *above* 0.5, which is what `riskcard.paper.synthetic_data.paper_data` uses. Then the loss of
  the reference card agrees with the paper to the cent on every data set (in places the paper truncates the third
  decimal instead of rounding).
- *Misprint.* For N = {MISPRINT[0]} and p = {MISPRINT[1]} the paper prints a reference loss of 9276.00, which is the
  figure for p = 1; the correct one is 2234.78.
- The reference card is not the best card for its rows. Labels are not drawn from its risks but are the outcomes that it
  finds more likely, so larger points fit better.
- *BONMIN, linear form* runs B-Hyb as in the paper, with one setting changed: with its default choice of the branching
  variable, it has called cards optimal that are far from it. *B-OA* is BONMIN's outer approximation on the same form,
  *strengthened form* is B-Hyb on a tighter one. *From Algorithm 1* is B-Hyb started from the card of Algorithm 1, with
  its best base; the limit, TT and ST include both. [Other solvers](solvers.md) gives the evidence, and compares BONMIN's
  figures with the published ones row by row.
- The paper's 138.62 for N = 200 is 200 log 2: the loss of a card without any points.
- *Algorithm 1* rounds one of very many solutions of a relaxation that carries no information about the data
  ([formulations](formulations.md)). With every weight rounded to the nearest integer, as the paper describes, it gives
  the published loss with one feature and with p = 4. *Negatives down* rounds negative weights down, and gives the
  published loss on all rows except p = 4: this seems to be what the paper ran. Both do the same work; where the times of
  the second are longer, more ran at the same time.
"""


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
    """The page as Markdown."""
    parts = [_INTRODUCTION, _conditions(results), _summary(results), _false_claims(results)]
    if has_pictures:
        parts.append(_pictures())
    parts += [
        f"## {TITLES[table]}\n\n{to_markdown(lines)}"
        for table in tables
        if (lines := lines_of(table, results))
    ]
    return wrap_prose("\n".join([*parts, _NOTES]))


def _conditions(results: Mapping[Row, RowResults]) -> str:
    """When, on which machine and with which limits the runs were made."""
    runs = [run for one in results.values() for run in one.runs.values()]
    limits: dict[float, list[str]] = {}
    for name, method in METHODS.items():
        for limit in sorted({cell.limit for cell, _ in runs if cell.method.name == name}):
            limits.setdefault(limit, []).append(method.title)
    listed = [f"{limit:g} s ({'; '.join(names)})" for limit, names in sorted(limits.items())]
    finished = [one for _, one in runs]
    return (
        "## Conditions\n\n"
        f"- Made on: {_distinct(finished, 'date')}.\n"
        f"- Machine: {_distinct(finished, 'machine')}. It did other work at the "
        "same time, and not all runs were made on one occasion (a method that changes is run again, the others are "
        "kept): single times are rough.\n"
        f"- Software: {_distinct(finished, 'software')}.\n"
        f"- Time limits: {', '.join(listed)}. BONMIN had {PAPER_LIMIT:g} s in the paper."
        f"{_overrun(runs)}\n"
    )


def _overrun(runs: Sequence[tuple[Cell, Finished]]) -> str:
    """The run furthest past its limit, if one took more than 1.5 times as long as allowed."""
    late = [(one.outcome.seconds, cell) for cell, one in runs]
    late = [(seconds, cell) for seconds, cell in late if seconds > 1.5 * cell.limit]
    if not late:
        return ""
    seconds, cell = max(late, key=lambda pair: pair[0] - pair[1].limit)
    return (
        " Solvers do not check the clock all the time: the run furthest past its limit, "
        f"{cell.method.title} on {cell.row}, took {seconds:.0f} s."
    )


def _distinct(finished: Sequence[Finished], field: str) -> str:
    """The distinct values of a field; in lists of versions each version once."""
    values = sorted({getattr(one, field) for one in finished})
    if field == "software":
        values = sorted({part for value in values for part in value.split(", ")}, key=str.lower)
        return ", ".join(values)
    return "; ".join(values)


def _summary(results: Mapping[Row, RowResults]) -> str:
    lines = [
        "## Every row with its proven optimum\n",
        "| N | p | k | proven optimum | riskcard, s | nodes | BONMIN here, s | its loss | its status | times faster |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    ratios, exact = [], 0
    for row, one in results.items():
        found = speed_up(one)
        if found is not None:
            ratios.append(found[0])
            exact += found[1]
        lines.append(_summary_line(row, one))
    text = "\n".join(lines) + "\n"
    if not ratios:
        return text
    reached = sum(ratio >= ASKED for ratio in ratios)
    return (
        f"{text}\nAt least {ASKED:,} times faster than BONMIN, or than its limit: {reached} of {len(ratios)} rows; the "
        f"smallest figure is {min(ratios):,.0f}. BONMIN finished by itself on {exact} rows; for the others the figure is "
        "a lower bound, and cannot exceed BONMIN's limit divided by riskcard's time.\n"
    )


def _summary_line(row: Row, results: RowResults) -> str:
    ours, other, found = results.outcome(OURS), results.outcome("bonmin"), speed_up(results)
    cells = [str(row.n_rows), str(row.n_features), str(row.k)]
    if ours is None or ours.ending != "proven" or ours.loss is None:
        cells += ["not proven", "", ""]
    else:
        cells += [f"{ours.loss:.5f}", seconds_text(ours.seconds), f"{ours.nodes:,}"]
    if other is None:
        cells += ["not run", "", ""]
    else:
        limit = results.runs["bonmin"][0].limit
        total = rf"\* ({limit:g})" if other.ending == "limit" else seconds_text(other.seconds)
        loss = "-" if other.loss is None else f"{other.loss:.5f}"
        cells += [total, loss, results.verdict("bonmin")]
    cells.append("" if found is None else f"{'' if found[1] else '> '}{found[0]:,.0f}")
    return f"| {' | '.join(cells)} |"


def _false_claims(results: Mapping[Row, RowResults]) -> str:
    lines = []
    for row, one in results.items():
        for name in one.runs:
            if one.verdict(name) == "claim is false":
                outcome = one.runs[name][1].outcome
                lines.append(
                    f"- {row}, {METHODS[name].title}: {_claim_text(outcome.claimed_loss, outcome.claimed_bound, outcome.word)}"
                )
    if not lines:
        return "No solver made a claim in these runs that was found to be false.\n"
    return "### False claims\n\n" + "\n".join(lines) + "\n"


def _claim_text(loss: float | None, bound: float | None, word: str) -> str:
    parts = [f"says {word!r}"]
    if loss is not None:
        parts.append(f"with a loss of {loss:.5f}")
    if bound is not None:
        parts.append(f"and a bound of {bound:.5f}")
    return " ".join(parts)


def _pictures() -> str:
    return (
        "## Pictures\n\n"
        f"![Loss against time]({IMAGES}/{LOSSES})\n\n"
        "*Loss of the best card so far against time, both on logarithmic axes; the dotted line is the proven "
        "optimum; losses above three times the worst final one are cut off. A marker shows where the method's best card "
        "was found. Intermediate losses are the solver's own; the last one is recomputed. A method without a line found "
        "no card.*\n\n"
        f"![Solving time against size]({IMAGES}/{TIMES})\n\n"
        "*Total time against the number of features and of rows. Open markers: stopped at the limit, without a "
        "proof or claim.*\n"
    )
