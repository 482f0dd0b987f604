"""The columns that say how rows are divided: by groups, by sites, by time."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from riskcard.data.files.wanted_columns import Kind, Selection, as_number, require_columns
from riskcard.errors import DataError, ParameterError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from riskcard.data.files.table_file import TableFile
    from riskcard.data.reading import Reading
    from riskcard.estimators.cross_validation.division import Division

#: Without a date, about this share of the rows is later.
LATER_SHARE = 0.3
#: Options that divide rows by time: into those to learn from, and later ones.
_TIMES = ("time_split", "hold_out_from")


def division_columns(options: Namespace) -> dict[str, str]:
    """From the columns that divide rows, which are never features, to the option that names each."""
    found = {}
    for name in ("groups", "sites", *_TIMES, "limit_groups"):
        given = getattr(options, name, None)
        if given is not None:
            found[given.partition("=")[0] if name in _TIMES else given] = _option(name)
    return found


def read_division_of(
    file: TableFile, options: Namespace, target: str, reading: Reading
) -> Division:
    """Read these columns.

    Parameters
    ----------
    file
        An open file.
    options
        With the names of the columns, as far as they are given.
    target
        The outcome; rows without one may be left out.
    reading
        How the file is read.
    """
    from riskcard.estimators.cross_validation.division import Division, read_division

    names = division_columns(options)
    for name, option in names.items():
        require_columns(file, [name], f"named by {option}")
        if name in (target, options.weights):
            raise ParameterError(f"{option} is {name!r}, which is the target or the weights.")
    if not names:
        return Division()
    option = next((one for one in _TIMES if getattr(options, one, None) is not None), "")
    given_time = getattr(options, option) if option else ""
    time = given_time.partition("=")[0]
    wanted = _texts([name for name in names if name != time], target, options, reading)
    table = file.read(wanted)
    roles = {role: getattr(options, role, None) for role in ("groups", "sites")}
    given: dict[str, Any] = {role: table[name] for role, name in roles.items() if name is not None}
    if time:
        given["time_split"] = _later_rows(file, given_time, wanted, _option(option))
    return read_division(len(table), **given)


def read_limit_groups(
    file: TableFile, options: Namespace, target: str, reading: Reading
) -> NDArray[Any] | None:
    """The groups between which differences are limited, as texts; None where there are none."""
    name = getattr(options, "limit_groups", None)
    return None if name is None else read_texts(file, name, options, target, reading)


def read_texts(
    file: TableFile, name: str, options: Namespace, target: str | None, reading: Reading
) -> NDArray[Any]:
    """One column as texts, in the rows that have an outcome; in all rows where there is none."""
    found: NDArray[Any] = file.read(_texts([name], target, options, reading))[name]
    return found


def _texts(names: list[str], target: str | None, options: Namespace, reading: Reading) -> Selection:
    """Columns as texts, in the rows that have an outcome."""
    wanted = names if target is None else [*names, target]
    return Selection(
        kinds=dict.fromkeys(wanted, Kind.TEXT),
        required=frozenset(wanted),
        reading=reading,
        target=target,
        skip_missing_target=target is not None and options.skip_missing_target,
    )


def _later_rows(file: TableFile, text: str, others: Selection, option: str) -> NDArray[np.bool_]:
    """The rows at or after a time; by default the last part of them."""
    import numpy as np

    name, has_date, date = text.partition("=")
    wanted = replace(
        others,
        kinds={name: Kind.FEATURE, **others.kinds},
        required=others.required | {name},
        reading=replace(others.reading, dates=None),
    )
    # columns of dates are left out unless they are asked for
    is_dated = name not in file.read(wanted).features
    if is_dated:
        wanted = replace(wanted, reading=replace(others.reading, dates="days"))
    times = file.read(wanted).features[name]
    if times.levels is not None:
        raise DataError(
            f"{file.path!r}, column {name!r} (named by {option}) has neither dates nor numbers, "
            f"but texts such as {times.levels.names[0]!r}. Name a column with times."
        )
    if has_date:
        return times.values >= _moment_of(date, is_dated, option)
    ordered = np.sort(times.values)
    start = ordered[int((1 - LATER_SHARE) * (ordered.size - 1))]
    later = times.values > start if (times.values > start).any() else times.values >= start
    return np.asarray(later)


def _moment_of(text: str, is_dated: bool, option: str) -> float:
    """A date or a number as a number, like those of the column."""
    from riskcard.data.cells.dates import as_number as days_of
    from riskcard.data.cells.dates import read_date

    if not is_dated:
        number = as_number(text)
        if isinstance(number, str):
            raise ParameterError(
                f"{option}: the column has numbers, but {text!r} is none. Give a number after '='."
            )
        return float(number)
    found = read_date(text)
    moments = set() if found is None else set(found.by_order.values())
    if len(moments) != 1:
        raise ParameterError(
            f"{option}: {text!r} is not a date that can be read in one way only. "
            "Write it as 2020-12-31."
        )
    return days_of(moments.pop(), "days")


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
