"""What is run: the rows of the paper's tables, each once, and how a user names some of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from riskcard.errors import ParameterError
from riskcard.paper.experiments.published import PUBLISHED

#: The paper's tables, as the command names them.
TABLES = {"table1": (1,), "table2": (2,), "table3": (3,), "table4": (4,), "all": (1, 2, 3, 4)}


@dataclass(frozen=True, slots=True, order=True)
class Row:
    """One problem of the tables: its rows and features, with at most ``k`` features on the card."""

    n_rows: int
    n_features: int
    k: int

    def __str__(self) -> str:
        return f"N={self.n_rows} p={self.n_features} k={self.k}"


def rows_of(table: int) -> list[Row]:
    """The rows of one table, in the paper's order."""
    return [Row(*one.size) for one in PUBLISHED if one.table == table]


def distinct_rows(tables: Sequence[int]) -> list[Row]:
    """The rows of several tables, each once."""
    return list(dict.fromkeys(row for table in tables for row in rows_of(table)))


def choose_rows(rows: Sequence[Row], wanted: Sequence[str]) -> list[Row]:
    """The rows that fit one of the descriptions at least; all of them without any.

    Parameters
    ----------
    wanted
        Such as "N=200,p=1" or "k=2".

    Examples
    --------
    >>> choose_rows([Row(200, 1, 1), Row(200, 2, 2), Row(1000, 1, 1)], ["N=200,p=2", "N=1000"])
    [Row(n_rows=200, n_features=2, k=2), Row(n_rows=1000, n_features=1, k=1)]
    """
    if not wanted:
        return list(rows)
    conditions = {text: _read(text) for text in wanted}
    for text, condition in conditions.items():
        if not any(_fits(row, condition) for row in rows):
            known = "; ".join(map(str, rows))
            raise ParameterError(f"No row fits --rows {text}. These rows can be chosen: {known}.")
    return [row for row in rows if any(_fits(row, one) for one in conditions.values())]


def _read(text: str) -> dict[str, int]:
    condition = {}
    for part in text.split(","):
        name, _, value = part.strip().partition("=")
        if name not in ("N", "p", "k") or not value.isdigit():
            raise ParameterError(
                f"--rows {text!r} cannot be read at {part!r}. Write N=200,p=1 or k=2."
            )
        condition[name] = int(value)
    return condition


def _fits(row: Row, condition: dict[str, int]) -> bool:
    sizes = {"N": row.n_rows, "p": row.n_features, "k": row.k}
    return all(sizes[name] == value for name, value in condition.items())
