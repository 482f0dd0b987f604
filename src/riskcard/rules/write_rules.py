"""Rules as the text of a TOML file, which ``load_rules`` reads back."""

import json
from collections.abc import Iterator
from typing import Any

from riskcard.rules.card_rules import CardRules


def rules_to_toml(rules: CardRules) -> str:
    """The text of a file with these rules; what is not ruled is left out.

    Examples
    --------
    >>> from riskcard.rules.card_rules import FeatureRule
    >>> print(rules_to_toml(CardRules({"age": FeatureRule(direction="rises", points=(0, 3))})))
    [features."age"]
    direction = "rises"
    points = [0, 3]
    <BLANKLINE>
    """
    return "\n".join(_lines(rules.to_dict()))


def _lines(content: dict[str, Any]) -> Iterator[str]:
    settings = {
        name: value for name, value in content.items() if name not in ("features", "groups")
    }
    if settings:
        yield from (f"{name} = {_value(value)}" for name, value in settings.items())
        yield ""
    for name, rule in content["features"].items():
        yield f"[features.{_value(name)}]"
        yield from (f"{key} = {_value(value)}" for key, value in rule.items())
        yield ""
    for group in content["groups"]:
        yield "[[groups]]"
        yield from (f"{key} = {_value(value)}" for key, value in group.items())
        yield ""


def _value(value: Any) -> str:
    """A text, a number or a list of them; JSON writes these as TOML does, but for the sign DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
