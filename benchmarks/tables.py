"""The tables: a folder of CSV files, scikit-learn's own, and the synthetic families; two views of each.

*As it comes* a table has numbers, levels and missing values. The *plain* view is for methods that take
numbers only, and for questions where all methods shall have the very same columns: a missing value is one
less than the smallest number of its column, a category has one column of 0 and 1 for each level,
and one for missing values.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import RepeatedStratifiedKFold

from benchmarks.families import FAMILIES
from benchmarks.million import make_rows

__all__ = ["Table", "folds_of", "load_table", "names_of_tables", "read_csv"]

Floats = NDArray[np.float64]
#: Rows of a synthetic table unless its name says otherwise.
ROWS = 1000


@dataclass(frozen=True, slots=True)
class Table:
    """Rows and labels.

    Attributes
    ----------
    values
        Numbers; of a categorical column the number of its level; NaN where missing.
    levels
        Of each column; None for numbers.
    planted
        Column and value of the cuts behind the labels, where they are known.
    """

    name: str
    columns: tuple[str, ...]
    values: Floats
    levels: tuple[tuple[str, ...] | None, ...]
    y: NDArray[np.int64]
    planted: tuple[tuple[int, float], ...] | None = None

    def plain(self) -> Table:
        """Numbers only."""
        names, columns = [], []
        for place, (name, levels) in enumerate(zip(self.columns, self.levels, strict=True)):
            values = self.values[:, place]
            is_hole = np.isnan(values)
            if levels is None:
                least = np.nanmin(values) if not is_hole.all() else 0.0
                names.append(name)
                columns.append(np.where(is_hole, least - 1, values))
                continue
            for code, level in enumerate(levels):
                names.append(f"{name} = {level}")
                columns.append((values == code).astype(float))
            if is_hole.any():
                names.append(f"{name} missing")
                columns.append(is_hole.astype(float))
        nothing: tuple[tuple[str, ...] | None, ...] = (None,) * len(names)
        return Table(
            self.name, tuple(names), np.column_stack(columns), nothing, self.y, self.planted
        )


def read_csv(path: Path) -> Table:
    """A CSV file: a header, the target (0 or 1) last, empty cells missing, texts are levels."""
    with path.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    cells = list(zip(*rows, strict=True))
    columns, all_levels = [], []
    for texts in cells[:-1]:
        values, levels = _read_column(texts)
        columns.append(values)
        all_levels.append(levels)
    y = np.array([int(float(text)) for text in cells[-1]], dtype=np.int64)
    return Table(path.stem, tuple(header[:-1]), np.column_stack(columns), tuple(all_levels), y)


def _read_column(texts: tuple[str, ...]) -> tuple[Floats, tuple[str, ...] | None]:
    try:
        return np.array([float(text) if text else np.nan for text in texts]), None
    except ValueError:
        levels = tuple(sorted({text for text in texts if text}))
        codes = {level: code for code, level in enumerate(levels)}
        return np.array([codes.get(text, np.nan) for text in texts], dtype=float), levels


def names_of_tables(folder: Path | None) -> list[str]:
    """What ``load_table`` knows: the files of the folder, scikit-learn's table, the families."""
    files = [] if folder is None else sorted(path.stem for path in folder.glob("*.csv"))
    return [*files, "breast_cancer", *FAMILIES]


def load_table(name: str, folder: Path | None) -> Table:
    """A table by its name.

    Parameters
    ----------
    name
        A file of the folder without its ending; "breast_cancer"; or a family, which may be followed
        by rows and a seed: "planted:1000:3"; or "steps:ROWS:COLUMNS", whose growth is measured.
    """
    family, *numbers = name.split(":")
    if family in FAMILIES:
        n_rows = int(numbers[0]) if numbers else ROWS
        made = FAMILIES[family].make(n_rows, int(numbers[1]) if len(numbers) > 1 else 0)
        columns = tuple(f"x{place + 1}" for place in range(made.values.shape[1]))
        return Table(name, columns, made.values, (None,) * len(columns), made.y, made.cuts)
    if family == "steps":
        values, y = make_rows(int(numbers[0]), int(numbers[1]))
        columns = tuple(f"x{place + 1}" for place in range(values.shape[1]))
        return Table(name, columns, values, (None,) * len(columns), y)
    if name == "breast_cancer":
        data = load_breast_cancer()
        columns = tuple(map(str, data.feature_names))
        # scikit-learn calls the benign 1; the event is the malignant
        return Table(name, columns, data.data, (None,) * len(columns), 1 - data.target)
    path = Path("." if folder is None else folder) / f"{name}.csv"
    if folder is None or not path.exists():
        known = ", ".join(names_of_tables(folder))
        raise SystemExit(f"There is no table {name!r}. Known are {known}; --data gives a folder.")
    return read_csv(path)


def folds_of(table: Table, folds: int) -> list[tuple[NDArray, NDArray]]:
    """The rows to fit and the rows to look at, of each fold."""
    splitter = RepeatedStratifiedKFold(n_splits=folds, n_repeats=1, random_state=0)
    return list(splitter.split(np.zeros(len(table.y)), table.y))
