"""A session: one table, one document with its history, one process that fits. Everything else asks it.

Every method that changes something takes the lock, and raises the version that pages compare with theirs.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from riskcard.cli.learning.fit import classifier_of
from riskcard.encoding.pseudo_rows import PseudoRows
from riskcard.errors import DataError, FormatError, ParameterError
from riskcard.model.card import RiskCard
from riskcard.model.origin.recipe import digest_of
from riskcard.output_files import write_whole
from riskcard.rules.write_rules import rules_to_toml
from riskcard.studio.choices import MOST_TERMS, Choices, options_of
from riskcard.studio.data import Division, Source, divide, example_table
from riskcard.studio.document import Document, Origin, Proof, Saved, from_file, read_groups, to_file
from riskcard.studio.edits import edit_card
from riskcard.studio.exchange import read_pseudo, write_training
from riskcard.studio.fitting import Fitter, Message
from riskcard.studio.pins import read_pins, rules_of
from riskcard.studio.pricing import Referee, figures_of, get_ready, totals_of
from riskcard.studio.signed_log import add_entry

#: The steps that undo can go back, and the moments of a proof that are kept for its picture.
MOST_STEPS, MOST_MOMENTS = 200, 400
#: The most cards of a pool.
MOST_CARDS = 200
#: Choices that say which rows a card is learned from: another one means another problem.
_OF_ROWS = ("target", "event", "dropped", "kept", "hold_out", "skip_missing_target", "seed")
#: A loss that is worked out again may differ by this much, relatively: rounding.
_SAME_LOSS = 1e-9


class Conflict(ParameterError):
    """A page that does not show the present state wants to change it."""


class Session:
    """The state of the studio.

    Parameters
    ----------
    file
        Where the document is saved after every change; None to save only when asked to.
    """

    def __init__(self, file: str | None = None) -> None:
        self.lock = threading.RLock()
        self.folder = Path(tempfile.mkdtemp(prefix="riskcard-studio-"))
        self.version = 1
        self.heard = 0  # of messages from the process that fits
        self.document = Document()
        self.past: list[Document] = []
        self.future: list[Document] = []
        self.log: tuple[dict[str, Any], ...] = ()
        self.source: Source | None = None
        self.division: Division | None = None
        self.is_test_opened = False
        self.waiting: Saved | None = None  # a session whose table is not open yet
        self.work: dict[str, Any] = {"state": "idle", "moments": []}
        self.pool: dict[str, Any] | None = None
        self.sizes: dict[str, Any] | None = None
        self.tiles: tuple[Division | None, dict[str, dict[str, Any]]] | None = None
        self._file = file
        self._referee: tuple[Proof, Referee] | None = None
        self._fitter = Fitter(self._hear)
        threading.Thread(target=get_ready, daemon=True).start()

    def close(self) -> None:
        """End the process that fits, and forget the rows."""
        self._fitter.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def require(self, version: Any) -> None:
        """Refuse a change that is based on another state than the present one."""
        if version != self.version:
            raise Conflict(
                "The studio was changed in another tab or window. This page now shows the present state."
            )

    # --- the table -------------------------------------------------------------------------------

    def open_table(self, path: str, name: str) -> None:
        """Open a table; what was there is forgotten, unless it is a session that waits for this table."""
        source = Source.open(path, name)
        with self.lock:
            self._fitter.cancel()
            saved, self.waiting = self.waiting, None
            if saved is not None and saved.data["sha256"] != source.sha256:
                self.waiting = saved
                raise DataError(
                    f"The session was saved with another table: {saved.data['name']!r} with the SHA-256 "
                    f"{saved.data['sha256'][:16]}... Open that table, or begin a new session."
                )
            if saved is not None:
                self._restore(saved, source)
                return
            self._forget()
            self.source = source
            facts = {"name": name, "sha256": source.sha256, "rows": source.rows}
            self.log = add_entry((), "opened", facts)
            self.document = Document(Choices(dropped=source.unread))
            self._changed()

    def open_example(self) -> None:
        """Open the example."""
        path = self.folder / "breast_cancer.csv"
        write_whole(path, example_table())
        self.open_table(str(path), path.name)

    def _forget(self) -> None:
        self.past, self.future, self.division = [], [], None
        self.pool = self.sizes = self.tiles = self._referee = None
        self.is_test_opened = False
        self.work = {"state": "idle", "moments": []}

    # --- the saved session -----------------------------------------------------------------------

    def save(self) -> str:
        """The session as the text of a file."""
        with self.lock:
            if self.source is None:
                raise DataError("There is nothing to save yet. Open a table first.")
            data = {
                "name": self.source.name,
                "sha256": self.source.sha256,
                "rows": self.source.rows,
            }
            return to_file(self.document, data, self.log, self.is_test_opened)

    def open_saved(self, text: str) -> None:
        """Open a saved session; where its table is not the one that is open, it waits for it."""
        saved = from_file(text)
        with self.lock:
            self._fitter.cancel()
            if self.source is None or self.source.sha256 != saved.data["sha256"]:
                self.waiting = saved
                self.version += 1
                return
            self._restore(saved, self.source)

    def forget_waiting(self) -> None:
        """Give up a saved session whose table is not at hand."""
        with self.lock:
            self.waiting = None
            self.version += 1

    def _restore(self, saved: Saved, source: Source) -> None:
        """Take up a session: what was proven is worked out again as far as that is quick."""
        division = None
        document = saved.document
        if document.choices.target is not None and document.choices.event is not None:
            division = divide(source, document.choices)
        if saved.best is not None:
            if division is None:
                raise FormatError("The session has a card but no outcome. Open a saved session.")
            choices = saved.best_choices or document.choices
            proof = Proof(saved.best, _pseudo_of(division, choices, source), choices)
            _require_same_loss(division, proof)
            document = replace(document, proof=proof)
        self._forget()
        self.source = source
        self.division, self.document = division, document
        self.log, self.is_test_opened = saved.log, saved.is_test_opened
        self._changed()

    # --- what is decided -------------------------------------------------------------------------

    def choose(self, changes: Mapping[str, Any]) -> None:
        """Change choices; other rows mean that there is no card until the next fit."""
        with self.lock:
            choices = Choices.of({**self.document.choices.to_dict(), **changes})
            old = self.document.choices
            is_same = all(getattr(choices, name) == getattr(old, name) for name in _OF_ROWS)
            if is_same:
                self._step(replace(self.document, choices=choices))
                return
            if self.is_test_opened:
                raise ParameterError(
                    "The sealed rows were opened, so the rows can no longer be chosen. Begin a new session."
                )
            division = self._divided(choices)
            self._fitter.cancel()
            pins = {} if division is None else {
                name: own for name, own in self.document.pins.items() if name in division.rows.features
            }  # fmt: skip
            self.work, self.pool, self.sizes = {"state": "idle", "moments": []}, None, None
            self._step(
                replace(
                    self.document, choices=choices, pins=pins, proof=None, card=None, origin=None
                )
            )
            self.division = division

    def _divided(self, choices: Choices) -> Division | None:
        if self.source is None:
            raise DataError("No table is open. Open one first.")
        if choices.target is None or choices.event is None:
            return None
        return divide(self.source, choices)

    def set_labels(self, labels: Mapping[str, Any]) -> None:
        """Change names, units and ranges."""
        with self.lock:
            document = replace(self.document, labels=dict(labels))
            document.read_labels()
            self._step(document)

    def set_groups(self, groups: Any) -> None:
        """Change the risks between groups."""
        with self.lock:
            self._step(replace(self.document, groups=read_groups(groups)))

    def set_pins(self, pins: Any) -> None:
        """Change what stays when the rest is done best."""
        with self.lock:
            found = read_pins(pins)
            known = {} if self.division is None else self.division.rows.features
            if unknown := sorted(set(found) - set(known)):
                raise ParameterError(f"There is no column {unknown[0]!r} to pin. Choose another.")
            rules_of(found, self.document.card)
            self._step(replace(self.document, pins=found))

    # --- cards -----------------------------------------------------------------------------------

    @property
    def referee(self) -> Referee | None:
        """Who judges cards: by the proof of the document."""
        proof, division = self.document.proof, self.division
        if proof is None or division is None:
            return None
        if self._referee is None or self._referee[0] is not proof:
            self._referee = proof, Referee(division.rows, proof.pseudo, proof.card)
        return self._referee[1]

    def edited(self, edit: Mapping[str, Any]) -> RiskCard:
        """The card after a change that is not made yet."""
        referee, card = self.referee, self.document.card
        if referee is None or card is None:
            raise ParameterError("There is no card to change yet. Find one first.")
        return edit_card(card, edit, referee)

    def edit(self, edit: Mapping[str, Any]) -> None:
        """Change the card."""
        with self.lock:
            card = self.edited(edit)
            self._note("edited", {"edit": dict(edit), **self._losses(card)})
            self._step(replace(self.document, card=card))

    def take_best(self) -> None:
        """Go back to the proven card without pins."""
        with self.lock:
            proof = self.document.proof
            if proof is None:
                raise ParameterError("There is no proven card yet. Find one first.")
            self._take(proof.card, Origin(proof.choices))

    def take_from_pool(self, place: int) -> None:
        """Take a card of the pool."""
        with self.lock:
            if self.pool is None or not 0 <= place < len(self.pool["cards"]):
                raise ParameterError(f"There is no card {place!r} in the pool. Choose another.")
            pool = self.pool["tolerance"], self.pool["size"], place
            self._take(self.pool["cards"][place], Origin(self.pool["choices"], pool=pool))

    def _take(self, card: RiskCard, origin: Origin) -> None:
        self._note("taken", {"origin": origin.to_dict(), **self._losses(card)})
        self._step(replace(self.document, card=card, origin=origin))

    def _losses(self, card: RiskCard) -> dict[str, float]:
        referee, before = self.referee, self.document.card
        assert referee is not None
        assert before is not None
        losses = [referee.price(one, totals_of(one, referee.rows)).loss for one in (before, card)]
        return dict(zip(("loss_before", "loss"), losses, strict=True))

    # --- undo ------------------------------------------------------------------------------------

    def undo(self) -> None:
        """Go back one step."""
        self._move(self.past, self.future, "undone")

    def redo(self) -> None:
        """Go forward again."""
        self._move(self.future, self.past, "redone")

    def _move(self, source: list[Document], target: list[Document], what: str) -> None:
        with self.lock:
            if not source:
                raise ParameterError("There is no step to go to.")
            document = source[-1]
            old = self.document.choices
            is_same = all(getattr(document.choices, one) == getattr(old, one) for one in _OF_ROWS)
            division = self.division if is_same else self._divided(document.choices)
            if self.is_test_opened and not is_same:
                raise ParameterError(
                    "The sealed rows were opened, so the rows can no longer be chosen."
                )
            if not is_same:
                self._fitter.cancel()
                self.work = {"state": "idle", "moments": []}
            target.append(self.document)
            self.document, self.division = source.pop(), division
            self._note(what, {})
            self._changed()

    def _step(self, document: Document) -> None:
        self.past = [*self.past, self.document][-MOST_STEPS:]
        self.future = []
        self.document = document
        self._changed()

    def _note(self, what: str, facts: Mapping[str, Any]) -> None:
        self.log = add_entry(self.log, what, facts)

    def _changed(self) -> None:
        self.version += 1
        if self._file is not None and self.source is not None:
            write_whole(self._file, self.save())

    # --- fits ------------------------------------------------------------------------------------

    def fit(self, with_pins: bool = False) -> None:
        """Begin to find the best card, or the best one that keeps what is pinned."""
        with self.lock:
            if with_pins and self.document.card is None:
                raise ParameterError("There is no card to pin anything of. Find one first.")
            job = self._job("fit", with_pins)
            self._step(self.document)
            kind = "pinned" if with_pins else "free"
            origin = Origin(self.document.choices, self.rules_text() if with_pins else None)
            self._begin(kind, job, origin)
            self.pool = self.pool if with_pins else None

    def find_pool(self, tolerance: float, size: int) -> None:
        """Begin to find the cards that are about as good as the best."""
        with self.lock:
            if not 0 < tolerance <= 0.2 or not 1 <= size <= MOST_CARDS:
                raise ParameterError(
                    f"The pool is to have {size} cards within {tolerance:g}. Use up to {MOST_CARDS} cards "
                    "within a share up to 0.2."
                )
            if self.document.proof is None:
                raise ParameterError("There is no card yet. Find one first.")
            job = {**self._job("pool", False), "tolerance": tolerance, "size": size}
            self._begin("pool", job, Origin(self.document.choices))

    def find_sizes(self, most: int) -> None:
        """Begin to compare sizes of cards by cross-validation."""
        with self.lock:
            if not 1 <= most <= MOST_TERMS:
                raise ParameterError(
                    f"Sizes up to {most} are to be compared. Use up to {MOST_TERMS}."
                )
            job = {**self._job("sizes", False), "most": most}
            self._begin("sizes", job, Origin(self.document.choices))

    def _begin(self, kind: str, job: dict[str, Any], origin: Origin) -> None:
        began = time.monotonic()
        self.work = {
            "state": "running",
            "kind": kind,
            "moments": [],
            "began": began,
            "origin": origin,
        }
        self.work["job"] = job
        self.version += 1
        self._fitter.give(job)

    def stop(self) -> None:
        """Let the work end with what it has."""
        self._fitter.stop()

    def cancel(self) -> None:
        """End the work without a result."""
        with self.lock:
            self._fitter.cancel()
            self.work = {"state": "cancelled", "moments": []}
            self.version += 1

    def rules_text(self) -> str | None:
        """The pins as the text of a file of rules; None without pins."""
        rules = rules_of(self.document.pins, self.document.card)
        return None if rules is None else rules_to_toml(rules)

    def _job(self, kind: str, with_pins: bool) -> dict[str, Any]:
        """What the process needs to know; the rows are in a file that only this user can read."""
        if self.division is None or self.source is None:
            raise ParameterError("No outcome is chosen. Choose the column and the event first.")
        rules = self.rules_text() if with_pins else None
        path = None
        if rules is not None:
            path = str(self.folder / "rules.toml")
            write_whole(path, rules)
        elif with_pins:
            raise ParameterError("Nothing is pinned. Pin what is to stay first.")
        rows = self.folder / "training.npz"
        write_training(rows, self.division.training)
        arguments = self.document.choices.arguments(self.source.path, path)
        pseudo = str(self.folder / "pseudo.npz")
        return {"kind": kind, "arguments": arguments, "training": str(rows), "pseudo": pseudo}

    def _hear(self, message: Message) -> None:
        """Take note of what the process says; called in a thread of its own."""
        with self.lock:
            self.heard += 1
            kind = message["kind"]
            if kind == "moment":
                self._hear_moment(message)
            elif kind in ("card", "proven"):
                self._hear_card(message, is_proven=kind == "proven")
            elif kind in ("pool", "sizes"):
                found = {
                    name: value for name, value in message.items() if name not in ("kind", "job")
                }
                setattr(self, kind, self._named_pool(found) if kind == "pool" else found)
                self.work = {"state": "done", "kind": kind, "moments": []}
                self.version += 1
            else:
                reason = message.get("reason", "")
                states = {"failed": "failed", "stopped": "cancelled", "ended": "failed"}
                reason = "The fit ended without a result. Try again." if kind == "ended" else reason
                self.work = {**self.work, "state": states[kind], "reason": reason}
                self.version += 1

    def _hear_moment(self, message: Message) -> None:
        moments = self.work["moments"]
        moments.append([message["seconds"], message["loss"], message["bound"]])
        if len(moments) > MOST_MOMENTS:
            self.work["moments"] = [*moments[:-1:2], moments[-1]]
        if self.work.get("kind") == "free" and self.referee is not None:
            self.referee.hear_bound(message["bound"])

    def _named_pool(self, found: dict[str, Any]) -> dict[str, Any]:
        job, origin = self.work["job"], self.work["origin"]
        cards = [self._named(text) for text in found["cards"]]
        known = {"tolerance": job["tolerance"], "size": job["size"], "choices": origin.choices}
        return {**found, **known, "cards": cards}

    def _named(self, text: str) -> RiskCard:
        division, target = self.division, self.document.choices.target
        assert division is not None
        assert target is not None
        return division.named(RiskCard.from_json(text), target)

    def _hear_card(self, message: Message, is_proven: bool) -> None:
        card = self._named(message["card"])
        is_free = self.work.get("kind") == "free"
        pseudo = read_pseudo(self.folder / "pseudo.npz")
        old_proof, old_card = self.work.get("proof"), self.work.get("card")
        origin = self.work["origin"]
        proof = Proof(card, pseudo, origin.choices) if is_free else self.document.proof
        if old_card is None:
            self.document = replace(self.document, proof=proof, card=card, origin=origin)
        else:
            # the same search with its proof: whatever was based on the first card is now on this one
            def renewed(one: Document) -> Document:
                changes: dict[str, Any] = (
                    {"proof": proof} if is_free and one.proof is old_proof else {}
                )
                changes |= {"card": card} if one.card is old_card else {}
                return replace(one, **changes) if changes else one

            self.document = renewed(self.document)
            self.past, self.future = [[renewed(o) for o in own] for own in (self.past, self.future)]
        self.work = {
            **self.work,
            "proof": proof,
            "card": card,
            "state": "done" if is_proven else "running",
        }
        if is_proven and card.certificate is not None:
            certificate = card.certificate
            self._note(
                "fitted",
                {
                    "command": self.command(origin),
                    "rules": origin.rules,
                    "hold_out": origin.choices.hold_out,
                    "loss": certificate.loss,
                    "bound": certificate.bound,
                    "status": str(certificate.status),
                    "digest": digest_of(card),
                },
            )
        self._changed()

    # --- the end ---------------------------------------------------------------------------------

    def command(self, origin: Origin) -> str:
        """The command that gives a card again."""
        assert self.source is not None
        return origin.command(self.source.name, bool(self.document.labels))

    def open_test(self) -> None:
        """Look at the sealed rows, once and for all."""
        with self.lock:
            card, division = self.document.card, self.division
            if card is None or division is None or division.sealed is None:
                raise ParameterError(
                    "There are no sealed rows, or there is no card to judge on them."
                )
            if self.is_test_opened:
                raise ParameterError(
                    "The sealed rows were opened already. A second look is no test."
                )
            figures = figures_of(card, totals_of(card, division.sealed), division.sealed)
            shown = {name: getattr(figures, name) for name in figures.__slots__}
            self.is_test_opened = True
            self._note("test opened", {"card": digest_of(card), **shown})
            self._changed()

    def sign(self, name: str, role: str, reason: str) -> None:
        """Sign the card off."""
        with self.lock:
            card, referee = self.document.card, self.referee
            if card is None or referee is None:
                raise ParameterError("There is no card to sign off. Find one first.")
            for what, text in (("name", name), ("reason", reason)):
                if not text.strip():
                    raise ParameterError(
                        f"The {what} is missing. A card is signed by someone, for a reason."
                    )
            price = referee.price(card, totals_of(card, referee.rows))
            facts = {
                "name": name.strip(),
                "role": role.strip(),
                "reason": reason.strip(),
                "card": digest_of(card),
                "is_proven": card.certificate is not None,
                "loss": price.loss,
                "bound": price.bound,
            }
            self._note("signed", facts)
            self._changed()


def _require_same_loss(division: Division, proof: Proof) -> None:
    """Refuse a session whose card does not have the loss that its certificate states."""
    certificate = proof.card.certificate
    assert certificate is not None
    referee = Referee(division.rows, proof.pseudo, proof.card)
    loss = referee.price(proof.card, totals_of(proof.card, referee.rows)).loss
    if abs(loss - certificate.loss) > _SAME_LOSS * certificate.loss:
        raise FormatError(
            "The proven card of the session does not have the loss that it states on this table."
        )


def _pseudo_of(division: Division, choices: Choices, source: Source) -> PseudoRows:
    """The pseudo-observations of the fit without pins, worked out again."""
    options = options_of(choices.arguments(source.path))
    training = division.training
    model = classifier_of(options, training)
    _, layout, _ = model.pose(training.table, training.labels, training.weights)
    return layout.pseudo
