"""A card as JSON and back: a versioned format, checked strictly when it is read.

The format is described in ``docs/card_format.md``. A card that is read back is equal to the one
that was written: floats are exact and class labels keep their type.
"""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from riskcard.checks import LOG_ODDS_LIMIT
from riskcard.data.csv_text import read_bytes
from riskcard.errors import FormatError, ParameterError
from riskcard.model.card import RiskCard
from riskcard.model.certificate import Certificate, TrainingFacts
from riskcard.model.feature_points import FeaturePoints, LevelPoints
from riskcard.model.totals import TotalCount
from riskcard.output_files import write_whole
from riskcard.version import __version__

Record = TypeVar("Record")

FORMAT = "riskcard"
FORMAT_VERSION = 2

#: What a certificate may leave out, because files from before it have none of it, and what it is there.
_OPTIONAL_KEYS = {
    "prior_rows": 0.0,
    "max_log_odds": LOG_ODDS_LIMIT,
    "moderate_odds": 0.0,
    "moderate_bound": 0.0,
}

#: What came with version 2; a file of version 1 has none of it.
_NEW_KEYS = frozenset({"missing", "codes", "usual", "rules"})

_CARD_KEYS = frozenset(
    {
        "format",
        "format_version",
        "riskcard_version",
        "outcome",
        "classes",
        "feature_names",
        "base",
        "multiplier",
        "offset",
        "features",
        "training",
        "certificate",
    }
)


def card_to_json(card: RiskCard) -> str:
    """Write a card as text."""
    certificate = None if card.certificate is None else asdict(card.certificate)
    if certificate is not None:
        certificate["status"] = str(certificate["status"])
        for name, usual in _OPTIONAL_KEYS.items():
            if certificate[name] == usual:
                del certificate[name]
    content = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "riskcard_version": __version__,
        "outcome": card.outcome,
        "classes": list(card.classes),
        "feature_names": list(card.feature_names),
        "base": card.base,
        "multiplier": card.multiplier,
        "offset": card.offset,
        "features": [_feature_entry(feature) for feature in card.features],
        "training": None if card.training is None else asdict(card.training),
        "certificate": certificate,
    }
    return _dumps(content) + "\n"


def _dumps(content: dict[str, Any]) -> str:
    """One entry a line, but counts of totals whole, or they would be most of the file."""
    training = content["training"]
    counts = training["totals"] if training is not None else ()
    if counts:
        content = {**content, "training": {**training, "totals": "@"}}
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    lines = ",\n".join(f"      {json.dumps(one, allow_nan=False)}" for one in counts)
    # this cannot stand inside a text, where quotes are escaped, and no other entry has the name
    return text.replace('"totals": "@"', f'"totals": [\n{lines}\n    ]') if counts else text


def _feature_entry(feature: FeaturePoints | LevelPoints) -> dict[str, Any]:
    entry = asdict(feature)
    if isinstance(feature, FeaturePoints):
        entry["codes"] = [{"value": value, "points": points} for value, points in feature.codes]
    return entry


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
            f"{source} is not valid JSON ({error.msg} in line {error.lineno}). "
            "Write the card again, or use a copy that is whole."
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
    if version > FORMAT_VERSION:
        raise FormatError(
            f"{source} has format version {version}, but riskcard {__version__} reads up to "
            f"{FORMAT_VERSION}. Install a newer riskcard: pip install --upgrade riskcard."
        )


def _card_from_content(content: dict[str, Any]) -> RiskCard:
    _require_keys("the card", content, _CARD_KEYS)
    version = content["format_version"]
    features = [_feature_from(entry, version) for entry in _list_of(content, "features")]
    outcome = content["outcome"]
    if outcome is not None:
        _require_type('"outcome"', outcome, str)
    _require_type('"riskcard_version"', content["riskcard_version"], str)
    return RiskCard(
        features=tuple(features),
        base=content["base"],
        multiplier=_as_number('"multiplier"', content["multiplier"]),
        offset=_as_number('"offset"', content["offset"]),
        feature_names=tuple(_texts_of(content, "feature_names")),
        classes=tuple(_list_of(content, "classes")),
        outcome=outcome,
        training=_training_from(content),
        certificate=_certificate_from(content),
    )


def _feature_from(entry: Any, version: int) -> FeaturePoints | LevelPoints:
    _require_type("each feature", entry, dict)
    if version > 1 and "groups" in entry:
        return _level_points_from(entry)
    _require_keys("a feature", entry, _keys_of(FeaturePoints, version))
    _require_type("the name of a feature", entry["name"], str)
    cuts = [_as_number(f"a cut of {entry['name']!r}", cut) for cut in _list_of(entry, "cuts")]
    rest = {} if version == 1 else {"missing": entry["missing"], "usual": entry["usual"]}
    codes = [] if version == 1 else [_code_from(code) for code in _list_of(entry, "codes")]
    points = tuple(_list_of(entry, "points"))
    return FeaturePoints(entry["name"], tuple(cuts), points, codes=tuple(codes), **rest)


def _code_from(entry: Any) -> tuple[float, Any]:
    _require_type("each code", entry, dict)
    _require_keys("a code", entry, frozenset({"value", "points"}))
    return _as_number("a special value", entry["value"]), entry["points"]


def _level_points_from(entry: dict[str, Any]) -> LevelPoints:
    _require_keys("a feature", entry, _keys_of(LevelPoints, FORMAT_VERSION))
    _require_type("the name of a feature", entry["name"], str)
    _require_type('"is_ordered"', entry["is_ordered"], bool)
    groups = _list_of(entry, "groups")
    for group in groups:
        _require_type(f"a group of {entry['name']!r}", group, list)
    return LevelPoints(**{**entry, "groups": groups, "points": _list_of(entry, "points")})


def _training_from(content: dict[str, Any]) -> TrainingFacts | None:
    entry = content["training"]
    if isinstance(entry, dict):  # files from before there were counts have none
        entry = {**entry, "totals": [_count_from(one) for one in _list_of(entry, "totals", [])]}
    return _record_from(TrainingFacts, {**content, "training": entry}, "training")


def _count_from(entry: Any) -> TotalCount:
    _require_type('each entry of "totals"', entry, dict)
    _require_keys('an entry of "totals"', entry, _keys_of(TotalCount, FORMAT_VERSION))
    return TotalCount(**entry)


def _certificate_from(content: dict[str, Any]) -> Certificate | None:
    entry = content["certificate"]
    if isinstance(entry, dict) and entry.keys() >= {"notes", "is_grid_full", "version"}:
        for key in ("notes", "rules"):
            if key in entry:
                entry[key] = tuple(_texts_of(entry, key))
        _require_type('"is_grid_full"', entry["is_grid_full"], bool)
        _require_type('"version"', entry["version"], str)
    return _record_from(Certificate, content, "certificate")


def _record_from(kind: type[Record], content: dict[str, Any], key: str) -> Record | None:
    entry = content[key]
    if entry is None:
        return None
    _require_type(f'"{key}"', entry, dict)
    _require_keys(f'"{key}"', entry, _keys_of(kind, content["format_version"]))
    return kind(**entry)


def _keys_of(kind: type[Any], version: int) -> frozenset[str]:
    """The entries of a record in some version of the format."""
    keys = frozenset(field.name for field in fields(kind))
    return keys - _NEW_KEYS if version == 1 else keys


def _list_of(entry: dict[str, Any], key: str, otherwise: list[Any] | None = None) -> list[Any]:
    found = entry[key] if otherwise is None else entry.get(key, otherwise)
    _require_type(f'"{key}"', found, list)
    return list(found)


def _texts_of(entry: dict[str, Any], key: str) -> list[str]:
    texts = _list_of(entry, key)
    for text in texts:
        _require_type(f'an entry of "{key}"', text, str)
    return texts


def _as_number(what: str, value: Any) -> float:
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            raise ParameterError(f"{what} is too large. Use a finite number.") from None
    _require_type(what, value, float)
    return float(value)


def _require_type(what: str, value: Any, kind: type) -> None:
    words = {str: "a text", dict: "an object", list: "a list", float: "a number", bool: "a boolean"}
    if not isinstance(value, kind):
        raise ParameterError(f"{what} is {value!r}. It must be {words[kind]}.")


def _require_keys(what: str, entry: dict[str, Any], keys: frozenset[str]) -> None:
    missing = sorted(keys - _OPTIONAL_KEYS.keys() - entry.keys())
    unknown = sorted(entry.keys() - keys)
    if missing:
        raise ParameterError(f'{what} has no "{missing[0]}". Write the card again.')
    if unknown:
        raise ParameterError(f'{what} has an unknown entry "{unknown[0]}". Remove it.')


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ParameterError(f'"{twice}" stands twice in one object. Remove one of them.')
    return content


def _refuse_constant(word: str) -> NoReturn:
    raise ParameterError(f"it contains {word}. Use finite numbers only.")
