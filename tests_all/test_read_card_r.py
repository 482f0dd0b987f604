"""The R script of the examples gives the totals and risks of the card, guesses and errors included."""

import csv
import json
import subprocess
import warnings
from pathlib import Path

import pytest

from cards import heart_card, mass_card, risk_cards
from export_rows import assert_same, odd_card, rows_of, sample_cards, typed_cards
from riskcard.credit.scaling import to_credit_points

SCRIPT = Path(__file__).parents[1] / "examples" / "read_card.R"
# one data frame per row: a column of a frame has one type, as here the level of each row has
RUNNER = """
source(commandArgs(trailingOnly = TRUE)[1])
score_row <- function(card, row) {
  row <- as.data.frame(lapply(row, function(value) if (is.null(value)) NA else value),
                       check.names = FALSE, stringsAsFactors = TRUE)
  tryCatch(suppressWarnings(as.list(score_card(card, row))),
           error = function(problem) list(total = NULL, risk = NULL, error = conditionMessage(problem)))
}
asked <- jsonlite::fromJSON(file("stdin"), simplifyVector = FALSE)
answers <- lapply(asked, function(one) {
  card <- read_card(one$card)
  lapply(one$rows, function(row) score_row(card, row))
})
cat(jsonlite::toJSON(answers, auto_unbox = TRUE, digits = NA, null = "null"))
"""
CARDS = {
    "heart": [heart_card()],
    "mass": [mass_card()],
    "odd": [odd_card()],
    "credit": [to_credit_points(mass_card()).card],
    # a data frame without columns has no rows in R
    "random": [
        card
        for card in sample_cards(typed_cards(), 15) + sample_cards(risk_cards(), 6)
        if card.features
    ],
}


@pytest.fixture(scope="module")
def rscript(find_program):
    program = find_program("Rscript")
    has_package = subprocess.run([program, "-e", "library(jsonlite)"], capture_output=True)
    if has_package.returncode != 0:
        pytest.skip("the R package jsonlite is not installed")
    return program


@pytest.mark.parametrize("name", CARDS)
def test_r_gives_the_totals_and_risks_of_the_card(name, rscript, tmp_path):
    (tmp_path / "run.R").write_text(RUNNER, encoding="utf-8")
    asked = []
    for place, card in enumerate(CARDS[name]):
        path = tmp_path / f"card_{place}.json"
        card.save(path)
        asked.append({"card": str(path), "rows": rows_of(card)})
    done = subprocess.run(
        [rscript, str(tmp_path / "run.R"), str(SCRIPT)],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    for card, one, answers in zip(CARDS[name], asked, json.loads(done.stdout), strict=True):
        found = [(answer.get("total"), answer.get("risk")) for answer in answers]
        assert_same(card, one["rows"], found)


def test_the_script_reads_a_file_and_writes_one(rscript, tmp_path):
    card, rows = mass_card(), rows_of(mass_card())[:20]
    rows = [row | {"palpable": bool(row["palpable"])} for row in rows]
    card.save(tmp_path / "card.json")
    with open(tmp_path / "rows.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(
            [{key: "NA" if one is None else one for key, one in row.items()} for row in rows]
        )
    command = [rscript, str(SCRIPT), str(tmp_path / "card.json"), str(tmp_path / "rows.csv")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = list(csv.DictReader(done.stdout.splitlines()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        totals = [int(card.total_points(row)[0]) for row in rows]
    assert [int(one["total"]) for one in found] == totals
    assert [float(one["risk"]) for one in found] == pytest.approx(
        card.risk_of_total(totals), rel=1e-14
    )
