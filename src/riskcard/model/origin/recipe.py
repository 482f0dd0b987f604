"""How a card was made: every parameter, the version, and hashes of the rows it was learned from.

A recipe ends with a digest of the points, the scale, the certificate and the recipe itself. A card
that was edited no longer agrees with it, and loses its certificate. The digest guards against
mistakes, not against forgery: whoever edits a card on purpose can compute it again.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riskcard.checks import finite_number, set_fields, set_numbers, whole_number
from riskcard.errors import ParameterError
from riskcard.version import __version__

if TYPE_CHECKING:
    from riskcard.data.columns import FeatureValues
    from riskcard.model.card import RiskCard


class RowOrigin(str, Enum):
    """Whether rows are those that a card was learned from."""

    TRAINING = "training rows"
    OTHER = "other rows"
    UNKNOWN = "cannot tell"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The rows of the table that were kept from the fit, to judge the card once.

    Attributes
    ----------
    rows, events
        Counts.
    amount, seed
        How they were drawn: a share below 1 or a number of rows, and the seed; 0 where they are not drawn, but
        the later rows.
    groups
        The column whose groups were held out as a whole; empty where rows were drawn one by one.
    rows_used
        Their hash over the features on the card, with label and weight.
    """

    rows: int
    events: int
    amount: float
    seed: int
    groups: str
    rows_used: str

    def __post_init__(self) -> None:
        set_numbers(self, whole_number, "rows", "events", "seed")
        set_numbers(self, finite_number, "amount")
        _require("groups", self.groups, str, "a text")
        _require("rows_used", self.rows_used, str, "a text")


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a card was made.

    Attributes
    ----------
    method
        The class or function: "RiskScoreClassifier", "RiskScoreClassifierCV", "improve",
        "find_pool", or the name of a baseline.
    parameters
        Those of the classifier as they were given, as plain JSON values. Rules have the form of a
        TOML file, a mapping of class weights is a list of pairs, and a seed is a number.
    resolved
        What "auto" became, and the smallest bins as counts.
    further
        Parameters of the method that the classifier does not have, such as the folds.
    is_weighted
        Some rows had a ``sample_weight`` other than 1.
    rows_used, rows_all
        Hashes of the training rows, with label and weight: over the features on the card, and over
        all features. See ``riskcard.data.row_hash``. Empty where rows were merged before they were read,
        as those of a database.
    version
        The version of riskcard.
    held_out
        The rows that were kept from the fit; None where there are none.
    scale_rows
        Hash of the rows that the scale was fitted to later, over the features on the card, with label
        and weight: those of a recalibration. Empty where there was none.
    digest
        That of the card; an empty text is replaced when the card is made.
    """

    method: str
    parameters: Mapping[str, Any] = field(hash=False)
    resolved: Mapping[str, Any] = field(hash=False)
    further: Mapping[str, Any] = field(hash=False)
    is_weighted: bool
    rows_used: str
    rows_all: str
    version: str = __version__
    held_out: HeldOut | None = None
    scale_rows: str = ""
    digest: str = ""

    def __post_init__(self) -> None:
        for name in ("method", "rows_used", "rows_all", "version", "scale_rows", "digest"):
            _require(name, getattr(self, name), str, "a text")
        _require("is_weighted", self.is_weighted, bool, "a boolean")
        for name in ("parameters", "resolved", "further"):
            value = getattr(self, name)
            _require(name, value, Mapping, "an object")
            set_fields(self, **{name: _plain(name, value) if value else {}})

    def sealed(self, digest: str) -> Recipe:
        """The same recipe with the digest of its card; what was checked before stays as it is."""
        found = copy.copy(self)
        set_fields(found, digest=digest)
        return found


def matches(
    card: RiskCard,
    features: Mapping[str, FeatureValues],
    is_event: NDArray[np.bool_],
    weights: NDArray[np.float64] | None = None,
    further: Mapping[str, FeatureValues] | None = None,
) -> RowOrigin:
    """Whether rows are those that a card was learned from, in any order.

    Parameters
    ----------
    card
        A card; without a recipe the answer is "cannot tell".
    features
        From name to values and levels; at least those on the card.
    is_event
        Which rows have the event.
    weights
        As they were given to ``fit``; None where there are none.
    further
        What rows have in addition to an event, such as times, where the outcome is not yes or no.

    Returns
    -------
    RowOrigin
        "cannot tell" where a feature of the card or the weights are missing, where the card has no
        features and some columns are missing, and where the rows agree in the features of the card
        but not in the others.
    """
    from riskcard.data.columns import FeatureValues
    from riskcard.data.row_hash import hash_choices

    recipe, used = card.recipe, [feature.name for feature in card.features]
    if recipe is None or not recipe.rows_used or any(name not in features for name in used):
        return RowOrigin.UNKNOWN
    if recipe.is_weighted and weights is None:
        return RowOrigin.UNKNOWN
    given = np.ones(is_event.size) if weights is None else weights
    kept = given > 0  # as in training
    more = dict(further or {})
    names = [[*used, *more]]
    if all(name in features for name in card.feature_names):
        names.append([*card.feature_names, *more])
    columns = {**features, **more}
    chosen = {
        name: FeatureValues(columns[name].values[kept], columns[name].levels) for name in names[-1]
    }
    hashes = hash_choices(chosen, names, is_event[kept], given[kept])
    if hashes[0] != recipe.rows_used:
        return RowOrigin.OTHER
    if len(hashes) > 1:
        return RowOrigin.TRAINING if hashes[1] == recipe.rows_all else RowOrigin.UNKNOWN
    return RowOrigin.TRAINING if used else RowOrigin.UNKNOWN


def hash_for_scale(
    card: RiskCard,
    rows: Any,
    is_event: NDArray[np.bool_],
    weights: NDArray[np.float64],
    further: Mapping[str, FeatureValues] | None = None,
) -> str:
    """The hash of the rows that a scale is fitted to.

    Parameters
    ----------
    card
        A card.
    rows
        As the card scores them.
    is_event, weights
        Of each row.
    further
        What rows have in addition, such as times.
    """
    from riskcard.data.columns import read_column
    from riskcard.data.frames import find_columns
    from riskcard.data.row_hash import hash_rows

    used = [feature.name for feature in card.features]
    found = find_columns(rows, card.feature_names, used)
    columns = {name: read_column(column, name) for name, column in found.items()}
    return hash_rows(columns | dict(further or {}), is_event, weights)


def digest_of(card: RiskCard) -> str:
    """A digest of what a certificate is about: points, cuts, scale, certificate and recipe."""
    content = {
        "features": card.features,
        "base": card.base,
        "multiplier": card.multiplier,
        "offset": card.offset,
        "certificate": card.certificate,
        "recipe": None if card.recipe is None else {**_entries_of(card.recipe), "digest": ""},
    }
    if card.kind is not None:
        content["kind"] = card.kind
    text = json.dumps(
        content, sort_keys=True, separators=(",", ":"), allow_nan=False, default=_entries_of
    )
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _entries_of(record: Any) -> dict[str, Any]:
    """The fields of a record as they are, which is much faster than copying everything in them."""
    return {entry.name: getattr(record, entry.name) for entry in fields(record)}


def _require(name: str, value: Any, kind: type, words: str) -> None:
    if not isinstance(value, kind):
        raise ParameterError(f"{name} of the recipe is {value!r}. It must be {words}.")


def _plain(name: str, value: Mapping[str, Any]) -> Any:
    """The same as JSON would give it back, so that a recipe equals itself after a round trip."""
    try:
        return json.loads(json.dumps(dict(value), allow_nan=False))
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{name} of the recipe is not plain JSON: {error}.") from None
