"""What a card must satisfy in addition to its size: compatible terms, large bins, user rules."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from riskcard.arrays import Booleans, Floats, Integers
from riskcard.problem.atoms import Atoms
from riskcard.problem.ranked_data import RankedData

#: With more columns than this, clashes are cached.
MANY_COLUMNS = 3


@dataclass(frozen=True, slots=True)
class Restrictions:
    """Restrictions by feature, by pair of terms, and on the whole card.

    Attributes
    ----------
    max_cuts
        (features,) The most terms on each feature.
    must_use
        (features,) Features that the card must use.
    costs, budget
        (features,) The costs of all features on the card must not exceed the budget.
    groups, at_most
        (groups, features) The most features of each group that a card may use.
    least
        Rows and events that each group of values must have; at least one row.
    is_closed
        For each column which of its conditions are not allowed.
    clashes
        For each column, see ``Atoms.clashes``; None where only a condition and itself clash.
    """

    max_cuts: Integers
    must_use: Booleans
    costs: Floats
    budget: float
    groups: Booleans
    at_most: Integers
    least: tuple[int, int]
    is_closed: tuple[Booleans, ...]
    clashes: tuple[Integers | None, ...]

    @property
    def is_by_card(self) -> bool:
        """Whether a card must satisfy more than limits per feature and compatible terms.

        If not, any card can be extended by further terms wherever there is room.
        """
        return self.depends_on_terms or any(closed.any() for closed in self.is_closed)

    @property
    def depends_on_terms(self) -> bool:
        """Whether the conditions a card may have depend on its other terms, clashes aside."""
        return bool(
            self.must_use.any()
            or np.isfinite(self.budget)
            or self.groups.size
            or self.least != (1, 0)
        )


def _clashes_of(atoms: Atoms, least: tuple[int, int]) -> list[Integers]:
    """The clashes of a feature; those of levels without minimum counts are cached."""
    is_nominal = all((ids < 0).all() for ids in atoms.thresholds)
    if is_nominal and least == (1, 0) and atoms.n_columns > MANY_COLUMNS:
        return list(_clashes_of_chains(atoms.codes.shape, atoms.codes.tobytes()))
    return atoms.clashes(least)


@lru_cache(maxsize=16)
def _clashes_of_chains(shape: tuple[int, int], codes: bytes) -> tuple[Integers, ...]:
    """Clashes where every atom has a row and no counts are required: only the codes matter."""
    chains = np.frombuffer(codes, dtype=np.int32).reshape(shape)
    ones = np.ones(shape[1], dtype=np.int64)
    thresholds = tuple(np.full(int(chain.max()), -1) for chain in chains)
    return tuple(Atoms(chains, ones, ones, thresholds, 0).clashes((1, 0)))


def no_restrictions(
    data: RankedData, max_cuts: int, least: tuple[int, int] = (1, 0)
) -> Restrictions:
    """The restrictions implied by the data: terms are compatible, and groups large enough."""
    n_features = data.n_features
    clashes: list[Integers | None] = []
    closed: list[Booleans] = []
    for feature, atoms in enumerate(data.atoms):
        if atoms is None:
            column = int(data.first_columns[feature])
            clashes.append(None)
            closed.append(np.zeros(int(data.n_cuts[column]), dtype=bool))
            continue
        is_alone = atoms.n_columns == 1 and least == (1, 0)
        clashes += [None] if is_alone else _clashes_of(atoms, least)
        closed += [~atoms.is_wide_enough(column, least) for column in range(atoms.n_columns)]
    return Restrictions(
        max_cuts=np.full(n_features, max_cuts, dtype=np.int64),
        must_use=np.zeros(n_features, dtype=bool),
        costs=np.zeros(n_features),
        budget=float("inf"),
        groups=np.zeros((0, n_features), dtype=bool),
        at_most=np.zeros(0, dtype=np.int64),
        least=least,
        is_closed=tuple(closed),
        clashes=tuple(clashes),
    )
