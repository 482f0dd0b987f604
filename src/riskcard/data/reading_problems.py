"""What keeps a file from being read: all problems at once, and the options that solve them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from riskcard.errors import DataError

#: More problems than this are counted, not listed.
MOST_LISTED = 20


@dataclass(frozen=True, slots=True)
class ReadingProblem:
    """One problem of a file.

    Attributes
    ----------
    text
        What is wrong, and which value: one sentence.
    advice
        What can be done about it, in sentences.
    remedy
        The words of the command line that solve it, such as ``("--missing", "pending")``: one
        option and its values; none where only the file itself can be mended.
    place
        Where in the file, such as "line 4, column 'age'"; empty where it is about all of it.
    """

    text: str
    advice: str
    remedy: tuple[str, ...] = ()
    place: str = ""


class ReadingProblems(DataError):
    """A file that cannot be used as it is.

    Parameters
    ----------
    source
        The name of the file.
    problems
        At least one.
    """

    def __init__(self, source: str, problems: Sequence[ReadingProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__(_in_words(source, self.problems))

    @property
    def can_be_solved(self) -> bool:
        """Whether options solve all problems."""
        return all(problem.remedy for problem in self.problems)

    @property
    def remedy(self) -> tuple[str, ...]:
        """Words of the command line that solve the problems that options can solve."""
        values: dict[str, dict[str, None]] = {}
        for option, *words in (problem.remedy for problem in self.problems if problem.remedy):
            values.setdefault(option, {}).update(dict.fromkeys(words))
        return tuple(word for option, words in values.items() for word in _spelled(option, words))


def refuse(source: str, problems: Sequence[ReadingProblem]) -> None:
    """Refuse a file that has problems."""
    if problems:
        raise ReadingProblems(source, problems)


def _in_words(source: str, problems: Sequence[ReadingProblem]) -> str:
    """The problem and what to do; for several of them a list, one per line."""
    if len(problems) == 1:
        (only,) = problems
        place = f", {only.place}" if only.place else ""
        return f"{source!r}{place}: {only.text} {only.advice}".rstrip()
    listed = [_in_list(problem) for problem in problems[:MOST_LISTED]]
    more = len(problems) - MOST_LISTED
    rest = [f"and {more} more."] if more > 0 else []
    return "\n".join([f"{source!r} has {len(problems)} problems:", *listed, *rest])


def _in_list(problem: ReadingProblem) -> str:
    """One line; it says what to do only where no option does it."""
    place = f"{problem.place}: " if problem.place else ""
    advice = "" if problem.remedy else f" {problem.advice}"
    return f"{place}{problem.text}{advice}".rstrip()


def _spelled(option: str, words: Iterable[str]) -> list[str]:
    """An option with its values; a value that looks like an option is tied to it."""
    plain = [word for word in words if not word.startswith("-")]
    tied = [f"{option}={word}" for word in words if word.startswith("-")]
    return [*([option] if plain or not tied else []), *plain, *tied]
