"""One table of parameters: signatures, docstrings, options and docs say what it says."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from docs.make_parameters import docstring_section, parameters_page

from riskcard import (
    CardRules,
    ParameterError,
    Regularization,
    RiskScoreClassifier,
    RiskScoreClassifierCV,
    RiskScoreOrdinal,
    RiskScoreRegressor,
    RiskScoreSurvival,
    bootstrap_card,
    find_pool,
    improve,
)
from riskcard.cli.parser import make_parser
from riskcard.estimators.other_outcomes.rate_estimator import SHARED
from riskcard.parameters import OWNERS, PARAMETERS, Kind, parameters_of

ROOT = Path(__file__).parents[1]

HOLDERS = {
    "RiskScoreClassifier": RiskScoreClassifier,
    "RiskScoreClassifierCV": RiskScoreClassifierCV,
    "CardRules": CardRules,
    "Regularization": Regularization,
    "improve": improve,
    "find_pool": find_pool,
    "bootstrap_card": bootstrap_card,
    "RiskScoreSurvival": RiskScoreSurvival,
    "RiskScoreOrdinal": RiskScoreOrdinal,
    "RiskScoreRegressor": RiskScoreRegressor,
}
#: What a signature has in addition to parameters: rows, estimators and cards.
DATA = {
    "card", "X", "y", "sample_weight", "estimator", "features", "groups", "sites", "time_split",
    "progress", "random_state", "n_jobs", "further"}  # fmt: skip


def groups_of(owner: str) -> list[str]:
    return [group for group, name in OWNERS.items() if name == owner]


@pytest.mark.parametrize("owner", HOLDERS)
def test_signatures_have_the_parameters_and_defaults_of_the_table(owner):
    table = parameters_of(*groups_of(owner))
    if owner in ("RiskScoreSurvival", "RiskScoreRegressor", "RiskScoreOrdinal"):
        shared = parameters_of("card", "work")
        table |= {name: one for name, one in shared.items() if name in SHARED}
    signature = inspect.signature(HOLDERS[owner]).parameters
    assert set(table) <= set(signature)
    assert set(signature) - set(table) <= DATA
    for name, one in table.items():
        assert signature[name].default == one.default, name


@pytest.mark.parametrize("owner", [name for name in HOLDERS if name.startswith("RiskScore")])
def test_everything_after_the_first_parameter_is_given_by_name(owner):
    kinds = [one.kind for one in inspect.signature(HOLDERS[owner]).parameters.values()]
    assert kinds[0] is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert set(kinds[1:]) == {inspect.Parameter.KEYWORD_ONLY}


@pytest.mark.parametrize("one", PARAMETERS, ids=lambda one: f"{one.group}.{one.name}")
def test_docstrings_say_what_the_table_says(one):
    holder = HOLDERS[OWNERS[one.group]]
    written = " ".join(inspect.getdoc(holder).split())
    entry = docstring_section(one.group).split(f"    {one.name}\n", 1)[1]
    entry = re.split(r"\n    \w", entry)[0]
    assert f"{one.name} {' '.join(entry.split())}" in written


def test_the_page_of_parameters_is_up_to_date():
    page = (ROOT / "docs" / "parameters.md").read_text(encoding="utf-8")
    assert page == parameters_page(), "run docs/make_parameters.py"


@pytest.mark.parametrize("command", ["fit", "tune", "stability"])
def test_options_are_named_as_the_parameters_and_have_their_defaults(command):
    parser = make_parser()._subparsers._group_actions[0].choices[command]
    actions = {option: action for action in parser._actions for option in action.option_strings}
    for group in ("card", "work", "rules", "regularization"):
        for one in parameters_of(group).values():
            if not one.metavar or (command == "stability" and one.name in ("certify", "gap")):
                continue
            action = actions[one.option]
            assert action.dest == one.name
            if group in ("card", "work") and (command, one.name) != ("tune", "max_terms"):
                assert action.default == one.default


@pytest.mark.parametrize("one", PARAMETERS, ids=lambda one: f"{one.group}.{one.name}")
def test_every_parameter_takes_its_default_and_names_itself_where_a_value_is_refused(one):
    assert one.checked(one.default) == one.default
    if one.kind in (Kind.OBJECT, Kind.FLAG):
        return
    if one.none:
        assert one.checked(None) is None
    for value in ("many", -1, float("nan"), True, [1], *(() if one.none else (None,))):
        with pytest.raises(ParameterError, match=rf"^{one.name} is .* Use "):
            one.checked(value)


def test_values_become_plain_numbers():
    card, rules = parameters_of("card"), parameters_of("rules")
    assert type(card["max_terms"].checked(np.int64(3))) is int
    assert type(card["max_log_odds"].checked(np.float32(3))) is float
    assert rules["min_bin_rows"].checked(20.0) == 20
    with pytest.raises(
        ParameterError, match=r"max_terms is 3\.0\. Use a whole number of at least 1"
    ):
        card["max_terms"].checked(3.0)
    with pytest.raises(ParameterError, match=r"max_log_odds is 31\. Use a number from 0\.01"):
        card["max_log_odds"].checked(31)


def test_records_of_parameters_have_no_others():
    assert [one.name for one in fields(Regularization)] == list(parameters_of("regularization"))
    own = {one.name for one in fields(CardRules)}
    assert own == {"features", "groups", *parameters_of("rules")}
