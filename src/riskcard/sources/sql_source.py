"""A table in a database: it is asked for counts, and for a sample, by queries that are the same everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from riskcard.errors import DataError
from riskcard.sources.coding import Counts, FeatureCodes, n_patterns
from riskcard.sources.groups import Groups, add_up
from riskcard.sources.look import MOST_TEXTS, Look
from riskcard.sources.rows import Kind, Wanted, bad_weight, infinite
from riskcard.sources.sample import (
    MISSING,
    PRIME,
    SHIFT,
    Sample,
    factors_of,
    join,
)
from riskcard.sources.source import LabelCounts, Query, Source
from riskcard.sources.sql_dialects import Dialect, number, quoted
from riskcard.sources.windows import Window, WindowCounts

#: How much wider a sample is drawn when it has fewer different rows than wanted.
WIDER = 8


class SqlSource(Source):
    """A table, or the rows of a query, in a database.

    Parameters
    ----------
    connection
        Has ``execute``, as those of duckdb and psycopg.
    dialect
        How the database writes what is not the same everywhere.
    table
        The name of a table, or a query in brackets.
    """

    def __init__(self, connection: Any, dialect: Dialect, table: str) -> None:
        self._connection, self._dialect = connection, dialect
        is_query = table.lstrip().startswith("(")
        self._from = f"{table} AS rows_of_query" if is_query else _qualified(table)
        self.name = "The query" if is_query else f"The table {table!r}"
        self.kinds, self.unusable = {}, {}
        for name, type_ in dialect.columns_of(self._ask, self._from):
            kind = dialect.kind_of(type_)
            if kind is None:
                self.unusable[name] = type_
            else:
                self.kinds[name] = kind

    def write(self, table: str, query: str) -> int:
        """Write the rows of a query to a new table, whole or not at all; how many there are."""
        self._ask(f"CREATE TABLE {_qualified(table)} AS {query}", "scores", has_answer=False)
        ((rows,),) = self._ask(f"SELECT count(*) FROM {_qualified(table)}")
        return int(rows)

    def count_labels(self, wanted: Wanted) -> LabelCounts:
        weight = self._weight(wanted)
        if wanted.weights is not None:
            own = self._number(wanted.weights, Kind.NUMBER)
            bad = self._ask(
                f"SELECT {own} FROM {self._from} WHERE {own} IS NULL OR {own} < 0 "
                f"OR {own} <> floor({own}) OR {own} >= {2**53} LIMIT 1"
            )
            if bad:
                raise bad_weight(wanted.weights, float("nan") if bad[0][0] is None else bad[0][0])
        found = self._ask(
            f"SELECT {quoted(wanted.target)}, count(*), sum({weight}), sum({weight} * {weight}) "
            f"FROM {self._from} WHERE {weight} > 0 GROUP BY 1",
            "labels",
        )
        return {row[0]: np.array([int(one) for one in row[1:]], dtype=object) for row in found}

    def look(self, wanted: Wanted) -> Look:
        asked, texts = [], {}
        for f, (name, kind) in enumerate(wanted.features.items()):
            own = self._number(name, kind)
            if kind is Kind.TEXT:
                found = self._ask(
                    f"SELECT DISTINCT {quoted(name)} FROM {self._rows(wanted)} "
                    f"WHERE {quoted(name)} IS NOT NULL LIMIT {MOST_TEXTS + 1}"
                )
                known = sorted(row[0] for row in found)
                texts[f] = tuple(known) if len(known) <= MOST_TEXTS else None
                asked.append(f"NULL, NULL, count(*) - count({quoted(name)}), NULL")
                continue
            shown = own
            if wanted.codes.get(name):
                listed = ", ".join(map(number, wanted.codes[name]))
                shown = f"CASE WHEN {own} IN ({listed}) THEN NULL ELSE {own} END"
            asked.append(
                f"min({shown}), max({shown}), count(*) - count({own}), bool_and({shown} = floor({shown}))"
            )
        row = self._ask(f"SELECT count(*), {', '.join(asked)} FROM {self._rows(wanted)}", "ranges")[
            0
        ]
        parts = np.array(row[1:], dtype=object).reshape(-1, 4)
        for name, (low, high, _, _) in zip(wanted.features, parts, strict=True):
            if low is not None and not np.isfinite([low, high]).all():
                raise infinite(name)
        return Look(
            np.array([np.inf if one is None else one for one in parts[:, 0]], dtype=np.float64),
            np.array([-np.inf if one is None else one for one in parts[:, 1]], dtype=np.float64),
            parts[:, 2].astype(np.int64),
            np.array([one is None or bool(one) for one in parts[:, 3]], dtype=bool),
            texts,
            self._sample(wanted, texts, int(row[0])),
        )

    def count(self, wanted: Wanted, features: Sequence[FeatureCodes]) -> Counts:
        pattern = self._pattern(wanted, features)
        checks: dict[int, str] = {}
        for place, feature in enumerate(features):
            own = self._number(feature.name, wanted.features[feature.name])
            if feature.values is not None:
                listed = ", ".join(map(number, [*feature.values, *feature.specials]))
                checks[place] = f"bool_and({own} IS NULL OR {own} IN ({listed}))"
        rows, weight = self._rows(wanted), self._weight(wanted)
        found = self._ask(
            f"SELECT 2 * {pattern} + {self._event(wanted)}, count(*), sum({weight}) FROM {rows} "
            "GROUP BY 1",
            "counts",
        )
        size = 2 * n_patterns(features)
        counts, weights = (np.zeros(size, dtype=np.int64) for _ in range(2))
        for pattern_of, n_rows, total in found:
            counts[int(pattern_of)], weights[int(pattern_of)] = int(n_rows), int(total)
        have_no_others = np.zeros(len(features), dtype=bool)
        if checks:
            (answers,) = self._ask(f"SELECT {', '.join(checks.values())} FROM {rows}")
            have_no_others[list(checks)] = [one is not False for one in answers]
        return Counts(counts.reshape(-1, 2), weights.reshape(-1, 2), have_no_others)

    def _group(self, wanted: Wanted, features: tuple[FeatureCodes, ...], most: int) -> Groups:
        found = self._ask(
            f"SELECT 2 * {self._pattern(wanted, features)} + {self._event(wanted)}, {self._weight(wanted)}, "
            f"count(*) FROM {self._rows(wanted)} GROUP BY 1, 2 LIMIT {most + 1}",
            "counts",
        )
        if not found:
            raise DataError(f"{self.name} has no rows. Give a table with rows.")
        self.require_few(len(found), most)
        return Groups.of(*np.array(found, dtype=np.int64).reshape(-1, 3).T)

    def count_windows(self, wanted: Wanted, windows: Sequence[Window]) -> list[WindowCounts]:
        rows, asked = self._rows(wanted), []
        for window in windows:
            own, at = self._number_of(window), number(window.at)
            asked += [
                f"max(CASE WHEN {own} <= {at} THEN {own} END)",
                f"min(CASE WHEN {own} > {at} THEN {own} END)",
            ]
        (ends,) = self._ask(f"SELECT {', '.join(asked)} FROM {rows}", "neighbours of cuts")
        found = []
        for place, window in enumerate(windows):
            low, high = ends[2 * place : 2 * place + 2]
            own_ends = -np.inf if low is None else low, np.inf if high is None else high
            groups = self._ask(self._window_query(wanted, window), "finer counts")
            cells = list(zip(*groups, strict=True)) or [(), (), ()]
            numbers = np.array(cells[0], dtype=np.float64)
            keys, weights = (
                np.array([int(one) for one in own], dtype=np.int64) for own in cells[1:]
            )
            sums = add_up(numbers, keys, weights)
            found.append(WindowCounts.of(sums, window.most, own_ends))
        return found

    def _window_query(self, wanted: Wanted, window: Window) -> str:
        own, keys = self._number_of(window), self._event(wanted)
        for one in window.others:
            code = self._code(
                one.codes, self._number(one.codes.name, wanted.features[one.codes.name])
            )
            points = " ".join(f"WHEN {place} THEN {2 * p}" for place, p in enumerate(one.points))
            keys += f" + CASE {code} {points} END"
        shown = own if window.is_by_number else _tree(own, window.feature.cuts.tolist(), 0)
        inside = " OR ".join(
            f"({own} > {number(low)} AND {own} <= {number(high)})" for low, high in window.intervals
        )
        return (
            f"SELECT {shown}, {keys}, sum({self._weight(wanted)}) FROM {self._rows(wanted)} WHERE {inside} "
            f"GROUP BY 1, 2 LIMIT {window.most + 1}"
        )

    def _number_of(self, window: Window) -> str:
        """A number of the feature of a window; NULL for a code."""
        own = self._number(window.feature.name, Kind.NUMBER)
        if not window.feature.specials:
            return own
        listed = ", ".join(map(number, window.feature.specials))
        return f"(CASE WHEN {own} IN ({listed}) THEN NULL ELSE {own} END)"

    def _pattern(self, wanted: Wanted, features: Sequence[FeatureCodes]) -> str:
        """The number of the pattern of a row."""
        pattern = "CAST(0 AS BIGINT)"
        for feature in features:
            own = self._number(feature.name, wanted.features[feature.name])
            pattern = f"({pattern} * {feature.n_codes} + {self._code(feature, own)})"
        return pattern

    def _sample(self, wanted: Wanted, texts: Any, n_rows: int) -> Sample:
        """The sample: rows with small hashes are asked for until there are enough."""
        most = wanted.sample_rows
        limit = PRIME if n_rows <= 2 * most else int(PRIME * (2 * most / n_rows))
        while True:
            found = self._ask(self._sample_query(wanted, min(limit, PRIME)), "a sample")
            if len(found) > most or limit >= PRIME:
                break
            limit *= WIDER
        columns = list(zip(*found, strict=True)) if found else [()] * (len(wanted.features) + 4)
        values = np.empty((len(found), len(wanted.features)))
        for f in range(len(wanted.features)):
            cells: Sequence[Any] = columns[f]
            if f in texts:
                known = {text: float(place) for place, text in enumerate(texts[f] or ())}
                cells = [known.get(text) for text in cells]
            values[:, f] = [np.nan if cell is None else cell for cell in cells]
        is_event, hashes, counts, weights = (
            np.array([int(cell) for cell in column], dtype=np.int64) for column in columns[-4:]
        )
        drawn = Sample(values, is_event.astype(bool), hashes, counts, weights, limit >= PRIME)
        return join([drawn], most)

    def _sample_query(self, wanted: Wanted, limit: int) -> str:
        names = [f"f{f}" for f in range(len(wanted.features))]
        cells, words = [], []
        factors = factors_of(len(names))
        for own, (name, kind), (first, second) in zip(
            names, wanted.features.items(), factors, strict=True
        ):
            cells.append(f"{self._number(name, kind)} AS {own}")
            high, low = self._dialect.words_of(own, kind)
            missing = MISSING[0] * first + MISSING[1] * second
            words.append(f"COALESCE({high} * {first} + {low} * {second}, {missing}) % {PRIME}")
        further = f"{self._event(wanted)} AS is_event, {self._weight(wanted)} AS weight"
        query = f"SELECT {', '.join(cells)}, {further} FROM {self._rows(wanted)}"
        query = f"SELECT *, ({' + '.join(words)}) % {PRIME} AS h FROM ({query}) AS a"
        known = ", ".join([*names, "is_event", "weight"])
        for _ in range(2):
            query = f"SELECT {known}, h, h * h % {PRIME} AS s FROM ({query}) AS b"
            power = f"(s * s % {PRIME}) * h % {PRIME}"
            query = f"SELECT {known}, ({power} + {SHIFT}) % {PRIME} AS h FROM ({query}) AS c"
        group = ", ".join([*names, "is_event", "h"])
        return (
            f"SELECT {group}, count(*), sum(weight) FROM ({query}) AS d WHERE h <= {limit} "
            f"GROUP BY {group}"
        )

    def _number(self, name: str, kind: Kind) -> str:
        return self._dialect.cell(quoted(name), kind)

    def _weight(self, wanted: Wanted) -> str:
        if wanted.weights is None:
            return "1"
        return f"CAST({quoted(wanted.weights)} AS BIGINT)"

    def _rows(self, wanted: Wanted) -> str:
        if wanted.weights is None:
            return self._from
        return f"(SELECT * FROM {self._from} WHERE {self._weight(wanted)} > 0) AS weighted"

    def _event(self, wanted: Wanted) -> str:
        return f"CASE WHEN {quoted(wanted.target)} = {literal(wanted.event)} THEN 1 ELSE 0 END"

    def _code(self, feature: FeatureCodes, own: str) -> str:
        whens = [
            f"WHEN {own} = {number(special)} THEN {feature.n_bins + place}"
            for place, special in enumerate(feature.specials)
        ]
        if feature.has_missing:
            whens.insert(0, f"WHEN {own} IS NULL THEN {feature.n_codes - 1}")
        if feature.levels is not None:
            whens += [
                f"WHEN {own} = {literal(text)} THEN {place}"
                for place, text in enumerate(feature.levels)
            ]
            others = f" ELSE {feature.n_bins}" if feature.has_others else ""
            return f"CASE {' '.join(whens)}{others} END"
        tree = _tree(own, feature.cuts.tolist(), 0)
        return f"CASE {' '.join(whens)} ELSE {tree} END" if whens else tree

    def _ask(self, query: str, what: str = "", has_answer: bool = True) -> list[Any]:
        with Query(what, is_quiet=not (self.is_shown and what)):
            try:
                answer = self._connection.execute(query)
                return list(answer.fetchall()) if has_answer else []
            except self._dialect.errors() as error:
                said = " ".join(str(error).split())[:300].rstrip(".")
                raise DataError(f"{self.name}: the database refused a query: {said}.") from None


def _tree(own: str, cuts: list[float], first: int) -> str:
    """The number of cuts below a value, by halving."""
    if not cuts:
        return str(first)
    middle = len(cuts) // 2
    low = _tree(own, cuts[:middle], first)
    high = _tree(own, cuts[middle + 1 :], first + middle + 1)
    return f"CASE WHEN {own} <= {number(cuts[middle])} THEN {low} ELSE {high} END"


def literal(value: Any) -> str:
    """A label or a text in SQL."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return number(value) if isinstance(value, float) else str(value)


def _qualified(table: str) -> str:
    return ".".join(quoted(part) for part in table.split("."))
