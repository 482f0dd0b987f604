"""What an audit found: checks of claims, each passed, failed or not checked, with the figures behind it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from riskcard.data.frames import Columns, make_frame
from riskcard.formatting.plain_text import one_line
from riskcard.formatting.plain_values import as_plain
from riskcard.formatting.speech import say

#: Rounding may make two equal numbers differ by this much, relatively.
ROUNDING = 1e-9
#: The checks that the table must pass before anything follows about the card, and that of a proof file.
LABELS, ROWS, VALUES, PROOF_FILE = "labels", "rows", "values of the rows", "proof file"
#: What fails for other rows than those of training, too.
_OF_ROWS = {ROWS, "counts", "loss"}
#: The check that a card was not edited.
DIGEST = "digest"


class Outcome(str, Enum):
    """What became of one claim. NOT_CHECKED is neither a pass nor a failure."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_CHECKED = "not checked"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Check:
    """One claim, what became of it, and the figures that decide it."""

    name: str
    outcome: Outcome
    detail: str

    @property
    def holds(self) -> bool:
        """The claim was not refuted."""
        return self.outcome is not Outcome.FAILED

    def __str__(self) -> str:
        word = {Outcome.PASSED: "pass", Outcome.FAILED: "FAIL"}.get(self.outcome, "not checked")
        return one_line(f"{word:<11}  {self.name}: {self.detail}")


def checked(name: str, holds: bool, detail: str) -> Check:
    """A claim that was recomputed."""
    return Check(name, Outcome.PASSED if holds else Outcome.FAILED, detail)


def not_checked(name: str, detail: str) -> Check:
    """A claim that the audit can neither confirm nor refute, and why."""
    return Check(name, Outcome.NOT_CHECKED, detail)


@dataclass(frozen=True, slots=True)
class AuditReport:
    """All checks of one audit.

    Attributes
    ----------
    checks
        In the order in which they were made.
    loss
        The loss of the card on the rows given, recomputed.
    lacks
        What is lacking for an audit: "certificate", "recipe" where a bound is stated, or "columns"
        of the rows; empty where nothing is lacking.
    """

    checks: tuple[Check, ...]
    loss: float
    lacks: str = ""

    @property
    def passed(self) -> bool:
        """Nothing is lacking and no check failed; some claims may not have been checked."""
        return not self.lacks and not self.failures

    @property
    def failures(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return self._with(Outcome.FAILED)

    @property
    def not_checked(self) -> tuple[Check, ...]:
        """The claims that could be neither confirmed nor refuted."""
        return self._with(Outcome.NOT_CHECKED)

    @property
    def summary(self) -> str:
        """How many checks passed, failed and were not made, and what follows."""
        number = Counter(check.outcome for check in self.checks)
        counts = ", ".join(
            say(f"proof_{outcome.name.lower()}", number=str(number[outcome])) for outcome in Outcome
        )
        lacks = self._faulty if self.failures else self.lacks
        return f"{counts}. {say(f'proof_lacks_{lacks}')}" if lacks else f"{counts}."

    def with_proof_file(self, check: Check) -> AuditReport:
        """The same with what a checker found in the proof file, which says more than a search that found nothing."""
        others = [one for one in self.checks if one.name != "proof" or not one.holds]
        return replace(self, checks=(*others, check))

    @property
    def _faulty(self) -> str:
        """What the failures are the fault of: "failed" is the card."""
        failed = {check.name for check in self.failures}
        if failed == {PROOF_FILE}:
            return "proof_file"
        if DIGEST in failed:
            return "failed"
        if LABELS in failed:
            return "labels"
        if VALUES in failed:
            return "table"
        # a hash that agrees leaves only the card to blame
        is_known = any(one.name == VALUES and one.outcome is Outcome.PASSED for one in self.checks)
        return "rows" if failed & _OF_ROWS and not is_known else "failed"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain dicts, lists, texts and numbers, ready for JSON."""
        found: dict[str, Any] = as_plain(self)
        return found | {"passed": self.passed, "summary": self.summary}

    def to_frame(self, backend: str = "pandas") -> Any:
        """The checks as a data frame: outcome, check, figures.

        Parameters
        ----------
        backend
            The library of the frame: "pandas", "polars" or "pyarrow".
        """
        columns: Columns = {
            "outcome": (str, [str(check.outcome) for check in self.checks]),
            "check": (str, [check.name for check in self.checks]),
            "figures": (str, [check.detail for check in self.checks]),
        }
        return make_frame(columns, backend)

    def _with(self, outcome: Outcome) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if check.outcome is outcome)

    def __str__(self) -> str:
        return "\n".join([*map(str, self.checks), self.summary])

    def _repr_html_(self) -> str:
        from riskcard.formatting.pages.html import boxed, html_table, paragraphs

        rows = [(str(check.outcome), check.name, check.detail) for check in self.checks]
        table = html_table(["Outcome", "Check", "Figures"], rows)
        return boxed("Audit", table, paragraphs([self.summary]))
