"""Cards for tests: a few by hand, and a hypothesis strategy for any."""

import math
from dataclasses import replace

from hypothesis import strategies as st

from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints, LevelPoints, level_key
from riskcard.model.origin.certificate import Certificate, TrainingFacts
from riskcard.model.totals import TotalCount
from riskcard.model.value_range import ValueRange
from riskcard.status import Status

__all__ = ["certificate", "heart_card", "mass_card", "risk_cards", "values_of"]


def certificate(loss: float = 350.1, bound: float = 340.2, status: str = "time_limit", **changes):
    fields = {
        "max_terms": 3,
        "max_features": 3,
        "max_cuts_per_feature": 3,
        "max_points": 5,
        "scale": "calibrated",
    }
    return Certificate(loss=loss, bound=bound, status=Status(status), **{**fields, **changes})


def heart_card(**changes) -> RiskCard:
    fields = {
        "features": (
            FeaturePoints("age", (60.0, 75.0), (0, 2, 3)),
            FeaturePoints("pressure", (0.125,), (5, 0)),
        ),
        "base": -1,
        "multiplier": 1.25,
        "offset": -0.3,
        "feature_names": ("height", "pressure", "age"),
        "classes": ("no", "yes"),
        "outcome": "death",
        "training": TrainingFacts(rows=569, events=212, weight=569.0, event_weight=212.0),
        "certificate": certificate(),
    }
    return RiskCard(**{**fields, **changes})


def mass_card(**changes) -> RiskCard:
    """A card of every kind: missing values, special codes, groups of levels, an order, a boolean."""
    fields = {
        "features": (
            FeaturePoints("age", (45.0, 60.0), (0, 1, 3), missing=1, codes=((-9.0, 2),), usual=1),
            LevelPoints("shape", (("round", "oval"), ("irregular", "lobular")), (0, 3), usual=0),
            LevelPoints("density", (("low", "medium"), ("high",)), (2, 0), 1, 1, is_ordered=True),
            LevelPoints("palpable", ((False,), (True,)), (0, 1), usual=0),
        ),
        "multiplier": 2.0,
        "offset": -2.5,
        "classes": ("benign", "malignant"),
        "outcome": "mass",
    }
    return RiskCard(**{**fields, **changes})


def values_of(feature: FeaturePoints | LevelPoints) -> list:
    """Values around every cut, all codes and levels, and None when the card has points for it."""
    missing = [] if feature.missing is None else [None]
    if isinstance(feature, LevelPoints):
        return [*feature.levels, *missing]
    around = [0.0]
    for cut in feature.cuts:
        around += [cut, math.nextafter(cut, -math.inf), math.nextafter(cut, math.inf)]
    codes = [code for code, _ in feature.codes]
    return [*filter(math.isfinite, around), *codes, *missing]


finite = st.floats(allow_nan=False, allow_infinity=False)
names = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=12)
points = st.integers(-20, 20) | st.integers(0, 2)
FACTS = TrainingFacts(10, 4, 12.5, 0.1 + 0.2, is_weighted=True)
COUNTS = (
    TotalCount(-3, -3, 4, 0, 4.0, 0.0, 4.0),
    TotalCount(5, 9, 6, 4, 8.5, 0.1 + 0.2, 0.7, (0.1, 1 / 3)),
)
labels = st.one_of(st.text(max_size=5), st.integers(), finite, st.booleans())

ranges = st.builds(
    lambda ends, is_whole: ValueRange(min(ends), max(ends), is_whole),
    st.tuples(*[st.integers(-1, 25)] * 2) | st.just((0, 1)),
    st.booleans(),
)


@st.composite
def _numbers(draw, name, is_plain):
    cuts = sorted(draw(st.sets(finite | st.integers(0, 9).map(float), max_size=4)))
    size = len(cuts) + 1
    bin_points = draw(st.lists(points, min_size=size, max_size=size))
    if is_plain:
        return FeaturePoints(name, tuple(cuts), tuple(bin_points))
    codes = draw(st.dictionaries(finite | st.sampled_from([*cuts, -9.0]), points, max_size=3))
    return FeaturePoints(
        name,
        tuple(cuts),
        tuple(bin_points),
        missing=draw(st.none() | st.sampled_from(bin_points) | points),
        codes=tuple(codes.items()),
        usual=draw(st.none() | st.integers(0, len(cuts))),
        training_range=draw(st.none() | ranges),
    )


@st.composite
def _levels(draw, name, kinds):
    kind = kinds[draw(st.integers(0, len(kinds) - 1))]
    found = draw(st.lists(kind, min_size=1, max_size=6, unique_by=level_key))
    ends = sorted(draw(st.sets(st.integers(1, len(found)), max_size=4)) | {len(found)})
    groups = [found[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    return LevelPoints(
        name,
        tuple(map(tuple, groups)),
        tuple(draw(st.lists(points, min_size=len(groups), max_size=len(groups)))),
        missing=draw(st.none() | points),
        usual=draw(st.none() | st.integers(0, len(groups) - 1)),
        is_ordered=draw(st.booleans()),
    )


@st.composite
def risk_cards(draw, is_plain=False, kinds=(labels,)):
    """Any card; a plain one has numbers only, none of them missing or special.

    All levels of a feature are of one of the kinds.
    """
    all_names = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    used = draw(st.integers(0, len(all_names)))
    classes = draw(st.tuples(labels, labels).filter(lambda pair: pair[0] != pair[1]))
    is_category = [False if is_plain else draw(st.booleans()) for _ in range(used)]
    return RiskCard(
        features=tuple(
            draw(_levels(name, kinds) if is_nominal else _numbers(name, is_plain))
            for name, is_nominal in zip(all_names, is_category, strict=False)
        ),
        base=draw(st.integers(-50, 50)),
        multiplier=draw(st.sampled_from([1, -1])) * draw(st.floats(0.5, 50)),
        offset=draw(st.floats(-20, 20)),
        feature_names=tuple(all_names),
        classes=classes,
        outcome=draw(st.none() | names),
        training=draw(st.sampled_from([None, FACTS, replace(FACTS, totals=COUNTS)])),
        certificate=draw(
            st.none()
            | st.builds(
                certificate,
                loss=st.floats(0, 1e6),
                bound=st.floats(0, 1e6),
                status=st.sampled_from([str(status) for status in Status]),
                scale=st.sampled_from(["calibrated", "multiplier", 1.0, 2.5]),
                is_grid_full=st.booleans(),
                notes=st.lists(st.text(max_size=9), max_size=2),
                rules=st.lists(st.text(max_size=9), max_size=2),
            )
        ),
    )
