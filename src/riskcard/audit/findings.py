"""What an audit found: checks of claims, each with the figures that decide it."""

from dataclasses import dataclass

#: Rounding may make two equal numbers differ by this much, relatively.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Check:
    """One claim, whether it holds, and the figures that decide it."""

    name: str
    passed: bool
    detail: str

    def __str__(self) -> str:
        return f"{'ok    ' if self.passed else 'FAILED'}  {self.name}: {self.detail}"


@dataclass(frozen=True, slots=True)
class AuditReport:
    """All checks of one audit.

    Attributes
    ----------
    checks
        In the order in which they were made.
    loss
        The loss of the card on the rows given, recomputed.
    """

    checks: tuple[Check, ...]
    loss: float

    @property
    def passed(self) -> bool:
        """Every check passed."""
        return all(check.passed for check in self.checks)

    @property
    def failures(self) -> tuple[Check, ...]:
        """The checks that did not pass."""
        return tuple(check for check in self.checks if not check.passed)

    def __str__(self) -> str:
        failed = len(self.failures)
        verdict = (
            f"{failed} of {len(self.checks)} checks failed." if failed else "All checks passed."
        )
        return "\n".join([*map(str, self.checks), verdict])
