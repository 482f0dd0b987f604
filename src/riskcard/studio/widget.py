"""The studio in a notebook: the same page in a cell, answered by the kernel. Needs the extra ``widget``.

Nothing listens on the network: requests are messages of the notebook, which only its own page can send.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

from riskcard.extras import import_extra
from riskcard.studio.bundle import bundle
from riskcard.studio.server.app import answers_of
from riskcard.studio.server.guard import App
from riskcard.studio.state.session import Session

anywidget: Any = import_extra("anywidget", "The studio in a notebook", "widget")

Tell = Callable[[dict[str, Any], bytes], None]


class Answers:
    """Answers requests that come as messages, in a thread with a loop of its own.

    Parameters
    ----------
    app
        The application.
    tell
        Given an answer piece by piece: what is said about it, and bytes.
    """

    def __init__(self, app: App, tell: Tell) -> None:
        self._app, self._tell = app, tell
        self._bodies: dict[str, list[bytes]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self._loop.run_forever()
        left = list(self._tasks.values())
        for task in left:
            task.cancel()
        if left:
            self._loop.run_until_complete(asyncio.wait(left))
        self._loop.close()

    def hear(self, message: MutableMapping[str, Any], pieces: list[Any]) -> None:
        """Take a message: a piece of a request, or word that nobody waits for its answer any more."""
        number = str(message["id"])
        if message.get("is_over"):
            self._loop.call_soon_threadsafe(self._end, number)
            return
        body = self._bodies.setdefault(number, [])
        body += [bytes(piece) for piece in pieces]
        if not message.get("has_more"):
            request = (
                str(message["method"]),
                str(message["path"]),
                b"".join(self._bodies.pop(number)),
            )
            self._loop.call_soon_threadsafe(self._begin, number, request)

    def close(self) -> None:
        """End all answers."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _begin(self, number: str, request: tuple[str, str, bytes]) -> None:
        task = self._loop.create_task(self._answer(number, *request))
        self._tasks[number] = task
        task.add_done_callback(lambda _: self._tasks.pop(number, None))

    def _end(self, number: str) -> None:
        task = self._tasks.get(number)
        if task is not None:
            task.cancel()

    async def _answer(self, number: str, method: str, path: str, body: bytes) -> None:
        path, _, query = path.partition("?")
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [],
        }
        await self._app(scope, _receiver(body), self._sender(number))

    def _sender(self, number: str) -> Callable[[MutableMapping[str, Any]], Awaitable[None]]:
        about: dict[str, Any] = {"id": number}

        async def send(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                pairs = message.get("headers", [])
                about["status"] = message["status"]
                about["headers"] = {name.decode(): value.decode() for name, value in pairs}
                return
            has_more = bool(message.get("more_body"))
            self._tell({**about, "has_more": has_more}, message.get("body", b""))

        return send


def _receiver(body: bytes) -> Callable[[], Awaitable[dict[str, Any]]]:
    """The body at once; then nothing, until nobody waits any more."""
    left = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if left:
            return left.pop()
        await asyncio.Event().wait()
        raise AssertionError("the event never comes")

    return receive


class StudioWidget(anywidget.AnyWidget):  # type: ignore[misc]
    """The studio in a cell of a notebook.

    Parameters
    ----------
    data
        A table to begin with.
    session
        A file with a session, which is opened if it exists and written after every change.
    language
        Of the page to begin with, and of the cards: "en", "de", "fr" or "es".
    """

    _esm = bundle()

    def __init__(
        self, data: str | None = None, *, session: str | None = None, language: str = "en"
    ) -> None:
        super().__init__()
        self.session = Session(session, language)
        if session is not None and Path(session).exists():
            self.session.open_saved(Path(session).read_text(encoding="utf-8"))
        if data is not None:
            self.session.open_table(data, Path(data).name)
        self._answers = Answers(answers_of(self.session), self._tell)
        self.on_msg(lambda _, content, buffers: self._answers.hear(content, buffers))

    def _tell(self, about: dict[str, Any], content: bytes) -> None:
        self.send(about, [content])

    @property
    def card(self) -> Any:
        """The card as it is now, in its words; None before a fit."""
        document = self.session.document
        return None if document.card is None else document.worded(document.card)

    def close(self) -> None:
        """End the studio; a second time nothing is left to end."""
        if hasattr(self, "_answers"):
            self._answers.close()
            self.session.close()
        super().close()
