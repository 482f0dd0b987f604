"""The target and the weights of the user's table: two labels, positive weights."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.checks import finite_number
from riskcard.data.first_look.event_words import find_event
from riskcard.data.frames import column_names
from riskcard.data.raw_columns import is_missing, read_raw, rows_in_words
from riskcard.errors import DataError, ParameterError, warn

#: What weights may add up to: far from the limits of floating-point numbers, as the losses must be too.
LEAST_TOTAL, MOST_TOTAL = 1e-300, 1e305
#: The smallest share of the total that a row may have.
LEAST_SHARE = 1e-60


def name_of_target(y: Any) -> str | None:
    """The name of a series, or of the only column of a frame, if it can be printed."""
    columns = column_names(y)
    if columns is None:
        name = getattr(y, "name", None)
    else:
        name = columns[0] if len(columns) == 1 else None
    return name if isinstance(name, str) and name.strip() and name.isprintable() else None


def read_target(y: Any, n_rows: int) -> NDArray[Any]:
    """The target as a one-dimensional array of the right length without missing values."""
    if y is None:
        raise DataError(
            "A card requires y to be passed, but the target y is None. Give one label per row."
        )
    array = _as_array(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise DataError(
            f"y should be a 1d array, got an array of shape {array.shape}. Give one label per row."
        )
    if array.size != n_rows:
        raise DataError(f"X has {n_rows} rows and y has {array.size}. Give one label per row.")
    if array.dtype.kind == "f":
        is_bad = ~np.isfinite(array)
    elif array.dtype.kind == "O":
        is_bad = np.array([is_missing(value) or _is_infinite(value) for value in array], dtype=bool)
    else:
        return array
    if is_bad.any():
        what = "infinite (inf)" if _is_infinite(array[is_bad][0]) else "missing (NaN)"
        raise DataError(
            f"The target y is {what} in {rows_in_words(is_bad)}. "
            "Leave these rows out, or give them a label."
        )
    return array


def _as_array(y: Any) -> NDArray[Any]:
    columns = column_names(y)
    if columns is None:
        return read_raw(y).as_array()
    if len(columns) == 1:
        return read_raw(y[columns[0]]).as_array()
    return np.empty((len(y), len(columns)))  # more than one dimension, which is refused


def _is_infinite(value: Any) -> bool:
    return isinstance(value, (float, np.floating)) and bool(np.isinf(value))


def read_labels(y: NDArray[Any], event: Any = None) -> tuple[NDArray[np.int8], tuple[Any, Any]]:
    """Labels in {-1, +1} and the two classes: no event, event.

    Parameters
    ----------
    y
        One label per row.
    event
        The label of the event; None where the labels themselves say it. Where they do not, it is the
        larger one, as in scikit-learn, and a warning says so.
    """
    classes = two_classes(y)
    place = place_of_event(classes, event)
    if place is None:
        place = 1
        warn(
            f"{which_event(classes)} {classes[1]!r} is taken for it: say so with event={classes[1]!r}, "
            f"or turn it round with event={classes[0]!r}."
        )
    is_event = np.asarray(y == classes[place], dtype=bool)
    return np.where(is_event, np.int8(1), np.int8(-1)), (classes[1 - place], classes[place])


def place_of_event(classes: tuple[Any, Any], event: Any = None) -> int | None:
    """The position of the event among two labels; None where it is neither given nor known."""
    if event is None:
        return find_event(classes)
    same = [i for i, label in enumerate(classes) if label == event]
    if len(same) != 1:
        raise ParameterError(
            f"event is {event!r}, but the labels are {classes[0]!r} and {classes[1]!r}. "
            "Use one of them."
        )
    return same[0]


def which_event(classes: tuple[Any, Any], target: str | None = None) -> str:
    """The sentence for labels that do not say which of them is the event."""
    name = "The target" if target is None else f"The target {target!r}"
    return (
        f"{name} has the values {classes[0]!r} and {classes[1]!r}, which do not say which of them "
        "is the event."
    )


def two_classes(y: NDArray[Any]) -> tuple[Any, Any]:
    """The two labels in order, as scikit-learn has them."""
    classes = _distinct(y)
    if len(classes) == 1:
        raise DataError(
            f"The target has one class only: y is {classes[0]!r} in all {y.size} rows. "
            "A card needs rows with and without the event."
        )
    if len(classes) > 2:
        raise _too_many_classes(y, classes)
    return classes[0], classes[1]


def _distinct(y: NDArray[Any]) -> list[Any]:
    """All different labels in order."""
    # the usual case, without sorting a long target
    is_first = np.asarray(y == y[0], dtype=bool)
    if not is_first.all():
        other = y[int(is_first.argmin())]
        if np.count_nonzero(is_first) + np.count_nonzero(y == other) == y.size:
            y = np.array([y[0], other], dtype=y.dtype)
    try:
        return list(np.unique(y).tolist())
    except TypeError:
        kinds = sorted({type(value).__name__ for value in y})
        raise DataError(
            f"The target y mixes labels of types {' and '.join(kinds)}. Use one type for all."
        ) from None


def _too_many_classes(y: NDArray[Any], classes: list[Any]) -> DataError:
    examples = ", ".join(repr(value) for value in classes[:3])
    is_continuous = y.dtype.kind == "f" and bool(np.any(y != np.floor(y)))
    kind = (
        "Unknown label type: continuous"
        if is_continuous
        else "The type of the target is multiclass"
    )
    return DataError(
        f"Only binary classification is supported. {kind}: y has {len(classes)} different values "
        f"({examples}{', ...' if len(classes) > 3 else ''}). Choose one event against the rest, "
        "such as y == value."
    )


def read_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64]:
    """Finite weights that are not negative."""
    if sample_weight is None:
        return np.ones(n_rows)
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("sample_weight is not numeric. Give one positive number per row.") from None
    if weights.shape != (n_rows,):
        raise DataError(
            f"sample_weight has shape {weights.shape} and X has {n_rows} rows. "
            "Give one weight per row."
        )
    for word, is_bad in (
        ("missing (NaN)", np.isnan(weights)),
        ("infinite", np.isinf(weights)),
        ("negative", weights < 0),
    ):
        if is_bad.any():
            raise DataError(
                f"sample_weight is {word} in {rows_in_words(is_bad)} ({weights[is_bad][0]:g}). "
                "Give every row a positive weight."
            )
    return weights


def require_computable(weights: NDArray[np.float64], what: str) -> None:
    """Refuse weights that are so small or so large that floating-point numbers lose digits."""
    with np.errstate(over="ignore"):
        total = float(weights.sum())
    if not LEAST_TOTAL <= total <= MOST_TOTAL:
        raise DataError(
            f"{what} adds up to {total:g}. Multiply all weights by one factor, so that they add up to "
            f"{LEAST_TOTAL:g} to {MOST_TOTAL:g}: only their ratios matter."
        )
    is_small = weights < LEAST_SHARE * total
    if is_small.any():
        raise DataError(
            f"{what} is below {LEAST_SHARE:g} of the total in {rows_in_words(is_small)} "
            f"({weights[is_small][0]:g} of {total:g}). Leave these rows out: such a share cannot be told "
            "from nothing."
        )


def class_factors(
    weights: NDArray[np.float64],
    labels: NDArray[np.int8],
    classes: tuple[Any, Any],
    class_weight: Any,
) -> tuple[float, float] | None:
    """The factors by which rows without and with the event count more; None where none were given.

    Parameters
    ----------
    weights
        Positive row weights.
    labels
        +1 where the row has the event ``classes[1]``, -1 where it has ``classes[0]``.
    classes
        No event, event.
    class_weight
        "balanced" gives both classes half of the total weight; a mapping gives the factor of each
        class, 1 where it names none.
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, str) and class_weight == "balanced":
        # each class by itself: a light one would vanish in the difference from the total
        others, events = float(weights[labels != 1].sum()), float(weights[labels == 1].sum())
        return (events / others + 1) / 2, (others / events + 1) / 2
    if isinstance(class_weight, Mapping):
        return _factors_of(class_weight, classes)
    raise ParameterError(
        f"class_weight is {class_weight!r}. Use None, 'balanced', or a mapping from label to weight."
    )


def weigh_classes(
    weights: NDArray[np.float64], labels: NDArray[np.int8], factors: tuple[float, float] | None
) -> NDArray[np.float64]:
    """Multiply the weight of every row by the factor of its class, as `class_factors` gives them."""
    if factors is None:
        return weights
    weighted: NDArray[np.float64] = weights * np.where(labels == 1, factors[1], factors[0])
    require_computable(weighted, "sample_weight times class_weight")
    return weighted


def _factors_of(class_weight: Mapping[Any, Any], classes: tuple[Any, Any]) -> tuple[float, float]:
    factors = dict.fromkeys(classes, 1.0)
    for label, value in class_weight.items():
        if label not in factors:
            raise ParameterError(
                f"class_weight names the label {label!r}, but the target has {classes[0]!r} and "
                f"{classes[1]!r}. Use these labels."
            )
        factor = finite_number(f"The class_weight of {label!r}", value)
        if factor <= 0:
            raise ParameterError(
                f"The class_weight of {label!r} is {factor:g}. Use a positive number."
            )
        factors[label] = factor
    return factors[classes[0]], factors[classes[1]]
