"""Exports of cards of other outcomes than yes or no, run: they give the figures of the card."""

from __future__ import annotations

import csv
import io
import math
import sqlite3
import subprocess
import sys
import warnings

import pytest

from export_rows import rows_of
from kind_cards import KINDS, TIMES, assert_as_card, kind_cards, numbers_of
from optional import find
from riskcard.errors import ParameterError
from riskcard.export.formats import FORMATS, render
from riskcard.export.sql import card_to_sql, sql_expressions
from riskcard.model.outcome_kinds import Counts, TimeToEvent
from test_export_sql import create_table, insert_rows, records_of

CARDS = kind_cards()


def scored_rows(card, near=None):
    """Rows that have a total, each with it; ``near`` as for ``rows_of``."""
    found = []
    for row in rows_of(card, near):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                total = int(card.total_points({name: [one] for name, one in row.items()})[0])
            except ValueError:
                continue
        found.append((row, total))
    assert found
    return found


@pytest.mark.parametrize("card", CARDS)
@pytest.mark.filterwarnings("ignore:.*gets .* points")
def test_python_scores_as_the_card(card):
    names: dict = {}
    exec(render(card, "python"), names)
    columns = list(numbers_of(card, 0))
    for row, total in scored_rows(card):
        found = names["score"](row)
        assert found.total == total
        assert found[2] == pytest.approx(float(card.linear_of_total(total)))
        assert_as_card(card, total, dict(zip(columns, found[-1 - len(columns) : -1], strict=True)))


@pytest.mark.parametrize("card", CARDS[: len(KINDS)])
def test_python_scores_a_file(tmp_path, card):
    path = tmp_path / "card.py"
    card.export(path)
    text = "age,shape,density,palpable\n70,round,2,True\n30,oval,1,False\n"
    done = subprocess.run(
        [sys.executable, path], input=text, capture_output=True, text=True, check=True
    )
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert len(rows) == 2
    for row in rows:
        total = int(row.pop("total"))
        assert_as_card(card, total, {name: float(one) for name, one in row.items()})


def run_sqlite(card, query, rows):
    connection = sqlite3.connect(":memory:")
    connection.create_function("EXP", 1, lambda x: None if x is None else math.exp(x))
    connection.execute(create_table(card))
    connection.executemany(insert_rows(card), records_of(card, rows))
    found = connection.execute(query)
    names = [one[0] for one in found.description]
    return [dict(zip(names, one, strict=True)) for one in found]


def run_duckdb(card, query, rows):
    connection = find("duckdb").connect()
    connection.execute(create_table(card))
    records = records_of(card, rows)
    connection.execute(insert_rows(card, len(rows)), [one for record in records for one in record])
    found = connection.execute(query)
    names = [one[0] for one in found.description]
    return [dict(zip(names, one, strict=True)) for one in found.fetchall()]


@pytest.mark.parametrize(("dialect", "run"), [("sqlite", run_sqlite), ("duckdb", run_duckdb)])
@pytest.mark.parametrize("card", CARDS)
def test_sql_scores_as_the_card(card, dialect, run):
    scored = scored_rows(card)
    query = card_to_sql(card, dialect=dialect, keep=["n"])
    found = run(card, query, [row for row, _ in scored])
    assert len(found) == len(scored)
    for row in found:
        total = scored[row["n"]][1]
        assert row["total"] == total
        assert_as_card(card, total, {name: row[name] for name in numbers_of(card, total)})


def test_sql_expressions_are_named_by_what_they_give():
    found = sql_expressions(CARDS[0])
    assert list(found.answers) == [
        "log_hazard", "risk_by_0.5", "risk_by_365", "risk_by_1825", "relative_hazard",
    ]  # fmt: skip
    assert list(sql_expressions(CARDS[1]).answers) == ["log_rate", "rate"]
    assert list(sql_expressions(CARDS[3]).answers) == [
        "log_hazard", "at_least_some, or ½", "at_least_</script>", "at_least_worst",
    ]  # fmt: skip
    assert list(sql_expressions(CARDS[4]).answers) == ["expected"]


@pytest.mark.parametrize("card", CARDS[: len(KINDS)])
def test_the_workbook_has_a_column_for_each_number(card):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.load_workbook(io.BytesIO(render(card, "xlsx")))
    header = [cell.value for cell in book["Cases"][3]]
    if isinstance(card.kind, TimeToEvent):
        words = [f'risk by days "since" {one}' for one in ("0.5", "365", "1825")]
        assert header[-6:] == ["total", *words, "relative hazard", "remarks"]
        assert [book["Card"].cell(4, column).value for column in (4, 5, 6)] == [0.0, 0.3, 1.7]
        assert book.sheetnames == ["Cases", "Card", "Risk"]
    elif isinstance(card.kind, Counts):
        assert header[-3:] == ["total", "rate per unit of patient years", "remarks"]
        assert book.sheetnames == ["Cases", "Card", "Rate"]
    elif book.sheetnames[-1] == "Levels":
        words = ["some, or ½ or higher", "</script> or higher", "worst"]
        assert header[-5:] == ["total", *words, "remarks"]
        assert [book["Card"].cell(4, column).value for column in (4, 5, 6)] == [2.5, 0.8, 0.03]
        assert [cell.value for cell in book["Levels"][1]][:4] == ["total", *words]
    else:
        assert header[-3:] == ["total", "expected value", "remarks"]
        assert book.sheetnames == ["Cases", "Card", "Value"]
        # hundredths of a standard deviation of a half can be told apart
        assert book["Value"].cell(2, 2).number_format == "0.00"


@pytest.mark.parametrize("to", ["pmml", "onnx", "cql", "cds-hooks", "redcap", "credit"])
@pytest.mark.parametrize("card", CARDS[: len(KINDS)])
def test_formats_of_one_risk_are_refused(to, card):
    with pytest.raises(ParameterError, match="are for outcomes of yes or no, but this card gives"):
        render(card, to)
    assert to in FORMATS


@pytest.mark.parametrize("card", CARDS[: len(KINDS)])
def test_drawn_cards_have_their_table(card):
    for text in (card.to_markdown(), card.to_latex(), card.to_svg()):
        assert card.kind.figures(0.0)[-1].heading in text
        assert "Relative hazard" not in text or "1825" in text
    totals = card.reachable_totals()
    body = card.to_markdown().split("| --: |\n")[-1].split("\n\n")[0]
    assert [int(line.split("|")[1]) for line in body.splitlines()] == totals


def test_many_horizons_fit_the_sheet():
    from dataclasses import replace

    from riskcard.card.drawing.sheet import WIDTH, Words, lay_out

    kind = replace(TIMES, time="months since the operation", horizons=tuple(range(100, 1000, 100)))
    for mark in lay_out(replace(CARDS[0], kind=kind)).marks:
        if isinstance(mark, Words) and mark.anchor == "end":
            assert mark.x <= WIDTH + 0.5, mark.text
