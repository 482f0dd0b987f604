"""The open nodes of the proof, kept in shelves by their bounds."""

from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np

from riskcard.kernels.proof.hull.layout import HullNodes
from riskcard.kernels.proof.layout import Nodes, join_nodes

Kind = TypeVar("Kind", Nodes, HullNodes)

#: Number of shelves between 0 and the loss of the first card.
N_SHELVES = 400


class Frontier(Generic[Kind]):
    """Open nodes, lowest bounds first.

    Within a shelf, the nodes added last are taken first, so that no more memory is needed than for
    a stack once nodes are no longer set aside.
    """

    def __init__(self, highest: float) -> None:
        self._width = max(highest, 1e-300) / N_SHELVES
        self._shelves: dict[int, list[Kind]] = {}
        self.size = 0

    def add(self, nodes: Kind) -> None:
        """Keep open nodes."""
        if nodes.size == 0:
            return
        shelf = np.minimum(nodes.bounds / self._width, N_SHELVES).astype(np.int64)
        keys = np.unique(shelf)
        for key in keys:
            own = nodes if keys.size == 1 else nodes.take(shelf == key)
            self._shelves.setdefault(int(key), []).append(own)
        self.size += nodes.size

    def take(self, most: int) -> Kind:
        """Remove up to ``most`` nodes with the lowest bounds and return them."""
        parts: list[Kind] = []
        missing = most
        for key in sorted(self._shelves):
            shelf = self._shelves[key]
            while missing > 0 and shelf:
                nodes = shelf.pop()
                if nodes.size > missing:
                    shelf.append(nodes.take(slice(None, -missing)))
                    nodes = nodes.take(slice(-missing, None))
                parts.append(nodes)
                missing -= nodes.size
            if shelf:
                break
            del self._shelves[key]
        self.size -= most - missing
        joint: Kind = join_nodes(parts)
        return joint

    def visit(self, look: Callable[[Kind], None]) -> None:
        """Show all nodes, some at a time, and keep them."""
        for shelf in self._shelves.values():
            for nodes in shelf:
                look(nodes)

    def lowest_bound(self) -> float:
        """The lowest bound of any open node; infinity when there is none."""
        if not self._shelves:
            return float("inf")
        return min(float(nodes.bounds.min()) for nodes in self._shelves[min(self._shelves)])
