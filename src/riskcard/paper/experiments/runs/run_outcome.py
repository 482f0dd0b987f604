"""What a run ended with, and what may be said of it once all runs of the row are known."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

#: "proven": by us. "optimal": the solver says so. "limit": of time. "heuristic": nothing is claimed.
Ending = Literal["proven", "optimal", "limit", "heuristic", "failed"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One method on one row.

    Attributes
    ----------
    seconds, seconds_to_best
        The paper's TT and ST: of all, and until the best card was found; ST is None without a card.
    loss, auc
        Of the card, by the referee, on the raw rows; None without a card.
    ending, word
        Why it ended, and the solver's own word for that.
    claimed_loss, claimed_bound
        What the solver says of its card and of all others.
    tolerance
        Losses this near to each other are the same for the solver.
    history
        Seconds and loss of each better card, as far as the solver reports them.
    """

    seconds: float
    seconds_to_best: float | None
    loss: float | None
    auc: float | None
    ending: Ending
    word: str = ""
    claimed_loss: float | None = None
    claimed_bound: float | None = None
    tolerance: float = 0.0
    nodes: int = 0
    history: tuple[tuple[float, float], ...] = ()

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Outcome:
        """From what ``dataclasses.asdict`` gave, also by way of JSON."""
        history = tuple((float(seconds), float(loss)) for seconds, loss in data["history"])
        return cls(**{**data, "history": history})


@dataclass(frozen=True, slots=True)
class BestKnown:
    """The smallest loss of any card found for a row, and whether it was proven to be the optimum."""

    loss: float
    is_proven: bool


def best_known(outcomes: Iterable[Outcome]) -> BestKnown | None:
    """The best card of a row; None when no method found any."""
    found = [(one.loss, one) for one in outcomes if one.loss is not None]
    if not found:
        return None
    best = min(loss for loss, _ in found)
    proven = [loss - one.tolerance for loss, one in found if one.ending == "proven"]
    return BestKnown(best, is_proven=min(proven, default=math.inf) <= best)


def verdict(outcome: Outcome, best: BestKnown | None) -> str:
    """What may be said of a run: one of the words that the tables show.

    A claim is false when a card exists that is better than what the solver calls optimal, or below
    what it gives as a bound; the card is the witness, whoever found it. A claim of optimality is
    confirmed only by a proof.
    """
    most = None if best is None else best.loss + outcome.tolerance
    says_optimal = outcome.ending in ("proven", "optimal")
    claims = [outcome.claimed_bound]
    if says_optimal:
        claims += [outcome.claimed_loss, outcome.loss]
    if most is not None and any(claim is not None and claim > most for claim in claims):
        return "claim is false"
    if outcome.ending == "optimal":
        is_checked = best is not None and best.is_proven
        return "claimed" if is_checked else "claimed, not checked"
    return outcome.ending
