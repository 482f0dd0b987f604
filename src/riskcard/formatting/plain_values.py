"""Facts as plain values: dicts, lists, texts and numbers that JSON can hold."""

import math
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np


def as_plain(value: Any) -> Any:
    """A record with all its parts; a number that is not finite becomes None.

    Examples
    --------
    >>> as_plain({"a": (1.0, float("nan"))})
    {'a': [1.0, None]}
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: as_plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, dict):
        return {str(key): as_plain(one) for key, one in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        return as_plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [as_plain(one) for one in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
