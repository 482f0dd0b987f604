"""Data that riskcard can make itself: the paper's synthetic rows."""

from __future__ import annotations

from riskcard.datasets.paper import PaperData, paper_data

__all__ = ["PaperData", "paper_data"]
