"""Exports of cards of other outcomes than yes or no in Node, LibreOffice and LaTeX."""

from __future__ import annotations

import io
import json
import subprocess

import pytest

from kind_cards import KINDS, assert_as_card, kind_cards, numbers_of
from riskcard.export.formats import render
from riskcard.export.workbook import FIRST_ROW
from test_export_kinds import scored_rows

RUNNER = """
import { readFileSync } from "node:fs";
import { score } from "./card.mjs";
console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map((row) => {
  try { return score(row); } catch (error) { return { error: String(error) }; }
})));
"""


@pytest.mark.parametrize("card", kind_cards())
def test_node_scores_as_the_card(card, find_program, tmp_path):
    (tmp_path / "run.mjs").write_text(RUNNER, encoding="utf-8")
    (tmp_path / "card.mjs").write_text(render(card, "javascript"), encoding="utf-8")
    scored = scored_rows(card)
    done = subprocess.run(
        [find_program("node"), "run.mjs"], input=json.dumps([row for row, _ in scored]),
        capture_output=True, text=True, check=True, cwd=tmp_path,
    )  # fmt: skip
    answers = json.loads(done.stdout)
    assert sum("total" in one for one in answers) > len(answers) / 2
    for found, (_, total) in zip(answers, scored, strict=True):
        if "error" in found:  # levels that look alike in JSON
            continue
        assert found["total"] == total
        single = {"rate": "rate", "expected": "expected", "relativeHazard": "relative_hazard"}
        numbers = {name: found[key] for key, name in single.items() if key in found}
        for key, start in (("riskBy", "risk_by_"), ("atLeast", "at_least_")):
            numbers |= {f"{start}{text}": one for text, one in found.get(key, {}).items()}
        # the keys of an object are in another order where they are whole numbers
        assert_as_card(card, total, {name: numbers[name] for name in numbers_of(card, total)})


@pytest.mark.parametrize("card", kind_cards()[: len(KINDS)])
def test_libreoffice_scores_as_the_card(card, find_program, find_module, tmp_path):
    openpyxl = find_module("openpyxl")
    book = openpyxl.load_workbook(io.BytesIO(render(card, "xlsx", rows=40)))
    # a spreadsheet holds fifteen digits
    scored = scored_rows(card, lambda cut: [cut - 1, cut + 1])[:40]
    for place, (row, _) in enumerate(scored, FIRST_ROW):
        for column, feature in enumerate(card.features, 2):
            book["Cases"].cell(place, column).value = row[feature.name]
    book.save(tmp_path / "book.xlsx")
    subprocess.run(
        [find_program("soffice"), "--headless", "--norestore", f"-env:UserInstallation={tmp_path.as_uri()}/profile",
         "--convert-to", "xlsx", "--outdir", tmp_path / "done", tmp_path / "book.xlsx"],
        capture_output=True, check=True,
    )  # fmt: skip
    done = openpyxl.load_workbook(tmp_path / "done" / "book.xlsx", data_only=True)
    columns = list(numbers_of(card, 0))
    first = 2 * len(card.features) + 2
    for place, (_, total) in enumerate(scored, FIRST_ROW):
        cells = [done["Cases"].cell(place, first + one).value for one in range(len(columns) + 1)]
        assert cells[0] == total
        assert_as_card(card, total, dict(zip(columns, cells[1:], strict=True)))
    sheet = done[done.sheetnames[-1]]
    for row, total in enumerate(card.reachable_totals(), 2):
        cells = [sheet.cell(row, 2 + one).value for one in range(len(columns))]
        assert_as_card(card, total, dict(zip(columns, cells, strict=True)))


@pytest.mark.parametrize("card", kind_cards()[: len(KINDS)])
def test_latex_sets_the_card(card, find_program, tmp_path):
    (tmp_path / "card.tex").write_text(card.to_latex(document=True), encoding="utf-8")
    done = subprocess.run(
        [find_program("pdflatex"), "-interaction=nonstopmode", "-halt-on-error", "card.tex"],
        capture_output=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
