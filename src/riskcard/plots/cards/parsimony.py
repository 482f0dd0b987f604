"""The parsimony plot: how well cards of each size predict, and which size was chosen."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from riskcard.errors import ParameterError
from riskcard.plots.drawing import FILL, INK, PALE, axes_or_new, finish, picture_of, plain_spines

_HELD_OUT = "held-out rows, ± 1 standard error\nof the distance from the best"
#: What people call scores that scikit-learn has other names for.
_WORDS = {"neg_log_loss": "log-loss", "neg_brier_score": "Brier score", "roc_auc": "AUC"}
_NEEDED = ("n_terms", "mean_test_score", "se_test_score", "mean_train_score", "is_chosen")


def plot_parsimony(cv_result: Any, ax: Any = None) -> Any:
    """Draw the mean held-out score against the number of terms, and the AUC next to it.

    A score that scikit-learn turns round, such as "neg_log_loss", is shown as the loss that it is:
    lower is better. Bars reach one standard error of the distance from the best size up and down. The
    best size has a ring and a dotted line at its score; the chosen one has a filled square. By the rule
    "one_se" it is the first whose bar reaches the line. Marks and lines differ in shape, not only in
    colour. Scores far worse than those of interest are cut off.

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
    name = _score_name(getattr(cv_result, "scoring", "score"))
    is_loss = name.startswith("neg_")
    _draw(ax, results, -1.0 if is_loss else 1.0)
    handles, labels = ax.get_legend_handles_labels()
    first = labels.index(_HELD_OUT)  # bars come last otherwise
    for entries in (handles, labels):
        entries.insert(0, entries.pop(first))
    if name != "roc_auc" and "mean_test_auc" in results:
        handles.insert(1, _draw_area(ax, results))
        labels.insert(1, "AUC on held-out rows (right)")
    finish(ax, "y", is_above=True, handles=handles, labels=labels, ncols=2)
    words = _WORDS.get(name, name.removeprefix("neg_"))
    better = "lower" if is_loss else "higher"
    ax.set(xlabel="terms on the card", ylabel=f"mean {words} ({better} is better)")
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


def _draw(ax: Any, results: Mapping[str, Any], sign: float) -> None:
    """The path, times -1 where scores are losses turned round."""
    terms, means = np.asarray(results["n_terms"]), sign * np.asarray(results["mean_test_score"])
    errors = np.asarray(results["se_test_score"])
    best = int(np.argmax(np.asarray(results["rank_test_score"]) == 1))
    chosen = int(np.argmax(results["is_chosen"]))
    ax.errorbar(
        terms, means, yerr=np.nan_to_num(errors), fmt="o-", color=INK, markersize=4,
        capsize=3, linewidth=1.2, zorder=3, label=_HELD_OUT,
    )  # fmt: skip
    train = sign * np.asarray(results["mean_train_score"])
    ax.plot(terms, train, "--", color=PALE, label="training rows")
    if np.isfinite(errors[best]):
        ax.axhline(means[best], color=INK, linewidth=0.9, linestyle=":")
    ax.plot(terms[best], means[best], "o", markersize=13, markerfacecolor="none",
            markeredgecolor=INK, markeredgewidth=1.4, linestyle="none",
            label=f"best: {_terms(terms[best])}", zorder=4)  # fmt: skip
    ax.plot(terms[chosen], means[chosen], "s", markersize=8, color=FILL, markeredgecolor=INK,
            linestyle="none", label=f"chosen: {_terms(terms[chosen])}", zorder=5)  # fmt: skip
    ax.set_ylim(*sorted(sign * end for end in _span(results, best)))
    ax.xaxis.get_major_locator().set_params(integer=True)


def _draw_area(ax: Any, results: Mapping[str, Any]) -> Any:
    """The area under the ROC curve of each size, on a scale of its own to the right."""
    right = ax.twinx()
    (line,) = right.plot(
        results["n_terms"], results["mean_test_auc"], "^:", color=FILL, markersize=4, linewidth=1.0
    )
    right.set_ylabel("mean AUC", color=FILL)
    right.tick_params(axis="y", colors=FILL)
    plain_spines(right, "left")
    return line


def _span(results: Mapping[str, Any], best: int) -> tuple[float, float]:
    """The scores worth seeing: much worse ones of large cards would flatten all others."""
    means = np.asarray(results["mean_test_score"])
    errors = np.nan_to_num(results["se_test_score"])
    train = np.asarray(results["mean_train_score"])
    worth = slice(best + 1)
    top = float(max(means.max(), (means + errors)[worth].max(), train.max()))
    usual = float(min((means - errors)[worth].min(), train.min()))
    bottom = max(float((means - errors).min()), usual - 2 * (top - usual))
    margin = 0.05 * (top - bottom) or 0.05
    return bottom - margin, top + margin


def _terms(number: int) -> str:
    return f"{number} term" if number == 1 else f"{number} terms"


def _score_name(scoring: Any) -> str:
    return scoring if isinstance(scoring, str) else "accuracy" if scoring is None else "score"
