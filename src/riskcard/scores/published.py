"""Published scores: items, points and sources from ``published.toml``, and cards made of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.frames import column_names
from riskcard.data.raw_columns import read_raw
from riskcard.data.table import make_table
from riskcard.data.target import name_of_target
from riskcard.errors import DataError, ParameterError
from riskcard.formatting.spelling import nearest_name
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints
from riskcard.scores.inputs import Input, feature_of, read_input
from riskcard.toml import parse_toml


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a score.

    Attributes
    ----------
    name, text
        How it is called here, and what it asks.
    points
        Of each part; of a condition, where it does not hold and where it does.
    starts, above
        Where a number is divided: at ``starts`` the number itself belongs to the upper part, at
        ``above`` to the lower one. A condition has neither.
    """

    name: str
    text: str
    points: tuple[int, ...]
    starts: tuple[float, ...] = ()
    above: tuple[float, ...] = ()

    @property
    def is_condition(self) -> bool:
        """Whether it is answered with yes or no."""
        return not (self.starts or self.above)

    def __str__(self) -> str:
        if self.is_condition:
            return f"{self.name}: {self.points[1]:+d} ({self.text})"
        ends = self.starts or self.above
        word = "from" if self.starts else "above"
        parts = [f"{self.points[0]}"]
        parts += [f"{p} {word} {e:g}" for p, e in zip(self.points[1:], ends, strict=True)]
        return f"{self.name}: {', '.join(parts)} ({self.text})"


@dataclass(frozen=True, slots=True)
class PublishedScore:
    """A score as its authors published it: points without risks on your rows.

    Attributes
    ----------
    name, title, about, source
        What it is called here and by its authors, which outcome it is about, and who published it.
    items
        What it asks. Each is looked for in the column of its name, unless ``columns`` says otherwise.

    Examples
    --------
    >>> score = published("qsofa")
    >>> rows = {"rr": [30, 18], "altered_mentation": [1, 0], "sbp": [95, 120]}
    >>> score.totals(rows, {"respiratory_rate": "rr", "systolic_pressure": "sbp"}).tolist()
    [3, 0]
    """

    name: str
    title: str
    about: str
    source: str
    items: tuple[Item, ...]

    def fit(
        self,
        X: Any,
        y: Any,
        columns: Mapping[str, str] | None = None,
        *,
        sample_weight: Any = None,
        event: Any = None,
        missing: str = "error",
    ) -> RiskCard:
        """The score as a card of your columns: points as published, slope and offset fitted to the rows.

        Parameters
        ----------
        X
            A data frame, or a mapping from name to column.
        y, sample_weight
            Labels and weights of the rows.
        columns
            For each item that is called otherwise in ``X``: the column; for a condition also
            "COLUMN >= NUMBER" (or ``>``, ``<``, ``<=``) or "COLUMN = YES/NO" with the levels where it
            holds and all others.
        event
            The label of the event, where the labels do not say so themselves.
        missing
            "error" refuses rows with a missing value; "zero" gives them 0 points for the item.
        """
        from riskcard.estimators.existing_card.recalibrate import recalibrate

        card = self.points_card(X, columns, missing=missing)
        n_rows = len(card.total_points(X))
        rows = np.zeros((n_rows, 1))
        table = make_table(rows, y, sample_weight, drop_zero_weights=True, event=event)
        card = RiskCard(card.features, classes=table.classes, outcome=name_of_target(y))
        return recalibrate(card, X, y, sample_weight, update="both")

    def totals(
        self, X: Any, columns: Mapping[str, str] | None = None, *, missing: str = "error"
    ) -> NDArray[np.int64]:
        """The total of each row; no risks are needed. Parameters are those of ``fit``."""
        return self.points_card(X, columns, missing=missing).total_points(X)

    def points_card(
        self, X: Any, columns: Mapping[str, str] | None = None, *, missing: str = "error"
    ) -> RiskCard:
        """The points on the user's columns. The scale of this card is arbitrary: it has no risks to trust."""
        if missing not in ("error", "zero"):
            raise ParameterError(f"missing is {missing!r}. Use 'error' or 'zero'.")
        inputs = self.inputs(columns)
        names = column_names(X)
        if names is None:
            raise DataError("The rows have no names of columns. Give a data frame or a mapping.")
        self.require_columns(inputs, [str(name) for name in names])
        points = 0 if missing == "zero" else None
        found = []
        for item in self.items:
            source = inputs[item.name]
            feature = feature_of(item, source, is_whole=False, missing=points)
            if isinstance(feature, FeaturePoints) and _are_whole(X[source.column]):
                feature = feature_of(item, source, is_whole=True, missing=points)
            found.append(feature)
        return RiskCard(tuple(found))

    def inputs(self, columns: Mapping[str, str] | None = None) -> dict[str, Input]:
        """Where each item is looked for."""
        given = dict(columns or {})
        own = [item.name for item in self.items]
        for name in given:
            if name not in own:
                raise ParameterError(
                    f"{self.title} has no item {name!r}. {nearest_name(name, own, 'items')}"
                )
        inputs = {name: read_input(given.get(name, name)) for name in own}
        counted = Counter(one.column for one in inputs.values())
        twice = [column for column, number in counted.items() if number > 1]
        if twice:
            items = [name for name, one in inputs.items() if one.column == twice[0]]
            raise ParameterError(
                f"The column {twice[0]!r} is given for the items {', '.join(map(repr, items))}. A card has "
                "each column once: copy the column under another name."
            )
        return inputs

    def require_columns(self, inputs: Mapping[str, Input], names: list[str]) -> None:
        """Refuse a table without some of the columns, and name all that are missing."""
        lacking = [name for name, one in inputs.items() if one.column not in names]
        if lacking:
            listed = ", ".join(
                repr(name)
                if inputs[name].column == name
                else f"{name!r} (column {inputs[name].column!r})"
                for name in lacking
            )
            raise DataError(
                f"{self.title} also asks for {listed}, which the rows do not have. Say which columns these "
                "are (columns=..., --column ITEM=COLUMN), or add them."
            )

    def __str__(self) -> str:
        return "\n".join(
            [f"{self.title}: {self.about}", *(f"  {item}" for item in self.items), self.source]
        )


def published_names() -> list[str]:
    """The names of all published scores."""
    return list(_all())


def published(name: str) -> PublishedScore:
    """A published score by its name, such as "chads2"; ``print`` it to see its items."""
    if name not in _all():
        raise ParameterError(
            f"There is no published score {name!r}. {nearest_name(name, published_names(), 'scores')}"
        )
    return _all()[name]


@cache
def _all() -> dict[str, PublishedScore]:
    text = Path(__file__).with_name("published.toml").read_text(encoding="utf-8")
    return {
        name: PublishedScore(**{**entry, "name": name, "items": tuple(map(_item, entry["items"]))})
        for name, entry in parse_toml(text).items()
    }


def _item(entry: Mapping[str, Any]) -> Item:
    points = entry["points"]
    return Item(
        entry["name"],
        entry["text"],
        tuple(points) if isinstance(points, list) else (0, points),
        tuple(map(float, entry.get("from", ()))),
        tuple(map(float, entry.get("above", ()))),
    )


def _are_whole(column: Any) -> bool:
    """Whether all numbers of a column are whole; False where some value is not a number."""
    try:
        numbers = np.asarray(read_raw(column).values, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    numbers = numbers[~np.isnan(numbers)]
    return bool((numbers == np.round(numbers)).all())
