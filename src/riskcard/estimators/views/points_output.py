"""What a classifier says of each feature: its points, its SHAP values, how much it matters."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from riskcard.errors import ParameterError
from riskcard.model.card import RiskCard
from riskcard.model.rows.contributions import importances


class GivesPoints(TransformerMixin):
    """For classifiers whose fitted model is ``card_``; ``set_output`` chooses the kind of table."""

    card_: RiskCard
    _columns_in: Sequence[str]

    def _rows_to_score(self, X: Any) -> Any:
        """Checked rows, as the card takes them."""
        raise NotImplementedError

    def transform(self, X: Any) -> NDArray[np.int64]:
        """Points of each row: one column per feature of the card. ``card_.base`` is not among them.

        Parameters
        ----------
        X
            Rows by features.
        """
        rows = self._rows_to_score(X)
        return self.card_.points_by_feature(rows)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The features of the card, which are the columns that ``transform`` returns.

        Parameters
        ----------
        input_features
            Names for the columns of an array; where training had names, these or None.
        """
        check_is_fitted(self)
        names = list(self._columns_in)
        if input_features is not None:
            given = [str(name) for name in input_features]
            if len(given) != len(names):
                raise ParameterError(
                    f"input_features should have length equal to the number of features, {len(names)}, "
                    f"but has {len(given)}."
                )
            if hasattr(self, "feature_names_in_") and given != names:
                raise ParameterError(
                    "input_features is not equal to feature_names_in_. Leave it out, or give the names "
                    "of training."
                )
        else:
            given = names
        new_names = dict(zip(names, given, strict=True))
        return np.array([new_names[one.name] for one in self.card_.features], dtype=object)

    def __call__(self, X: Any) -> NDArray[np.float64]:
        """The log-odds of the event, so that ``shap.Explainer(model, X)`` explains what ``shap_values`` does.

        Parameters
        ----------
        X
            Rows by features.
        """
        rows = self._rows_to_score(X)
        return self.card_.log_odds(rows)

    def shap_values(self, X: Any, background: Any = None) -> NDArray[np.float64]:
        """Exact SHAP values of the log-odds of the event: see ``RiskCard.shap_values``.

        Parameters
        ----------
        X
            Rows by features.
        background
            The rows that averages are taken over; None means the training rows, each counted once.
        """
        rows = self._rows_to_score(X)
        compared = None if background is None else self._rows_to_score(background)
        return self.card_.shap_values(rows, compared)

    def shap_explanation(self, X: Any, background: Any = None) -> Any:
        """The same for the plots of SHAP: see ``RiskCard.shap_explanation``.

        Parameters
        ----------
        X, background
            As for ``shap_values``.
        """
        rows = self._rows_to_score(X)
        compared = None if background is None else self._rows_to_score(background)
        return self.card_.shap_explanation(rows, compared)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How much each column matters: shares that add up to 1, and 0 for columns not on the card.

        The share of a feature is proportional to the mean distance of its points from their average
        on the training rows, each counted once; that is the mean of its absolute SHAP values.
        """
        check_is_fitted(self)
        shares = importances(self.card_)
        return np.array([shares.get(name, 0.0) for name in self._columns_in])
