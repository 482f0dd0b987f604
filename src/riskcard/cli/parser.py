"""The options of the command line, from ``commands.toml``; nothing slow is imported here."""

import argparse
import sys
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, NoReturn

from riskcard.errors import ParameterError
from riskcard.export.formats import FORMATS
from riskcard.formatting.plain_text import visible
from riskcard.formatting.spelling import nearest_name
from riskcard.paper.experiments.methods import METHODS
from riskcard.paper.experiments.table_rows import TABLES
from riskcard.parameters import Kind, Parameter, parameters_of
from riskcard.toml import parse_toml
from riskcard.version import __version__


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are short, name the nearest option, and point to the right help."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(self._advice_on(unknown[0]))
        return found, unknown

    def _advice_on(self, unknown: str) -> str:
        name = unknown.partition("=")[0]
        if not name.startswith("-"):
            return f"{unknown!r} is one argument too many"
        return f"there is no option {name!r}. {nearest_name(name, [*self._option_string_actions], 'options')}"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            advice = nearest_name(str(value), list(map(str, action.choices)), "choices")
            raise argparse.ArgumentError(action, f"{value!r} is not known. {advice}")

    def error(self, message: str) -> NoReturn:
        end = "" if message.endswith((".", "?")) else "."
        sys.stderr.write(f"riskcard: {visible(message)}{end} See '{self.prog} --help'.\n")
        raise SystemExit(2)


def make_parser() -> argparse.ArgumentParser:
    """All commands and options."""
    parser = _Parser(
        prog="riskcard",
        description="Small cards of integer points, learned from a table, and proofs of how good they are.",
        epilog="'riskcard COMMAND --help' explains the options of a command.",
    )
    parser.add_argument("--version", action="version", version=f"riskcard {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    table = parse_toml(Path(__file__).with_name("commands.toml").read_text(encoding="utf-8"))
    for name, command in table["commands"].items():
        room = command.pop("room")
        arguments = _expanded(command.pop("arguments"), table["sets"])
        parser_of_command = commands.add_parser(name, **command)
        parser_of_command.set_defaults(module=f"riskcard.cli.{room}.{name}")
        _add_arguments(parser_of_command, arguments)
    return parser


def _expanded(entries: list[Any], sets: dict[str, list[Any]]) -> Iterator[dict[str, Any]]:
    """The entries, with those of a set in place of its name."""
    for entry in entries:
        if isinstance(entry, str):
            yield from _expanded(sets[entry], sets)
        else:
            yield dict(entry)


def _add_arguments(parser: argparse.ArgumentParser, entries: Iterator[dict[str, Any]]) -> None:
    container: argparse._ActionsContainer = parser
    files: dict[str, tuple[str, str]] = {"rules": ("--rules", "read")}
    for entry in entries:
        if "group" in entry:
            container = parser.add_argument_group(entry["group"])
        elif "parameters" in entry:
            _add_parameters(container, entry.pop("parameters"), **entry)
        else:
            names, choices = entry.pop("name").split(), entry.get("choices")
            if isinstance(choices, str):
                entry["choices"] = _CHOICES[choices]
            if "type" in entry:
                entry["type"] = _READERS[entry["type"]]
            role = entry.pop("file", None)
            action = container.add_argument(*names, **entry)
            if role is not None:
                shown = names[-1] if action.option_strings else f"the {action.dest}"
                files[action.dest] = (shown, role)
    parser.set_defaults(files=files)


def _add_parameters(
    container: argparse._ActionsContainer,
    group: str,
    without: Collection[str] = (),
    unset: Collection[str] = (),
    defaults: dict[str, Any] | None = None,
) -> None:
    """Options for the parameters of a group, from the one table.

    Parameters that make up an object, such as rules, have no default: they are only there when they
    are given.
    """
    changed = {**(defaults or {}), **dict.fromkeys(unset)}
    for name, one in parameters_of(group).items():
        if not one.metavar or name in without:
            continue
        default = changed.get(name, one.default)
        words = _help_of(one, default)
        if one.kind is Kind.FLAG:
            container.add_argument(one.option, action="store_true", help=words)
            continue
        has_default = group in ("card", "work", "size", "resamples")
        container.add_argument(
            one.option, type=_reader_of(one), metavar=one.metavar, help=words, dest=name,
            default=default if has_default else argparse.SUPPRESS,
        )  # fmt: skip


def _help_of(one: Parameter, default: Any) -> str:
    text = (one.on_command_line or one.help).removesuffix(".")
    text = text[0].lower() + text[1:]
    text += f"; 'auto': {one.auto}" if one.auto and not one.on_command_line else ""
    if one.kind is not Kind.FLAG:
        known = (one.none or "not used") if default is None else default
        text += f" ({known})"
    return text.replace("%", "%%")


def _reader_of(one: Parameter) -> Callable[[str], Any]:
    """From the text of an option to the value of its parameter."""
    words = [*one.words, *(["auto"] if one.auto else [])]
    number, numbers = _SPECIAL.get(one.name, (_NUMBERS.get(one.kind, _not_a_number), one.numbers))
    known = [] if number is _not_a_number else [numbers]
    known += [*map(repr, words), *(["'none'"] if one.none else [])]

    def read(text: str) -> Any:
        if one.none and text.lower() == "none":
            return None
        if text in words or one.name in ("rules", "scoring"):
            return text
        try:
            return one.checked(number(text))
        except (ValueError, ParameterError):
            raise argparse.ArgumentTypeError(f"{text!r} is not {' or '.join(known)}") from None

    return read


def _not_a_number(text: str) -> float:
    raise ValueError(text)


def _where(
    number: Callable[[str], float], is_fine: Callable[[float], bool]
) -> Callable[[str], float]:
    """Reads a number, and refuses it unless it is fine."""

    def read(text: str) -> float:
        found = number(text)
        return found if is_fine(found) else _not_a_number(text)

    return read


def _count_or_share(text: str) -> int | float:
    """A whole number, or a share below 1: ``20``, ``0.05`` or ``5%``."""
    if text.endswith("%"):
        share = _share(text)
        if not 0 <= share < 1:
            raise argparse.ArgumentTypeError(f"{text!r} is not a share from 0% to below 100%")
        return share
    try:
        return int(text)
    except ValueError:
        return float(text)


def _share(text: str) -> float:
    """A number, or one in per cent."""
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)


#: How the numbers of parameters are read that are objects in Python, and what they are.
_SPECIAL: dict[str, tuple[Callable[[str], float], str]] = {
    "scale": (_where(float, lambda scale: 0 < scale < float("inf")), "a positive number"),
    "cv": (_where(int, lambda folds: folds > 1), "a whole number of at least 2"),
    "random_state": (_where(int, lambda seed: seed >= 0), "a whole number of at least 0"),
    "n_jobs": (_where(int, lambda threads: threads != 0), "a whole number other than 0"),
}
#: How the numbers of each kind are read.
_NUMBERS: dict[Kind, Callable[[str], float]] = {
    Kind.WHOLE: int,
    Kind.NUMBER: _count_or_share,
    Kind.SHARE: _share,
    Kind.AMOUNT: _count_or_share,
}


def _time_limit(text: str) -> float | None:
    """Seconds, or None for no limit."""
    return None if text.lower() == "none" else float(text)


def _method_limit(text: str) -> tuple[str | None, float]:
    """Seconds for every method, or ``METHOD=S`` for one of them."""
    name, is_for_one, seconds = text.rpartition("=")
    if is_for_one and name not in METHODS:
        raise argparse.ArgumentTypeError(
            f"there is no method {name!r}; use one of {', '.join(METHODS)}"
        )
    try:
        limit = float(seconds)
    except ValueError:
        limit = 0.0
    if not 0 < limit < float("inf"):
        raise argparse.ArgumentTypeError(f"{seconds!r} is not a positive number of seconds")
    return name or None, limit


def _band(text: str) -> tuple[str, float]:
    """A name and the risk where its band begins: ``high=30%``; a name alone begins at 0."""
    name, has_limit, limit = text.rpartition("=")
    if not has_limit:
        return text, 0.0
    try:
        return name, _share(limit)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a name, or NAME=RISK such as high=30%"
        ) from None


def _digits(text: str) -> int | None:
    """A number of decimals, or None for all."""
    if text == "all":
        return None
    if not text.isdecimal() or not 1 <= int(text) <= 17:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to 17, or 'all'")
    return int(text)


# argparse names it in its messages
_time_limit.__name__ = "number of seconds"
_share.__name__ = "risk"

#: What the types and choices of ``commands.toml`` mean.
_READERS: dict[str, Callable[[str], Any]] = {
    "int": int,
    "float": float,
    "share": _share,
    "amount": _count_or_share,
    "band": _band,
    "digits": _digits,
    "time_limit": _time_limit,
    "method_limit": _method_limit,
}
_CHOICES = {
    "formats": list(FORMATS),
    "methods": list(METHODS),
    "tables": list(TABLES),
}
