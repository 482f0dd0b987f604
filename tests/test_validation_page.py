"""The page of a validation shows its facts, needs nothing else, and the command writes it."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest

from html_reader import read_html
from optional import pd
from riskcard import validate
from riskcard.cli.main import main
from riskcard.cli.parser import make_parser
from riskcard.evaluation.groups.subgroups import figures_of
from riskcard.evaluation.outcomes import read_outcomes
from riskcard.evaluation.summary import evaluate
from riskcard.evaluation.thresholds import threshold_table
from riskcard.formatting.figures import plain
from riskcard.plots.drawing import picture_of
from riskcard.plots.forest import ForestLine, ForestPanel, draw_forest, forest_size
from riskcard.validation.named_groups import groups_of, sites_of
from riskcard.validation.shown import in_percent, short
from validation_rows import small_card, validation_rows

pytest.importorskip("matplotlib")
CARD = small_card()
X, Y = validation_rows(offset=0.3)
OUTCOMES = read_outcomes(CARD.risk(X), Y, event="yes")


@pytest.fixture(scope="module")
def full():
    return validate(
        CARD, X, Y, by=["sex"], sites="site", total_groups=[2, 5], n_bootstraps=20,
        compare={"risk": "old_risk", "score": "old_score"},
    )  # fmt: skip


@pytest.fixture(scope="module")
def page(full):
    return full.to_html()


def table_of(page, section, number=0):
    """The cells of a table of a section, line by line."""
    part = page.partition(f'<section id="{section}">')[2].partition("</section>")[0]
    body = re.findall(r"<tbody>(.*?)</tbody>", part, re.S)[number]
    lines = re.findall(r"<tr>(.*?)</tr>", body, re.S)
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", line, re.S) for line in lines]
    return [[re.sub(r"<[^>]*>", "", cell).strip() for cell in line] for line in cells]


# --- the page -----------------------------------------------------------------------------------


def test_the_page_needs_nothing_else_and_describes_its_pictures(page):
    reader = read_html(page)
    assert "script" not in reader.names
    for tag, attributes in reader.elements:
        if tag == "img":
            assert attributes["src"].startswith("data:image/svg+xml;base64,")
            assert attributes["alt"]
    assert "http" not in re.sub(r"base64,[^\"]*", "", page)


def test_headline_figures_on_the_page_are_those_of_the_library(page):
    found = evaluate(OUTCOMES)
    shown = {line[0]: line[1:] for line in table_of(page, "figures")}
    expected = {
        "AUC": (found.roc.area, found.roc.interval, 3),
        "Log-loss": (found.log_loss, found.log_loss_interval, 3),
        "Brier score": (found.brier, found.brier_interval, 3),
        "Scaled Brier score": (found.scaled_brier, found.scaled_brier_interval, 3),
        "Calibration in the large": (
            found.calibration.intercept,
            found.calibration.intercept_interval,
            2,
        ),
        "Calibration slope": (found.calibration.slope, found.calibration.slope_interval, 2),
        "Expected / observed": (found.calibration.ratio, found.calibration.ratio_interval, 2),
    }
    for name, (value, (low, high), digits) in expected.items():
        ends = f"{plain(low, digits)} to {plain(high, digits)}"
        assert shown[name] == [plain(value, digits), ends]


def test_totals_and_thresholds_on_the_page_are_those_of_the_rows(page):
    totals, is_event = CARD.total_points(X), Y == "yes"
    for line in table_of(page, "calibration"):
        chosen = totals == int(line[0])
        assert [int(cell) for cell in line[2:4]] == [chosen.sum(), (chosen & is_event).sum()]
        assert line[4].startswith(f"{100 * is_event[chosen].mean():.1f} (")
    expected = threshold_table(OUTCOMES, totals)
    for line, one in zip(table_of(page, "thresholds"), expected, strict=True):
        assert line[0] == f"≥ {one.at:g}"
        figures = (one.flagged, one.sensitivity, one.specificity, one.positive_value)
        assert line[2:6] == [in_percent(figure) for figure in figures]
        assert line[6:] == [
            in_percent(one.negative_value),
            short(one.positive_ratio, 2),
            short(one.negative_ratio, 2),
        ]


def test_groups_sites_and_rivals_on_the_page_are_those_of_the_library(page, full):
    for section, column, names in (
        ("subgroups", "sex", ["female", "male"]),
        ("sites", "site", ["north", "south", "west"]),
    ):
        for line, name in zip(table_of(page, section), names, strict=True):
            one = figures_of(name, OUTCOMES.take(np.flatnonzero(X[column] == name)))
            assert line[0].split() == [name, *(["*"] if one.is_small else [])]
            assert line[1:3] == [str(one.rows), str(one.events)]
            assert line[-3:] == [short(one.auc, 3), short(one.ratio, 2), short(one.slope, 2)]
    risk, score = full.facts.rivals
    assert table_of(page, "rivals")[0][3] == short(risk.figures[0].difference, 3)
    assert table_of(page, "rivals", 1)[0][2] == short(score.figures[0].other, 3)
    groups = table_of(page, "groups")
    assert [line[0] for line in groups] == ["below 2", "2 to below 5", "5 or more"]
    assert sum(int(line[1]) for line in groups) == Y.size


def test_sections_without_facts_are_left_out():
    page = validate(CARD, X, Y, n_bootstraps=0).to_html()
    for name in ("groups", "subgroups", "sites", "rivals"):
        assert f'id="{name}"' not in page
        assert f'href="#{name}"' not in page


def test_names_are_escaped():
    rows = {**X, "<b>&": X["sex"], "s": np.where(X["site"] == "west", "<i>", X["site"])}
    page = validate(
        CARD, rows, Y, by="<b>&", sites="s", compare={"<u>": X["old_risk"]}, n_bootstraps=0
    ).to_html()
    read_html(page)
    for name in ("<b>&", "<i>", "<u>"):
        assert name not in page
    assert "&lt;b&gt;&amp;" in page


# --- groups of a column -------------------------------------------------------------------------


def test_numbers_are_divided_at_round_cuts_into_parts_of_similar_size():
    ages = np.random.default_rng(0).normal(61, 13, 1000).round()
    found = groups_of("age", ages)
    assert found.names == ("≤ 55", "> 55 to ≤ 65", "> 65")
    assert np.bincount(found.places).min() > 200
    assert groups_of("x", ages / 1000).names == ("≤ 0.055", "> 0.055 to ≤ 0.065", "> 0.065")


def test_few_numbers_levels_booleans_and_missing_values_are_groups():
    assert groups_of("stage", [1, 2, 2, 3]).names == ("1", "2", "3")
    assert groups_of("sex", ["m", None, "f"]).names == ("f", "m", "missing")
    assert groups_of("sex", ["m", None, "f"]).places.tolist() == [1, 2, 0]
    assert groups_of("yes", [True, False]).names == ("False", "True")
    assert groups_of("mixed", ["a", 1, None]).names == ('"1"', "a", "missing")
    assert groups_of("x", [1.0, 1.0]).names == ("1",)
    assert sites_of("ward", [10, 9, 8, 7, 6, 5, 4, 9]).names == ("4", "5", "6", "7", "8", "9", "10")
    assert sites_of("ward", [10, 9, None]).places.tolist() == [1, 0, 2]


def test_the_rarest_of_many_levels_are_put_together():
    labels = [f"level {number:02}" for number in range(15) for _ in range(number + 1)]
    found = groups_of("many", labels)
    assert len(found.names) == 12
    assert found.names[-1] == "4 others"
    assert np.bincount(found.places)[-1] == 1 + 2 + 3 + 4


def test_one_number_for_most_rows_gives_one_cut_at_most():
    found = groups_of("x", [0.0] * 90 + list(range(1, 11)))
    assert found.names == ("≤ 0", "> 0")


# --- the forest plot ----------------------------------------------------------------------------


def test_a_forest_plot_has_a_line_per_group_and_stays_in_its_frame():
    lines = [
        ForestLine("$a$", None),
        ForestLine("b", [(0.7, (0.6, 0.8)), (1.1, (0.5, 40.0))], 0.5),
        ForestLine("c", [(0.6, None), (float("nan"), None)], 0.5),
        ForestLine("mean", [(0.65, (0.6, 0.7)), (1.0, (0.9, 1.1))], is_summary=True),
    ]
    panels = [ForestPanel("AUC", 0.65), ForestPanel("ratio", 1.0, is_log=True)]
    drawn = []
    picture_of(
        lambda figure: drawn.append(draw_forest(figure, lines, panels)),
        "svg",
        forest_size(lines, panels),
    )
    first, second = drawn[0]
    labels = [text.get_text() for text in first.get_yticklabels()]
    assert labels == ["$a$", "b", "c", "mean"]
    assert not first.get_yticklabels()[0].get_parse_math()
    low, high = second.get_xlim()
    assert 0 < low < 0.9
    assert high < 40  # the interval goes on beyond the frame, with an arrow
    marks = [line.get_marker() for line in second.lines]
    assert ">" in marks
    assert marks.count("s") == 1


# --- the command --------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path):
    card, data = str(tmp_path / "card.json"), str(tmp_path / "new.csv")
    CARD.save(card)
    pd.DataFrame({**X, "stroke": Y}).to_csv(data, index=False)
    return card, data, tmp_path


def test_the_command_writes_page_json_and_tables(files, capsys):
    card, data, folder = files
    other = str(folder / "other.json")
    small_card(features=CARD.features[:1]).save(other)
    command = [
        "validate", card, data, "-o", str(folder / "page.html"), "--json", str(folder / "v.json"),
        "--tables", str(folder / "tables"), "--by", "sex", "age=50,65", "--sites", "site",
        "--groups", "patient", "--risk-groups", "10%", "30%", "--against", other,
        "--against-column", "old_risk", "old_score", "--n-bootstraps", "20",
    ]  # fmt: skip
    assert main(command) == 0
    out, said = capsys.readouterr()
    page = (folder / "page.html").read_text(encoding="utf-8")
    content = json.loads((folder / "v.json").read_text(encoding="utf-8"))
    expected = validate(
        CARD, X, Y, by=["sex", "age"], cuts={"age": [50, 65]}, sites="site", groups="patient",
        risk_groups=[0.1, 0.3], n_bootstraps=20,
        compare={"other.json": small_card(features=CARD.features[:1]), "old_risk": "old_risk",
                 "old_score": "old_score"},
    )  # fmt: skip
    assert out == str(expected)
    assert f"Wrote {folder / 'page.html'}, {folder / 'v.json'}, " in said
    assert content["figures"] == json.loads(expected.to_json())["figures"]
    for words in ("new.csv", "card.json", "other.json", "--risk-groups", "0.1 0.3"):
        assert words in page
    with open(folder / "tables" / "subgroups.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["group"] for row in rows] == ["female", "male", "≤ 50", "> 50 to ≤ 65", "> 65"]
    written = {path.stem for path in (folder / "tables").iterdir()}
    assert written == set(expected.tables())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--by", "wrong"], "has no column 'wrong'"),
        (["--by", "age=a,b"], "the cuts of 'age' are not numbers"),
        (["--sites", "stroke"], "'stroke' is the target"),
        (["--groups", "nobody"], "has no column 'nobody'"),
        (["--against-column", "sex"], "column 'sex'"),
        (["--risk-groups", "120%"], "Give numbers between 0 and 1"),
        (["--risk-groups", "5%", "--total-groups", "3"], "either by risk or by total"),
        (["--total-groups", "x"], "--total-groups"),
        (["--against", "{card}", "--json", "{card}"], "is the same file as"),
        (["-o", "{data}"], "is the same file as the data"),
        (["--tables", "{data}"], "cannot be made"),
        (["--class-weight", "balanced"], "there is no option '--class-weight'"),
    ],
)
def test_bad_input_is_one_sentence_and_writes_nothing(files, capsys, options, message):
    card, data, folder = files
    before = {path: path.read_bytes() for path in folder.iterdir()}
    given = [one.format(card=card, data=data) for one in options]
    assert main(["validate", card, data, *given]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.startswith("riskcard: ")
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_tables_do_not_replace_the_data(files, capsys):
    card, _, folder = files
    (folder / "tables").mkdir()
    inner = folder / "tables" / "totals.csv"
    inner.write_bytes((folder / "new.csv").read_bytes())
    assert main(["validate", card, str(inner), "--tables", str(folder / "tables")]) == 2
    assert "would be overwritten" in capsys.readouterr().err
    assert [path.name for path in (folder / "tables").iterdir()] == ["totals.csv"]


def test_labels_name_the_features(files, capsys):
    card, data, folder = files
    (folder / "labels.toml").write_text('title = "Stroke within a year"\n', encoding="utf-8")
    assert main(["validate", card, data, "--labels", str(folder / "labels.toml")]) == 0
    assert capsys.readouterr().out.startswith("Stroke within a year\n")


def test_without_matplotlib_there_is_text_but_no_page(files, capsys, monkeypatch):
    card, data, folder = files
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    assert main(["validate", card, data]) == 0
    assert main(["validate", card, data, "-o", str(folder / "page.html")]) == 2
    assert "matplotlib" in capsys.readouterr().err
    assert not (folder / "page.html").exists()


def test_every_option_of_validate_is_in_the_docs():
    text = (Path(__file__).parents[1] / "docs/validation.md").read_text(encoding="utf-8")
    actions = make_parser()._subparsers._group_actions[0].choices["validate"]._actions
    options = [option for action in actions for option in action.option_strings]
    assert [option for option in options if f"`{option}" not in text] == ["-h", "--help"]


@pytest.mark.parametrize("design", ["rows", "weights", "groups"])
def test_intervals_are_named_as_they_were_computed(design):
    pytest.importorskip("matplotlib")
    given = {
        "weights": {"sample_weight": 1.0 + np.arange(600) % 3},
        "groups": {"groups": "patient"},
    }
    found = validate(CARD, X, Y, n_bootstraps=0, **given.get(design, {}))
    page = " ".join(" ".join(read_html(found.to_html()).texts).split())
    plain = design == "rows"
    assert ("AUC: DeLong’s" in page) == plain
    assert ("in the large: Wald’s" in page) == plain
    assert ("Wilson’s for the effective number of rows" in page) == (not plain)
    units = {"weights": "row", "groups": "cluster"}
    assert plain or f"AUC: from the influence of each {units[design]}, on the scale" in page
