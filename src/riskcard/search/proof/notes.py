"""Notes that a proof makes while it runs, so that its file can be written without doing the work again."""

from __future__ import annotations

import math
from contextvars import ContextVar, Token
from dataclasses import replace
from types import TracebackType

import numpy as np

from riskcard.arrays import Floats, Integers
from riskcard.kernels.proof.hull.layout import HullNodes
from riskcard.kernels.proof.hull.notes import Notes, empty_notes, index_notes, note_nodes
from riskcard.problem.problem import Problem
from riskcard.search.proof.root_bound import RootBound

#: Most entries, of 16 bytes each. Nodes of longer proofs have no note, and are bounded a second time.
MOST_ENTRIES = 16_000_000
#: Entries that are made at once where nodes are noted from Python.
ENTRIES_AT_ONCE = 1 << 16


class ProofNotes:
    """Models and divisions of the nodes of a proof; give them to ``write_proof``.

    Proofs that run within the ``with`` block are noted. Of several, on different rows, the last one counts. Proofs of
    problems with few conditions are made in another way and leave no notes on nodes. Notes take at most 256 MB, and
    keep the rows of the last fit with the problem that it posed, so that writing need not pose it again.

    Examples
    --------
    >>> from riskcard import ProofNotes, RiskScoreClassifier, write_proof
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> X = X[["worst area", "worst texture"]]
    >>> model = RiskScoreClassifier(max_terms=2, regularization=None, certify=True)
    >>> with ProofNotes() as notes:
    ...     card = model.fit(X, y).card_
    >>> written = write_proof(getfixture("tmp_path") / "card.proof", card, X, y, notes=notes)
    """

    def __init__(self) -> None:
        self._problem: Problem | None = None
        self._weight = 1.0
        self._marks: list[Integers] = []
        self._numbers: list[Floats] = []
        self._size = 0
        self._root: RootBound | None = None
        self._tokens: list[Token[ProofNotes | None]] = []
        self.posed: object = None

    def __enter__(self) -> ProofNotes:
        self._tokens.append(_current.set(self))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _current.reset(self._tokens.pop())

    def __len__(self) -> int:
        return self._size

    def begin(self, problem: Problem) -> None:
        """Forget the proofs on other rows."""
        if self._problem is None or problem.data is not self._problem.data:
            self._problem, self._weight = problem, float(problem.data.weights.sum())
            self._marks, self._numbers, self._size = [], [], 0
            self._root = None

    def are_about(self, problem: Problem) -> bool:
        """Do sides and cuts of a problem have the numbers that they have in the notes?"""
        own = self._problem
        if own is None or own.data.codes.shape[0] != problem.data.codes.shape[0]:
            return False
        pairs = zip(own.restrictions.is_closed, problem.restrictions.is_closed, strict=True)
        return (
            np.array_equal(own.data.n_cuts, problem.data.n_cuts)
            and np.array_equal(own.jump_high, problem.jump_high)
            and np.array_equal(own.jump_low, problem.jump_low)
            and all(np.array_equal(one, two) for one, two in pairs)
        )

    def keep_root(self, root: RootBound) -> None:
        """Keep the bound on all cards at once."""
        self._root = root

    def root_of(self, problem: Problem) -> RootBound | None:
        """The bound on all cards at once, in the unit of a problem's weights; None where nothing is known of it."""
        if self._root is None or not self.are_about(problem):
            return None
        return replace(self._root, bound=self._root.bound * self._factor(problem))

    def _factor(self, problem: Problem) -> float:
        """From the unit of the noted weights to that of a problem."""
        return float(problem.data.weights.sum()) / self._weight

    def add(self, notes: Notes) -> None:
        """Keep the notes of a task, which it will overwrite."""
        count = int(notes.used[0])
        if count == 0 or self._size + count > MOST_ENTRIES:
            return
        self._marks.append(notes.marks[:count].copy())
        self._numbers.append(notes.numbers[:count].copy())
        self._size += count

    def add_nodes(self, nodes: HullNodes) -> None:
        """Note the models of nodes that are given up or left open."""
        room, first = empty_notes(ENTRIES_AT_ONCE), 0
        while first < nodes.size and self._size < MOST_ENTRIES:
            room.used[0] = 0
            first = note_nodes(nodes, first, room)
            self.add(room)

    def indexed(self, problem: Problem) -> Notes:
        """All notes, to be looked up in a problem; none where they are about another one.

        The weights of the problem may have another unit.
        """
        if self._size == 0 or not self.are_about(problem):
            return empty_notes(0)
        notes = empty_notes(self._size)
        np.concatenate(self._marks, out=notes.marks)
        np.concatenate(self._numbers, out=notes.numbers)
        notes.used[0] = self._size
        # a note has two entries or more, so at most half of the table is used
        digits = max(1, math.ceil(math.log2(self._size)))
        notes = notes._replace(table=np.full(1 << digits, -1, dtype=np.int64))
        index_notes(notes, self._factor(problem))
        return notes


_current: ContextVar[ProofNotes | None] = ContextVar("_current", default=None)


def current_notes() -> ProofNotes | None:
    """The notes of the block that is running."""
    return _current.get()


def notes_for(problem: Problem) -> ProofNotes | None:
    """Where the proof of a problem is to be noted; None if nobody asks for it."""
    notes = _current.get()
    if notes is not None:
        notes.begin(problem)
    return notes
