"""The served page: what it answers, and whom it refuses."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from everyword import Memory
from everyword.lab.conversation import Conversation, script
from everyword.lab.evidence import COUNTER
from everyword.lab.server import Means, serving
from everyword.testing.scripted_model import ScriptedModel

SETTINGS = {"strategy": "truncate", "window": 8192, "turns": 20, "ratio": 0.1, "price": 2.5, "pinned": False}


@contextmanager
def _memory() -> Iterator[Memory]:
    with (
        TemporaryDirectory() as folder,
        Memory(Path(folder), embedder="none", counter=COUNTER, vectors="off") as opened,
    ):
        yield opened


@contextmanager
def _running(means: Means) -> Iterator[ThreadingHTTPServer]:
    with serving(script(), means) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def server() -> Iterator[ThreadingHTTPServer]:
    means = Means(open_memory=_memory, model=ScriptedModel().otherwise("沈以寧"))
    with _running(means) as running:
        yield running


@pytest.fixture(scope="module")
def talk() -> Conversation:
    return script()


def _ask(server: ThreadingHTTPServer, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any, str]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    kind = {} if body is None else {"Content-Type": "application/json"}
    data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, data, {**kind, **named})
    answer = connection.getresponse()
    found = answer.status, answer.headers, answer.read().decode()
    connection.close()
    return found


def _lines(server: ThreadingHTTPServer, path: str, talk: Conversation, **options: Any) -> list[dict[str, Any]]:
    settings = {**SETTINGS, **options.pop("settings", {})}
    status, _, text = _ask(server, "POST", path, {"settings": settings, "conversation": talk.document(), **options})
    assert status == 200
    return [json.loads(line) for line in text.splitlines()]


def test_the_page_is_served_and_told_what_can_be_measured(server: ThreadingHTTPServer) -> None:
    status, headers, text = _ask(server, "GET", "/?lang=en")
    assert status == 200
    assert '{"model": "scripted", "summarisers": ["extractive", "model"], "budget": 1500}' in text
    assert headers["Cache-Control"] == "no-store"
    assert server.server_address[0] == "127.0.0.1"


def test_there_is_nothing_else_to_get(server: ThreadingHTTPServer) -> None:
    for path in ("/favicon.ico", "/../pyproject.toml", "/page/app.js"):
        assert _ask(server, "GET", path)[0] == 404
    assert _ask(server, "POST", "/api/other", {})[0] == 404


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Origin": "null"}])
def test_another_site_is_refused(server: ThreadingHTTPServer, talk: Conversation, headers: dict[str, str]) -> None:
    body = {"settings": SETTINGS, "conversation": talk.document()}
    assert _ask(server, "POST", "/api/summary", body, **headers)[0] == 403


def test_a_name_that_leads_here_from_elsewhere_gets_no_page(server: ThreadingHTTPServer) -> None:
    assert _ask(server, "GET", "/", Host=f"evil.example:{server.server_port}")[0] == 403
    assert _ask(server, "GET", "/", Host=f"localhost:{server.server_port}")[0] == 200


def test_a_form_of_another_site_cannot_ask(server: ThreadingHTTPServer) -> None:
    assert _ask(server, "POST", "/api/usage", b"{}", Content_Type="text/plain")[0] == 403


def test_real_summaries_come_one_by_one_and_then_the_result(server: ThreadingHTTPServer, talk: Conversation) -> None:
    lines = _lines(server, "/api/summary", talk, summariser="extractive", settings={"turns": 30})
    rows = [line["row"] for line in lines if "row" in line]
    result = lines[-1]["result"]
    assert [row["turn"] for row in rows] == [each["turn"] for each in result["compactions"]]
    assert [line["progress"] for line in lines if "progress" in line][-1] == [30, 30]
    assert result["recall"] < 1


def test_the_model_can_make_them(server: ThreadingHTTPServer, talk: Conversation) -> None:
    result = _lines(server, "/api/summary", talk, summariser="model")[-1]["result"]
    assert result["summary"] == "沈以寧"


def test_reported_tokens_come_row_by_row(server: ThreadingHTTPServer, talk: Conversation) -> None:
    lines = _lines(server, "/api/usage", talk, every=10)
    assert len([line for line in lines if "row" in line]) == 6
    assert lines[-1]["result"]["answered"] == 1


def test_what_everyword_sends_comes_with_its_curve(server: ThreadingHTTPServer, talk: Conversation) -> None:
    result = _lines(server, "/api/everyword", talk, budget=600, settings={"turns": 4})[-1]["result"]
    assert [point["turn"] for point in result["series"]] == [1, 2, 3, 4]
    assert result["kept"] == 2


def test_facts_that_the_person_chose_in_the_page_are_the_ones_that_are_asked_for(
    server: ThreadingHTTPServer, talk: Conversation
) -> None:
    document = talk.document()
    fact = {"turn": 1, "label": "佩君", "text": "佩君", "probe": "誰推薦的？", "keys": ["佩君"], "position": 0}
    status, _, text = _ask(
        server,
        "POST",
        "/api/everyword",
        {"settings": {**SETTINGS, "turns": 2}, "conversation": {**document, "facts": [fact]}},
    )
    assert status == 200
    assert json.loads(text.splitlines()[-1])["result"]["probes"][0]["label"] == "佩君"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"settings": {"turns": 500}}, "turns=500"),
        ({"settings": {"window": "wide"}}, "cannot be read"),
        ({"summariser": "magic"}, "magic"),
        ({"summariser": "extractive", "compactTo": 7}, "compact_to"),
        ({"summariser": "extractive", "compactTo": "half"}, "cannot be read"),
    ],
)
def test_what_cannot_be_measured_is_said(
    server: ThreadingHTTPServer, talk: Conversation, options: dict[str, Any], said: str
) -> None:
    assert said in _lines(server, "/api/summary", talk, **options)[-1]["error"]


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b"no json", b'{"settings": 1}'])
def test_a_request_that_is_none_is_said(server: ThreadingHTTPServer, body: bytes) -> None:
    _, _, text = _ask(server, "POST", "/api/summary", body)
    assert "cannot be read" in json.loads(text)["error"]


def test_without_a_model_the_page_is_told_so(talk: Conversation) -> None:
    with _running(Means(open_memory=_memory)) as running:
        assert '{"model": null, "summarisers": ["extractive"]' in _ask(running, "GET", "/")[2]
        assert "--llm" in _lines(running, "/api/usage", talk)[-1]["error"]
