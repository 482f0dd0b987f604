"""The command ``riskcard demo``: a card with a proof from nothing, or the table to make one from."""

from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

from riskcard.cli.learning.fit import exit_code
from riskcard.cli.remarks import put, say
from riskcard.cli.using.show import show_card
from riskcard.errors import FormatError
from riskcard.output_files import table_as_csv, write_whole

#: The column and its two values.
_TARGET, _BENIGN, _MALIGNANT = "diagnosis", "benign", "malignant"


def run_demo(options: Namespace) -> int:
    """Fit the data, or write them."""
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    if options.csv is not None:
        content = demo_table()
        _require_own(options.csv, content)
        write_whole(options.csv, content)
        say(f"Wrote {options.csv}: 569 tumours, 30 measurements, and the column {_TARGET!r}.")
        return 0
    say("Breast cancer data of scikit-learn: 569 tumours, 30 measurements, 3 terms, with a proof.")
    from riskcard.search.warmup import start_compilation

    start_compilation("calibrated")
    from riskcard.data.columns import FeatureValues
    from riskcard.data.files.feature_table import FeatureTable
    from riskcard.estimators.classifier import RiskScoreClassifier

    features = {
        str(name): FeatureValues(column, None)
        for name, column in zip(data.feature_names, data.data.T, strict=True)
    }
    model = RiskScoreClassifier(max_terms=3, certify=True, n_jobs=-1, verbose=not options.quiet)
    model.fit(FeatureTable(features, len(data.data)), data.target == 0)
    card = replace(model.card_, classes=(_BENIGN, _MALIGNANT), outcome="tumour")
    put("\n")
    show_card(card)
    return exit_code(card)


def _require_own(path: str, content: str) -> None:
    """Refuse to replace a file of the user: this command always writes the same table."""
    file = Path(path)
    if file.is_file() and file.stat().st_size > 0 and file.read_bytes() != content.encode("utf-8"):
        raise FormatError(
            f"{path!r} exists and is another file than this table. Choose another name, or delete it."
        )


def demo_table() -> str:
    """The data as the text of a CSV file."""
    from sklearn.datasets import load_breast_cancer

    data: Any = load_breast_cancer()
    columns = dict(zip(data.feature_names.tolist(), data.data.T.tolist(), strict=True))
    labels = [_BENIGN if one else _MALIGNANT for one in data.target]
    return table_as_csv(columns | {_TARGET: labels})
