"""A model as a solver sees it: one vector of variables, one matrix of rows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from riskcard.errors import ParameterError
from riskcard.paper.formulations.mip_model import Cardinality, LinearObjective, LogLoss, Model

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FlatModel:
    """Minimise the objective over ``lower <= values <= upper``, ``row_lower <= matrix @ values <= row_upper``."""

    lower: Floats
    upper: Floats
    is_integer: NDArray[np.bool_]
    matrix: sparse.csr_array
    row_lower: Floats
    row_upper: Floats
    objective: LogLoss | LinearObjective
    cardinality: Cardinality | None = None

    @property
    def n_variables(self) -> int:
        return self.lower.size

    @property
    def n_rows(self) -> int:
        return self.row_lower.size

    def breach(self, values: Floats) -> float:
        """By how much a point breaks bounds and rows at most, and integers miss a whole number."""
        activity = self.matrix @ values
        parts = (
            self.lower - values,
            values - self.upper,
            self.row_lower - activity,
            activity - self.row_upper,
            np.abs(values - np.round(values))[self.is_integer],
        )
        return max(float(np.max(part, initial=0.0)) for part in parts)


def flatten(model: Model) -> FlatModel:
    """Put the blocks of a model one after the other."""
    rows = model.constraints
    size = model.n_variables
    matrix = sparse.vstack([part.matrix for part in rows]) if rows else sparse.coo_array((0, size))
    return FlatModel(
        lower=np.concatenate([block.lower.ravel() for block in model.variables]),
        upper=np.concatenate([block.upper.ravel() for block in model.variables]),
        is_integer=np.concatenate(
            [np.full(block.size, block.kind != "continuous") for block in model.variables]
        ),
        matrix=sparse.csr_array(matrix),
        row_lower=np.concatenate([np.zeros(0), *(part.lower for part in rows)]),
        row_upper=np.concatenate([np.zeros(0), *(part.upper for part in rows)]),
        objective=model.objective,
        cardinality=model.cardinality,
    )


def require_linear_objective(model: Model, solver: str) -> LinearObjective:
    """The objective, if it is linear."""
    if isinstance(model.objective, LinearObjective):
        return model.objective
    raise ParameterError(
        f"The form {model.name!r} minimises the log-loss, and {solver} takes linear objectives "
        "only. Use the form 'secants', which is exact, or another solver."
    )


def require_no_cardinality(model: Model, solver: str) -> None:
    """Refuse a model with a limit on the number of variables that differ from 0."""
    if model.cardinality is not None:
        raise ParameterError(
            f"The form {model.name!r} limits how many weights differ from 0, and {solver} has no "
            "such constraint. Use the form 'reformulation', which says it with binaries, or SCIP."
        )
