"""Limits on differences between groups: the options of ``riskcard fit``, and the card within them."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING

from riskcard.cli.remarks import say
from riskcard.errors import ParameterError

if TYPE_CHECKING:
    from riskcard.cli.rows.training import Training
    from riskcard.estimators.classifier import RiskScoreClassifier
    from riskcard.fairness.group_limits import GroupLimits
    from riskcard.fairness.limited_card import LimitedCard


def limits_of(options: Namespace) -> GroupLimits | None:
    """The limits that the options ask for; None without any. Called before the rows are read."""
    from riskcard.fairness.group_limits import MEASURES, GroupLimits

    needing = {
        "--max-difference": bool(options.max_difference),
        "--flag-from": options.flag_from is not None,
        "--no-proxies": options.no_proxies is not None,
    }
    if options.limit_groups is None:
        for option, is_given in needing.items():
            if is_given:
                raise ParameterError(
                    f"{option} has no effect without --limit-groups. Give both, or neither."
                )
        return None
    if not options.max_difference:
        if options.no_proxies is None:
            raise ParameterError(
                "--limit-groups names groups but no limit. Add --max-difference mean_risk=0.05, or "
                "--no-proxies."
            )
        return None
    for other in ("improve", "tolerance"):
        if getattr(options, other, None) is not None:
            raise ParameterError(
                "--max-difference cannot be used together with --improve or a pool. Leave one out."
            )
    named = dict(one.split("=", 1) for one in options.max_difference if "=" in one)
    unknown = [one for one in options.max_difference if one.split("=")[0] not in MEASURES]
    if unknown or len(named) < len(options.max_difference):
        wrong = (unknown or [one for one in options.max_difference if "=" not in one])[0]
        raise ParameterError(
            f"--max-difference {wrong!r}: write MEASURE=NUMBER, where MEASURE is one of "
            f"{', '.join(MEASURES)}."
        )
    try:
        limits = {name: float(number) for name, number in named.items()}
    except ValueError:
        wrong = next(number for number in named.values() if not _is_number(number))
        raise ParameterError(f"--max-difference: {wrong!r} is not a number.") from None
    if any(name not in ("mean_log_odds", "mean_risk") for name in limits) and not options.flag_from:
        raise ParameterError(
            "Rates need the risk from which a row is flagged: add --flag-from 0.2, or another risk."
        )
    return GroupLimits(**limits, threshold=options.flag_from)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def without_proxies(options: Namespace, training: Training) -> Training:
    """The same training with a rule against each close proxy of the groups."""
    if options.no_proxies is None:
        return training
    from riskcard.fairness.proxies import find_proxies
    from riskcard.rules.card_rules import CardRules

    proxies = find_proxies(
        training.table,
        training.limit_groups,
        least_area=options.no_proxies,
        groups_name=options.limit_groups,
    )
    rules = training.rules or CardRules()
    for one in proxies:
        rule = rules.rule_of(one.name)
        if rule.use == "must":
            raise ParameterError(
                f"{one.name!r} must be on the card, but tells {options.limit_groups!r} apart (AUC "
                f"{one.area:.2f}). Change its rule, or raise --no-proxies above {one.area:.2f}."
            )
        kept = dict(rules.features) | {one.name: replace(rule, use="never")}
        rules = replace(rules, features=kept)
    if len(proxies) == len(training.table.features):
        raise ParameterError(
            f"Every column tells {options.limit_groups!r} apart with an AUC of at least "
            f"{options.no_proxies:g}, so none is left. Raise --no-proxies."
        )
    if not options.quiet:
        listed = ", ".join(f"{one.name!r} ({one.area:.2f})" for one in proxies)
        say(
            f"Not used, since they tell {options.limit_groups!r} apart (AUC): {listed}."
            if proxies
            else f"No column tells {options.limit_groups!r} apart with an AUC of {options.no_proxies:g}."
        )
    return replace(training, rules=rules) if proxies else training


def fit_limited(
    model: RiskScoreClassifier, training: Training, limits: GroupLimits, options: Namespace
) -> LimitedCard:
    """Learn a card within the limits."""
    from riskcard.fairness.limited_card import fit_within_limits

    return fit_within_limits(
        model,
        training.table,
        training.labels,
        groups=training.limit_groups,
        groups_name=options.limit_groups,
        limits=limits,
        sample_weight=training.weights,
    )
