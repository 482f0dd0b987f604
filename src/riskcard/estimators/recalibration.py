"""Where commands find the recalibration of a card: beside the classifiers that learn one."""

from __future__ import annotations

from riskcard.search.recalibration import recalibrate

__all__ = ["recalibrate"]
