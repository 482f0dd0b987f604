"""The card in the user's units: cuts or levels, integer points, and the scale to log-odds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from riskcard.checks import finite_number, set_fields, whole_points
from riskcard.errors import ParameterError, warn
from riskcard.formatting.speech import say
from riskcard.model.card_views import CardViews
from riskcard.model.feature_points import CardFeature
from riskcard.model.kind_answers import KindAnswers
from riskcard.model.lines import Line
from riskcard.model.origin.certificate import Certificate, TrainingFacts
from riskcard.model.origin.recipe import Recipe, digest_of
from riskcard.model.outcome_kinds import (
    Counts,
    Numbers,
    OrderedLevels,
    OutcomeKind,
    name_of_kind,
)
from riskcard.model.words.labels import Labels

if TYPE_CHECKING:
    from pathlib import Path

    from riskcard.data.levels import Label
    from riskcard.data.reading import Reading
    from riskcard.model.origin.proof_record import ProofRecord
    from riskcard.model.rows.explain import Explanation
    from riskcard.model.terms import Term


#: What an outcome without a name is called, by the name of its kind.
_UNNAMED = {
    "time_to_event": "the event",
    "counts": "events",
    "ordered_levels": "the outcome",
    "numbers": "the outcome",
}
#: Pairs of labels, in lower case, whose second only says that the target is true.
_NO_AND_YES = {
    ("0", "1"), ("false", "true"), ("f", "t"), ("no", "yes"), ("n", "y"), ("nein", "ja"),
    ("non", "oui"), ("no", "si"), ("no", "sí"), ("nee", "ja"), ("nej", "ja"), ("não", "sim"),
}  # fmt: skip


class RiskRow(NamedTuple):
    """One line of the table from total to risk."""

    total: int
    log_odds: float
    risk: float


@dataclass(frozen=True, slots=True)
class RiskCard(CardViews, KindAnswers):
    """A card: add the points of one bin of each feature to the base, and read off the risk.

    ``log-odds = total / multiplier + offset``, where ``total`` is the base and all points.

    Attributes
    ----------
    features
        The features used: ``FeaturePoints`` for numbers, ``LevelPoints`` for categories. A card
        written by hand may have any integers; a fitted one has 0 points in the lowest bin.
    base
        Points that everyone has.
    multiplier, offset
        From total to log-odds. A negative multiplier means that a higher total is safer, as on a
        card with credit points; the risk is that of the event all the same.
    feature_names
        All columns of the training table, in order; by default the features used.
    classes
        The two label values: no event, event.
    outcome
        The name of the target, when it has one.
    reading
        How the training file was read, so that other files are read in the same way; None for a
        card that was not learned from a file, or from one that needed no particular reading.
    training
        The training rows; None for a card written by hand.
    certificate
        What was proven; None for a card written by hand.
    labels
        What people read in place of the names of columns and levels.
    kind
        What the card gives where the outcome is not yes or no: ``TimeToEvent`` (risks by horizons) or
        ``Counts`` (a rate). Then ``total / multiplier + offset`` is the logarithm of the relative hazard
        or of the rate, and what asks for log-odds or for one risk is refused. None for yes or no.
    recipe
        How the card was made; None for a card written by hand. A card whose points, scale or certificate
        are not those of its recipe loses both certificate and recipe.

    Examples
    --------
    >>> from riskcard import FeaturePoints
    >>> card = RiskCard([FeaturePoints("age", [60], [0, 3])], base=-1)
    >>> card.total_points([[60.0], [61.0]]).tolist()
    [-1, 2]
    """

    features: tuple[CardFeature, ...]
    base: int = 0
    multiplier: float = 1.0
    offset: float = 0.0
    feature_names: tuple[str, ...] = ()
    classes: tuple[Label, Label] = (0, 1)
    outcome: str | None = None
    training: TrainingFacts | None = None
    certificate: Certificate | None = None
    recipe: Recipe | None = None
    reading: Reading | None = None
    labels: Labels = field(default_factory=Labels)
    kind: OutcomeKind | None = None

    def __post_init__(self) -> None:
        features = tuple(self.features)
        for feature in features:
            if not isinstance(feature, CardFeature):
                raise ParameterError(
                    f"A feature is {feature!r}. Use FeaturePoints, or LevelPoints for a category."
                )
        used = [feature.name for feature in features]
        names = tuple(str(name) for name in self.feature_names) or tuple(used)
        _require_distinct("features", used)
        _require_distinct("feature_names", names)
        unknown = [name for name in used if name not in names]
        if unknown:
            raise ParameterError(
                f"Feature {unknown[0]!r} is used but not among feature_names. Add it there."
            )
        multiplier = finite_number("The multiplier", self.multiplier)
        if multiplier == 0:
            raise ParameterError("The multiplier is 0. Use a positive or a negative number.")
        set_fields(
            self,
            features=features,
            feature_names=names,
            base=whole_points("The base", self.base),
            multiplier=multiplier,
            offset=finite_number("The offset", self.offset),
            classes=_two_labels(self.classes),
            outcome=None if self.outcome is None else str(self.outcome),
        )
        self._check_recipe()

    def _check_recipe(self) -> None:
        """Seal a new recipe; drop certificate and recipe where the card is not what was sealed."""
        if self.recipe is None:
            return
        digest = digest_of(self)
        if not self.recipe.digest:
            set_fields(self, recipe=self.recipe.sealed(digest))
        elif self.recipe.digest != digest and self.certificate is None:
            set_fields(self, recipe=None)  # nothing is claimed
        elif self.recipe.digest != digest:
            set_fields(self, certificate=None, recipe=None)
            warn(
                "The card was changed after it was fitted: its points, scale or certificate do not "
                "agree with its digest. It has lost its certificate and its recipe. Fit it again to "
                "get new ones."
            )

    @property
    def higher_is_safer(self) -> bool:
        """A higher total means a lower risk, as on a card with credit points."""
        return self.multiplier < 0

    @property
    def event(self) -> str:
        """What the event is, in words: the target, and its value where that says more."""
        if self.labels.event is not None:
            return self.labels.event
        if not self.outcome and self.kind is not None:
            return _UNNAMED[name_of_kind(self.kind)]
        if not self.outcome:
            with self.labels.spoken():
                return say("event_class", label=str(self.classes[1]))
        is_plain = tuple(str(label).casefold() for label in self.classes) in _NO_AND_YES
        return self.outcome if is_plain else f"{self.outcome} = {self.classes[1]}"

    @property
    def title(self) -> str:
        """Which risk the card gives, in words."""
        if self.labels.title is not None:
            return self.labels.title
        if isinstance(self.kind, Counts):
            return f"Rate of {self.event} per {self.kind.unit}"
        if isinstance(self.kind, Numbers):
            return f"Expected {self.event}"
        if isinstance(self.kind, OrderedLevels):
            return f"Probability of each level of {self.event}"
        return self.labels.say("risk_of", event=self.event)

    def with_labels(self, labels: Labels | str | Path) -> RiskCard:
        """The same card with words that people know: title, names, units, levels.

        Parameters
        ----------
        labels
            ``Labels``, or the name of a TOML file of them; see ``docs/labels.md``.
        """
        from riskcard.model.words.labels_file import labelled, load_labels

        return labelled(self, labels if isinstance(labels, Labels) else load_labels(labels))

    def with_proof(self, proof: ProofRecord | str | Path) -> RiskCard:
        """The same card, which names the file that proves its bound.

        Parameters
        ----------
        proof
            The file that ``write_proof`` wrote for this card, or a record of one.
        """
        from riskcard.model.origin.proof_record import ProofRecord, record_of

        if self.certificate is None or self.certificate.bound <= 0:
            raise ParameterError(
                "The card states no bound, so there is no proof of one. Fit it with certify=True (--certify)."
            )
        record = proof if isinstance(proof, ProofRecord) else record_of(proof)
        certificate = replace(self.certificate, proof=record)
        recipe = None if self.recipe is None else replace(self.recipe, digest="")
        return replace(self, certificate=certificate, recipe=recipe)

    def lines_of(self, feature: CardFeature) -> tuple[Line, ...]:
        """The lines of a feature as the labels of the card call them."""
        return self.labels.lines(feature)

    def total_points(self, values: Any) -> NDArray[np.int64]:
        """Add up the card: base and points, for each row.

        Parameters
        ----------
        values
            A 2-D array whose columns follow ``feature_names``; or a data frame or mapping, which
            are looked up by name (a mapping may hold single values: one row).

        Warns
        -----
        RiskcardWarning
            Once, when rows have a missing value in a feature that had none in training, or a level
            that training did not have. They get the points of the bin with most training rows.
        """
        from riskcard.model.rows.scoring import total_points

        return total_points(self, values)

    def points_by_feature(self, values: Any) -> NDArray[np.int64]:
        """Points of each row from each feature: one column per feature of the card, in its order.

        Parameters and warnings are those of ``total_points``; base and points add up to its totals.
        """
        from riskcard.model.rows.scoring import points_by_feature

        return points_by_feature(self, values)

    def log_odds(self, values: Any) -> NDArray[np.float64]:
        """Log-odds of the event, for each row."""
        return self.log_odds_of_total(self.total_points(values))

    def risk(self, values: Any) -> NDArray[np.float64]:
        """Probability of the event, for each row."""
        return _sigmoid(self.log_odds(values))

    def log_odds_of_total(self, total: Any) -> NDArray[np.float64]:
        """The log-odds of a total."""
        self.require_yes_or_no("Log-odds and one risk for all times")
        return self.linear_of_total(total)

    def linear_of_total(self, total: Any) -> NDArray[np.float64]:
        """``total / multiplier + offset``: log-odds, or by ``kind`` the log of a hazard or rate, or a number."""
        return np.asarray(total) / self.multiplier + self.offset

    def risk_of_total(self, total: Any) -> NDArray[np.float64]:
        """The risk of a total."""
        return _sigmoid(self.log_odds_of_total(total))

    def explain(self, row: Any) -> Explanation:
        """Say why one row has its risk, and which other value would change it; ``print`` it.

        Parameters
        ----------
        row
            A mapping from name to value, a row of a pandas frame, a frame of one row, or values in
            the order of ``feature_names``.
        """
        from riskcard.model.rows.explain import explain_row

        return explain_row(self, row)

    def shap_values(self, values: Any, background: Any = None) -> NDArray[np.float64]:
        """Exact SHAP values of the log-odds of the event: one column per feature of the card.

        A value is what the points of the feature add to the log-odds of the row, minus what they add
        on average. A row's values and the log-odds of the average total add up to its log-odds;
        features that are not on the card have the value 0 and no column.

        Parameters
        ----------
        values
            The rows, as for ``total_points``.
        background
            The rows that averages are taken over; None means the training rows, each counted once.
        """
        from riskcard.model.rows.contributions import shap_values

        self.require_yes_or_no("SHAP values of log-odds")
        return shap_values(self, values, background)

    def shap_explanation(self, values: Any, background: Any = None) -> Any:
        """The same as a ``shap.Explanation``, which the plots of SHAP draw; needs the package shap.

        Parameters
        ----------
        values, background
            As for ``shap_values``.
        """
        from riskcard.model.rows.contributions import shap_explanation

        self.require_yes_or_no("SHAP values of log-odds")
        return shap_explanation(self, values, background)

    def reachable_totals(self) -> list[int]:
        """Every total that some row can have, ascending."""
        totals = {self.base}
        for feature in self.features:
            totals = {total + points for total in totals for points in feature.possible_points}
        return sorted(totals)

    def risk_table(self) -> tuple[RiskRow, ...]:
        """Log-odds and risk of every total that a row can have."""
        totals = self.reachable_totals()
        log_odds = self.log_odds_of_total(totals)
        return tuple(map(RiskRow, totals, log_odds.tolist(), _sigmoid(log_odds).tolist()))

    @property
    def terms(self) -> tuple[Term, ...]:
        """The card as one-sided terms: each gives points when its condition holds, or when it does not.

        With ``intercept_of(terms)`` they add up to the same total as the bins, for every value that
        the card has points for. A cut without a change in points is not a term.
        """
        from riskcard.model.terms import one_sided_terms

        return tuple(term for feature in self.features for term in one_sided_terms(feature))

    @property
    def two_sided_terms(self) -> tuple[Term, ...]:
        """The card as the paper writes it: half of each jump on either side of the condition.

        With ``intercept_of(two_sided_terms)`` they add up to the same total as the bins.
        """
        from riskcard.model.terms import two_sided_terms

        return tuple(term for feature in self.features for term in two_sided_terms(feature))

    def intercept_of(self, terms: Sequence[Term]) -> int:
        """The integer that makes terms add up to the card's totals."""
        from riskcard.model.terms import intercept_of

        return self.base + intercept_of(self.features, terms)

    def to_json(self) -> str:
        """The card as text in the versioned JSON format."""
        from riskcard.model.card_json import card_to_json

        return card_to_json(self)

    @classmethod
    def from_json(cls, text: str) -> RiskCard:
        """Read a card from the text that ``to_json`` gives."""
        from riskcard.model.card_json import card_from_json

        return card_from_json(text)

    def save(self, path: str | Path) -> None:
        """Write the card to a JSON file, completely or not at all."""
        from riskcard.model.card_json import save_card

        save_card(self, path)

    @classmethod
    def load(cls, path: str | Path) -> RiskCard:
        """Read a card from a JSON file."""
        from riskcard.model.card_json import load_card

        return load_card(path)


def _sigmoid(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """``1 / (1 + exp(-x))`` without overflow, precise for small risks."""
    return np.exp(-np.logaddexp(0.0, -log_odds))


def _two_labels(classes: Sequence[Any]) -> tuple[Label, Label]:
    labels = [label.item() if isinstance(label, np.generic) else label for label in classes]
    if len(labels) != 2 or labels[0] == labels[1]:
        raise ParameterError(f"classes are {labels!r}. Give two different values: no event, event.")
    for label in labels:
        is_nan = isinstance(label, float) and not math.isfinite(label)
        if not isinstance(label, (str, int, float)) or is_nan:
            raise ParameterError(
                f"The class {label!r} is not a text, a finite number or a boolean."
            )
    return labels[0], labels[1]


def _require_distinct(what: str, names: Sequence[str]) -> None:
    if twice := [name for name, number in Counter(names).items() if number > 1]:
        raise ParameterError(f"{what} has {twice[0]!r} twice. Each column has one name.")
