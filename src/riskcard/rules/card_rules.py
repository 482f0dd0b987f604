"""What people want of a card: rules for features, groups, a budget, bins, gains and round cuts.

Rules that contradict each other on any table are refused when they are made; those that depend on
the table or on the limits of the card are checked when a card is fitted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from riskcard.checks import finite_number, whole_number, whole_points
from riskcard.errors import ParameterError
from riskcard.formatting.spelling import nearest_name
from riskcard.parameters import check_parameters, parameters_of

_DIRECTIONS = ("rises", "falls")
_USES = ("may", "must", "never")

#: Costs are added up in floating point; sums may exceed a budget by this much, relatively.
BUDGET_ROUNDING = 1e-9

#: The rules that are about the whole card.
SETTINGS = tuple(parameters_of("rules"))


@dataclass(frozen=True, slots=True)
class FeatureRule:
    """What one feature may do on the card.

    Attributes
    ----------
    direction
        "rises": the points never fall as the feature grows, over all its cuts; "falls": they never
        rise; None: no such rule. For numbers, ordered categories and booleans.
    points
        Crossing one cut upwards adds at least the first and at most the second of these whole
        numbers, within the card's ``max_points``; None for no rule of its own. Groups of the levels
        of a category may differ by at most the larger of the two, without its sign.
    use
        "may", "must" or "never" be on the card.
    cuts
        Only these numbers may be cuts; None for no such rule.
    fixed_cuts
        When the feature is on the card, it has exactly these cuts; neighbouring bins may have
        the same points.
    max_cuts
        At most this many terms: cuts, and terms for levels, missing values or codes. None leaves it to
        the card's ``max_cuts_per_feature``.
    cost
        What it costs to ask for the feature; see ``CardRules.budget``.
    codes
        Special values, such as -9 for "refused", that get points of their own.

    Examples
    --------
    >>> FeatureRule(direction="rises", cuts=[40, 50, 60]).cuts
    (40.0, 50.0, 60.0)
    """

    direction: str | None = None
    points: tuple[int, int] | None = None
    use: str = "may"
    cuts: tuple[float, ...] | None = None
    fixed_cuts: tuple[float, ...] | None = None
    max_cuts: int | None = None
    cost: float = 0.0
    codes: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.direction is not None:
            _require_one_of("direction", self.direction, _DIRECTIONS, " or None")
        _require_one_of("use", self.use, _USES)
        checked = {
            "points": None if self.points is None else _points(self.points),
            "cuts": None if self.cuts is None else _cuts("cuts", self.cuts),
            "fixed_cuts": None if self.fixed_cuts is None else _cuts("fixed_cuts", self.fixed_cuts),
            "max_cuts": None if self.max_cuts is None else _max_cuts(self.max_cuts),
            "cost": _not_negative("cost", self.cost),
            "codes": _codes(self.codes),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        self._refuse_contradictions()

    def _refuse_contradictions(self) -> None:
        if self.cuts is not None and self.fixed_cuts is not None:
            raise ParameterError(
                "cuts and fixed_cuts are both given. Use cuts for numbers to choose from, or "
                "fixed_cuts for exactly these bins."
            )
        n_fixed = len(self.fixed_cuts or ())
        if self.max_cuts is not None and n_fixed > self.max_cuts:
            raise ParameterError(
                f"fixed_cuts has {n_fixed} cuts, but max_cuts allows {self.max_cuts}. "
                "Use cuts in place of fixed_cuts, or a larger max_cuts."
            )
        low, high = self.points or (-1, 1)
        if (self.direction == "rises" and high <= 0) or (self.direction == "falls" and low >= 0):
            raise ParameterError(
                f"The direction is {self.direction!r}, but crossing a cut may only add "
                f"{low} to {high} points. Change one of the two."
            )


@dataclass(frozen=True, slots=True)
class FeatureGroup:
    """Features of which at most some are on the card.

    Examples
    --------
    >>> FeatureGroup(["systolic", "diastolic"], at_most=1).features
    ('systolic', 'diastolic')
    """

    features: tuple[str, ...]
    at_most: int

    def __post_init__(self) -> None:
        features = tuple(self.features) if not isinstance(self.features, str) else ()
        if not features or not all(isinstance(name, str) and name for name in features):
            raise ParameterError(
                f"The features of a group are {self.features!r}. Give a list of names."
            )
        for place, name in enumerate(features):
            if name in features[:place]:
                raise ParameterError(f"A group has the feature {name!r} twice. Name each once.")
        object.__setattr__(self, "features", features)
        object.__setattr__(self, "at_most", whole_number("at_most of a group", self.at_most, 1))


@dataclass(frozen=True, slots=True)
class CardRules:
    """All rules of a card.

    Attributes
    ----------
    features
        From the name of a feature to its rule; features that are not named have none.
    groups
        Groups of features of which at most some are used. A feature may be in several.
    budget
        The costs of the features on the card add up to at most this. None means no limit.
    min_bin_rows
        The smallest number of rows in a bin or group of levels; a number below 1 is a share of all
        rows. "auto" means 5 % of the rows, but at most 100; None means no limit.
    min_bin_events
        The smallest number of rows with the event in a bin or group of levels; a number below 1 is
        a share of all such rows. None means no limit.
    min_gain
        What a term must lower the loss by: the card minimises its loss plus this number per term, in
        rows of average weight. A bound is one on that sum. None means no charge for terms.
    round_cuts
        Move cuts to rounder numbers as long as the loss rises by at most this share. The candidate
        cuts of a grid are round numbers near quantiles from the start. None means the roundest
        number within each gap in the data, which costs nothing.

    Examples
    --------
    >>> rules = CardRules(
    ...     {"age": FeatureRule(use="must"), "scan": FeatureRule(cost=20)}, budget=10
    ... )
    >>> rules.rule_of("age").use, rules.rule_of("pulse").use
    ('must', 'may')
    """

    features: Mapping[str, FeatureRule] = field(default_factory=dict)
    groups: Sequence[FeatureGroup] = ()
    budget: float | None = None
    min_bin_rows: float | str | None = None
    min_bin_events: float | None = None
    min_gain: float | None = None
    round_cuts: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.features, Mapping):
            raise ParameterError(
                f"The features of CardRules are {self.features!r}. Give a mapping from name to "
                "FeatureRule."
            )
        for name, rule in self.features.items():
            if not isinstance(name, str) or not isinstance(rule, FeatureRule):
                raise ParameterError(f"The rule of {name!r} is {rule!r}. Use a FeatureRule.")
        groups = tuple(self.groups)
        for group in groups:
            if not isinstance(group, FeatureGroup):
                raise ParameterError(f"A group is {group!r}. Use a FeatureGroup.")
        object.__setattr__(self, "features", dict(self.features))
        object.__setattr__(self, "groups", groups)
        for name, value in check_parameters(self, "rules").items():
            object.__setattr__(self, name, value)
        self._refuse_contradictions()

    def _refuse_contradictions(self) -> None:
        musts = [name for name, rule in self.features.items() if rule.use == "must"]
        for group in self.groups:
            both = [name for name in musts if name in group.features]
            if len(both) > group.at_most:
                raise ParameterError(
                    f"{_listed(both)} must all be used, but a group of features allows "
                    f"{group.at_most} of them. Change a rule or the group."
                )
        if self.budget is None:
            return
        cost = math.fsum(self.features[name].cost for name in musts)
        if cost > self.budget * (1 + BUDGET_ROUNDING):
            raise ParameterError(
                f"{_listed(musts)} must be used and cost {cost:g}, but the budget is "
                f"{self.budget:g}. Raise the budget, or use fewer."
            )

    @property
    def restricts_features(self) -> bool:
        """Whether some cards are not allowed because of the features they use, or how."""
        return bool(self.features or self.groups) or self.budget is not None

    def rule_of(self, name: str) -> FeatureRule:
        """The rule of a feature; an empty one when there is none."""
        return self.features.get(name, _NO_RULE)

    @property
    def wanted(self) -> frozenset[str]:
        """The features that must be used, or for which a rule says how."""
        plain = FeatureRule()
        return frozenset(
            name
            for name, rule in self.features.items()
            if rule.use == "must" or (rule.use == "may" and replace(rule, cost=plain.cost) != plain)
        )

    def check_names(self, names: Iterable[str]) -> None:
        """Refuse rules for features that a table does not have.

        Parameters
        ----------
        names
            The features of the table.
        """
        known = list(names)
        for name in self._all_names():
            if name not in known:
                raise ParameterError(
                    f"The rules name {name!r}, but no feature has that name. "
                    f"{nearest_name(name, known, 'features')}"
                )

    def only(self, names: Iterable[str]) -> CardRules:
        """The rules that are left when only these features may be used."""
        kept = set(names)
        for name, rule in self.features.items():
            if rule.use == "must" and name not in kept:
                raise ParameterError(
                    f"{name!r} must be used by the rules, but is not among the features to learn "
                    "from. Add it to them, or change the rule."
                )
        features = {name: rule for name, rule in self.features.items() if name in kept}
        left = [
            (tuple(name for name in group.features if name in kept), group.at_most)
            for group in self.groups
        ]
        groups = [FeatureGroup(names, at_most) for names, at_most in left if names]
        return replace(self, features=features, groups=groups)

    def to_dict(self) -> dict[str, Any]:
        """The rules as plain values, in the form of a TOML file; what is not ruled is left out."""
        return {
            **{name: value for name in SETTINGS if (value := getattr(self, name)) is not None},
            "features": {name: _given(rule) for name, rule in self.features.items()},
            "groups": [
                {"features": list(group.features), "at_most": group.at_most}
                for group in self.groups
            ],
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> CardRules:
        """The rules from what ``to_dict`` gives."""
        from riskcard.rules.rules_file import rules_from_content

        return rules_from_content("The rules", content)

    @classmethod
    def load(cls, path: str | Path) -> CardRules:
        """Read rules from a TOML or CSV file; ``docs/rules.md`` describes both."""
        from riskcard.rules.rules_file import load_rules

        return load_rules(path)

    def _all_names(self) -> list[str]:
        in_groups = [name for group in self.groups for name in group.features]
        return list(dict.fromkeys([*self.features, *in_groups]))


def _given(rule: FeatureRule) -> dict[str, Any]:
    """The fields of a rule that say something."""
    given = {
        one.name: getattr(rule, one.name)
        for one in fields(rule)
        if getattr(rule, one.name) != one.default
    }
    return {name: list(v) if isinstance(v, tuple) else v for name, v in given.items()}


def is_directed(rule: FeatureRule) -> bool:
    """Whether a rule treats rising and falling points differently."""
    low, high = rule.points or (-1, 1)
    return rule.direction is not None or low != -high


# --- the values of a rule -----------------------------------------------------------------------


def _require_one_of(what: str, value: Any, allowed: Sequence[str], also: str = "") -> None:
    if not isinstance(value, str) or value not in allowed:
        listed = ", ".join(map(repr, allowed))
        raise ParameterError(f"{what} is {value!r}. Use one of {listed}{also}.")


def _as_list(what: str, value: Any) -> list[Any]:
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise ParameterError(f"{what} is {value!r}. Use a list of numbers.")
    return list(value)


def _points(value: Any) -> tuple[int, int]:
    pair = _as_list("points", value)
    if len(pair) != 2:
        raise ParameterError(f"points is {value!r}. Use two whole numbers: the least, the most.")
    low, high = (whole_points("One of points", number) for number in pair)
    if low > high:
        raise ParameterError(f"points is from {low} to {high}. Give the smaller number first.")
    if low == high == 0:
        raise ParameterError("points is from 0 to 0. Leave the feature out by use='never'.")
    return low, high


def _cuts(what: str, value: Any) -> tuple[float, ...]:
    cuts = tuple(finite_number(f"One of {what}", cut) + 0.0 for cut in _as_list(what, value))
    if not cuts:
        raise ParameterError(
            f"{what} is empty. Give at least one number, or leave the feature out by use='never'."
        )
    if any(left >= right for left, right in pairwise(cuts)):
        raise ParameterError(f"{what} is {list(cuts)}. Give ascending numbers, each once.")
    return cuts


def _max_cuts(value: Any) -> int:
    if value == 0:
        raise ParameterError("max_cuts is 0. Leave the feature out by use='never'.")
    return whole_number("max_cuts", value, 1)


def _codes(value: Any) -> tuple[float, ...]:
    codes = tuple(finite_number("One of codes", code) + 0.0 for code in _as_list("codes", value))
    if len(set(codes)) < len(codes):
        raise ParameterError(f"codes is {list(codes)}. Give each code once.")
    return codes


def _not_negative(what: str, value: Any) -> float:
    number = finite_number(what, value)
    if number < 0:
        raise ParameterError(f"{what} is {number:g}. Use a number that is not negative.")
    return number


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:-1])) + " and " * (len(names) > 1) + repr(names[-1])


_NO_RULE = FeatureRule()
