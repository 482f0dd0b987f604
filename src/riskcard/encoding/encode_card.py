"""A card as the solver's terms: from the user's units to columns and conditions."""

from itertools import pairwise

import numpy as np

from riskcard.arrays import Booleans, Floats, Integers
from riskcard.data.table import Table
from riskcard.encoding.decode_solution import Layout
from riskcard.encoding.rank_table import PointsOfNumbers
from riskcard.errors import ParameterError
from riskcard.formatting.spelling import nearest_name
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import CardFeature
from riskcard.problem.atoms import Atoms

Terms = list[tuple[int, int, int]]


def terms_of_card(card: RiskCard, layout: Layout) -> Terms:
    """The (column, cut, jump) terms that give rows the points of a card, up to a constant.

    Cuts that divide no rows are left out. Levels that were merged get the points of the first of
    them, unless ``rank_table`` knew the card and kept apart what has different points.
    """
    table, terms = layout.table, []
    for feature in card.features:
        if feature.name not in table.names:
            raise ParameterError(
                f"The card to start from uses {feature.name!r}, which the table does not have. "
                f"{nearest_name(feature.name, table.names, 'features')}"
            )
        place = table.names.index(feature.name)
        first = int(layout.data.first_columns[place])
        points = _points_of_atoms(feature, layout, place)
        points = -points if card.higher_is_safer else points
        atoms = layout.data.atoms[place]
        n_specials = len(layout.cut_grid.groups[place].specials)
        if atoms is None or atoms.n_columns == 1:
            own = _at_changes(points)
        elif table.levels[place] is not None and n_specials == 0:
            own = _nested_groups(atoms, points)
        else:
            own = _cuts_and_specials(atoms, points, n_specials)
        terms += [(first + column, cut, jump) for column, cut, jump in own]
    return terms


def points_of_numbers(card: RiskCard, table: Table) -> dict[str, PointsOfNumbers]:
    """What a card gives to the numbers of each of its features that the table has.

    The numbers of a category are the places of its levels.
    """

    def of(feature: CardFeature) -> PointsOfNumbers:
        levels = table.levels[table.names.index(feature.name)]
        if levels is None:
            return feature.points_of
        names = np.array(levels.names, dtype=object)
        return lambda numbers: feature.points_of(names[numbers.astype(np.int64)])

    return {one.name: of(one) for one in card.features if one.name in table.names}


def _points_of_atoms(feature: CardFeature, layout: Layout, place: int) -> Integers:
    """What the card gives to a value of each atom of a feature."""
    grid, levels = layout.cut_grid, layout.table.levels[place]
    groups = grid.groups[place]
    if groups.levels and levels is not None:
        names = [None if own[0] < 0 else levels.names[own[0]] for own in groups.levels]
        return feature.points_of(np.array(names, dtype=object))
    gaps = grid.gaps[place]
    numbers = gaps.numbers() if gaps.n_cuts else _any_number(layout, place)
    values: list[object] = [own[0] for own in groups.specials]
    if levels is None:
        values += numbers.tolist()
        return feature.points_of(np.array(values, dtype=np.float64))
    values = [None] * len(values) + [levels.names[int(number)] for number in numbers]
    return feature.points_of(np.array(values, dtype=object))


def _any_number(layout: Layout, place: int) -> Floats:
    """The only number of a feature without cuts, if it has any."""
    specials = [value for own in layout.cut_grid.groups[place].specials for value in own]
    values = layout.table.values[:, place]
    is_number = ~np.isnan(values) & ~np.isin(values, specials)
    return values[is_number][:1]


def _at_changes(points: Integers) -> Terms:
    """One column: a term wherever the points change."""
    return [
        (0, int(cut), int(points[cut] - points[cut + 1])) for cut in np.flatnonzero(np.diff(points))
    ]


def _nested_groups(atoms: Atoms, points: Integers) -> Terms:
    """Levels: one term from each value of the points to the next."""
    pairs = pairwise(np.unique(points))
    found = [_find(atoms, points <= lower, int(lower - upper)) for lower, upper in pairs]
    return [term for terms in found for term in terms]


def _cuts_and_specials(atoms: Atoms, points: Integers, n_specials: int) -> Terms:
    """Cuts, with special values on the side of a bin with their points, or in their own terms."""
    bins = points[n_specials:]
    terms: Terms = []
    home = np.full(n_specials, bins.size)  # beyond all cuts
    for special in range(n_specials):
        alike = np.flatnonzero(bins == points[special])
        if alike.size:
            home[special] = alike[0]
        else:
            mask = np.arange(points.size) == special
            last = int(bins[-1]) if bins.size else int(points.max())
            terms += _find(atoms, mask, int(points[special]) - last)
    for cut in np.flatnonzero(np.diff(bins)):
        mask = np.concatenate([home <= cut, np.arange(bins.size) <= cut])
        terms += _find(atoms, mask, int(bins[cut] - bins[cut + 1]))
    return [term for term in terms if term[2] != 0]


def _find(atoms: Atoms, mask: Booleans, jump: int) -> Terms:
    """The term that gives exactly these atoms a jump, or all others its opposite; or none."""
    for chosen, worth in ((mask, jump), (~mask, -jump)):
        if not chosen.any():
            return []
        for column, codes in enumerate(atoms.codes):
            cut = int(codes[chosen].max())
            if cut < atoms.thresholds[column].size and np.array_equal(codes <= cut, chosen):
                return [(column, cut, worth)]
    return []
