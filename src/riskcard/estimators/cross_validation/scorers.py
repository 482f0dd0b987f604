"""The score of held-out rows: scorers by name, with weights where they take them."""

import difflib
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from sklearn.metrics import get_scorer, get_scorer_names, log_loss, make_scorer

from riskcard.errors import ParameterError


def find_scorer(scoring: Any, classes: Sequence[Any]) -> Callable[..., float]:
    """A scorer, ``scorer(model, X, y)``, from its name or from itself.

    Parameters
    ----------
    scoring
        A name that scikit-learn knows, a callable, or None for the accuracy.
    classes
        The two labels. With them the log-loss can score rows of a single class.
    """
    scorer: Callable[..., float]
    if scoring == "neg_log_loss":
        scorer = make_scorer(
            log_loss, greater_is_better=False, response_method="predict_proba", labels=classes
        )
    elif callable(scoring):
        scorer = scoring
    else:
        check_scoring(scoring)
        scorer = get_scorer("accuracy" if scoring is None else scoring)
    return scorer


def check_scoring(scoring: Any) -> None:
    """Refuse what is neither a scorer nor the name of one; None is the accuracy."""
    names = get_scorer_names()
    if scoring is None or callable(scoring) or (isinstance(scoring, str) and scoring in names):
        return
    close = difflib.get_close_matches(str(scoring), names, n=1) or ["neg_log_loss"]
    raise ParameterError(
        f"scoring is {scoring!r}. Use the name of one of scikit-learn's scorers, such as "
        f"{close[0]!r}, or a callable."
    )


def score_of_rows(scorer: Callable[..., float], model: Any, X: Any, y: Any, weights: Any) -> float:
    """The score of some rows, weighted where there are weights and the scorer takes them.

    scikit-learn's scorers pass on to a metric whatever they are given, so the metric decides.
    """
    judge = getattr(scorer, "_score_func", scorer)
    if weights is None or "sample_weight" not in inspect.signature(judge).parameters:
        return scorer(model, X, y)
    return scorer(model, X, y, sample_weight=weights)
