"""Figures against R: pROC for areas, survey for weights and clusters, metafor for summaries of sites."""

import json
import subprocess

import numpy as np
import pytest

from riskcard.evaluation.calibration import (
    intercept_linearised,
    ratio_linearised,
    slope_linearised,
)
from riskcard.evaluation.comparison import compare
from riskcard.evaluation.discrimination import area_linearised
from riskcard.evaluation.groups.random_effects import random_effects
from riskcard.evaluation.linearisation import effective_units
from riskcard.evaluation.outcomes import read_outcomes
from riskcard.evaluation.summary import brier_linearised, loss_linearised

SCRIPT = """
suppressMessages({library(jsonlite); library(pROC); library(survey); library(metafor)})
asked <- fromJSON(file("stdin"))
rows <- as.data.frame(asked$rows)
rows$log_odds <- qlogis(rows$risk)
rows$loss <- -log(ifelse(rows$y == 1, rows$risk, 1 - rows$risk))
rows$square <- (rows$y - rows$risk)^2
one <- roc(rows$y, rows$risk, quiet = TRUE, direction = "<")
two <- roc(rows$y, rows$other, quiet = TRUE, direction = "<")
designs <- list(weighted = svydesign(ids = ~1, weights = ~weight, data = rows),
                clustered = svydesign(ids = ~cluster, weights = ~weight, data = rows))
figures <- lapply(designs, function(design) {
  slope <- svyglm(y ~ log_odds, design, family = quasibinomial(), epsilon = 1e-12)
  large <- svyglm(y ~ offset(log_odds), design, family = quasibinomial(), epsilon = 1e-12)
  ratio <- svyratio(~risk, ~y, design)
  means <- svymean(~loss + square, design)
  list(slope = c(coef(slope)[[2]], vcov(slope)[2, 2]), intercept = c(coef(large)[[1]], vcov(large)[1, 1]),
       ratio = c(coef(ratio)[[1]], vcov(ratio)[1]), loss = c(coef(means)[[1]], vcov(means)[1, 1]),
       square = c(coef(means)[[2]], vcov(means)[2, 2]))
})
sites <- rma(asked$estimates, asked$variances, method = "REML", test = "knha", control = list(threshold = 1e-12))
answer <- list(auc = c(auc(one), var(one)), covariance = cov(one, two), other = c(auc(two), var(two)),
               figures = figures,
               sites = list(mean = sites$b[1], low = sites$ci.lb, high = sites$ci.ub, tau2 = sites$tau2,
                            share = sites$I2 / 100, p = sites$QEp))
cat(toJSON(answer, auto_unbox = TRUE, digits = NA))
"""
ESTIMATES, VARIANCES = [0.12, 0.45, -0.1, 0.33, 0.8, 0.21], [0.02, 0.05, 0.01, 0.03, 0.04, 0.02]
FIGURES = {
    "slope": slope_linearised,
    "intercept": intercept_linearised,
    "ratio": ratio_linearised,
    "loss": loss_linearised,
    "square": brier_linearised,
}


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    cluster = rng.integers(0, 40, 300)
    risk = rng.integers(1, 12, 300) / 13
    y = (rng.random(300) < risk**1.2).astype(int)
    other = np.clip(risk + rng.normal(0, 0.2, 300), 0.01, 0.99).round(1)
    weight = rng.uniform(0.5, 3, 300)
    return {"risk": risk, "other": other, "y": y, "weight": weight, "cluster": cluster}


@pytest.fixture(scope="module")
def answer(rows, find_program):
    program = find_program("Rscript")
    asked = {
        "rows": {name: column.tolist() for name, column in rows.items()},
        "estimates": ESTIMATES,
        "variances": VARIANCES,
    }
    packages = subprocess.run(
        [program, "-e", "library(pROC); library(survey); library(metafor); library(jsonlite)"],
        capture_output=True,
    )
    if packages.returncode != 0:
        pytest.skip("the R packages pROC, survey, metafor and jsonlite are not all installed")
    done = subprocess.run(
        [program, "-e", SCRIPT], input=json.dumps(asked), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_areas_and_their_difference_are_those_of_proc(rows, answer):
    one, other = (read_outcomes(rows[name], rows["y"]) for name in ("risk", "other"))
    found = area_linearised(one)
    assert [found.value, found.variance] == pytest.approx(answer["auc"])
    variance = answer["auc"][1] + answer["other"][1] - 2 * answer["covariance"]
    difference = compare(one, other).auc
    assert difference.value == pytest.approx(answer["auc"][0] - answer["other"][0])
    reach = 1.959963984540054 * np.sqrt(variance)
    assert np.diff(difference.interval)[0] == pytest.approx(2 * reach)


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("design", ["weighted", "clustered"])
def test_variances_are_those_of_survey_but_for_the_number_of_units(name, design, rows, answer):
    """The package corrects by the number of units, and we by their effective number."""
    clusters = rows["cluster"] if design == "clustered" else None
    outcomes = read_outcomes(rows["risk"], rows["y"], rows["weight"], clusters=clusters)
    found, units = FIGURES[name](outcomes), effective_units(outcomes)
    number = 300 if clusters is None else np.unique(clusters).size
    value, variance = answer["figures"][design][name]
    assert found.value == pytest.approx(value, rel=1e-6)
    ours = found.variance * (units - 1) / units
    assert ours == pytest.approx(variance * (number - 1) / number, rel=1e-5)


def test_summaries_of_sites_are_those_of_metafor(answer):
    found, theirs = random_effects(ESTIMATES, VARIANCES), answer["sites"]
    assert found.between**2 == pytest.approx(theirs["tau2"], rel=1e-5)
    assert found.mean == pytest.approx(theirs["mean"], rel=1e-6)
    assert found.interval == pytest.approx((theirs["low"], theirs["high"]), rel=1e-5)
    assert found.share == pytest.approx(theirs["share"], rel=1e-5)
    assert found.p_equal == pytest.approx(theirs["p"])
