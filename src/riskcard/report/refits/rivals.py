"""Two models that a card is measured against: logistic regression and gradient boosting.

Both are given the table as numbers, with indices for levels and NaN where a value is missing, and
prepare it in a simple, stated way.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, OneHotEncoder, StandardScaler

from riskcard.data.levels import Levels
from riskcard.formatting.figures import amount
from riskcard.formatting.speech import in_figures, say

#: Tables of fewer rows get small trees and no early stopping.
MANY_ROWS = 5000
#: Gradient boosting takes at most this many levels of a category.
MOST_LEVELS = 255

AllLevels = Sequence[Levels | None]


@dataclass(frozen=True, slots=True)
class Rival:
    """A model to compare with.

    Attributes
    ----------
    key
        The names of its words begin with it.
    describe
        From the number of rows to how it is set up, in words.
    make
        From the levels of all features and the number of rows to an unfitted model.
    size
        From a fitted model to the number of its parts.
    """

    key: str
    describe: Callable[[int], str]
    make: Callable[[AllLevels, int], Any]
    size: Callable[[Any], str]

    def fit(
        self,
        levels: AllLevels,
        values: NDArray[np.float64],
        is_event: NDArray[np.bool_],
        weights: NDArray[np.float64],
    ) -> Any:
        """Fit a new model to some rows; equal weights are not passed on, which is much faster."""
        model = self.make(levels, len(values))
        if (weights == weights[0]).all():
            return model.fit(values, is_event)
        return model.fit(values, is_event, **{f"{model.steps[-1][0]}__sample_weight": weights})


def _nominal(levels: AllLevels) -> list[int]:
    return [place for place, one in enumerate(levels) if one is not None and not one.is_ordered]


# --- logistic regression ------------------------------------------------------------------------


def _make_regression(levels: AllLevels, n_rows: int) -> Any:
    nominal = _nominal(levels)
    others = [place for place in range(len(levels)) if place not in nominal]
    # to 1 at most first: the squares of very large numbers would be infinite
    filled = make_pipeline(
        MaxAbsScaler(),
        SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True),
        StandardScaler(),
    )
    encoded = OneHotEncoder(min_frequency=10, handle_unknown="infrequent_if_exist")
    columns = ColumnTransformer([("numbers", filled, others), ("levels", encoded, nominal)])
    return make_pipeline(columns, LogisticRegression(max_iter=2000))


# --- gradient boosting --------------------------------------------------------------------------


def _make_boosting(levels: AllLevels, n_rows: int) -> Any:
    nominal = [place for place in _nominal(levels) if len(levels[place].names) <= MOST_LEVELS]  # type: ignore[union-attr]
    return make_pipeline(
        HistGradientBoostingClassifier(
            categorical_features=nominal or None, random_state=0, **_boosting_settings(n_rows)
        )
    )


def _boosting_settings(n_rows: int) -> dict[str, Any]:
    """Small trees on small tables, where the defaults of scikit-learn overfit."""
    if n_rows < MANY_ROWS:
        return {
            "learning_rate": 0.05, "max_iter": 150, "max_leaf_nodes": 4, "l2_regularization": 1.0,
            "max_bins": 64, "early_stopping": False,
        }  # fmt: skip
    return {"learning_rate": 0.1, "max_iter": 500, "max_leaf_nodes": 31, "early_stopping": True}


def _describe_boosting(n_rows: int) -> str:
    settings = _boosting_settings(n_rows)
    return say(
        "method_boosting_how_at_most" if settings["early_stopping"] else "method_boosting_how",
        trees=str(settings["max_iter"]),
        leaves=str(settings["max_leaf_nodes"]),
        rate=in_figures(str(settings["learning_rate"])),
    )


RIVALS = (
    Rival(
        "regression",
        lambda n_rows: say("method_regression_how"),
        _make_regression,
        lambda model: say("coefficients_many", number=amount(model[-1].coef_.size)),
    ),
    Rival(
        "boosting",
        _describe_boosting,
        _make_boosting,
        lambda model: say("trees_many", number=amount(model[-1].n_iter_)),
    ),
)
