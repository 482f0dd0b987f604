"""The parameters of a classifier as plain JSON values, for a recipe, and back."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from riskcard.estimators.regularization import Regularization
from riskcard.rules.card_rules import CardRules

#: What entries of a list are kept as.
_SINGLE = (str, int, float, np.generic)


def plain_values(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as values that JSON knows; anything else as its text."""
    return {name: _plain(value) for name, value in parameters.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, CardRules):
        return value.to_dict()
    if isinstance(value, Regularization):
        return asdict(value)
    if isinstance(value, Mapping):
        return [[_plain(label), _plain(factor)] for label, factor in value.items()]
    if isinstance(value, (list, tuple)) and all(isinstance(one, _SINGLE) for one in value):
        return [_plain(one) for one in value]  # such as horizons and levels
    if isinstance(value, Path) or not isinstance(value, (str, int, float, bool, type(None))):
        return str(value)
    return value


def parameters_from(plain: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a ``RiskScoreClassifier`` from what a recipe has."""
    found = dict(plain)
    if isinstance(found.get("rules"), Mapping):
        found["rules"] = CardRules.from_dict(found["rules"])
    if isinstance(found.get("regularization"), Mapping):
        found["regularization"] = Regularization(**found["regularization"])
    if isinstance(found.get("class_weight"), list):
        found["class_weight"] = dict(found["class_weight"])
    return found
