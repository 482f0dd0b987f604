"""The document of a session with the ones before it: every step can be undone and redone."""

from __future__ import annotations

from collections.abc import Callable

from riskcard.errors import ParameterError
from riskcard.studio.state.document import Document

#: The steps that undo can go back.
MOST_STEPS = 200


class History:
    """A document, and where it came from.

    Parameters
    ----------
    document
        To begin with.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.past: list[Document] = []
        self.future: list[Document] = []

    def step(self, document: Document) -> None:
        """Go on to another document; this one can be gone back to."""
        self.past = [*self.past, self.document][-MOST_STEPS:]
        self.future = []
        self.document = document

    def next(self, is_back: bool) -> Document:
        """The document of the step before, or of the one that was undone."""
        steps = self.past if is_back else self.future
        if not steps:
            raise ParameterError("There is no step to go to.")
        return steps[-1]

    def move(self, is_back: bool) -> None:
        """Go back one step, or forward again."""
        target, source = (self.future, self.past) if is_back else (self.past, self.future)
        target.append(self.document)
        self.document = source.pop()

    def renew(self, change: Callable[[Document], Document]) -> None:
        """Change the document wherever it is."""
        self.document = change(self.document)
        self.past, self.future = ([change(one) for one in own] for own in (self.past, self.future))
