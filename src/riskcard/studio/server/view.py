"""What the page shows, as plain values: numbers unrounded, sentences about proofs as on every card."""

from __future__ import annotations

import math
import time
from dataclasses import asdict
from typing import Any

import numpy as np

from riskcard.card.bands import band_lines
from riskcard.card.sentences import candidate_words, certificate_sentences, proof_for_readers
from riskcard.data.first_look.data_summary import DataSummary
from riskcard.formatting.speech import translated
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import CardFeature, FeaturePoints, LevelPoints
from riskcard.model.lines import show_level
from riskcard.model.origin.recipe import digest_of
from riskcard.status import Status
from riskcard.studio.page_words import NAMES_OF_LANGUAGES
from riskcard.studio.state.session import Session
from riskcard.studio.table.data import without_options
from riskcard.studio.table.pricing import Price, Referee, figures_of, groups_of, totals_of
from riskcard.studio.told import told_lines, told_part

#: About as many steps has the handle of a cut.
_HANDLE_STEPS = 200
#: Rows that two cards judge differently, of which this many are shown.
MOST_SHOWN = 20


def state_of(session: Session) -> dict[str, Any]:
    """Everything but the tiles of the columns."""
    document, source = session.document, session.source
    card, proof = document.card, document.proof
    table = None
    if source is not None:
        table = {
            "name": source.name,
            "rows": source.rows,
            "sha256": source.sha256,
            "remarks": told_lines(source.remarks, session.own_words),
            "columns": list(source.columns),
            "unread": list(source.unread),
            "names": list(source.file.names),
        }
    return {
        "version": session.version,
        "language": session.language,
        "languages": NAMES_OF_LANGUAGES,
        "rows_key": repr(document.choices.of_rows),
        "table": table,
        "waiting": None if session.waiting is None else dict(session.waiting.data),
        "choices": document.choices.to_dict(),
        "outcome": _outcome(session),
        "parts": None if session.division is None else _parts(session),
        "labels": document.labels,
        "pins": {name: list(own) for name, own in document.pins.items()},
        "groups": list(document.groups),
        "work": work_of(session),
        "sizes": session.fits.sizes,
        "pool": _pool(session),
        "card": None if card is None else card_of(session, card),
        "best": None
        if proof is None
        else {"proof": _proof_words(document.worded(proof.card)), "terms": len(proof.card.terms)},
        "can_undo": bool(session.history.past),
        "can_redo": bool(session.history.future),
        "is_test_opened": session.is_test_opened,
        "not_saved": None
        if session.not_saved is None
        else told_lines([session.not_saved], session.own_words)[0],
        "is_signed": card is not None and _is_signed(session, card),
        "log": list(session.log),
        "rules": session.rules_text(True) if card is not None else None,
        "command": None if document.origin is None else session.command(document.origin),
    }


def _is_signed(session: Session, card: RiskCard) -> bool:
    """Whether the last signature is of the card as it is now."""
    signed = [one["card"] for one in session.log if one["what"] == "signed"]
    return bool(signed) and signed[-1] == digest_of(card)


def _outcome(session: Session) -> list[dict[str, Any]] | None:
    target = session.document.choices.target
    if session.source is None or target is None or target not in session.source.file.names:
        return None
    return session.source.outcome(target)[:3]


def _parts(session: Session) -> dict[str, Any]:
    """How many rows are for what, and what was read in words."""
    division = session.division
    assert division is not None
    summary = division.training.summary
    parts = {"training": division.rows, "check": division.check, "sealed": division.sealed}
    counted = {
        name: None
        if rows is None
        else {"rows": rows.is_event.size, "events": int(np.count_nonzero(rows.is_event))}
        for name, rows in parts.items()
    }
    if counted["sealed"] is not None:
        del counted["sealed"]["events"]  # nothing of these rows is known before they are opened
    read = [] if summary is None else _what_was_read(summary)
    return {**counted, "read": told_lines(read, session.own_words)}


def _what_was_read(summary: DataSummary) -> list[str]:
    """What ``riskcard fit`` says before it begins, with the ways out that this page has."""
    lines = summary.lines("choosing {}".format, "its tile has a box to keep it", "groups")
    # the page itself says what the event is and which rows are held out, and the tiles have remarks of their own
    told = ("Held out", "Levels of", "Left out: ", "Constant")
    own = [line.strip() for line in lines[3:] if not line.strip().startswith(told)]
    # ways out that only the command line has
    return [without_options(line) for line in own if "(--missing)" not in line]


def work_of(session: Session) -> dict[str, Any]:
    """How far the process that fits is."""
    work = session.fits.work
    shown = {name: getattr(work, name) for name in ("state", "kind", "moments")}
    with session.document.read_labels().spoken():
        shown["reason"] = told_lines([work.reason], session.own_words)[0]
    shown["is_ready"] = session.fits.is_ready
    shown["bound"] = session.fits.bound
    shown["seconds"] = None if work.began is None else time.monotonic() - work.began
    return shown


def _proof_words(card: RiskCard) -> list[str]:
    """What was proven: the sentence for readers, then the particulars."""
    if card.certificate is None:
        return []
    with card.labels.spoken():
        first = proof_for_readers(card.certificate, card.training)
        return [first, *certificate_sentences(card.certificate)]


# --- a card --------------------------------------------------------------------------------------


def card_of(session: Session, card: RiskCard) -> dict[str, Any]:
    """A card with its lines, its proof and its price."""
    document, division = session.document, session.division
    worded = document.worded(card)
    tiles = {} if division is None else columns_of(session)
    return {
        "title": worded.title,
        "event": worded.event,
        "base": card.base,
        "features": [_feature(one, worded, tiles.get(one.name, {})) for one in card.features],
        "totals": [
            {
                "label": line.label,
                "risk": line.risk,
                "rows": None if line.seen is None else line.seen.rows,
                "events": None if line.seen is None else line.seen.events,
            }
            for line in band_lines(worded)
        ],
        "terms": len(card.terms),
        "is_edited": card.certificate is None,
        "is_best": document.proof is not None and card == document.proof.card,
        "is_finished": card.certificate is not None and card.certificate.status is Status.OPTIMAL,
        "proof": _proof_words(worded),
        "figures": figures_for(session, card),
    }


def _feature(feature: CardFeature, card: RiskCard, tile: dict[str, Any]) -> dict[str, Any]:
    lines = [
        {
            "label": line.label,
            "points": line.points,
            "rows": line.rows,
            "events": line.events,
            "kind": line.kind.name.lower(),
        }
        for line in card.lines_of(feature)
    ]
    shown: dict[str, Any] = {
        "name": feature.name,
        "heading": card.labels.heading(feature.name),
        "lines": lines,
        "cuts": list(feature.cuts),
        "groups": None,
        "can_move_levels": isinstance(feature, LevelPoints) and not feature.is_ordered,
    }
    if isinstance(feature, LevelPoints):
        shown["groups"] = [[show_level(level) for level in group] for group in feature.groups]
    if isinstance(feature, FeaturePoints) and tile.get("edges"):
        shown |= {name: tile[name] for name in ("edges", "counts", "events")}
        shown["handle"] = _handle(feature, tile)
    return shown


def _handle(feature: FeaturePoints, tile: dict[str, Any]) -> dict[str, float]:
    """The ends and the step of the handles of a feature's cuts."""
    low, high = float(tile["edges"][0]), float(tile["edges"][-1])
    step = 10.0 ** math.floor(math.log10((high - low) / _HANDLE_STEPS * 2.5))
    seen = feature.training_range
    if seen is not None and seen.is_whole:
        step = max(step, 1.0)
    low, high = min(low, *feature.cuts, high), max(high, *feature.cuts, low)
    return {
        "low": math.floor(low / step) * step,
        "high": math.ceil(high / step) * step,
        "step": step,
    }


def columns_of(session: Session) -> dict[str, dict[str, Any]]:
    """The tiles of the columns by name; those of one division are made once."""
    division, source = session.division, session.source
    if source is None:
        return {}
    if session.tiles is None or session.tiles[0] is not division:
        made = source.tiles() if division is None else division.tiles(source)
        session.tiles = division, {tile["name"]: tile for tile in made}
    return session.tiles[1]


def shown_columns(session: Session) -> list[dict[str, Any]]:
    """The tiles of the columns, with remarks in the language that is spoken."""
    own = session.own_words

    def shown(remark: Any) -> dict[str, Any]:
        if isinstance(remark, str):
            return told_lines([remark], own)[0]
        parts = {name: told_part(text, own) for name, text in remark["parts"].items()}
        return {**remark, "parts": parts}

    tiles = columns_of(session).values()
    return [{**tile, "remarks": [shown(one) for one in tile["remarks"]]} for tile in tiles]


def figures_for(session: Session, card: RiskCard) -> dict[str, Any]:
    """Loss and price on the rows of the proof, and figures on training and check rows."""
    referee, division = session.referee, session.division
    if referee is None or division is None:
        return {}
    check = division.check
    return {
        **_price(referee.price(card)),
        "moved": referee.moved(card, list(session.document.groups)),
        "training": asdict(figures_of(card, referee.rows)),
        "check": None if check is None else asdict(figures_of(card, check)),
        **_against_kind(card, referee),
    }


def _price(price: Price) -> dict[str, Any]:
    above = price.above_bound
    return {
        "loss": price.loss,
        "bound": price.bound,
        "best": price.best,
        "mean_loss": price.loss / price.rows,
        "above_bound": above if math.isfinite(above) else None,
        "above_best": price.above_best,
    }


def _against_kind(card: RiskCard, referee: Referee) -> dict[str, Any]:
    """What the cards that the bound is about were made from, and whether this card is larger than they are.

    A card that is not larger need not be one of them: its cuts may not be among the candidates.
    """
    certificate = referee.best.certificate
    assert certificate is not None
    steps = [abs(term.above - term.below) for term in card.terms]
    return {
        "candidates": ", ".join(candidate_words(certificate)),
        "has_every_cut": certificate.is_grid_full,
        "is_larger": len(steps) > certificate.max_terms
        or max(steps, default=0) > certificate.max_points,
    }


# --- the pool, and two cards ---------------------------------------------------------------------


def _pool(session: Session) -> dict[str, Any] | None:
    pool = session.fits.pool
    if pool is None:
        return None
    best = min(pool["losses"])
    cards = [
        {
            "place": place,
            "loss": loss,
            "above_best": loss / best - 1 if best > 0 else 0.0,
            "features": [one.name for one in card.features],
            "terms": _lines_in_words(session.document.worded(card)),
            "digits": max((_digits(cut) for one in card.features for cut in one.cuts), default=0),
        }
        for place, (card, loss) in enumerate(zip(pool["cards"], pool["losses"], strict=True))
    ]
    cards.sort(key=lambda one: (one["loss"], one["place"]))
    return {"cards": cards, "summary": translated(pool["summary"])}


def _lines_in_words(card: RiskCard) -> list[str]:
    """What each feature is worth, as the card says it in its language."""
    return [
        f"{card.labels.heading(feature.name)}: "
        + "; ".join(f"{line.label}: {line.points}" for line in card.lines_of(feature))
        for feature in card.features
    ]


def _digits(cut: float) -> int:
    """How many digits it takes to write a cut, without zeros at its ends."""
    return len(f"{cut:.12g}".lower().partition("e")[0].replace(".", "").strip("-0"))


def compare_cards(session: Session, first: RiskCard, second: RiskCard) -> dict[str, Any]:
    """Two cards side by side, and the rows that they put into different risk groups."""
    division, cuts = session.division, list(session.document.groups)
    assert division is not None
    rows = division.rows
    cards = (first, second)
    totals = [totals_of(card, rows) for card in cards]
    groups = [groups_of(card, own, cuts) for card, own in zip(cards, totals, strict=True)]
    number = len(cuts) + 1
    table = np.bincount(groups[0] * number + groups[1], minlength=number * number)
    apart = np.flatnonzero(groups[0] != groups[1])
    risks = [card.risk_of_total(own) for card, own in zip(cards, totals, strict=True)]
    order = np.argsort(-np.abs(risks[0][apart] - risks[1][apart]), kind="stable")
    names = list(dict.fromkeys(one.name for card in cards for one in card.features))
    shown = apart[order[:MOST_SHOWN]]
    columns = {name: division.rows.take(shown).features[name].by_name() for name in names}
    return {
        "cards": [card_of(session, card) for card in cards],
        "table": table.reshape(number, number).tolist(),
        "apart": int(apart.size),
        "rows": rows.is_event.size,
        "names": names,
        "shown": [
            {
                "values": [_shown(columns[name][i]) for name in names],
                "risks": [float(own[row]) for own in risks],
                "is_event": bool(rows.is_event[row]),
            }
            for i, row in enumerate(shown.tolist())
        ],
    }


def _shown(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return show_level(value.item() if isinstance(value, np.generic) else value)
