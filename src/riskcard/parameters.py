"""The one table of parameters: checks, docstrings, command line, docs and recipes all follow it.

The table itself is ``parameters.toml``. ``docs/make_parameters.py`` writes ``docs/parameters.md``
from it. The docstrings of the classes and functions contain its texts; ``tests/test_parameters.py``
shows what is to be written where one differs.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from riskcard.checks import is_number, is_whole
from riskcard.errors import ParameterError
from riskcard.toml import parse_toml


class Kind(Enum):
    """What the values of a parameter are; numbers have a range in place of the braces."""

    WHOLE = "a whole number{}"
    NUMBER = "a number{}"
    SHARE = "a share{}, such as 0.01"
    AMOUNT = "a whole number{}, or a share below 1 such as 0.05"
    WORD = "a word"
    FLAG = "True or False"
    OBJECT = "an object that checks itself"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter.

    Attributes
    ----------
    group
        Which function or class has it: a key of ``OWNERS``.
    name
        In Python. The option of the command line is the same with dashes.
    kind, least, most
        What its values are, and their range.
    default
        Where it is not given.
    help
        What it does, in sentences.
    none, auto
        What None and "auto" mean; empty where they are not allowed.
    words
        Further texts that are values.
    on_command_line
        What it does as an option, where that is less than in Python.
    metavar
        How the command line names the value; empty for a parameter that it does not have.
    """

    group: str
    name: str
    kind: Kind
    default: Any
    help: str
    none: str = ""
    auto: str = ""
    least: float = 0
    most: float = math.inf
    words: Sequence[str] = ()
    on_command_line: str = ""
    metavar: str = "N"

    @property
    def option(self) -> str:
        """The name on the command line, where tolerance and size need to say of what."""
        name = f"pool_{self.name}" if self.group == "pool" else self.name
        return f"--{name.replace('_', '-')}"

    @property
    def numbers(self) -> str:
        """The numbers that it may be in words, such as "a whole number of at least 1"."""
        if self.most == math.inf:
            return self.kind.value.format(f" of at least {self.least:g}")
        return self.kind.value.format(f" from {self.least:g} to {self.most:g}")

    @property
    def accepts(self) -> str:
        """The values in words, such as "a whole number of at least 1, or None for no limit"."""
        parts = [repr(word) for word in self.words]
        if self.kind not in (Kind.WORD, Kind.OBJECT):
            parts.insert(0, self.numbers)
        parts += [f"'auto' for {self.auto}"] if self.auto else []
        parts += [f"None for {self.none}"] if self.none else []
        # two words need no comma; what explains itself ("None for no limit") does
        comma = "" if len(parts) == 2 and not (self.auto or self.none) else ","
        return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])}{comma} or {parts[-1]}"

    def checked(self, value: Any) -> Any:
        """The value as plain Python, or an error that says what may be given."""
        if (value is None and self.none) or (isinstance(value, str) and self._is_word(value)):
            return value
        if self.kind is Kind.OBJECT:
            return value
        if self.kind is Kind.FLAG:
            return bool(value)
        if is_number(value) and self.least <= value <= self.most and self._has_right_form(value):
            return int(value) if is_whole(value) else float(value)
        raise ParameterError(f"{self.name} is {value!r}. Use {self.accepts}.")

    def _is_word(self, value: str) -> bool:
        return value in self.words or (value == "auto" and bool(self.auto))

    def _has_right_form(self, value: Any) -> bool:
        if self.kind is Kind.WHOLE:
            return is_whole(value)
        if self.kind is Kind.AMOUNT:
            return bool(math.isfinite(value) and (value < 1 or value == int(value)))
        return self.kind is not Kind.WORD and math.isfinite(value)


def _read_table() -> tuple[dict[str, str], tuple[Parameter, ...]]:
    """The owner of each group, and all parameters in the order of the table."""
    content = parse_toml(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    owners = content.pop("owners")
    parameters = (
        Parameter(group, name, Kind[entry.pop("kind").upper()], **({"default": None} | entry))
        for group, entries in content.items()
        for name, entry in entries.items()
    )
    return owners, tuple(parameters)


#: Who has the parameters of each group; all parameters.
OWNERS, PARAMETERS = _read_table()


def parameters_of(*groups: str) -> dict[str, Parameter]:
    """The parameters of some groups by name, in the order of the table."""
    return {one.name: one for one in PARAMETERS if one.group in groups}


def check_parameters(owner: Any, *groups: str) -> dict[str, Any]:
    """The checked values that an object has for the parameters of some groups."""
    return {name: one.checked(getattr(owner, name)) for name, one in parameters_of(*groups).items()}
