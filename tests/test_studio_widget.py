"""The studio in a notebook: one module of all modules of the page, and answers by messages."""

import json
import re
import shutil
import subprocess
import threading

import pytest

pytest.importorskip("starlette")

from riskcard.studio.bundle import bundle
from riskcard.studio.server.app import answers_of
from riskcard.studio.state.session import Session
from studio_rows import write_table
from studio_session import NoFitter


class Notebook:
    """Sends messages as a page does, and waits for the answer."""

    def __init__(self, answers_type, session):
        self._heard = threading.Condition()
        self.pieces: dict[str, list] = {}
        self.answers = answers_type(answers_of(session), self._tell)
        self._last = 0

    def _tell(self, about, content):
        with self._heard:
            self.pieces.setdefault(about["id"], []).append((about, content))
            self._heard.notify_all()

    def begin(self, method, path, *bodies):
        self._last += 1
        number = f"n{self._last}"
        message = {"id": number, "method": method, "path": path}
        for i, body in enumerate(bodies or (b"",)):
            self.answers.hear({**message, "has_more": i + 1 < len(bodies)}, [memoryview(body)])
        return number

    def wait(self, number, pieces=None):
        """Until an answer is over, or has so many pieces."""

        def is_there():
            own = self.pieces.get(number, [])
            return len(own) >= pieces if pieces else bool(own) and not own[-1][0]["has_more"]

        with self._heard:
            assert self._heard.wait_for(is_there, timeout=30)
        own = self.pieces[number]
        return own[0][0]["status"], b"".join(content for _, content in own)

    def ask(self, method, path, *bodies):
        status, content = self.wait(self.begin(method, path, *bodies))
        return status, json.loads(content)

    def act(self, name, **more):
        version = self.ask("GET", "/api/state")[1]["version"]
        body = json.dumps({"act": name, "version": version, **more}).encode()
        return self.ask("POST", "/api/act", body)


@pytest.fixture
def notebook(monkeypatch):
    pytest.importorskip("anywidget")
    from riskcard.studio.widget import Answers

    monkeypatch.setattr("riskcard.studio.state.fits.Fitter", NoFitter)
    session = Session()
    found = Notebook(Answers, session)
    yield found
    found.answers.close()
    session.close()


def test_a_table_in_pieces_is_opened_and_its_columns_are_told(notebook, tmp_path):
    content = write_table(tmp_path / "rows.csv").read_bytes()
    pieces = [content[:100], content[100:2000], content[2000:]]
    status, state = notebook.ask("PUT", "/api/table?name=rows%20of%20mine.csv", *pieces)
    assert (status, state["table"]["name"], state["table"]["rows"]) == (
        200,
        "rows of mine.csv",
        300,
    )
    assert notebook.act("choose", changes={"target": "ill", "event": "yes"})[0] == 200
    assert [one["name"] for one in notebook.ask("GET", "/api/columns")[1]][:3] == [
        "age",
        "dose",
        "kind",
    ]
    status, content = notebook.wait(notebook.begin("GET", "/api/file/session"))
    assert json.loads(content)["choices"]["target"] == "ill"


def test_what_is_refused_is_refused_in_words(notebook):
    status, answer = notebook.act("choose", changes={"max_terms": 0})
    assert (status, answer["error"]) == (
        422,
        "Terms at most: 0 does not fit. Use a whole number from 1 to 20.",
    )
    assert notebook.ask("GET", "/words/xx.json")[0] == 404


def test_news_come_piece_by_piece_until_nobody_waits(notebook):
    number = notebook.begin("GET", "/api/news")
    notebook.wait(number, pieces=1)
    notebook.act("set_groups", groups=[0.2])
    _, lines = notebook.wait(number, pieces=2)
    first, second = map(json.loads, lines.decode().splitlines()[:2])
    assert second["version"] > first["version"]
    notebook.answers.hear({"id": number, "is_over": True}, [])
    notebook.ask("GET", "/api/state")
    assert number not in notebook.answers._tasks


def test_the_bundle_has_every_module_once_and_imports_nothing():
    text = bundle()
    assert not re.search(r"^\s*import ", text, re.MULTILINE)
    assert re.findall(r"^export .*", text, re.MULTILINE) == ["export default { render };"]
    names = re.findall(r"^const _(\w+) = \(\(\) => \{$", text, re.MULTILINE)
    assert len(names) == len(set(names))
    assert names[-1] == "main"
    assert {"dom", "api", "card_screen", "data_screen", "pool_screen"} <= set(names)
    assert "http" not in names  # whose token a notebook does not need
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)


def test_the_bundle_is_javascript(tmp_path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    (tmp_path / "bundle.mjs").write_text(bundle(), encoding="utf-8")
    code = "import('./bundle.mjs').then(one => console.log(Object.keys(one.default).join()))"
    ran = subprocess.run([node, "-e", code], cwd=tmp_path, capture_output=True, text=True)
    assert ran.stdout.strip() == "render", ran.stderr


def test_the_widget_has_the_card_of_its_session(tmp_path, monkeypatch):
    pytest.importorskip("anywidget")
    from riskcard.studio.widget import StudioWidget

    monkeypatch.setattr("riskcard.studio.state.fits.Fitter", NoFitter)
    widget = StudioWidget(str(write_table(tmp_path / "rows.csv")), language="de")
    try:
        assert widget.card is None
        assert widget.session.language == "de"
        assert widget.session.source.name == "rows.csv"
    finally:
        widget.close()
