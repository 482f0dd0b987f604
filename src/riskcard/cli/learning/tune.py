"""The command ``riskcard tune``: choose the number of terms, show the scores and the card."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from riskcard.cli.given import given
from riskcard.cli.learning.fit import classifier_of, exit_code, named_card
from riskcard.cli.outcomes import (
    is_other_fit,
    require_outcome,
    tune_outcome,
    with_classes,
)
from riskcard.cli.remarks import put, say_saved
from riskcard.cli.rows.held_out_rows import require_hold_out
from riskcard.cli.rows.training import Training, read_training
from riskcard.cli.times import require_times
from riskcard.cli.using.show import show_card
from riskcard.errors import ParameterError
from riskcard.output_files import table_as_csv, write_whole

if TYPE_CHECKING:
    from riskcard.estimators.cross_validation.cv import RiskScoreClassifierCV
    from riskcard.model.card import RiskCard


#: The figures in the table of scores in addition to the score itself, and how they are written.
_FIGURES = {
    "neg_log_loss": ("Log-loss", "test_log_loss", ".4f"),
    "roc_auc": ("AUC", "mean_test_auc", ".3f"),
    "slope": ("Slope", "test_slope", ".2f"),
    "features": ("Features", "mean_n_features", ".1f"),
    "seconds": ("Seconds", "mean_fit_time", ".2f"),
}
_SCORES = {"neg_log_loss": "Log-loss", "roc_auc": "AUC"}


def run_tune(options: Namespace) -> int:
    """Choose the size of a card; nothing is written before everything is there."""
    _look_at_places(options)
    require_hold_out(options)
    require_times(options)
    require_outcome(options)
    training = read_training(options)
    if is_other_fit(options):
        return _tune_outcome(options, training)
    model = _tune(options, training)
    card = named_card(options, training, model.card_)
    _write(options, model, card)
    if not options.quiet:
        put("\n".join([*_score_table(model), "", _verdict(model), "", ""]))
        show_card(card)
        say_saved(options.output, options.csv, options.plot, options.held_out)
    return exit_code(card)


def _tune_outcome(options: Namespace, training: Training) -> int:
    """The same for outcomes other than yes or no: sizes are compared by the loss on held-out rows."""
    found = tune_outcome(options, training)
    card = named_card(options, training, with_classes(training, found.model.card_))
    if options.csv is not None:
        rows = found.rows()
        write_whole(
            options.csv, table_as_csv({name: [row[name] for row in rows] for name in rows[0]})
        )
    if options.output is not None:
        card.save(options.output)
    if not options.quiet:
        put(f"{found}\n\n")
        show_card(card)
        say_saved(options.output, options.csv)
    return exit_code(card)


def _look_at_places(options: Namespace) -> None:
    """Refuse, before the work, a picture that could not be drawn after it."""
    if options.plot is not None:
        from riskcard.plots.drawing import FORMATS, require_matplotlib

        if _form_of(options.plot) not in FORMATS:
            endings = ", ".join(f".{form}" for form in FORMATS)
            raise ParameterError(f"--plot is {options.plot!r}. Use a name that ends in {endings}.")
        require_matplotlib()


def _tune(options: Namespace, training: Training) -> RiskScoreClassifierCV:
    from riskcard.estimators.cross_validation.cv import RiskScoreClassifierCV

    division = training.division
    size = given(options, "size")
    if division.is_drawn:
        _require_folds(options, training)
    else:
        size["cv"] = division.folds_to_score(training.is_event, options.cv, options.random_state)
    model = RiskScoreClassifierCV(
        classifier_of(options, training), verbose=not options.quiet, **size
    )
    groups = division.groups if division.is_drawn else division.sites
    return model.fit(training.table, training.labels, training.weights, groups)


def _require_folds(options: Namespace, training: Training) -> None:
    """Refuse folds into which these rows cannot be divided."""
    import warnings

    from riskcard.estimators.cross_validation.folds import ShuffledFolds

    folds = ShuffledFolds(options.cv, 1, options.random_state)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a class with fewer rows than folds
            next(folds.split(None, training.is_event, training.division.groups))
    except (ValueError, UserWarning) as error:
        raise ParameterError(
            f"The rows cannot be divided with --cv {options.cv}: {error} "
            "Use at least 2 folds, and no more than there are rows or groups of either class."
        ) from None


def _write(options: Namespace, model: RiskScoreClassifierCV, card: RiskCard) -> None:
    picture = None
    if options.plot is not None:
        from riskcard.plots.cards.parsimony import parsimony_picture

        picture = parsimony_picture(model, _form_of(options.plot))
    if options.csv is not None:
        columns = {name: column.tolist() for name, column in model.cv_results_.items()}
        write_whole(options.csv, table_as_csv(columns))
    if picture is not None:
        write_whole(options.plot, picture)
    if options.output is not None:
        card.save(options.output)


def _form_of(path: str) -> str:
    return Path(path).suffix.lower().removeprefix(".")


def _score_table(model: RiskScoreClassifierCV) -> list[str]:
    """Every size: its score on held-out rows, and AUC, log-loss and calibration slope next to it."""
    from riskcard.estimators.cross_validation.cv import parts_in_words
    from riskcard.estimators.cross_validation.folds import what_is_held_out
    from riskcard.formatting.plain_text import text_table

    results, name = model.cv_results_, str(model.scoring)
    is_loss = name.startswith("neg_")  # scikit-learn turns losses round, people do not
    sign, better = (-1, "lower") if is_loss else (1, "higher")
    title = _SCORES.get(name, name.removeprefix("neg_"))
    columns = {
        "Terms": [str(terms) for terms in results["n_terms"]],
        title: [f"{sign * score:.4f}" for score in results["mean_test_score"]],
        "SE of diff.": [f"{error:.4f}" for error in results["se_test_score"]],
        "Fitted": [f"{sign * score:.4f}" for score in results["mean_train_score"]],
    }
    for key, (words, entry, form) in _FIGURES.items():
        if key != name:
            columns[words] = [
                "" if value != value else f"{value:{form}}" for value in results[entry]
            ]
    columns[""] = [_mark(model, int(terms)) for terms in results["n_terms"]]
    parts = parts_in_words(model.cv, model.n_splits_)
    where = parts if what_is_held_out(model.cv) == "later rows" else f"the held-out rows of {parts}"
    heading = f"{title} on {where} ({better} is better)"
    rows = list(zip(*columns.values(), strict=True))
    table = text_table(tuple(columns), rows, n_left=0)
    return [heading, "", *table, "SE of diff.: standard error of the difference from the best size"]


def _mark(model: RiskScoreClassifierCV, terms: int) -> str:
    marks = (("chosen", model.n_terms_), ("best", model.best_n_terms_))
    return ", ".join(word for word, place in marks if place == terms)


def _verdict(model: RiskScoreClassifierCV) -> str:
    chosen, best = (
        f"{number} term{'' if number == 1 else 's'}"
        for number in (model.n_terms_, model.best_n_terms_)
    )
    if model.rule == "best":
        return f"Chosen: {chosen}, the size with the best mean score."
    return (
        f"Chosen: {chosen}, the smallest size at most one standard error (of the difference) below "
        f"the best ({best})."
    )
