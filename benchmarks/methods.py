"""Every method of the benchmark: which worker fits it, with which settings, on which view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.peers import FORMER_COMMIT

__all__ = [
    "ABOUT",
    "CARDS",
    "CEILINGS",
    "DEFAULT",
    "EQUALS",
    "FORMER",
    "FOR_NEW_ROWS",
    "LOWEST_LOSS",
    "MAX_POINTS",
    "METHODS",
    "OWN",
    "TUNED",
    "Method",
    "title_of",
]

#: The largest number of points of a term, for every method that has such a limit.
MAX_POINTS = 5
#: Ours without regularization, which is compared with all others on the rows fitted.
LOWEST_LOSS = "lowest-loss"
#: Ours as it comes: regularised for new rows, so that it does not minimise the training loss alone.
DEFAULT = "default"
#: The default with a size chosen by cross-validation.
TUNED = "tuned"
#: What was meant for new rows while the default was the lowest loss.
FORMER = "sturdy"

Settings = Callable[[int, float], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Method:
    """A way to find a card, or a risk.

    Attributes
    ----------
    worker
        The script that fits it, and the name by which the script knows it.
    settings
        From the number of terms and the seconds that it has.
    peer
        The environment that it needs; None for ours.
    takes_any_table
        It gets levels and missing values as they are; the others get the plain view.
    has_limit
        It works until it has proven its card or its time is up.
    has_card
        It returns points; the others return risks.
    """

    name: str
    title: str
    worker: tuple[str, str]
    settings: Settings
    peer: str | None = None
    takes_any_table: bool = False
    has_limit: bool = False
    has_card: bool = True


def _ours(terms: int, limit: float) -> dict[str, Any]:
    return {"max_terms": terms, "max_points": MAX_POINTS}


def _few(cuts: int) -> Settings:
    """As many candidate cuts per feature as a rival has thresholds."""
    return lambda terms, limit: {**_ours(terms, limit), "grid": cuts}


def _certified(terms: int, limit: float) -> dict[str, Any]:
    return {**_ours(terms, limit), "certify": True, "time_limit": limit}


def _steep(settings: Settings) -> Settings:
    """Terms may move the log-odds by as much as can be asked for, 30, like those of rivals without a limit."""
    return lambda terms, limit: {**settings(terms, limit), "max_log_odds": None}


def _limited(terms: int, limit: float) -> dict[str, Any]:
    """No term multiplies the odds by more than 20."""
    return {**_certified(terms, limit), "max_log_odds": 3.0}


def _lattice(solver: str) -> Settings:
    return lambda terms, limit: {**_ours(terms, limit), "time_limit": limit, "solver": solver}


def _on_the_lattice(terms: int, limit: float) -> dict[str, Any]:
    """The lattice method's problem: nine cuts per feature, one point is one unit of log-odds."""
    return {**_certified(terms, limit), "grid": 9, "scale": 1}


def _imodels(thresholds: int) -> Settings:
    return lambda terms, limit: {
        "k": terms,
        "max_points": MAX_POINTS,
        "n_thresholds": thresholds,
    }


def _fasterrisk(terms: int, limit: float) -> dict[str, Any]:
    return {"terms": terms, "max_points": MAX_POINTS, "thresholds": 100}


def _optbinning(terms: int, limit: float) -> dict[str, Any]:
    return {"terms": terms, "max_points": MAX_POINTS}


def _solver(solver: str, form: str) -> Settings:
    return lambda terms, limit: {"k": terms, "time_limit": limit, "solver": solver, "form": form}


def _nothing(terms: int, limit: float) -> dict[str, Any]:
    return {}


HOME = "run_riskcard"
METHODS = {
    method.name: method
    for method in (
        Method(LOWEST_LOSS, "riskcard, lowest loss", (HOME, "lowest-loss"), _ours, takes_any_table=True),
        Method(DEFAULT, "riskcard, default", (HOME, "default"), _ours, takes_any_table=True),
        Method(TUNED, "riskcard, size by cross-validation", (HOME, "tuned"), _nothing, takes_any_table=True),
        Method(FORMER, "riskcard, former `sturdy`", (HOME, "sturdy"), _ours, peer="riskcard-former",
               takes_any_table=True),
        Method("riskcard-9", "riskcard, 9 cuts", (HOME, "lowest-loss"), _few(9), takes_any_table=True),
        Method("riskcard-99", "riskcard, 99 cuts", (HOME, "lowest-loss"), _few(99),
               takes_any_table=True),
        Method("riskcard-steep", "riskcard, any steps", (HOME, "lowest-loss"), _steep(_ours),
               takes_any_table=True),
        Method("certified", "riskcard, certified", (HOME, "lowest-loss"), _certified,
               takes_any_table=True, has_limit=True),
        Method("imodels-9", "imodels, 9 thresholds", ("run_imodels", "imodels"), _imodels(9),
               peer="imodels", takes_any_table=True),
        Method("imodels-99", "imodels, 99 thresholds", ("run_imodels", "imodels"), _imodels(99),
               peer="imodels", takes_any_table=True),
        Method("fasterrisk", "FasterRisk, 100 thresholds", ("run_fasterrisk", "fasterrisk"),
               _fasterrisk, peer="fasterrisk"),
        Method("lattice", "lattice cutting planes", (HOME, "lattice"), _lattice("highs"),
               has_limit=True),
        Method("round", "select, regress, round", (HOME, "round"), _ours),
        Method("optbinning", "optbinning, rounded", ("run_optbinning", "optbinning"),
               _optbinning, peer="optbinning", takes_any_table=True),
        Method("logistic", "LogisticRegression", (HOME, "logistic"), _nothing, has_card=False),
        Method("splines", "LogisticRegression on splines", (HOME, "splines"), _nothing,
               has_card=False),
        Method("boosting", "HistGradientBoosting", (HOME, "boosting"), _nothing, has_card=False),
        # for the proofs: cards with huge steps, with none, and the same problem as a rival's
        Method("certified-steep", "riskcard, certified, any steps", (HOME, "lowest-loss"),
               _steep(_certified), has_limit=True),
        Method("certified-limited", "riskcard, certified, limited steps", (HOME, "lowest-loss"),
               _limited, has_limit=True),
        Method("certified-lattice", "riskcard on the lattice problem", (HOME, "lowest-loss"),
               _on_the_lattice, has_limit=True),
        Method("lattice-scip", "lattice cutting planes, SCIP", (HOME, "lattice"),
               _lattice("scip"), has_limit=True),
        Method("paper", "riskcard on the paper's form", (HOME, "paper"),
               lambda terms, limit: {"k": terms, "time_limit": limit}, has_limit=True),
        Method("bonmin", "BONMIN, linear form", (HOME, "solver"), _solver("bonmin", "linear"),
               has_limit=True),
        Method("scip", "SCIP, strengthened form", (HOME, "solver"),
               _solver("scip", "strengthened"), has_limit=True),
    )
}  # fmt: skip
#: Those of them that are ours.
OWN = (
    LOWEST_LOSS,
    DEFAULT,
    TUNED,
    FORMER,
    "riskcard-steep",
    "certified",
    "riskcard-9",
    "riskcard-99",
)
#: Ours with as many candidate cuts as a rival.
EQUALS = (("riskcard-9", "imodels-9"), ("riskcard-99", "imodels-99"))
#: Methods with a card of a given size, and those without.
CARDS = (
    LOWEST_LOSS, "certified", "riskcard-steep", "imodels-9", "riskcard-9", "imodels-99", "riskcard-99", "fasterrisk",
    "lattice", "round", "optbinning",
)  # fmt: skip
#: Cards that are judged on held-out rows.
FOR_NEW_ROWS = (
    DEFAULT,
    FORMER,
    LOWEST_LOSS,
    "imodels-9",
    "imodels-99",
    "fasterrisk",
    "round",
    "optbinning",
)
CEILINGS = ("logistic", "splines", "boosting")


#: What each method is, for the reader of the page: whose code it is, and what it chooses from.
ABOUT = {
    LOWEST_LOSS: ("riskcard", "`regularization=None`, heuristic: every cut, 1 to 5 points, fitted scale, a term multiplies the odds by at most 1,000"),
    DEFAULT: ("riskcard", "default settings, heuristic: 9 to 99 cuts per feature, pseudo-observations, a shortlist"),
    "riskcard-steep": ("riskcard", "lowest loss with `max_log_odds=None`: a term changes the log-odds by up to 30"),
    "certified": ("riskcard", "lowest loss with a proof until the time is up"),
    "certified-steep": ("riskcard", "the same with `max_log_odds=None`"),
    TUNED: ("riskcard", "`RiskScoreClassifierCV()`: default settings, 0 to 10 terms"),
    FORMER: (f"riskcard, commit {FORMER_COMMIT[:7]}", "`RiskScoreClassifier.sturdy`, the settings for new rows before the default was regularised"),
    "riskcard-9": ("riskcard", "lowest loss with nine cuts per feature, at quantiles"),
    "riskcard-99": ("riskcard", "the same with 99 cuts"),
    "imodels-9": ("imodels", "FastRiskScoreClassifier, 9 thresholds per feature, its default"),
    "imodels-99": ("imodels", "the same with 99 thresholds"),
    "fasterrisk": ("FasterRisk", "100 thresholds per feature, its best card by loss"),
    "lattice": ("riskcard's implementation of a published method", "9 cuts per feature, one point = one unit of log-odds; HiGHS"),
    "lattice-scip": ("the same", "the same with SCIP"),
    "round": ("riskcard's implementation", "9 cuts per feature; lasso, regression, rounding"),
    "optbinning": ("optbinning", "the variables with the highest information value, two bins each; integer points, fitted scale; points per term are not limited"),
    "logistic": ("scikit-learn", "all columns, not a card: the floor"),
    "splines": ("scikit-learn", "all columns, each with a cubic spline, not a card"),
    "boosting": ("scikit-learn", "all columns, not a card: the ceiling"),
    "certified-limited": ("riskcard", "as the certified one, but no term changes the log-odds by more than 3"),
    "certified-lattice": ("riskcard", "the lattice method's problem, with a proof"),
    "paper": ("riskcard", "the paper's problem, with a proof"),
    "bonmin": ("BONMIN", "the paper's linear form; see [solvers](solvers.md)"),
    "scip": ("SCIP", "a strengthened form of the paper's problem"),
}  # fmt: skip


def title_of(name: str, limit: float = 0.0) -> str:
    """A method as it is named on the page."""
    method = METHODS[name]
    return f"{method.title}, {limit:g} s" if method.has_limit and limit else method.title
