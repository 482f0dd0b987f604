"""A file of labels: TOML that people fill in, read strictly and written as a template."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from riskcard.checks import finite_number
from riskcard.data.files.csv_text import read_text
from riskcard.errors import FormatError, ParameterError, warn
from riskcard.formatting.numbers import format_number
from riskcard.formatting.speech import PLACE, sentences_of
from riskcard.formatting.spelling import nearest_name
from riskcard.model.lines import show_level
from riskcard.model.value_range import ValueRange
from riskcard.model.words.labels import FeatureLabel, Labels, words_of
from riskcard.toml import parse_toml

if TYPE_CHECKING:
    from riskcard.model.card import RiskCard
    from riskcard.model.feature_points import CardFeature

_TOP = tuple(one.name for one in fields(Labels))
_OF_FEATURE = tuple(one.name for one in fields(FeatureLabel))


def load_labels(path: str | Path) -> Labels:
    """Read labels from a TOML file."""
    source = repr(str(path))
    text = read_text(path, "a TOML file of labels")
    try:
        return labels_from(parse_toml(text))
    except ParameterError as error:
        raise FormatError(f"{source}: {error}") from None
    except ValueError as error:
        raise FormatError(f"{source} is not valid TOML ({error}). Correct it there.") from None


def labels_from(content: Any) -> Labels:
    """Labels from the plain values of a file."""
    _require_keys("the file", content, _TOP)
    found = {key: value for key, value in content.items() if value is not None}
    for key in ("title", "event", "language", "direction", "caution"):
        if key in found:
            _text(f'"{key}"', found[key])
    if found.get("direction", "ltr") not in ("ltr", "rtl"):
        raise ParameterError(f'"direction" is {found["direction"]!r}. Use "ltr" or "rtl".')
    if "facts" in found:
        if not isinstance(found["facts"], (list, tuple)):
            raise ParameterError('"facts" is not a list. Give a list of sentences.')
        found["facts"] = tuple(_text('a sentence of "facts"', one) for one in found["facts"])
    entries = found.get("features", {})
    _require_keys('"features"', entries, entries)
    found["features"] = {name: _feature_from(name, entry) for name, entry in entries.items()}
    _require_own_reasons(found["features"])
    found["words"] = _words_from(found.get("words", {}))
    return Labels(**found)


def labelled(card: RiskCard, labels: Labels) -> RiskCard:
    """A card with the labels of its features; unknown names and levels get a warning."""
    known = set(card.feature_names)
    for name in labels.features:
        if name not in known:
            advice = nearest_name(name, sorted(known), "columns")
            warn(f"The labels name {name!r}, which is not a column of the card's table. {advice}")
    used = {one.name: one for one in card.features}
    for name, feature in used.items():
        _check_levels(feature, labels.of(name))
    kept = {name: one for name, one in labels.features.items() if name in used}
    return replace(card, labels=replace(labels, features=kept))


def _check_levels(feature: CardFeature, label: FeatureLabel) -> None:
    known = [show_level(level) for level in (*feature.levels, *(code for code, _ in feature.codes))]
    for level in label.levels:
        if level in known or (not feature.levels and _is_number(level)):
            continue
        advice = nearest_name(level, known, "levels")
        warn(f"The labels name the level {level!r} of {feature.name!r}, which it lacks. {advice}")
    if feature.levels and (label.lowest is not None or label.highest is not None):
        raise ParameterError(f"{feature.name!r} is a category and has no lowest or highest value.")


def _is_number(text: str) -> bool:
    try:
        return bool(float(text) == float(text))
    except ValueError:
        return False


# --- what is read --------------------------------------------------------------------------------


def _words_from(entries: Any) -> dict[str, str]:
    english = {**words_of("en"), **sentences_of("en")}
    _require_keys('"words"', entries, english)
    for key, text in entries.items():
        known = set(PLACE.findall(english[key]))
        unknown = sorted(set(PLACE.findall(_text(f'"{key}"', text))) - known)
        if unknown:
            advice = f"Use {', '.join(f'{{{name}}}' for name in sorted(known))}." if known else ""
            raise ParameterError(
                f'"{key}" has the place {{{unknown[0]}}}, for which there is no value. {advice}'
            )
    if entries.get("decimal", ".") not in (".", ","):
        raise ParameterError(f'"decimal" is {entries["decimal"]!r}. Use "." or ",".')
    return dict(entries)


def _feature_from(name: str, entry: Any) -> FeatureLabel:
    _require_keys(f"the entry of {name!r}", entry, _OF_FEATURE)
    given = {key: value for key, value in entry.items() if value is not None and key != "levels"}
    checks = {"lowest": finite_number, "highest": finite_number}
    found: dict[str, Any] = {
        key: checks.get(key, _text)(f'"{key}" of {name!r}', value) for key, value in given.items()
    }
    limits = [found[key] for key in checks if key in found]
    if limits != sorted(limits):
        raise ParameterError(f"The lowest value of {name!r} is above the highest.")
    if bool(found.get("code")) != bool(found.get("code_system")):
        raise ParameterError(
            f"{name!r} has one of code and code_system. Give both, such as "
            'code = "2160-0" and code_system = "http://loinc.org".'
        )
    levels = entry.get("levels", {})
    _require_keys(f"the levels of {name!r}", levels, levels)
    for level, text in levels.items():
        _text(f"the level {level!r} of {name!r}", text)
    return FeatureLabel(**found, levels=dict(levels))


def _require_own_reasons(features: Mapping[str, FeatureLabel]) -> None:
    """Refuse a reason that two features share: a list of reasons would not say which one it is."""
    owners: dict[str, str] = {}
    for name, label in features.items():
        if label.reason and label.reason in owners:
            raise ParameterError(
                f"{owners[label.reason]!r} and {name!r} have the same reason, {label.reason!r}. Give each "
                "a text of its own."
            )
        owners[label.reason] = name


def _require_keys(what: str, entries: Any, known: Any) -> None:
    if not isinstance(entries, Mapping):
        raise ParameterError(f"{what} is {entries!r}. It must be a table.")
    for key in entries:
        if key not in known:
            advice = nearest_name(key, list(known), "entries", "Remove it.")
            raise ParameterError(f"{what} has the unknown entry {key!r}. {advice}")


def _text(what: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ParameterError(f"{what} is {value!r}. It must be a text.")
    return value


# --- what is written -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Column:
    """What a template says about a column.

    Attributes
    ----------
    name
        The column.
    levels
        From each level as the card shows it to what it is called; none for a number.
    seen
        The numbers in training, where they are known.
    label
        What it is called now.
    """

    name: str
    levels: Mapping[str, str] = field(default_factory=dict)
    seen: ValueRange | None = None
    label: FeatureLabel = field(default_factory=FeatureLabel)


def template_of(card: RiskCard, with_words: bool = False) -> str:
    """The labels of a card as TOML; read back they change nothing.

    Parameters
    ----------
    card
        The card.
    with_words
        Also write every text of card, calculator and report, to be translated.
    """
    columns = [
        Column(
            one.name,
            {show_level(level): card.labels.value(one, level) for level in one.levels},
            one.training_range,
            card.labels.of(one.name),
        )
        for one in card.features
    ]
    words = (
        {
            **words_of(card.labels.language),
            **sentences_of(card.labels.language),
            **card.labels.words,
        }
        if with_words
        else dict(card.labels.words)
    )
    labels = replace(card.labels, title=card.title, event=card.event, words=words)
    return template(labels, columns)


def template(labels: Labels, columns: list[Column]) -> str:
    """Labels as TOML to be filled in, with every column that may be named."""
    return "\n".join(_lines(labels, columns)) + "\n"


def _lines(labels: Labels, columns: list[Column]) -> Iterator[str]:
    yield "# What people read on the card, the calculator, the report, explanations and exports."
    yield "# Whatever is left out stays as it is in the table."
    for key in ("title", "event"):
        if (text := getattr(labels, key)) is not None:
            yield f"{key} = {_quoted(text)}"
    if labels.language != "en" or labels.words:
        yield f"language = {_quoted(labels.language)}"
        yield f"direction = {_quoted(labels.direction)}"
    if labels.facts is not None:
        yield f"facts = [{', '.join(map(_quoted, labels.facts))}]"
    if labels.caution is not None:
        yield f"caution = {_quoted(labels.caution)}"
    for column in columns:
        yield from _column_lines(column)
    if labels.words:
        yield from ("", "[words]")
        yield from (f"{_quoted(key)} = {_quoted(text)}" for key, text in labels.words.items())


def _column_lines(column: Column) -> Iterator[str]:
    label, key = column.label, f"[features.{_quoted(column.name)}]"
    yield from ("", key, f"name = {_quoted(column.name if label.name is None else label.name)}")
    yield from (f"unit = {_quoted(label.unit)}", f"help = {_quoted(label.help)}")
    yield f"reason = {_quoted(label.reason)}"
    if label.code:
        for part in ("code", "code_system", "code_unit"):
            yield f"{part} = {_quoted(getattr(label, part))}"
    if not column.levels:
        seen = column.seen
        for end in ("lowest", "highest"):
            if (limit := getattr(label, end)) is not None:
                yield f"{end} = {limit!r}"
            elif seen is not None:
                yield f"# {end} = {format_number(getattr(seen, end))}  # as in training"
    levels = {**column.levels, **label.levels}
    if levels:
        yield f"[features.{_quoted(column.name)}.levels]"
        yield from (f"{_quoted(level)} = {_quoted(text)}" for level, text in levels.items())


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
