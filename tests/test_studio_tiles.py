"""The tiles of the studio: every column of a file has one, and it says what there is to say about it."""

import pytest

from riskcard.studio.choices import Choices
from riskcard.studio.table.data import Source, divide

CHOICES = {"target": "ill", "event": "yes", "dropped": ["odd"]}


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """An identifier, dates, a text that cannot be read, 0 and 1 with a code, a constant, and numbers."""
    path = tmp_path_factory.mktemp("studio") / "rows.csv"
    lines = ["patient_id,day,odd,smoker,site,age,ill"]
    for i in range(120):
        day = "" if i == 3 else f"2022-{1 + i % 12:02}-{1 + i % 28:02}"
        odd = "pending" if i == 7 else i % 50
        smoker = -9 if i % 10 == 0 else i % 2
        lines.append(f"P{i},{day},{odd},{smoker},1,{30 + i % 40},{'yes' if i % 3 else 'no'}")
    path.write_text("\n".join(lines), encoding="utf-8")
    return Source.open(str(path), "rows.csv")


def tiles_of(source, has_event):
    tiles = divide(source, Choices.of(CHOICES)).tiles(source) if has_event else source.tiles()
    return {one["name"]: one for one in tiles}


def names_of(tile):
    return [one if isinstance(one, str) else one["name"] for one in tile["remarks"]]


@pytest.mark.parametrize("has_event", [False, True])
def test_every_column_of_the_file_has_a_tile_in_its_order(source, has_event):
    assert list(tiles_of(source, has_event)) == list(source.file.names)


@pytest.mark.parametrize("has_event", [False, True])
def test_dates_have_their_first_and_last_day_and_are_not_used(source, has_event):
    tile = tiles_of(source, has_event)["day"]
    assert (tile["kind"], tile["missing"], tile["is_used"]) == ("date", 1, False)
    assert tile["first_and_last"] == ["2022-01-01", "2022-12-28"]
    assert sum(tile["counts"]) == 119
    assert names_of(tile) == ["remark_date"]


@pytest.mark.parametrize("has_event", [False, True])
def test_a_column_that_cannot_be_read_says_where_it_fails(source, has_event):
    tile = tiles_of(source, has_event)["odd"]
    assert (tile["kind"], tile["is_used"]) == ("unread", False)
    assert "line 9" in tile["remarks"][0]
    assert "--" not in tile["remarks"][0]


def test_a_column_of_numbers_but_for_a_word_is_read_where_the_word_means_missing(source):
    before = tiles_of(source, has_event=True)["odd"]
    assert before["odd_words"] == ["pending"]
    choices = Choices.of({**CHOICES, "dropped": [], "missing": before["odd_words"]})
    assert "--missing=pending" in choices.command("rows.csv", None, "card.json").split()
    division = divide(source, choices)
    (after,) = (one for one in division.tiles(source) if one["name"] == "odd")
    assert (after["kind"], after["missing"], after["is_used"]) == ("number", 1, True)
    assert after["remarks"] == []
    assert division.rows.features["odd"].values.size == 120


def test_a_column_with_dates_that_are_none_cannot_be_read_as_numbers(tmp_path):
    lines = ["day,mixed,ill"]
    for i in range(60):
        odd = "soon" if i == 5 else f"2022-01-{1 + i % 28:02}"
        lines.append(f"{odd},{'€ 5' if i == 6 else '$ 7'},{i % 2}")
    (tmp_path / "rows.csv").write_text("\n".join(lines), encoding="utf-8")
    tiles = {one["name"]: one for one in Source.open(str(tmp_path / "rows.csv"), "r").tiles()}
    assert tiles["mixed"]["kind"] == "unread"
    assert tiles["mixed"]["odd_words"] == []


@pytest.mark.parametrize("has_event", [False, True])
def test_codes_constants_and_identifiers_are_remarked_on(source, has_event):
    tiles = tiles_of(source, has_event)
    assert names_of(tiles["smoker"]) == ["remark_code"]
    assert tiles["smoker"]["codes"] == [-9]
    assert sum(tiles["smoker"]["counts"]) == 108  # without the code
    assert tiles["smoker"]["kind"] == "yes_no"
    assert [one["rows"] for one in tiles["smoker"]["apart"]] == [12]
    assert names_of(tiles["site"]) == ["remark_constant"]
    assert names_of(tiles["patient_id"]) == ["remark_left_out"]
    assert not tiles["patient_id"]["is_used"]
    assert names_of(tiles["age"]) == []


def test_a_constant_is_no_answer_of_yes_or_no(source):
    tiles = tiles_of(source, has_event=False)
    assert tiles["site"]["kind"] == "number"
    assert (tiles["ill"]["kind"], tiles["ill"]["two_values"]) == ("category", ["no", "yes"])


def test_remarks_name_no_option_of_the_command_line(source):
    assert any("dates" in one for one in source.remarks)
    assert all("--" not in one for one in source.remarks)
