"""The commands of a credit officer: bins, credit and monitor, from files to text, pages and JSON."""

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest

from html_reader import read_html
from riskcard import FeaturePoints, RiskCard
from riskcard.cli.main import main
from riskcard.formatting.speech import PLACE, sentences_of

pytestmark = pytest.mark.filterwarnings("error")


def write_loans(
    path, n_rows: int = 400, seed: int = 0, worse: float = 0.0, with_target: bool = True
):
    rng = np.random.default_rng(seed)
    used = rng.integers(0, 101, n_rows)
    late = rng.poisson(0.5, n_rows)
    log_odds = -2.5 + worse + 0.02 * used + 0.9 * np.minimum(late, 3)
    bad = np.where(rng.random(n_rows) < 1 / (1 + np.exp(-log_odds)), "yes", "no")
    old = (600 - 40 * log_odds + rng.normal(0, 40, n_rows)).round()
    header = "id,used,late,old_score,weight" + (",default" if with_target else "")
    lines = [header]
    for i in range(n_rows):
        cells = [f"A{i}", used[i], late[i], old[i], 1 + i % 3, *([bad[i]] if with_target else [])]
        lines.append(",".join(map(str, cells)))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture
def loans(tmp_path):
    return write_loans(tmp_path / "loans.csv")


@pytest.fixture
def card_file(tmp_path):
    """A card with credit points, written by hand."""
    card = RiskCard(
        [FeaturePoints("used", [50], [30, 0]), FeaturePoints("late", [0, 1], [60, 30, 0])],
        base=500,
        multiplier=-28.85,
        offset=18.5,
        classes=("no", "yes"),
        outcome="default",
    )
    card.save(tmp_path / "card.json")
    return str(tmp_path / "card.json")


def rows_of_csv(path) -> list[dict]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))


# --- bins ---------------------------------------------------------------------------------------


def test_bins_prints_every_column_and_leaves_identifiers_out(loans, capsys):
    assert main(["bins", loans, "--target", "default", "--weights", "weight"]) == 0
    out = capsys.readouterr().out
    assert "late (own bins), IV" in out
    assert "id (own bins)" not in out
    assert "weight (own bins)" not in out


def test_bins_of_a_card_are_its_lines(loans, card_file, tmp_path, capsys):
    page, table = tmp_path / "bins.html", tmp_path / "bins.csv"
    arguments = ["bins", loans, "--target", "default", "--card", card_file, "-q"]
    assert main([*arguments, "--html", str(page), "--csv", str(table)]) == 0
    assert capsys.readouterr().out == ""
    found = [row for row in rows_of_csv(table) if row["feature"] == "late"]
    assert [row["points"] for row in found] == ["60", "30", "0"]
    assert sum(int(row["rows"]) for row in found) == 400
    shown = read_html(page.read_text(encoding="utf-8"))
    assert "late (lines of the card)" in " ".join(shown.texts)


def test_bins_says_what_is_wrong(loans, capsys):
    assert main(["bins", loans, "--target", "default", "--max-bins", "1", "-q"]) == 2
    assert "max_bins is 1" in capsys.readouterr().err
    assert main(["bins", loans, "--target", "nothing"]) == 2
    assert "nothing" in capsys.readouterr().err


# --- credit -------------------------------------------------------------------------------------


def test_credit_prints_the_figures_of_a_bank(loans, card_file, capsys):
    assert main(["credit", card_file, loans, "--existing", "old_score", "--approve", "60%"]) == 0
    out = capsys.readouterr().out
    assert "Against old_score" in out
    assert "If either approves 60.0 % of the rows" in out
    assert "Approved from" in out


def test_credit_writes_figures_as_json_with_the_bands_and_grades_that_are_asked_for(
    loans, card_file, tmp_path
):
    path = tmp_path / "facts.json"
    arguments = ["credit", card_file, loans, "--bands", "530", "560", "--weights", "weight"]
    assert main([*arguments, "--grades", "A", "B=10%", "C=30%", "--json", str(path)]) == 0
    found = json.loads(path.read_text(encoding="utf-8"))
    assert [one["words"] for one in found["bands"]] == ["up to 529", "530 to 559", "560 or more"]
    assert [one["name"] for one in found["grades"]] == ["A", "B", "C"]
    assert found["is_weighted"]


def test_credit_judges_later_rows_only(tmp_path, card_file, capsys):
    rows = ["when,used,late,default"]
    for i in range(200):
        day = f"2024-{1 + i % 12:02d}-15"
        rows.append(f"{day},{(37 * i) % 101},{i % 3},{'yes' if (i * 7) % 10 < 3 + i % 3 else 'no'}")
    path = tmp_path / "dated.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert main(["credit", card_file, str(path), "--time-split", "when=2024-10-01"]) == 0
    said = capsys.readouterr()
    n_later = sum(line[5:7] in ("10", "11", "12") for line in rows[1:])
    assert f"Judged on the {n_later} later rows of 200" in said.err
    assert f"{n_later} rows, " in said.out


def test_credit_says_what_is_wrong(loans, card_file, capsys):
    for arguments, words in (
        (["--existing", "nothing"], "nothing"),
        (["--existing", "old_score", "--approve", "3"], "approval rate is 3"),
        (["--grades", "A=5%"], "Grades have to rise from 0"),
    ):
        assert main(["credit", card_file, loans, *arguments]) == 2
        assert words in capsys.readouterr().err


# --- monitor ------------------------------------------------------------------------------------


def test_monitor_compares_with_a_file_and_judges_outcomes_where_there_are_any(
    loans, card_file, tmp_path, capsys
):
    new = write_loans(tmp_path / "new.csv", seed=1, worse=1.5)
    assert main(["monitor", card_file, new, "--reference", loans]) == 0
    out = capsys.readouterr().out
    assert "400 new rows against 400 reference rows. Overall: act." in out
    assert "risks are too low" in out
    bare = write_loans(tmp_path / "bare.csv", seed=1, with_target=False)
    assert main(["monitor", card_file, bare, "--reference", loans, "--weights", "weight"]) == 0
    assert "Outcomes" not in capsys.readouterr().out


@pytest.mark.parametrize("outcome", ["no", ""])
def test_monitor_compares_rows_without_any_event(loans, card_file, tmp_path, capsys, outcome):
    text = Path(loans).read_text(encoding="utf-8").replace(",yes\n", ",no\n")
    new = tmp_path / "new.csv"
    new.write_text(text.replace(",no\n", f",{outcome}\n"), encoding="utf-8")
    assert main(["monitor", card_file, str(new), "--reference", loans]) == 0
    found = capsys.readouterr()
    words = " ".join(found.out.split())
    assert "PSI 0.000: stable" in words
    assert "Gini" not in words.replace("a Gini whose interval", "")
    if outcome:
        assert "None of the 400 rows has the event" in words
    else:
        assert "the outcome 'default' is empty" in found.err


def test_credit_and_monitor_allow_for_groups(loans, card_file, tmp_path, capsys):
    lines = Path(loans).read_text(encoding="utf-8").splitlines()
    copied = tmp_path / "copied.csv"
    rows = [f"{line},C{place}" for place, line in enumerate(lines[1:]) for _ in range(3)]
    copied.write_text("\n".join([f"{lines[0]},customer", *rows]) + "\n", encoding="utf-8")
    widths = []
    for options in ([], ["--groups", "customer"]):
        figures = tmp_path / "figures.json"
        assert main(["credit", card_file, str(copied), "--json", str(figures), *options]) == 0
        separation = json.loads(figures.read_text(encoding="utf-8"))["separation"]
        widths.append(np.ptp(separation["gini_interval"]))
    assert widths[1] > 1.5 * widths[0]
    capsys.readouterr()
    assert main(["credit", card_file, str(copied), "--groups", "customer"]) == 0
    assert "in 400 groups" in " ".join(capsys.readouterr().out.split())
    monitor = ["monitor", card_file, str(copied), "--reference", str(copied), "--groups"]
    assert main([*monitor, "customer"]) == 0
    assert "1,200 new rows in 400 groups" in " ".join(capsys.readouterr().out.split())
    assert main([*monitor, "default"]) == 2
    assert "--groups is 'default', which is the target" in capsys.readouterr().err


def test_monitor_writes_a_page_and_json(loans, card_file, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    page, facts = tmp_path / "page.html", tmp_path / "facts.json"
    arguments = ["monitor", card_file, loans, "--html", str(page), "--json", str(facts)]
    assert main([*arguments, "--reference", write_loans(tmp_path / "dev.csv", seed=2)]) == 0
    assert capsys.readouterr().out == ""
    assert "<title>Risk of default: monitoring</title>" in page.read_text(encoding="utf-8")
    assert json.loads(facts.read_text(encoding="utf-8"))["rows"] == 400


def test_monitor_asks_for_a_reference_where_the_card_has_no_counts(loans, card_file, capsys):
    assert main(["monitor", card_file, loans]) == 2
    assert "Give the rows to compare with" in capsys.readouterr().err
    assert main(["monitor", card_file, loans, "--reference", loans, "--html", loans]) == 2
    assert "would be overwritten" in capsys.readouterr().err
    assert main(["monitor", card_file, loans, "--target", "nothing"]) == 2
    assert "nothing" in capsys.readouterr().err


def test_a_scaled_card_from_training_rows_is_monitored_without_a_reference(loans, tmp_path, capsys):
    card, scaled = str(tmp_path / "fit.json"), str(tmp_path / "scaled.json")
    assert (
        main(["fit", loans, "--target", "default", "--columns", "used", "late", "-q", "-o", card])
        == 0
    )
    assert main(["export", card, "--to", "credit", "--data", loans, "-o", scaled]) == 0
    assert "the new card has the rows and events of each total" in capsys.readouterr().err
    assert main(["monitor", scaled, write_loans(tmp_path / "new.csv", seed=3)]) == 0
    assert "against 400 training rows, as counted in the card" in capsys.readouterr().out


# --- languages ----------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["de", "fr", "es"])
@pytest.mark.parametrize("command", ["bins", "bins with a card", "credit", "monitor"])
def test_text_and_page_speak_the_language_and_programs_read_english(
    loans, card_file, tmp_path, capsys, command, language
):
    data = {"bins": "--csv", "bins with a card": "--csv", "credit": "--json", "monitor": "--json"}
    arguments = {
        "bins": ["bins", loans, "--target", "default"],
        "bins with a card": ["bins", loans, "--target", "default", "--card", card_file],
        "credit": ["credit", card_file, loans, "--existing", "old_score"],
        "monitor": [
            "monitor",
            card_file,
            write_loans(tmp_path / "n.csv", seed=2),
            "--reference",
            loans,
        ],
    }[command]
    page, found = tmp_path / "page.html", tmp_path / "found"
    files = ["--html", str(page), data[command], str(found)]
    assert main([*arguments, "--language", language]) == 0
    text = capsys.readouterr().out
    assert main([*arguments, "--language", language, *files]) == 0
    shown = page.read_text(encoding="utf-8")
    assert f'<html lang="{language}">' in shown
    words, english = sentences_of(language), sentences_of("en")
    for name in ("credit_bin", "credit_bads", "credit_rows", "monitor_overview", "document_footer"):
        if words[name] != english[name]:
            assert not re.search(rf"(^|>){re.escape(english[name])}(<|   )", shown, re.MULTILINE), (
                name
            )
    for name, sentence in english.items():
        piece = max(PLACE.split(sentence)[::2], key=len)
        if len(piece) > 14 and " " in piece.strip() and piece not in words[name]:
            assert piece not in text, name
            assert piece not in shown, name
    assert main([*arguments, *files]) == 0
    assert 'lang="en"' in page.read_text(encoding="utf-8")
    again = tmp_path / "again"
    assert main([*arguments, "--language", language, data[command], str(again)]) == 0
    if command == "monitor":
        kinds = [
            [{one["subject"] for one in json.loads(file.read_text())["findings"]}]
            for file in (found, again)
        ]
        assert kinds[0] == kinds[1]


def test_labels_in_another_language_are_the_language_of_the_page(
    loans, card_file, tmp_path, capsys
):
    labels = tmp_path / "labels.toml"
    labels.write_text('language = "fr"\n[features.used]\nname = "Utilisation"\n', encoding="utf-8")
    assert main(["credit", card_file, loans, "--labels", str(labels)]) == 0
    text = capsys.readouterr().out
    assert "Risque" in text
    assert "Taux de mauvais" in text
    assert "Bad rate" not in text
