"""Random tiny pools with proof files, and claims about them that are false."""

from __future__ import annotations

import copy
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from oracle.enumerate_cards import best_of_each_choice
from proof_cases import Case, put_together, random_model, random_rows, rows_of, take_apart
from riskcard import ProofNotes, find_pool, write_proof
from riskcard.errors import ParameterError
from riskcard.model.card_json import card_to_json
from riskcard.search.drivers.solve_min_gain import problems_by_size

TOLERANCES = (0.01, 0.05, 0.2)
#: Rounding of losses.
NEAR = 1e-6


@dataclass(frozen=True)
class PoolCase:
    """A pool's file with its first card, all of its cards, and the price of every choice by enumeration.

    Choices are sets of columns and cuts, as the header numbers them.
    """

    case: Case
    cards: list[dict]
    prices: dict[frozenset, float]


def make_pool_case(seed: int) -> PoolCase | None:
    """The case of a seed; None where a pool is not complete, or cannot be written for rounding."""
    rng = np.random.default_rng(seed)
    X, y = random_rows(rng)
    model = random_model(rng)
    tolerance = float(rng.choice(TOLERANCES))
    with ProofNotes() as notes:
        pool = find_pool(model, X, y, tolerance=tolerance, size=500)
    if not pool.is_complete:
        return None
    training, layout, problem = model.pose(X, y)
    unit = float(training.table.weights.sum() / layout.data.weights.sum())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pool.proof"
        try:
            write_proof(path, pool.model.card_, X, y, notes=notes, pool=pool)
        except ParameterError as error:
            if pool.model.loss_ / len(y) > 1e-4 and "nothing to prove" not in str(error):
                raise AssertionError(f"no proof for seed {seed}") from None
            return None
        proof = path.read_bytes()
    charge = pool.model.card_.certificate.min_gain
    sized = problems_by_size(problem) if charge else [problem]
    prices: dict[frozenset, float] = {}
    for one in sized:
        for choice, loss in best_of_each_choice(one).items():
            own = frozenset(
                (column, int(np.searchsorted(np.flatnonzero(~closed), cut)))
                for column, cut in choice
                for closed in [problem.restrictions.is_closed[column]]
            )
            prices[own] = loss * unit + charge * len(choice)
    cards = [json.loads(card_to_json(card)) for card in [pool.model.card_, *pool.cards]]
    case = Case(cards[0], rows_of(pool.model, X, y), proof, min(prices.values()))
    return PoolCase(case, cards, prices)


def listed(case: Case) -> list[frozenset]:
    """The choices of the header."""
    pool = take_apart(case.proof)[0]["pool"]
    return [frozenset(map(tuple, choice)) for choice in pool["choices"]]


def with_pool(case: Case, **entries: object) -> Case:
    """The case with other claims about the pool."""
    header, tree = take_apart(case.proof)
    return replace(case, proof=put_together(header | {"pool": header["pool"] | entries}, tree))


def false_pools(found: PoolCase, rng: np.random.Generator) -> Iterator[tuple[str, Case]]:
    """Claims about a pool that enumeration refutes, with a right hash."""
    case = found.case
    header, tree = take_apart(case.proof)
    choices, below = header["pool"]["choices"], header["pool"]["below"]
    others = [price for choice, price in found.prices.items() if choice not in listed(case)]
    if others:
        yield "a larger loss of the pool", with_pool(case, below=min(others) * (1 + NEAR))
    cheap = [
        i for i, one in enumerate(listed(case)) if found.prices.get(one, below) < below * (1 - NEAR)
    ]
    for place in cheap[:3]:
        fewer = choices[:place] + choices[place + 1 :]
        yield "a choice that is not listed", with_pool(case, choices=fewer)
        if others:
            same = copy.deepcopy(choices)
            same[place] = choices[0] if place else []
            if frozenset(map(tuple, same[place])) != listed(case)[place]:
                yield "another choice in its place", with_pool(case, choices=same)
    if not cheap:
        return
    # the records of the pool where they do not belong, for a claim that is false
    false = with_pool(case, choices=choices[: cheap[0]] + choices[cheap[0] + 1 :])
    header, tree = take_apart(false.proof)
    for _ in range(4):
        data = bytearray(tree)
        place = int(rng.integers(len(data)))
        if rng.random() < 0.5:
            data[place:place] = bytes([6, int(rng.integers(len(choices) + 1))])
        else:
            data[place] = int(rng.integers(8))
        own = header | {"records": header["records"] + int(rng.integers(-1, 3))}
        yield (
            "records of the pool in another place",
            replace(false, proof=put_together(own, bytes(data))),
        )
