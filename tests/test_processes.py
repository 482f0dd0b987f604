"""Other processes run nothing of the current folder, and a full disk stops no kernel."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from riskcard.processes import isolated_python, last_line, run_module


@pytest.fixture
def trap(tmp_path, monkeypatch):
    """A current folder with modules that leave a trace when they are executed."""
    trace = tmp_path / "executed"
    for name in ("riskcard", "numba", "numpy", "runpy", "json", "sitecustomize", "usercustomize"):
        (tmp_path / f"{name}.py").write_text(f"open({str(trace)!r}, 'a').write({name!r})")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(sys, "path", ["", ".", str(tmp_path), *sys.path])
    return trace


def test_an_isolated_process_runs_nothing_of_the_current_folder(trap):
    code = "import json, numpy, riskcard; print(riskcard.__file__, *sys.argv[1:])"
    done = subprocess.run(isolated_python(code, "a b"), capture_output=True, text=True, check=True)
    assert done.stdout.split()[1:] == ["a", "b"]
    assert not trap.exists()


def test_a_module_in_another_process_runs_nothing_of_the_current_folder(trap, tmp_path):
    folder = tmp_path / "job"
    folder.mkdir()
    ending = run_module("riskcard.version", folder, 60)
    assert ending == (False, 0), last_line(folder / "log")
    ending = run_module("riskcard.paper.experiments.runs.run_process", folder, 60)
    assert "FileNotFoundError" in last_line(folder / "log")  # it got its folder: there is no job
    assert not ending.was_ended
    assert not trap.exists()


def test_riskcard_is_found_even_if_it_is_in_the_current_folder(monkeypatch):
    import riskcard

    monkeypatch.chdir(Path(riskcard.__file__).parents[1])
    done = subprocess.run(isolated_python("import riskcard"), check=False)
    assert done.returncode == 0


def test_compiled_code_is_not_taken_from_a_folder_that_the_current_one_names(tmp_path):
    pytest.importorskip("yaml")
    (tmp_path / ".numba_config.yaml").write_text("cache_dir: ./planted", encoding="utf-8")
    code = (
        "from riskcard.cli.main import main; main(['--version']); import numba;"
        "assert numba.config.CACHE_DIR == '', numba.config.CACHE_DIR"
    )
    environment = {name: text for name, text in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, check=True)


#: A kernel is run where the disk is full.
ON_FULL_DISK = """
import warnings
import numpy as np
from numba.core import caching

def refuse(*given):
    raise OSError(28, "No space left on device")

caching.IndexDataCacheFile.save = refuse
with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("always")
    from riskcard.kernels.scores import score_rows
    codes, terms = np.zeros((1, 2), np.int32), np.zeros((3, 0), np.int64)
    for number in (np.int32, np.int64):
        score_rows(codes, terms, 7, np.array([True, False]), np.zeros(2, number))
print(*(str(one.message) for one in found), sep="\\n")
"""


@pytest.mark.slow
def test_compiled_code_that_cannot_be_kept_costs_one_sentence(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", ON_FULL_DISK]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (sentence,) = done.stdout.splitlines()
    assert sentence.startswith("No folder for compiled code can be written to, so every")
