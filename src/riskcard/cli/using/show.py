"""The command ``riskcard show``: a card on the screen, or as a page, a picture, Markdown or LaTeX."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from riskcard.cli.remarks import put, say, warnings_as_sentences
from riskcard.cli.rows.card_rows import load_labelled_card
from riskcard.cli.rows.proof_rows import remark_on_file
from riskcard.formatting.fonts import letters_explained
from riskcard.output_files import write_whole

if TYPE_CHECKING:
    from riskcard.model.card import RiskCard

#: What a card can be written as, in addition to the text on the screen.
_FORMS = ("html", "markdown", "latex", "svg", "png", "pdf")


def run_show(options: Namespace) -> int:
    """Print a card, or write it to files: all of them, or none when one cannot be written."""
    card = load_labelled_card(options)
    if remark := remark_on_file(options.card, card):
        say(remark)
    wanted = {form: path for form in _FORMS if (path := getattr(options, form)) is not None}
    if not wanted:
        if options.plain or options.form != "bins":
            put(f"{card.to_text(options.form)}\n")
        else:
            show_card(card)
        return 0
    with warnings_as_sentences(), letters_explained():
        contents = {path: _content(card, form) for form, path in wanted.items()}
    for path, content in contents.items():
        write_whole(path, content)
    say(f"Wrote {', '.join(contents)}.")
    return 0


def show_card(card: RiskCard) -> None:
    """Write a card to the output: with colours and bars on a terminal, as plain text elsewhere."""
    is_unicode = (getattr(sys.stdout, "encoding", None) or "").lower().startswith("utf")
    if not sys.stdout.isatty() or not is_unicode:
        put(f"{card}\n")
        return
    from riskcard.card.terminal import print_card

    print_card(card, sys.stdout)


def _content(card: RiskCard, form: str) -> str | bytes:
    if form == "html":
        from riskcard.card.card_html import render_page

        return render_page(card)
    if form == "markdown":
        return card.to_markdown()
    if form == "latex":
        return card.to_latex(document=True)
    from riskcard.card.drawing.picture import card_picture

    return card_picture(card, form)
