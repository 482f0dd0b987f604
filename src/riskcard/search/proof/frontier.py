"""The open nodes of the proof, kept in shelves by their bounds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

OpenNodes = tuple[NDArray[np.int32], NDArray[np.float64]]

#: Number of shelves between 0 and the loss of the first card.
N_SHELVES = 400


class Frontier:
    """Open nodes, lowest bounds first; the bound of a node is the first of its numbers.

    Within a shelf the last come are the first served, so that memory stays that of a stack once
    nodes are no longer set aside.
    """

    def __init__(self, highest: float) -> None:
        self._width = max(highest, 1e-300) / N_SHELVES
        self._shelves: dict[int, list[OpenNodes]] = {}
        self.size = 0

    def add(self, nodes: OpenNodes) -> None:
        """Keep open nodes."""
        records, numbers = nodes
        if records.shape[0] == 0:
            return
        shelf = np.minimum(numbers[:, 0] / self._width, N_SHELVES).astype(np.int64)
        for key in np.unique(shelf):
            chosen = shelf == key
            self._shelves.setdefault(int(key), []).append((records[chosen], numbers[chosen]))
        self.size += records.shape[0]

    def take(self, most: int) -> OpenNodes:
        """Remove up to ``most`` nodes with the lowest bounds and return them."""
        parts: list[OpenNodes] = []
        missing = most
        for key in sorted(self._shelves):
            shelf = self._shelves[key]
            while missing > 0 and shelf:
                records, numbers = shelf.pop()
                if records.shape[0] > missing:
                    shelf.append((records[:-missing], numbers[:-missing]))
                    records, numbers = records[-missing:], numbers[-missing:]
                parts.append((records, numbers))
                missing -= records.shape[0]
            if shelf:
                break
            del self._shelves[key]
        self.size -= most - missing
        return np.concatenate([r for r, _ in parts]), np.concatenate([n for _, n in parts])

    def lowest_bound(self) -> float:
        """The lowest bound of any open node; infinity when there is none."""
        if not self._shelves:
            return float("inf")
        return min(float(numbers[:, 0].min()) for _, numbers in self._shelves[min(self._shelves)])
