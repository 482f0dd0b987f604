"""The command ``riskcard studio`` in a process of its own, and a client that has its token."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Client:
    """Asks one server as a browser would, or as an attacker."""

    def __init__(self, port: int, token: str) -> None:
        self.port, self.token = port, token

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/#{self.token}"

    def ask(self, method: str, path: str, body: Any = None, **headers: str | None) -> Any:
        """The answer and its content; a header that is None is not sent."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        given = {"X-Riskcard-Token": self.token, **named}
        sent = {name: value for name, value in given.items() if value is not None}
        connection.request(method, path, body, sent)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer, content

    def read(self, path: str) -> Any:
        answer, content = self.ask("GET", path)
        assert answer.status == 200, content
        return json.loads(content)

    def act(self, name: str, **more: Any) -> tuple[int, Any]:
        content = {"act": name, "version": self.read("/api/state")["version"], **more}
        answer, content = self.ask("POST", "/api/act", json.dumps(content))
        return answer.status, json.loads(content)

    def wait_for(self, state: str) -> Any:
        """The state of the studio once its work is in some state."""
        for _ in range(3000):
            found = self.read("/api/state")
            if found["work"]["state"] == state:
                return found
            time.sleep(0.1)
        raise AssertionError(found["work"])


def start(*arguments: str) -> tuple[subprocess.Popen[str], Client]:
    """Start the command and wait until it answers."""
    command = [sys.executable, "-m", "riskcard", "studio", "--no-browser", *arguments]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    found = re.search(r"http://127\.0\.0\.1:(\d+)/#(\S+)", process.stderr.readline())
    assert found is not None
    client = Client(int(found[1]), found[2])
    for _ in range(600):
        try:
            client.read("/api/state")
            return process, client
        except ConnectionRefusedError:
            time.sleep(0.05)
    raise AssertionError("The studio does not answer.")


def end(process: subprocess.Popen[str]) -> None:
    """End it as Ctrl-C does."""
    process.send_signal(signal.SIGINT)
    process.wait(30)
    assert process.stderr is not None
    process.stderr.close()


@contextmanager
def studio(*arguments: str) -> Iterator[Client]:
    """A studio while this lasts."""
    process, client = start(*arguments)
    try:
        yield client
    finally:
        end(process)
