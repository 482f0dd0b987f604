"""Imports point down: the folders know of each other only what the design says."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "riskcard"
FILES = sorted(SOURCE.rglob("*.py"))

#: What the modules of a folder may import from the package; `problem` may be used by all of them
#: but kernels. Files at the top of the package stand for themselves.
BASE = {"errors", "version", "problem"}
ALLOWED = {
    "errors": set(),
    "version": set(),
    "html": set(),
    "fonts": {"errors"},
    "explain": BASE | {"card"},
    "kernels": {"kernels"},
    "problem": BASE,
    "search": BASE | {"search", "kernels"},
    "formulations": BASE | {"formulations"},
    "baselines": BASE | {"baselines", "estimators", "search", "kernels"},
    "progress": BASE,
    "estimators": BASE | {"estimators", "search", "progress", "html"},
    "stability": BASE | {"stability", "estimators", "html"},
    "evaluation": BASE | {"evaluation", "stability"},
    "plots": BASE | {"plots", "evaluation", "fonts"},
    "card": BASE | {"card", "html", "fonts"},
    "export": BASE | {"export"},
    "calculator": BASE | {"calculator", "card"},
    "report": BASE
    | {
        "report",
        "card",
        "export",
        "html",
        "fonts",
        "evaluation",
        "plots",
        "estimators",
        "stability",
    },
    "datasets": BASE | {"datasets"},
    "experiments": BASE
    | {"experiments", "datasets", "estimators", "formulations", "baselines", "export"},
    "cli": BASE
    | {"cli", "card", "export", "estimators", "progress", "experiments", "stability", "plots"}
    | {"calculator", "report", "fonts", "search"},
    "__main__": {"cli"},
    "__init__": {"version"},
}
SKLEARN_PARTS = (
    "estimators",
    "baselines",
    "stability",
    "report",
    "cli",
    "datasets",
    "experiments",
)
#: A card draws and saves itself: these functions fetch the renderer when they are called.
SELF_DESCRIPTION = {
    ("problem/riskcard.py", "card"),
    ("problem/riskcard.py", "calculator"),
    ("problem/riskcard.py", "export"),
    ("problem/riskcard.py", "explain"),
    ("problem/certificate.py", "card"),
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


def part_of(path: Path) -> str:
    first = path.relative_to(SOURCE).parts[0]
    return first.removesuffix(".py")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_imports_point_down(path):
    name, part = path.relative_to(SOURCE).as_posix(), part_of(path)
    for module, line in imported_modules(runtime_tree(path)):
        where = f"{name}, line {line}, imports {module}"
        parts = module.split(".")
        if parts[0] == "riskcard" and len(parts) > 1:
            is_excused = (name, parts[1]) in SELF_DESCRIPTION
            assert parts[1] in ALLOWED[part] or is_excused, where
        if parts[0] == "numba":
            assert part == "kernels", where
        if parts[0] in ("sklearn", "joblib"):
            assert part in SKLEARN_PARTS, where
        if part == "kernels" and name != "kernels/jit.py":  # which compiles, and computes nothing
            assert parts[0] in ("__future__", "numpy", "numba", "math", "riskcard", "typing"), where


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
