"""The fits of a session: what the process that fits is asked for, how far it is, and what came of it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from riskcard.errors import ParameterError
from riskcard.model.card import RiskCard
from riskcard.model.origin.recipe import digest_of
from riskcard.output_files import write_whole
from riskcard.studio.choices import MOST_TERMS
from riskcard.studio.fitting.exchange import read_pseudo, write_training
from riskcard.studio.fitting.fitter import Fitter, Message
from riskcard.studio.state.document import Document, Origin, Proof

if TYPE_CHECKING:
    from riskcard.studio.state.session import Session

#: The most cards of a pool, and the widest tolerance.
MOST_CARDS, WIDEST = 200, 0.2
#: The moments of a proof that are kept for its picture.
MOST_MOMENTS = 400
_ENDED = "The fit ended without a result. Try again."


@dataclass(slots=True)
class Work:
    """What the process is at, or was at last.

    Attributes
    ----------
    state
        "idle", "running", "done", "failed" or "cancelled".
    kind
        "free" (a fit without pins), "pinned", "pool" or "sizes"; empty before the first.
    reason
        Why it failed.
    moments
        Seconds, best loss, bound and nodes so far.
    began
        When, by the clock that only goes forward.
    origin
        What the fit was told.
    job
        What the process was told.
    proof, card
        What the fit has given so far.
    """

    state: str = "idle"
    kind: str = ""
    reason: str = ""
    moments: list[list[float]] = field(default_factory=list)
    began: float | None = None
    origin: Origin | None = None
    job: dict[str, Any] = field(default_factory=dict)
    proof: Proof | None = None
    card: RiskCard | None = None


class Fits:
    """Gives jobs to the process that fits, and takes what it finds into the document.

    Parameters
    ----------
    session
        Whose fits these are.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.work = Work()
        self.pool: dict[str, Any] | None = None
        self.sizes: dict[str, Any] | None = None
        self.heard = 0  # messages of the process
        self._fitter = Fitter(self._hear)

    @property
    def is_ready(self) -> bool:
        """Whether the process can begin with a job at once."""
        return self._fitter.is_ready

    @property
    def bound(self) -> float | None:
        """What is proven so far of the problem that cards are held against; None where this is not its fit."""
        referee, proof = self._session.referee, self._session.document.proof
        return referee.bound if referee is not None and proof is self.work.proof else None

    def close(self) -> None:
        """End the process."""
        self._fitter.close()

    def forget(self) -> None:
        """End the work, and forget what was found: there are other rows now."""
        self._fitter.cancel()
        self.work, self.pool, self.sizes = Work(), None, None

    # --- what is asked for -----------------------------------------------------------------------

    def fit(self, with_pins: bool = False) -> None:
        """Begin to find the best card, or the best one that keeps what is pinned."""
        session = self._session
        if with_pins and session.document.card is None:
            raise ParameterError("There is no card to pin anything of. Find one first.")
        if with_pins and not session.document.pins:
            raise ParameterError("Nothing is pinned. Pin what is to stay first.")
        origin = Origin(session.document.choices, session.rules_text(with_pins))
        job = self._job("fit", origin)
        session.step(session.document)
        self._begin("pinned" if with_pins else "free", job, origin)
        self.pool = self.pool if with_pins else None

    def find_pool(self, tolerance: float, size: int) -> None:
        """Begin to find the cards that are about as good as the best."""
        if not 0 < tolerance <= WIDEST or not 1 <= size <= MOST_CARDS:
            raise ParameterError(
                f"The pool is to have {size} cards within {tolerance:g}. Use up to {MOST_CARDS} cards "
                f"within a share up to {WIDEST:g}."
            )
        origin = Origin(self._session.document.choices, self._session.rules_text(False))
        job = {**self._job("pool", origin), "tolerance": tolerance, "size": size}
        self._begin("pool", job, origin)

    def find_sizes(self, most: int) -> None:
        """Begin to compare sizes of cards by cross-validation."""
        if not 1 <= most <= MOST_TERMS:
            raise ParameterError(f"Sizes up to {most} are to be compared. Use up to {MOST_TERMS}.")
        origin = Origin(self._session.document.choices, self._session.rules_text(False))
        self._begin("sizes", {**self._job("sizes", origin), "most": most}, origin)

    def stop(self) -> None:
        """Let the work end with what it has."""
        self._fitter.stop()

    def cancel(self) -> None:
        """End the work without a result."""
        with self._session.lock:
            self._fitter.cancel()
            self.work = Work("cancelled")
            self._session.raise_version()

    def _job(self, kind: str, origin: Origin) -> dict[str, Any]:
        """What the process needs to know; the rows are in a file that only this user can read."""
        session, folder = self._session, self._session.folder
        if session.division is None or session.source is None:
            raise ParameterError("No outcome is chosen. Choose the column and the event first.")
        path = None
        if origin.rules is not None:
            path = str(folder / "rules.toml")
            write_whole(path, origin.rules)
        write_training(folder / "training.npz", session.division.training)
        return {
            "kind": kind,
            "arguments": origin.choices.arguments(session.source.path, path),
            "training": str(folder / "training.npz"),
            "pseudo": str(folder / "pseudo.npz"),
        }

    def _begin(self, kind: str, job: dict[str, Any], origin: Origin) -> None:
        self.work = Work("running", kind, began=time.monotonic(), origin=origin, job=job)
        self._session.raise_version()
        self._fitter.give(job)

    # --- what is heard ---------------------------------------------------------------------------

    def _hear(self, message: Message) -> None:
        """Take note of what the process says; called in a thread of its own."""
        with self._session.lock:
            self.heard += 1
            kind = message["kind"]
            if kind == "ready":
                return
            if kind == "moment":
                self._hear_moment(message)
                return
            if kind in ("card", "proven"):
                self._hear_card(message, is_proven=kind == "proven")
                return
            self.work.state = {"stopped": "cancelled", "failed": "failed", "ended": "failed"}.get(
                kind, "done"
            )
            self.work.reason = _ENDED if kind == "ended" else message.get("reason", "")
            if kind == "pool":
                self.pool = self._named_pool(message)
            elif kind == "sizes":
                self.sizes = {key: message[key] for key in ("terms", "loss", "auc", "chosen")}
            self._session.raise_version(settles=False)

    def _hear_moment(self, message: Message) -> None:
        moments = self.work.moments
        moments.append([message[one] for one in ("seconds", "loss", "bound", "nodes")])
        if len(moments) > MOST_MOMENTS:
            self.work.moments = [*moments[:-1:2], moments[-1]]
        # a bound holds for the problem of this fit only, which an undo may have left
        if self.bound is not None and self._session.referee is not None:
            self._session.referee.hear_bound(message["bound"])

    def _named_pool(self, message: Message) -> dict[str, Any]:
        job, origin = self.work.job, self.work.origin
        assert origin is not None
        return {
            "cards": [self._session.named(text) for text in message["cards"]],
            "losses": message["losses"],
            "summary": message["summary"],
            "tolerance": job["tolerance"],
            "size": job["size"],
            "origin": origin,
        }

    def _hear_card(self, message: Message, is_proven: bool) -> None:
        session, work = self._session, self.work
        assert work.origin is not None
        card, proof = session.named(message["card"]), session.document.proof
        shown = session.document.card
        if work.kind == "free":
            pseudo = read_pseudo(session.folder / "pseudo.npz")
            proof = Proof(card, pseudo, work.origin.choices)
        if work.card is None:
            document = replace(session.document, proof=proof, card=card, origin=work.origin)
            session.history.document = document
        else:
            session.history.renew(lambda document: _renewed(document, work, proof, card))
        work.proof, work.card = proof if work.kind == "free" else None, card
        if not is_proven:
            work.moments = []  # of the proof, which begins now
        else:
            work.state = "done"
            self._note(card, work.origin)
        session.changed(settles=not _is_same(shown, session.document.card))

    def _note(self, card: RiskCard, origin: Origin) -> None:
        certificate = card.certificate
        assert certificate is not None
        facts = {
            "command": self._session.command(origin),
            "rules": origin.rules,
            "hold_out": origin.choices.hold_out,
            "loss": certificate.loss,
            "bound": certificate.bound,
            "status": str(certificate.status),
            "digest": digest_of(card),
        }
        self._session.note("fitted", facts)


def _is_same(shown: RiskCard | None, card: RiskCard | None) -> bool:
    """Whether a change of one card means the same on the other."""
    return shown is not None and card is not None and shown.features == card.features


def _renewed(document: Document, work: Work, proof: Proof | None, card: RiskCard) -> Document:
    """A document with the proven card in place of the one that was shown before its proof.

    It is the same search: whatever was based on the first card is based on this one now.
    """
    if work.kind == "free" and document.proof is work.proof:
        document = replace(document, proof=proof)
    return replace(document, card=card) if document.card is work.card else document
