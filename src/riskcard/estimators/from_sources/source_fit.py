"""A fit on a source: a first look, candidate cuts, counts of all rows, then a fit as in memory.

Nothing is estimated that a card claims: counts, loss and bound are about all rows. The sample of the
first look chooses the candidate cuts and, where the patterns of all features would be too many, which
conditions are candidates at all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from riskcard.data.first_look.data_summary import DataSummary
from riskcard.data.first_look.identifiers import LeftOut, find_identifiers
from riskcard.data.table import Table
from riskcard.data.target import class_factors, read_labels, weigh_classes
from riskcard.encoding.rank_table import rank_table
from riskcard.errors import DataError, ParameterError, warn
from riskcard.estimators.fitted import Procedure, Training
from riskcard.estimators.from_sources.every_cut import is_possible, prove_every_cut
from riskcard.estimators.from_sources.refine import Refiner, refine
from riskcard.estimators.from_sources.source_cuts import (
    candidates_of,
    preselect,
    with_all_numbers,
)
from riskcard.estimators.from_sources.source_table import (
    Seen,
    codes_of,
    table_of_counts,
    table_of_sample,
    without_features,
)
from riskcard.estimators.learning import Learned, Task, learn, pose
from riskcard.sources.coding import FeatureCodes, n_patterns
from riskcard.sources.dask_source import frame_of_arrays, is_dask, is_dask_array
from riskcard.sources.open_source import open_source
from riskcard.sources.rows import Kind, Wanted
from riskcard.sources.sample import size_of_sample
from riskcard.sources.source import LabelCounts, Source
from riskcard.status import Status

#: Bytes that a pattern may take, in counts, in the table and during search and proof.
BYTES_PER_PATTERN = 1000
#: Candidate cuts per feature where all are asked for and a column has more values.
CUTS_OF_MANY = 255
ABOUT_ALL = (
    "Loss, bound and counts are about all {rows:,} rows, which were counted, not read into memory."
)
BY_SAMPLE = (
    "Candidate cuts were placed by a sample of {sample:,} different rows; the loss of every card that was "
    "compared is that of all rows."
)
FROM_SAMPLE = (
    "All features would have too many patterns: the candidates, on {used} of {features} features, were "
    "preselected from {all:,} conditions by a lasso and a search on the sample. Cards with other conditions "
    "were compared on the sample only. More memory allows more candidates."
)


def source_of(X: Any, y: Any, sample_weight: Any) -> Source | None:
    """The source that was given to ``fit``: itself, a Dask data frame with names of columns, or Dask arrays."""
    if isinstance(X, Source):
        source = X
        if y is not None or sample_weight is not None:
            raise ParameterError(
                "A source knows its target and weights: give them to open_source, and fit(source) alone."
            )
        return source
    if is_dask_array(X):
        frame, target, weights = frame_of_arrays(X, y, sample_weight)
        return open_source(frame, target, weights=weights)
    if not is_dask(X):
        return None
    for what, value in (("y", y), ("sample_weight", sample_weight)):
        if not isinstance(value, str) and (what == "y" or value is not None):
            raise ParameterError(
                f"{what} is a {type(value).__name__}. With a Dask data frame, give the name of a column of it."
            )
    return open_source(X, y, weights=sample_weight)


def see(source: Source, estimator: Any, task: Task) -> tuple[Seen, LabelCounts]:
    """Look at the rows until it is known which columns are features."""
    assert source.target is not None
    identifiers = estimator.identifiers
    if isinstance(identifiers, str) and identifiers != "auto":
        raise ParameterError(
            f"identifiers is {identifiers!r}. Use a list of names, 'auto', or None for none."
        )
    roles = {source.target, source.weights}
    columns = tuple(name for name in source.kinds if name not in roles)
    named = set() if isinstance(identifiers, str) or identifiers is None else set(identifiers)
    for name in named:
        source.require(name, "identifier")
    left_out = tuple(
        LeftOut(name, "it was named as an identifier") for name in columns if name in named
    )
    if source.unusable:
        warn(f"Left out as neither numbers nor texts: {', '.join(map(repr, source.unusable))}.")
    codes = {name: tuple(map(float, task.rules.rule_of(name).codes)) for name in columns}
    features = {name: source.kinds[name] for name in columns if name not in named}
    wanted = Wanted(features, source.target, None, source.weights, codes)
    labels = source.count_labels(wanted)
    classes = _classes_of(source, labels, estimator.event)
    wanted = replace(wanted, event=classes[1])
    n_rows = sum(int(counts[0]) for counts in labels.values())
    while True:
        rows = size_of_sample(source.sample_rows, len(wanted.features))
        wanted = replace(wanted, sample_rows=rows)
        if not wanted.features:
            raise DataError(
                f"{source.name} has no column to learn from. Give at least one feature."
            )
        seen = Seen(wanted, source.look(wanted), classes, left_out, columns, n_rows)
        more = _too_many_levels(seen)
        if not more and isinstance(identifiers, str):
            more = _identifiers(seen, task.rules.wanted | source.kept)
        if not more:
            return seen, labels
        shown = "; ".join(f"{one.name!r}, since {one.reason}" for one in more)
        warn(
            f"Left out: {shown}. Any fit to such a column is chance, or has too many levels to count."
        )
        left_out += more
        source.most_passes = None if source.most_passes is None else source.most_passes + 1
        wanted = without_features(seen, more)


def _classes_of(source: Source, labels: LabelCounts, event: Any) -> tuple[Any, Any]:
    """The labels: no event, event."""
    if None in labels:
        raise DataError(
            f"{source.name}: the target {source.target!r} is missing in {int(labels[None][0]):,} rows. "
            "Leave these rows out, or give them a label."
        )
    if len(labels) != 2:
        shown = ", ".join(repr(label) for label in sorted(labels, key=str)[:3])
        raise DataError(
            f"{source.name}: the target {source.target!r} has {len(labels)} different values ({shown}"
            f"{', ...' if len(labels) > 3 else ''}), but a card of a table that is read in pieces needs two. "
            "Make a column with the event and the rest, or choose another target."
        )
    same = [label for label in labels if str(label) == str(event)]  # texts of a command line
    _, classes = read_labels(np.array(list(labels)), same[0] if same else event)
    return classes


def _too_many_levels(seen: Seen) -> tuple[LeftOut, ...]:
    names = list(seen.wanted.features)
    return tuple(
        LeftOut(names[f], "it has more than 50 different texts") for f in seen.look.too_many_texts
    )


def _identifiers(seen: Seen, kept: Any) -> tuple[LeftOut, ...]:
    """The columns that look like identifiers in the sample."""
    features = {
        name: one for name, one in table_of_sample(seen).features.items() if name not in kept
    }
    found = find_identifiers(features)
    return () if len(found) == len(seen.wanted.features) else found


@dataclass(frozen=True, slots=True)
class Merged:
    """All rows as patterns of the candidate conditions.

    Attributes
    ----------
    table
        The patterns.
    task
        What to do with them.
    features
        The candidates; empty where the sample has all rows.
    """

    table: Table
    task: Task
    features: tuple[FeatureCodes, ...] = ()


def merge(source: Source, seen: Seen, task: Task, worth: float) -> Merged:
    """Merge all rows by the candidate conditions."""
    sample = table_of_sample(seen)
    if seen.look.sample.is_whole:
        return Merged(sample, _with_notes(task, _about_all(seen)))
    most = source.memory // BYTES_PER_PATTERN
    grid = placed = task.regularization.cuts_of(worth)
    if grid is None:
        grid = min(CUTS_OF_MANY, most)
        # cuts that are moved later need room
        placed = max(grid - 2 * task.limits["max_terms"], 1)
        task = replace(task, regularization=replace(task.regularization, grid=grid))
    # counts of bins are those of all rows
    rules = replace(task.rules, min_bin_rows=None, min_bin_events=None)
    regularization = replace(task.regularization, grid=placed)
    on_sample = replace(task, rules=rules, regularization=regularization)
    training = Training(sample, sample.weights, None, Procedure("", {}))
    layout, problem = pose(training, on_sample)
    cuts, values = candidates_of(layout)
    features = codes_of(seen, cuts, values)
    notes = [BY_SAMPLE.format(sample=sample.labels.size)]
    is_short = n_patterns(features) > most
    if is_short:
        features = preselect(seen, problem, layout, on_sample, most)
    # of the sample, those that a lasso of its own left out among them
    n_all = layout.all_conditions or problem.n_conditions
    counts = source.count(seen.wanted, features)
    lacking = {
        one.name
        for one, is_full in zip(features, counts.have_no_others, strict=True)
        if one.values is not None and not is_full
    }
    if lacking:
        full = with_all_numbers(source, seen, features, lacking, int(grid))
        if n_patterns(full) <= most:
            features, counts = full, source.count(seen.wanted, full)
    table = table_of_counts(seen, features, counts, n_all if is_short else None)
    if is_short:
        short = FROM_SAMPLE.format(
            all=n_all, used=len(features), features=len(seen.wanted.features)
        )
        notes.append(short)
    return Merged(table, _with_notes(task, _about_all(seen), *notes), tuple(features))


def _about_all(seen: Seen) -> str:
    return ABOUT_ALL.format(rows=seen.n_rows)


def _with_notes(task: Task, *notes: str) -> Task:
    return replace(task, request=replace(task.request, notes=(*task.request.notes, *notes)))


def fit_source(
    source: Source, estimator: Any, task: Task
) -> tuple[Learned, Training, DataSummary, list[str]]:
    """Find a card of the rows of a source.

    Parameters
    ----------
    source
        Where its target and weights are known.
    estimator
        Has ``event``, ``identifiers`` and ``class_weight``.
    task
        What is to be done.
    """
    _require_possible(task)
    # labels, ranges, counts; how often cuts move is not known before
    source.passes = 0
    source.most_passes = None if task.regularization.grid is None else 3
    seen, labels = see(source, estimator, task)
    procedure = estimator.procedure_of_source(task, source.memory, seen)
    task.rules.check_names(seen.columns)
    given = task = replace(task, rules=task.rules.only(tuple(seen.wanted.features)))
    is_every_cut = task.regularization.grid is None
    merged = merge(source, seen, task, _worth(labels, seen.classes))
    table, task = merged.table, merged.task
    task = replace(task, rules=task.rules.only(table.names))
    train = _Trainer(procedure, estimator.class_weight)
    training = train(table)
    if is_every_cut and not is_exact(table):
        rough = replace(task, options=replace(task.options, certify=False))
        refiner = _refiner(source, seen, merged, train)
        is_about_all = is_possible(seen, given, source.memory)
        wanted = rough if is_about_all else task
        found = refine(refiner, learn(training, rough), training, wanted)
        learned, training = found.learned, found.training
        if is_about_all and learned.result.status is not Status.INTERRUPTED:
            proven = prove_every_cut(refiner, learned, task)
            if proven is None:
                found = refine(refiner, learned, training, task)
            learned, training = proven or found.learned, found.training
    else:
        learned = learn(training, task)
    return learned, training, _summary(seen, labels), list(seen.wanted.features)


def _refiner(source: Source, seen: Seen, merged: Merged, train: _Trainer) -> Refiner:
    """What is needed to move the cuts of a card of merged rows."""
    cuts = merged.table.merged.cuts if merged.table.merged is not None else ()
    pairs = zip(merged.table.names, cuts, strict=True)
    sample, _ = rank_table(table_of_sample(seen), None, rules=merged.task.rules)
    grid = merged.task.regularization.grid
    return Refiner(
        source,
        seen,
        train,
        merged.features,
        complete=frozenset(name for name, own in pairs if own is None),
        most=source.memory // BYTES_PER_PATTERN,
        most_cuts=CUTS_OF_MANY if grid is None else int(grid),
        n_all=int(sample.n_cuts.sum()),
    )


@dataclass(frozen=True, slots=True)
class _Trainer:
    """From merged rows to what is learned from them."""

    procedure: Procedure
    class_weight: Any

    def __call__(self, table: Table) -> Training:
        given = table.weights
        factors = class_factors(given, table.labels, table.classes, self.class_weight)
        weights = weigh_classes(given, table.labels, factors)
        return Training(replace(table, weights=weights), given, factors, self.procedure)


def is_exact(table: Table) -> bool:
    """Whether every gap between neighbouring numbers is a candidate."""
    merged = table.merged
    return merged is None or (
        merged.all_conditions is None and all(cuts is None for cuts in merged.cuts)
    )


def _require_possible(task: Task) -> None:
    """Refuse what is not known how to be done on merged rows."""
    if task.rules.round_cuts is not None and task.regularization.grid is None:
        raise ParameterError(
            "round_cuts needs a grid of candidate cuts on a source, and regularization=None has none: use the default, "
            "or leave round_cuts out."
        )


def _worth(labels: LabelCounts, classes: tuple[Any, Any]) -> float:
    """How many rows of equal weight, half of them with the event, would say as much."""
    counts = [[int(one) for one in labels[label]] for label in classes]
    total, squares = (sum(own[place] for own in counts) for place in (1, 2))
    rate = counts[1][1] / total
    return 4 * rate * (1 - rate) * (total * total / squares)


def _summary(seen: Seen, labels: LabelCounts) -> DataSummary:
    kinds = dict.fromkeys(("numbers", "yes or no", "categories"), 0)
    words = {Kind.NUMBER: "numbers", Kind.BOOLEAN: "yes or no", Kind.TEXT: "categories"}
    for kind in seen.wanted.features.values():
        kinds[words[kind]] += 1
    return DataSummary(
        rows=seen.n_rows,
        events=int(labels[seen.classes[1]][0]),
        outcome=seen.wanted.target,
        classes=seen.classes,
        kinds=kinds,
        with_missing=int(np.count_nonzero(seen.look.n_missing)),
        left_out=seen.left_out,
    )
