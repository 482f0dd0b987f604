"""Files of a table on any filesystem: the same card, and what is said of files that are not there or change."""

import os

import pytest

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402
from pyarrow import fs  # noqa: E402

from riskcard import (  # noqa: E402
    DataError,
    ParameterError,
    RiskCard,
    RiskScoreClassifier,
    open_source,
)
from riskcard.cli.main import main  # noqa: E402
from riskcard.sources.file_places import as_arrow_filesystem, places_of  # noqa: E402
from source_tables import facts_of, random_table, write_pieces  # noqa: E402


def _fit(data, **given):
    source = open_source(data, "died", weights="times", **given)
    source.sample_rows = 150
    return RiskScoreClassifier(2, time_limit=None).fit(source)


@pytest.fixture
def folder(tmp_path):
    return write_pieces(random_table(1), tmp_path / "top" / "pieces", 3)


@pytest.fixture
def in_memory(folder):
    """A filesystem of fsspec with the same files."""
    fsspec = pytest.importorskip("fsspec")
    filesystem = fsspec.filesystem("memory")
    filesystem.pipe({f"/kept/{one.name}": one.read_bytes() for one in folder.iterdir()})
    yield filesystem
    filesystem.rm("/kept", recursive=True)


def test_the_card_is_the_same_wherever_the_files_are(folder, in_memory):
    wanted = facts_of(_fit(folder))
    within = fs.SubTreeFileSystem(str(folder.parent), fs.LocalFileSystem())
    for data, filesystem in (
        ("pieces", within),
        ("pieces/*.parquet", within),
        (["pieces/2.parquet", "pieces/0.parquet", "pieces/1.parquet"], within),
        ("/kept", in_memory),
        ("/kept/?.parquet", in_memory),
        ("memory://kept", None),
        ("memory://kept/*.parquet", None),
        (folder.as_uri(), None),
        (folder.as_uri() + "/*.parquet", None),
    ):
        assert facts_of(_fit(data, filesystem=filesystem)) == wanted, data


def test_relative_paths_are_read(folder, monkeypatch):
    wanted = facts_of(_fit(folder))
    monkeypatch.chdir(folder.parent)
    for data in ("pieces", "./pieces/*.parquet", "../top/pieces"):
        assert facts_of(_fit(data)) == wanted


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("a/*.csv", ["a/1.csv", "a/_part.csv"]),
        ("a/**/*.csv", ["a/1.csv", "a/_part.csv", "a/b/2.csv", "a/b/c/3.csv"]),
        ("a/?/2.csv", ["a/b/2.csv"]),
        ("a/b/[!3].csv", ["a/b/2.csv"]),
        ("a", ["a/1.csv", "a/b/2.csv", "a/b/c/3.csv"]),
        ("a/1.csv", ["a/1.csv"]),
    ],
)
def test_a_pattern_means_the_same_on_any_filesystem(pattern, found, tmp_path, monkeypatch):
    for name in ("a/1.csv", "a/b/2.csv", "a/b/c/3.csv", "a/.hidden.csv", "a/_part.csv", "z.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x\n1\n")
    monkeypatch.chdir(tmp_path)
    assert [one.path for one in places_of(pattern)] == found
    within = fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem())
    assert [one.path for one in places_of(pattern, within)] == found


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("other", r"'other' has no file that ends in .parquet"),
        ("pieces/*.csv", r"No file fits 'pieces/\*.csv'"),
    ],
)
def test_nothing_found_on_a_filesystem_is_said(folder, data, said):
    within = fs.SubTreeFileSystem(str(folder.parent), fs.LocalFileSystem())
    with pytest.raises(DataError, match=said):
        open_source(data, "died", filesystem=within)


def test_what_is_no_filesystem_is_refused(folder):
    with pytest.raises(DataError, match="Give a filesystem of pyarrow"):
        as_arrow_filesystem("s3")
    with pytest.raises(ParameterError, match="filesystem is only for paths"):
        open_source(random_table(1), "died", filesystem=fs.LocalFileSystem())
    with pytest.raises(DataError, match=r"'nowhere://bucket/x' cannot be read"):
        open_source("nowhere://bucket/x", "died")


def test_a_file_that_changes_between_two_passes_is_named(folder):
    source = open_source(folder, "died", weights="times")
    changed = folder / "1.parquet"
    table = pq.read_table(changed)
    list(source.pieces(["age"]))
    pq.write_table(table.slice(1), changed)
    with pytest.raises(DataError, match=r"1.parquet' has changed since it was first read"):
        list(source.pieces(["age"]))


def test_a_file_that_changes_while_it_is_read_is_named(folder):
    source = open_source(folder, "died", weights="times")
    pieces = source.pieces(["age"])
    next(pieces)
    times = os.stat(folder / "0.parquet")
    os.utime(folder / "0.parquet", ns=(times.st_atime_ns, times.st_mtime_ns + 10**9))
    with pytest.raises(DataError, match=r"0.parquet' has changed"):
        list(pieces)


def test_a_file_that_is_deleted_between_two_passes_is_named(folder):
    source = open_source(folder, "died", weights="times")
    (folder / "2.parquet").unlink()
    with pytest.raises(DataError, match=r"2.parquet' has changed since it was first read"):
        list(source.pieces(["age"]))


def test_the_command_line_reads_addresses_of_files(folder, tmp_path, capsys):
    card = tmp_path / "card.json"
    options = ["--target", "died", "--weights", "times", "--max-terms", "2", "-q", "-o", str(card)]
    assert main(["fit", folder.as_uri(), *options]) == 0
    wanted = RiskCard.load(card).features
    assert main(["fit", str(folder), *options]) == 0
    assert RiskCard.load(card).features == wanted
    scores = tmp_path / "scores.csv"
    assert main(["predict", str(card), folder.as_uri() + "/*.parquet", "-o", str(scores)]) == 0
    assert len(pd.read_csv(scores)) == 600
    before = {one: one.read_bytes() for one in folder.iterdir()}
    for output in (folder / "0.parquet", folder / "new.parquet"):
        assert main(["predict", str(card), folder.as_uri(), "-o", str(output)]) == 2
    assert {one: one.read_bytes() for one in folder.iterdir()} == before
    capsys.readouterr()
    assert main(["fit", "nowhere://bucket/x", *options]) == 2
    assert "'nowhere://bucket/x' cannot be read" in capsys.readouterr().err
