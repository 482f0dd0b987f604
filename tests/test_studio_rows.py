"""Rows of a session with weights, of people who come again, and of different times: each where it belongs."""

import csv
import shlex

import numpy as np
import pytest

from riskcard.cli.main import main
from riskcard.errors import DataError
from riskcard.model.card import RiskCard
from riskcard.studio.choices import Choices
from riskcard.studio.fitting.exchange import read_training_file, write_training
from riskcard.studio.server.groups_view import groups_view
from riskcard.studio.server.view import columns_of, state_of
from riskcard.studio.state.session import Session
from riskcard.studio.table.data import Source, divide
from studio_rows import some_columns
from studio_session import wait

ROLES = {"weights": "weight", "target": "ill", "event": "yes", "max_terms": 2, "max_points": 3}
GROUPED = {**ROLES, "groups": "person", "hold_out": 0.3, "dropped": ["day"]}
TIMED = {**ROLES, "later": ["day", "2021-06-01"], "dropped": ["person"]}


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Three visits of a person each, on some day, with a weight."""
    columns, is_event = some_columns()
    rng = np.random.default_rng(0)
    days = np.datetime64("2020-01-01") + rng.integers(0, 730, 300)
    path = tmp_path_factory.mktemp("rows") / "rows.csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*columns, "person", "day", "weight", "ill"])
        for i, values in enumerate(zip(*columns.values(), strict=True)):
            shown = ["" if value != value else value for value in values]
            event = "yes" if is_event[i] else "no"
            writer.writerow([*shown, f"P{i % 100}", days[i], rng.integers(1, 4), event])
    return path


def divided(table, choices):
    return divide(Source.open(str(table), "rows.csv"), Choices.of(choices))


def column(table, name):
    with open(table, encoding="utf-8") as file:
        return [row[name] for row in csv.DictReader(file)]


def parts_of(division):
    return [part for part in (division.rows, division.check, division.sealed) if part is not None]


def test_rows_of_one_person_are_all_in_one_part(table):
    division = divided(table, GROUPED)
    clusters = [set(part.clusters.tolist()) for part in parts_of(division)]
    assert len(set.union(*clusters)) == sum(map(len, clusters)) == 100
    assert sum(part.number for part in parts_of(division)) == 300
    assert "person" not in division.rows.features
    assert set(division.training.division.groups) == clusters[0]


def test_rows_from_a_day_on_are_kept_from_the_fit(table):
    division = divided(table, TIMED)
    later = np.array(column(table, "day")) >= "2021-06-01"
    ages = np.array(column(table, "age"), dtype=float)
    assert division.rows.features["age"].values.tolist() == ages[~later].tolist()
    assert division.check.number + division.sealed.number == int(later.sum())
    assert "day" not in division.rows.features
    latest = divided(table, {**TIMED, "later": ["day", ""]})
    assert 80 <= latest.check.number + latest.sealed.number <= 90


def test_a_time_that_leaves_nothing_to_judge_is_refused(table):
    with pytest.raises(DataError, match="All rows are before the time"):
        divided(table, {**TIMED, "later": ["day", "2030-01-01"]})


def test_weights_are_no_feature_and_reach_every_part_and_the_process(table, tmp_path):
    division = divided(table, GROUPED)
    weights = np.array(column(table, "weight"), dtype=float)
    assert sum(part.weights.sum() for part in parts_of(division)) == weights.sum()
    assert "weight" not in division.rows.features
    write_training(tmp_path / "rows.npz", division.training)
    again = read_training_file(tmp_path / "rows.npz")
    assert again.weights.tolist() == division.rows.weights.tolist()
    assert again.division.groups.tolist() == division.rows.clusters.tolist()


def test_groups_without_rows_kept_from_the_fit_are_no_feature(table):
    division = divided(table, {**GROUPED, "hold_out": 0.0})
    assert division.check is None
    assert "person" not in division.rows.features
    assert division.rows.clusters.size == 300


@pytest.mark.slow
@pytest.mark.parametrize("choices", [GROUPED, TIMED], ids=["groups", "time"])
def test_the_recipe_with_weights_gives_the_card_again(table, choices, tmp_path, monkeypatch):
    session = Session()
    try:
        session.open_table(str(table), "rows.csv")
        session.choose(choices)
        session.fits.fit()
        wait(session)
        card, state = session.document.card, state_of(session)
        assert card.training.is_weighted
        # judged again from the rows, the card has the loss that it states
        loss = session.referee.price(card).loss
        assert loss == pytest.approx(card.certificate.loss, rel=1e-12)
        found = groups_view(session)
        totals = found["totals"]
        assert (totals[-1]["approved"], found["rows"]) == (1, "check")
        assert {one["name"] for one in columns_of(session).values()} >= {"age", "weight"}
        text = session.save()
        session.open_saved(text)  # which works the pseudo-observations out again
        assert state_of(session)["card"] == state["card"]
        session.fits.find_sizes(2)
        wait(session)
        assert session.fits.sizes["terms"] == [0, 1, 2]
    finally:
        session.close()
    (tmp_path / "rows.csv").write_bytes(table.read_bytes())
    monkeypatch.chdir(tmp_path)
    assert main([*shlex.split(state["command"])[1:], "--quiet"]) == 0
    again = RiskCard.load(tmp_path / "card.json")
    assert again.features == card.features
    assert again.certificate.loss == card.certificate.loss
    assert again.recipe.held_out == card.recipe.held_out
