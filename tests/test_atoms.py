"""Atoms, chains and clashes against the sets of atoms that they stand for."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from riskcard.encoding.categories import group_levels
from riskcard.encoding.special_values import atoms_with_specials
from riskcard.problem.atoms import Atoms, chains_of_all_groupings, plain_atoms

Term = tuple[int, int]
LEASTS = ((1, 0), (2, 0), (1, 1), (3, 1), (5, 2))


def nominal_atoms(n_atoms: int, n_rows: int = 0, seed: int = 0) -> Atoms:
    """Atoms of a feature with levels: one row each, and random ones."""
    rng = np.random.default_rng(seed)
    index = np.concatenate([np.arange(n_atoms), rng.integers(n_atoms, size=n_rows)])
    return group_levels(index, n_atoms, rng.random(index.size) < 0.4, np.ones(index.size)).atoms


def special_atoms(
    n_specials: int, n_bins: int, is_directed: bool = False, n_rows: int = 0, seed: int = 0
) -> Atoms:
    """Atoms of a feature of numbers with special values: one row each, and random ones."""
    rng = np.random.default_rng(seed)
    n_atoms = n_specials + n_bins
    rows = np.concatenate([np.arange(n_atoms), rng.integers(n_atoms, size=n_rows)])
    is_event = rng.random(rows.size) < 0.4
    return atoms_with_specials(rows.astype(np.int32), is_event, n_specials, n_bins, is_directed)


def random_chains(seed: int) -> Atoms:
    """Atoms in several random chains, none of them at a threshold."""
    rng = np.random.default_rng(seed)
    n_atoms = int(rng.integers(2, 7))
    columns = [np.arange(n_atoms)]
    for _ in range(int(rng.integers(1, 5))):
        n_cuts = int(rng.integers(1, n_atoms))
        codes = np.concatenate([np.arange(n_cuts + 1), rng.integers(n_cuts + 1, size=n_atoms)])
        columns.append(rng.permutation(codes[:n_atoms]))
    rows = rng.integers(1, 6, n_atoms)
    return Atoms(
        codes=np.array(columns, dtype=np.int32),
        rows=rows,
        events=rng.integers(0, rows + 1),
        thresholds=tuple(np.full(column.max(), -1) for column in columns),
        most_terms=1,
    )


def many_atoms() -> Iterator[Atoms]:
    for seed in range(60):
        yield random_chains(seed)
    for seed, n_atoms in itertools.product(range(3), range(2, 7)):
        yield nominal_atoms(n_atoms, 4 * n_atoms, seed)
    for n_specials, n_bins, is_directed in itertools.product(range(1, 5), range(6), (False, True)):
        if n_specials + n_bins > 1:
            yield special_atoms(n_specials, n_bins, is_directed, 3 * (n_specials + n_bins))
    for n_cuts in range(1, 6):
        codes = np.concatenate([np.arange(n_cuts + 1), np.arange(4 * n_cuts) % (n_cuts + 1)])
        labels = np.where(np.arange(codes.size) % 3 == 0, 1, -1).astype(np.int8)
        yield plain_atoms(codes.astype(np.int32), labels, n_cuts)


# --- the same things as sets --------------------------------------------------------------------


def conditions_of(atoms: Atoms, columns: range | None = None) -> list[Term]:
    columns = columns or range(atoms.n_columns)
    return [(column, cut) for column in columns for cut in range(atoms.thresholds[column].size)]


def held(atoms: Atoms, term: Term) -> frozenset[int]:
    return frozenset(np.flatnonzero(atoms.codes[term[0]] <= term[1]).tolist())


def groups_of(atoms: Atoms, *terms: Term) -> list[set[int]]:
    """The groups of atoms that no term tells apart."""
    sets = [held(atoms, term) for term in terms]
    groups: dict[tuple[bool, ...], set[int]] = {}
    for atom in range(atoms.rows.size):
        groups.setdefault(tuple(atom in own for own in sets), set()).add(atom)
    return list(groups.values())


def are_large(atoms: Atoms, groups: list[set[int]], least: tuple[int, int]) -> bool:
    """Every group is large, and so are its bins alone if it has any."""
    bins = set(range(atoms.rows.size - atoms.n_bins, atoms.rows.size))
    parts = [part for group in groups for part in (group, group & bins) if part]
    return all(
        sum(int(atoms.rows[atom]) for atom in part) >= least[0]
        and sum(int(atoms.events[atom]) for atom in part) >= least[1]
        for part in parts
    )


def are_compatible(atoms: Atoms, one: Term, other: Term) -> bool:
    """They make three groups, and do not stand at one cut."""
    ids = [int(atoms.thresholds[column][cut]) for column, cut in (one, other)]
    return len(groups_of(atoms, one, other)) == 3 and not ids[0] == ids[1] >= 0


def largest_sets(atoms: Atoms, terms: list[Term]) -> Iterator[frozenset[Term]]:
    """Every set of compatible conditions to which none can be added."""
    friends = {
        one: {other for other in terms if other != one and are_compatible(atoms, one, other)}
        for one in terms
    }

    def extend(
        chosen: frozenset[Term], left: set[Term], done: set[Term]
    ) -> Iterator[frozenset[Term]]:
        if not left and not done:
            yield chosen
        for term in sorted(left):
            yield from extend(chosen | {term}, left & friends[term], done & friends[term])
            left, done = left - {term}, done | {term}

    yield from extend(frozenset(), set(terms), set())


# --- tests --------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_atoms", range(2, 9))
def test_chains_hold_each_division_exactly_once(n_atoms):
    chains = chains_of_all_groupings(n_atoms)
    assert chains[0] == list(range(n_atoms))
    everything, found = set(range(n_atoms)), []
    for chain in chains:
        codes = np.array(chain)
        assert set(chain) == set(range(codes.max() + 1))  # so every condition is a new set
        for cut in range(codes.max()):
            group = frozenset(np.flatnonzero(codes <= cut).tolist())
            found.append(frozenset({group, frozenset(everything - group)}))
    assert len(found) == len(set(found)) == 2 ** (n_atoms - 1) - 1


@pytest.mark.parametrize("n_atoms", [2, 5, 8])
def test_there_are_as_few_chains_as_there_can_be(n_atoms):
    sizes = [bin(subset).count("1") for subset in range(1, 2 ** (n_atoms - 1))]
    assert len(chains_of_all_groupings(n_atoms)) == max(map(sizes.count, sizes))


def test_the_first_column_tells_all_atoms_apart():
    for atoms in many_atoms():
        assert atoms.codes[0].tolist() == list(range(atoms.rows.size))


def test_wide_conditions_leave_enough_on_either_side():
    for atoms in many_atoms():
        for least in LEASTS:
            for column, cut in conditions_of(atoms):
                is_wide = are_large(atoms, groups_of(atoms, (column, cut)), least)
                assert atoms.is_wide_enough(column, least)[cut] == is_wide


@pytest.mark.slow
def test_conditions_clash_where_they_make_other_than_three_large_groups():
    n_clashes = n_compatible = 0
    for atoms in many_atoms():
        limits = [atoms.clashes(least) for least in LEASTS]
        columns = range(atoms.n_columns)
        is_wide = [[atoms.is_wide_enough(v, least) for v in columns] for least in LEASTS]
        for one, other in itertools.product(conditions_of(atoms), repeat=2):
            is_possible = are_compatible(atoms, one, other)
            groups = groups_of(atoms, one, other)
            for least, wide, clashes in zip(LEASTS, is_wide, limits, strict=True):
                if not (wide[one[0]][one[1]] and wide[other[0]][other[1]]):
                    continue
                low, high = clashes[one[0]][one[1], other[0]]
                clash = bool(low < other[1] < high)
                assert clash != (is_possible and are_large(atoms, groups, least))
                n_clashes, n_compatible = n_clashes + clash, n_compatible + (not clash)
    assert min(n_clashes, n_compatible) > 5000


def test_a_condition_divides_well_if_every_part_that_it_leaves_is_large():
    rng = np.random.default_rng(0)
    found = []
    for atoms in many_atoms():
        terms = conditions_of(atoms)
        chosen = [terms[i] for i in rng.choice(len(terms), min(len(terms), 2), replace=False)]
        groups = atoms.groups(chosen)
        for least in LEASTS:
            for column, cut in terms:
                parts = groups_of(atoms, *chosen, (column, cut))
                is_fine = are_large(atoms, parts, least)
                assert atoms.divides_well(column, groups, least)[cut] == is_fine
                found.append(is_fine)
    assert min(found.count(True), found.count(False)) > 1000


def test_groups_are_the_atoms_that_no_term_tells_apart():
    for atoms in many_atoms():
        for pair in itertools.combinations(conditions_of(atoms), 2):
            numbers = atoms.groups(pair)
            by_number = [set(np.flatnonzero(numbers == group)) for group in set(numbers.tolist())]
            assert sorted(map(sorted, by_number)) == sorted(map(sorted, groups_of(atoms, *pair)))


@pytest.mark.parametrize("n_atoms", [2, 3, 4, 5])
def test_every_set_of_divisions_of_levels_can_be_extended_to_most_terms(n_atoms):
    atoms = nominal_atoms(n_atoms)
    sizes = {len(chosen) for chosen in largest_sets(atoms, conditions_of(atoms))}
    assert sizes == {atoms.most_terms} == {max(1, 2 * n_atoms - 3)}


@pytest.mark.parametrize("is_directed", [False, True])
@pytest.mark.parametrize("n_bins", range(5))
@pytest.mark.parametrize("n_specials", [1, 2, 3, 4])
def test_every_set_of_conditions_on_specials_can_be_extended_to_most_terms(
    n_specials, n_bins, is_directed
):
    if n_specials + n_bins == 1:
        return
    atoms = special_atoms(n_specials, n_bins, is_directed)
    # the first column of a directed feature with cuts only counts rows for the others
    columns = range(1 if is_directed and n_bins > 1 else 0, atoms.n_columns)
    terms = conditions_of(atoms, columns)
    assert min(len(chosen) for chosen in largest_sets(atoms, terms)) >= atoms.most_terms
    assert atoms.most_terms >= max(1, n_bins - 1)


@pytest.mark.parametrize("is_directed", [False, True])
@pytest.mark.parametrize(
    ("n_specials", "n_bins"), list(itertools.product([1, 2, 3, 4], [1, 2, 3, 4]))
)
def test_every_set_of_special_values_is_on_either_side_of_every_cut(
    n_specials, n_bins, is_directed
):
    atoms = special_atoms(n_specials, n_bins, is_directed)
    columns = range(1 if is_directed and n_bins > 1 else 0, atoms.n_columns)
    found = [held(atoms, term) for term in conditions_of(atoms, columns)]
    specials = range(n_specials)
    sets = [set(c) for k in range(n_specials + 1) for c in itertools.combinations(specials, k)]
    bins = [set(range(n_specials, n_specials + n)) for n in range(n_bins)]
    wanted = {frozenset(some | below) for some in sets for below in bins if some | below}
    assert len(found) == len(set(found))
    assert set(found) == wanted


def test_atoms_of_plain_numbers_are_their_bins():
    atoms = plain_atoms(
        np.array([0, 2, 1, 2], dtype=np.int32), np.array([1, 1, -1, -1], dtype=np.int8), 2
    )
    assert (atoms.rows.tolist(), atoms.events.tolist()) == ([1, 1, 2], [1, 0, 1])
    assert (atoms.n_cuts().tolist(), atoms.most_terms) == ([2], 2)
