"""A price in words: a small table of losses, and a sentence for each state of knowledge."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riskcard.price.price_card import CardKind, Price

#: Losses that differ by less than this share are the same: rounding.
_SAME = 1e-6
#: The start of a note of the certificate: the kind does not have every group of levels.
_FEWER_LEVELS = "Levels or special values with similar event rates were merged"


def price_in_words(price: Price) -> str:
    """The table and the sentences."""
    return "\n".join([*_table(price), "", *sentences(price)])


def _table(price: Price) -> list[str]:
    what, certificate = price.what, price.certificate
    lines: list[tuple[str, float, float | None]] = [
        (f"{what}, slope and offset refitted", price.loss, price.auc),
        ("best card of the kind found", certificate.loss, price.best_auc),
    ]
    if price.own_loss is not None:
        lines.insert(0, (f"{what}, risks as stated", price.own_loss, price.auc))
    if certificate.bound > 0:
        lines.append(("proven: no card of the kind below", certificate.bound, None))
    lines.append(("the same risk for every row", price.base_loss, 0.5))
    shown = [
        f"{name:<36}{loss:>12.4f}{loss / price.weight:>10.4f}{'' if auc is None else f'{auc:8.3f}'}"
        for name, loss, auc in lines
    ]
    return [
        f"Price of the {what} on {price.rows:,} rows, {price.events:,} of them with the event",
        "",
        f"{'':<36}{'loss':>12}{'per row':>10}{'AUC':>8}",
        *(line.rstrip() for line in shown),
    ]


def sentences(price: Price) -> list[str]:
    """What the kind is, what the card costs, and what these figures are about."""
    return [f"The kind: {_kind(price.kind, price)}.", _cost(price), *_remarks(price)]


def _kind(kind: CardKind, price: Price) -> str:
    def up_to(number: int, what: str) -> str:
        return f"at most {number} {what}{'s' if number != 1 else ''}"

    cuts = (
        "every cut" if kind.grid is None else f"{kind.grid} candidate cuts per feature at quantiles"
    )
    if kind.grid is not None and price.what == "card":
        cuts += " and those of the card"
    return (
        f"{up_to(kind.max_terms, 'term')} on {up_to(kind.max_features, 'feature')}, of "
        f"{price.n_features} in the table, terms worth {up_to(kind.max_points, 'point')}, {cuts}, and the "
        "scale that fits best"
    )


def _cost(price: Price) -> str:
    """The price as an interval; each end only where it is known."""
    low, high, what = price.at_least, price.at_most, f"The {price.what}"
    near = _SAME * max(price.loss, 1.0)
    if price.certificate.bound <= 0:
        if low > near:
            return f"{what} costs at least {_share(low, price, -1)}: a better card was found. Nothing is proven beyond."
        return f"No better card of the kind was found than the {price.what}, and nothing is proven."
    if high <= near and low >= -near:
        return f"{what} costs nothing: no card of the kind has a lower loss. That is proven."
    if high <= near:
        least = _share(max(-high, 0.0), price, -1)
        if high - low <= near:
            return f"{what} is better than every card of the kind, by {least}. That is proven."
        return (
            f"{what} is better than every card of the kind, by at least {least} and at most "
            f"{_share(-low, price, 1)}. That is proven."
        )
    if low < -near:
        return (
            f"The {price.what} is better than the best card of the kind that was found, by "
            f"{_share(-low, price)}; it is proven that none is better than the {price.what} by more than "
            f"{_share(high, price, 1)}."
        )
    if high - low <= near:
        return f"{what} costs {_share(high, price)}, against the best card of the kind. That is proven."
    if low <= near:
        return (
            f"No better card of the kind was found than the {price.what}; it is proven that it costs at most "
            f"{_share(high, price, 1)}."
        )
    return (
        f"{what} costs at least {_share(low, price, -1)}, because such a card was found, and at most "
        f"{_share(high, price, 1)}, because that is proven."
    )


def _share(number: float, price: Price, side: int = 0) -> str:
    """A difference of losses, and its share of what the card loses.

    With ``side`` 1 both are rounded up and with -1 down, so that "at most" and "at least" stay true as printed.
    """
    shown = _rounded(number, 3 - math.floor(math.log10(abs(number))) if number else 0, side)
    share = _rounded(100 * number / price.loss, 2, side)
    return f"{shown:.4g} in loss ({share:.2f} % of its own)"


def _rounded(number: float, digits: int, side: int) -> float:
    """To so many digits behind the point; what is within rounding error of such a number stays it."""
    unit = 10.0**digits
    scaled = number * unit
    if side == 0 or abs(scaled - round(scaled)) < _SAME:
        return round(scaled) / unit
    return (math.ceil(scaled) if side > 0 else math.floor(scaled)) / unit


def _remarks(price: Price) -> list[str]:
    found = []
    if not price.rises:
        found.append(
            f"The risk does not follow the {price.what} on these rows: its best scale gives every row the "
            "same risk."
        )
    if price.own_loss is not None and price.own_loss - price.loss > _SAME * price.loss:
        more = (price.own_loss - price.loss) / price.loss
        found.append(
            f"The scale costs in addition: the risks as stated lose {more:.2%} more than refitted ones.".replace(
                "%", " %"
            )
        )
    found += [note for note in price.certificate.notes if note.startswith(_FEWER_LEVELS)]
    found.append(
        "All losses are on these rows. The best card was chosen on them, and refitted scales too: on new rows "
        "their advantage is usually smaller."
    )
    return found
