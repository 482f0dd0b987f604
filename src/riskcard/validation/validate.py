"""A card on rows that it was not learned from, from Python: gather the facts, show them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from riskcard.data.frames import column_names, find_columns
from riskcard.errors import DataError, ParameterError, SolverMissing
from riskcard.extras import import_pandas
from riskcard.formatting.speech import say
from riskcard.model.card import RiskCard
from riskcard.model.origin.row_role import features_of
from riskcard.output_files import table_as_csv, write_whole
from riskcard.sources.source import Source
from riskcard.validation.facts import ValidationFacts
from riskcard.validation.gather import ValidationOptions, gather_facts
from riskcard.validation.named_groups import groups_of, sites_of
from riskcard.validation.rivals import read_rival
from riskcard.validation.rows import GivenRows, Rival, column_of_draw
from riskcard.validation.source_rows import rows_of_source
from riskcard.validation.tables import facts_as_dict, tables_of


@dataclass(frozen=True, slots=True, repr=False)
class Validation:
    """A card on some rows: its facts, as text, page, tables and JSON."""

    facts: ValidationFacts

    def to_html(self) -> str:
        """The page, which needs nothing else: styles and pictures are in it."""
        from riskcard.validation.page import render_page

        return render_page(self.facts)

    def save(self, path: str | Path) -> None:
        """Write the page to a file, whole or not at all."""
        write_whole(path, self.to_html())

    def to_json(self) -> str:
        """All facts as JSON; null where there is no number."""
        return json.dumps(facts_as_dict(self.facts), allow_nan=False, ensure_ascii=False, indent=1)

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """All tables by name, each a list of rows."""
        return tables_of(self.facts)

    def tables_as_csv(self) -> dict[str, str]:
        """All tables by name, each as the text of a CSV file."""
        return {
            name: table_as_csv({column: [row[column] for row in rows] for column in rows[0]})
            for name, rows in self.tables().items()
        }

    def frame(self, name: str = "figures") -> Any:
        """A table as a pandas frame.

        Parameters
        ----------
        name
            One of the names of ``tables()``.
        """
        found = self.tables()
        if name not in found:
            raise ParameterError(f"There is no table {name!r}. There are: {', '.join(found)}.")
        return import_pandas("use tables()").DataFrame(found[name])

    def plot_forest(self, what: str = "subgroups") -> Any:
        """Draw AUC, expected / observed events and slope of each group with their intervals.

        Parameters
        ----------
        what
            "subgroups" or "sites", where ``by`` or ``sites`` was given.

        Returns
        -------
        matplotlib.figure.Figure
            A new figure; ``savefig`` writes it.
        """
        known = {"subgroups": self.facts.subgroups, "sites": self.facts.sites}
        if what not in known:
            raise ParameterError(
                f"There is no forest plot of {what!r}. Use 'subgroups' or 'sites'."
            )
        if not known[what]:
            raise ParameterError(
                f"There are no {what} to draw. Validate with 'by' or with 'sites'."
            )
        from riskcard.plots.forest import forest_figure
        from riskcard.validation.pictures import forest_of

        with self.facts.card.labels.spoken():
            return forest_figure(*forest_of(self.facts, what))

    def __str__(self) -> str:
        from riskcard.validation.text import render_text

        with self.facts.card.labels.spoken():
            return render_text(self.facts)

    def __repr__(self) -> str:
        found = self.facts.evaluation
        return f"<Validation of {self.facts.card.title!r} on {found.rows:,} rows, AUC {found.roc.area:.3f}>"

    def _repr_html_(self) -> str | None:
        """The page in a frame of its own, so that its styles stay there; None where it cannot be drawn."""
        from riskcard.formatting.templates import render

        try:
            page = self.to_html()
        except SolverMissing:  # a notebook then shows the text
            return None
        return render("report/templates/frame.html.j2", page=page)


def validate(
    card: Any,
    X: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    groups: Any = None,
    sites: Any = None,
    by: str | Sequence[str] | Mapping[str, Any] = (),
    cuts: Mapping[str, Sequence[float]] | None = None,
    compare: Any = None,
    risk_groups: Sequence[float] = (),
    total_groups: Sequence[float] = (),
    flag_from: Sequence[float] = (),
    n_bootstraps: int = 500,
    random_state: int = 0,
) -> Validation:
    """Judge a card on rows that it was not learned from: external validation, nothing is refitted.

    Parameters
    ----------
    card
        A ``RiskCard``, or a fitted classifier.
    X, y
        The rows and their labels, which must be those of the card. Or a source that ``open_source`` gives, alone: its
        rows are counted where they are.
    sample_weight
        One weight per row.
    groups
        Which rows belong together, such as the visits of a patient: a column of X by its name, or one
        label per row. All intervals allow for it. By default those that ``fit --hold-out --groups`` kept
        together, where X has their column.
    sites
        Where each row is from, in the same way: each site is judged, and all are summarised with random
        effects.
    by
        Names of columns of X whose groups are judged one by one; or a mapping from names to columns.
    cuts
        Where a column of numbers in ``by`` is divided; by default into about three parts of equal size.
    compare
        What the card is compared with: a card, the name of a column of X, or a mapping from names to
        cards and columns. Numbers from 0 to 1 are taken for risks, others for a score.
    risk_groups, total_groups
        Risks, or totals, at which a new group of rows begins.
    flag_from
        Risks from which one would act: the error rates of the groups of ``by`` are compared there.
    n_bootstraps, random_state
        Resamples behind the intervals of ICI, E50 and E90, and their seed.

    Returns
    -------
    Validation
        It shows itself in a notebook; ``print`` gives text, ``save`` a page, ``frame`` tables.

    Examples
    --------
    >>> from riskcard import FeaturePoints, RiskCard, validate
    >>> card = RiskCard([FeaturePoints("age", [60], [0, 3])], base=-1, multiplier=2)
    >>> rows = {"age": [50, 55, 70, 75] * 30, "sex": ["f", "m", "m"] * 40}
    >>> found = validate(card, rows, [0, 0, 1, 0, 1, 0, 1, 1] * 15, by="sex")
    >>> round(found.facts.evaluation.roc.area, 3), [one["group"] for one in found.tables()["subgroups"]]
    (0.75, ['f', 'm'])
    """
    card = getattr(card, "card_", card)
    if not isinstance(card, RiskCard):
        raise ParameterError(
            f"A validation needs a RiskCard or a fitted classifier, not {type(card).__name__}."
        )
    card.require_yes_or_no("Validations of one risk")
    options = ValidationOptions(
        risk_groups=tuple(risk_groups),
        total_groups=tuple(total_groups),
        flag_from=tuple(flag_from),
        n_bootstraps=n_bootstraps,
        random_state=random_state,
    )
    if isinstance(X, Source):
        _require_alone(y, sample_weight, groups, sites, by, compare)
        return Validation(gather_facts(card, rows_of_source(card, X), options))
    clusters, groups_column = _column(card, X, groups)
    places, sites_column = _column(card, X, sites)
    with card.labels.spoken():  # names of groups
        site_groups = None
        if places is not None:
            site_groups = sites_of(sites_column or say("subgroups_site"), places)
        divisions = tuple(_divisions(card, X, by, cuts or {}))
    given = GivenRows(
        for_card=X,
        labels=y,
        sample_weight=sample_weight,
        features=features_of(card, X),
        clusters=clusters,
        groups_column=groups_column,
        drawn_groups=_drawn_groups(card, X),
        sites=site_groups,
        by=divisions,
        rivals=tuple(_rivals(card, X, compare, len(np.asarray(y)))),
    )
    return Validation(gather_facts(card, given, options))


def _require_alone(y: Any, sample_weight: Any, *of_rows: Any) -> None:
    """Refuse what goes with rows in memory only."""
    if y is not None or sample_weight is not None:
        raise ParameterError(
            "A source knows its target and weights: give them to open_source, and validate(card, source)."
        )
    if not all(one is None or len(one) == 0 for one in of_rows):
        raise ParameterError(
            "groups, sites, by and compare need the rows in memory. Leave them out for a source."
        )


def _column(card: RiskCard, X: Any, given: Any) -> tuple[Any, str]:
    """A column by its name, or as it is given; and its name, if it has one."""
    if isinstance(given, str):
        return _named(card, X, given), given
    name = getattr(given, "name", None)
    return given, name if isinstance(name, str) else ""


def _drawn_groups(card: RiskCard, X: Any) -> Any:
    """The column whose groups were held out of the fit as a whole, where X has it."""
    name = column_of_draw(card)
    return X[name] if name and name in (column_names(X) or ()) else None


def _named(card: RiskCard, X: Any, name: str) -> Any:
    names = column_names(X)
    if names is not None and name not in names:
        raise DataError(f"X has no column {name!r}. It has: {', '.join(map(repr, names))}.")
    return X[name] if names is not None else find_columns(X, card.feature_names, [name])[name]


def _divisions(card: RiskCard, X: Any, by: Any, cuts: Mapping[str, Sequence[float]]) -> Any:
    if isinstance(by, str):
        by = [by]
    columns = by if isinstance(by, Mapping) else {name: _named(card, X, name) for name in by}
    unknown = [name for name in cuts if name not in columns]
    if unknown:
        raise ParameterError(
            f"There are cuts for {unknown[0]!r}, which is not among the columns of 'by'."
        )
    for name, column in columns.items():
        yield groups_of(name, column, cuts.get(name))


def _rivals(card: RiskCard, X: Any, compare: Any, n_rows: int) -> Any:
    if compare is None:
        return
    if isinstance(compare, str):
        compare = {compare: compare}
    elif not isinstance(compare, Mapping):
        compare = {"other card": compare}
    for name, one in compare.items():
        other = getattr(one, "card_", one)
        if isinstance(other, RiskCard):
            require_same_event(card, other, name)
            yield Rival(name, "card", other.risk(X))
        else:
            values = _named(card, X, one) if isinstance(one, str) else one
            yield read_rival(name, values, n_rows)


def require_same_event(card: RiskCard, other: RiskCard, name: str) -> None:
    """Refuse to compare a card with one of another event."""
    if other.classes[1] != card.classes[1]:
        raise ParameterError(
            f"The event of the card is {card.classes[1]!r}, that of {name!r} is {other.classes[1]!r}. "
            "Compare cards of the same event."
        )
