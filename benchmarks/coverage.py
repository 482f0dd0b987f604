"""How often the printed 95 % intervals of risks hold, on rows that a card has not seen.

    python -m benchmarks.coverage --data FOLDER
    python -m benchmarks.coverage --data FOLDER --only adult magic spambase --rows 300 --samples 60 --seed 400

The folder has CSV files with a column ``target``. From each table with enough rows, samples are
drawn, a card is learned from each, and the share with the event among all *other* rows with a total
is compared with the interval that the card prints for it. A total counts if at least 500 other rows
have it. Where few of them have the event, their share is itself far from the truth; so the table has
beside it how often it would be in the interval if every interval were right. Totals are also grouped by
the risk that the card prints, which is known beforehand: a group chosen by the events among the other
rows would be one of totals whose risk turned out lower than expected. docs/choosing.md has the table.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy.special
import scipy.stats

from riskcard import RiskScoreClassifier

ROWS, TERMS = (300, 1000, 3000), (5, 8)
#: A table must have this many rows per row of the largest sample drawn from it.
TIMES_AS_MANY = 1.5
FEWEST_OTHERS = 500
#: Groups of totals by the risk that the card prints: up to where each goes, and what it is called.
PRINTED = ((0.02, "below 2 %"), (0.05, "2 to 5 %"), (0.95, "5 to 95 %"), (1.0, "above 95 %"))
#: Parts of a normal distribution, in the middle of which it is looked at.
_PARTS = 41


class Held(NamedTuple):
    """One total of one card: whether its interval holds, its share of the sample, how wide it is.

    ``risk`` is the share with the event among the other rows, ``printed`` what the card says.
    """

    is_held: bool
    if_right: float
    share: float
    width: float
    risk: float
    printed: float


def chance_if_right(low: float, high: float, others: int) -> float:
    """How often the share of other rows is in an interval that is right.

    The log-odds are then normal, with 95 % of them in the interval, and events are binomial.
    """
    ends = [math.log(end) - math.log1p(-end) for end in (low, high)]
    middle, reach = sum(ends) / 2, (ends[1] - ends[0]) / 2
    normal = scipy.stats.norm.ppf((np.arange(_PARTS) + 0.5) / _PARTS)
    risks = scipy.special.expit(middle + reach / scipy.stats.norm.ppf(0.975) * normal)
    counts = np.floor(high * others), np.ceil(low * others) - 1
    up_to_high, below_low = (scipy.stats.binom.cdf(count, others, risks) for count in counts)
    return float(np.mean(up_to_high - below_low))


def look_at(
    frame: pd.DataFrame,
    is_event: np.ndarray,
    n_rows: int,
    terms: int,
    seed: int,
    regularization: str | None = "auto",
) -> list[Held]:
    """Learn a card from a sample, and hold its intervals against all other rows."""
    order = np.random.default_rng([seed, n_rows]).permutation(is_event.size)
    own, others = order[:n_rows], order[n_rows:]
    model = RiskScoreClassifier(terms, regularization=regularization)
    card = model.fit(frame.iloc[own], is_event[own]).card_
    totals = card.total_points(frame.iloc[others])
    found = []
    for one in card.training.totals:
        here = (totals >= one.low) & (totals <= one.high)
        if one.interval is None or here.sum() < FEWEST_OTHERS:
            continue
        (low, high), rate = one.interval, is_event[others][here].mean()
        right = chance_if_right(low, high, int(here.sum()))
        share, width = one.rows / n_rows, high - low
        printed = float(np.mean(card.risk_of_total([one.low, one.high])))
        found.append(Held(low <= rate <= high, right, share, width, float(rate), printed))
    return found


def tables(folder: Path) -> Iterator[tuple[str, pd.DataFrame, np.ndarray]]:
    """The tables of a folder: features, and which rows have the last of two labels."""
    for path in sorted(folder.glob("*.csv")):
        frame = pd.read_csv(path)
        labels = frame.pop("target").to_numpy()
        yield path.stem, frame, (labels == np.unique(labels)[-1]).astype(int)


def printed_group(risk: float) -> str:
    """What the group of a printed risk is called."""
    return next(name for end, name in PRINTED if risk <= end)


def line_of(name: str, found: list[Held]) -> str:
    """One line of the table."""
    held, share = (
        np.array([getattr(one, field) for one in found]) for field in ("is_held", "share")
    )
    high = [one.is_held for one in found if one.risk > 0.5]
    width, right = (
        np.mean([getattr(one, field) for one in found]) for field in ("width", "if_right")
    )
    above = f"{100 * np.mean(high):.1f}" if high else ""
    people = np.average(held, weights=share)
    shares = f"{100 * held.mean():.1f} | {100 * right:.1f} | {100 * people:.1f} | {above}"
    return f"| {name} | {held.size} | {shares} | {width:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with CSV files")
    parser.add_argument("--samples", type=int, default=10, help="samples of each kind (10)")
    parser.add_argument("--seed", type=int, default=0, help="of the first sample (0)")
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS, help="of a sample (all)")
    parser.add_argument("--only", nargs="+", help="these tables of the folder (all)")
    parser.add_argument("--lowest-loss", action="store_true", help="cards without regularization")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no sample after")
    options = parser.parse_args()
    regularization = None if options.lowest_loss else "auto"
    begun, by_kind, by_table, by_risk = time.perf_counter(), *(defaultdict(list) for _ in range(3))
    read = [one for one in tables(options.data) if len(one[1]) >= TIMES_AS_MANY * max(ROWS)]
    if options.only is not None:
        read = [one for one in read if one[0] in options.only]
    for seed in range(options.seed, options.seed + options.samples):
        for name, frame, is_event in read:
            for n_rows in options.rows:
                for terms in TERMS:
                    if time.perf_counter() - begun > options.seconds:
                        continue
                    found = look_at(frame, is_event, n_rows, terms, seed, regularization)
                    by_kind[f"{n_rows:,} rows, {terms} terms"] += found
                    by_table[name] += found
                    for one in found:
                        by_risk[n_rows, printed_group(one.printed)].append(one)
    print(
        "| | totals | % of totals that hold | % if all were right | % of rows | "
        "% where the risk is above 50 % | mean width |"
    )
    print("|---|---|---|---|---|---|---|")
    everything = {"all": [one for found in by_table.values() for one in found]}
    risks = {
        f"{n_rows:,} rows, risk {name}": by_risk[n_rows, name]
        for n_rows in options.rows
        for _, name in PRINTED
        if (n_rows, name) in by_risk
    }
    for name, found in {**by_kind, **by_table, **everything, **risks}.items():
        print(line_of(name, found))


if __name__ == "__main__":
    main()
