"""The command ``riskcard studio``: a page on this machine to find, change and sign off a card."""

from argparse import Namespace

from riskcard.cli.remarks import say


def run_studio(options: Namespace) -> int:
    """Serve the page until Ctrl-C."""
    from riskcard.studio.server.serve import Wishes, serve

    wishes = Wishes(
        options.data,
        options.session,
        options.port,
        not options.no_browser,
        options.language or "en",
        options.words,
    )
    try:
        serve(wishes, say)
    except KeyboardInterrupt:
        say("The studio has ended.")
    return 0
