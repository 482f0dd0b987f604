"""The server of the studio is attacked: other origins, wrong tokens, broken files, names with markup, other tabs."""

import http.client
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time

import pytest

from studio_process import Client, start, studio
from studio_rows import write_table
from studio_session import NoFitter

pytest.importorskip("starlette")
uvicorn = pytest.importorskip("uvicorn")

from riskcard.errors import ParameterError, SolverMissing  # noqa: E402
from riskcard.studio.server.app import make_app  # noqa: E402
from riskcard.studio.server.serve import Wishes, serve  # noqa: E402
from riskcard.studio.state.session import Session  # noqa: E402

TOKEN = "right-token"
MOST = 200_000


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A session with a table, behind a real server; nothing is fitted."""
    monkeypatch.setattr("riskcard.studio.state.fits.Fitter", NoFitter)
    session = Session()
    session.open_table(str(write_table(tmp_path / "rows.csv")), "rows.csv")
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    app = make_app(session, TOKEN, port, MOST)
    config = uvicorn.Config(app, log_level="critical", lifespan="off", timeout_graceful_shutdown=1)
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.01)
    client = Client(port, TOKEN)
    client.session = session
    yield client
    running.should_exit = True
    thread.join(10)
    listening.close()
    session.close()


# --- who is let in -------------------------------------------------------------------------------

DATA_PATHS = ["/api/state", "/api/columns", "/api/groups", "/api/news", "/api/file/session"]


@pytest.mark.parametrize("path", DATA_PATHS)
@pytest.mark.parametrize(
    "headers",
    [
        {"X_Riskcard_Token": None},
        {"X_Riskcard_Token": "wrong"},
        {"X_Riskcard_Token": TOKEN + "x"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Host": "evil.example"},
        {"Host": "127.0.0.1"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
    ids=str,
)
def test_nothing_is_told_to_strangers(server, path, headers):
    answer, content = server.ask("GET", path, **headers)
    assert answer.status == 403
    assert list(json.loads(content)) == ["error"]
    assert answer.getheader("Access-Control-Allow-Origin") is None


def test_strangers_change_nothing(server):
    before = server.session.version
    body = json.dumps({"act": "choose", "version": before, "changes": {"target": "ill"}})
    for headers in ({"X_Riskcard_Token": "wrong"}, {"Origin": "http://evil.example"}):
        assert server.ask("POST", "/api/act", body, **headers)[0].status == 403
        assert server.ask("PUT", "/api/table?name=a.csv", b"a,b\n1,2\n", **headers)[0].status == 403
        assert server.ask("POST", "/api/example", b"", **headers)[0].status == 403
        assert server.ask("OPTIONS", "/api/act", **headers)[0].status == 403
    assert server.session.version == before


def test_two_tokens_or_two_hosts_are_no_token_and_no_host(server):
    for lines in (
        ["X-Riskcard-Token: wrong", f"X-Riskcard-Token: {TOKEN}"],
        [f"X-Riskcard-Token: {TOKEN}", "Host: evil.example"],
    ):
        with socket.create_connection(("127.0.0.1", server.port)) as raw:
            head = ["GET /api/state HTTP/1.1", f"Host: 127.0.0.1:{server.port}", *lines]
            raw.sendall(("\r\n".join([*head, "Connection: close", "", ""])).encode())
            assert raw.recv(100).split()[1] in (b"403", b"400")


def test_every_answer_forbids_what_the_page_does_not_need(server):
    for path in ("/", "/page/main.js", "/words/de.json", "/api/state", "/nothing", "/page/nothing"):
        answer, _ = server.ask("GET", path)
        policy = answer.getheader("Content-Security-Policy")
        assert policy.startswith("default-src 'none'; script-src 'self';")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.getheader("X-Content-Type-Options") == "nosniff"
        assert answer.getheader("Referrer-Policy") == "no-referrer"
        assert answer.getheader("Cache-Control") == "no-store"


def test_the_page_itself_holds_neither_data_nor_token(server):
    for path in ("/", "/page/main.js", "/page/api.js", "/words/de.json"):
        answer, content = server.ask("GET", path, X_Riskcard_Token=None)
        assert answer.status == 200
        assert TOKEN.encode() not in content
        assert b"rows.csv" not in content


def test_the_page_loads_nothing_from_elsewhere_and_has_no_script_in_it(server):
    _, content = server.ask("GET", "/")
    page = content.decode()
    assert re.findall(r"<script[^>]*>(.*?)</script>", page, re.DOTALL) == [""]
    assert not re.search(r"(src|href)=[\"'](https?:)?//", page)
    assert not re.search(r"\son\w+=|style=", page)
    for name in ("main", "api", "dom", "card_screen", "data_screen", "pictures"):
        _, script = server.ask("GET", f"/page/{name}.js")
        assert b"innerHTML" not in script
        assert not re.search(rb"https?://(?!www\.w3\.org/2000/svg)", script)


@pytest.mark.parametrize(
    "path",
    [
        "/page/..%2Fpage_words.py",
        "/page/../page_words.py",
        "/page/%2e%2e/words/english.json",
        "/page/__init__.py",
        "/api/file/..%2F..%2Fetc",
    ],
)
def test_no_other_file_is_given_out(server, path):
    answer, content = server.ask("GET", path)
    assert answer.status in (404, 422)
    assert b"import" not in content


# --- what is sent --------------------------------------------------------------------------------


def test_a_table_that_is_too_large_is_refused_and_the_old_one_stays(server):
    answer, content = server.ask("PUT", "/api/table?name=big.csv", b"a,b\n" + b"1,2\n" * MOST)
    assert answer.status == 413
    assert "200,000 bytes" in json.loads(content)["error"]
    assert server.read("/api/state")["table"]["name"] == "rows.csv"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\x00" * 500,
        b"PK\x03\x04 no workbook",
        b"PAR1 no parquet",
        b"a,a\n1,2\n",
        b"\xff\xfe" * 99,
    ],
    ids=repr,
)
def test_a_broken_table_is_refused_and_the_old_one_stays(server, body):
    answer, content = server.ask("PUT", "/api/table?name=broken.csv", body)
    assert answer.status == 422, content
    words = json.loads(content)["error"]
    assert words
    assert str(server.session.folder) not in words
    assert server.read("/api/state")["table"]["name"] == "rows.csv"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"1",
        b"[" * 100_000,
        b'{"act": "close"}',
        b'{"act": "__init__"}',
        b'{"act": null}',
    ],
    ids=lambda body: repr(body[:20]),
)
def test_a_broken_request_is_refused(server, body):
    assert server.ask("POST", "/api/act", body)[0].status == 422


def test_a_name_is_only_a_name(server):
    name = "..%2F..%2F%3Cimg%20src=x%20onerror=alert(1)%3E.csv"
    body = b'"<script>alert(1)</script>",ill\n' + b"".join(
        b"%d,%d\n" % (i, i % 2) for i in range(60)
    )
    answer, content = server.ask("PUT", f"/api/table?name={name}", body)
    assert answer.status == 200
    state = json.loads(content)
    assert state["table"]["name"] == "<img src=x onerror=alert(1)>.csv"
    assert state["table"]["columns"][0] == "<script>alert(1)</script>"
    assert answer.getheader("Content-Type") == "application/json"
    (stored,) = server.session.folder.iterdir()
    assert re.fullmatch(r"upload-[0-9a-f]{16}\.csv", stored.name)


def upload(server, name: str, body: bytes) -> tuple[int, dict]:
    answer, content = server.ask("PUT", f"/api/table?name={name}", body)
    return answer.status, json.loads(content)


def rows_are_those_of(server, body: bytes) -> bool:
    """Whether another choice of the outcome reads these rows again, from the only file that is kept."""
    (stored,) = server.session.folder.glob("upload-*")
    status, state = server.act("choose", changes={"target": "ill", "event": "yes"})
    assert status == 200, state
    rows = server.session.division.rows
    number, events = body.count(b"\n") - 1, body.count(b",yes")
    counts = rows.is_event.size, int(rows.is_event.sum())
    return stored.read_bytes() == body and counts == (number, events)


def table_a(tmp_path) -> bytes:
    return write_table(tmp_path / "a.csv", 120).read_bytes().replace(b"\r", b"")


@pytest.mark.parametrize("body", [b"", b"a,a\n1,2\n", b"PK\x03\x04 no workbook"], ids=repr)
def test_a_refused_upload_is_named_and_leaves_the_rows_of_the_open_table(server, tmp_path, body):
    a = table_a(tmp_path)
    assert upload(server, "a.csv", a)[0] == 200
    status, answer = upload(server, "b.csv", body)
    assert status == 422
    assert "'b.csv'" in answer["error"]
    assert "a.csv" not in answer["error"]
    assert rows_are_those_of(server, a)


def test_an_upload_that_a_waiting_session_refuses_leaves_the_rows_of_the_open_table(
    server, tmp_path
):
    a, b = table_a(tmp_path), write_table(tmp_path / "b.csv", 90).read_bytes()
    saved = server.session.save()  # of rows.csv, which is the table to wait for
    assert upload(server, "a.csv", a)[0] == 200
    assert server.ask("PUT", "/api/session", saved.encode())[0].status == 200
    status, answer = upload(server, "b.csv", b)
    assert status == 422
    assert answer["error"].startswith("'b.csv' is not the table that the session was saved with")
    assert server.act("forget_waiting")[0] == 200
    assert server.read("/api/state")["table"]["name"] == "a.csv"
    assert rows_are_those_of(server, a)


def test_an_accepted_upload_replaces_the_one_before(server, tmp_path):
    a, b = table_a(tmp_path), write_table(tmp_path / "b.csv", 90).read_bytes()
    assert upload(server, "a.csv", a)[0] == 200
    assert upload(server, "b.csv", b.replace(b"\r", b""))[0] == 200
    assert rows_are_those_of(server, b.replace(b"\r", b""))
    assert server.ask("POST", "/api/example", b"")[0].status == 200
    assert not list(server.session.folder.glob("upload-*"))


def test_an_upload_that_is_too_large_is_not_kept(server):
    assert upload(server, "big.csv", b"a,b\n" + b"1,2\n" * MOST)[0] == 413
    assert not list(server.session.folder.glob("upload-*"))


def test_a_file_that_was_changed_after_it_was_opened_is_not_read(server):
    path = server.session.source.path
    with open(path, "a", encoding="utf-8") as file:
        file.write("50,5.0,a,no\n")
    status, answer = server.act("choose", changes={"target": "ill", "event": "yes"})
    assert (status, answer["error"]) == (
        422,
        "'rows.csv' was changed after it was opened. Open it again.",
    )


def test_values_that_are_no_choices_are_refused_in_words(server):
    for changes in (
        {"target": ["ill"]},
        {"seed": -1},
        {"max_terms": 10**9},
        {"skip_missing_target": []},
        "text",
        None,
    ):
        status, content = server.act("choose", changes=changes)
        assert status == 422, changes
        assert content["error"]
    for more in ({"with_pins": 1}, {"with_pins": "no"}):
        assert server.act("fit", **more)[0] == 422
    assert server.act("find_pool", tolerance=float("1e9"), size=5)[0] == 422
    assert server.act("take_from_pool", place=True)[0] == 422


@pytest.mark.parametrize(
    "changes",
    [{"target": "nope"}, {"dropped": ["nope"]}, {"kept": ["nope"]}, {"codes": {"nope": [1]}}],
)
def test_a_choice_of_a_column_that_is_not_there_is_refused(server, changes):
    status, content = server.act("choose", changes=changes)
    assert (status, content["error"]) == (422, "'rows.csv' has no column 'nope'. Choose another.")


def test_a_mistake_of_ours_is_an_answer_too(server, monkeypatch, capsys):
    monkeypatch.setattr("riskcard.studio.server.app.state_of", lambda session: 1 / 0)
    answer, content = server.ask("GET", "/api/state")
    assert (answer.status, "ZeroDivisionError" in json.loads(content)["error"]) == (500, True)
    assert "Traceback" in capsys.readouterr().err


# --- other tabs ----------------------------------------------------------------------------------


def test_a_second_tab_that_is_behind_cannot_change_anything(server):
    behind = server.read("/api/state")["version"]
    assert server.act("choose", changes={"target": "ill", "event": "yes"})[0] == 200
    body = json.dumps({"act": "choose", "version": behind, "changes": {"target": None}})
    answer, content = server.ask("POST", "/api/act", body)
    assert (answer.status, json.loads(content)["is_conflict"]) == (409, True)
    assert server.read("/api/state")["choices"]["target"] == "ill"


def test_a_tab_hears_of_what_another_one_does_and_may_be_closed_at_any_time(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request("GET", "/api/news", headers={"X-Riskcard-Token": TOKEN})
    news = connection.getresponse()
    first = json.loads(news.readline())
    assert server.act("choose", changes={"target": "ill"})[0] == 200
    second = json.loads(news.readline())
    assert second["version"] > first["version"]
    connection.close()
    assert server.act("choose", changes={"event": "yes"})[0] == 200


# --- the command ---------------------------------------------------------------------------------


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(SolverMissing, match=r'pip install "riskcard\[studio\]"'):
        serve(Wishes(), print)


def test_a_port_that_does_not_exist_is_named():
    with pytest.raises(ParameterError, match="Port 99999 cannot be used"):
        serve(Wishes(port=99999, opens_browser=False), print)


def test_a_file_that_is_no_session_is_named_and_stays(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(b"\xff\xfe\x00nonsense")
    with pytest.raises(ParameterError, match="is no session of the studio"):
        serve(Wishes(session=str(path), opens_browser=False), print)
    assert path.read_bytes() == b"\xff\xfe\x00nonsense"


def test_a_port_that_is_taken_is_named(server):
    with pytest.raises(ParameterError, match=f"Port {server.port} cannot be used"):
        serve(Wishes(port=server.port, opens_browser=False), print)


def children_of(process) -> list[int]:
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True
    )
    return [int(word) for word in listed.stdout.split()]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kills processes")
def test_a_killed_studio_loses_nothing_that_was_saved_and_leaves_no_process(tmp_path):
    data, session = str(write_table(tmp_path / "rows.csv")), str(tmp_path / "session.json")
    process, client = start(data, "--session", session)
    try:
        choices = {"target": "ill", "event": "yes", "max_terms": 2, "max_points": 3}
        assert client.act("choose", changes=choices)[0] == 200
        assert client.act("fit")[0] == 200
        before = client.wait_for("done")
        feature = before["card"]["features"][0]["name"]
        status, before = client.act("edit", edit={"what": "remove", "feature": feature})
        assert status == 200
        workers = children_of(process)
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
    for worker in workers:
        for _ in range(200):
            if not _is_running(worker):
                break
            time.sleep(0.05)
        assert not _is_running(worker)
    with studio(data, "--session", session) as client:
        after = client.read("/api/state")
        for name in ("card", "best", "log", "choices"):
            assert after[name] == before[name]


def _is_running(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.slow
def test_a_fit_is_stopped_with_what_is_proven_cancelled_without_and_goes_on_without_a_tab():
    with studio() as client:
        assert client.ask("POST", "/api/example", b"")[0].status == 200
        choices = {"target": "diagnosis", "event": "malignant", "max_terms": 5, "seconds": 600}
        assert client.act("choose", changes=choices)[0] == 200
        assert client.act("fit")[0] == 200  # nobody listens meanwhile
        for _ in range(3000):
            moments = client.read("/api/state")["work"]["moments"]
            if len(moments) > 3:
                break
            time.sleep(0.1)
        assert client.ask("POST", "/api/stop", b"{}")[0].status == 200
        found = client.wait_for("done")
        figures = found["card"]["figures"]
        assert 0 <= figures["bound"] < figures["loss"]
        assert found["log"][-1]["status"] == "interrupted"
        assert client.act("fit")[0] == 200
        assert client.ask("POST", "/api/stop", b'{"cancel": true}')[0].status == 200
        assert client.read("/api/state")["work"]["state"] == "cancelled"
        assert client.read("/api/state")["card"]["figures"]["bound"] == figures["bound"]
