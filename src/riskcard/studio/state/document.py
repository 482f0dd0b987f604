"""What a session is about, as one value that undo goes back to and a file can hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from riskcard.checks import finite_number
from riskcard.encoding.pseudo_rows import PseudoRows
from riskcard.errors import FormatError, ParameterError, RiskcardError
from riskcard.model.card import RiskCard
from riskcard.model.words.labels import Labels
from riskcard.model.words.labels_file import labels_from
from riskcard.studio.choices import Choices
from riskcard.studio.state.pins import read_pins
from riskcard.studio.state.signed_log import first_break

FORMAT, FORMAT_VERSION = "riskcard studio", 1
#: The files that belong to the command of a recipe.
RULES_FILE, LABELS_FILE = "rules.toml", "labels.toml"


@dataclass(frozen=True, slots=True)
class Origin:
    """How a card was found: what ``riskcard fit`` is told to find it again.

    Attributes
    ----------
    choices
        Of the fit.
    rules
        The text of its file of rules; None without rules.
    pool
        Tolerance and size of the pool that the card was taken from, and its place there; None if it is
        the best card.
    """

    choices: Choices
    rules: str | None = None
    pool: tuple[float, int, int] | None = None

    def command(self, data: str, has_labels: bool) -> str:
        """The command that gives the card again, with the names of the files of the recipe."""
        rules = None if self.rules is None else RULES_FILE
        more = [f"--labels={LABELS_FILE}"] if has_labels else []
        if self.pool is not None:
            tolerance, size, place = self.pool
            more += [f"--pool-tolerance={tolerance!r}", f"--pool-size={size}", f"--choose={place}"]
        return self.choices.command(data, rules, "card.json", more)

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        pool = None if self.pool is None else list(self.pool)
        return {"choices": self.choices.to_dict(), "rules": self.rules, "pool": pool}

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Origin:
        """From what ``to_dict`` gives."""
        pool, rules = content["pool"], content["rules"]
        if rules is not None and not isinstance(rules, str):
            raise FormatError(
                "The rules of a card of the session are no text. Open a saved session."
            )
        place = None if pool is None else (float(pool[0]), int(pool[1]), int(pool[2]))
        return cls(Choices.of(content["choices"]), rules, place)


@dataclass(frozen=True, slots=True, eq=False)
class Proof:
    """The card that others are held against, and what its loss counts in addition to the rows."""

    card: RiskCard
    pseudo: PseudoRows
    choices: Choices


@dataclass(frozen=True, slots=True)
class Document:
    """Everything that a user decides, and the cards that came of it.

    Attributes
    ----------
    choices
        What a card is learned from, and how large it may be.
    labels
        Names, units and plausible ranges, as a file of labels has them.
    pins
        What stays when the rest is done best.
    groups
        Risks at which a new risk group begins.
    proof
        The best card without pins, with its proof; None before a fit.
    card
        The card as it is now; None before a fit.
    origin
        How the card was found, before it was changed by hand; None before a fit.
    """

    choices: Choices = field(default_factory=Choices)
    labels: Mapping[str, Any] = field(default_factory=dict)
    pins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    groups: tuple[float, ...] = (0.1, 0.3)
    proof: Proof | None = None
    card: RiskCard | None = None
    origin: Origin | None = None

    def worded(self, card: RiskCard) -> RiskCard:
        """A card with the labels of the features that it has."""
        return card.with_labels(self.read_labels())

    def read_labels(self) -> Labels:
        """The labels, checked."""
        return labels_from(self.labels)


def read_groups(content: Any) -> tuple[float, ...]:
    """Risks between groups, ascending, from plain values of anywhere."""
    if not isinstance(content, (list, tuple)) or len(content) > 9:
        number = len(content) if isinstance(content, (list, tuple)) else repr(content)
        raise ParameterError(f"There are {number} risks between groups. Give up to nine.")
    risks = [finite_number("A risk", one) for one in content]
    if any(not 0 < one < 1 for one in risks) or sorted(set(risks)) != risks:
        raise ParameterError(
            f"The risks between groups are {', '.join(f'{100 * one:g} %' for one in risks)}. "
            "Give rising numbers above 0 % and below 100 %."
        )
    return tuple(risks)


def to_file(document: Document, data: Mapping[str, Any], log: Any, is_opened: bool) -> str:
    """The document as the text of a file; the rows of the table are not in it."""
    best = None if document.proof is None else json.loads(document.proof.card.to_json())
    content = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "data": dict(data),
        "choices": document.choices.to_dict(),
        "labels": document.labels,
        "pins": {name: list(own) for name, own in document.pins.items()},
        "groups": list(document.groups),
        "best": best,
        "best_choices": None if document.proof is None else document.proof.choices.to_dict(),
        "origin": None if document.origin is None else document.origin.to_dict(),
        "card": None if document.card is None else json.loads(document.card.to_json()),
        "is_test_opened": is_opened,
        "log": list(log),
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


@dataclass(frozen=True, slots=True)
class Saved:
    """What a file holds: the document without what is worked out from the rows, and the rest."""

    document: Document
    best: RiskCard | None
    best_choices: Choices | None
    data: Mapping[str, Any]
    log: tuple[dict[str, Any], ...]
    is_test_opened: bool


def from_file(text: str) -> Saved:
    """Read a file that ``to_file`` wrote; anything else is refused."""
    try:
        content = json.loads(text)
    except ValueError as error:
        raise FormatError(
            f"The session is not valid JSON ({error}). Open a saved session."
        ) from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise FormatError(
            'The file is not a session: "format" is not "riskcard studio". Open a saved session.'
        )
    if content.get("format_version") != FORMAT_VERSION:
        raise FormatError(
            f"The session has version {content.get('format_version')!r} of the format; this riskcard reads "
            f"version {FORMAT_VERSION}. Use the riskcard that wrote it."
        )
    try:
        log = list(content["log"])
        place = first_break(log)
        if place is not None:
            raise FormatError(
                f"The log of the session was changed: entry {place + 1} does not follow the one before."
            )
        cards = {
            name: None if content[name] is None else RiskCard.from_json(json.dumps(content[name]))
            for name in ("best", "card")
        }
        if cards["best"] is not None and cards["best"].certificate is None:
            raise FormatError(
                "The proven card of the session has no certificate that agrees with it: it was changed. "
                "Open a saved session."
            )
        labels_from(content["labels"])
        document = Document(
            choices=Choices.of(content["choices"]),
            labels=content["labels"],
            pins=read_pins(content["pins"]),
            groups=read_groups(content["groups"]),
            card=cards["card"],
            origin=None if content["origin"] is None else Origin.of(content["origin"]),
        )
        best = content["best_choices"]
        choices = None if best is None else Choices.of(best)
        data = {name: content["data"][name] for name in ("name", "sha256", "rows")}
        return Saved(
            document, cards["best"], choices, data, tuple(log), bool(content["is_test_opened"])
        )
    except RiskcardError:
        raise
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise FormatError(f"The session is incomplete ({error!r}). Open a saved session.") from None
