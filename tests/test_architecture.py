"""Imports point down: the folders know of each other only what the design says."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cards import mass_card
from riskcard.toml import parse_toml

SOURCE = Path(__file__).parents[1] / "src" / "riskcard"
FILES = sorted(SOURCE.rglob("*.py"))

#: What the modules of each room may import from the package. Files at the top of the package stand for
#: themselves; a room within a room, such as ``search/proof``, is named by both.
BASE = {
    "errors",
    "version",
    "checks",
    "extras",
    "parameters",
    "toml",
    "status",
    "arrays",
    "threads",
    "logistic",
    "formatting",
    "formatting/pages",
}
DATA = BASE | {"data", "data/cells", "data/files", "data/first_look"}
MODEL = DATA | {"model", "model/origin", "model/rows", "model/words"}
PROBLEM = BASE | {"problem"}
ENCODING = MODEL | {"rules", "problem", "encoding", "kernels"}
SEARCH = PROBLEM | {"kernels", "search", "processes"}
SOLVE = SEARCH | {
    "kernels/heuristic",
    "kernels/proof",
    "search/drivers",
    "search/heuristic",
    "search/proof",
}
ESTIMATORS = ENCODING | {
    "outcomes",
    "smoothing",
    "sources",
    "search",
    "search/drivers",
    "estimators",
    "estimators/cross_validation",
    "estimators/existing_card",
    "estimators/from_sources",
    "estimators/other_outcomes",
    "estimators/views",
    "progress",
}
EVALUATION = MODEL | {
    "outcomes",
    "evaluation",
    "evaluation/groups",
    "evaluation/development",
    "evaluation/monitoring",
    "evaluation/other_outcomes",
}
BASELINES = ESTIMATORS | {"baselines", "baselines/lattice_method", "baselines/steps"}
STUDIO = ESTIMATORS | EVALUATION | {"cli", "cli/learning", "cli/rows", "studio"}
EXPERIMENTS = (
    ESTIMATORS
    | {"paper", "paper/formulations", "paper/solvers", "paper/experiments", "baselines"}
    | {"output_files", "processes"}
)
VALIDATION = EVALUATION | {
    "validation",
    "validation/estimated",
    "validation/horizons",
    "plots",
    "card",
    "output_files",
}
REPORT = (
    ESTIMATORS
    | EVALUATION
    | {"report", "report/guidelines", "report/refits", "card", "audit", "plots", "plots/cards"}
    | {"stability", "validation", "validation/estimated", "validation/horizons", "output_files"}
)
ALLOWED = {
    "errors": set(),
    "version": set(),
    "status": set(),
    "arrays": set(),
    "threads": set(),
    "logistic": set(),
    "checks": {"errors"},
    "toml": set(),
    "parameters": {"errors", "checks", "toml"},
    "extras": {"errors"},
    "output_files": {"errors"},
    "formatting": {"errors", "extras", "formatting", "version"},
    "formatting/pages": {"errors", "extras", "formatting", "formatting/pages", "version"},
    "data": DATA,
    "data/cells": DATA,
    "data/files": DATA,
    "data/first_look": DATA,
    "rules": DATA | {"rules"},
    "model": MODEL | {"output_files"},
    "model/origin": MODEL,
    "model/rows": MODEL,
    "model/words": MODEL | {"output_files"},
    "problem": PROBLEM,
    "kernels": {"kernels", "errors"},
    "kernels/heuristic": {"kernels", "kernels/heuristic"},
    "kernels/proof": {"kernels", "kernels/proof"},
    "kernels/proof/hull": {"kernels", "kernels/proof"},
    "kernels/proof/supports": {"kernels", "kernels/proof"},
    "kernels/proof/record": {"kernels", "kernels/proof"},
    "encoding": ENCODING,
    "search": SOLVE,
    "search/drivers": SOLVE,
    "search/heuristic": SEARCH | {"kernels/heuristic", "search/heuristic"},
    "search/proof": SEARCH | {"kernels/proof", "search/proof"},
    "smoothing": DATA | {"smoothing"},
    "outcomes": DATA | {"outcomes"},
    "audit": MODEL | {"audit", "outcomes", "smoothing", "estimators", "estimators/other_outcomes"},
    "sources": BASE | {"sources", "progress"},
    "baselines": BASELINES,
    "baselines/lattice_method": BASELINES,
    "baselines/steps": BASELINES,
    "scores": ESTIMATORS | {"scores"},
    "price": ESTIMATORS | {"evaluation", "price"},
    "progress": BASE,
    "processes": set(),
    "estimators": ESTIMATORS | {"evaluation", "evaluation/monitoring"},
    "estimators/cross_validation": ESTIMATORS | {"evaluation", "evaluation/other_outcomes"},
    "estimators/existing_card": ESTIMATORS | {"evaluation", "evaluation/monitoring"},
    "estimators/from_sources": ESTIMATORS,
    "estimators/other_outcomes": ESTIMATORS
    | {"evaluation", "evaluation/monitoring", "evaluation/other_outcomes"},
    "estimators/views": ESTIMATORS,
    "stability": ESTIMATORS | EVALUATION | {"stability"},
    "proof_file": ESTIMATORS | {"search/proof", "output_files", "proof_file"},
    "proof_check": set(),
    "fairness": ESTIMATORS | {"search/heuristic", "fairness"},
    "evaluation": MODEL | {"evaluation", "outcomes"},
    "evaluation/groups": EVALUATION,
    "evaluation/development": EVALUATION,
    "evaluation/monitoring": EVALUATION,
    "evaluation/other_outcomes": EVALUATION,
    "plots": EVALUATION | {"plots"},
    "plots/cards": EVALUATION | {"plots", "plots/cards"},
    "plots/credit": EVALUATION | {"plots", "plots/credit"},
    "card": MODEL | {"card", "card/drawing", "evaluation"},
    "card/drawing": MODEL | {"card", "card/drawing"},
    "export": MODEL | {"export", "export/clinical", "output_files"},
    "export/clinical": MODEL | {"export"},
    "credit": EVALUATION | {"credit", "plots", "plots/credit"},
    "calculator": MODEL | {"calculator", "card"},
    "report/guidelines": BASE,
    "report": REPORT,
    "report/refits": REPORT,
    "validation": VALIDATION | {"sources"},
    "validation/estimated": VALIDATION,
    "validation/horizons": VALIDATION,
    "paper": PROBLEM
    | {"paper", "paper/formulations", "paper/solvers", "data", "model", "encoding"},
    "paper/formulations": PROBLEM | {"paper/formulations", "data", "encoding"},
    "paper/solvers": PROBLEM | {"processes", "paper/formulations", "paper/solvers"},
    "paper/experiments": EXPERIMENTS,
    "paper/experiments/runs": EXPERIMENTS,
    "cli": ESTIMATORS
    | EVALUATION
    | {
        "cli",
        "fairness",
        "cli/learning",
        "cli/rows",
        "cli/using",
        "card",
        "card/drawing",
        "export",
        "credit",
        "audit",
        "stability",
        "plots",
        "plots/cards",
        "calculator",
        "report",
        "report/refits",
        "validation",
        "validation/estimated",
        "validation/horizons",
        "proof_file",
        "price",
        "proof_check",
        "scores",
        "search/proof",
    }
    | {"paper", "paper/experiments", "output_files"},
    # a command line with a face: a fit of the studio is the command that its recipe names
    "studio": STUDIO | {"studio/server", "studio/state"},
    "studio/table": STUDIO | {"studio/table"},
    "studio/fitting": STUDIO | {"studio/fitting", "processes"},
    "studio/state": STUDIO | {"studio/table", "studio/fitting", "studio/state", "output_files"},
    "studio/server": STUDIO
    | {"studio/table", "studio/state", "studio/server"}
    | {"card", "export", "calculator", "report", "output_files"},
    "__main__": {"cli"},
    "__init__": {"version"},
}
COMMANDS = ("cli/learning", "cli/rows", "cli/using", "cli/judging")
ALLOWED.update(dict.fromkeys(COMMANDS, ALLOWED["cli"]))
ALLOWED["cli/learning"] = ALLOWED["cli"] | {"studio/server"}
SKLEARN_PARTS = (
    "estimators",
    "estimators/cross_validation",
    "estimators/existing_card",
    "estimators/other_outcomes",
    "estimators/views",
    "baselines",
    "baselines/steps",
    "stability",
    "fairness",
    "report",
    "report/refits",
    "cli",
    *COMMANDS,
    "paper/experiments",
    "paper/experiments/runs",
)
#: A card draws and saves itself: these functions fetch the renderer when they are called.
SELF_DESCRIPTION = {
    ("model/card_views.py", "card"),
    ("model/card_views.py", "card/drawing"),
    ("model/card_views.py", "calculator"),
    ("model/card_views.py", "export"),
    ("model/rows/explain.py", "card"),
    ("model/origin/certificate.py", "card"),
}


#: Facts and sentences do not know the pictures: of a report and a validation only these files draw.
DRAWING = {
    "kind_report.py",
    "horizon_pictures.py",
    "report.py",
    "shown_figures.py",
    "page.py",
    "pictures.py",
    "validate.py",
}


def imported_modules(tree: ast.AST) -> list[tuple[str, int]]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import in line {node.lineno}"
            found.append((node.module or "", node.lineno))
            if node.module == "riskcard":
                found += [(f"riskcard.{alias.name}", node.lineno) for alias in node.names]
    return found


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def runtime_tree(path: Path) -> ast.Module:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tree.body = [node for node in tree.body if not is_for_types(node)]
    return tree


ROOMS = {path.parent.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("__init__.py")}


def part_of(path: Path) -> str:
    """The room of a file; a file at the top is its own."""
    room = path.parent.relative_to(SOURCE).as_posix()
    return path.stem if room == "." else room


def part_of_module(module: str) -> str:
    """The room of a module by its dotted name, such as ``riskcard.search.proof.tree``."""
    parts = module.split(".")[1:]
    inner = "/".join(parts[:2])
    return inner if inner in ROOMS else parts[0]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_imports_point_down(path):
    name, part = path.relative_to(SOURCE).as_posix(), part_of(path)
    for module, line in imported_modules(runtime_tree(path)):
        where = f"{name}, line {line}, imports {module}"
        parts = module.split(".")
        if parts[0] == "riskcard" and len(parts) > 1:
            room = part_of_module(module)
            assert room in ALLOWED[part] or (name, room) in SELF_DESCRIPTION, where
        if parts[0] == "numba":
            assert part.startswith("kernels"), where
        if parts[0] in ("sklearn", "joblib"):
            assert part in SKLEARN_PARTS, where
        if (
            part.startswith("kernels") and name != "kernels/jit.py"
        ):  # which compiles, and computes nothing
            assert parts[0] in ("__future__", "numpy", "numba", "math", "riskcard", "typing"), where


@pytest.mark.parametrize(
    "path",
    sorted([*(SOURCE / "report").rglob("*.py"), *(SOURCE / "validation").rglob("*.py")]),
    ids=lambda path: f"{path.parent.name}/{path.name}",
)
def test_facts_of_a_report_do_not_import_pictures(path):
    rooms = {
        module.split(".")[1] for module, _ in imported_modules(runtime_tree(path)) if "." in module
    }
    assert "plots" not in rooms or path.name in DRAWING


#: Of data/, what scoring needs: levels, the reader of columns, the reader of rows; and of card files.
DATA_OF_CARDS = {
    "files",
    "files.csv_text",
    "frames",
    "levels",
    "raw_columns",
    "reading",
    "rows_to_score",
}
HEAVY = {"narwhals", "numba", "pandas", "polars", "pyarrow", "scipy", "sklearn"}


#: Of the standard library and numpy: what takes longer to load than a card to be read.
SLOW = {"numpy.ma", "tempfile", "tomllib", "tomli"}


def test_a_card_is_loaded_and_scored_without_anything_that_learns(tmp_path):
    mass_card().save(tmp_path / "card.json")
    code = (
        "import sys, numpy as np\n"
        "before = set(sys.modules)\n"  # numpy before 2.0 loads numpy.ma itself
        "from riskcard import RiskCard\n"
        f"RiskCard.load({str(tmp_path / 'card.json')!r})\n"
        "from riskcard.model.feature_points import FeaturePoints\n"
        "card = RiskCard([FeaturePoints('age', [60], [0, 3])])\n"
        "for rows in (np.ones((2, 1)), [[61.0]], {'age': 61}, {'age': [61, 3]}):\n"
        "    card.risk(rows)\n"
        "print(' '.join(set(sys.modules) - before))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert not loaded & HEAVY
    assert not loaded & SLOW
    data = {
        name.removeprefix("riskcard.data.") for name in loaded if name.startswith("riskcard.data.")
    }
    assert data == DATA_OF_CARDS


#: A room or a file that grows beyond these is divided where it has two subjects. A checker of proofs is a
#: single file on purpose: it imports nothing of riskcard, and is read from top to bottom.
MOST_FILES, MOST_LINES = 15, 500
LONG_FILES = {"proof_check/check_proof.py"}


@pytest.mark.parametrize("room", sorted(ROOMS - {"."}))
def test_no_room_is_crowded(room):
    files = [path.name for path in (SOURCE / room).iterdir() if path.is_file()]
    assert len(files) <= MOST_FILES, files


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_no_file_is_long(path):
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= MOST_LINES or path.relative_to(SOURCE).as_posix() in LONG_FILES


def test_contributing_names_every_room_and_only_what_exists():
    root = SOURCE.parents[1]
    named = re.findall(r"`(\w[\w./-]+)`", (root / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    folders = ("src", "tests", "tests_all", "docs", "benchmarks", "examples", "experiments")
    paths = [f"/{path.relative_to(root)}" for one in folders for path in (root / one).rglob("*")]
    generated = {"htmlcov/", "site/"}
    files = [
        name
        for name in named
        if name not in generated and re.search(r"\w/|\.(py|toml|csv|json|md|j2)$", name)
    ]
    assert len(files) > 100
    for name in files:
        place = "/" + name.rstrip("/")
        assert (root / name).exists() or any(path.endswith(place) for path in paths), name
    rooms = {room.split("/")[-1] for room in ROOMS - {"."}}
    assert rooms <= {part for name in named if "/" in name for part in name.split("/")}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_nothing_prints_and_every_module_says_what_it_is(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree), "no docstring"
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id != "print", f"print in line {node.lineno}"


def test_a_forbidden_import_would_be_seen():
    tree = ast.parse("def f():\n    from riskcard.search import tree\n    import numba\n")
    assert [module for module, _ in imported_modules(tree)] == ["riskcard.search", "numba"]


#: Rooms whose HTML, styles and scripts are files of their own.
WITH_TEMPLATES = (
    "card",
    "calculator",
    "export",
    "formatting",
    "model",
    "plots",
    "studio",
    "validation",
)


@pytest.mark.parametrize("room", WITH_TEMPLATES)
def test_markup_is_in_files_of_its_own(room):
    markup = re.compile("</(?:div|table|tr|td|th|style|script|body|svg)>|function \\w+\\(")
    for path in (SOURCE / room).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not markup.search(node.value), f"{path.name}, line {node.lineno}"


# --- the card is apart from its training --------------------------------------------------------

LOADED = "import sys, json; print(json.dumps(sorted(sys.modules)))"
USE_OF_A_CARD = """
import sys
from riskcard.model.card import RiskCard
card = RiskCard.load(sys.argv[1])
row = {"age": 50.0, "shape": "round", "density": "low", "palpable": True}
assert card.risk(row)[0] > 0 and str(card.explain(row)) and str(card)
for ending in ("py", "sql", "mjs"):
    card.export(f"{sys.argv[2]}/card.{ending}")
"""


def modules_after(program: str, *arguments: str) -> list[str]:
    """What a fresh interpreter has loaded after a program."""
    command = [sys.executable, "-c", f"{program}\n{LOADED}", *arguments]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def test_the_model_is_about_a_dozen_modules():
    found = [
        name for name in modules_after("import riskcard.model.card") if name.startswith("riskcard")
    ]
    assert "riskcard.model.card" in found
    modules = {name.replace(".", "/").removeprefix("riskcard/") for name in found}
    assert len(modules - ROOMS - {"riskcard"}) <= 18, found


def test_a_saved_card_is_used_without_what_it_was_learned_with(tmp_path):
    mass_card().save(tmp_path / "card.json")
    found = modules_after(USE_OF_A_CARD, str(tmp_path / "card.json"), str(tmp_path))
    training = {"encoding", "search", "kernels", "problem", "rules", "estimators"}
    forbidden = {"numba", "sklearn", "scipy"} | {f"riskcard.{room}" for room in training}
    assert not forbidden & set(found)
    assert "riskcard.export.sql" in found


def test_every_extra_that_an_error_names_exists():
    text = (SOURCE.parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    known = parse_toml(text)["project"]["optional-dependencies"]
    named = set()
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "import_extra":
                named.add(ast.literal_eval(node.args[2]))
    assert "plots" in named
    assert named <= set(known)
