"""What each command does; heavy imports wait until the input has been looked at."""

from __future__ import annotations

import csv
import io
import sys
import warnings
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from riskcard.cli.columns import Selection, require_columns
from riskcard.cli.experiment import run_experiment
from riskcard.cli.labels import events_of, find_classes
from riskcard.cli.tables import Columns, read_columns
from riskcard.errors import DataError, ParameterError
from riskcard.export.files import require_writable, write_whole

if TYPE_CHECKING:
    from riskcard.problem.riskcard import RiskCard

__all__ = ["run_check", "run_demo", "run_experiment", "run_fit", "run_predict", "run_show"]

_INTERRUPTED = 130


def run_fit(options: Namespace) -> int:
    """Learn a card, show it and write it."""
    if options.output is not None:
        require_writable(options.output)
    columns = read_columns(options.data, _fit_selection(options))
    classes = find_classes(columns.texts[options.target], options.target, options.positive)
    is_event = events_of(columns.texts[options.target], classes, options.target)
    weights = _take_weights(options, columns)
    _look_for_constants(options.data, columns)
    card = _fit(options, columns, is_event, weights)
    card = replace(card, classes=classes, outcome=options.target)
    if options.output is not None:
        card.save(options.output)
    if not options.quiet:
        sys.stdout.write(f"{card}\n")
        _say(f"Wrote {options.output}." if options.output else "Not saved; -o FILE saves the card.")
    return _exit_code(card)


def run_show(options: Namespace) -> int:
    """Print a card, or write it as a page."""
    card = _load(options.card)
    if options.html is None:
        sys.stdout.write(card.to_text(options.form.replace("-", "_")) + "\n")
        return 0
    from riskcard.card.html import render_page

    write_whole(options.html, render_page(card))
    _say(f"Wrote {options.html}.")
    return 0


def run_predict(options: Namespace) -> int:
    """Score the rows of a table."""
    if options.output is not None:
        require_writable(options.output)
    card = _load(options.card)
    columns = read_columns(options.data, _card_selection(options.data, card))
    totals = card.total_points(columns.numbers or columns.texts)
    risks = card.risk_of_total(totals)
    is_event = card.log_odds_of_total(totals) > 0
    file = io.StringIO() if options.output is not None else sys.stdout
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["total", "risk", "prediction"])
    writer.writerows(
        (total, repr(risk), card.classes[int(event)])
        for total, risk, event in zip(
            totals.tolist(), risks.tolist(), is_event.tolist(), strict=True
        )
    )
    if isinstance(file, io.StringIO) and options.output is not None:
        write_whole(options.output, file.getvalue())
        _say(f"Wrote {options.output}.")
    return 0


def run_check(options: Namespace) -> int:
    """Audit a card against the rows that it was learned from."""
    card = _load(options.card)
    target = options.target or card.outcome
    if target is None:
        raise ParameterError("The card does not name its target. Give the column with --target.")

    columns = read_columns(
        options.data, _card_selection(options.data, card, target, options.weights)
    )
    weights = _take_weights(options, columns)
    is_event = events_of(columns.texts[target], card.classes, target)

    import numpy as np

    from riskcard.problem.audit import audit

    labels = np.array(card.classes, dtype=object)[is_event.astype(int)]
    report = audit(card, columns.numbers or columns.texts, labels, sample_weight=weights)
    for check in report.checks:
        sys.stdout.write(f"{'pass' if check.passed else 'FAIL'}  {check.name}: {check.detail}\n")
    sys.stdout.write(
        "Every check passed.\n" if report.passed else "The card does not hold what it claims.\n"
    )
    return 0 if report.passed else 1


def run_demo(options: Namespace) -> int:
    """Fit the breast cancer data of scikit-learn, with a proof."""
    _say("Breast cancer data of scikit-learn: 569 tumours, 30 measurements, 3 terms, with a proof.")
    from sklearn.datasets import load_breast_cancer

    from riskcard.estimators.classifier import RiskScoreClassifier

    data = load_breast_cancer()
    model = RiskScoreClassifier(max_terms=3, certify=True, n_jobs=-1, verbose=not options.quiet)
    model.fit(data.data, data.target == 0)
    names = tuple(str(name) for name in data.feature_names)
    card = _renamed(model.card_, names)
    card = replace(card, classes=("benign", "malignant"), outcome="tumour")
    sys.stdout.write(f"\n{card}\n")
    return _exit_code(card)


# --- steps that the commands share --------------------------------------------------------------


def _fit_selection(options: Namespace) -> Callable[[list[str]], Selection]:
    """Which columns a fit reads: all that are asked for, but target and weights."""

    def select(names: list[str]) -> Selection:
        path, target = options.data, options.target
        weights = [options.weights] if options.weights else []
        require_columns(path, names, [target], "the target")
        require_columns(path, names, weights, "the weights")
        require_columns(path, names, options.columns, "named by --columns")
        require_columns(path, names, options.drop, "named by --drop")
        if target in weights:
            raise ParameterError(f"{target!r} is both the target and the weights. Choose another.")
        left_out = {target, *weights, *options.drop}
        features = [name for name in options.columns or names if name not in left_out]
        if not features:
            raise DataError(f"No column of {path!r} is left to learn from. Drop fewer columns.")
        return Selection(
            numbers=(*dict.fromkeys(features), *weights),
            texts=(target,),
            optional=frozenset(features),
        )

    return select


def _card_selection(
    path: str, card: RiskCard, target: str | None = None, weights: str | None = None
) -> Callable[[list[str]], Selection]:
    """Which columns a card needs; one at least, so that rows can be counted."""
    used = [feature.name for feature in card.features]

    def select(names: list[str]) -> Selection:
        require_columns(path, names, used, "the card needs it")
        require_columns(path, names, [target] if target else [], "the target")
        require_columns(path, names, [weights] if weights else [], "the weights")
        numbers = [*used, *([weights] if weights else [])]
        return Selection(tuple(dict.fromkeys(numbers)), (target or names[0],))

    return select


def _take_weights(options: Namespace, columns: Columns) -> Any:
    """The column of weights, which is none of the features."""
    if not options.weights:
        return None
    weights = columns.numbers.pop(options.weights)
    for row, weight in enumerate(weights, start=1):
        if not weight > 0:
            raise DataError(
                f"{options.data!r}, column {options.weights!r}: the weight of row {row} is "
                f"{weight:g}. Give every row a positive weight, or leave the row out."
            )
    return weights


def _look_for_constants(path: str, columns: Columns) -> None:
    constant = [name for name, column in columns.numbers.items() if (column == column[0]).all()]
    if not constant:
        return
    listed = ", ".join(map(repr, constant[:5])) + (", ..." if len(constant) > 5 else "")
    if len(constant) == len(columns.numbers):
        raise DataError(
            f"{path!r}: every column to learn from is constant ({listed}). "
            "Add a column that tells rows apart."
        )
    _say(f"Constant, so of no use to the card: {listed}.")


def _fit(options: Namespace, columns: Columns, is_event: Any, weights: Any) -> RiskCard:
    import numpy as np

    from riskcard.estimators.classifier import RiskScoreClassifier

    names = tuple(columns.numbers)
    values = np.empty((columns.n_rows, len(names)), order="F")
    for place, name in enumerate(names):
        values[:, place] = columns.numbers.pop(name)
    model = RiskScoreClassifier(
        max_terms=options.max_terms,
        max_features=options.max_features,
        max_cuts_per_feature=options.max_cuts_per_feature,
        max_points=options.max_points,
        scale=options.scale,
        certify=options.certify,
        time_limit=options.time_limit,
        gap=options.gap,
        n_jobs=options.jobs,
        random_state=options.seed,
        verbose=not options.quiet,
        grid=options.grid,
    )
    with _warnings_as_sentences():
        model.fit(values, is_event, sample_weight=weights)
    return _renamed(model.card_, names)


def _renamed(card: RiskCard, names: tuple[str, ...]) -> RiskCard:
    """The card of an array, whose columns have no names, with the names of the file."""
    place = {name: position for position, name in enumerate(card.feature_names)}
    features = tuple(replace(one, name=names[place[one.name]]) for one in card.features)
    return replace(card, features=features, feature_names=names)


def _load(path: str) -> RiskCard:
    from riskcard.export.json import load_card

    return load_card(path)


def _exit_code(card: RiskCard) -> int:
    is_interrupted = card.certificate is not None and card.certificate.status == "interrupted"
    return _INTERRUPTED if is_interrupted else 0


@contextmanager
def _warnings_as_sentences() -> Iterator[None]:
    """Show a warning as one line without the place in the code."""

    def show(message: Any, *_: Any, **__: Any) -> None:
        _say(str(message))

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


def _say(message: str) -> None:
    """A remark beside the output proper."""
    sys.stderr.write(f"{message}\n")
