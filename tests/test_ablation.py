"""The benchmark of constants: each of them is switched off, or it is said why not."""

from dataclasses import fields, replace

import pytest
from benchmarks import ablation

from riskcard.search.plan import PLAN, SearchPlan

NAMES = [field.name for field in fields(SearchPlan)]


def test_every_constant_is_switched_off_or_left_out_on_purpose():
    assert sorted([*ablation.SWITCHED_OFF, *ablation.NOT_SWITCHED]) == sorted(NAMES)


def test_a_constant_is_switched_off_by_another_value_of_its_kind():
    for name, values in ablation.SWITCHED_OFF.items():
        known = getattr(PLAN, name)
        assert all(value != known and isinstance(value, type(known)) for value in values), name


def test_a_plan_cannot_be_changed_in_place():
    with pytest.raises(AttributeError, match="ridge"):
        PLAN.ridge = 0.0


def test_groups_of_tables_take_turns():
    cases = ablation.make_cases(["planted:60:0", "ties:60:0"], None, ["3 terms", "fixed"])
    assert [case.name for case in cases][:2] == ["planted:60:0, 3 terms", "planted:60:0, fixed"]
    assert [case.group for case in cases] == ["A", "A", "B", "B"]


def test_a_search_without_steps_is_shorter_and_no_better():
    cases = ablation.make_cases(["planted:200:0"], None, ["5 terms"])
    known = ablation.measure(cases, PLAN)
    fewer = replace(PLAN, one_pass_steps=0, one_pass_steps_per_term=0)
    changed = ablation.measure(cases, fewer)
    assert changed.calls < known.calls
    assert changed.losses[0] >= known.losses[0] * (1 - 1e-12)


def test_a_line_for_each_way_to_switch_a_constant_off(capsys):
    tables = ["--tables", "planted:60:0", "ties:60:0", "--kinds", "3 terms"]
    assert ablation.main([*tables, "--only", "most_perturbed_terms", "promising_features"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[2:]] == [
        "(nothing)",
        "(other",
        "most_perturbed_terms",
        "promising_features",
        "promising_features",
    ]
    assert "+0.0000   +0.0000         0         0      1.00" in lines[2]
