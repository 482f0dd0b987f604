"""A command opens each of its files once, however many views of the rows it needs."""

import sys
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from riskcard.cli.main import main

_listeners = []


def _tell(event, arguments):
    if event == "open":
        for listener in _listeners:
            listener(arguments[0])


sys.addaudithook(_tell)  # it cannot be taken away, but it may have nobody to tell


@contextmanager
def counted_opens():
    """How often each file is opened, by its name, whichever function opens it."""
    opens = Counter()

    def count(path):
        if isinstance(path, (str, Path)):
            opens[Path(path).name] += 1

    _listeners.append(count)
    try:
        yield opens
    finally:
        _listeners.remove(count)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Rows of people in families, and a card that was learned from them."""
    folder = tmp_path_factory.mktemp("opens")
    random = np.random.default_rng(3)
    age, shape = random.integers(20, 90, 120), random.choice(["round", "oval", "NA"], 120)
    ill = (age + 20 * (shape == "oval") + random.normal(0, 15, 120) > 65).astype(int)
    rows = list(zip(age, shape, np.arange(120) // 3, ill, strict=True))
    for name, shift in (("data.csv", 0.0), ("test.csv", 0.5)):  # no row of one file is in the other
        lines = [f"{a + shift},{s},f{f},{y}" for a, s, f, y in rows]
        (folder / name).write_text("\n".join(["age,shape,family,ill", *lines]))
    assert run(folder, "fit data.csv --target ill --drop family --max-terms 2 -o card.json -q") == 0
    return folder


def run(folder, command):
    names = {path.name for path in folder.iterdir()} | {"card.json"}
    words = [str(folder / word) if word in names else word for word in command.split()]
    return main(words)


@pytest.mark.parametrize(
    "command",
    [
        "fit data.csv --target ill --max-terms 1 -q",
        "tune data.csv --target ill --max-terms 1 --cv 2 --groups family -q",
        "stability data.csv --target ill --max-terms 1 --n-bootstraps 2 -q",
        "predict card.json data.csv",
        "explain card.json data.csv --row 7",
        "check card.json data.csv",
        "recalibrate card.json data.csv -q",
    ],
    ids=lambda command: command.split()[0],
)
def test_a_command_opens_its_card_and_its_data_once(folder, capsys, command):
    with counted_opens() as opens:
        assert run(folder, command) == 0
    for name in ("data.csv", "card.json"):
        assert opens[name] == (name in command), name


def test_a_report_opens_card_data_and_test_data_once(folder, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    page = tmp_path / "page.html"
    with counted_opens() as opens:
        assert (
            run(
                folder,
                f"report card.json data.csv --test test.csv --cv 0 --n-bootstraps 0 -o {page}",
            )
            == 0
        )
    assert [opens[name] for name in ("card.json", "data.csv", "test.csv")] == [1, 1, 1]
    assert page.read_text(encoding="utf-8").count("test.csv") > 0


def test_a_second_open_would_be_counted(folder):
    with counted_opens() as opens:
        (folder / "data.csv").read_bytes()
        open(folder / "data.csv").close()
    assert opens["data.csv"] == 2
