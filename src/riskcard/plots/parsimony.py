"""The parsimony plot: how well cards of each size predict, and which size was chosen."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from riskcard.errors import ParameterError
from riskcard.plots.drawing import FILL, INK, PALE, axes_or_new, finish, picture_of

_HELD_OUT = "held-out rows, ± 1 standard error"
_NEEDED = ("n_terms", "mean_test_score", "se_test_score", "mean_train_score", "is_chosen")


def plot_parsimony(cv_result: Any, ax: Any = None) -> Any:
    """Draw the mean held-out score against the number of terms.

    Bars reach one standard error up and down. The best size has a ring and the chosen one a filled
    square; the dotted line is the best score less one standard error. Marks and lines differ in
    shape, not only in colour. Scores far below those of interest are cut off.

    Parameters
    ----------
    cv_result
        A fitted ``RiskScoreClassifierCV``, or its ``cv_results_``.
    ax
        The axes of matplotlib to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn on.

    Examples
    --------
    >>> from riskcard import RiskScoreClassifierCV, plot_parsimony
    >>> X = [[value % 10] for value in range(60)]
    >>> y = [value % 10 > 4 or value % 7 == 0 for value in range(60)]
    >>> axes = plot_parsimony(RiskScoreClassifierCV(max_terms=2, cv=4).fit(X, y))
    >>> axes.get_xlabel()
    'terms on the card'
    """
    results = _results_of(cv_result)
    ax = axes_or_new(ax)
    _draw(ax, results)
    ax.set(
        xlabel="terms on the card",
        ylabel=_score_words(getattr(cv_result, "scoring", "score")),
    )
    return ax


def parsimony_picture(cv_result: Any, form: str = "png") -> bytes:
    """The plot as the content of a file; no window is needed and none is opened.

    Parameters
    ----------
    cv_result
        As for ``plot_parsimony``.
    form
        "png", "svg" or "pdf".
    """
    return picture_of(lambda figure: plot_parsimony(cv_result, figure.subplots()), form)


def _results_of(cv_result: Any) -> Mapping[str, Any]:
    results = getattr(cv_result, "cv_results_", cv_result)
    if not isinstance(results, Mapping) or any(name not in results for name in _NEEDED):
        raise ParameterError(
            f"A parsimony plot needs a fitted RiskScoreClassifierCV, not "
            f"{type(cv_result).__name__}. Fit it first, or give its cv_results_."
        )
    return results


def _draw(ax: Any, results: Mapping[str, Any]) -> None:
    terms, means = np.asarray(results["n_terms"]), np.asarray(results["mean_test_score"])
    errors = np.asarray(results["se_test_score"])
    best = int(np.argmax(np.asarray(results["rank_test_score"]) == 1))
    chosen = int(np.argmax(results["is_chosen"]))
    ax.plot(terms, results["mean_train_score"], "--", color=PALE, label="training rows")
    ax.errorbar(
        terms, means, yerr=np.nan_to_num(errors), fmt="o-", color=INK, markersize=4,
        capsize=3, linewidth=1.2, zorder=3, label=_HELD_OUT,
    )  # fmt: skip
    if np.isfinite(errors[best]):
        threshold = means[best] - errors[best]
        ax.axhline(threshold, color=INK, linewidth=0.9, linestyle=":",
                   label="best − 1 standard error")  # fmt: skip
    ax.plot(terms[best], means[best], "o", markersize=13, markerfacecolor="none",
            markeredgecolor=INK, markeredgewidth=1.4, linestyle="none",
            label=f"best: {_terms(terms[best])}", zorder=4)  # fmt: skip
    ax.plot(terms[chosen], means[chosen], "s", markersize=8, color=FILL, markeredgecolor=INK,
            linestyle="none", label=f"chosen: {_terms(terms[chosen])}", zorder=5)  # fmt: skip
    ax.set_ylim(*_span(results, best))
    ax.xaxis.get_major_locator().set_params(integer=True)
    handles, labels = ax.get_legend_handles_labels()
    shown = [labels.index(_HELD_OUT), *(i for i, one in enumerate(labels) if one != _HELD_OUT)]
    finish(ax, "y", handles=[handles[i] for i in shown], labels=[labels[i] for i in shown])


def _span(results: Mapping[str, Any], best: int) -> tuple[float, float]:
    """The scores worth seeing: much worse ones of large cards would flatten all others."""
    means = np.asarray(results["mean_test_score"])
    errors = np.nan_to_num(results["se_test_score"])
    train = np.asarray(results["mean_train_score"])
    top = float(max((means + errors).max(), train.max()))
    usual = float(min(means[0] - errors[0], means[best] - 2 * errors[best], train.min()))
    bottom = max(float((means - errors).min()), usual - 2 * (top - usual))
    margin = 0.05 * (top - bottom) or 0.05
    return bottom - margin, top + margin


def _terms(number: int) -> str:
    return f"{number} term" if number == 1 else f"{number} terms"


def _score_words(scoring: Any) -> str:
    name = scoring if isinstance(scoring, str) else "accuracy" if scoring is None else "score"
    return f"mean {name} (higher is better)"
