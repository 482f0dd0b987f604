"""Pictures inside a page: vector graphics as part of the text, so that nothing is fetched."""

from __future__ import annotations

import base64
from collections.abc import Callable
from html import escape
from typing import Any

from riskcard.plots.drawing import picture_of


def figure(
    draw: Callable[[Any], Any],
    alternative: str,
    caption: str = "",
    size: tuple[float, float] = (5.6, 3.6),
) -> str:
    """A picture with its caption.

    Parameters
    ----------
    draw
        Is given the axes.
    alternative
        What the picture shows, for those who cannot see it.
    caption
        Words below it.
    size
        Width and height in inches.
    """
    content = picture_of(lambda empty: draw(empty.subplots()), "svg", size)
    data = base64.b64encode(content).decode("ascii")
    words = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    width, height = (round(96 * inches) for inches in size)
    return (
        f'<figure><img src="data:image/svg+xml;base64,{data}" alt="{escape(alternative)}" '
        f'width="{width}" height="{height}">{words}</figure>'
    )


def side_by_side(*figures: str) -> str:
    """Pictures beside each other where there is room."""
    kind = "three" if len(figures) > 2 else "two"
    return f'<div class="pictures {kind}">{"".join(figures)}</div>'
