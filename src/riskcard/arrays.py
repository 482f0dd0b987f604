"""Short names for the types of arrays."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
#: Ranks of values, see `RankedData`.
Codes = NDArray[np.int32]
#: +1 for the event, -1 otherwise.
Labels = NDArray[np.int8]
