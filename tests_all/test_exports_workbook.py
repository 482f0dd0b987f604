"""The workbook gives the total and the risk of the card when LibreOffice computes it."""

import io
import math
import subprocess
from dataclasses import replace

import pytest

from cards import heart_card, mass_card
from export_rows import assert_same, odd_card, rows_of, sample_cards, texts, typed_cards
from riskcard.errors import ParameterError
from riskcard.export.workbook import FIRST_ROW, card_to_workbook
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints, LevelPoints


@pytest.fixture(scope="module")
def compute(find_program, find_module, tmp_path_factory):
    """Total, risk and remark of rows by several cards, each (card, rows), in one run of LibreOffice."""
    openpyxl = find_module("openpyxl")
    profile = tmp_path_factory.mktemp("profile").as_uri()

    def run(work):
        office = find_program("soffice")
        folder = tmp_path_factory.mktemp("books")
        for place, (card, rows) in enumerate(work):
            _fill(openpyxl, card, rows).save(folder / f"book_{place}.xlsx")
        done = subprocess.run(
            [office, "--headless", "--norestore", f"-env:UserInstallation={profile}"]
            + ["--convert-to", "xlsx", "--outdir", folder / "done"]
            + [folder / f"book_{place}.xlsx" for place in range(len(work))],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return [
            _read(openpyxl, folder / "done" / f"book_{place}.xlsx", len(rows))
            for place, (_, rows) in enumerate(work)
        ]

    return run


def _fill(openpyxl, card, rows):
    book = openpyxl.load_workbook(io.BytesIO(card_to_workbook(card, rows=len(rows) + 2)))
    for row, values in enumerate(rows, FIRST_ROW):
        book["Cases"].cell(row, 1, f"case {row}")
        for column, feature in enumerate(card.features, 2):
            cell = book["Cases"].cell(row, column)
            cell.value = values[feature.name]
            if isinstance(values[feature.name], str):
                cell.data_type = "s"  # also where it begins like a formula
    return book


def _read(openpyxl, path, n_rows) -> list[tuple]:
    sheet = openpyxl.load_workbook(path, data_only=True)["Cases"]
    last = sheet.max_column
    assert [sheet.cell(FIRST_ROW - 1, last - place).value for place in (2, 1)] == ["total", "risk"]
    empty = [cell.value for cell in sheet[FIRST_ROW + n_rows]]
    assert not any(empty), "a row that is not filled in stays empty"
    found = []
    for row in range(FIRST_ROW, FIRST_ROW + n_rows):
        total, risk, remark = (sheet.cell(row, last - place).value for place in (2, 1, 0))
        is_scored = total != "cannot be scored"
        found.append((total if is_scored else None, risk if is_scored else None, remark or ""))
    return found


def short(number: float) -> float:
    """A number as people type it into a cell."""
    number = float(f"{number:.9g}")
    return number if number == 0 or 1e-299 < abs(number) < 1e299 else math.copysign(1.5, number)


def short_card(card: RiskCard) -> RiskCard:
    """The same kind of card with such numbers."""
    features = []
    for one in card.features:
        if isinstance(one, FeaturePoints):
            codes = [(short(code), points) for code, points in one.codes]
            features.append(replace(one, cuts=[*map(short, one.cuts)], codes=codes))
        else:
            groups = [
                [short(level) if isinstance(level, float) else level for level in group]
                for group in one.groups
            ]
            features.append(replace(one, groups=groups))
    return replace(card, features=features)


def near(number: float) -> list[float]:
    """Numbers that a spreadsheet tells apart from another: it compares about 14 digits."""
    step = abs(number) * 1e-12 or 1e-12
    return [number - step, number + step]


def usable_cards(number: int) -> list[RiskCard]:
    cards = []
    for card in sample_cards(typed_cards(texts.filter(bool)), number):
        try:
            found = short_card(card)
            card_to_workbook(found, rows=1)
        except ParameterError:  # two cuts became one, or a character cannot stand in a cell
            continue
        cards.append(found)
    assert len(cards) > number / 2
    return cards


def pairs(found) -> list[tuple]:
    return [(total, risk) for total, risk, _ in found]


def test_libreoffice_scores_as_the_card(compute):
    odd = odd_card().features
    clean = [odd[0], replace(odd[1], cuts=(-1e300, 5e-300, 123456789.123)), odd[2], *odd[4:]]
    levels = [[level for level in group if level] for group in odd[3].groups]
    cards = [odd_card(features=[*clean, replace(odd[3], groups=levels)])]
    cards += [mass_card(), heart_card(), heart_card(features=()), *usable_cards(24)]
    work = [(card, rows_of(card, near, has_empty=False)) for card in cards]
    for (card, rows), found in zip(work, compute(work), strict=True):
        assert_same(card, rows, pairs(found))


def test_remarks_say_what_was_guessed_and_what_cannot_be_used(compute):
    row = {"age": 61, "shape": "oval", "density": "low", "palpable": True}
    rows = [row, row | {"shape": "square"}, row | {"palpable": None}, row | {"age": "old"}]
    (found,) = compute([(mass_card(), rows)])
    assert [remark for *_, remark in found] == [
        "",
        "shape is an unseen level: usual points.",
        "palpable is missing: usual points.",
        "age is not a number.",
    ]
    assert [total for total, *_ in found] == [6, 6, 5, None]


def test_extreme_log_odds_do_not_overflow(compute):
    card = RiskCard([FeaturePoints("x", [0, 1], [-(10**9), 0, 10**9])], -7, 0.001)
    rows = [{"x": -1.0}, {"x": 1.0}, {"x": 2.0}]
    ((low, middle, high),) = compute([(card, rows)])
    assert [low[0], middle[0], high[0]] == [-(10**9) - 7, -7, 10**9 - 7]
    assert low[1] < 1e-300
    assert middle[1] < 1e-300
    assert high[1] == 1


def test_many_codes_and_levels_are_looked_up(compute):
    codes = [(-float(code), code) for code in range(1, 90)]
    levels = [[f"level {number}"] for number in range(90)]
    features = [
        FeaturePoints("x", [*range(80)], [*range(81)], codes=codes),
        LevelPoints("y", levels, [*range(90)]),
    ]
    card = RiskCard(features)
    work = [(card, rows_of(card, near, has_empty=False))]
    (found,) = compute(work)
    assert_same(card, work[0][1], pairs(found))
