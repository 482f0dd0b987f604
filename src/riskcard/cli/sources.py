"""Tables that are read in pieces or where they are: which arguments mean one, and what goes with it."""

from __future__ import annotations

import glob
import os
import re
from argparse import Namespace
from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

from riskcard.errors import DataError, ParameterError

if TYPE_CHECKING:
    from riskcard.data.files.file_facts import FileFacts
    from riskcard.model.card import RiskCard
    from riskcard.sources.source import Source
    from riskcard.validation.validate import Validation

#: The first parts of addresses of databases.
ADDRESSES = ("duckdb://", "postgresql://", "postgres://")
#: How any address begins.
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
#: Options that need the rows themselves, by their names in the options.
NEEDS_ROWS = {
    "improve": "--improve",
    "tolerance": "--pool-tolerance",
    "hold_out": "--hold-out",
    "groups": "--groups",
    "outcome": "--outcome",
    "competing": "--competing",
    "limit_groups": "--limit-groups",
    "sites": "--sites",
    "by": "--by",
    "flag_from": "--flag-from",
    "against": "--against",
    "against_column": "--against-column",
    "time": "--time",
    "proof": "--proof",
    "dates": "--dates",
    "missing": "--missing",
    "not_missing": "--not-missing",
    "decimal": "--decimal",
    "encoding": "--encoding",
    "sheet": "--sheet",
    "categorical": "--categorical",
    "skip_missing_target": "--skip-missing-target",
}


def names_source(path: str) -> bool:
    """Whether a path is a folder, a pattern of names or an address: of a database, or of files elsewhere."""
    if _ADDRESS.match(path) or Path(path).is_dir():
        return True
    return glob.has_magic(path) and not Path(path).exists()


def files_of(path: str) -> list[str]:
    """The files of what `names_source` accepts: of a folder all, of an address that of a database, if any."""
    if _ADDRESS.match(path) and not path.startswith("file://"):
        return [] if (file := file_of_database(path)) is None else [file]
    path = _here(path)
    if Path(path).is_file():
        return [path]
    found = Path(path).rglob("*") if Path(path).is_dir() else glob.iglob(path, recursive=True)
    return sorted(str(one) for one in found if Path(one).is_file())


def require_outside(sources: Sequence[str], written: Mapping[str, str]) -> None:
    """Refuse a new file that would be one more file of a folder or pattern when it is read next.

    Parameters
    ----------
    sources
        What `names_source` accepts.
    written
        From what a message calls a file, such as "--output", to its path.
    """
    for path in sources:
        is_elsewhere = _ADDRESS.match(path) and not path.startswith("file://")
        for name, place in written.items():
            if not is_elsewhere and _would_be_read(Path(place), path):
                raise ParameterError(
                    f"{name} ({place!r}) would be one of the files of {path!r} when they are read next. "
                    "Choose a place outside it."
                )


def _would_be_read(place: Path, source: str) -> bool:
    from riskcard.sources.file_places import is_table_name

    place, source = Path(os.path.realpath(place)), _here(source)
    if Path(source).is_dir():
        return is_table_name(place) and Path(os.path.realpath(source)) in place.parents
    parts = Path(os.path.abspath(source)).parts
    if "**" in parts:
        return fnmatch(str(place), os.path.abspath(source))
    is_as_deep = len(parts) == len(place.parts)
    return is_as_deep and all(map(fnmatch, place.parts, parts))


def _here(path: str) -> str:
    """The path on this machine that ``file://...`` means; any other path as it is."""
    if not path.startswith("file://"):
        return path
    from riskcard.sources.file_places import local_path

    return local_path(path)


def file_of_database(address: str) -> str | None:
    """The file of an address of DuckDB; None for a server."""
    scheme, _, place = address.partition("?")[0].partition("://")
    return place.removeprefix("/") if scheme == "duckdb" else None


def wants_source(options: Namespace) -> bool:
    """Whether the options mean a table that is not read into memory."""
    is_asked = getattr(options, "memory", None) or getattr(options, "scheduler", None)
    return bool(is_asked) or names_source(options.data)


def learn_from_source(options: Namespace) -> RiskCard:
    """Learn a card as the options say."""
    _require_no_rows(options)
    from riskcard.cli.given import given, regularization_of
    from riskcard.cli.rows.training import load_rules
    from riskcard.estimators.classifier import RiskScoreClassifier

    rules = load_rules(options)
    source = _open(options, options.target)
    _choose_columns(source, options)
    known = {"rules": rules, "event": options.event}
    parameters = given(options, "card", "work") | known | regularization_of(options)
    model = RiskScoreClassifier(verbose=not options.quiet, **parameters)
    card: RiskCard = model.fit(source).card_
    return card


def validate_source(
    options: Namespace, card: RiskCard, files: list[FileFacts], shown: Sequence[tuple[str, str]]
) -> Validation:
    """Judge a card as the options say; the page names the files, and shows the options."""
    _require_no_rows(options)
    from riskcard.cli.rows.card_rows import target_of
    from riskcard.validation.gather import ValidationOptions, gather_facts
    from riskcard.validation.source_rows import rows_of_source
    from riskcard.validation.validate import Validation

    source = _open(options, target_of(options, card))
    source.is_shown = True
    wanted = ValidationOptions(
        risk_groups=tuple(options.risk_groups),
        total_groups=tuple(options.total_groups),
        n_bootstraps=options.n_bootstraps,
        random_state=options.random_state,
        files=tuple(files),
        shown_options=(("data", source.name), *shown),
    )
    return Validation(gather_facts(card, rows_of_source(card, source), wanted))


def _require_no_rows(options: Namespace) -> None:
    """Refuse options that need the rows."""
    for name, option in NEEDS_ROWS.items():
        if getattr(options, name, None):
            raise ParameterError(
                f"{option} needs the rows in memory, and {options.data!r} is read in pieces. Leave it out."
            )


def _open(options: Namespace, target: str) -> Source:
    """The source that the options mean."""
    from riskcard.sources.open_source import open_source

    data: Any = options.data
    if options.scheduler is not None:
        data = _on_cluster(options.scheduler, data)
    memory = {} if options.memory is None else {"memory": options.memory}
    return open_source(data, target, weights=options.weights, **memory)


def _choose_columns(source: Source, options: Namespace) -> None:
    """Leave the columns that the options want."""
    roles = (options.target, options.weights)
    for name in (*options.columns, *options.drop, *options.keep_features):
        source.require(name, "feature")
    wanted = options.columns or list(source.kinds)
    source.kept = frozenset(options.keep_features)
    kept = [name for name in source.kinds if name in wanted and name not in options.drop]
    source.kinds = {
        name: kind for name, kind in source.kinds.items() if name in kept or name in roles
    }


def _on_cluster(scheduler: str, path: str) -> Any:
    """A Dask data frame of files that the workers read."""
    from riskcard.extras import import_extra

    distributed = import_extra("distributed", "--scheduler", "dask")
    frames = import_extra("dask.dataframe", "--scheduler", "dask")
    try:
        distributed.Client(scheduler, timeout=10)
    except (OSError, TimeoutError, ValueError) as error:
        said = " ".join(str(error).split()).rstrip(".")
        raise DataError(f"No scheduler answers at {scheduler!r}: {said}.") from None
    is_seen = Path(path).is_dir() or any(glob.iglob(path, recursive=True))
    is_parquet = path.endswith((".parquet", ".pq")) or Path(path).is_dir()
    if is_seen and is_parquet:
        from riskcard.sources.file_source import FileSource

        FileSource(
            path
        )  # names a file that lacks a column or is of another kind; workers could not
    try:
        return frames.read_parquet(path) if is_parquet else frames.read_csv(path)
    except (OSError, ValueError) as error:
        said = " ".join(str(error).split())[:300].rstrip(".")
        raise DataError(f"{path!r} cannot be read: {said}.") from None
