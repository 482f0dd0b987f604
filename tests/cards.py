"""Cards for tests: a few by hand, and a hypothesis strategy for any."""

from hypothesis import strategies as st

from riskcard.problem.certificate import Certificate, TrainingFacts
from riskcard.problem.result import Status
from riskcard.problem.riskcard import FeaturePoints, RiskCard

__all__ = ["certificate", "heart_card", "risk_cards"]


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


finite = st.floats(allow_nan=False, allow_infinity=False)
names = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=12)
labels = st.one_of(st.text(max_size=5), st.integers(), finite, st.booleans())


@st.composite
def _features(draw, name):
    cuts = sorted(draw(st.sets(finite, min_size=0, max_size=4)))
    size = len(cuts) + 1
    points = draw(st.lists(st.integers(-20, 20), min_size=size, max_size=size))
    return FeaturePoints(name, tuple(cuts), tuple(points))


@st.composite
def risk_cards(draw):
    all_names = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    used = draw(st.integers(0, len(all_names)))
    classes = draw(st.tuples(labels, labels).filter(lambda pair: pair[0] != pair[1]))
    return RiskCard(
        features=tuple(draw(_features(name)) for name in all_names[:used]),
        base=draw(st.integers(-50, 50)),
        multiplier=draw(st.floats(0.5, 50)),
        offset=draw(st.floats(-20, 20)),
        feature_names=tuple(all_names),
        classes=classes,
        outcome=draw(st.none() | names),
        training=draw(st.none() | st.just(TrainingFacts(10, 4, 12.5, 0.1 + 0.2))),
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
            )
        ),
    )
