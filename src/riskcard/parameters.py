"""The one table of parameters: checks, docstrings, command line, docs and recipes all follow it.

``docs/make_parameters.py`` writes ``docs/parameters.md`` from this table. The docstrings of the
classes and functions contain its texts; ``tests/test_parameters.py`` shows what is to be written
where one differs.
"""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass
from enum import Enum
from typing import Any

from riskcard.checks import is_number, is_whole
from riskcard.errors import ParameterError


class Kind(Enum):
    """What the values of a parameter are."""

    WHOLE = "a whole number"
    NUMBER = "a number"
    SHARE = "a share such as 0.01"
    AMOUNT = "a whole number, or a share below 1 such as 0.05"
    WORD = "a word"
    FLAG = "True or False"
    OBJECT = "an object that checks itself"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter.

    Attributes
    ----------
    group
        Which function or class has it: a key of ``OWNERS``.
    name
        In Python. The option of the command line is the same with dashes.
    kind, least, most
        What its values are, and their range.
    default
        Where it is not given.
    help
        What it does, in sentences.
    none, auto
        What None and "auto" mean; empty where they are not allowed.
    words
        Further texts that are values.
    on_command_line
        What it does as an option, where that is less than in Python.
    metavar
        How the command line names the value; empty for a parameter that it does not have.
    """

    group: str
    name: str
    kind: Kind
    default: Any
    help: str
    none: str = ""
    auto: str = ""
    least: float = 0
    most: float = math.inf
    words: tuple[str, ...] = ()
    on_command_line: str = ""
    metavar: str = "N"

    @property
    def option(self) -> str:
        """The name on the command line, where tolerance and size need to say of what."""
        name = f"pool_{self.name}" if self.group == "pool" else self.name
        return f"--{name.replace('_', '-')}"

    @property
    def accepts(self) -> str:
        """The values in words, such as "a whole number of at least 1, or None for no limit"."""
        parts = [repr(word) for word in self.words]
        if self.kind not in (Kind.WORD, Kind.OBJECT):
            parts.insert(0, self.kind.value + self._range)
        parts += [f"'auto' for {self.auto}"] if self.auto else []
        parts += [f"None for {self.none}"] if self.none else []
        return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"

    @property
    def _range(self) -> str:
        if self.kind is Kind.FLAG or (self.least, self.most) == (0, math.inf):
            return "" if self.kind is Kind.FLAG else " of at least 0"
        if self.most == math.inf:
            return f" of at least {self.least:g}"
        return f" from {self.least:g} to {self.most:g}"

    def checked(self, value: Any) -> Any:
        """The value as plain Python, or an error that says what may be given."""
        if (value is None and self.none) or (isinstance(value, str) and self._is_word(value)):
            return value
        if self.kind is Kind.OBJECT:
            return value
        if self.kind is Kind.FLAG:
            return bool(value)
        if is_number(value) and self.least <= value <= self.most and self._has_right_form(value):
            return int(value) if is_whole(value) else float(value)
        raise ParameterError(f"{self.name} is {value!r}. Use {self.accepts}.")

    def _is_word(self, value: str) -> bool:
        return value in self.words or (value == "auto" and bool(self.auto))

    def _has_right_form(self, value: Any) -> bool:
        if self.kind is Kind.WHOLE:
            return is_whole(value)
        if self.kind is Kind.AMOUNT:
            return bool(math.isfinite(value) and (value < 1 or value == int(value)))
        return self.kind is not Kind.WORD and math.isfinite(value)


#: Who has the parameters of each group.
OWNERS = {
    "card": "RiskScoreClassifier",
    "work": "RiskScoreClassifier",
    "rules": "CardRules",
    "regularization": "Regularization",
    "size": "RiskScoreClassifierCV",
    "improve": "improve",
    "pool": "find_pool",
    "resamples": "bootstrap_card",
}

_WHOLE, _NUMBER, _SHARE, _AMOUNT = Kind.WHOLE, Kind.NUMBER, Kind.SHARE, Kind.AMOUNT
_OBJECT, _FLAG, _WORD = Kind.OBJECT, Kind.FLAG, Kind.WORD

PARAMETERS = (
    Parameter("card", "max_terms", _WHOLE, 5, "The largest number of terms (cuts) on the card.", least=1),
    Parameter(
        "card", "max_features", _WHOLE, None, "The largest number of features on the card.",
        none="no limit", least=1,
    ),
    Parameter(
        "card", "max_cuts_per_feature", _WHOLE, None, "The largest number of cuts on one feature.",
        none="no limit", least=1,
    ),
    Parameter("card", "max_points", _WHOLE, 5, "The largest number of points of a term.", least=1),
    Parameter(
        "card", "scale", _OBJECT, "calibrated",
        "How a total becomes log-odds. 'calibrated': multiplier and offset are fitted. 'multiplier': "
        "the multiplier is fitted and the base is a whole number. A positive number: that "
        "multiplier, with a whole base; 1 makes a point one unit of log-odds.",
        words=("calibrated", "multiplier"), metavar="SCALE",
    ),
    Parameter(
        "card", "max_log_odds", _NUMBER, "auto",
        "The most by which a term may change the log-odds, where the multiplier is fitted: 2.3 "
        "lets a term multiply the odds by 10. Smaller values give tighter bounds and usually "
        "better risks on new data.",
        none="no limit but 30, beyond which separable data have no optimum",
        auto="the logarithm of 1,000", least=0.01, most=30, metavar="L",
    ),
    Parameter(
        "card", "rules", _OBJECT, None,
        "A CardRules, or the path of a TOML or CSV file with rules.",
        none="no rules", on_command_line="A TOML or CSV file with rules.", metavar="FILE",
    ),
    Parameter(
        "card", "regularization", _OBJECT, None,
        "What keeps a card from following chance: a Regularization, or 'auto' for all of it.",
        none="none", auto="Regularization('auto', 'auto', 'auto')", metavar="auto",
        on_command_line="Keep the card from following chance. The options of regularization below "
        "change a part of it.",
    ),
    Parameter(
        "card", "class_weight", _OBJECT, None,
        "'balanced' gives both classes the same weight. A mapping from label to factor gives the "
        "factors. Both apply in addition to sample_weight.",
        none="no class weights", words=("balanced",), metavar="balanced",
        on_command_line="'balanced' gives both classes the same weight, in addition to the weights "
        "of the rows.",
    ),
    Parameter("work", "certify", _FLAG, False, "Prove a bound on the loss of every allowed card."),
    Parameter(
        "work", "time_limit", _NUMBER, 60.0,
        "Seconds for search and proof together. What is found and proven by then is kept. The "
        "first proof on a machine waits for its compilation in addition.",
        none="no limit", metavar="S",
    ),
    Parameter(
        "work", "gap", _SHARE, 0.0,
        "The proof stops once the relative gap between loss and bound is at most this.",
        most=1, metavar="G",
    ),
    Parameter(
        "work", "random_state", _OBJECT, 0,
        "Seed of the search: a whole number, None or a RandomState of numpy.",
        on_command_line="Seed of everything that is drawn.",
    ),
    Parameter(
        "work", "n_jobs", _OBJECT, None,
        "Number of threads; -1 uses all processors. The card does not depend on it.",
        none="one",
    ),
    Parameter(
        "work", "verbose", _FLAG, False, "Show progress while the proof runs.", metavar="",
    ),
    Parameter(
        "rules", "budget", _NUMBER, None,
        "The costs of the features on the card add up to at most this.",
        none="no limit", metavar="B",
    ),
    Parameter(
        "rules", "min_bin_rows", _AMOUNT, None,
        "The smallest number of rows in a bin or group of levels; a number below 1 is a share of "
        "all rows.",
        none="no limit", auto="5 % of the rows, but at most 100",
    ),
    Parameter(
        "rules", "min_bin_events", _AMOUNT, None,
        "The smallest number of rows with the event in a bin or group of levels; a number below 1 "
        "is a share of all such rows.",
        none="no limit",
    ),
    Parameter(
        "rules", "min_gain", _NUMBER, None,
        "A term that lowers the loss by less than this is left out.",
        none="no limit", metavar="G",
    ),
    Parameter(
        "rules", "round_cuts", _SHARE, None,
        "Move cuts to rounder numbers as long as the loss rises by at most this share.",
        none="the roundest number within each gap in the data, which costs nothing", metavar="T",
    ),
    Parameter(
        "regularization", "grid", _WHOLE, None,
        "Candidate cuts per feature, at quantiles of the rows. A bound holds for the cards of the "
        "grid only.",
        none="every gap between neighbouring values",
        auto="one cut per 80 rows, from 9 to 99", least=1,
    ),
    Parameter(
        "regularization", "pseudo_rows", _NUMBER, None,
        "Pseudo-observations with the event rate of the table, spread over its rows, which shrink "
        "risks towards the average. A number below 1 is a share of the rows. Loss and bound "
        "count them.",
        none="none",
        auto="more as a first card explains less of the variance e of the labels (4 * max_terms * "
        "(1 - e) / e), at most half of the rows, and none from 10,000 rows on",
    ),
    Parameter(
        "regularization", "shortlist", _WHOLE, None,
        "Preselect this many conditions with a lasso; those of features that must be used and of "
        "a card to start from stay. A bound holds for the cards of the shortlist only.",
        none="all conditions",
        auto="max_terms + 2 and more as rows and explained variance grow, and all from 10,000 rows on",
        least=1,
    ),
    Parameter("size", "max_terms", _WHOLE, 10, "The largest size that is tried.", least=1),
    Parameter(
        "size", "cv", _OBJECT, 5,
        "The folds: their number, a splitter of scikit-learn, or pairs of positions (rows to fit, "
        "held-out rows).",
        on_command_line="The number of folds.", metavar="K",
    ),
    Parameter(
        "size", "scoring", _OBJECT, "neg_log_loss",
        "The score of held-out rows, higher is better: the name of a scorer of scikit-learn, such "
        "as roc_auc, or a callable scorer(model, X, y).",
        none="the accuracy", metavar="NAME",
        on_command_line="The score of held-out rows, higher is better: a scorer of scikit-learn such "
        "as roc_auc.",
    ),
    Parameter(
        "size", "rule", _WORD, "one_se",
        "'one_se': the smallest size whose mean score is within one standard error of the best. "
        "'best': the size with the best mean score.",
        words=("one_se", "best"), metavar="RULE",
    ),
    Parameter(
        "size", "n_jobs", _OBJECT, None,
        "Folds that are fitted at a time, in threads; -1 uses all processors. The last fit, to all "
        "rows, has the n_jobs of the estimator.",
        none="one", metavar="",
    ),
    Parameter(
        "size", "verbose", _FLAG, False, "Show a bar on a terminal while folds are fitted.",
        metavar="",
    ),
    Parameter(
        "improve", "max_changes", _WHOLE, 1,
        "The largest number of terms that may be changed, added or removed; the others keep their "
        "cuts and points.",
        none="any number: the card is only where the search starts",
    ),
    Parameter(
        "pool", "tolerance", _SHARE, 0.01,
        "Cards whose loss is at most this share above the best are kept.", metavar="T",
    ),
    Parameter("pool", "size", _WHOLE, 100, "The largest number of cards.", least=1),
    Parameter("resamples", "n_bootstraps", _WHOLE, 100, "Number of resamples.", least=1),
)  # fmt: skip


def parameters_of(*groups: str) -> dict[str, Parameter]:
    """The parameters of some groups by name, in the order of the table."""
    return {one.name: one for one in PARAMETERS if one.group in groups}


def check_parameters(owner: Any, *groups: str) -> dict[str, Any]:
    """The checked values that an object has for the parameters of some groups."""
    return {name: one.checked(getattr(owner, name)) for name, one in parameters_of(*groups).items()}


def docstring_section(*groups: str) -> str:
    """The entries of a numpydoc section, indented as in the docstring of a class."""
    lines = []
    for name, one in parameters_of(*groups).items():
        lines.append(f"    {name}")
        text = f"{one.help} {_values(one)}".strip()
        lines += textwrap.wrap(text, 96, initial_indent=" " * 8, subsequent_indent=" " * 8)
    return "\n".join(lines)


def _values(one: Parameter) -> str:
    """What "auto" and None mean, as a sentence."""
    parts = [f'"auto" means {one.auto}'] if one.auto else []
    parts += [f"None means {one.none}"] if one.none else []
    text = "; ".join(parts)
    return f"{text}." if text else ""


def parameters_page() -> str:
    """The page ``docs/parameters.md``."""
    lines = [
        "# Parameters",
        "",
        "Every parameter of the library, by the class or function that has it. The option of the command line",
        "has the same name with dashes. This page is written by `docs/make_parameters.py` from the table in",
        "`src/riskcard/parameters.py`.",
    ]
    for owner in dict.fromkeys(OWNERS.values()):
        groups = [group for group, name in OWNERS.items() if name == owner]
        lines += [
            "",
            f"## `{owner}`",
            "",
            "| parameter | option | default | meaning |",
            "|---|---|---|---|",
        ]
        for one in parameters_of(*groups).values():
            option = f"`{one.option}`" if one.metavar else ""
            text = (
                f"{one.help} Values: {one.accepts}."
                if one.kind is not Kind.OBJECT
                else (f"{one.help} {_values(one)}".strip())
            )
            lines.append(f"| `{one.name}` | {option} | `{one.default!r}` | {text} |")
    return "\n".join(lines) + "\n"
