"""How often the 95 % intervals of figures hold: plain rows, weights and clusters, simulated.

    python -m benchmarks.interval_coverage [--samples 1000] [--seed 0] [--design plain ...]
    python -m benchmarks.interval_coverage --shift 0.8 --slope 0.6      # risks that are far from right

A card with totals from 0 to 12 is used in a population in which its risks are somewhat wrong. The true value
of every figure is computed from the probability of each total and outcome; samples are drawn by six
designs, and the share of samples is counted in which the interval of `riskcard.evaluation` holds the
truth. docs/measures.md has the table.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit
from scipy.stats import binom

from riskcard.evaluation.calibration import calibration_of
from riskcard.evaluation.comparison import compare
from riskcard.evaluation.decision import decision_curve
from riskcard.evaluation.discrimination import roc_curve
from riskcard.evaluation.groups.calibration_error import calibration_error
from riskcard.evaluation.groups.fairness import fairness
from riskcard.evaluation.groups.random_effects import random_effects
from riskcard.evaluation.intervals import Figure
from riskcard.evaluation.outcomes import Outcomes, read_clusters
from riskcard.evaluation.smooth_calibration import smooth_calibration
from riskcard.evaluation.summary import (
    brier_linearised,
    loss_linearised,
    scaled_brier_linearised,
)
from riskcard.evaluation.thresholds import threshold_table

#: Totals run from 0 to this; the risks of the card are `expit(OFFSET + STEP * total)`.
MOST, OFFSET, STEP = 12, -3.6, 0.5
#: True log-odds are `SHIFT + SLOPE` times those of the card.
SHIFT, SLOPE = 0.2, 0.85
#: How the mean total and the log-odds vary between clusters (standard deviations).
SPREAD_OF_TOTALS, SPREAD_OF_ODDS = 0.6, 0.8
#: Where the card and the second score are cut, and where net benefits are looked at.
CUT, THRESHOLD = 7, 0.3


@dataclass(frozen=True)
class Sample:
    """Rows: total, event, noise of the second score, group, weight, cluster."""

    totals: np.ndarray
    is_event: np.ndarray
    is_known: np.ndarray
    weights: np.ndarray
    clusters: np.ndarray | None = None

    @property
    def outcomes(self) -> Outcomes:
        return self.with_risks(expit(OFFSET + STEP * self.totals))

    @property
    def rival(self) -> Outcomes:
        """A second score that looks at the total in some rows only."""
        seen = np.where(self.is_known, self.totals, 4)
        return self.with_risks(expit(OFFSET + STEP * seen))

    def with_risks(self, risks: np.ndarray) -> Outcomes:
        clusters = read_clusters(self.clusters, self.totals.size)
        return Outcomes(risks, self.is_event, self.weights, clusters)


def draw(rng: np.random.Generator, sizes: np.ndarray, has_clusters: bool) -> Sample:
    """Rows in clusters of some sizes; without clusters every row is one of its own."""
    own = np.repeat(np.arange(sizes.size), sizes)
    effects = rng.standard_normal((2, sizes.size)) * has_clusters
    shares = expit(-0.6 + SPREAD_OF_TOTALS * effects[0])[own]
    totals = rng.binomial(MOST, shares)
    log_odds = SHIFT + SLOPE * (OFFSET + STEP * totals) + SPREAD_OF_ODDS * effects[1][own]
    is_event = rng.random(own.size) < expit(log_odds)
    return Sample(
        totals,
        is_event,
        rng.random(own.size) < 0.6,
        np.ones(own.size),
        own if has_clusters else None,
    )


def chosen(sample: Sample, rng: np.random.Generator, chances: np.ndarray) -> Sample:
    """Rows drawn with some chances, weighted by their inverse."""
    kept = rng.random(chances.size) < chances
    clusters = None if sample.clusters is None else sample.clusters[kept]
    return Sample(
        sample.totals[kept],
        sample.is_event[kept],
        sample.is_known[kept],
        1 / chances[kept],
        clusters,
    )


def plain(rng: np.random.Generator, n_rows: int = 500) -> Sample:
    return draw(rng, np.ones(n_rows, dtype=int), False)


def small(rng: np.random.Generator) -> Sample:
    return plain(rng, 200)


def case_control(rng: np.random.Generator) -> Sample:
    """All events and a tenth of the others."""
    sample = plain(rng, 1500)
    return chosen(sample, rng, np.where(sample.is_event, 1.0, 0.1))


def oversampled(rng: np.random.Generator) -> Sample:
    """Rows with high totals, ten times as often as rows with low ones."""
    sample = plain(rng, 1500)
    return chosen(
        sample, rng, np.where(sample.totals >= CUT, 0.8, np.where(sample.totals >= 4, 0.3, 0.08))
    )


def clustered(rng: np.random.Generator) -> Sample:
    """60 patients with 8 visits each."""
    return draw(rng, np.full(60, 8), True)


def uneven(rng: np.random.Generator) -> Sample:
    """80 clusters of 1 to 15 rows, high totals oversampled."""
    sample = draw(rng, rng.integers(1, 16, 80), True)
    return chosen(sample, rng, np.where(sample.totals >= CUT, 0.9, 0.4))


DESIGNS: dict[str, tuple[Callable[..., Sample], bool]] = {
    "plain": (plain, False),
    "small": (small, False),
    "case_control": (case_control, False),
    "oversampled": (oversampled, False),
    "clustered": (clustered, True),
    "uneven": (uneven, True),
}


def population(has_clusters: bool) -> Sample:
    """Every total, outcome and kind of row once, weighted by its probability."""
    points, weights = np.polynomial.hermite_e.hermegauss(60)
    weights, points = weights / weights.sum(), points * has_clusters
    totals = np.arange(MOST + 1)
    shares = sum(
        w * binom.pmf(totals, MOST, expit(-0.6 + SPREAD_OF_TOTALS * x))
        for w, x in zip(weights, points, strict=True)
    )
    log_odds = SHIFT + SLOPE * (OFFSET + STEP * totals)
    rates = sum(
        w * expit(log_odds + SPREAD_OF_ODDS * x) for w, x in zip(weights, points, strict=True)
    )
    cells = [
        (total, event, known, share * (rate if event else 1 - rate) * (0.6 if known else 0.4))
        for total, share, rate in zip(totals, shares, rates, strict=True)
        for event in (True, False)
        for known in (True, False)
    ]
    columns = [np.array(column) for column in zip(*cells, strict=True)]
    return Sample(*columns)


def figures_of(sample: Sample, n_bootstraps: int) -> Iterator[tuple[str, Figure]]:
    """Every figure with its interval."""
    rows = sample.outcomes
    yield from usual_figures(rows)
    (at,) = threshold_table(rows, sample.totals, [CUT])
    yield "share flagged", at.flagged
    yield "sensitivity", at.sensitivity
    yield "specificity", at.specificity
    yield "positive predictive value", at.positive_value
    yield "negative predictive value", at.negative_value
    yield "positive likelihood ratio", at.positive_ratio
    yield "negative likelihood ratio", at.negative_ratio
    decision = decision_curve(rows, [THRESHOLD])
    yield "net benefit", Figure(decision.net_benefit[0], (decision.low[0], decision.high[0]))
    difference = compare(rows, sample.rival, [THRESHOLD])
    yield "paired difference of AUC", difference.auc
    yield "paired difference of log-loss", difference.log_loss
    yield "paired difference of Brier score", difference.brier
    yield "paired difference of scaled Brier score", difference.scaled_brier
    yield "paired difference of net benefit", difference.net_benefit[0]
    yield from fairness_figures(sample)
    yield "squared calibration error", calibration_error(rows, 2 * MOST).squared
    smooth = smooth_calibration(rows, n_bootstraps)
    for risk in (0.1, 0.3, 0.6):
        low, rate, high = (
            np.interp(risk, smooth.risks, one) for one in (smooth.low, smooth.rates, smooth.high)
        )
        yield f"calibration curve at {risk}", Figure(float(rate), (float(low), float(high)))
    if n_bootstraps:
        yield "ICI", smooth.mean_error
        yield "E50", smooth.median_error
        yield "E90", smooth.high_error


def usual_figures(rows: Outcomes) -> Iterator[tuple[str, Figure]]:
    curve, calibration = roc_curve(rows), calibration_of(rows)
    yield "AUC", Figure(curve.area, curve.interval)
    yield "log-loss", loss_linearised(rows).figure()
    yield "Brier score", brier_linearised(rows).figure()
    yield "scaled Brier score", scaled_brier_linearised(rows).figure()
    yield "calibration in the large", Figure(calibration.intercept, calibration.intercept_interval)
    yield "calibration slope", Figure(calibration.slope, calibration.slope_interval)
    yield "expected / observed", Figure(calibration.ratio, calibration.ratio_interval)


def fairness_figures(sample: Sample) -> Iterator[tuple[str, Figure]]:
    """Groups that share clusters."""
    other = fairness(sample.outcomes, sample.is_known, [THRESHOLD], reference=True).groups[0]
    yield "group difference of false positives", other.differences[0].false_positive
    yield "group difference of false negatives", other.differences[0].false_negative
    yield "group difference of AUC", other.auc_difference or Figure(np.nan, None)


def true_values(design: str) -> dict[str, float]:
    """The figures of the population, in which chance plays no part."""
    everyone = population(DESIGNS[design][1])
    truth = {name: figure.value for name, figure in figures_of(everyone, 0)}
    smooth = smooth_calibration(everyone.outcomes, 0)
    error = calibration_error(everyone.outcomes, 2 * MOST).biased_root ** 2
    return truth | {
        "squared calibration error": error,
        "ICI": smooth.mean_error.value,
        "E50": smooth.median_error.value,
        "E90": smooth.high_error.value,
    }


def simulate(design: str, seeds: range, n_bootstraps: int, every: int) -> dict[str, list[bool]]:
    """Whether each interval held in each sample; a missing interval counts as one that did not."""
    truth, held = true_values(design), defaultdict(list)
    for seed in seeds:
        sample = DESIGNS[design][0](np.random.default_rng([seed, len(design)]))
        for name, figure in figures_of(sample, n_bootstraps if seed % every == 0 else 0):
            ends = figure.interval or (np.inf, -np.inf)
            held[name].append(bool(ends[0] <= truth[name] <= ends[1]))
    return held


def sites(n_samples: int) -> dict[str, list[bool]]:
    """Means and new sites of random-effects summaries of ten sites."""
    held = defaultdict(list)
    for seed in range(n_samples):
        rng = np.random.default_rng(seed)
        variances = rng.uniform(0.01, 0.1, 10)
        found = random_effects(
            rng.normal(0, 0.2, 10) + rng.normal(0, np.sqrt(variances)), variances
        )
        new = rng.normal(0, 0.2)
        held["mean of ten sites"].append(found.interval[0] <= 0 <= found.interval[1])
        held["a further site"].append(found.prediction[0] <= new <= found.prediction[1])
    return held


def claims_of_noise(n_samples: int) -> float:
    """How often a decision curve of risks without any information supports some threshold."""
    claims = []
    for seed in range(n_samples):
        rng = np.random.default_rng(seed)
        risks = expit(-1 + rng.normal(0, 1, 300))
        rows = Outcomes(risks, rng.random(300) < 0.28, np.ones(300))
        claims.append(bool(decision_curve(rows).supported))
    return float(np.mean(claims))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=1000, help="samples per design")
    parser.add_argument(
        "--bootstraps", type=int, default=300, help="resamples for ICI, E50 and E90"
    )
    parser.add_argument("--every", type=int, default=2, help="resample every N-th sample")
    parser.add_argument("--seed", type=int, default=0, help="of the first sample")
    parser.add_argument("--shift", type=float, default=SHIFT, help="of the true log-odds (0.2)")
    parser.add_argument("--slope", type=float, default=SLOPE, help="of the true log-odds (0.85)")
    parser.add_argument("--design", nargs="*", default=[*DESIGNS], choices=[*DESIGNS])
    options = parser.parse_args()
    globals().update(SHIFT=options.shift, SLOPE=options.slope)
    begun, columns = time.perf_counter(), {}
    for design in options.design:
        seeds = range(options.seed, options.seed + options.samples)
        columns[design] = simulate(design, seeds, options.bootstraps, options.every)
    names = list(next(iter(columns.values())))
    print("| figure |", " | ".join(columns), "|")
    print("|---|", "---|" * len(columns))
    for name in names:
        print(
            f"| {name} |",
            " | ".join(f"{100 * np.mean(held[name]):.1f}" for held in columns.values()),
            "|",
        )
    for name, held in sites(options.samples).items():
        print(f"{name}: {100 * np.mean(held):.1f}")
    print(f"noise with a supported threshold: {100 * claims_of_noise(options.samples):.1f}")
    print(f"{time.perf_counter() - begun:.0f} seconds")


if __name__ == "__main__":
    main()
