"""The Python file gives the total, the risk and the points of the card, on its own."""

import json
import math
import subprocess
import sys
import warnings
from dataclasses import replace

import pytest
from hypothesis import given, settings

from cards import heart_card, mass_card, risk_cards
from export_rows import assert_same, mixed_card, odd_card, rows_of, sample_cards
from riskcard.export.python import card_to_python

# how a row is scored in the other process; a refused one is null
RUNNER = """
import importlib.util, json, sys, warnings
warnings.simplefilter("ignore")
answers = []
for path, rows in json.load(sys.stdin):
    spec = importlib.util.spec_from_file_location("card", path)
    card = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(card)
    found = []
    for row in rows:
        try:
            found.append(card.score(row)[1::2])
        except ValueError:
            found.append((None, None))
    answers.append(found)
json.dump(answers, sys.stdout)
"""


def namespace_of(card) -> dict:
    names = {"__name__": "card"}
    exec(compile(card_to_python(card), "card.py", "exec"), names)
    return names


def scores(names, rows):
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for row in rows:
            try:
                score = names["score"](row)
                found.append((score.total, score.risk))
            except ValueError:
                found.append((None, None))
    return found


@settings(max_examples=60)
@given(risk_cards())
def test_the_function_scores_as_the_card(card):
    rows = rows_of(card)
    assert_same(card, rows, scores(namespace_of(card), rows))


def test_files_run_on_their_own(tmp_path):
    cards = [*sample_cards(risk_cards(), 30), odd_card(), mass_card(), mixed_card()]
    cards.append(heart_card(features=()))
    work = []
    for place, card in enumerate(cards):
        path = tmp_path / f"card_{place}.py"
        path.write_text(card_to_python(card), encoding="utf-8")
        work.append((str(path), rows_of(card)))
    # -I: without what is installed beside or set in the environment; -S: without site-packages
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", RUNNER],
        input=json.dumps(work),
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    for card, (_, rows), found in zip(cards, work, json.loads(done.stdout), strict=True):
        assert_same(card, rows, found)


def test_the_points_of_each_feature_are_given():
    score = namespace_of(mass_card())["score"]
    row = {"age": 61, "shape": "lobular", "density": "low", "palpable": True}
    assert score(row).points == {"age": 3, "shape": 3, "density": 2, "palpable": 1}
    assert score(row).log_odds == mass_card().log_odds(row)[0]


def test_a_guess_warns_as_the_card_does():
    score = namespace_of(mass_card())["score"]
    row = {"age": None, "shape": "square", "density": None, "palpable": 0}
    with pytest.warns(UserWarning, match="'shape' is an unseen level, 'square': it gets 0 points"):
        score(row)
    with pytest.warns(UserWarning, match="'palpable' is missing"):
        score({**row, "shape": "oval", "palpable": float("nan")})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"age": math.inf}, "'age' is infinite"),
        ({"age": 10**400}, "'age' is infinite"),
        ({"age": "old"}, "'age' is 'old', which is not a number"),
        ({"age": None}, "'age' is missing. The card has no points"),
        ({"pressure": []}, "which is not a number"),
    ],
)
def test_what_the_card_refuses_is_refused(change, words):
    score = namespace_of(heart_card())["score"]
    with pytest.raises(ValueError, match=words):
        score({"age": 60, "pressure": 0.1, **change})


def test_numbers_in_texts_and_numpy_and_pandas_values_are_read():
    np, pd = pytest.importorskip("numpy"), pytest.importorskip("pandas")
    card = replace(mass_card(), base=2)
    score = namespace_of(card)["score"]
    row = {"age": " 61 ", "shape": np.str_("oval"), "density": pd.NA, "palpable": np.bool_(True)}
    assert score(row).total == 2 + 3 + 0 + 1 + 1
    row = {"age": np.float32(45), "shape": "oval", "density": pd.NaT, "palpable": np.int64(1)}
    assert score(row).total == 2 + 0 + 0 + 1 + 1


def run_file(tmp_path, card, cells: str, *arguments: str):
    path = tmp_path / "card.py"
    path.write_text(card_to_python(card), encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-I", path, *arguments],
        input=cells.encode(),
        capture_output=True,
        check=False,
    )


def test_a_csv_file_is_scored(tmp_path):
    header = "id,palpable,shape,density,age\n"
    done = run_file(
        tmp_path, mass_card(), "\ufeff" + header + "1,TRUE,oval,low,61\n2,0,lobular,,-9\n"
    )
    assert done.returncode == 0, done.stderr
    rows = [line.split(",") for line in done.stdout.decode().splitlines()]
    assert rows[0] == ["total", "risk"]
    assert [int(total) for total, _ in rows[1:]] == [3 + 0 + 2 + 1, 2 + 3 + 1 + 0]
    risks = [float(risk) for _, risk in rows[1:]]
    assert risks == pytest.approx(mass_card().risk_of_total([6, 6]), rel=1e-14)


def test_a_csv_file_that_cannot_be_scored_says_where(tmp_path):
    done = run_file(tmp_path, heart_card(), "age,pressure\n60,0.1\n60,x\n")
    assert done.returncode == 1
    assert "Row 2: 'pressure' is 'x', which is not a number." in done.stderr.decode()
    done = run_file(tmp_path, heart_card(), "age\n60\n")
    assert "The file has no column 'pressure'." in done.stderr.decode()


def test_a_file_named_on_the_command_line_is_refused_with_the_right_command(tmp_path):
    done = run_file(tmp_path, heart_card(), "", "rows.csv")
    assert done.returncode == 1
    assert done.stderr.decode().rstrip().endswith("card.py < rows.csv")
