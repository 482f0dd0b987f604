"""What every classifier shows of its card: why a row has its risk, and the card in notebooks."""

from typing import Any

from sklearn.utils.validation import check_is_fitted


class ShowsCard:
    """For classifiers whose fitted model is ``card_``; comes before scikit-learn's classes among the bases."""

    def explain(self, row: Any) -> Any:
        """Say why a row has its risk, and which other value would change it: see ``RiskCard.explain``.

        Parameters
        ----------
        row
            A mapping from name to value, a row of a pandas frame, a frame of one row, or values in
            the order of the features.
        """
        check_is_fitted(self)
        return self.card_.explain(row)  # type: ignore[attr-defined]

    def _repr_html_inner(self) -> str:
        """What a notebook shows: the card when there is one, and scikit-learn's diagram."""
        diagram: str = super()._repr_html_inner()  # type: ignore[misc]
        return self._card_as_html() + diagram

    def _repr_mimebundle_(self, **more: Any) -> dict[str, Any]:
        """The same, for front ends that ask for a bundle of formats."""
        bundle: dict[str, Any] = super()._repr_mimebundle_(**more)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] = self._card_as_html() + bundle["text/html"]
        return bundle

    def _card_as_html(self) -> str:
        card = getattr(self, "card_", None)
        return "" if card is None else card.to_html()
