"""A session: one table, one document with its history, one process that fits. Everything else asks it.

Every method that changes something takes the lock, and raises the version that pages compare with theirs.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from riskcard.errors import DataError, ParameterError
from riskcard.model.card import RiskCard
from riskcard.model.origin.recipe import digest_of
from riskcard.output_files import write_whole
from riskcard.rules.write_rules import rules_to_toml
from riskcard.studio.choices import Choices
from riskcard.studio.page_words import is_spoken
from riskcard.studio.state.document import (
    Document,
    Origin,
    Proof,
    Saved,
    from_file,
    read_groups,
    to_file,
)
from riskcard.studio.state.edits import edit_card, particulars
from riskcard.studio.state.fits import Fits
from riskcard.studio.state.history import History
from riskcard.studio.state.pins import read_pins, rules_of
from riskcard.studio.state.restored import restored
from riskcard.studio.state.session_file import SessionFile
from riskcard.studio.state.signed_log import add_entry
from riskcard.studio.table.data import Division, Source, divide, example_table
from riskcard.studio.table.pricing import Referee, figures_of, get_ready


class Conflict(ParameterError):
    """A page that does not show the present state wants to change it."""


class Session:
    """The state of the studio.

    Parameters
    ----------
    file
        Where the document is saved after every change; None to save only when asked to.
    language
        Of page and card to begin with: one of those that cards speak.
    """

    def __init__(self, file: str | None = None, language: str = "en") -> None:
        self.lock = threading.RLock()
        self.folder = Path(tempfile.mkdtemp(prefix="riskcard-studio-"))
        self.version = self.settled = 1  # of what a page may show, and of what it has to know
        self.history = History(_new_document(language))
        self.log: tuple[dict[str, Any], ...] = ()
        self.source: Source | None = None
        self.division: Division | None = None
        self.is_test_opened = False
        self.own_words: dict[str, str] = {}  # in place of some of the page's
        self.waiting: Saved | None = None  # a session whose table is not open yet
        self.tiles: tuple[Division | None, dict[str, dict[str, Any]]] | None = None
        self.not_saved: str | None = None  # why the file could not be written
        self._file = None if file is None else SessionFile(file)
        self._referee: tuple[Proof, Referee] | None = None
        self.fits = Fits(self)
        threading.Thread(target=get_ready, daemon=True).start()

    def close(self) -> None:
        """End the process that fits, and forget the rows."""
        self.fits.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def language(self) -> str:
        """Of page and card: that of the labels, or English where the page does not speak it."""
        language = str(self.document.labels.get("language", "en")).split("-")[0]
        return language if is_spoken(language) else "en"

    def require(self, version: Any) -> None:
        """Refuse a change that is based on another state than the present one.

        A proof that ended with the card that is shown changes nothing that a page has to know.
        """
        if not isinstance(version, int) or not self.settled <= version <= self.version:
            raise Conflict(
                "The studio was changed meanwhile, in another tab or by a fit. This page now shows the present state."
            )

    # --- the table -------------------------------------------------------------------------------

    def open_table(self, path: str, name: str) -> None:
        """Open a table; what was there is forgotten, unless it is a session that waits for this table.

        A refused table changes nothing. Files in the folder of the session are kept while they are open.
        """
        with self.lock:
            before = self.source
            try:
                self._open(Source.open(path, name))
            finally:
                self._remove_unless_open(path)
                if before is not None:
                    self._remove_unless_open(before.path)

    def _open(self, source: Source) -> None:
        saved, self.waiting = self.waiting, None
        if saved is not None and saved.data["sha256"] != source.sha256:
            self.waiting = saved
            raise DataError(
                f"{source.name!r} is not the table that the session was saved with: that is "
                f"{saved.data['name']!r} with the SHA-256 {saved.data['sha256'][:16]}... Open that table, "
                "or begin a new session."
            )
        if saved is not None:
            self._restore(saved, source)
            return
        self._forget(_new_document(self.language, source.unread))
        self.source = source
        facts = {"name": source.name, "sha256": source.sha256, "rows": source.rows}
        self.log = add_entry((), "opened", facts)
        self.changed()

    def _remove_unless_open(self, path: str) -> None:
        """Remove a table that was stored here, if it is not the one that is open."""
        is_open = self.source is not None and self.source.path == path
        if not is_open and Path(path).parent == self.folder:
            with suppress(OSError):  # the folder is removed at the end
                Path(path).unlink()

    def open_example(self) -> None:
        """Open the example."""
        path = self.folder / "breast_cancer.csv"
        write_whole(path, example_table())
        self.open_table(str(path), path.name)

    def _forget(self, document: Document) -> None:
        self.history, self.division = History(document), None
        self.tiles = self._referee = None
        self.fits.forget()
        self.is_test_opened = False

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
            if self.source is None or self.source.sha256 != saved.data["sha256"]:
                self.waiting = saved
                self.raise_version()
                return
            self._restore(saved, self.source)

    def forget_waiting(self) -> None:
        """Give up a saved session whose table is not at hand."""
        with self.lock:
            self.waiting = None
            self.raise_version()

    def _restore(self, saved: Saved, source: Source) -> None:
        """Take up a session: what was proven is worked out again as far as that is quick."""
        division, choices = None, saved.document.choices
        if choices.target is not None and choices.event is not None:
            division = divide(source, choices)
        document = restored(saved, division, source)
        self._forget(document)
        self.source = source
        self.division, self.log, self.is_test_opened = division, saved.log, saved.is_test_opened
        self.changed()

    # --- what is decided -------------------------------------------------------------------------

    def choose(self, changes: Mapping[str, Any]) -> None:
        """Change choices; other rows mean that there is no card until the next fit."""
        with self.lock:
            choices = Choices.of({**self.document.choices.to_dict(), **changes})
            old = self.document.choices
            if choices.of_rows == old.of_rows:
                self.step(replace(self.document, choices=choices))
                return
            if self.is_test_opened:
                raise ParameterError(
                    "The sealed rows were opened, so the rows can no longer be chosen. Begin a new session."
                )
            division = self._divided(choices)
            self.fits.forget()
            pins = {} if division is None else {
                name: own for name, own in self.document.pins.items() if name in division.rows.features
            }  # fmt: skip
            self.division = division
            self.step(
                replace(
                    self.document, choices=choices, pins=pins, proof=None, card=None, origin=None
                )
            )

    def _divided(self, choices: Choices) -> Division | None:
        if self.source is None:
            raise DataError("No table is open. Open one first.")
        if unknown := [name for name in choices.columns if name not in self.source.file.names]:
            raise ParameterError(
                f"{self.source.name!r} has no column {unknown[0]!r}. Choose another."
            )
        if choices.target is None or choices.event is None:
            return None
        return divide(self.source, choices)

    def set_labels(self, labels: Mapping[str, Any]) -> None:
        """Change names, units and ranges."""
        with self.lock:
            document = replace(self.document, labels=dict(labels))
            document.read_labels()
            self.step(document)

    def set_groups(self, groups: Any) -> None:
        """Change the risks between groups."""
        with self.lock:
            self.step(replace(self.document, groups=read_groups(groups)))

    def set_pins(self, pins: Any) -> None:
        """Change what stays when the rest is done best."""
        with self.lock:
            found = read_pins(pins)
            known = {} if self.division is None else self.division.rows.features
            if unknown := sorted(set(found) - set(known)):
                raise ParameterError(f"There is no column {unknown[0]!r} to pin. Choose another.")
            rules_of(found, self.document.card)
            self.step(replace(self.document, pins=found))

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
            before, card = self.document.card, self.edited(edit)
            assert before is not None
            told = particulars(before, card, edit)
            self.note("edited", {"edit": dict(edit), **told, **self._losses(card)})
            self.step(replace(self.document, card=card))

    def take_best(self) -> None:
        """Go back to the proven card without pins."""
        with self.lock:
            proof = self.document.proof
            if proof is None:
                raise ParameterError("There is no proven card yet. Find one first.")
            rules = rules_of({}, None, proof.choices.code_rules)
            text = None if rules is None else rules_to_toml(rules)
            self._take(proof.card, Origin(proof.choices, text))

    def take_from_pool(self, place: int) -> None:
        """Take a card of the pool."""
        with self.lock:
            found = self.fits.pool
            if found is None or not 0 <= place < len(found["cards"]):
                raise ParameterError(f"There is no card {place!r} in the pool. Choose another.")
            pool = found["tolerance"], found["size"], place
            self._take(found["cards"][place], replace(found["origin"], pool=pool))

    def _take(self, card: RiskCard, origin: Origin) -> None:
        self.note("taken", {"origin": origin.to_dict(), **self._losses(card)})
        self.step(replace(self.document, card=card, origin=origin))

    def _losses(self, card: RiskCard) -> dict[str, float]:
        referee, before = self.referee, self.document.card
        assert referee is not None
        assert before is not None
        losses = [referee.price(one).loss for one in (before, card)]
        return dict(zip(("loss_before", "loss"), losses, strict=True))

    # --- undo ------------------------------------------------------------------------------------

    @property
    def document(self) -> Document:
        """What is decided now."""
        return self.history.document

    def undo(self) -> None:
        """Go back one step."""
        self._move(is_back=True)

    def redo(self) -> None:
        """Go forward again."""
        self._move(is_back=False)

    def _move(self, is_back: bool) -> None:
        with self.lock:
            choices, old = self.history.next(is_back).choices, self.document.choices
            is_same = choices.of_rows == old.of_rows
            if self.is_test_opened and not is_same:
                raise ParameterError(
                    "The sealed rows were opened, so the rows can no longer be chosen. Begin a new session."
                )
            division = self.division if is_same else self._divided(choices)
            if not is_same:
                self.fits.forget()
            self.history.move(is_back)
            self.division = division
            self.note("undone" if is_back else "redone", {})
            self.changed()

    def step(self, document: Document) -> None:
        """Go on to another document; this one can be gone back to."""
        self.history.step(document)
        self.changed()

    def note(self, what: str, facts: Mapping[str, Any]) -> None:
        """Add to the log."""
        self.log = add_entry(self.log, what, facts)

    def raise_version(self, *, settles: bool = True) -> None:
        """Let pages know; changes that are based on an earlier state are refused, unless this settles nothing."""
        self.version += 1
        if settles:
            self.settled = self.version

    def changed(self, *, settles: bool = True) -> None:
        """Let pages know, and save where that was asked for."""
        self.raise_version(settles=settles)
        if self._file is not None and self.source is not None:
            self.not_saved = self._file.write(self.save())

    # --- for the fits ----------------------------------------------------------------------------

    def rules_text(self, with_pins: bool) -> str | None:
        """The codes, and the pins, as the text of a file of rules; None without any."""
        document = self.document
        pins = document.pins if with_pins else {}
        rules = rules_of(pins, document.card, document.choices.code_rules)
        return None if rules is None else rules_to_toml(rules)

    def named(self, text: str) -> RiskCard:
        """A card as the process that fits gives it, named as the command line would."""
        division, target = self.division, self.document.choices.target
        assert division is not None
        assert target is not None
        return division.named(RiskCard.from_json(text), target)

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
            figures = figures_of(card, division.sealed)
            shown = {name: getattr(figures, name) for name in figures.__slots__}
            self.is_test_opened = True
            self.note("test opened", {"card": digest_of(card), **shown})
            self.changed()

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
            price = referee.price(card)
            facts = {
                "name": name.strip(),
                "role": role.strip(),
                "reason": reason.strip(),
                "card": digest_of(card),
                "is_proven": card.certificate is not None,
                "loss": price.loss,
                "bound": price.bound,
            }
            self.note("signed", facts)
            self.changed()


def _new_document(language: str, dropped: tuple[str, ...] = ()) -> Document:
    """Nothing decided but the language, and that columns that cannot be read are not used."""
    return Document(Choices(dropped=dropped), {} if language == "en" else {"language": language})
