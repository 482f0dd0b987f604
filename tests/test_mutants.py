"""The tool for mutation testing: faults are put in where code is, one at a time, and have stable names."""

import ast

import pytest

from mutation.mutants import mutants_of

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
