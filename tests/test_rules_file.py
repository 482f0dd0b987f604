"""Rules from files: TOML and CSV say the same, and mistakes are named with their place."""

import re
from pathlib import Path

import pytest

from riskcard import CardRules, FeatureGroup, FeatureRule, FormatError

PAGE = (Path(__file__).parents[1] / "docs" / "rules.md").read_text(encoding="utf-8")


def example(language: str) -> str:
    """The one code block of a language on the page about rules."""
    (block,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    return block


def load(tmp_path, name, content):
    path = tmp_path / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content, encoding="utf-8")
    return CardRules.load(path)


def test_the_three_examples_of_the_docs_are_the_same_rules(tmp_path):
    names: dict[str, object] = {}
    exec(example("python"), names)
    rules = names["rules"]
    assert len(rules.features) == 6
    assert load(tmp_path, "rules.toml", example("toml")) == rules
    assert load(tmp_path, "rules.csv", example("csv")) == rules


def test_every_field_is_on_the_page():
    for name in FeatureRule.__dataclass_fields__:
        assert f"| `{name}` |" in PAGE


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_delimiters_quotes_blank_lines_and_byte_order_marks_are_understood(
    tmp_path, delimiter, encoding
):
    lines = [
        "# what the clinic wants",
        "",
        "#budget=2.5",
        "feature,use,cuts",
        "",
        '"größe, in; cm",must, 1.5  2 ',
    ]
    text = "\r\n".join(lines).replace(",use", f"{delimiter}use").replace("use,", f"use{delimiter}")
    text = text.replace('",must, ', f'"{delimiter}must{delimiter} ')
    rules = load(tmp_path, "rules.csv", text.encode(encoding))
    rule = FeatureRule(use="must", cuts=(1.5, 2.0))
    assert rules == CardRules({"größe, in; cm": rule}, budget=2.5)


def test_a_group_is_named_by_its_lines(tmp_path):
    rules = load(tmp_path, "r.tsv", "feature\tgroup\tgroup_at_most\na\tg\t\nb\th\t1\nc\tg\t2\n")
    assert rules.groups == (FeatureGroup(["a", "c"], 2), FeatureGroup(["b"], 1))


def test_an_empty_toml_file_rules_nothing(tmp_path):
    assert load(tmp_path, "r.toml", "# nothing\n") == CardRules()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("budget = \n", r"is not valid TOML \(.*line 1"),
        ("bugdet = 3\n", "the key 'bugdet' is unknown. Did you mean 'budget'"),
        ("budget = '3'\n", "r.toml': budget is '3'. Use a number of at least 0"),
        ("features = 3\n", "r.toml', features is 3. Make it a table"),
        ("[features]\nage = 'must'\n", "features.age is 'must'. Make it a table"),
        ("[features.age]\ncost = -1\n", "features.age: cost is -1"),
        ("[features.age]\npoint = [1, 2]\n", "features.age: the key 'point' .* mean 'points'"),
        ("[features.age]\nuse = 'never'\nuse = 'must'\n", "is not valid TOML"),
        ("[features.age]\nmax_cuts = true\n", "features.age: max_cuts is True"),
        ("groups = 3\n", "groups is 3. Make it tables"),
        ("[[groups]]\nfeatures = ['a']\n", r"group 1 of \[\[groups\]\]: 'at_most' is missing"),
        ("[[groups]]\nat_most = 1\n", "group 1 .*: 'features' is missing"),
        ("[[groups]]\nfeatures = ['a', 'a']\nat_most = 1\n", "group 1 .*: A group has .* twice"),
        (
            "budget = 1\n[features.a]\nuse = 'must'\ncost = 2\n",
            "r.toml': 'a' must be used and cost 2, but the budget is 1",
        ),
    ],
)
def test_mistakes_in_toml_are_named_with_their_key(tmp_path, content, message):
    with pytest.raises(FormatError, match=message):
        load(tmp_path, "r.toml", content)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "r.csv' has no rules"),
        ("# only a comment\n", "r.csv' has no rules"),
        ("name,use\na,must\n", "the column 'name' is unknown"),
        ("featur,use\na,must\n", "the column 'featur' is unknown. Did you mean 'feature'"),
        ("use,cost\nmust,1\n", "has no column 'feature'"),
        ("feature,use,use\na,must,never\n", "two columns are named 'use'"),
        ("feature,use\na\n", "line 2: 1 cells, but the header has 2"),
        ('feature,use\n"a,must\n', "not valid CSV"),
        ("feature,use\n,must\n", "line 2: the feature has no name"),
        ("feature,use\na,must\na,never\n", "line 3: 'a' has a rule already"),
        ("feature,use\na,always\n", "line 2: use is 'always'. Use one of"),
        ("feature,cuts\na,1 x\n", "line 2, column 'cuts': 'x' is not a number"),
        ("feature;cuts\na;1,5\n", r"'1,5' is not a number \(use a decimal point"),
        ("feature,cuts\na,2 1\n", r"line 2: cuts is \[2.0, 1.0\]. Give ascending"),
        ("feature,cost\na,nan\n", "line 2: cost is nan"),
        ("feature,max_cuts\na,1.5\n", "column 'max_cuts': '1.5' is not a whole number"),
        ("feature,max_cuts\na,0\n", "line 2: max_cuts is 0"),
        ("feature,points\na,1\n", r"line 2: points is \(1,\). Use two whole numbers"),
        ("feature,points\na,1 1_0\n", "'1_0' is not a number"),
        ("feature,group\na,g\n", "group 'g' has no group_at_most"),
        ("feature,group,group_at_most\na,,1\n", "line 2: group_at_most is given without a group"),
        (
            "feature,group,group_at_most\na,g,1\nb,g,2\n",
            "line 3: group_at_most of group 'g' is 2, but 1 in line 2",
        ),
        ("feature,group,group_at_most\na,g,0\n", "group 'g': at_most of a group is 0"),
        ("# bugdet = 3\nfeature,use\na,must\n", "line 1: 'bugdet' cannot be set"),
        ("# budget = much\nfeature,use\na,must\n", "line 1, budget: 'much' is not a number"),
        ("# budget = 1\nfeature,use,cost\na,must,2\n", "'a' must be used and cost 2"),
        ("größe,use\n".encode("latin-1"), r"r.csv' is not UTF-8 text \(byte 0xf6"),
    ],
)
def test_mistakes_in_csv_are_named_with_their_line(tmp_path, content, message):
    with pytest.raises(FormatError, match=message):
        load(tmp_path, "r.csv", content)


def test_other_files_are_refused(tmp_path):
    with pytest.raises(FormatError, match=r"its name ends in '.json'. Use .toml, .csv or .tsv"):
        CardRules.load(tmp_path / "rules.json")
    with pytest.raises(FormatError, match=r"There is no file '.*none.toml'"):
        CardRules.load(tmp_path / "none.toml")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(FormatError, match="cannot be read: Is a directory"):
        CardRules.load(str(tmp_path / "folder.csv"))
