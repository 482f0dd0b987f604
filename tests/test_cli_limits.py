"""Limits between groups on the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

from riskcard.cli.main import main


@pytest.fixture
def table(tmp_path):
    random = np.random.default_rng(3)
    site = random.choice(["a", "b"], 200)
    first = random.normal(0, 1, 200) + (site == "b")
    y = random.random(200) < 1 / (1 + np.exp(-first))
    proxy = np.where(site == "a", 1, 2) + random.integers(0, 2, 200) * 5
    lines = ["site,first,proxy,y"]
    lines += [f"{s},{f:.2f},{p},{int(e)}" for s, f, p, e in zip(site, first, proxy, y, strict=True)]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(lines))
    return path


def test_a_limited_card_is_written_and_its_price_is_shown(table, tmp_path, capsys):
    card = tmp_path / "card.json"
    options = ["--max-terms", "2", "--limit-groups", "site", "--max-difference", "mean_risk=0.05"]
    assert (
        main(["fit", str(table), "--target", "y", *options, "--no-proxies", "-o", str(card)]) == 0
    )
    shown = capsys.readouterr()
    assert "Differences between groups of 'site'" in shown.out
    assert "all limits" in shown.out
    assert "tell 'site' apart (AUC): 'proxy' (1.00)" in shown.err
    stored = json.loads(card.read_text())
    assert stored["recipe"]["method"] == "fit_within_limits"
    assert all(feature["name"] != "site" for feature in stored["features"])
    assert any("'site' by at most 0.05" in rule for rule in stored["certificate"]["rules"])


def test_rows_that_are_held_out_have_no_part_in_the_limits(table, tmp_path, capsys):
    options = ["--limit-groups", "site", "--max-difference", "mean_risk=0.2", "--hold-out", "30%"]
    assert main(["fit", str(table), "--target", "y", *options]) == 0
    assert "Differences between groups" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--max-difference", "mean_risk=0.1"], "no effect without --limit-groups"),
        (["--no-proxies"], "no effect without --limit-groups"),
        (["--limit-groups", "site"], "names groups but no limit"),
        (["--limit-groups", "site", "--max-difference", "mean=1"], "MEASURE is one of"),
        (["--limit-groups", "site", "--max-difference", "mean_risk"], "MEASURE is one of"),
        (["--limit-groups", "site", "--max-difference", "mean_risk=low"], "'low' is not a number"),
        (["--limit-groups", "site", "--max-difference", "flagged=0.1"], "--flag-from"),
        (["--limit-groups", "where", "--max-difference", "mean_risk=0.1"], "where"),
        (["--limit-groups", "first", "--max-difference", "mean_risk=0.1"], "groups"),
        (["--limit-groups", "site", "--no-proxies", "0.5"], "none is left"),
        (
            [
                "--limit-groups",
                "site",
                "--max-difference",
                "mean_risk=0.1",
                "--pool-tolerance",
                "1%",
            ],
            "Leave one out",
        ),
    ],
)
def test_options_that_make_no_sense_are_refused(table, capsys, options, words):
    assert main(["fit", str(table), "--target", "y", *options]) == 2
    assert words in capsys.readouterr().err
