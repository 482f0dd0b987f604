"""Competing events, weights and clusters against R's package survival: incidences, errors, Fine and Gray's weights."""

from __future__ import annotations

import csv
import io
import subprocess

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from riskcard.audit.hand_rates import at_risk_by_hand
from riskcard.audit.raw_outcome import RawOutcome
from riskcard.evaluation.other_outcomes.incidence_error import incidence_linearised
from riskcard.evaluation.other_outcomes.row_units import RowUnits
from riskcard.evaluation.other_outcomes.survival import (
    concordance_linearised,
    risk_figure,
    share_with_event,
)
from riskcard.outcomes.hazards import FollowUp
from riskcard.outcomes.incidence import subdistribution_rows
from test_competing_validation import drawn, rows_of

R_SCRIPT = """
library(survival)
d <- read.csv(file("stdin"))
f <- survfit(Surv(time, factor(code)) ~ 1, data = d)
s <- summary(f, times = c(5, 15, 30))
write.csv(data.frame(p = s$pstate[, 2], e = s$std.err[, 2]), row.names = FALSE)
w <- finegray(Surv(time, factor(code)) ~ ., data = d, etype = "1")
b <- coxph(Surv(fgstart, fgstop, fgstatus) ~ x, weights = fgwt, data = w, ties = "breslow")
cat("coefficient", format(coef(b), digits = 15), "\\n")
cat("weights", format(sum(w$fgwt[w$fgstart < 15 & w$fgstop >= 15]), digits = 15), "\\n")
"""


@pytest.fixture
def from_r(find_program):
    """Incidences, their errors, the coefficient of Fine and Gray's regression and what is at risk at 15, by R."""
    X, codes, time = drawn(300, seed=7)
    lines = ["x,code,time", *(f"{a},{b},{c}" for a, b, c in zip(X[:, 0], codes, time, strict=True))]
    done = subprocess.run(
        [find_program("Rscript"), "-e", R_SCRIPT],
        input="\n".join(lines), capture_output=True, text=True, check=True,
    )  # fmt: skip
    table, _, rest = done.stdout.partition("coefficient")
    figures = list(csv.DictReader(io.StringIO(table)))
    coefficient, _, weight = rest.split()
    return X, codes, time, figures, float(coefficient), float(weight)


def test_incidences_are_those_of_r(from_r):
    _, codes, time, figures, *_ = from_r
    rows = rows_of(codes, time)
    for horizon, one in zip((5.0, 15.0, 30.0), figures, strict=True):
        found = risk_figure(rows, horizon)
        assert found.value == pytest.approx(float(one["p"]), rel=1e-9)
        assert share_with_event(rows).at(np.array([horizon]))[0] == pytest.approx(found.value)
        width = np.diff(np.log(-np.log(1 - np.array(found.interval))))[0] / (2 * 1.959964)
        left = 1 - found.value
        # R has the infinitesimal jackknife
        assert width * left * abs(np.log(left)) == pytest.approx(float(one["e"]), rel=0.03)


def test_fine_and_gray_weights_are_those_of_r(from_r):
    X, codes, time, _, coefficient, weight = from_r
    rows, ones = rows_of(codes, time), np.ones(codes.size)
    outcome = RawOutcome(codes, {"time": time, "competing": (codes == 2).astype(float)})
    moments = np.unique(time[codes == 1])
    ((_, by_hand),) = list(at_risk_by_hand(outcome, codes == 1, ones, moments))
    place = int(np.searchsorted(moments, 15.0))
    assert moments[place] == 15.0
    assert by_hand[place].sum() == pytest.approx(weight, rel=1e-9)
    # the partial likelihood with these weights has its maximum where R has it
    happened = np.array([np.count_nonzero((codes == 1) & (time == one)) for one in moments])

    def loss(slope):
        ratio = np.exp(slope * X[:, 0])
        return float(happened @ np.log(by_hand @ ratio)) - slope * float(X[codes == 1, 0].sum())

    assert minimize_scalar(loss, bracket=(0, 2)).x == pytest.approx(coefficient, rel=1e-5)
    # and the fit's own exposures are sums of the same weights
    fitted = subdistribution_rows(rows, ones)
    hazard = fitted.hazard(ones)
    steps = np.diff(hazard.values, prepend=0.0)
    assert fitted.exposure(hazard) == pytest.approx(steps @ by_hand, rel=1e-9)


WEIGHTED = """
library(survival)
d <- read.csv(file("stdin"))
for (code in c(FALSE, TRUE)) {
  s <- if (code) Surv(d$time, factor(d$code)) else Surv(d$time, d$code == 1)
  f <- summary(survfit(s ~ 1, data = d, weights = w, cluster = g, robust = TRUE), times = c(5, 15, 30))
  p <- if (code) f$pstate[, 2] else 1 - f$surv
  e <- if (code) f$std.err[, 2] else f$std.err
  cat(format(c(p, e), digits = 15), "\\n")
}
r <- concordance(Surv(time, code == 1) ~ x, data = d, weights = w, cluster = g, reverse = TRUE, timewt = "n")
cat(format(c(r$concordance, sqrt(r$var)), digits = 15), "\\n")
"""


def test_weights_and_clusters_give_the_errors_of_r(find_program):
    X, codes, time = drawn(300, seed=7)
    weights, groups = 1.0 + np.arange(300) % 3, np.arange(300) // 3
    columns = zip(X[:, 0], codes, time, weights, groups, strict=True)
    done = subprocess.run(
        [find_program("Rscript"), "-e", WEIGHTED],
        input="\n".join(["x,code,time,w,g", *(",".join(map(str, row)) for row in columns)]),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    alone, competing, ranked = (
        [float(one) for one in line.split()] for line in done.stdout.splitlines()
    )
    units = RowUnits(weights, groups)
    shares = np.bincount(groups, weights)
    effective = shares.sum() ** 2 / np.sum(shares**2)
    factor = np.sqrt(effective / (effective - 1))
    for place, horizon in enumerate((5.0, 15.0, 30.0)):
        found = incidence_linearised(FollowUp(time, codes == 1), horizon, units)
        assert found.value == pytest.approx(alone[place], rel=1e-9)
        assert np.sqrt(found.variance) == pytest.approx(factor * alone[3 + place], rel=1e-6)
        found = incidence_linearised(rows_of(codes, time), horizon, units)
        assert found.value == pytest.approx(competing[place], rel=1e-9)
        # R's error of several states differs by up to 9 % here; leaving out a group at a time says the same as ours
        left_out = [
            share_with_event(rows_of(codes, time).take(groups != one), weights[groups != one])
            for one in range(100)
        ]
        values = np.array([float(one.at(np.array([horizon]))[0]) for one in left_out])
        spread = 0.99 * np.sum((values - values.mean()) ** 2)
        assert found.variance == pytest.approx(spread, rel=0.02)
    found = concordance_linearised(FollowUp(time, codes == 1), X[:, 0], units)
    assert found.value == pytest.approx(ranked[0], rel=1e-9)
    assert np.sqrt(found.variance) == pytest.approx(factor * ranked[1], rel=1e-6)
