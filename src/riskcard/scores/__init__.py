"""Published scores as cards: their points and conditions, with the source of each.

A published score has points but no risks on other people's rows. ``published(name).fit(X, y)`` makes a card of
it: the points stay, and the scale from total to risk is fitted to the rows.
"""

from riskcard.scores.published import Item, PublishedScore, published, published_names

__all__ = ["Item", "PublishedScore", "published", "published_names"]
