"""The tool for mutation testing: faults are put in where code is, one at a time, and have stable names."""

import ast
import sys
from pathlib import Path

import pytest

from mutation.mutants import mutants_of
from mutation.plan import SUBJECTS

pytestmark = pytest.mark.slow

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "src" / "riskcard"

SOURCE = '''"""A module with the number 1 in words."""

ROUNDING = 1e-9


def least(left: int = 2, right: "list[3]" = ()) -> int:
    """Words with 4 < 5."""
    if left < right:
        return left
    return max(left, -right + 1)
'''


def changes(source):
    return {(one.function, one.old, one.new) for one in mutants_of("room/file.py", source)}


@pytest.mark.parametrize(
    "change",
    [
        ("", "ROUNDING = 1e-9", "ROUNDING = (1.000000001)"),
        ("least", "if left < right:", "if (left <= right):"),
        ("least", "if left < right:", "if (left > right):"),
        ("least", "if left < right: return left", "if False and left < right: return left"),
        ("least", "return max(left, -right + 1)", "return (min)(left, -right + 1)"),
        ("least", "return max(left, -right + 1)", "return max(left, (-right - 1))"),
        ("least", "return max(left, -right + 1)", "return max(left, (-right))"),
        ("least", "return max(left, -right + 1)", "return max(left, (1))"),
        ("least", "return max(left, -right + 1)", "return max(left, (right) + 1)"),
        ("least", "return max(left, -right + 1)", "return max(left, -right + (2))"),
        ("least", "return max(left, -right + 1)", "return max(left, -right + (0))"),
    ],
)
def test_every_kind_of_fault_is_put_in(change):
    assert change in changes(SOURCE)


def test_words_types_and_margins_are_left_alone():
    for _, old, new in changes(SOURCE):
        assert '"' not in old or "left: int = 2" in old
        assert "list[4]" not in new
    margin = "def f(a):\n    return a <= ROUNDING\n"
    assert changes(margin) == {("f", "return a <= ROUNDING", "return (a > ROUNDING)")}


def test_a_mutant_is_valid_code_with_one_fault_and_keeps_its_name():
    moved = SOURCE.replace("ROUNDING = 1e-9", "ROUNDING = 1e-9\nOTHER = ROUNDING")
    before, after = (mutants_of("room/file.py", text) for text in (SOURCE, moved))
    assert {one.name for one in before} == {one.name for one in after}
    assert len({one.name for one in before}) == len(before)
    for one in before:
        assert ast.dump(ast.parse(one.source)) != ast.dump(ast.parse(SOURCE))
        assert len(one.source.splitlines()) == len(SOURCE.splitlines())


def test_the_plan_names_files_and_tests_that_exist_and_survivors_that_can_be_made():
    made = set()
    for subject in SUBJECTS:
        assert all((TESTS.parent / one).exists() for one in subject.tests if one.endswith(".py"))
        for file, number in subject.files.items():
            every = mutants_of(file, (PACKAGE / file).read_text(encoding="utf-8"))
            assert 0 < number <= len(every)
            made |= {one.name for one in every}
    survivors = tomllib.loads((TESTS / "mutation" / "survivors.toml").read_text(encoding="utf-8"))
    assert set(survivors) <= made


def test_a_variable_with_the_name_of_a_function_is_left_alone():
    source = "def f(floor):\n    return math.floor(g(floor))\n"
    assert changes(source) == {("f", "return math.floor(g(floor))", "return (math.ceil)(g(floor))")}


def test_arguments_are_exchanged_unless_their_order_does_not_matter():
    source = "def f(a, b):\n    return g(a, b)\n"
    assert changes(source) == {("f", "return g(a, b)", "return (g(b, a))")}
    assert changes(source.replace("g", "math.isclose")) == set()
