"""Words and numbers on axes: lines that fit, nothing read as a formula, ticks that do not touch."""

import importlib
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from riskcard.formatting.speech import in_figures, say

#: Mean width of a letter as a share of its size, and the part of a subplot that is left to the
#: axes by the labels of the scales.
_WIDTH, _KEPT = 0.58, 0.78
#: The most letters of a label at an angle, and the most lines of a horizontal one.
_SLANTED, _LINES = 22, 4


def letters_below(ax: Any, size: float) -> int:
    """How many letters of a size, in points, fit below the axes in one line."""
    inches = ax.figure.get_figwidth() * ax.get_position().width * _KEPT
    return max(8, int(72 * inches / (_WIDTH * size)))


def plain_words(texts: Iterable[Any]) -> None:
    """Take dollar signs in a user's words for what they are: no formulas."""
    for text in texts:
        text.set_parse_math(False)


def name_scale(ax: Any, name: str) -> None:
    """Write the name of a feature below the axes, in up to three lines."""
    width = int(letters_below(ax, 10) / _KEPT)
    lines = textwrap.wrap(name, width, max_lines=3, placeholder=" …") or [""]
    ax.set_xlabel("\n".join(lines))
    plain_words([ax.xaxis.label])


def label_levels(ax: Any, words: Sequence[str]) -> None:
    """Words under places 0, 1, ...: in lines where they fit, else at an angle."""
    width = letters_below(ax, 8) // len(words)
    lines = [
        textwrap.wrap(label, max(width, 1), max_lines=_LINES, placeholder=" …") for label in words
    ]
    longest = max(len(part) for label in words for part in [*label.split(), ""])
    is_narrow = longest > width
    shown = [_cut(label) for label in words] if is_narrow else ["\n".join(one) for one in lines]
    ax.set_xticks(range(len(words)), shown)
    plain_words(ax.get_xticklabels())
    for label in ax.get_xticklabels():
        label.set_fontsize(8)
        if is_narrow:
            label.set(rotation=35, ha="right", rotation_mode="anchor")


def number_ticks(
    ax: Any, ends: tuple[float, float], last: float | None = None
) -> tuple[list[float], list[str]]:
    """Round numbers on a scale, as many as have room below the axes, and how they are written.

    Parameters
    ----------
    ax
        The axes, whose limits are set.
    ends
        Of the scale.
    last
        Where other words begin, which the last number must not touch; None for none.
    """
    left, right = ends
    ticker = importlib.import_module("matplotlib.ticker")
    room = letters_below(ax, 10)
    for number in (6, 5, 4, 3, 2, 1):
        locator = ticker.MaxNLocator(number, steps=[1, 2, 5, 10])
        ticks = [float(tick) for tick in locator.tick_values(left, right) if left <= tick <= right]
        words = [in_figures(f"{tick:,.10g}").replace("-", "−") for tick in ticks]
        if sum(len(word) + 1 for word in words) <= room:
            break
    low, high = ax.get_xlim()
    reach = (len(words[-1]) / 2 + 1) * (high - low) / room if words else 0.0
    if last is not None and words and ticks[-1] + reach > last and len(words) > 1:
        return ticks[:-1], words[:-1]
    return ticks, words


def spoken_ticks(ax: Any) -> None:
    """Write the numbers of both scales with the decimal sign of the language."""
    decimal = say("decimal_sign")
    if decimal == ".":
        return
    ticker = importlib.import_module("matplotlib.ticker")
    for axis in (ax.xaxis, ax.yaxis):
        if isinstance(axis.get_major_formatter(), ticker.ScalarFormatter):
            axis.set_major_formatter(lambda tick, place: _number(tick, decimal))


def _number(tick: float, decimal: str) -> str:
    return f"{tick:g}".replace("-", "−").replace(".", decimal)


def _cut(label: str) -> str:
    return label if len(label) <= _SLANTED else f"{label[: _SLANTED - 1].rstrip(' ,')}…"
