"""What the columns of an Arrow schema hold."""

from __future__ import annotations

from typing import Any

from riskcard.sources.rows import Kind


def divide_columns(schema: Any) -> tuple[dict[str, Kind], dict[str, str]]:
    """From each usable column to its kind, and from each other one to its type."""
    kinds, unusable = {}, {}
    for column in schema:
        kind = kind_of(column.type)
        if kind is None:
            unusable[column.name] = str(column.type)
        else:
            kinds[column.name] = kind
    return kinds, unusable


def kind_of(type_: Any) -> Kind | None:
    """The kind of a type of Arrow; None for dates and what else is no feature."""
    from pyarrow import types

    if types.is_dictionary(type_):
        return kind_of(type_.value_type)
    if types.is_boolean(type_):
        return Kind.BOOLEAN
    is_number = types.is_integer(type_) or types.is_floating(type_) or types.is_decimal(type_)
    if is_number or types.is_null(type_):
        return Kind.NUMBER
    is_text = (types.is_string, types.is_large_string, getattr(types, "is_string_view", None))
    return Kind.TEXT if any(test is not None and test(type_) for test in is_text) else None
