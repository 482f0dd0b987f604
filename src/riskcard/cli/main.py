"""The command ``riskcard``: reads the options, runs one command, turns errors into a sentence."""

import io
import os
import shlex
import sys
from argparse import Namespace
from collections.abc import Sequence
from importlib import import_module

from riskcard.cli.parser import make_parser
from riskcard.cli.sources import files_of, names_source, require_outside
from riskcard.data.reading_problems import ReadingProblems
from riskcard.errors import RiskcardError
from riskcard.formatting.plain_text import visible
from riskcard.output_files import require_files, require_separate, require_writable

#: Exit codes; a check that fails is 1.
_BAD_INPUT, _INTERRUPTED, _BROKEN_PIPE = 2, 130, 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv
        The arguments; by default those of the process.

    Returns
    -------
    int
        The exit code: 0, 1 for a check that fails, 2 for input that cannot be used.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        # a name that the terminal cannot show must not stop the work
        sys.stdout.reconfigure(errors="backslashreplace")
    # numba would take this from a file in the current folder, and load compiled code from there
    os.environ.setdefault("NUMBA_CACHE_DIR", "")
    arguments = sys.argv[1:] if argv is None else list(argv)
    try:
        parser = make_parser()
        if not arguments:
            parser.print_help()
            return 0
        options = parser.parse_args(arguments)
        _look_at_files(options)
        from riskcard.cli.remarks import warnings_as_sentences

        # a command's module is loaded only when it is run
        module = import_module(vars(options).pop("module"))
        with warnings_as_sentences():
            code: int = getattr(module, f"run_{options.command}")(options)
        sys.stdout.flush()
    except SystemExit as leaving:  # argparse has said what there is to say
        return leaving.code if isinstance(leaving.code, int) else _BAD_INPUT
    except ReadingProblems as error:
        return _fail(
            "\n  ".join([*str(error).split("\n"), *_way_out(error, arguments)]), _BAD_INPUT
        )
    except RiskcardError as error:
        return _fail(" ".join(str(error).split()), _BAD_INPUT)
    except MemoryError:
        return _fail("Not enough memory. Use fewer rows or columns.", _BAD_INPUT)
    except KeyboardInterrupt:
        return _fail("Interrupted; nothing was written.", _INTERRUPTED)
    except BrokenPipeError:
        # the reader has gone; keep Python from complaining when it closes the stream
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    return code


def _look_at_files(options: Namespace) -> None:
    """Refuse, before any work, to write over a file that is read, or where nothing can be written."""
    places: dict[str, dict[str, str]] = {"read": {}, "write": {}}
    many: dict[str, str] = {}
    sources: list[str] = []
    for name, (shown, role) in vars(options).pop("files").items():
        given = getattr(options, name, None)
        for path in given if isinstance(given, list) else [given]:
            if path is None:
                continue
            if role == "read" and name != "card" and names_source(path):
                sources.append(path)
                many |= {f"file {n} of {shown}": one for n, one in enumerate(files_of(path), 1)}
            else:
                places[role][f"{shown} {path}" if isinstance(given, list) else shown] = path
    require_separate(many | places["read"], places["write"])
    require_outside(sources, places["write"])
    require_writable(*places["write"].values())
    require_files(*places["read"].values())


def _way_out(error: ReadingProblems, arguments: Sequence[str]) -> list[str]:
    """The same command with the options that solve several problems of a file."""
    if len(error.problems) == 1 or not error.remedy:
        return []
    command = shlex.join(["riskcard", *arguments, *error.remedy])
    first = "Try" if error.can_be_solved else "Try, which solves some of them"
    return [f"{first}: {command}"]


def _fail(message: str, code: int) -> int:
    lines = map(visible, message.split("\n"))
    sys.stderr.write("riskcard: " + "\n".join(lines) + "\n")
    return code


if __name__ == "__main__":
    raise SystemExit(main())
