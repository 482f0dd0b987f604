"""The options of a command as they are written on the command line, for the end of a page."""

from argparse import Namespace
from collections.abc import Collection


def shown_options(options: Namespace, hidden: Collection[str]) -> list[tuple[str, str]]:
    """Every option that is set.

    Parameters
    ----------
    options
        Those of the command.
    hidden
        Names that are not shown, such as those of files.
    """
    shown = {name: value for name, value in vars(options).items() if name not in hidden}
    return [
        (
            f"--{name.replace('_', '-')}",
            " ".join(map(str, value)) if isinstance(value, list) else str(value),
        )
        for name, value in shown.items()
        if value is not None and value is not False and value != []
    ]
