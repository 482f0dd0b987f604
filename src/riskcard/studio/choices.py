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

from riskcard.errors import ParameterError
from riskcard.rules.card_rules import FeatureRule
from riskcard.studio.page_words import page_words

#: The largest card that can be asked for here, and the longest proof in seconds.
MOST_TERMS, MOST_POINTS, LONGEST_PROOF = 20, 100, 3600.0
#: The choices that are lists of names or words.
_LISTS = ("dropped", "kept", "missing")
#: The page's words for the choices; messages call them the same.
_WORDS = {
    "target": "outcome_column",
    "event": "event",
    "weights": "weights_column",
    "groups": "groups_column",
    "later": "time_column",
    "hold_out": "hold_out",
    "max_terms": "max_terms",
    "max_points": "max_points",
    "seconds": "seconds",
    "seed": "seed",
}


def _called(name: str) -> str:
    """What the page calls a choice."""
    return page_words("en")[_WORDS[name]]


@dataclass(frozen=True, slots=True)
class Choices:
    """What a card is learned from, and how large it may be.

    Attributes
    ----------
    target, event
        The column, and the value that is the event; None where it is not chosen yet.
    dropped, kept
        Columns that are not used, and columns that are used although they look like identifiers.
    missing
        Words that mean a missing value, next to those that always do.
    codes
        Numbers that are no measurements, such as -9 for "refused", by column: they get points of their own.
    weights
        The column with the weights of the rows; None where each counts once.
    groups
        The column whose rows belong together, such as the visits of a person; None where rows are independent.
    hold_out
        Share of the rows that is kept from the fit; 0 for none.
    later
        In place of a share: the column of times, and the moment from which on rows are kept from the fit;
        an empty moment for the last 30 % of the rows.
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
    missing: tuple[str, ...] = ()
    codes: tuple[tuple[str, tuple[float, ...]], ...] = ()
    weights: str | None = None
    groups: str | None = None
    hold_out: float = 0.0
    later: tuple[str, str] | None = None
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
        for name in ("target", "event", "weights", "groups"):
            if not isinstance(content.get(name), str | None):
                raise ParameterError(f"{_called(name)}: {content[name]!r} is no name of a column.")
        if not isinstance(content.get("skip_missing_target", False), bool):
            raise ParameterError(
                f"skip_missing_target is {content['skip_missing_target']!r}. Use true or false."
            )
        lists = {name: _names(name, content.get(name, ())) for name in _LISTS}
        own = {"codes": _codes(content.get("codes", {})), "later": _later(content.get("later"))}
        made = cls(**{**content, **lists, **own})
        _require_number("hold_out", made.hold_out, 0, 0.5)
        _require_number("max_terms", made.max_terms, 1, MOST_TERMS, is_whole=True)
        _require_number("max_points", made.max_points, 1, MOST_POINTS, is_whole=True)
        _require_number("seconds", made.seconds, 1, LONGEST_PROOF)
        _require_number("seed", made.seed, 0, 2**32 - 1, is_whole=True)
        made._require_apart()
        return made

    def _require_apart(self) -> None:
        """Refuse a column that is to be two things."""
        time = None if self.later is None else self.later[0]
        roles = {"target": self.target, "weights": self.weights, "groups": self.groups}
        taken: dict[str, str] = {}
        for role, name in {**roles, "later": time}.items():
            if name is not None and name in taken:
                raise ParameterError(
                    f"{name!r} is chosen twice, as {_called(taken[name])!r} and as {_called(role)!r}. Choose "
                    "another column."
                )
            if name is not None:
                taken[name] = role
        if self.later is not None and self.groups is not None:
            raise ParameterError(
                f"Rows are kept from the fit by time ({time!r}), so rows of one {self.groups!r} could be on "
                "both sides. "
                "Choose one of the two."
            )

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        lists = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }
        later = None if self.later is None else list(self.later)
        return {**lists, "codes": {name: list(own) for name, own in self.codes}, "later": later}

    @property
    def columns(self) -> list[str]:
        """The columns that are named."""
        time = None if self.later is None else self.later[0]
        named = [self.target, self.weights, self.groups, time, *self.dropped, *self.kept]
        return [*(name for name in named if name is not None), *(name for name, _ in self.codes)]

    @property
    def of_rows(self) -> tuple[Any, ...]:
        """The choices that say which rows a card is learned from: another one means another problem."""
        size = ("max_terms", "max_points", "seconds")
        return tuple(getattr(self, one.name) for one in fields(self) if one.name not in size)

    @property
    def has_held_out(self) -> bool:
        """Whether rows are kept from the fit."""
        return self.later is not None or self.hold_out > 0

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
        words += [] if self.weights is None else [f"--weights={self.weights}"]
        is_dropped = self.groups is not None and not self.has_held_out
        dropped = dict.fromkeys([*self.dropped, *([str(self.groups)] if is_dropped else [])])
        words += [f"--drop={name}" for name in dropped]
        words += [f"--keep-features={name}" for name in self.kept]
        words += [f"--missing={word}" for word in self.missing]
        words += ["--skip-missing-target"] if self.skip_missing_target else []
        words += self._held_out_arguments()
        words += [f"--max-terms={self.max_terms}", f"--max-points={self.max_points}"]
        words += [f"--random-state={self.seed}", "--certify", f"--time-limit={self.seconds:g}"]
        return words if rules is None else [*words, f"--rules={rules}"]

    def _held_out_arguments(self) -> list[str]:
        if self.later is not None:
            return [f"--hold-out-from={'='.join(filter(None, self.later))}"]
        if not self.hold_out:
            return []
        groups = [] if self.groups is None else [f"--groups={self.groups}"]
        return [f"--hold-out={self.hold_out!r}", *groups]

    def command(self, data: str, rules: str | None, output: str, more: Sequence[str] = ()) -> str:
        """The command, to be written down; a name that begins with a minus is one all the same."""
        data = f"./{data}" if data.startswith("-") else data
        words = [*self.arguments(data, rules), *more, f"--output={output}"]
        return shlex.join(["riskcard", *words])


def options_of(arguments: list[str]) -> Namespace:
    """The options as the command line reads them, without its remarks on the screen."""
    from riskcard.cli.parser import make_parser

    return make_parser().parse_args([*arguments, "--quiet"])


def _require_number(name: str, value: Any, low: float, high: float, is_whole: bool = False) -> None:
    """Refuse what is no number of a range, in the words of the page."""
    kind = int if is_whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kind) or not low <= value <= high:
        shown = f"{value:g}" if isinstance(value, float) else repr(value)
        what = "a whole number" if is_whole else "a number"
        raise ParameterError(
            f"{_called(name)}: {shown} does not fit. Use {what} from {low:g} to {high:g}."
        )


def _later(content: Any) -> tuple[str, str] | None:
    """The column of times and the moment, from plain values of anywhere."""
    if content is None:
        return None
    if not isinstance(content, (list, tuple)) or [type(one) for one in content] != [str, str]:
        raise ParameterError(f"{_called('later')}: {content!r} is no column with a moment.")
    name, moment = content
    if "=" in name:
        raise ParameterError(
            f"{_called('later')}: {name!r} has a '=' in its name, which the command cannot hold. Rename it in the file."
        )
    return name, moment.strip()


def _codes(content: Any) -> tuple[tuple[str, tuple[float, ...]], ...]:
    if not isinstance(content, Mapping) or not all(isinstance(one, str) for one in content):
        raise ParameterError(f"codes is {content!r}. Give the codes of each column.")
    rules = {name: FeatureRule(codes=own) for name, own in content.items() if own}
    return tuple((name, rule.codes) for name, rule in rules.items())


def _names(what: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(one, str) for one in value):
        raise ParameterError(f"{what} is {value!r}. Use a list of names.")
    return tuple(dict.fromkeys(value))
