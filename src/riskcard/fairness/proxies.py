"""Proxies: features that tell the groups apart, so that a card can treat these differently through them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from riskcard.checks import finite_number
from riskcard.data.columns import FeatureValues
from riskcard.data.features import read_features
from riskcard.data.first_look.leaks import area_alone
from riskcard.errors import ParameterError
from riskcard.fairness.groups import read_groups

#: From this area under the ROC curve on, a feature counts as a close proxy.
CLOSE = 0.8


@dataclass(frozen=True, slots=True)
class Proxy:
    """How well one feature tells the groups apart.

    Attributes
    ----------
    name
        The feature.
    area
        The area under the ROC curve with which it alone, its values in whichever order separates
        best, tells a group from all others: 0.5 says nothing, 1 says all. Of several groups the one
        that is told apart best counts.
    group
        That group.
    """

    name: str
    area: float
    group: str


def find_proxies(
    X: Any, groups: Any, *, least_area: float = CLOSE, groups_name: str | None = None
) -> list[Proxy]:
    """The features that tell the groups apart, the closest proxies first.

    Features are looked at one by one: several of them together may tell more. To learn a card without
    close proxies, give each the rule ``FeatureRule(use="never")``; a proof is then about cards without
    them.

    Parameters
    ----------
    X
        Rows by features: an array, or a pandas, polars or pyarrow table.
    groups
        The group of each row.
    least_area
        Features that tell groups apart less well than this are left out.
    groups_name
        What the groups are of; by default the name of the column ``groups``.

    Examples
    --------
    >>> X = {"height": [150, 160, 158, 178, 183, 169], "age": [20, 30, 40, 20, 30, 40]}
    >>> [one.name for one in find_proxies(X, ["f", "f", "f", "m", "m", "m"], groups_name="sex")]
    ['height']
    """
    least = finite_number("least_area", least_area)
    if not 0.5 <= least <= 1:
        raise ParameterError(f"least_area is {least_area}. Use a number from 0.5 to 1.")
    features = read_features(X)
    read = read_groups(groups, features.values.shape[0], groups_name)
    found = []
    for place, name in enumerate(features.names):
        feature = FeatureValues(features.values[:, place], features.levels[place])
        areas = [area_alone(feature, read.codes == code) for code in range(len(read.names))]
        best = int(np.argmax(areas))
        if areas[best] >= least:
            found.append(Proxy(name, areas[best], read.names[best]))
    return sorted(found, key=lambda one: (-one.area, one.name))
