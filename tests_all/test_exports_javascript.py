"""The JavaScript gives the total and the risk of the card in Node, as a module and as a script."""

import json
import math
import subprocess
import warnings

import pytest

from cards import heart_card, mass_card, risk_cards
from export_rows import assert_same, mixed_card, odd_card, rows_of, sample_cards, typed_cards
from riskcard.credit.scaling import to_credit_points
from riskcard.export.javascript import card_to_javascript
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints, LevelPoints
from riskcard.model.words.labels import FeatureLabel, Labels

# rows come as JSON, in which infinity and undefined are written as words
RUNNER = """
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
const require = createRequire(import.meta.url);
const words = { "number:Infinity": Infinity, "number:-Infinity": -Infinity, "number:NaN": NaN };
const revive = (key, value) => (Object.hasOwn(words, value) ? words[value] : value);
const answers = [];
for (const [path, rows] of JSON.parse(readFileSync(0, "utf8"), revive)) {
  const { score } = path.endsWith(".mjs") ? await import(path) : require(path);
  answers.push(rows.map((row) => {
    try {
      return score(row);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return { total: null, risk: null, error: error.message };
    }
  }));
}
console.log(JSON.stringify(answers));
"""


@pytest.fixture
def run_cards(find_program, tmp_path):
    """Scores of rows by several cards, each (card, rows), in one process of Node."""

    def run(work, form="module"):
        node = find_program("node")
        (tmp_path / "run.mjs").write_text(RUNNER, encoding="utf-8")
        asked = []
        for place, (card, rows) in enumerate(work):
            path = tmp_path / f"card_{place}.{'mjs' if form == 'module' else 'js'}"
            path.write_text(card_to_javascript(card, form), encoding="utf-8")
            asked.append((str(path), rows))
        done = subprocess.run(
            [node, tmp_path / "run.mjs"],
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def is_exact(card) -> bool:
    levels = [level for one in card.features for level in getattr(one, "levels", ())]
    return all(abs(level) <= 2**53 for level in levels if isinstance(level, int))


@pytest.mark.parametrize("form", ["module", "script"])
def test_node_scores_as_the_card(run_cards, form):
    cards = [*sample_cards(risk_cards(), 60), *sample_cards(typed_cards(), 60)]
    cards = [*filter(is_exact, cards), odd_card(), mass_card(), mixed_card()]
    work = [(card, rows_of(card)) for card in [*cards, heart_card(features=())]]
    answers = run_cards(work, form)
    for (card, rows), found in zip(work, answers, strict=True):
        assert_same(card, rows, [(one["total"], one["risk"]) for one in found])


@pytest.mark.parametrize("is_scaled", [False, True])
def test_reasons_are_those_of_the_explanation(run_cards, is_scaled):
    labels = Labels(features={"shape": FeatureLabel(reason="The outline is </irregular>")})
    card = mass_card().with_labels(labels)
    card = to_credit_points(card).card if is_scaled else card
    rows = [row for row in rows_of(card) if row["age"] is not None]
    (answers,) = run_cards([(card, rows)])
    assert len(answers) == len(rows) > 30
    for row, found in zip(rows, answers, strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            why = card.explain(row)
        assert found["reasons"] == [one.reason or one.feature for one in why.reasons]
    assert max(len(found["reasons"]) for found in answers) >= 3


def test_points_log_odds_and_guesses_are_given(run_cards):
    row = {"age": None, "shape": "square", "density": "low", "palpable": 1}
    ((found,),) = run_cards([(mass_card(), [row])])
    assert found["points"] == {"age": 1, "shape": 0, "density": 2, "palpable": 1}
    assert found["logOdds"] == float(mass_card().log_odds_of_total(4))
    assert found["guesses"] == ["shape"]


def test_numbers_are_read_from_texts_as_documented(run_cards):
    card = RiskCard([FeaturePoints("x", [12, 1000], [1, 2, 3], missing=7)])
    read = {" 12 ": 1, "+12.5": 2, "-1e3": 1, "1E3": 2, ".5": 1, "1001.": 3, True: 1}
    missing = ["", "  ", "nan", "number:NaN", None]
    refused = ["12,5", "0x10", "1_000", "Infinity", "twelve", "1e400", "number:Infinity", [], {}]
    rows = [{"x": value} for value in [*read, *missing, *refused]]
    (answers,) = run_cards([(card, [*rows, {}])])
    totals = [answer["total"] for answer in answers]
    assert totals == [*read.values(), *[7] * len(missing), *[None] * (len(refused) + 1)]
    assert answers[-1]["error"] == 'The row has no "x".'
    assert answers[-2]["error"] == '"x" is not a number.'
    assert answers[len(read) + len(missing)]["error"] == '"x" is "12,5", not a number.'


def test_what_has_no_points_is_refused_with_the_reason(run_cards):
    card = RiskCard([LevelPoints("__proto__", [["a"]], [1])])
    rows = [{"__proto__": value} for value in ["b", None, "number:-Infinity", []]]
    (answers,) = run_cards([(card, [*rows, {}, {"__proto__": "a"}])])
    assert [answer.get("error") for answer in answers] == [
        '"__proto__" is "b", an unknown level. The card has no points for that.',
        '"__proto__" is missing. The card has no points for that.',
        '"__proto__" is infinite. Give a finite number.',
        '"__proto__" is not a text, a number or a boolean.',
        'The row has no "__proto__".',
        None,
    ]
    assert answers[-1]["total"] == 1


def test_extreme_log_odds_do_not_overflow(run_cards):
    card = RiskCard([FeaturePoints("x", [0, 1], [-(10**9), 0, 10**9])], -7, 0.001)
    rows = [{"x": -1.0}, {"x": 1.0}, {"x": 2.0}, {"x": math.nextafter(0, 1)}]
    (found,) = run_cards([(card, rows)])
    assert_same(card, rows, [(one["total"], one["risk"]) for one in found])
