"""The command ``riskcard export``: a card as something that runs elsewhere."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from riskcard.cli.remarks import say, write_or_print
from riskcard.cli.rows.card_rows import all_labelled_rows, load_labelled_card
from riskcard.cli.rows.reading import open_data
from riskcard.errors import ParameterError

if TYPE_CHECKING:
    from riskcard.model.card import RiskCard

#: Options of the command by the names that the formats have for them.
_OPTIONS = (
    "table", "dialect", "keep", "rows", "reasons", "missing_text",
    "points_to_double_odds", "odds", "at", "higher_is_safer",
)  # fmt: skip


def run_export(options: Namespace) -> int:
    """Write a card in another format."""
    from riskcard.export.formats import FORMATS, format_of, render

    if options.to is None and options.output is None:
        raise ParameterError("Give a file with -o FILE, or a format with --to.")
    name = options.to or format_of(options.output)
    if options.output is None and not FORMATS[name].is_text:
        raise ParameterError(f"{name} cannot be shown on a screen. Give a file with -o FILE.")
    if options.data is not None and name != "credit":
        raise ParameterError("--data is for '--to credit'. Leave it out.")
    given = {key: value for key in _OPTIONS if (value := getattr(options, key)) is not None}
    card = load_labelled_card(options)
    ending = "" if options.output is None else Path(options.output).suffix.lower()
    content = render(card, name, ending, **given)
    if name == "credit":
        content = _credit_card(options, card, given).to_json()
    write_or_print(options.output, content)
    return 0


def _credit_card(options: Namespace, card: RiskCard, given: dict[str, Any]) -> RiskCard:
    """The scaled card; its scale in words, and the loss on the rows of a file when there is one."""
    from riskcard.credit.scaling import to_credit_points

    scaling = to_credit_points(card, **given)
    say(str(scaling))
    if options.data is None:
        return scaling.card
    rows, labels, weights = all_labelled_rows(open_data(options), options, card)
    loss = scaling.losses(rows, labels, weights)
    share = (loss.after - loss.before) / loss.before if loss.before > 0 else 0.0
    say(f"Loss on these rows: {loss.before:.4f} before, {loss.after:.4f} after ({share:+.2%}).")
    counted = scaling.counted(rows, labels, weights)
    if counted is not scaling.card:
        say("These are the training rows: the new card has the rows and events of each total.")
    return counted
