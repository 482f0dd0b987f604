"""A card as JSON and back: a versioned format, checked strictly when it is read.

The format is described in ``docs/card_format.md``. A card that is read back is equal to the one
that was written: floats are exact and class labels keep their type.
"""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from riskcard.data.files.csv_text import read_bytes
from riskcard.data.reading import Reading
from riskcard.errors import FormatError, ParameterError
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints, LevelPoints
from riskcard.model.origin.certificate import Certificate, ClassWeights, TrainingFacts
from riskcard.model.origin.proof_record import ProofRecord
from riskcard.model.origin.recipe import HeldOut, Recipe
from riskcard.model.outcome_kinds import KIND_NAMES, OutcomeKind, name_of_kind
from riskcard.model.totals import TotalCount
from riskcard.model.value_range import ValueRange
from riskcard.model.words.labels import Labels
from riskcard.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

Record = TypeVar("Record")

FORMAT = "riskcard"
#: That of cards for outcomes of yes or no, and that of all others, which have one entry more.
FORMAT_VERSION, VERSION_OF_KINDS = 8, 9

_HEADER = ("format", "format_version", "riskcard_version")
#: The entries of a card in the order of the file.
_ORDER = (
    "outcome", "classes", "feature_names", "base", "multiplier", "offset", "features", "training",
    "certificate", "recipe", "reading", "labels",
)  # fmt: skip
#: The types of entries where the classes themselves would accept more; a list of a type in brackets.
_KINDS: dict[type, dict[str, Any]] = {
    RiskCard: {
        "riskcard_version": str,
        "outcome": str | None,
        "classes": list,
        "feature_names": [str],
        "features": list,
    },
    FeaturePoints: {
        "cuts": list,
        "points": list,
        "codes": list,
        "rows": list,
        "events": list,
        "too_few": list,
    },
    LevelPoints: {
        "groups": list,
        "points": list,
        "is_ordered": bool,
        "rows": list,
        "events": list,
    },
    TrainingFacts: {"totals": list, "is_weighted": bool},
    ValueRange: {"is_whole": bool},
    Certificate: {"notes": [str], "rules": [str], "is_grid_full": bool, "version": str},
    ProofRecord: {"given": [str]},
}
_RECORDS = {
    "training": TrainingFacts,
    "certificate": Certificate,
    "recipe": Recipe,
    "reading": Reading,
}
_WORDS = {
    str: "a text",
    str | None: "a text or null",
    dict: "an object",
    list: "a list",
    bool: "a boolean",
}


def card_to_json(card: RiskCard) -> str:
    """Write a card as text."""
    entries = asdict(card)
    for feature in entries["features"]:
        if "codes" in feature:
            codes = feature["codes"]
            feature["codes"] = [{"value": value, "points": points} for value, points in codes]
    entries["labels"] = None if card.labels == Labels() else entries["labels"]
    version = FORMAT_VERSION if card.kind is None else VERSION_OF_KINDS
    header = dict(zip(_HEADER, (FORMAT, version, __version__), strict=True))
    kind = (
        {} if card.kind is None else {"kind": {"name": name_of_kind(card.kind), **entries["kind"]}}
    )
    return _dumps({**header, **{key: entries[key] for key in _ORDER}, **kind}) + "\n"


def _dumps(content: dict[str, Any]) -> str:
    """One entry per line; a count of totals, and the baseline, have one line too, or they would fill the file."""
    training = content["training"]
    counts = training["totals"] if training is not None else ()
    if counts:
        content = {**content, "training": {**training, "totals": "@"}}
    kind = content.get("kind", {})
    marks = {f"@{key}": value for key, value in kind.items() if isinstance(value, tuple)}
    if marks:
        content = {**content, "kind": {**kind, **{mark[1:]: mark for mark in marks}}}
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    for mark, value in marks.items():
        text = text.replace(f'"{mark[1:]}": "{mark}"', f'"{mark[1:]}": {json.dumps(value)}')
    lines = ",\n".join(f"      {json.dumps(one, allow_nan=False)}" for one in counts)
    # this cannot be part of a text, where quotes are escaped, and no other entry has the name
    return text.replace('"totals": "@"', f'"totals": [\n{lines}\n    ]') if counts else text


def card_from_json(text: str, source: str = "The text") -> RiskCard:
    """Read a card from text.

    Parameters
    ----------
    text
        What ``card_to_json`` gave.
    source
        Where the text comes from, for error messages.
    """
    content = _parse(text, source)
    _require_format(content, source)
    try:
        return _card_from_content(content)
    except ParameterError as error:
        raise FormatError(f"{source} is not a valid card: {error}") from None


def save_card(card: RiskCard, path: str | Path) -> None:
    """Write a card to a file, whole or not at all."""
    from riskcard.output_files import write_whole

    write_whole(path, card_to_json(card))


def load_card(path: str | Path) -> RiskCard:
    """Read a card from a file."""
    return card_from_bytes(read_bytes(path, "a card file that can be read"), path)


def card_from_bytes(content: bytes, path: str | Path) -> RiskCard:
    """Read a card from the bytes of a file that is named in errors."""
    source = repr(str(path))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError(
            f"{source} is not a card: it is not a text file. Give the JSON file that fit wrote."
        ) from None
    return card_from_json(text, source)


def _parse(text: str, source: str) -> Any:
    try:
        return json.loads(
            text, parse_constant=_refuse_constant, object_pairs_hook=_without_duplicates
        )
    except json.JSONDecodeError as error:
        raise FormatError(
            f"{source} is not a card: it is not valid JSON ({error.msg} in line {error.lineno}). Give the JSON "
            "file that fit wrote, before the table; if this is it, use a copy that is whole."
        ) from None
    except (ParameterError, ValueError, RecursionError) as error:
        raise FormatError(f"{source} is not a valid card: {error}") from None


def _require_format(content: Any, source: str) -> None:
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise FormatError(
            f'{source} is JSON but not a card: "format" is not "{FORMAT}". '
            "Give the file that fit or RiskCard.save wrote."
        )
    version = content.get("format_version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise FormatError(
            f'{source} has the "format_version" {version!r}, which never existed. '
            f"Write the card again; this version of riskcard writes {FORMAT_VERSION}."
        )
    if version < VERSION_OF_KINDS and version != FORMAT_VERSION:
        raise FormatError(
            f"{source} has format version {version}, which was written before the first release; "
            f"riskcard {__version__} reads versions {FORMAT_VERSION} and {VERSION_OF_KINDS}. Fit the card again."
        )
    if version > VERSION_OF_KINDS:
        raise FormatError(
            f"{source} has format version {version}, but riskcard {__version__} reads version "
            f"{VERSION_OF_KINDS}. Install a newer riskcard: pip install --upgrade riskcard."
        )


def _card_from_content(content: dict[str, Any]) -> RiskCard:
    has_kind = content["format_version"] == VERSION_OF_KINDS
    _check_entries(RiskCard, "the card", content, {*_HEADER, *_ORDER, *(["kind"] * has_kind)})
    records: dict[str, Any] = {
        key: _record_from(kind, f'"{key}"', content[key])
        for key, kind in _RECORDS.items()
        if content[key] is not None
    }
    if "recipe" in records and not records["recipe"].digest:
        raise ParameterError('"digest" of the recipe is empty. Write the card again.')
    records["labels"] = _labels_from(content["labels"])
    records["features"] = [_feature_from(entry) for entry in content["features"]]
    if has_kind:
        records["kind"] = _kind_from(content["kind"])
    return RiskCard(**{key: content[key] for key in _ORDER} | records)


def _kind_from(entry: Any) -> OutcomeKind:
    _require_type('"kind"', entry, dict)
    known = KIND_NAMES.get(entry.get("name", ""))
    if known is None:
        names = " or ".join(f'"{name}"' for name in KIND_NAMES)
        raise ParameterError(f'"name" of the kind is {entry.get("name")!r}. It must be {names}.')
    own = {key: value for key, value in entry.items() if key != "name"}
    _check_entries(known, '"kind"', own)
    for key in ("horizons", "times", "hazards"):
        if key in own:
            _require_type(f'"{key}"', own[key], list)
    return known(**own)


def _labels_from(entry: Any) -> Labels:
    if entry is None:
        return Labels()
    from riskcard.model.words.labels_file import labels_from

    return labels_from(entry)


def _feature_from(entry: Any) -> FeaturePoints | LevelPoints:
    if isinstance(entry, dict) and "groups" in entry:
        return _record_from(LevelPoints, "a feature", entry)
    return _record_from(FeaturePoints, "a feature", entry)


def _record_from(kind: type[Record], what: str, entry: Any) -> Record:
    _check_entries(kind, what, entry)
    if kind is FeaturePoints:
        for code in entry["codes"]:
            _check_entries(object, "a code", code, {"value", "points"})
        entry = {**entry, "codes": [(code["value"], code["points"]) for code in entry["codes"]]}
        if (seen := entry["training_range"]) is not None:
            entry["training_range"] = _record_from(ValueRange, '"training_range"', seen)
    if kind is Recipe and entry["held_out"] is not None:
        held_out = _record_from(HeldOut, '"held_out"', entry["held_out"])
        entry = {**entry, "held_out": held_out}
    if kind is TrainingFacts:
        totals = [_record_from(TotalCount, 'an entry of "totals"', one) for one in entry["totals"]]
        entry = {**entry, "totals": totals}
    if kind is Certificate and entry["class_weights"] is not None:
        weights = _record_from(ClassWeights, '"class_weights"', entry["class_weights"])
        entry = {**entry, "class_weights": weights}
    if kind is Certificate and entry["proof"] is not None:
        entry = {**entry, "proof": _record_from(ProofRecord, '"proof"', entry["proof"])}
    return kind(**entry)


def _check_entries(kind: type, what: str, entry: Any, keys: set[str] | None = None) -> None:
    """Refuse what is not an object with the entries of a record, each of its kind."""
    _require_type(what, entry, dict)
    keys = {field.name for field in fields(kind)} if keys is None else keys
    if missing := sorted(keys - entry.keys()):
        raise ParameterError(f'{what} has no "{missing[0]}". Write the card again.')
    if unknown := sorted(entry.keys() - keys):
        raise ParameterError(f'{what} has an unknown entry "{unknown[0]}". Remove it.')
    for key, expected in _KINDS.get(kind, {}).items():
        is_list = isinstance(expected, list)
        _require_type(f'"{key}"', entry[key], list if is_list else expected)
        for one in entry[key] if is_list else ():
            _require_type(f'an entry of "{key}"', one, expected[0])


def _require_type(what: str, value: Any, kind: Any) -> None:
    if not isinstance(value, kind):
        raise ParameterError(f"{what} is {value!r}. It must be {_WORDS[kind]}.")


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ParameterError(f'"{twice}" occurs twice in one object. Remove one of them.')
    return content


def _refuse_constant(word: str) -> NoReturn:
    raise ParameterError(f"it contains {word}. Use finite numbers only.")
