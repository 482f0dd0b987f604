"""Which size of card: means and standard errors over folds, and the rule that picks one."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.errors import ParameterError
from riskcard.evaluation.measures import Tally, fit_slope, mean_log_loss

#: Mean scores that differ by less are equal but for rounding.
SCORE_ROUNDING = 1e-12

Floats = NDArray[np.float64]
#: Log-odds of the last class, which rows are of it, and their weights.
HeldOutcomes = tuple[Floats, NDArray[np.bool_], Floats]


@dataclass(frozen=True, slots=True)
class PathScores:
    """Every size in every fold; arrays of shape (folds, sizes).

    Attributes
    ----------
    sizes
        Numbers of terms allowed, ascending.
    test, train
        Scores on the held-out rows and on those fitted; higher is better.
    seconds
        Time of each fit.
    features, terms
        How many the fitted cards use.
    folds_a_pass
        The number of folds that test every row once. It is the number of folds where each row is
        in one of them, and smaller where rows are tested repeatedly.
    areas
        Area under the ROC curve on the held-out rows of each fold; NaN where they have one class.
    held_out
        For each size the held-out rows of all folds together.
    """

    sizes: NDArray[np.int64]
    test: Floats
    train: Floats
    seconds: Floats
    features: Floats
    terms: Floats
    folds_a_pass: float
    areas: Floats | None = None
    held_out: tuple[HeldOutcomes, ...] = ()

    @property
    def means(self) -> Floats:
        """Mean test score of each size."""
        means: Floats = self.test.mean(axis=0)
        return means

    @property
    def best(self) -> int:
        """Position of the best mean score, the smallest size where several have it."""
        highest = float(self.means.max())
        return int(np.argmax(self.means >= highest - SCORE_ROUNDING * max(1.0, abs(highest))))

    @property
    def standard_errors(self) -> Floats:
        """Standard error of each size's distance from the best; NaN where there is a single fold.

        Distances are taken fold by fold: some folds are easier than others, for all sizes alike,
        and that says nothing about sizes. The scores of repeated cross-validation are not
        independent: other splits make the mean more stable but bring no new rows. So the spread is
        divided by the root of the number of folds in *one* pass over the rows, not of all.
        """
        if len(self.test) < 2:
            return np.full(self.sizes.size, np.nan)
        behind = self.test[:, [self.best]] - self.test
        errors: Floats = behind.std(axis=0, ddof=1) / np.sqrt(self.folds_a_pass)
        return errors


@dataclass(frozen=True, slots=True)
class SizeChoice:
    """The size that was picked.

    Attributes
    ----------
    chosen, best
        Positions of the size that was picked and of the one with the best mean score.
    """

    chosen: int
    best: int


def choose_size(path: PathScores, rule: str) -> SizeChoice:
    """Pick a size.

    Parameters
    ----------
    path
        Scores of all sizes.
    rule
        "best": the best mean score, the smallest size where several have it. "one_se": the smallest
        size whose mean score is at most one standard error of the difference below the best.
    """
    best = path.best
    if rule == "best":
        return SizeChoice(best, best)
    errors = path.standard_errors
    if np.isnan(errors[best]):
        raise ParameterError(
            "rule is 'one_se', but there is only one fold, which has no standard error. "
            "Use at least two folds, or rule='best'."
        )
    rounding = SCORE_ROUNDING * max(1.0, abs(path.means[best]))
    chosen = int(np.argmax(path.means + errors >= path.means[best] - rounding))
    return SizeChoice(chosen, best)


def _figures_of(path: PathScores) -> dict[str, Floats]:
    """AUC, log-loss and calibration slope of every size on held-out rows, whatever the score is.

    The AUC is a mean over folds, since risks of different cards should not be compared; loss and
    slope are those of all held-out rows together. The card without terms has no slope.
    """
    if path.areas is None:
        return {}
    tallies = [Tally.of(*outcomes) for outcomes in path.held_out]
    slopes = [
        fit_slope(tally).value if size > 0 else np.nan
        for size, tally in zip(path.sizes, tallies, strict=True)
    ]
    known = ~np.isnan(path.areas)
    n_known = np.maximum(known.sum(axis=0), 1)
    areas = np.where(known, path.areas, 0.0).sum(axis=0) / n_known
    return {
        "mean_test_auc": np.where(known.any(axis=0), areas, np.nan),
        "test_log_loss": np.array([mean_log_loss(tally) for tally in tallies]),
        "test_slope": np.array(slopes),
    }


def results_of(path: PathScores, choice: SizeChoice) -> dict[str, NDArray[Any]]:
    """All figures as one dict of arrays, one entry per size, named as in scikit-learn's searches."""
    means = path.means
    is_chosen = np.arange(path.sizes.size) == choice.chosen
    results: dict[str, NDArray[Any]] = {
        "n_terms": path.sizes.copy(),
        "mean_test_score": means,
        "std_test_score": path.test.std(axis=0),
        "se_test_score": path.standard_errors,
        "rank_test_score": 1 + (means[:, None] < means[None, :]).sum(axis=1),
        "mean_train_score": path.train.mean(axis=0),
        "std_train_score": path.train.std(axis=0),
        "mean_fit_time": path.seconds.mean(axis=0),
        "std_fit_time": path.seconds.std(axis=0),
        "mean_n_features": path.features.mean(axis=0),
        "mean_n_terms_used": path.terms.mean(axis=0),
        "is_chosen": is_chosen,
        **_figures_of(path),
    }
    for fold in range(len(path.test)):
        results[f"split{fold}_test_score"] = path.test[fold].copy()
        results[f"split{fold}_train_score"] = path.train[fold].copy()
    return results
