"""Pickles from before a record had all of its fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, Field, fields
from typing import Any, TypeVar

__all__ = ["takes_old_pickles"]

Record = TypeVar("Record")


def takes_old_pickles(record: type[Record]) -> type[Record]:
    """Give what an old pickle of a record lacks its default; fields must only be added at the end.

    A frozen record with slots is pickled as the list of its values, and a shorter list would leave slots
    without any.
    """

    def set_state(self: Any, state: Sequence[Any]) -> None:
        known = fields(self)
        values = [*state, *(_default_of(one) for one in known[len(state) :])]
        for one, value in zip(known, values, strict=True):
            object.__setattr__(self, one.name, value)

    record.__setstate__ = set_state  # type: ignore[attr-defined]
    return record


def _default_of(one: Field[Any]) -> Any:
    return one.default if one.default_factory is MISSING else one.default_factory()
