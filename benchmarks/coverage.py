"""How often the printed 95 % intervals of risks hold, on rows that a card has not seen.

    python -m benchmarks.coverage --data FOLDER

The folder has CSV files with a column ``target``. From each table with enough rows, samples are
drawn, a card is learned from each, and the share with the event among all *other* rows with a total
is compared with the interval that the card prints for it. A total counts if at least 500 other rows
have it, so that their share is close to the truth. docs/choosing.md has the table.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from riskcard import RiskScoreClassifier

ROWS, TERMS = (300, 1000, 3000), (5, 8)
#: A table must have this many rows per row of the largest sample drawn from it.
TIMES_AS_MANY = 1.5
FEWEST_OTHERS = 500


class Held(NamedTuple):
    """One total of one card: whether its interval holds, its share of the sample, how wide it is."""

    is_held: bool
    share: float
    width: float
    risk: float


def look_at(frame: pd.DataFrame, is_event: np.ndarray, n_rows: int, terms: int, seed: int) -> list:
    """Learn a card from a sample, and hold its intervals against all other rows."""
    order = np.random.default_rng([seed, n_rows]).permutation(is_event.size)
    own, others = order[:n_rows], order[n_rows:]
    card = RiskScoreClassifier(terms).fit(frame.iloc[own], is_event[own]).card_
    totals = card.total_points(frame.iloc[others])
    found = []
    for one in card.training.totals:
        here = (totals >= one.low) & (totals <= one.high)
        if one.interval is None or here.sum() < FEWEST_OTHERS:
            continue
        (low, high), rate = one.interval, is_event[others][here].mean()
        found.append(Held(low <= rate <= high, one.rows / n_rows, high - low, float(rate)))
    return found


def tables(folder: Path) -> Iterator[tuple[str, pd.DataFrame, np.ndarray]]:
    """The tables of a folder: features, and which rows have the last of two labels."""
    for path in sorted(folder.glob("*.csv")):
        frame = pd.read_csv(path)
        labels = frame.pop("target").to_numpy()
        yield path.stem, frame, (labels == np.unique(labels)[-1]).astype(int)


def line_of(name: str, found: list[Held]) -> str:
    """One line of the table."""
    held, share = (
        np.array([getattr(one, field) for one in found]) for field in ("is_held", "share")
    )
    high = [one.is_held for one in found if one.risk > 0.5]
    width = np.mean([one.width for one in found])
    above = f"{100 * np.mean(high):.1f}" if high else ""
    people = np.average(held, weights=share)
    return f"| {name} | {held.size} | {100 * held.mean():.1f} | {100 * people:.1f} | {above} | {width:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with CSV files")
    parser.add_argument("--samples", type=int, default=10, help="samples of each kind (10)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no sample after")
    options = parser.parse_args()
    begun, by_kind, by_table = time.perf_counter(), defaultdict(list), defaultdict(list)
    read = [one for one in tables(options.data) if len(one[1]) >= TIMES_AS_MANY * max(ROWS)]
    for seed in range(options.samples):
        for name, frame, is_event in read:
            for n_rows in ROWS:
                for terms in TERMS:
                    if time.perf_counter() - begun > options.seconds:
                        continue
                    found = look_at(frame, is_event, n_rows, terms, seed)
                    by_kind[f"{n_rows:,} rows, {terms} terms"] += found
                    by_table[name] += found
    print(
        "| | totals | % of totals that hold | % of rows | % where the risk is above 50 % | mean width |"
    )
    print("|---|---|---|---|---|---|")
    everything = {"all": [one for found in by_table.values() for one in found]}
    for name, found in {**by_kind, **by_table, **everything}.items():
        print(line_of(name, found))


if __name__ == "__main__":
    main()
