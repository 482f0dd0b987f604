"""Validation of a card on a source: the figures of single rows, from counts."""

import json
import math
import re

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")
dask = pytest.importorskip("dask")
frames = pytest.importorskip("dask.dataframe")

from riskcard import (  # noqa: E402
    DataError,
    FeaturePoints,
    LevelPoints,
    ParameterError,
    RiskCard,
    open_source,
    validate,
)
from riskcard.cli.main import main  # noqa: E402
from source_tables import fit, random_table, write_pieces  # noqa: E402

#: Figures whose intervals are from other resamples of the same distribution.
RESAMPLED = {"mean_error", "median_error", "high_error", "ICI", "E50", "E90"}


def new_rows(seed, n_rows=2000):
    """Rows with values that the card does not know."""
    table = random_table(seed, n_rows)
    table.loc[:9, "age"] = [200, 1, 200, 3, 5, 7, 9, 150, 150, 150]
    table.loc[5:40:3, "stage"] = "V"
    return table


def require_same(one, other, place=""):
    """Fail where two trees of numbers and texts differ by more than rounding."""
    if isinstance(one, dict):
        assert one.keys() == other.keys(), place
        for key in one:
            if key not in ("notes", "made", "left_out"):
                found = one[key], other[key]
                if key in RESAMPLED:
                    found = tuple(part["value"] for part in found)
                require_same(*found, f"{place}/{key}")
    elif isinstance(one, list):
        assert len(one) == len(other), place
        for number, pair in enumerate(zip(one, other, strict=True)):
            require_same(*pair, f"{place}/{number}")
    elif isinstance(one, float) or isinstance(other, float):
        assert math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12), (place, one, other)
    else:
        assert one == other, place


def facts_of(found):
    return json.loads(found.to_json())


@pytest.mark.parametrize("weights", [None, "times"])
@pytest.mark.parametrize("seed", [1, 2, 4])
@pytest.mark.filterwarnings("default")
def test_the_figures_are_those_of_the_rows_in_memory(seed, weights):
    card = fit(random_table(seed), certify=False, max_terms=4).card_
    table = new_rows(2 * seed if seed == 4 else seed)  # seed 4 has other labels
    settings = {"risk_groups": [0.3, 0.5], "n_bootstraps": 20}
    plain = validate(
        card,
        table.drop(columns=["died", "times"]),
        table.died,
        sample_weight=None if weights is None else table.times,
        **settings,
    )
    counted = validate(card, open_source(table, "died", weights=weights), **settings)
    require_same(facts_of(plain), facts_of(counted))
    assert counted.facts.evaluation.rows == (
        len(table) if weights is None else (table.times > 0).sum()
    )
    total = facts_of(validate(card, open_source(table, "died", weights=weights), total_groups=[3]))
    assert sum(one["rows"] for one in total["risk_groups"]) == counted.facts.evaluation.rows


def test_every_source_and_any_pieces_give_the_same_validation(tmp_path):
    card = fit(random_table(1), certify=False).card_
    table = new_rows(5)
    wanted = facts_of(validate(card, open_source(table, "died", weights="times")))
    wanted["origin"].pop("made")

    def require(data, **where):
        found = facts_of(validate(card, open_source(data, "died", weights="times", **where)))
        found["origin"].pop("made")
        assert found == wanted

    for n_pieces in (1, 7):
        require(write_pieces(table, tmp_path / str(n_pieces), n_pieces))
    connection = duckdb.connect()
    connection.register("frame", table)
    require(connection, table="frame")
    with dask.config.set(scheduler="sync"):
        require(frames.from_pandas(table, npartitions=5))


def test_resamples_of_counts_spread_as_resamples_of_rows_do():
    card = fit(random_table(1), certify=False, max_terms=4).card_
    table = new_rows(5)
    settings = {"n_bootstraps": 1500}
    rows = validate(card, table, table.died, sample_weight=table.times, **settings)
    counted = validate(card, open_source(table, "died", weights="times"), **settings)
    for name in ("mean_error", "median_error", "high_error"):
        one, other = (getattr(found.facts.smooth, name) for found in (rows, counted))
        assert one.value == pytest.approx(other.value, rel=1e-12)
        width = one.interval[1] - one.interval[0]
        assert np.allclose(one.interval, other.interval, atol=0.1 * width)


def test_it_is_said_that_counts_are_those_of_training():
    table = random_table(2)
    card = fit(table, certify=False).card_
    notes = validate(card, open_source(table, "died", weights="times")).facts.notes
    assert any("exactly as many rows and events as in training" in note for note in notes)
    others = validate(card, open_source(new_rows(2), "died", weights="times")).facts.notes
    assert not any("as in training" in note for note in others)


def test_levels_that_are_numbers_or_booleans_and_codes_are_told_apart():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "kind": rng.integers(1, 5, 500),
            "smokes": rng.random(500) < 0.4,
            "score": rng.choice([-9.0, np.nan, 1, 2, 3.5], 500),
        }
    )
    table["died"] = rng.random(500) < 0.2 + 0.1 * table.kind * table.smokes
    features = [
        LevelPoints("kind", [[1], [2, 3]], [0, 2], usual=0),
        LevelPoints("smokes", [[False], [True]], [0, 3]),
        FeaturePoints("score", [2], [0, 1], missing=2, codes=[(-9, 3)]),
    ]
    card = RiskCard(features, base=-3, classes=(False, True))
    rows = table.drop(columns="died")
    plain = validate(card, rows, table.died, n_bootstraps=0)
    counted = validate(card, open_source(table, "died"), n_bootstraps=0)
    require_same(facts_of(plain), facts_of(counted))
    connection = duckdb.connect()
    connection.register("frame", table)
    counted = validate(card, open_source(connection, "died", table="frame"), n_bootstraps=0)
    require_same(facts_of(plain), facts_of(counted))


@pytest.mark.parametrize(
    ("card", "said"),
    [
        (RiskCard([FeaturePoints("pressure", [120], [0, 1])]), "'pressure' is missing in .* no points"),
        (RiskCard([FeaturePoints("stage", [120], [0, 1])]), "'stage' holds texts, but .* numbers"),
        (RiskCard([FeaturePoints("weight", [120], [0, 1])]), "no column 'weight' for the feature"),
        (RiskCard([], classes=("no", "yes")), "a label is .*, but the card knows 'no' and 'yes'"),
    ],
)  # fmt: skip
def test_rows_that_do_not_fit_the_card_are_refused(card, said):
    with pytest.raises(DataError, match=said):
        validate(card, open_source(random_table(1), "died"))


def test_what_needs_rows_is_refused():
    card, source = RiskCard([]), open_source(random_table(1), "died")
    with pytest.raises(ParameterError, match="need the rows in memory"):
        validate(card, source, by="stage")
    with pytest.raises(ParameterError, match="give them to open_source"):
        validate(card, source, random_table(1).died)


def test_too_many_different_weights_for_the_memory_are_refused():
    table = random_table(1)
    table["times"] = np.arange(1, len(table) + 1)
    source = open_source(table, "died", weights="times")
    source.memory = 50_000
    with pytest.raises(DataError, match=r"more than 50 different .* weights 'times'.*more memory"):
        validate(RiskCard([FeaturePoints("age", [50], [0, 1])]), source)


def test_the_command_line_validates_a_folder_and_a_database(tmp_path, capsys):
    fit(random_table(1), certify=False).card_.save(tmp_path / "card.json")
    table = random_table(3)
    folder = write_pieces(table, tmp_path / "pieces", 3)
    table.to_parquet(tmp_path / "rows.parquet")
    connection = duckdb.connect(str(tmp_path / "rows.db"))
    connection.register("frame", table)
    connection.execute("CREATE TABLE rows AS SELECT * FROM frame")
    connection.close()
    found = []
    for place, data in enumerate(
        (
            [str(tmp_path / "rows.parquet")],
            [str(tmp_path / "rows.parquet"), "--memory", "100MB"],
            [str(folder)],
            [f"duckdb:///{tmp_path}/rows.db?table=rows"],
        )
    ):
        json_file = tmp_path / f"{place}.json"
        options = ["--target", "died", "--weights", "times", "--n-bootstraps", "20"]
        options += ["--json", str(json_file)]
        assert main(["validate", str(tmp_path / "card.json"), *data, *options]) == 0
        one = json.loads(json_file.read_text())
        one.pop("origin")
        found.append(one)
        require_same(found[0], one)
    assert found[1] == found[2] == found[3]
    capsys.readouterr()
    options = ["--target", "died", "--sites", "stage"]
    assert main(["validate", str(tmp_path / "card.json"), str(folder), *options]) == 2
    assert re.search("--sites needs the rows in memory", capsys.readouterr().err)


def test_the_page_of_a_source_is_drawn():
    pytest.importorskip("matplotlib")
    card = fit(random_table(1), certify=False).card_
    found = validate(card, open_source(random_table(3), "died", weights="times"), n_bootstraps=20)
    assert "were counted by label and line of the card" in found.to_html()


def test_a_curve_of_counts_needs_both_labels():
    table = random_table(1)
    table["died"] = True
    with pytest.raises(DataError, match="with and without the event"):
        validate(RiskCard([], classes=(False, True)), open_source(table, "died"))
