"""Risks of one model or of several, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riskcard.errors import ParameterError
from riskcard.evaluation.outcomes import Outcomes, read_outcomes


def read_several(risks: Any, y: Any, sample_weight: Any, event: Any) -> dict[str, Outcomes]:
    """Read the risks of each model; one that has no name has the empty one."""
    named = risks if isinstance(risks, Mapping) else {"": risks}
    if not named:
        raise ParameterError("There are no risks to draw. Give those of at least one model.")
    return {str(name): read_outcomes(one, y, sample_weight, event) for name, one in named.items()}
