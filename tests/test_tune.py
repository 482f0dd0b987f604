"""The commands tune and stability: what they show, what they write, what they refuse."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import numpy as np
import pytest

from riskcard import CardRules, Regularization, RiskCard, RiskScoreClassifier, RiskScoreClassifierCV
from riskcard.cli.main import main
from riskcard.cli.parser import make_parser
from riskcard.formatting.speech import speaking, translated
from riskcard.progress import WorkBar

ROOT = Path(__file__).parents[1]


def ward_rows(n_rows: int = 120) -> list[dict[str, object]]:
    """Rows whose outcome follows age, from 12 wards."""
    random = np.random.default_rng(4)
    rows = []
    for row in range(n_rows):
        age = int(random.integers(30, 90))
        chance = 0.85 if age > 60 else 0.15
        outcome = "ill" if random.random() < chance else "well"
        rows.append({"ward": f"W{row % 12}", "age": age, "dose": round(random.random(), 2),
                     "weight": 1 + row % 3, "outcome": outcome})  # fmt: skip
    return rows


def write(path: Path, rows: list[dict[str, object]]) -> str:
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


@pytest.fixture
def data(tmp_path):
    return write(tmp_path / "wards.csv", ward_rows())


def run(capsys, *words: object) -> tuple[int, str, str]:
    code = main([str(word) for word in words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


NUMBERS = ["--target", "outcome", "--event", "ill", "--columns", "age", "dose"]
QUICK = [*NUMBERS, "--max-terms", "2", "--cv", "3"]


# --- tune ---------------------------------------------------------------------------------------


def test_tune_writes_the_card_the_scores_and_the_plot_that_it_shows(tmp_path, data, capsys):
    pytest.importorskip("matplotlib")
    card, scores, plot = (tmp_path / name for name in ("card.json", "scores.csv", "plot.png"))
    code, out, err = run(capsys, "tune", data, *QUICK, "-o", card, "--csv", scores, "--plot", plot)
    assert code == 0
    assert err.endswith(f"\nWrote {card}, {scores}, {plot}.\n")
    found = RiskCard.load(card)
    assert str(found) in out
    assert found.outcome == "outcome"
    assert found.classes == ("well", "ill")
    assert plot.read_bytes().startswith(b"\x89PNG")
    lines = list(csv.DictReader(io.StringIO(scores.read_text(encoding="utf-8"))))
    assert [line["n_terms"] for line in lines] == ["0", "1", "2"]
    (chosen,) = [line for line in lines if line["is_chosen"] == "True"]
    assert f"Chosen: {chosen['n_terms']} term" in out
    assert out.startswith("Log-loss on the held-out rows of 6 folds (lower is better)\n")
    shown = [row.split() for row in out.split("Chosen")[0].splitlines() if re.match(r"\s+\d", row)]
    assert [row[1] for row in shown] == [f"{-float(line['mean_test_score']):.4f}" for line in lines]
    assert [row[4] for row in shown] == [f"{float(line['mean_test_auc']):.3f}" for line in lines]
    assert shown[1][5] == f"{float(lines[1]['test_slope']):.2f}"


def test_tune_without_output_says_that_nothing_is_saved(data, capsys):
    code, out, err = run(capsys, "tune", data, *QUICK)
    assert code == 0
    assert "one-standard-error rule" in out.replace("\n", " ").replace("one- ", "one-")
    assert "Not saved" in err


def test_quiet_tune_says_nothing(tmp_path, data, capsys):
    path = tmp_path / "card.json"
    assert run(capsys, "tune", data, *QUICK, "-o", path, "-q") == (0, "", "")
    assert RiskCard.load(path).training.rows == 120


def test_tune_passes_its_options_on(tmp_path, data, capsys, monkeypatch):
    seen = {}
    honest = RiskScoreClassifierCV.fit

    def noting(self, X, y, sample_weight=None, groups=None):
        seen.update(self.get_params(), weights=sample_weight, rows=len(y))
        return honest(self, X, y, sample_weight, groups)

    monkeypatch.setattr(RiskScoreClassifierCV, "fit", noting)
    code, _, err = run(
        capsys, "tune", data, *QUICK, "--repeats", 2, "--scoring", "roc_auc", "--rule", "best",
        "--weights", "weight", "--max-points", 3, "--scale", 1, "--grid", 9, "--max-features", 1,
        "--random-state", 7, "--n-jobs", 2, "--time-limit", 5, "--min-bin-rows", 5,
        "--min-bin-events", "2", "--min-gain", 0.5, "--round-cuts", "1%",
        "--class-weight", "balanced",
    )  # fmt: skip
    assert code == 0, err
    expected = {"scoring": "roc_auc", "rule": "best", "n_jobs": 2, "max_terms": 2}
    assert {name: seen[name] for name in expected} == expected
    expected = {"max_points": 3, "scale": 1.0, "regularization": Regularization(grid=9),
                "max_features": 1, "random_state": 7, "n_jobs": 2, "time_limit": 5.0,
                "rules": CardRules(min_bin_rows=5, min_bin_events=2, min_gain=0.5, round_cuts=0.01),
                "class_weight": "balanced"}  # fmt: skip
    assert {name: getattr(seen["estimator"], name) for name in expected} == expected
    assert seen["weights"].tolist() == [row["weight"] for row in ward_rows()]
    assert (seen["cv"], seen["repeats"]) == (3, 2)


def test_the_folds_of_tune_are_shuffled_by_the_seed(data, capsys):
    outputs = [run(capsys, "tune", data, *QUICK, "--random-state", seed)[1] for seed in (1, 1, 2)]
    tables = [re.sub(r"\d\.\d\d(?=  |$)", "", out.split("Chosen")[0]) for out in outputs]
    held_out = [re.findall(r"0\.\d{4}", table) for table in tables]
    assert held_out[0] == held_out[1]
    assert held_out[0] != held_out[2]


def test_the_recipe_of_tune_chooses_the_same_card_again(tmp_path, data, capsys):
    path = tmp_path / "card.json"
    words = [*QUICK, "--repeats", 2, "--random-state", 3, "--groups", "ward"]
    assert run(capsys, "tune", data, *words, "-o", path)[0] == 0
    card, rows = RiskCard.load(path), ward_rows()
    assert (card.recipe.further["cv"], card.recipe.further["repeats"]) == (3, 2)
    model = RiskScoreClassifierCV.from_recipe(card.recipe)
    assert (model.cv, model.repeats, model.estimator.random_state) == (3, 2, 3)
    X = np.array([[row["age"], row["dose"]] for row in rows], dtype=float)
    y = [row["outcome"] for row in rows]
    model.fit(X, y, groups=[row["ward"] for row in rows])
    assert [one.points for one in model.card_.features] == [one.points for one in card.features]
    assert model.loss_ == card.certificate.loss
    assert model.n_splits_ == 6


@pytest.mark.parametrize(
    ("options", "heading", "note", "stored"),
    [
        ([], "the held-out rows of 6 folds", "by cross-validation with 6 folds:", 3),
        (["--sites", "ward"], "the held-out rows of 12 sites", "each of 12 sites once:", "LeaveOneGroupOut"),
        (["--sites", "ward", "--groups", "weight"], "the held-out rows of 12 sites", "each of 12 sites once:",
         "12 sites, each held out once"),
        (["--time-split", "row"], "Log-loss on 3 parts of the later rows (", "on the later rows, judged by cards",
         "later rows in 3 parts, judged by cards of the earlier ones"),
    ],
)  # fmt: skip
def test_tune_says_and_stores_what_was_held_out(tmp_path, capsys, options, heading, note, stored):
    rows = [{**row, "row": number, "weight": number} for number, row in enumerate(ward_rows())]
    data, path = write(tmp_path / "rows.csv", rows), tmp_path / "card.json"
    code, out, _ = run(capsys, "tune", data, *QUICK, *options, "-o", path)
    assert code == 0
    assert heading in out
    (found,) = [one for one in RiskCard.load(path).certificate.notes if "Size chosen" in one]
    assert note in found
    assert ("folds" in found) == (not options)
    recipe = RiskCard.load(path).recipe
    assert recipe.further["cv"] == stored
    assert recipe.further["repeats"] == (1 if options else 2)
    with speaking("de"):
        assert translated(found).startswith("Größe")
        assert translated(found).endswith(" Termen, Log-Loss, Regel des einen Standardfehlers.")


def test_the_standard_error_of_tune_is_named_for_what_it_is(data, capsys):
    _, out, _ = run(capsys, "tune", data, *QUICK)
    assert "SE of diff.: standard error of the difference from the best size" in out
    (best,) = [line for line in out.splitlines() if "best" in line and line.strip()[:1].isdigit()]
    assert best.split()[2] == "0.0000"


def test_groups_stay_in_one_fold_and_are_not_a_feature(tmp_path, data, capsys, monkeypatch):
    folds = []
    honest = RiskScoreClassifierCV._split

    def noting(self, *rows):
        folds.extend(honest(self, *rows))
        return folds

    monkeypatch.setattr(RiskScoreClassifierCV, "_split", noting)
    path = tmp_path / "card.json"
    words = ["--target", "outcome", "--drop", "weight", "--max-terms", "1", "--cv", "3"]
    assert run(capsys, "tune", data, *words, "--groups", "ward", "-o", path)[0] == 0
    assert RiskCard.load(path).feature_names == ("age", "dose")
    wards = np.arange(120) % 12
    assert len(folds) == 6
    for fit, test in folds:
        assert not set(wards[fit]) & set(wards[test])


@pytest.mark.filterwarnings("default::riskcard.RiskcardWarning")  # as in a process of its own
def test_noise_is_remarked_on(tmp_path, capsys):
    random = np.random.default_rng(1)
    rows = [{"a": random.random(), "y": int(random.random() < 0.5)} for _ in range(100)]
    path = write(tmp_path / "noise.csv", rows)
    code, out, err = run(capsys, "tune", path, "--target", "y", "--max-terms", 2)
    assert code == 0
    assert "Chosen: 0 terms" in out
    assert "better than the share of events alone" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--cv", 1], "'1' is not a whole number of at least 2"),
        (["--cv", 100], "cannot be divided with --cv 100"),
        (["--repeats", 0], "--repeats: '0' is not a whole number"),
        (["--scoring", "roc"], "scoring is 'roc'"),
        (["--max-terms", 0], "--max-terms: '0' is not a whole number"),
        (["--groups", "word"], "no column 'word' (named by --groups). Did you mean 'ward'?"),
        (["--groups", "outcome"], "--groups is 'outcome', which is the target"),
        (["--plot", "plot.gif"], "--plot is 'plot.gif'. Use a name that ends in .png, .svg, .pdf"),
        (["--plot", "nowhere/plot.png"], "does not exist"),
        (["--csv", "nowhere/scores.csv"], "does not exist"),
        (["--rule", "two"], "--rule: 'two' is not 'one_se' or 'best'"),
    ],
)
def test_tune_refuses_what_cannot_be_done(data, capsys, words, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    code, out, err = run(capsys, "tune", data, *QUICK, *words)
    assert (code, out) == (2, "")
    assert message in err.splitlines()[-1]
    assert err.splitlines()[-1].startswith("riskcard: ")
    assert sorted(tmp_path.iterdir()) == before


def test_ctrl_c_leaves_nothing_behind(tmp_path, data, capsys, monkeypatch):
    pytest.importorskip("matplotlib")
    n_fits = 0
    honest = RiskScoreClassifier._fit

    def pressed(self, X, y, *more):
        nonlocal n_fits
        n_fits += 1
        if n_fits == 4:
            raise KeyboardInterrupt
        return honest(self, X, y, *more)

    monkeypatch.setattr(RiskScoreClassifier, "_fit", pressed)
    before = sorted(tmp_path.iterdir())
    for words in (["tune", "--plot", "p.svg", "-o", "card.json"], ["stability"]):
        monkeypatch.chdir(tmp_path)
        n_fits = 0
        code, out, err = run(capsys, words[0], data, *NUMBERS, *words[1:], "--csv", "s.csv")
        assert (code, out) == (130, "")
        assert "Interrupted; nothing was written" in err
        assert sorted(tmp_path.iterdir()) == before


# --- stability ----------------------------------------------------------------------------------


def test_stability_shows_and_writes_the_features(tmp_path, data, capsys):
    path = tmp_path / "features.csv"
    words = [*NUMBERS, "--max-terms", "1", "--n-bootstraps", "5", "--csv", path]
    code, out, err = run(capsys, "stability", data, *words)
    assert code == 0
    assert err.endswith(f"\nWrote {path}.\n")
    assert "Stability over 5 bootstrap resamples" in out
    assert "calibration slope" in out
    lines = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
    assert [line["feature"] for line in lines] == ["age", "dose"]
    assert float(lines[0]["share"]) == 1
    assert 55 <= float(lines[0]["cut_50"]) <= 65


def test_stability_can_choose_the_size_again(data, capsys, monkeypatch):
    sizes = []
    honest = RiskScoreClassifierCV.fit

    def noting(self, X, y, sample_weight=None, groups=None):
        sizes.append((self.cv, self.max_terms, self.scoring, self.rule))
        return honest(self, X, y, sample_weight, groups)

    monkeypatch.setattr(RiskScoreClassifierCV, "fit", noting)
    words = [*QUICK, "--scoring", "roc_auc", "--rule", "best", "--n-bootstraps", "1"]
    assert run(capsys, "stability", data, *words)[0] == 0
    assert sizes == [(3, 2, "roc_auc", "best")] * 2


def test_stability_refuses_no_resamples(data, capsys):
    code, _, err = run(capsys, "stability", data, *NUMBERS, "--n-bootstraps", "0")
    assert code == 2
    assert "--n-bootstraps: '0' is not" in err


# --- the bar and the docs -----------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_bar_counts_on_a_terminal_and_is_silent_elsewhere():
    terminal, file, quiet = Terminal(), io.StringIO(), Terminal()
    for stream, is_quiet in ((terminal, False), (file, False), (quiet, True)):
        with WorkBar("5 folds [a]", 4, stream, is_quiet) as bar:
            for _ in range(4):
                bar.step()
        assert bar.done == 4
    assert "5 folds [a]" in terminal.getvalue()
    assert "4/4" in terminal.getvalue()
    assert file.getvalue() == quiet.getvalue() == ""


@pytest.mark.parametrize("command", ["tune", "stability"])
def test_every_option_is_in_the_docs(command):
    page = (ROOT / "docs/command_line.md").read_text(encoding="utf-8")
    actions = make_parser()._subparsers._group_actions[0].choices[command]._actions
    options = [option for action in actions for option in action.option_strings]
    missing = [option for option in options if f"`{option}" not in page]
    assert set(missing) <= {"-h", "--help", "-q"}


@pytest.mark.slow
def test_the_examples_of_the_page_on_choosing_run(capsys):
    pytest.importorskip("matplotlib").use("Agg")
    names: dict[str, object] = {}
    page = (ROOT / "docs/choosing.md").read_text(encoding="utf-8")
    for block in re.findall(r"^```python\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL):
        exec(block, names)
    out = capsys.readouterr().out
    assert "Risk of target" in out
    assert "Stability over 20 bootstrap resamples" in out
    assert names["stability"].corrected.auc < names["stability"].apparent.auc
