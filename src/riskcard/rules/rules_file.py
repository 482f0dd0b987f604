"""Rules from a file: TOML, or CSV with one line per feature. ``docs/rules.md`` describes both."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from riskcard.data.files.csv_text import checked_names, checked_rows, delimiter_of, read_text
from riskcard.errors import FormatError, ParameterError
from riskcard.formatting.spelling import nearest_name
from riskcard.rules.card_rules import SETTINGS, CardRules, FeatureGroup, FeatureRule
from riskcard.toml import parse_toml

Made = TypeVar("Made")

_FIELDS = [one.name for one in fields(FeatureRule)]
_COLUMNS = ["feature", *_FIELDS, "group", "group_at_most"]


def load_rules(path: str | Path) -> CardRules:
    """Read rules from a TOML or CSV file; the ending of its name says which."""
    source = str(path)
    kind = Path(path).suffix.lower()
    if kind not in (".toml", ".csv", ".tsv"):
        raise FormatError(
            f"{source!r} is not a file of rules: its name ends in {kind!r}. Use .toml, .csv or .tsv."
        )
    text = read_text(path, "a TOML or CSV file of rules")
    return _from_toml(source, text) if kind == ".toml" else _from_csv(source, text)


# --- TOML ---------------------------------------------------------------------------------------


def _from_toml(source: str, text: str) -> CardRules:
    try:
        content = parse_toml(text)
    except ValueError as error:
        raise FormatError(f"{source!r} is not valid TOML ({error}). Correct it.") from None
    return rules_from_content(repr(source), content)


def rules_from_content(source: str, content: Mapping[str, Any]) -> CardRules:
    """Rules from the plain values of a TOML file.

    Parameters
    ----------
    source
        Where they come from, for error messages.
    content
        The settings of the whole card, "features" and "groups".
    """
    _require_keys(content, [*SETTINGS, "features", "groups"], source)
    tables = _require_type(content.get("features", {}), dict, f"{source}, features")
    features = {}
    for name, table in tables.items():
        where = f"{source}, features.{name}"
        _require_keys(_require_type(table, dict, where), _FIELDS, where)
        features[name] = _made(where, FeatureRule, table)
    groups = []
    lists = _require_type(content.get("groups", []), list, f"{source}, groups")
    for number, table in enumerate(lists, start=1):
        where = f"{source}, group {number} of [[groups]]"
        _require_keys(_require_type(table, dict, where), ["features", "at_most"], where, True)
        groups.append(_made(where, FeatureGroup, table))
    settings = {name: content.get(name) for name in SETTINGS}
    return _made(source, CardRules, {"features": features, "groups": groups, **settings})


def _require_type(value: Any, wanted: type, where: str) -> Any:
    if not isinstance(value, wanted):
        form = "a table, such as [features.age]" if wanted is dict else "tables, each [[groups]]"
        raise FormatError(f"{where} is {value!r}. Make it {form}.")
    return value


def _require_keys(
    table: Mapping[str, Any], known: list[str], where: str, are_all_needed: bool = False
) -> None:
    for key in table:
        if key not in known:
            raise FormatError(
                f"{where}: the key {key!r} is unknown. {nearest_name(key, known, 'keys')}"
            )
    for key in known if are_all_needed else ():
        if key not in table:
            raise FormatError(f"{where}: {key!r} is missing. Add it.")


def _made(where: str, kind: Callable[..., Made], parts: Mapping[str, Any]) -> Made:
    """Make an object of rules; what is wrong with it is wrong with that place of the file."""
    try:
        return kind(**parts)
    except ParameterError as error:
        raise FormatError(f"{where}: {error}") from None


# --- CSV ----------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Group:
    """A group as its lines are read."""

    features: list[str] = field(default_factory=list)
    at_most: int | None = None
    line: int = 0  # of the first number given


@dataclass(frozen=True, slots=True)
class _Cell:
    """One cell that is not empty, and where it is."""

    where: str
    text: str


def _from_csv(source: str, text: str) -> CardRules:
    settings, text = _take_settings(source, text)
    header = text.lstrip().partition("\n")[0]
    if not header:
        raise FormatError(
            f"{source!r} has no rules. Give a header line and one line for each feature."
        )
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(header), strict=True)
    rows = checked_rows(source, reader)
    names = checked_names(source, next(rows)[1])
    for name in names:
        if name not in _COLUMNS:
            raise FormatError(
                f"{source!r}: the column {name!r} is unknown. "
                f"{nearest_name(name, _COLUMNS, 'columns')}"
            )
    if "feature" not in names:
        raise FormatError(f"{source!r} has no column 'feature'. Name the features in it.")
    features: dict[str, FeatureRule] = {}
    groups: dict[str, _Group] = {}
    for line, cells in rows:
        cell = {
            name: _Cell(f"{source!r}, line {line}, column {name!r}", text.strip())
            for name, text in zip(names, cells, strict=True)
            if text.strip()
        }
        where = f"{source!r}, line {line}"
        feature = _feature_of(where, cell, features)
        values = {name: _value_of(name, cell[name]) for name in _FIELDS if name in cell}
        features[feature] = _made(where, FeatureRule, values)
        _add_to_group(where, line, cell, groups)
    parts = {"features": features, "groups": _made_groups(source, groups), **settings}
    return _made(f"{source!r}", CardRules, parts)


def _take_settings(source: str, text: str) -> tuple[dict[str, Any], str]:
    """The settings in comments above the header, and the text with these lines left blank."""
    settings: dict[str, Any] = {}
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if line.strip() and not line.startswith("#"):
            break
        setting = re.fullmatch(r"#\s*(\w+)\s*=\s*(.*?)[\s,;]*", line)
        lines[number] = "\n"
        if setting is None:
            continue
        where = f"{source!r}, line {number + 1}"
        name, value = setting[1], setting[2]
        if name not in SETTINGS:
            raise FormatError(
                f"{where}: {name!r} cannot be set. {nearest_name(name, SETTINGS, 'settings')}"
            )
        cell = _Cell(f"{where}, {name}", value)
        settings[name] = value if value == "auto" else _number(cell, value)
    return settings, "".join(lines)


def _feature_of(where: str, cell: Mapping[str, _Cell], seen: Iterable[str]) -> str:
    if "feature" not in cell:
        raise FormatError(f"{where}: the feature has no name. Give one, or remove the line.")
    name = cell["feature"].text
    if name in seen:
        raise FormatError(
            f"{where}: {name!r} has a rule already. Write the whole rule in one line."
        )
    return name


def _add_to_group(
    where: str, line: int, cell: Mapping[str, _Cell], groups: dict[str, _Group]
) -> None:
    if "group" not in cell:
        if "group_at_most" in cell:
            raise FormatError(f"{where}: group_at_most is given without a group. Name the group.")
        return
    name = cell["group"].text
    group = groups.setdefault(name, _Group())
    group.features.append(cell["feature"].text)
    if "group_at_most" not in cell:
        return
    at_most = _value_of("group_at_most", cell["group_at_most"])
    if group.at_most is not None and at_most != group.at_most:
        raise FormatError(
            f"{where}: group_at_most of group {name!r} is {at_most}, but {group.at_most} in line "
            f"{group.line}. Give one number."
        )
    group.at_most, group.line = at_most, group.line or line


def _made_groups(source: str, groups: Mapping[str, _Group]) -> list[FeatureGroup]:
    made = []
    for name, group in groups.items():
        if group.at_most is None:
            raise FormatError(
                f"{source!r}: group {name!r} has no group_at_most. "
                "Give the number in the line of one of its features."
            )
        parts = {"features": group.features, "at_most": group.at_most}
        made.append(_made(f"{source!r}, group {name!r}", FeatureGroup, parts))
    return made


def _value_of(name: str, cell: _Cell) -> Any:
    """The value of a field: a text, a number, or numbers separated by spaces."""
    if name in ("direction", "use"):
        return cell.text
    read = _whole if name in ("points", "max_cuts", "group_at_most") else _number
    if name in ("max_cuts", "group_at_most", "cost"):
        return read(cell, cell.text)
    return tuple(read(cell, word) for word in cell.text.split())


def _number(cell: _Cell, word: str) -> float:
    try:
        return float("text" if "_" in word else word)
    except ValueError:
        hint = " (use a decimal point, and separate numbers with spaces)" if "," in word else ""
        raise FormatError(f"{cell.where}: {word!r} is not a number{hint}. Correct it.") from None


def _whole(cell: _Cell, word: str) -> int:
    number = _number(cell, word)
    if not number.is_integer():
        raise FormatError(f"{cell.where}: {word!r} is not a whole number. Correct it.")
    return int(number)
