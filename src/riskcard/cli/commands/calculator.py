"""The command ``riskcard calculator``: a card as an offline page that adds up its points."""

from argparse import Namespace

from riskcard.cli.remarks import say
from riskcard.errors import ParameterError
from riskcard.output_files import write_whole


def run_calculator(options: Namespace) -> int:
    """Write the page, the words, or both."""
    places = [path for path in (options.output, options.write_words) if path is not None]
    if not places:
        raise ParameterError(
            "No file is named. Give -o FILE for the page, or --write-words FILE for its words."
        )

    from riskcard.calculator.calculator_page import render_calculator
    from riskcard.calculator.questions import known_levels
    from riskcard.calculator.template import words_as_json
    from riskcard.calculator.wording import PageWords, load_words
    from riskcard.model.card_json import load_card

    card = load_card(options.card)
    words = PageWords()
    if options.words is not None:
        words = load_words(options.words, known_levels(card))
    contents = {
        options.output: lambda: render_calculator(card, words),
        options.write_words: lambda: words_as_json(card, words),
    }
    made = {path: contents[path]() for path in places}
    for path, content in made.items():
        write_whole(path, content)
    say(f"Wrote {', '.join(places)}.")
    return 0
