"""A card as JSON and back: a versioned format, checked strictly when it is read.

The format is described in ``docs/card_format.md``. A card that is read back is equal to the one
that was written: floats are exact and class labels keep their type.
"""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from riskcard.data.files.csv_text import read_bytes
from riskcard.errors import FormatError, ParameterError
from riskcard.model.card import RiskCard
from riskcard.model.certificate import Certificate, TrainingFacts
from riskcard.model.feature_points import FeaturePoints, LevelPoints
from riskcard.model.recipe import Recipe
from riskcard.model.totals import TotalCount
from riskcard.output_files import write_whole
from riskcard.version import __version__

Record = TypeVar("Record")

FORMAT = "riskcard"
FORMAT_VERSION = 3

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
        "recipe",
    }
)


def card_to_json(card: RiskCard) -> str:
    """Write a card as text."""
    certificate = None if card.certificate is None else asdict(card.certificate)
    if certificate is not None:
        certificate["status"] = str(certificate["status"])
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
        "recipe": None if card.recipe is None else asdict(card.recipe),
    }
    return _dumps(content) + "\n"


def _dumps(content: dict[str, Any]) -> str:
    """One entry per line, but one count of totals per line, or they would be most of the file."""
    training = content["training"]
    counts = training["totals"] if training is not None else ()
    if counts:
        content = {**content, "training": {**training, "totals": "@"}}
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    lines = ",\n".join(f"      {json.dumps(one, allow_nan=False)}" for one in counts)
    # this cannot be part of a text, where quotes are escaped, and no other entry has the name
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
    if version < FORMAT_VERSION:
        raise FormatError(
            f"{source} has format version {version}, which was written before the first release; "
            f"riskcard {__version__} reads version {FORMAT_VERSION}. Fit the card again."
        )
    if version > FORMAT_VERSION:
        raise FormatError(
            f"{source} has format version {version}, but riskcard {__version__} reads version "
            f"{FORMAT_VERSION}. Install a newer riskcard: pip install --upgrade riskcard."
        )


def _card_from_content(content: dict[str, Any]) -> RiskCard:
    _require_keys("the card", content, _CARD_KEYS)
    features = [_feature_from(entry) for entry in _list_of(content, "features")]
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
        recipe=_recipe_from(content),
    )


def _feature_from(entry: Any) -> FeaturePoints | LevelPoints:
    _require_type("each feature", entry, dict)
    if "groups" in entry:
        return _level_points_from(entry)
    _require_keys("a feature", entry, _keys_of(FeaturePoints))
    _require_type("the name of a feature", entry["name"], str)
    cuts = [_as_number(f"a cut of {entry['name']!r}", cut) for cut in _list_of(entry, "cuts")]
    codes = [_code_from(code) for code in _list_of(entry, "codes")]
    points = _list_of(entry, "points")
    return FeaturePoints(**{**entry, "cuts": cuts, "points": points, "codes": codes})


def _code_from(entry: Any) -> tuple[float, Any]:
    _require_type("each code", entry, dict)
    _require_keys("a code", entry, frozenset({"value", "points"}))
    return _as_number("a special value", entry["value"]), entry["points"]


def _level_points_from(entry: dict[str, Any]) -> LevelPoints:
    _require_keys("a feature", entry, _keys_of(LevelPoints))
    _require_type("the name of a feature", entry["name"], str)
    _require_type('"is_ordered"', entry["is_ordered"], bool)
    groups = _list_of(entry, "groups")
    for group in groups:
        _require_type(f"a group of {entry['name']!r}", group, list)
    return LevelPoints(**{**entry, "groups": groups, "points": _list_of(entry, "points")})


def _training_from(content: dict[str, Any]) -> TrainingFacts | None:
    entry = content["training"]
    if isinstance(entry, dict) and "totals" in entry:
        entry = {**entry, "totals": [_count_from(one) for one in _list_of(entry, "totals")]}
    return _record_from(TrainingFacts, entry, "training")


def _count_from(entry: Any) -> TotalCount:
    _require_type('each entry of "totals"', entry, dict)
    _require_keys('an entry of "totals"', entry, _keys_of(TotalCount))
    return TotalCount(**entry)


def _certificate_from(content: dict[str, Any]) -> Certificate | None:
    entry = content["certificate"]
    if isinstance(entry, dict) and entry.keys() >= {"notes", "rules", "is_grid_full", "version"}:
        entry = {**entry, **{key: _texts_of(entry, key) for key in ("notes", "rules")}}
        _require_type('"is_grid_full"', entry["is_grid_full"], bool)
        _require_type('"version"', entry["version"], str)
    return _record_from(Certificate, entry, "certificate")


def _recipe_from(content: dict[str, Any]) -> Recipe | None:
    recipe = _record_from(Recipe, content["recipe"], "recipe")
    if recipe is not None and not recipe.digest:
        raise ParameterError('"digest" of the recipe is empty. Write the card again.')
    return recipe


def _record_from(kind: type[Record], entry: Any, key: str) -> Record | None:
    if entry is None:
        return None
    _require_type(f'"{key}"', entry, dict)
    _require_keys(f'"{key}"', entry, _keys_of(kind))
    return kind(**entry)


def _keys_of(kind: type[Any]) -> frozenset[str]:
    """The entries of a record."""
    return frozenset(field.name for field in fields(kind))


def _list_of(entry: dict[str, Any], key: str) -> list[Any]:
    _require_type(f'"{key}"', entry[key], list)
    return list(entry[key])


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
    missing = sorted(keys - entry.keys())
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
        raise ParameterError(f'"{twice}" occurs twice in one object. Remove one of them.')
    return content


def _refuse_constant(word: str) -> NoReturn:
    raise ParameterError(f"it contains {word}. Use finite numbers only.")
