"""The command ``riskcard stability``: refit on resamples, show what stays and what changes."""

from argparse import Namespace
from typing import Any

from riskcard.cli.given import given
from riskcard.cli.learning.fit import classifier_of
from riskcard.cli.outcomes import OtherFit, is_other_fit, other_fit, require_outcome
from riskcard.cli.remarks import put, write_or_print
from riskcard.cli.rows.training import Training, read_training
from riskcard.cli.times import require_times
from riskcard.output_files import table_as_csv


def run_stability(options: Namespace) -> int:
    """Bootstrap the fit of a file."""
    require_times(options)
    require_outcome(options)
    training = read_training(options)

    division = training.division
    n_refits = options.n_bootstraps if division.sites is None else len(division.site_names)

    from riskcard.progress import WorkBar
    from riskcard.stability.bootstrap import bootstrap_card

    estimator, y, further = _procedure(options, training)
    with WorkBar("Refitting", n_refits, is_quiet=options.quiet) as bar:
        stability = bootstrap_card(
            estimator,
            training.table,
            y,
            n_bootstraps=options.n_bootstraps,
            random_state=options.random_state,
            n_jobs=options.n_jobs,
            sample_weight=training.weights,
            groups=division.groups,
            sites=division.sites,
            time_split=division.is_later,
            progress=bar.step,
            **further,
        )
    put(f"{stability}\n")
    if options.csv is not None:
        rows = stability.feature_rows()
        table = table_as_csv({name: [row[name] for row in rows] for name in rows[0]})
        write_or_print(options.csv, table)
    return 0


def _procedure(options: Namespace, training: Training) -> OtherFit:
    """What is repeated: a fit of a given size, or the choice of the size too; with its target."""
    if is_other_fit(options):
        estimator, y, further = other_fit(options, training)
        return OtherFit(estimator.set_params(verbose=False, n_jobs=None), y, further)
    model: Any = classifier_of(options, training).set_params(verbose=False, n_jobs=None)
    if options.cv is not None:
        from riskcard.estimators.cross_validation.cv import RiskScoreClassifierCV

        model = RiskScoreClassifierCV(model, **(given(options, "size") | {"n_jobs": None}))
    return OtherFit(model, training.labels, {})
