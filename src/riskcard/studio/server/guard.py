"""Who is let in: only pages of this server, in this browser, with the token that only this user was given.

The token is a secret in the address that the command prints, behind ``#``, which browsers never send. The
page sends it in a header of its own. A page of another origin cannot do that without being allowed to, and
nothing here allows it. The name of the host is checked so that another name which is made to point to this
machine (DNS rebinding) is of no use.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

TOKEN_HEADER = b"x-riskcard-token"

#: Nothing from elsewhere, nothing inline, in nobody's frame.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


def new_token() -> str:
    """A secret that nobody guesses."""
    return secrets.token_urlsafe(32)


class Guard:
    """Stands before an application, and answers itself whoever is not let in.

    Parameters
    ----------
    app
        The application.
    token
        What requests for data must have; the page itself holds no data.
    port
        Of the server, for the names that it may be called by.
    """

    def __init__(self, app: App, token: str, port: int) -> None:
        self._app, self._token = app, token.encode()
        self._hosts = {f"{name}:{port}".encode() for name in ("127.0.0.1", "localhost")}
        self._origins = {b"http://" + host for host in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer why not."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        reason = self._refusal(scope)
        if reason is not None:
            await _refuse(send, reason)
            return
        await self._app(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> str | None:
        """Why a request is not let in; None if it is."""
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.lower(), []).append(value)
        host = headers.get(b"host", [])
        if len(host) != 1 or host[0].lower() not in self._hosts:
            return "This server is called by another name than its own."
        if any(origin.lower() not in self._origins for origin in headers.get(b"origin", [])):
            return "The request is from a page of another origin."
        site = headers.get(b"sec-fetch-site", [b"same-origin"])
        if scope["path"].startswith("/api/"):
            if any(one not in (b"same-origin", b"none") for one in site):
                return "The request is from a page of another origin."
            token = headers.get(TOKEN_HEADER, [])
            if len(token) != 1 or not hmac.compare_digest(token[0], self._token):
                return "The token is wrong. Open the address that the command printed."
        return None


async def _refuse(send: Send, reason: str) -> None:
    body = json.dumps({"error": reason}).encode()
    headers = {**HEADERS, "content-type": "application/json", "content-length": str(len(body))}
    await send({"type": "http.response.start", "status": 403, "headers": _as_pairs(headers)})
    await send({"type": "http.response.body", "body": body})


def _with_headers(send: Send) -> Send:
    async def send_with(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            own = [pair for pair in message["headers"] if pair[0].decode() not in HEADERS]
            message = {**message, "headers": [*own, *_as_pairs(HEADERS)]}
        await send(message)

    return send_with


def _as_pairs(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in headers.items()]
