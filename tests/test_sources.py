"""Tables in files, in a database, on a cluster: the same card, loss and bound, whatever the pieces."""

import math
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")
dask = pytest.importorskip("dask")
frames = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

import pyarrow.parquet as pq  # noqa: E402
from pyarrow import csv as pa_csv  # noqa: E402

from riskcard import (  # noqa: E402
    CardRules,
    DataError,
    FeaturePoints,
    FeatureRule,
    ParameterError,
    RiskCard,
    RiskScoreClassifier,
    audit_card,
    open_source,
)
from riskcard.audit.findings import Outcome  # noqa: E402
from riskcard.cli.main import main  # noqa: E402
from riskcard.sources.rows import Kind, Rows, Wanted  # noqa: E402
from riskcard.sources.sample import PRIME, hash_rows  # noqa: E402
from riskcard.sources.sql_dialects import DuckDb  # noqa: E402
from riskcard.sources.sql_source import SqlSource  # noqa: E402
from source_tables import every_source, facts_of, fit, random_table, write_pieces  # noqa: E402

#: All rows are the sample; cuts from a sample; conditions preselected on it as well.
WHOLE = {}
BY_SAMPLE = {"sample_rows": 150}
PRESELECTED = {"sample_rows": 150, "memory": 400_000, "regularization": None, "certify": False}
WAYS = (WHOLE, BY_SAMPLE, PRESELECTED)
CASES = [
    pytest.param(seed, WAYS[seed % 3], marks=[pytest.mark.slow] if seed > 2 else [])
    for seed in range(12)
]


@pytest.mark.parametrize(("seed", "way"), CASES)
@pytest.mark.filterwarnings("default")
def test_every_source_and_any_pieces_give_the_same_card_loss_and_bound(seed, way, tmp_path):
    table = random_table(seed)
    model = fit(table, **way)
    wanted = facts_of(model)
    for given in every_source(table, tmp_path, seed):
        assert facts_of(fit(**given, **way)) == wanted


@pytest.mark.parametrize("way", WAYS, ids=["whole", "by sample", "preselected"])
def test_the_loss_is_that_of_the_printed_card_on_all_rows(way):
    table = random_table(1)
    model = fit(table, **way | {"regularization": None, "certify": False})
    risk = model.card_.risk(table)
    of_label = np.where(table.died, risk, 1 - risk)
    loss = -math.fsum(table.times * np.log(of_label))
    assert math.isclose(loss, model.loss_, rel_tol=1e-9)
    facts = model.card_.training
    has_weight = table.times > 0
    assert (facts.rows, facts.weight) == (has_weight.sum(), table.times.sum())
    for feature in model.card_.features:
        lines = feature.look_up(table[feature.name][has_weight].to_numpy(dtype=object)).lines
        counted = np.bincount(lines, minlength=len(feature.line_points)).tolist()
        assert list(feature.rows) == counted


@pytest.mark.parametrize("regularization", ["auto", None])
@pytest.mark.parametrize("seed", [2, 3])
def test_a_short_table_has_the_card_of_a_fit_in_memory(seed, regularization):
    table = random_table(seed)
    counted = table[table.times > 0]
    source = fit(table, regularization=regularization)
    settings = {
        "max_terms": 3,
        "time_limit": None,
        "certify": True,
        "regularization": regularization,
    }
    frame = counted.drop(columns=["died", "times"])
    plain = RiskScoreClassifier(**settings).fit(frame, counted.died, counted.times)
    assert math.isclose(source.loss_, plain.loss_, rel_tol=1e-9)
    assert math.isclose(source.lower_bound_, plain.lower_bound_, rel_tol=1e-9)
    assert source.card_.features == plain.card_.features


def test_a_bound_about_every_cut_is_claimed_only_where_every_value_of_all_rows_was_seen():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"grade": rng.integers(0, 6, 5000), "more": rng.integers(0, 8, 5000)})
    table["noise"] = rng.normal(size=5000).round(6)
    table["died"] = rng.random(5000) < 0.1 + 0.1 * table.grade
    table["times"] = 1
    few = fit(
        table.drop(columns="noise"), sample_rows=90, regularization=None, max_terms=2
    ).card_.certificate
    assert few.is_grid_full
    plain = RiskScoreClassifier(2, regularization=None, certify=True)
    plain.fit(table[["grade", "more"]], table.died)
    assert math.isclose(few.bound, plain.lower_bound_, rel_tol=1e-9)
    many = fit(table, sample_rows=300, regularization=None, max_terms=2, certify=False)
    assert not many.card_.certificate.is_grid_full
    # values that the sample does not have are found in the counts
    table.loc[0, "grade"], table.loc[1, "more"] = 17, -3
    for way in ({"max_terms": 2}, {"max_terms": 4, "certify": False}):
        with_rare = fit(
            table.drop(columns="noise"), sample_rows=10, regularization=None, **way
        ).card_.certificate
        plain = RiskScoreClassifier(regularization=None, **{"certify": True} | way)
        plain.fit(table[["grade", "more"]], table.died)
        assert with_rare.is_grid_full
        assert math.isclose(with_rare.loss, plain.loss_, rel_tol=1e-9)


@pytest.mark.parametrize("seed", [44, 52, 61])
def test_a_card_on_few_bins_of_many_numbers_has_cuts_and_counts_of_all_rows(seed):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"age": rng.integers(20, 90, 400), "other": rng.normal(size=400)})
    table["died"] = rng.random(400) < np.where(table.age > 75, 0.8, 0.2)
    table["times"] = 1
    card = fit(table, sample_rows=30, memory=2_000, regularization=None, max_terms=1).card_
    risk = card.risk(table)
    loss = -np.log(np.where(table.died, risk, 1 - risk)).sum()
    assert math.isclose(loss, card.certificate.loss, rel_tol=1e-9)
    for feature in card.features:
        lines = feature.look_up(table[feature.name].to_numpy(dtype=object)).lines
        assert list(feature.rows) == np.bincount(lines, minlength=len(feature.points)).tolist()
    assert not card.certificate.is_grid_full


def test_equal_rows_have_one_hash_and_different_ones_spread_evenly():
    rng = np.random.default_rng(0)
    values = rng.normal(size=20_000)
    is_event, ones = values > 0, np.ones(values.size, dtype=np.int64)
    rows = Rows((values, np.zeros(values.size)), {}, is_event, ones)
    found = hash_rows(rows)
    assert np.array_equal(found, hash_rows(Rows((values, rows.values[1]), {}, ~is_event, ones)))
    parts = np.bincount(found * 10 // PRIME, minlength=10)
    assert found.min() >= 0
    assert found.max() < PRIME
    assert abs(parts - 2000).max() < 200
    assert np.unique(found).size > 19_990


def test_codes_class_weights_and_rules_work_on_merged_rows():
    table = random_table(4, 2000)
    table.loc[::7, "pressure"] = -9
    rules = CardRules(
        {"pressure": FeatureRule(codes=[-9], use="must"), "age": FeatureRule(direction="rises")}
    )
    model = fit(table, sample_rows=200, rules=rules, class_weight="balanced", certify=False)
    card = model.card_
    report = audit_card(card, table, table.died, table.times)
    assert not [check for check in report.checks if check.outcome is Outcome.FAILED]
    pressure = next(feature for feature in card.features if feature.name == "pressure")
    assert [code for code, _ in pressure.codes] == [-9]


@pytest.mark.parametrize("way", [WHOLE, BY_SAMPLE, PRESELECTED], ids=["whole", "sample", "few"])
@pytest.mark.parametrize("seed", [1, 3])
@pytest.mark.filterwarnings("default")
def test_the_least_rows_of_a_bin_are_rows_of_the_table(seed, way):
    table = random_table(seed, 2000)
    rules = CardRules(min_bin_rows=0.2, min_bin_events=60)
    model = fit(table, rules=rules, **way)
    rows = table[table.times > 0]
    assert model.card_.features
    for feature in model.card_.features:
        lines = feature.look_up(rows[feature.name].to_numpy(dtype=object)).lines
        assert list(feature.rows) == np.bincount(lines, minlength=len(feature.line_points)).tolist()
    report = audit_card(model.card_, rows, rows.died, rows.times)
    assert not [check for check in report.checks if check.outcome is Outcome.FAILED]


def test_a_source_has_the_card_with_least_bins_of_a_fit_in_memory():
    table = random_table(2, 2000)
    rules = CardRules(min_bin_rows=0.3)
    settings = {"max_terms": 3, "time_limit": None, "certify": True, "regularization": None}
    counted = table[table.times > 0]
    frame = counted.drop(columns=["died", "times"])
    plain = RiskScoreClassifier(rules=rules, **settings).fit(frame, counted.died, counted.times)
    free = RiskScoreClassifier(**settings).fit(frame, counted.died, counted.times)
    found = fit(table, rules=rules, regularization=None)
    assert plain.loss_ > free.loss_
    assert found.card_.features == plain.card_.features
    assert math.isclose(found.lower_bound_, plain.lower_bound_, rel_tol=1e-9)


def test_cuts_are_rounded_within_the_tolerance_on_all_rows():
    table = random_table(2, 3000)
    plain, round_ones = (
        fit(table, max_terms=2, certify=False, rules=CardRules(round_cuts=tolerance), **BY_SAMPLE)
        for tolerance in (None, 0.02)
    )
    assert round_ones.loss_ <= 1.021 * plain.loss_
    digits = [
        sum(len(f"{cut:g}") for one in model.card_.features for cut in getattr(one, "cuts", ()))
        for model in (plain, round_ones)
    ]
    assert digits[1] <= digits[0]


def test_identifiers_and_columns_with_many_texts_are_left_out():
    table = random_table(0, 400)
    table["patient_id"] = np.arange(400)
    table["name"] = [f"name {i}" for i in range(400)]
    with (
        pytest.warns(UserWarning, match=r"'name', since .* more than 50 different texts"),
        pytest.warns(UserWarning, match="'patient_id', since"),
    ):
        model = fit(table, certify=False)
    assert model.identifiers_ == ["name", "patient_id"]


def test_a_dask_frame_is_fitted_with_the_name_of_its_target():
    table = random_table(3)
    frame = frames.from_pandas(table, npartitions=3)
    with dask.config.set(scheduler="sync"):
        model = RiskScoreClassifier(2).fit(frame, "died", "times")
        assert facts_of(model) == facts_of(fit(table, max_terms=2, certify=False, time_limit=60.0))
        with pytest.raises(ParameterError, match="give the name of a column"):
            RiskScoreClassifier(2).fit(frame, frame["died"])


def test_dask_arrays_give_the_card_of_the_same_frame():
    arrays = pytest.importorskip("dask.array")
    table = random_table(1)[["age", "pressure", "small", "died", "times"]]
    names = {"age": "x0", "pressure": "x1", "small": "x2", "died": "target", "times": "weights"}
    X = arrays.from_array(table.iloc[:, :3].to_numpy(), chunks=(150, 2))
    y = arrays.from_array(table.died.to_numpy(), chunks=200)
    weights = arrays.from_array(table.times.to_numpy(), chunks=77)
    model = RiskScoreClassifier(2, time_limit=None)
    with dask.config.set(scheduler="sync"):
        wanted = facts_of(
            model.fit(open_source(table.rename(columns=names), "target", weights="weights"))
        )
        assert facts_of(model.fit(X, y, weights)) == wanted
        with pytest.raises(DataError, match=r"y is a ndarray of shape \(600,\)"):
            model.fit(X, table.died.to_numpy())


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_the_command_line_fits_on_a_scheduler(tmp_path, capsys):
    folder = write_pieces(random_table(1), tmp_path / "pieces", 5)
    options = ["--target", "died", "--weights", "times", "--max-terms", "2", "-q", "-o"]
    assert main(["fit", str(folder), *options, str(tmp_path / "here.json")]) == 0
    settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**settings) as cluster:
        there = ["--scheduler", cluster.scheduler_address]
        assert main(["fit", str(folder), *options, str(tmp_path / "there.json"), *there]) == 0
        distributed.default_client().close()
    assert _features_of(tmp_path / "there.json") == _features_of(tmp_path / "here.json")


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_worker_that_is_killed_changes_nothing(tmp_path):
    table = random_table(5)
    folder = write_pieces(table, tmp_path / "pieces", 20)
    wanted = facts_of(fit(table, **BY_SAMPLE))
    settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**settings) as cluster, distributed.Client(cluster) as client:
        frame = frames.read_parquet(folder)
        pids = client.run(os.getpid)
        slow = frame.map_partitions(
            _kill_once, min(pids.values()), str(tmp_path / "killed"), meta=frame
        )
        assert facts_of(fit(slow, **BY_SAMPLE)) == wanted
        assert (tmp_path / "killed").exists()
        assert set(client.run(os.getpid).values()) != set(pids.values())


def _kill_once(piece, pid, mark):
    """End one worker in the middle of its work."""
    if os.getpid() == pid and not os.path.exists(mark):
        with open(mark, "w"):
            pass
        os.kill(pid, signal.SIGKILL)
    return piece


# --- what can be wrong ------------------------------------------------------------------------


def _missing_column(folder):
    pq.write_table(pa.table({"age": [1], "died": [True]}), folder / "9.parquet")
    return folder, r"9.parquet' has no column 'pressure', which .* has"


def _other_type(folder):
    piece = pq.read_table(folder / "0.parquet")
    pq.write_table(piece.set_column(0, "age", pa.array(["x"] * len(piece))), folder / "9.parquet")
    return folder, r"9.parquet': column 'age' holds texts, but numbers in"


def _damaged(folder):
    content = (folder / "1.parquet").read_bytes()
    (folder / "1.parquet").write_bytes(content[:-20])
    return folder, r"1.parquet' cannot be read: .*"


def _damaged_inside(folder):
    content = bytearray((folder / "1.parquet").read_bytes())
    content[4:200] = bytes(196)
    (folder / "1.parquet").write_bytes(bytes(content))
    return folder, r"1.parquet' cannot be read: .*"


def _empty_file(folder):
    (folder / "9.parquet").touch()
    return folder, r"9.parquet' is empty\. Replace the file, or leave it out\.\n$"


def _empty_folder(folder):
    (folder / "empty").mkdir()
    return folder / "empty", r"has no file that ends in .parquet"


def _no_match(folder):
    return folder / "*.csv", r"No file fits .*csv"


def _no_table(folder):
    duckdb.connect(str(folder / "rows.db")).close()
    return f"duckdb:///{folder}/rows.db?table=nothing", r"'nothing': the database refused a query"


def _no_database(folder):
    return f"duckdb:///{folder}/other.db?table=t", r"There is no database '.*other.db'"


def _no_name_of_table(folder):
    return f"duckdb:///{folder}/other.db", r"does not say which table"


@pytest.mark.parametrize(
    "damage",
    [
        _missing_column,
        _other_type,
        _damaged,
        _damaged_inside,
        _empty_file,
        _empty_folder,
        _no_match,
        _no_table,
        _no_database,
        _no_name_of_table,
    ],
)
def test_the_command_line_says_what_is_wrong_in_one_sentence(damage, tmp_path, capsys):
    folder = write_pieces(random_table(1), tmp_path / "pieces", 3)
    data, said = damage(folder)
    before = sorted(tmp_path.rglob("*"))
    options = ["--target", "died", "-q", "-o", str(tmp_path / "card.json")]
    assert main(["fit", str(data), *options]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert re.search(said, error), error
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.skipif(os.name != "posix" or os.getuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_named(tmp_path):
    folder = write_pieces(random_table(1), tmp_path / "pieces", 2)
    (folder / "1.parquet").chmod(0)
    with pytest.raises(DataError, match=r"1.parquet' cannot be read: permission denied"):
        open_source(folder, "died")


def test_a_scheduler_that_is_not_there_is_named(tmp_path, capsys, monkeypatch):

    def no_client(address, timeout):
        raise OSError(f"Timed out trying to connect to {address}")

    monkeypatch.setattr(distributed, "Client", no_client)
    arguments = ["fit", str(tmp_path), "--target", "y", "--scheduler", "tcp://127.0.0.1:1"]
    assert main(arguments) == 2
    assert "No scheduler answers at 'tcp://127.0.0.1:1'" in capsys.readouterr().err


@pytest.mark.parametrize("damage", [_missing_column, _other_type])
def test_a_file_of_a_cluster_that_is_not_like_the_others_is_named(
    damage, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(distributed, "Client", lambda address, timeout: None)
    folder = write_pieces(random_table(1), tmp_path / "pieces", 3)
    _, said = damage(folder)
    arguments = ["fit", str(folder), "--target", "died", "--scheduler", "tcp://there:1", "-q"]
    assert main([*arguments, "-o", str(tmp_path / "card.json")]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert re.search(said, error), error
    assert not (tmp_path / "card.json").exists()


def _fail_with(error):
    def fail(piece):
        raise error

    return fail


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (KeyError("['age'] not in index"), r"a worker failed on a partition: KeyError: .*age"),
        (
            ValueError("Mismatched\n\ndtypes found"),
            "failed on a partition: Mismatched dtypes found",
        ),
        (OSError("Lost the scheduler."), "did not answer: Lost the scheduler. Start it"),
        (DataError("Feature 'a' is infinite."), "^Feature 'a' is infinite.$"),
    ],
    ids=["no column", "other types", "no cluster", "our own"],
)
def test_what_fails_on_a_worker_is_one_sentence(error, said):
    frame = frames.from_pandas(random_table(1), npartitions=3)
    broken = frame.map_partitions(_fail_with(error), meta=frame)
    with dask.config.set(scheduler="sync"), pytest.raises(DataError, match=said) as caught:
        fit(broken)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("data", [5, {"a": 1}, object()])
def test_what_is_no_table_is_refused(data):
    with pytest.raises(ParameterError, match="which is not known as a table"):
        open_source(data, "died")


class _Connection:
    """Nothing but what a source asks of a connection."""

    def __init__(self, connection):
        self._connection = connection

    def execute(self, query):
        return self._connection.cursor().execute(query)


def test_any_connection_that_runs_queries_will_do_with_a_dialect():
    table = random_table(1)
    connection = duckdb.connect()
    connection.register("frame", table)
    connection.execute("CREATE TABLE rows AS SELECT * FROM frame")
    source = SqlSource(_Connection(connection), DuckDb(), "rows")
    assert facts_of(fit(source)) == facts_of(fit(table))


def _with(**columns):
    table = random_table(1)
    return table.assign(**{name: column(table) for name, column in columns.items()})


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (_with(died=lambda t: t.died.astype(object).where(t.age != t.age[0])), "is missing in"),
        (_with(died=lambda t: t.age), "has .* different values"),
        (_with(times=lambda t: 0.5), "whole numbers of at least 0"),
        (_with(small=lambda t: np.inf), "'small' is infinite"),
    ],
    ids=["missing target", "many labels", "half weights", "infinite"],
)
def test_rows_that_cannot_be_used_are_refused(table, said):
    with pytest.raises(DataError, match=said):
        fit(table)
    connection = duckdb.connect()
    connection.register("frame", table)
    with pytest.raises(DataError, match=said):
        fit(connection, table="frame")


def test_what_is_not_possible_on_a_source_is_refused(tmp_path, capsys):
    table = random_table(1)
    with pytest.raises(ParameterError, match="round_cuts needs a grid"):
        fit(table, rules=CardRules(round_cuts=0.01), regularization=None)
    with pytest.raises(ParameterError, match="give them to open_source"):
        RiskScoreClassifier().fit(open_source(table, "died"), table.died)
    with pytest.raises(ParameterError, match="Use at least 10MB"):
        open_source(table, "died", memory="1KB")
    with pytest.raises(DataError, match=r"no column 'dead'.*'died'"):
        open_source(table, "dead")
    folder = write_pieces(table, tmp_path / "pieces", 2)
    assert main(["fit", str(folder), "--target", "died", "--hold-out", "0.3"]) == 2
    assert "--hold-out needs the rows in memory" in capsys.readouterr().err


def test_the_command_line_fits_a_folder_a_file_and_a_database(tmp_path, capsys):
    table = random_table(3)
    folder = write_pieces(table, tmp_path / "pieces", 3)
    pa_csv.write_csv(pa.Table.from_pandas(table, preserve_index=False), tmp_path / "rows.csv")
    connection = duckdb.connect(str(tmp_path / "rows.db"))
    connection.register("frame", table)
    connection.execute("CREATE TABLE rows AS SELECT * FROM frame")
    connection.close()
    cards = []
    for place, data in enumerate(
        (
            [str(folder)],
            [str(folder / "*.parquet")],
            [str(tmp_path / "rows.csv"), "--memory", "100MB"],
            [f"duckdb:///{tmp_path}/rows.db?table=rows"],
        )
    ):
        output = tmp_path / f"{place}.json"
        options = ["--target", "died", "--weights", "times", "--drop", "small", "--max-terms", "2"]
        assert main(["fit", *data, *options, "-q", "-o", str(output)]) == 0
        cards.append(_features_of(output))
    assert all(card == cards[0] for card in cards)
    assert capsys.readouterr().err == ""


def _features_of(path):
    card = RiskCard.load(path)
    return card.features, card.training, card.certificate.loss


def test_progress_says_rows_per_second(tmp_path, capsys):
    folder = write_pieces(random_table(1), tmp_path / "pieces", 3)
    assert main(["fit", str(folder), "--target", "died", "--max-terms", "1"]) == 0
    said = capsys.readouterr().err
    assert "pass 1 of 3, labels: 600 rows" in said
    assert "pass 2 of 3, ranges and a sample: 600 of 600 rows" in said
    assert "rows per second" in said


def test_importing_the_classifier_loads_neither_dask_nor_a_database():
    code = "import sys, riskcard; riskcard.RiskScoreClassifier; print(' '.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"dask", "duckdb", "psycopg", "distributed"} & set(run.stdout.split())


def test_a_piece_of_no_rows_is_read():
    from riskcard.sources.rows import read_rows

    empty = pa.table({"age": pa.array([], pa.int64()), "y": pa.array([], pa.bool_())})
    rows = read_rows(empty, Wanted({"age": Kind.NUMBER}, "y", True))
    assert rows.is_event.size == 0


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_predict_scores_a_folder_piece_by_piece(tmp_path, ending, capsys):
    table = random_table(1)
    folder = write_pieces(table, tmp_path / "pieces", 3)
    fit(table, max_terms=2, certify=False).card_.save(tmp_path / "card.json")
    output = tmp_path / f"scores.{ending}"
    options = ["--keep", "age", "--bands", "low", "high=30%", "--threshold", "0.5"]
    arguments = ["predict", str(tmp_path / "card.json"), str(folder), "-o", str(output)]
    assert main([*arguments, *options]) == 0
    rows = pa.concat_tables(pq.read_table(path) for path in sorted(folder.iterdir()))
    card = RiskCard.load(tmp_path / "card.json")
    found = pa_csv.read_csv(output) if ending == "csv" else pq.read_table(output)
    assert found["age"].to_pylist() == rows["age"].to_pylist()
    assert found["total"].to_pylist() == card.total_points(rows.to_pandas()).tolist()
    risk = card.risk(rows.to_pandas())
    assert np.allclose(found["risk"].to_pylist(), risk, rtol=1e-12)
    assert found["band"].to_pylist() == ["high" if one >= 0.3 else "low" for one in risk]
    assert found["prediction"].to_pylist() == (risk >= 0.5).tolist()
    assert sorted(tmp_path.glob("*.part")) == []
    assert main([*arguments[:-1], str(tmp_path / "scores.txt")]) == 2
    assert "ends in .csv or .parquet" in capsys.readouterr().err


def test_a_prediction_that_fails_leaves_nothing(tmp_path, capsys):
    folder = write_pieces(random_table(1), tmp_path / "pieces", 3)
    fit(random_table(1), max_terms=2, certify=False).card_.save(tmp_path / "card.json")
    _damaged_inside(folder)
    output = tmp_path / "scores.parquet"
    assert main(["predict", str(tmp_path / "card.json"), str(folder), "-o", str(output)]) == 2
    assert "1.parquet' cannot be read" in capsys.readouterr().err
    assert not list(tmp_path.glob("scores*"))


def test_predict_writes_scores_back_into_a_database(tmp_path, capsys):
    table = random_table(1)
    place, card = tmp_path / "rows.db", tmp_path / "card.json"
    with duckdb.connect(str(place)) as connection:
        connection.register("frame", table)
        connection.execute("CREATE TABLE patients AS SELECT * FROM frame")
    model = fit(table, max_terms=3, certify=False)
    model.card_.save(card)
    arguments = ["predict", str(card), f"duckdb:///{place}?table=patients"]
    assert main([*arguments, "--into", "scores", "--keep", "all"]) == 0
    assert "Wrote the table scores: 600 rows." in capsys.readouterr().err
    with duckdb.connect(str(place)) as connection:
        found = connection.execute("SELECT * FROM scores").df()
    assert found.total.tolist() == model.card_.total_points(found).tolist()
    assert np.allclose(found.risk, model.card_.risk(found), rtol=1e-12)
    for more, said in (
        (["--into", "scores"], "the database refused a query: .*already exists"),
        (["--into", "other", "--keep", "agee"], "no column 'agee'.*'age'"),
        (["--into", "other", "--threshold", "0.5"], "--threshold are not available"),
        (["-o", str(tmp_path / "scores.csv")], "give --into TABLE"),
    ):
        assert main([*arguments, *more]) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert re.search(said, error), error
    table.to_csv(tmp_path / "rows.csv")
    assert main(["predict", str(card), str(tmp_path / "rows.csv"), "--into", "scores"]) == 2
    assert "--into is for a table in a database" in capsys.readouterr().err
    (tmp_path / "rows.csv").unlink()
    with duckdb.connect(str(place)) as connection:
        tables = connection.execute("SHOW TABLES").fetchall()
    assert sorted(name for (name,) in tables) == ["patients", "scores"]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["card.json", "rows.db"]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_full_disk_is_named_and_leaves_nothing(tmp_path, ending, capsys, monkeypatch):
    folder = write_pieces(random_table(1), tmp_path / "pieces", 3)
    card, output = tmp_path / "card.json", tmp_path / f"scores.{ending}"
    RiskCard([FeaturePoints("age", [50], [0, 1])], base=-1).save(card)
    module, name = (pa_csv, "CSVWriter") if ending == "csv" else (pq, "ParquetWriter")
    writer = getattr(module, name)

    class FullDisk:
        def __init__(self, path, schema):
            self._writer, self._n = writer(path, schema), 0

        def write_table(self, table):
            self._n += 1
            if self._n > 1:
                raise OSError(28, "No space left on device")
            self._writer.write_table(table)

        def close(self):
            self._writer.close()

    monkeypatch.setattr(module, name, FullDisk)
    before = sorted(tmp_path.rglob("*"))
    assert main(["predict", str(card), str(folder), "-o", str(output)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert f"scores.{ending}' cannot be written: No space left on device" in error
    assert sorted(tmp_path.rglob("*")) == before


def test_the_page_on_large_tables_runs(tmp_path, monkeypatch):
    page = Path(__file__).parents[1] / "docs" / "large_tables.md"
    text = page.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL))
    with dask.config.set(scheduler="sync"):
        exec(compile(code, "large_tables.md", "exec"), {})
    commands = re.findall(r"^riskcard (.*)$", text, flags=re.MULTILINE)
    assert len(commands) == 8
    pq.read_table("folder/0.parquet").to_pandas().to_csv("rows.csv", index=False)
    for command in commands:
        if "postgresql" not in command and "scheduler" not in command:
            assert main([*shlex.split(command), *(["-q"] if "fit" in command else [])]) == 0


def test_without_a_grid_cuts_are_moved_where_all_rows_have_a_lower_loss(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(6000, 3)), columns=["a", "b", "c"])
    log_odds = 1.5 * (table.a > 0.3141) + 1.1 * (table.b > -0.777) - 1
    table["died"] = rng.random(6000) < 1 / (1 + np.exp(-log_odds))
    table["times"] = 1
    way = {"sample_rows": 2000, "memory": 10**7, "regularization": None, "max_terms": 2}
    moved = fit(table, **way)
    certificate = moved.card_.certificate
    assert "Every cut of the card is at its best gap" in certificate.notes[-2]
    assert certificate.is_grid_full
    folder = write_pieces(table, tmp_path / "pieces", 5)
    assert facts_of(fit(folder, **way)) == facts_of(moved)
    monkeypatch.setattr("riskcard.estimators.from_sources.refine.MOST_ROUNDS", 0)
    assert moved.loss_ < fit(table, **way).loss_
    every = RiskScoreClassifier(2, regularization=None).fit(table[["a", "b", "c"]], table.died)
    assert every.loss_ <= moved.loss_ < 1.001 * every.loss_


@pytest.mark.parametrize(
    "data", ["{folder}", "{folder}/*.parquet", "duckdb:///{folder}/0.parquet?table=t"]
)
@pytest.mark.parametrize("command", ["predict", "fit"])
def test_no_file_of_the_data_is_written_over(tmp_path, data, command, capsys):
    folder = write_pieces(random_table(1), tmp_path / "pieces", 2)
    card = RiskCard([FeaturePoints("age", [50], [0, 1])], base=-1)
    card.save(tmp_path / "card.json")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    output = folder / "0.parquet"
    assert output in before
    given = [str(tmp_path / "card.json")] if command == "predict" else ["--target", "y"]
    assert main([command, *given, data.format(folder=folder), "-o", str(output)]) == 2
    assert "would be overwritten" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("data", "output", "is_refused"),
    [
        ("pieces", "pieces/scores.csv", True),
        ("pieces", "pieces/inner/scores.parquet", True),
        ("pieces/*.parquet", "pieces/scores.parquet", True),
        ("**/*.parquet", "pieces/inner/scores.parquet", True),
        ("pieces/*.parquet", "pieces/inner/scores.parquet", False),
        ("pieces/*.parquet", "pieces/scores.csv", False),
        ("pieces", "scores.parquet", False),
    ],
)
def test_scores_do_not_become_a_part_of_the_data(
    tmp_path, monkeypatch, capsys, data, output, is_refused
):
    monkeypatch.chdir(tmp_path)
    (write_pieces(random_table(1), tmp_path / "pieces", 2) / "inner").mkdir()
    RiskCard([FeaturePoints("age", [50], [0, 1])], base=-1).save("card.json")
    assert main(["predict", "card.json", data, "-o", output]) == (2 if is_refused else 0)
    assert ("one of the files of" in capsys.readouterr().err) == is_refused
    assert Path(output).exists() != is_refused


def test_other_outcomes_are_refused_of_a_folder(tmp_path, capsys):
    folder = write_pieces(random_table(1), tmp_path / "pieces", 2)
    assert main(["fit", str(folder), "--target", "age", "--outcome", "number"]) == 2
    assert "--outcome needs the rows in memory" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["check"], ["report", "-o", "page.html"]])
def test_commands_that_need_one_file_say_which_read_folders(tmp_path, monkeypatch, capsys, command):
    monkeypatch.chdir(tmp_path)
    write_pieces(random_table(1), tmp_path / "pieces", 2)
    RiskCard([FeaturePoints("age", [50], [0, 1])], base=-1).save("card.json")
    name, *further = command
    assert main([name, "card.json", "pieces", "--target", "died", *further]) == 2
    error = capsys.readouterr().err
    assert "'pieces' is a table that is read in pieces, and this command needs one file" in error
    assert error.count("\n") == 1
    assert sorted(one.name for one in tmp_path.iterdir()) == ["card.json", "pieces"]
