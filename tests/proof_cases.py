"""Random tiny cards with proof files, and files with faults in them.

    python tests/proof_cases.py --problems 1000 --faults 10000

compares the bounds of many files with enumeration, and counts the files with faults that are accepted.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from oracle.enumerate_cards import enumerate_cards
from riskcard import (
    CardRules,
    FeatureRule,
    ProofNotes,
    Regularization,
    RiskScoreClassifier,
    write_proof,
)
from riskcard.errors import RiskcardError
from riskcard.model.card_json import card_to_json
from riskcard.problem.objective import loss_of, violations
from riskcard.problem.problem import Problem
from riskcard.proof_check.check_proof import Refused, Rows, check
from riskcard.search.drivers.solve_min_gain import problems_by_size
from riskcard.search.empty_card import best_empty_card

MAGIC = b"riskcard proof 2\n"
RULES = (
    CardRules(features={"x0": FeatureRule(direction="rises")}),
    CardRules(features={"x0": FeatureRule(use="must")}),
    CardRules(features={"x0": FeatureRule(cost=1.0)}, budget=0.5),
    CardRules(min_bin_rows=2),
    CardRules(min_bin_rows=2, min_bin_events=1),
    CardRules(min_gain=0.3),
    CardRules(features={"x0": FeatureRule(use="must")}, min_gain=1.0),
)
SCALES = ("calibrated", "multiplier", 1.0, 0.7)


@dataclass(frozen=True)
class Case:
    """A card, its rows, its proof, and the least loss of any card, or loss with its charge, by enumeration."""

    card: dict[str, Any]
    rows: Rows
    proof: bytes
    best: float

    @property
    def bound(self) -> float:
        return self.card["certificate"]["bound"]

    def is_accepted(self) -> bool:
        try:
            check(self.card, self.rows, self.proof)
        except Refused:
            return False
        return True


def random_rows(rng: np.random.Generator) -> tuple[pd.DataFrame, np.ndarray]:
    """A few numbers with ties, some of them missing, and sometimes levels."""
    n_rows, n_features = int(rng.integers(8, 14)), int(rng.integers(1, 4))
    columns: dict[str, Any] = {}
    for f in range(n_features):
        values = rng.integers(0, int(rng.integers(2, 6)), n_rows).astype(float)
        if rng.random() < 0.2:
            values[rng.random(n_rows) < 0.2] = np.nan
        columns[f"x{f}"] = values
    if rng.random() < 0.2:
        columns["level"] = rng.choice(["a", "b", "c"], n_rows)
    labels = (rng.random(n_rows) < 0.45).astype(int)
    labels[:2] = 0, 1
    return pd.DataFrame(columns), labels


def random_model(rng: np.random.Generator) -> RiskScoreClassifier:
    """A classifier with limits of every kind that proof files cover."""
    max_terms = int(rng.integers(1, 4))
    settings: dict[str, Any] = {
        "max_terms": max_terms,
        "max_points": int(rng.integers(1, 4)),
        "scale": SCALES[int(rng.integers(len(SCALES)))],
        "regularization": None,
    }
    if rng.random() < 0.3:
        settings["max_features"] = int(rng.integers(1, max_terms + 1))
    if rng.random() < 0.3:
        settings["max_cuts_per_feature"] = int(rng.integers(1, max_terms + 1))
    if rng.random() < 0.3:
        settings["regularization"] = Regularization(pseudo_rows=2.0)
    if rng.random() < 0.2:
        settings["class_weight"] = "balanced"
    if rng.random() < 0.2:
        settings["rules"] = RULES[int(rng.integers(len(RULES)))]
    return RiskScoreClassifier(certify=True, identifiers=None, **settings)


def make_case(seed: int, model: RiskScoreClassifier | None = None) -> Case | None:
    """The case of a seed; None where there is nothing to prove, or the loss is too near to 0."""
    rng = np.random.default_rng(seed)
    X, y = random_rows(rng)
    model = model or random_model(rng)
    weights = rng.choice([0.5, 1.0, 2.25], len(y)) if rng.random() < 0.2 else None
    with ProofNotes() as notes:
        model.fit(X, y, sample_weight=weights)
    training, layout, problem = model.pose(X, y, weights)
    # the problem is in a unit of weights of its own
    unit = float(training.table.weights.sum() / layout.data.weights.sum())
    best = least_price(problem, unit, model.card_.certificate.min_gain)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "card.proof"
        try:
            write_proof(path, model.card_, X, y, weights, notes=notes)
        except RiskcardError as error:
            if model.loss_ / len(y) > 1e-4 and "nothing to prove" not in str(error):
                raise AssertionError(f"no proof for seed {seed}") from None
            return None
        proof = path.read_bytes()
    rows = rows_of(model, X, y, weights)
    return Case(json.loads(card_to_json(model.card_)), rows, proof, best)


def rows_of(
    model: RiskScoreClassifier, X: pd.DataFrame, y: np.ndarray, weights: np.ndarray | None = None
) -> Rows:
    """Rows as the checker takes them."""
    return Rows(
        {name: [_plain(value) for value in X[name].tolist()] for name in X},
        [bool(label == model.event_) for label in y],
        [] if weights is None else weights.tolist(),
    )


def least_price(problem: Problem, unit: float, charge: float) -> float:
    """The least loss of any card, plus what its terms are charged."""
    if charge == 0:
        return enumerate_cards(problem).loss * unit
    empty = best_empty_card(problem)
    prices = [] if violations(empty, problem) else [loss_of(empty, problem) * unit]
    for sized in problems_by_size(problem):
        prices.append(enumerate_cards(sized).loss * unit + charge * sized.limits.max_terms)
    return min(prices)


def _plain(value: Any) -> Any:
    return None if value is None or value != value else value


# --- files taken apart and put together ---------------------------------------------------------


def take_apart(proof: bytes) -> tuple[dict[str, Any], bytes]:
    """Header and tree of a file."""
    begin = len(MAGIC) + 4
    size = int.from_bytes(proof[len(MAGIC) : begin], "little")
    return json.loads(proof[begin : begin + size]), proof[begin + size : -32]


def put_together(header: dict[str, Any], tree: bytes) -> bytes:
    """A file whose hash is right, whatever is in it."""
    text = json.dumps(header, separators=(",", ":")).encode()
    content = MAGIC + len(text).to_bytes(4, "little") + text + tree
    return content + hashlib.sha256(content).digest()


def with_claim(case: Case, bound: float) -> Case:
    """The case with another bound in header and certificate."""
    header, tree = take_apart(case.proof)
    header["bound"] = bound
    card = copy.deepcopy(case.card)
    card["certificate"]["bound"] = bound
    return replace(case, card=card, proof=put_together(header, tree))


def damaged_bytes(case: Case, rng: np.random.Generator) -> Iterator[tuple[str, Case]]:
    """Files with a flipped bit, a piece missing or a piece too many, whose hash was left alone."""
    data = bytearray(case.proof)
    place = int(rng.integers(len(data)))
    data[place] ^= 1 << int(rng.integers(8))
    yield "a flipped bit", replace(case, proof=bytes(data))
    yield "a truncated file", replace(case, proof=case.proof[:place])
    yield "an extended file", replace(case, proof=case.proof + bytes([0]))
    yield "a byte missing", replace(case, proof=case.proof[:place] + case.proof[place + 1 :])


def changed_words(case: Case, rng: np.random.Generator) -> Iterator[tuple[str, Case]]:
    """Other cards, rows, rules and claims, with a right hash."""
    header, tree = take_apart(case.proof)

    def with_header(**entries: Any) -> Case:
        return replace(case, proof=put_together(header | entries, tree))

    yield "a shifted count", with_header(records=header["records"] + 1)
    yield "another table", with_header(table="0" * 64)
    for name in ("max_terms", "max_features", "max_cuts_per_feature", "max_points"):
        kind = header["kind"] | {name: header["kind"][name] + int(rng.choice([-1, 1]))}
        yield f"a changed rule: {name}", with_header(kind=kind)
    kind = header["kind"] | {"min_gain": header["kind"]["min_gain"] + 0.1}
    yield "another charge", with_header(kind=kind)
    yield "a bound below the stated one", with_header(bound=header["bound"] * (1 - 1e-9))
    features = copy.deepcopy(header["features"])
    features[0]["most_terms"] -= 1 + header["kind"]["max_terms"]
    if not case.card["certificate"]["rules"]:
        yield "fewer terms of a feature", with_header(features=features)
    weights = header["weights"] | {"digits": header["weights"]["digits"] + 1}
    yield "a shifted weight", with_header(weights=weights)
    card = copy.deepcopy(case.card)
    card["base"] += 1
    yield "another card", replace(case, card=card)
    card = copy.deepcopy(case.card)
    card["certificate"]["loss"] *= 1 - 1e-6
    yield "another loss", replace(case, card=card)
    rows = copy.deepcopy(case.rows)
    place = int(rng.integers(len(rows.is_event)))
    rows.is_event[place] = not rows.is_event[place]
    yield "another label", replace(case, rows=rows)
    rows = copy.deepcopy(case.rows)
    for column in rows.values.values():
        column.append(column[0])
    rows.is_event.append(rows.is_event[0])
    if rows.weights:
        rows.weights.append(rows.weights[0])
    yield "a row more", replace(case, rows=rows)


def false_claims(case: Case, rng: np.random.Generator) -> Iterator[tuple[str, Case]]:
    """Trees with faults, and a right hash, that claim a bound which some card is below."""
    false = with_claim(case, case.best * (1 + 1e-6))
    header, tree = take_apart(false.proof)
    yield "a bound that is too high", false
    if not case.card["certificate"]["rules"]:
        # every card breaks a rule that the certificate does not have
        rules = header["rules"] | {"must_use": list(range(len(header["features"]))) * 9}
        own = header | {"rules": rules, "records": 1, "closed": 0}
        yield "rules that nobody made", replace(false, proof=put_together(own, bytes([4, 7])))
    for _ in range(3):
        data = bytearray(tree)
        place = int(rng.integers(len(data)))
        kind = int(rng.integers(4))
        if kind == 0:
            data[place] = int(rng.integers(256))
        elif kind == 1:
            del data[place]
        elif kind == 2:
            data.insert(place, int(rng.integers(6)))
        else:
            end = min(len(data), place + int(rng.integers(1, 30)))
            del data[place:end]
        own = header | {"records": header["records"] - int(rng.integers(3))}
        yield "a fault in the tree", replace(false, proof=put_together(own, bytes(data)))


def number(value: int) -> bytes:
    """A number of the tree."""
    found = bytearray()
    while value >= 128:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def closed_root(case: Case, offset: float, steps: list[tuple[int, int, float]]) -> Case:
    """A file that calls the root closed by one model: an offset, and sides, cuts and steps."""
    unit = 1 << 24
    whole = round(offset * unit)
    record = bytes([1, 24]) + number(2 * whole if whole >= 0 else -2 * whole - 1)
    record += number(len(steps))
    for side, cut, step in steps:
        record += number(side) + number(cut) + number(round(step * unit))
    header, _ = take_apart(case.proof)
    return replace(case, proof=put_together(header | {"records": 1, "closed": 1}, record))


def closed_by_card(case: Case) -> Case | None:
    """The root closed by the card itself; None where the card has more than numbers."""
    header, _ = take_apart(case.proof)
    scale = case.card["certificate"]["class_weights"] or case.card
    unit, offset = (
        1 / scale["multiplier"],
        scale["offset"] + case.card["base"] / scale["multiplier"],
    )
    columns = np.cumsum([0, *(len(feature["most"]) for feature in header["features"])])
    places = {feature["name"]: i for i, feature in enumerate(header["features"])}
    steps = []
    for feature in case.card["features"]:
        place = places[feature["name"]]
        own = header["features"][place]
        if "groups" in feature or own["bins"] is not None:
            return None
        points = feature["points"]
        offset += points[-1] * unit
        for cut, below, above in zip(feature["cuts"], points, points[1:], strict=False):
            index = int(np.searchsorted(own["cuts"], cut, side="right")) - 1
            side = 2 * int(columns[place])
            if below > above:
                steps.append((side, index, (below - above) * unit))
            elif above > below:
                steps.append((side + 1, index, (above - below) * unit))
                offset -= (above - below) * unit
    return closed_root(case, offset, steps)


def base_rate(case: Case) -> float:
    """The log-odds of the event, by weight: there nothing but the gains of terms lowers a bound."""
    own = take_apart(case.proof)[0]["weights"]
    weights = case.rows.weights or [1.0] * len(case.rows.is_event)
    sums = [0.0, 0.0]
    for weight, is_event in zip(weights, case.rows.is_event, strict=True):
        sums[is_event] += weight * own["factors"][is_event]
    for place, extra in enumerate((own["extra"] or [[], []])[::-1]):
        sums[place] += sum(extra) / 2 ** own["digits"]
    return float(np.log(sums[1] / sums[0]))


def closed_too_early(case: Case, rng: np.random.Generator) -> Iterator[tuple[str, Case]]:
    """Roots that are called closed by chances of every kind, with a claim that is false."""
    false = with_claim(case, case.best * (1 + 1e-6))
    header, _ = take_apart(case.proof)
    yield "a root closed by the base rate", closed_root(false, base_rate(case), [])
    by_card = closed_by_card(false)
    if by_card is not None:
        yield "a root closed by the card itself", by_card
    sides = []
    for feature in header["features"]:
        for place in range(len(feature["most"])):
            column = len(sides) // 2
            codes = [one[place] for _, one in feature["values"]]
            codes += [one[place] for one in feature["bins"] or []] or [len(feature["cuts"])]
            sides += [(2 * column, max(codes)), (2 * column + 1, max(codes))]
    open_sides = [(side, n_cuts) for side, n_cuts in sides if n_cuts > 0]
    for _ in range(4):
        steps = []
        for _ in range(int(rng.integers(0, 4))):
            side, n_cuts = open_sides[int(rng.integers(len(open_sides)))]
            steps.append((side, int(rng.integers(n_cuts)), float(rng.exponential(1.5))))
        offset = float(rng.normal(0, 2) - sum(step for *_, step in steps) / 2)
        yield "a root closed by some chances", closed_root(false, offset, steps)


def faults(case: Case, rng: np.random.Generator) -> Iterator[tuple[str, Case]]:
    """Files of every kind that must be refused."""
    yield from damaged_bytes(case, rng)
    yield from changed_words(case, rng)
    yield from false_claims(case, rng)
    yield from closed_too_early(case, rng)


def main() -> int:
    """Count what goes wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=1000)
    parser.add_argument("--faults", type=int, default=10_000)
    options = parser.parse_args()
    wrong = unproven = n_faults = accepted = 0
    seed = n_cases = 0
    while n_cases < options.problems or n_faults < options.faults:
        case = make_case(seed)
        seed += 1
        if case is None:
            unproven += 1
            continue
        n_cases += 1
        if not case.is_accepted() or case.bound > case.best * (1 + 1e-12):
            wrong += 1
            print(f"seed {seed - 1}: refused, or a bound above the best card")  # noqa: T201
        if n_faults < options.faults:
            for name, faulty in faults(case, np.random.default_rng(seed)):
                n_faults += 1
                if faulty.is_accepted():
                    accepted += 1
                    print(f"seed {seed - 1}: accepted in spite of {name}")  # noqa: T201
    print(  # noqa: T201
        f"{n_cases} files of random problems, {wrong} wrong; {unproven} problems without conditions or "
        f"with a loss of almost 0 have none. {n_faults} files with faults, {accepted} accepted."
    )
    return int(wrong + accepted > 0)


if __name__ == "__main__":
    raise SystemExit(main())
