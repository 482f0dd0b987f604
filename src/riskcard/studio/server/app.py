"""The application behind the page: what it may ask for, and what it may do, as JSON."""

from __future__ import annotations

import asyncio
import json
import traceback
from collections.abc import AsyncIterator, Callable
from functools import partial
from importlib.resources import files
from pathlib import PurePath
from secrets import token_hex
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from riskcard.data.files.open_table import STATISTICS
from riskcard.errors import DataError, ParameterError, RiskcardError
from riskcard.studio.page_words import is_spoken, page_words
from riskcard.studio.server.downloads import file_of
from riskcard.studio.server.groups_view import groups_view
from riskcard.studio.server.guard import App, Guard
from riskcard.studio.server.view import (
    card_of,
    compare_cards,
    shown_columns,
    state_of,
    work_of,
)
from riskcard.studio.state.session import Conflict, Session
from riskcard.studio.told import told

#: The largest table, and the largest other request, in bytes.
MOST_TABLE, MOST_REQUEST = 2 << 30, 64 << 20
#: Seconds between two looks at whether there is news for a page.
_PAUSE = 0.08

_ENDINGS = (".csv", ".tsv", ".txt", ".xlsx", ".xlsm", ".parquet", ".pq", *STATISTICS)
_TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}

#: What a page may do: names of methods, and what they are given.
_ACTIONS: dict[str, dict[str, type]] = {
    "choose": {"changes": dict},
    "set_labels": {"labels": dict},
    "set_groups": {"groups": list},
    "set_pins": {"pins": dict},
    "edit": {"edit": dict},
    "forget_waiting": {},
    "undo": {},
    "redo": {},
    "fit": {"with_pins": bool},
    "find_pool": {"tolerance": float, "size": int},
    "find_sizes": {"most": int},
    "take_best": {},
    "take_from_pool": {"place": int},
    "open_test": {},
    "sign": {"name": str, "role": str, "reason": str},
}
#: Those of them that the process that fits does.
_OF_FITS = ("fit", "find_pool", "find_sizes")


class TooLarge(ParameterError):
    """A request that is larger than allowed."""


def make_app(session: Session, token: str, port: int, most_table: int = MOST_TABLE) -> App:
    """The application with its guard.

    Parameters
    ----------
    session
        The state.
    token, port
        As for ``Guard``.
    most_table
        The largest table that may be uploaded, in bytes.
    """
    return Guard(answers_of(session, most_table), token, port)


def answers_of(session: Session, most_table: int = MOST_TABLE) -> App:
    """The application without a guard, for whoever is in the same process."""
    studio = _Studio(session, most_table)
    routes = [
        Route("/", _asset("index.html")),
        Route("/page/{name}", _any_asset),
        Route("/words/{name}", studio.words),
        Route("/api/state", studio.state),
        Route("/api/columns", studio.columns),
        Route("/api/groups", studio.groups),
        Route("/api/news", studio.news),
        Route("/api/act", studio.act, methods=["POST"]),
        Route("/api/preview", studio.preview, methods=["POST"]),
        Route("/api/compare", studio.compare, methods=["POST"]),
        Route("/api/stop", studio.stop, methods=["POST"]),
        Route("/api/table", studio.table, methods=["PUT"]),
        Route("/api/example", studio.example, methods=["POST"]),
        Route("/api/session", studio.session_file, methods=["PUT"]),
        Route("/api/file/{kind}", studio.file),
    ]
    return Starlette(routes=routes)


def _asset(name: str) -> Callable[[Request], Any]:
    """An answer with a file of the page."""

    async def answer(request: Request) -> Response:
        content = files("riskcard").joinpath("studio/page", name).read_bytes()
        return Response(content, media_type=_TYPES[PurePath(name).suffix])

    return answer


async def _any_asset(request: Request) -> Response:
    name = request.path_params["name"]
    known = {one.name for one in files("riskcard").joinpath("studio/page").iterdir()}
    if name not in known or PurePath(name).suffix not in _TYPES:
        return JSONResponse({"error": f"There is no file {name!r}."}, 404)
    response: Response = await _asset(name)(request)
    return response


def _answers(work: Callable[..., Any]) -> Callable[..., Any]:
    """Turn what goes wrong into an answer that says so."""

    async def answer(self: _Studio, request: Request) -> Response:
        try:
            response: Response = await work(self, request)
            return response
        except Conflict as error:
            return JSONResponse({**self.in_words(error), "is_conflict": True}, 409)
        except TooLarge as error:
            return JSONResponse(self.in_words(error), 413)
        except RiskcardError as error:
            return JSONResponse(self.in_words(error), 422)
        except ClientDisconnect:
            return Response(status_code=499)
        except Exception as error:
            traceback.print_exc()  # for whoever reports it; the page goes on
            words = f"This is a mistake in riskcard: {type(error).__name__}. Please report what you did."
            return JSONResponse({"error": words}, 500)

    return answer


class _Studio:
    """Answers requests from the state of one session; slow work is done in threads."""

    def __init__(self, session: Session, most_table: int) -> None:
        self.session, self._most_table = session, most_table

    def in_words(self, error: RiskcardError) -> dict[str, Any]:
        """The message of an error; a table is called as the user calls it, not by its place here."""
        words, session = str(error), self.session
        if session.source is not None:
            words = words.replace(repr(session.source.path), repr(session.source.name))
        with session.document.read_labels().spoken():
            text, is_english = told(words, session.own_words)
        return {"error": text, "is_english": is_english}

    async def words(self, request: Request) -> Response:
        """The words of a language, with a user's own in place of some."""
        language, _, ending = request.path_params["name"].partition(".")
        if ending != "json" or not is_spoken(language):
            return JSONResponse({"error": "There are no such words."}, 404)
        return _json({**page_words(language), **self.session.own_words})

    async def _locked(self, work: Callable[[], Any]) -> Any:
        def run() -> Any:
            # sentences about proofs are in the language of the session
            with self.session.lock, self.session.document.read_labels().spoken():
                return work()

        return await run_in_threadpool(run)

    @_answers
    async def state(self, request: Request) -> Response:
        return _json(await self._locked(lambda: state_of(self.session)))

    @_answers
    async def columns(self, request: Request) -> Response:
        return _json(await self._locked(lambda: shown_columns(self.session)))

    @_answers
    async def groups(self, request: Request) -> Response:
        by = request.query_params.get("by")
        return _json(await self._locked(lambda: groups_view(self.session, by)))

    async def news(self, request: Request) -> Response:
        """A stream of lines: the version, and how far the work is, whenever one of them changes."""
        return StreamingResponse(self._news(), media_type="application/x-ndjson")

    async def _news(self) -> AsyncIterator[str]:
        last: tuple[int, int] | None = None
        while True:
            now = self.session.version, self.session.fits.heard
            if now != last:
                last = now
                yield json.dumps({"version": now[0], "work": work_of(self.session)}) + "\n"
            await asyncio.sleep(_PAUSE)

    @_answers
    async def act(self, request: Request) -> Response:
        """Do one thing, if the page shows the present state; answer with the new one."""
        content = await _content(request)
        name, given = _action_of(content)

        def work() -> dict[str, Any]:
            self.session.require(content.get("version"))
            getattr(self.session.fits if name in _OF_FITS else self.session, name)(**given)
            return state_of(self.session)

        return _json(await self._locked(work))

    @_answers
    async def preview(self, request: Request) -> Response:
        """What a change would cost, without making it."""
        edit = (await _content(request)).get("edit")
        if not isinstance(edit, dict):
            raise ParameterError("There is no change to look at.")
        session = self.session
        return _json(await self._locked(lambda: card_of(session, session.edited(edit))))

    @_answers
    async def compare(self, request: Request) -> Response:
        content = await _content(request)

        def work() -> dict[str, Any]:
            cards = [self._card(content.get(name)) for name in ("first", "second")]
            return compare_cards(self.session, *cards)

        return _json(await self._locked(work))

    def _card(self, name: Any) -> Any:
        """The card as it is now, the proven one, or one of the pool by its place."""
        document, pool = self.session.document, self.session.fits.pool
        if name == "now" and document.card is not None:
            return document.card
        if name == "best" and document.proof is not None:
            return document.proof.card
        if pool is not None and isinstance(name, int) and 0 <= name < len(pool["cards"]):
            return pool["cards"][name]
        raise ParameterError(f"There is no card {name!r} to compare. Choose another.")

    @_answers
    async def stop(self, request: Request) -> Response:
        """End the work: with what it has, or without a result."""
        content = await _content(request)
        fits = self.session.fits
        way = fits.cancel if content.get("cancel") else fits.stop
        await run_in_threadpool(way)
        return _json({})

    @_answers
    async def table(self, request: Request) -> Response:
        """Take a table; it is stored piece by piece, under a new name that the page does not choose."""
        name = PurePath(request.query_params.get("name", "").replace("\\", "/")).name or "table.csv"
        name, ending = name[:200], PurePath(name).suffix.lower()
        ending = ending if ending in _ENDINGS else ".csv"
        place = self.session.folder / f"upload-{token_hex(8)}{ending}"
        try:
            with open(place, "wb") as file:
                async for piece in _pieces(request, self._most_table):
                    file.write(piece)
        except BaseException:
            place.unlink(missing_ok=True)
            raise

        def work() -> dict[str, Any]:
            try:
                self.session.open_table(str(place), name)
            except RiskcardError as error:
                raise DataError(str(error).replace(repr(str(place)), repr(name))) from error
            return state_of(self.session)

        return _json(await self._locked(work))

    @_answers
    async def example(self, request: Request) -> Response:
        def work() -> dict[str, Any]:
            self.session.open_example()
            return state_of(self.session)

        return _json(await self._locked(work))

    @_answers
    async def session_file(self, request: Request) -> Response:
        text = b"".join([piece async for piece in _pieces(request, MOST_REQUEST)])

        def work() -> dict[str, Any]:
            self.session.open_saved(text.decode("utf-8", errors="replace"))
            return state_of(self.session)

        return _json(await self._locked(work))

    @_answers
    async def file(self, request: Request) -> Response:
        kind = request.path_params["kind"]
        # a report takes long: it is made of what does not change, without the lock
        made = await run_in_threadpool(partial(file_of, self.session, kind))
        headers = {"content-disposition": f'attachment; filename="{made.name}"'}
        return Response(made.content, media_type="application/octet-stream", headers=headers)


def _action_of(content: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The action that a request asks for, and what it is given; of the right types, whatever they say."""
    name = content.get("act")
    if not isinstance(name, str) or name not in _ACTIONS:
        raise ParameterError(f"There is no action {name!r}.")
    given = {key: {"with_pins": False, **content}.get(key) for key in _ACTIONS[name]}
    for key, kind in _ACTIONS[name].items():
        if not isinstance(given[key], kind) or (kind is int and isinstance(given[key], bool)):
            raise ParameterError(f"{key} is {given[key]!r}, which {name!r} cannot use.")
    return name, given


def _json(content: Any) -> Response:
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Response(text, media_type="application/json")


async def _pieces(request: Request, most: int) -> AsyncIterator[bytes]:
    """The body piece by piece, up to a size."""
    size = 0
    async for piece in request.stream():
        size += len(piece)
        if size > most:
            raise TooLarge(
                f"The file has more than {most:,} bytes. Use a smaller one, or fewer columns."
            )
        yield piece


async def _content(request: Request) -> dict[str, Any]:
    """The JSON object of a request."""
    text = b"".join([piece async for piece in _pieces(request, MOST_REQUEST)])
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise ParameterError("The request is not JSON.") from None
    if not isinstance(content, dict):
        raise ParameterError("The request is not a JSON object.")
    return content
