"""What was chosen in the studio, as the options of ``riskcard fit``: a fit here is that command.

The options of a fit are made, parsed and obeyed by the code of the command line. So the command that
the studio writes down gives the same card.
"""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from riskcard.checks import finite_number, whole_number
from riskcard.errors import ParameterError
from riskcard.rules.card_rules import FeatureRule

#: The largest card that can be asked for here, and the longest proof in seconds.
MOST_TERMS, LONGEST_PROOF = 20, 3600.0


@dataclass(frozen=True, slots=True)
class Choices:
    """What a card is learned from, and how large it may be.

    Attributes
    ----------
    target, event
        The column, and the value that is the event; None where it is not chosen yet.
    dropped, kept
        Columns that are not used, and columns that are used although they look like identifiers.
    codes
        Numbers that are no measurements, such as -9 for "refused", by column: they get points of their own.
    hold_out
        Share of the rows that is kept from the fit; 0 for none.
    skip_missing_target
        Leave out rows without an outcome.
    max_terms, max_points
        The size of the card.
    seconds
        Time for the proof.
    seed
        Of the rows that are held out, and of the search.
    """

    target: str | None = None
    event: str | None = None
    dropped: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    codes: tuple[tuple[str, tuple[float, ...]], ...] = ()
    hold_out: float = 0.0
    skip_missing_target: bool = False
    max_terms: int = 5
    max_points: int = 5
    seconds: float = 60.0
    seed: int = 0

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Choices:
        """Choices from plain values of anywhere; what does not make sense is refused."""
        known = {one.name for one in fields(cls)}
        if unknown := sorted(set(content) - known):
            raise ParameterError(f"There is no choice {unknown[0]!r}. Use one of {sorted(known)}.")
        for name in ("target", "event"):
            if not isinstance(content.get(name), str | None):
                raise ParameterError(f"{name} is {content[name]!r}. Use a text.")
        if not isinstance(content.get("skip_missing_target", False), bool):
            raise ParameterError(
                f"skip_missing_target is {content['skip_missing_target']!r}. Use true or false."
            )
        lists = {name: _names(name, content.get(name, ())) for name in ("dropped", "kept")}
        made = cls(**{**content, **lists, "codes": _codes(content.get("codes", {}))})
        hold_out = finite_number("hold_out", made.hold_out)
        if not 0 <= hold_out <= 0.5:
            raise ParameterError(f"hold_out is {hold_out:g}. Use a share from 0 to 0.5.")
        for name, most in (("max_terms", MOST_TERMS), ("max_points", 100)):
            if whole_number(name, getattr(made, name), 1) > most:
                raise ParameterError(f"{name} is {getattr(made, name)}. Use at most {most}.")
        seconds = finite_number("seconds", made.seconds)
        if not 0 < seconds <= LONGEST_PROOF:
            raise ParameterError(f"seconds is {seconds:g}. Use a time up to {LONGEST_PROOF:g} s.")
        whole_number("seed", made.seed)
        return made

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        lists = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }
        return {**lists, "codes": {name: list(own) for name, own in self.codes}}

    @property
    def columns(self) -> list[str]:
        """The columns that are named."""
        target = [] if self.target is None else [self.target]
        return [*target, *self.dropped, *self.kept, *(name for name, _ in self.codes)]

    @property
    def code_rules(self) -> dict[str, FeatureRule]:
        """The rules that codes mean."""
        return {name: FeatureRule(codes=own) for name, own in self.codes}

    def arguments(self, data: str, rules: str | None = None) -> list[str]:
        """The arguments of ``riskcard fit`` that mean these choices.

        Parameters
        ----------
        data
            The path of the table.
        rules
            The path of the file of rules; None without rules.
        """
        if self.target is None:
            raise ParameterError("No outcome is chosen. Choose the column that is to be predicted.")
        words = ["fit", data, f"--target={self.target}"]
        words += [] if self.event is None else [f"--event={self.event}"]
        words += [f"--drop={name}" for name in self.dropped]
        words += [f"--keep-features={name}" for name in self.kept]
        words += ["--skip-missing-target"] if self.skip_missing_target else []
        words += [f"--hold-out={self.hold_out!r}"] if self.hold_out else []
        words += [f"--max-terms={self.max_terms}", f"--max-points={self.max_points}"]
        words += [f"--random-state={self.seed}", "--certify", f"--time-limit={self.seconds:g}"]
        return words if rules is None else [*words, f"--rules={rules}"]

    def command(self, data: str, rules: str | None, output: str, more: Sequence[str] = ()) -> str:
        """The command, to be written down; a name that begins with a minus is one all the same."""
        data = f"./{data}" if data.startswith("-") else data
        words = [*self.arguments(data, rules), *more, f"--output={output}"]
        return shlex.join(["riskcard", *words])


def options_of(arguments: list[str]) -> Namespace:
    """The options as the command line reads them, without its remarks on the screen."""
    from riskcard.cli.parser import make_parser

    return make_parser().parse_args([*arguments, "--quiet"])


def _codes(content: Any) -> tuple[tuple[str, tuple[float, ...]], ...]:
    if not isinstance(content, Mapping) or not all(isinstance(one, str) for one in content):
        raise ParameterError(f"codes is {content!r}. Give the codes of each column.")
    rules = {name: FeatureRule(codes=own) for name, own in content.items() if own}
    return tuple((name, rule.codes) for name, rule in rules.items())


def _names(what: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(one, str) for one in value):
        raise ParameterError(f"{what} is {value!r}. Use a list of names.")
    return tuple(dict.fromkeys(value))
