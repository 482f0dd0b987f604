"""The server: on this machine only, at a free port, until Ctrl-C."""

from __future__ import annotations

import socket
import threading
import time
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from riskcard.errors import ParameterError
from riskcard.extras import import_extra
from riskcard.output_files import require_writable
from riskcard.studio.page_words import load_own_words
from riskcard.studio.server.guard import new_token

#: Only programs on this machine reach it.
HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Wishes:
    """How the studio is started.

    Attributes
    ----------
    data
        A table to begin with.
    session
        A file with a session, which is opened if it exists and written after every change.
    port
        0 for any free one.
    opens_browser
        Show the page.
    language
        Of the page to begin with, and of the cards.
    words
        A file with texts in place of some of the page's.
    """

    data: str | None = None
    session: str | None = None
    port: int = 0
    opens_browser: bool = True
    language: str = "en"
    words: str | None = None


def serve(wishes: Wishes, say: Callable[[str], None]) -> None:
    """Run the studio until it is interrupted.

    Parameters
    ----------
    wishes
        How.
    say
        Told the address, and how to end the studio.
    """
    uvicorn = import_extra("uvicorn", "The studio", "studio")
    import_extra("starlette", "The studio", "studio")
    from riskcard.studio.server.app import make_app
    from riskcard.studio.state.session import Session

    require_writable(wishes.session)
    own_words = {} if wishes.words is None else load_own_words(wishes.words)
    listening = _listen(wishes.port)
    port = listening.getsockname()[1]
    session, token = Session(wishes.session, wishes.language), new_token()
    session.own_words = own_words
    try:
        if wishes.session is not None and Path(wishes.session).exists():
            session.open_saved(_text_of(wishes.session))
        if wishes.data is not None:
            session.open_table(wishes.data, Path(wishes.data).name)
        address = f"http://{HOST}:{port}/#{token}"
        say(f"The studio is at {address}")
        say("It is reached from this machine only. Ctrl-C ends it.")
        if wishes.opens_browser:
            threading.Thread(target=_open_browser, args=(address,), daemon=True).start()
        app = make_app(session, token, port)
        config = uvicorn.Config(
            app, log_level="error", access_log=False, lifespan="off", timeout_graceful_shutdown=1
        )
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        session.close()
        listening.close()


def _listen(port: int) -> socket.socket:
    # with its protocol: otherwise asyncio leaves small answers waiting for the acknowledgement of earlier ones
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.bind((HOST, port))
    except (OSError, OverflowError) as error:
        listening.close()
        raise ParameterError(
            f"Port {port} cannot be used: {getattr(error, 'strerror', None) or error}. Give another one with --port."
        ) from None
    return listening


def _text_of(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ParameterError(
            f"{path!r} is no session of the studio. Give another file with --session, or one that does not exist yet."
        ) from None


def _open_browser(address: str) -> None:
    time.sleep(0.5)  # until the server answers
    webbrowser.open(address)
