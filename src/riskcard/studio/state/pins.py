"""Pins: what of a card stays when the rest is done best, as rules that a file can hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

from riskcard.errors import ParameterError
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import CardFeature, FeaturePoints
from riskcard.rules.card_rules import CardRules, FeatureRule

#: What can be pinned: that a feature is used, or not; its cuts; the points of its step; its direction.
PINS = ("use", "never", "cuts", "points", "rises", "falls")

Pins = Mapping[str, tuple[str, ...]]


def read_pins(content: Any) -> dict[str, tuple[str, ...]]:
    """Pins by column, from plain values of anywhere."""
    if not isinstance(content, Mapping):
        raise ParameterError(f"The pins are {content!r}. Give the pins of each column.")
    pins = {}
    for name, own in content.items():
        if not isinstance(own, (list, tuple)) or any(pin not in PINS for pin in own):
            raise ParameterError(
                f"The pins of {name!r} are {own!r}. Use some of {', '.join(PINS)}."
            )
        if "never" in own and len(own) > 1:
            raise ParameterError(
                f"{name!r} is never to be used, and pinned otherwise too. Choose one."
            )
        if "rises" in own and "falls" in own:
            raise ParameterError(f"{name!r} is pinned to rise and to fall. Choose one.")
        if own:
            pins[str(name)] = tuple(dict.fromkeys(own))
    return pins


def rules_of(
    pins: Pins, card: RiskCard | None, codes: Mapping[str, FeatureRule] | None = None
) -> CardRules | None:
    """The rules that pins and codes mean, with cuts and points as the card has them; None without any."""
    known = {} if card is None else {one.name: one for one in card.features}
    features = dict(codes or {})
    for name, own in pins.items():
        rule = _rule(name, own, known.get(name))
        features[name] = replace(rule, codes=features.get(name, FeatureRule()).codes)
    return CardRules(features) if features else None


def _rule(name: str, pins: tuple[str, ...], feature: CardFeature | None) -> FeatureRule:
    if "never" in pins:
        return FeatureRule(use="never")
    direction = next((pin for pin in pins if pin in ("rises", "falls")), None)
    cuts, points = None, None
    if "cuts" in pins or "points" in pins:
        if not isinstance(feature, FeaturePoints) or not feature.cuts:
            raise ParameterError(
                f"{name!r} has no cuts on the card that could be pinned. Pin only that it is used."
            )
        cuts = feature.cuts
    if "points" in pins and isinstance(feature, FeaturePoints):
        points = _step_of(feature)
    is_used = any(pin in pins for pin in ("use", "cuts", "points"))
    use = "must" if is_used else "may"
    return FeatureRule(direction=direction, points=points, use=use, fixed_cuts=cuts)


def _step_of(feature: FeaturePoints) -> tuple[int, int]:
    """The points that crossing a cut adds, where that is the same number at each of its cuts."""
    steps = {right - left for left, right in pairwise(feature.points)}
    if len(steps) != 1 or steps == {0}:
        raise ParameterError(
            f"The points of {feature.name!r} change by different numbers at its cuts, which a rule cannot "
            "hold. Pin its cuts only."
        )
    (step,) = steps
    return step, step
