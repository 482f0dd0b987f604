"""What leaves the studio: the card, its pages and exports, and the recipe that gives it again."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from typing import NamedTuple

from riskcard.errors import ParameterError
from riskcard.export.formats import render
from riskcard.model.card import RiskCard
from riskcard.model.words.labels_file import Column, template
from riskcard.status import Status
from riskcard.studio.state.document import LABELS_FILE, RULES_FILE
from riskcard.studio.state.session import Session


class File(NamedTuple):
    """A file to download."""

    name: str
    content: bytes


#: Exports of the card by their format, and what the file is called.
EXPORTS = {
    "python": "card.py",
    "sql": "card.sql",
    "javascript": "card.mjs",
    "pmml": "card.pmml",
    "xlsx": "card.xlsx",
    "onnx": "card.onnx",
}


def file_of(session: Session, kind: str) -> File:
    """The file of some kind: a page, an export, the recipe, the log, the session, or all in one."""
    if kind in EXPORTS:
        content = render(_card(session), kind)
        return File(EXPORTS[kind], content.encode() if isinstance(content, str) else content)
    if kind not in _FILES:
        raise ParameterError(f"There is no file {kind!r}. Use one of {[*_FILES, *EXPORTS]}.")
    name, make = _FILES[kind]
    content = make(session)
    return File(name, content.encode("utf-8") if isinstance(content, str) else content)


def _card(session: Session) -> RiskCard:
    card = session.document.card
    if card is None:
        raise ParameterError("There is no card yet. Find one first.")
    return session.document.worded(card)


def labels_text(session: Session) -> str | None:
    """The labels as the text of a file; None where there are none."""
    if not session.document.labels:
        return None
    labels = session.document.read_labels()
    columns = [Column(name, label=label) for name, label in labels.features.items()]
    return template(labels, columns)


def recipe_text(session: Session) -> str:
    """How to get the card again: the command, its files, and what was changed by hand after it."""
    document, source = session.document, session.source
    if source is None or document.origin is None or document.card is None:
        raise ParameterError("There is no card yet. Find one first.")
    lines = [
        "How to get this card again",
        "",
        f"1. The table {source.name!r}, {source.rows:,} rows, with the SHA-256",
        f"   {source.sha256}",
        "2. In the folder of the table and of the files of this recipe, run:",
        "",
        f"   {session.command(document.origin)}",
        "",
    ]
    certificate = document.card.certificate
    if certificate is not None and certificate.status is Status.OPTIMAL:
        lines += ["This gives the card with its proof.", ""]
    elif certificate is not None:
        lines += [
            f"The proof of this card was not finished (status: {certificate.status}). The command runs the same",
            "search; where its proof gets further, it may find a better card.",
            "",
        ]
    else:
        lines += [
            "This gives the card that was then changed by hand. card.json has the card after the changes;",
            "it has no certificate of its own. log.json lists the changes and what each of them cost.",
            "",
        ]
    for name, text in _recipe_files(session).items():
        lines += [f"--- {name} ---", text.rstrip("\n"), ""]
    return "\n".join(lines)


def _recipe_files(session: Session) -> dict[str, str]:
    """The files that the command names."""
    origin = session.document.origin
    files = {
        RULES_FILE: None if origin is None else origin.rules,
        LABELS_FILE: labels_text(session),
    }
    return {name: text for name, text in files.items() if text is not None}


def _rules(session: Session) -> str:
    text = session.rules_text(True)
    if text is None:
        raise ParameterError("Nothing is pinned, so there are no rules. Pin something first.")
    return text


def _report(session: Session) -> str:
    """The report on the card, on the training rows; refits stop after a minute."""
    from riskcard.report.report import make_report

    card, division = _card(session), session.division
    assert division is not None
    training = division.training
    report = make_report(
        card,
        training.table,
        training.labels,
        sample_weight=training.weights,
        groups=training.division.groups,
        repeats=1,
        n_bootstraps=20,
        time_limit=60.0,
    )
    return report.to_html()


def _log(session: Session) -> str:
    return json.dumps(list(session.log), indent=1, ensure_ascii=False) + "\n"


def _everything(session: Session) -> bytes:
    """One archive with all but the report, which takes long."""
    kinds = [
        "card",
        "page",
        "calculator",
        "recipe",
        "log",
        "session",
        "python",
        "sql",
        "javascript",
        "pmml",
    ]
    files = [file_of(session, kind) for kind in kinds]
    files += [File(name, text.encode("utf-8")) for name, text in _recipe_files(session).items()]
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as folder:
        for file in files:
            folder.writestr(file.name, file.content)
    return archive.getvalue()


def _page(session: Session) -> str:
    from riskcard.card.card_html import render_page

    return render_page(_card(session))


_FILES: dict[str, tuple[str, Callable[[Session], str | bytes]]] = {
    "card": ("card.json", lambda session: _card(session).to_json()),
    "page": ("card.html", _page),
    "calculator": ("calculator.html", lambda session: _card(session).to_calculator()),
    "report": ("report.html", _report),
    "recipe": ("recipe.txt", recipe_text),
    "rules": (RULES_FILE, _rules),
    "log": ("log.json", _log),
    "session": ("session.json", lambda session: session.save()),
    "all": ("card.zip", _everything),
}
