"""Numbers and shares as the page of a calculator writes them, in the language of the card's labels."""

from riskcard.formatting.numbers import minus
from riskcard.formatting.percent import percent
from riskcard.model.words.labels import Labels


def number_words(labels: Labels, text: str) -> str:
    """A number with a true minus sign and the decimal sign."""
    return minus(labels.number(text))


def share_words(labels: Labels, *shares: float, is_counted: bool = False) -> str:
    """A risk as people read it, or a range of risks.

    Parameters
    ----------
    labels
        The words.
    shares
        One or two numbers from 0 to 1.
    is_counted
        The share was counted, so that it may be all or nothing; a risk never is.
    """
    low, high = (_in_hundred(labels, share, is_counted) for share in (shares[0], shares[-1]))
    number = low if low == high else labels.say("range", low=low, high=high)
    return labels.say("percent", number=number)


def _in_hundred(labels: Labels, share: float, is_counted: bool) -> str:
    if is_counted and share in (0, 1):
        return f"{100 * share:.0f}"
    text = percent(share).removesuffix(" %")
    for sign, key in (("< ", "below"), ("> ", "beyond")):
        if text.startswith(sign):
            return labels.say(key, number=labels.number(text.removeprefix(sign)))
    return labels.number(text)
