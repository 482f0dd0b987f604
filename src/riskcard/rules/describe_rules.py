"""Rules in words, for the card that keeps them."""

from riskcard.formatting.figures import count
from riskcard.formatting.numbers import format_number
from riskcard.rules.card_rules import CardRules, FeatureRule
from riskcard.rules.least_bins import LeastBins


def describe_rules(rules: CardRules, least: LeastBins) -> list[str]:
    """One sentence for every rule.

    Examples
    --------
    >>> describe_rules(CardRules({"age": FeatureRule(direction="rises", use="must")}), LeastBins(20))
    ['age: must be used, rises', 'every bin has at least 20 rows']
    """
    found = []
    for name, rule in rules.features.items():
        words = _of_feature(rule)
        if words:
            found.append(f"{name}: {', '.join(words)}")
    for group in rules.groups:
        found.append(f"at most {group.at_most} of {', '.join(group.features)}")
    if rules.budget is not None:
        found.append(f"features cost at most {format_number(rules.budget)} in total")
    if least.rows > 1:
        found.append(f"every bin has at least {least.rows} rows")
    if least.events > 0:
        found.append(f"every bin has at least {count(least.events, 'event')}")
    return found


def _of_feature(rule: FeatureRule) -> list[str]:
    words = {"may": [], "must": ["must be used"], "never": ["must not be used"]}[rule.use]
    if rule.direction is not None:
        words.append(rule.direction)
    if rule.points is not None:
        words.append(f"a cut adds {rule.points[0]} to {rule.points[1]} points")
    if rule.cuts is not None:
        words.append(f"cuts from {', '.join(map(format_number, rule.cuts))}")
    if rule.fixed_cuts is not None:
        words.append(f"cuts at {', '.join(map(format_number, rule.fixed_cuts))}")
    if rule.max_cuts is not None:
        words.append(f"at most {rule.max_cuts} term{'s' if rule.max_cuts > 1 else ''}")
    if rule.codes:
        words.append(f"special values {', '.join(map(format_number, rule.codes))}")
    return words
