"""Reasons in SQL: the features that cost a row most points, as columns of text.

The place of a feature among the reasons is one more than the number of features that cost more; of
features that cost the same, the first on the card comes first. Every database can count that with CASE.
"""

from collections.abc import Sequence

from riskcard.export.cases import CardCases
from riskcard.export.sql_literals import quoted_text


def reason_expressions(
    cases: CardCases, points: Sequence[str], total: str, number: int
) -> list[str]:
    """The first, second, ... reason of a row as expressions; NULL where there are no more.

    Parameters
    ----------
    cases
        The card.
    points
        The column with the points of each feature, in its order.
    total
        The column with the total, which is NULL for a row that the card cannot score.
    number
        How many reasons.
    """
    lost = [
        f"({one.best} - {column})" if cases.higher_is_safer else f"({column} - {one.best})"
        for one, column in zip(cases.features, points, strict=True)
    ]
    texts = [quoted_text(one.reason) for one in cases.features]
    return [
        "\n    ".join(
            [
                "CASE",
                *(
                    f"  WHEN {total} IS NOT NULL AND {lost[own]} > 0 "
                    f"AND {_before(lost, own)} = {place} THEN {text}"
                    for own, text in enumerate(texts)
                ),
                "END",
            ]
        )
        for place in range(number)
    ]


def _before(lost: Sequence[str], own: int) -> str:
    """How many reasons come before that of one feature."""
    others = [
        f"CASE WHEN {other} {'>=' if place < own else '>'} {lost[own]} THEN 1 ELSE 0 END"
        for place, other in enumerate(lost)
        if place != own
    ]
    return f"({' + '.join(others)})" if others else "0"
