"""Entries of cards and headers changed at random, with trees made to fit: both checkers must say the same.

    PYTHONPATH=src:tests python tests/proof_entries.py --mutants 2000

The adversary changes one or two entries, puts all hashes right, copies the card into the header, and writes the tree
that closes what the checker's own rules leave open. Half of the claims are false, those of the others are as proven.
"""

from __future__ import annotations

import argparse
import copy
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pool_cases import make_pool_case
from proof_cases import Case, make_case, put_together, take_apart, with_claim
from riskcard.proof_check.check_proof import Checker, Refused, Table
from test_proof_file import answers_of_node
from test_proof_forgeries import PARTS, forged_tree, with_table

#: What an entry may become.
VALUES = (
    0, 1, -1, 2, 3, None, True, False, "", "1", "x", [], {}, 0.5, 1e300, 2**53, [0], [[0]], [None], [1, 0],
    "calibrated", "multiplier", [[None, [0]]], [["x", [0]]], [[0, 0]], {"value": 1.0, "points": 1},
    [{"value": -77.0, "points": 0}],
)  # fmt: skip
#: Entries of the card that are changed.
OF_CARD = ("base", "multiplier", "offset", "features", "feature_names", "certificate", "classes")
OF_KIND = (
    "max_terms", "max_features", "max_cuts_per_feature", "max_points", "scale", "min_gain", "max_log_odds",
)  # fmt: skip
#: A false claim is above the best card by this part.
ABOVE = 1e-5
#: Larger problems have trees that take too long.
MOST_TERMS = 2


def places_in(entry: Any, place: tuple = ()) -> Iterator[tuple]:
    """The places of all entries below one; of long lists the first few."""
    if place:
        yield place
    if isinstance(entry, dict):
        for name in entry:
            yield from places_in(entry[name], (*place, name))
    elif isinstance(entry, list):
        for i in range(min(len(entry), 6)):
            yield from places_in(entry[i], (*place, i))


def change(entries: dict[str, Any], rng: random.Random) -> str:
    """Change one entry in place, and say which."""
    place = rng.choice(list(places_in(entries)))
    owner: Any = entries
    for name in place[:-1]:
        owner = owner[name]
    name, kind = place[-1], rng.random()
    if kind < 0.1:
        del owner[name]
        return f"without {place}"
    if kind < 0.2 and isinstance(owner, list):
        owner.insert(name, copy.deepcopy(owner[name]))
        return f"{place} twice"
    if kind < 0.35 and type(owner[name]) in (int, float):
        owner[name] += rng.choice([1, -1, 0.5, 1e-9])
    else:
        owner[name] = copy.deepcopy(rng.choice(VALUES))
    return f"{place} = {owner[name]!r}"


def mutant_of(case: Case, rng: random.Random) -> tuple[Case, str]:
    """The case with one or two changes, and everything else put right that an adversary can."""
    header, tree = take_apart(case.proof)
    card, words = copy.deepcopy(case.card), []
    for _ in range(rng.choice([1, 1, 2])):
        if rng.random() < 0.5:
            words.append("header: " + change(header, rng))
            if rng.random() < 0.5:
                card["certificate"] |= {name: header["kind"][name] for name in OF_KIND}
        else:
            part = {name: card.pop(name) for name in OF_CARD if name in card}
            words.append("card: " + change(part, rng))
            card |= part
    if rng.random() < 0.8:
        features = [{part: one[part] for part in one if part in PARTS} for one in card["features"]]
        header["card"] = {name: card[name] for name in OF_CARD[:3]} | {"features": features}
    weights = header["weights"]
    if not case.rows.weights and weights["extra"] is None and weights["digits"] == 0:
        header = with_table(header, case.rows)
    if header["kind"]["max_terms"] <= MOST_TERMS:
        try:
            checker = Checker(header, Table(header, case.rows), None)
            tree, records, closed = forged_tree(checker)
            header |= {"records": records, "closed": closed}
        except Refused:
            pass  # the checker says so, too
    return replace(case, card=card, proof=put_together(header, tree)), "; ".join(words)


def mutants(seed: int, number: int) -> Iterator[tuple[Case, str, bool]]:
    """Changed cases of a seed, what was changed, and whether their claim was false before."""
    rng = random.Random(seed)
    pool = make_pool_case(seed) if seed % 3 == 0 else None
    base = make_case(seed) if seed % 3 else None if pool is None else pool.case
    for _ in range(number if base is not None else 0):
        is_false = rng.random() < 0.6
        case = with_claim(base, base.best * (1 + ABOVE)) if is_false else base
        if is_false:
            case.card["certificate"]["status"] = "gap_reached"
        try:
            yield *mutant_of(case, rng), is_false
        except (TypeError, AttributeError, LookupError, ValueError, ArithmeticError):
            continue  # the adversary's own steps need entries of the usual kind


def differences(found: list[tuple[Case, str, bool]]) -> Iterator[str]:
    """False claims that are accepted, and cases about which the checkers differ, in sentences."""
    answers = answers_of_node([case for case, _, _ in found])
    for (case, words, is_false), answer in zip(found, answers, strict=True):
        is_accepted = case.is_accepted()
        if is_false and is_accepted:
            yield f"a claim that may be false is accepted: {words}"
        if is_accepted != isinstance(answer, dict):
            yield f"Python {is_accepted}, JavaScript {answer}: {words}"


def main() -> int:
    """Print what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    counts, seed = Counter[str](), options.first
    while counts["mutants"] < options.mutants:
        found = list(mutants(seed, 40))
        for sentence in differences(found):
            counts["wrong"] += 1
            print(f"seed {seed}: {sentence}")  # noqa: T201
        counts["mutants"] += len(found)
        counts["accepted"] += sum(case.is_accepted() for case, _, _ in found)
        seed += 1
    print(  # noqa: T201
        f"{counts['mutants']} mutants, {counts['accepted']} accepted whose change bears on nothing, {counts['wrong']} "
        "wrong or different."
    )
    return int(counts["wrong"] > 0)


if __name__ == "__main__":
    raise SystemExit(main())
