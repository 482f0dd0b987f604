"""The command ``riskcard stability``: refit on resamples, show what stays and what changes."""

from argparse import Namespace
from typing import Any

from riskcard.cli.given import given
from riskcard.cli.learning.fit import classifier_of
from riskcard.cli.remarks import put, write_or_print
from riskcard.cli.rows.training import Training, read_training
from riskcard.cli.times import estimator_of_times, require_times, target_of_times
from riskcard.output_files import table_as_csv


def run_stability(options: Namespace) -> int:
    """Bootstrap the fit of a file."""
    require_times(options)
    training = read_training(options)

    division = training.division
    n_refits = options.n_bootstraps if division.sites is None else len(division.site_names)

    from riskcard.progress import WorkBar
    from riskcard.stability.bootstrap import bootstrap_card

    with WorkBar("Refitting", n_refits, is_quiet=options.quiet) as bar:
        stability = bootstrap_card(
            _procedure(options, training),
            training.table,
            training.labels if training.time is None else target_of_times(options, training),
            n_bootstraps=options.n_bootstraps,
            random_state=options.random_state,
            n_jobs=options.n_jobs,
            sample_weight=training.weights,
            groups=division.groups,
            sites=division.sites,
            time_split=division.is_later,
            progress=bar.step,
            **({} if training.entry is None else {"entry": training.entry}),
        )
    put(f"{stability}\n")
    if options.csv is not None:
        rows = stability.feature_rows()
        table = table_as_csv({name: [row[name] for row in rows] for name in rows[0]})
        write_or_print(options.csv, table)
    return 0


def _procedure(options: Namespace, training: Training) -> Any:
    """What is repeated: a fit of a given size, or the choice of the size too."""
    if training.time is not None:
        return estimator_of_times(options, training).set_params(verbose=False, n_jobs=None)
    model = classifier_of(options, training).set_params(verbose=False, n_jobs=None)
    if options.cv is None:
        return model
    from riskcard.estimators.cross_validation.cv import RiskScoreClassifierCV

    return RiskScoreClassifierCV(model, **(given(options, "size") | {"n_jobs": None}))
