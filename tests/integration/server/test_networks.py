"""Bad networks, a full disk and a bad upstream: each is told, and nothing that was acknowledged is lost."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

import httpx
import pytest

from everyword import Memory
from everyword.testing.scripted_replies import ScriptedReply
from everyword.testing.scripted_server import ScriptedServer

ANA = {"X-Everyword-User": "ana"}


def _connected(url: str) -> socket.socket:
    host, port = url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=20)


def _heard(connection: socket.socket, end: bytes = b"") -> bytes:
    """Return what comes until a certain end, or until the connection ends."""
    heard = b""
    while not (end and heard.endswith(end)) and (data := connection.recv(4096)):
        heard += data
    return heard


def _is_quick(served: Any) -> bool:
    """Tell whether the server still serves others."""
    with served.client(**ANA) as client:
        return client.post("/v1/memories", json={"messages": "A word."}).status_code == 201


def test_many_clients_that_never_finish_their_headers_keep_nobody_waiting(served) -> None:
    slow = [_connected(served.url) for _ in range(100)]
    try:
        for each in slow:
            each.sendall(b"GET /v1/stats HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        assert _is_quick(served)
    finally:
        for each in slow:
            each.close()


def test_a_connection_whose_headers_do_not_come_is_ended(start) -> None:
    served = start(arrival_s=0.5)
    with _connected(served.url) as idle, _connected(served.url) as slow:
        slow.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert _heard(slow, b'"ok"}').startswith(b"HTTP/1.1 200 ")
        slow.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        assert _heard(slow).startswith(b"HTTP/1.1 408 ")
        assert idle.recv(1) == b""


def test_many_clients_that_never_finish_their_bodies_keep_nobody_waiting_and_are_told(start) -> None:
    served = start(arrival_s=1.0)
    slow = [_connected(served.url) for _ in range(100)]
    for each in slow:
        each.sendall(b"POST /v1/memories HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 50\r\n\r\n{")
    assert _is_quick(served)
    for each in slow:
        told = _heard(each)
        each.close()
        assert told.startswith(b"HTTP/1.1 400 ")
        assert b"did not arrive" in told


def test_a_slow_upstream_is_waited_for_as_long_as_the_setting_says_and_then_told(start) -> None:
    with ScriptedServer(ScriptedReply(text="Too late.", delay_s=3.0)) as upstream:
        served = start(upstream_url=upstream.base_url, upstream_timeout=1)
        body = {"model": "m", "messages": [{"role": "user", "content": "Who has my key?"}]}
        with served.client(**ANA) as client:
            told = client.post("/v1/chat/completions", json=body)
            assert told.status_code == 502
            assert "did not answer (ReadTimeout)" in told.json()["error"]["message"]
            assert client.get("/v1/stats").json()["messages"] == 0


def test_a_slow_upstream_keeps_no_other_request_waiting(start) -> None:
    reply = ScriptedReply(text="At last.", delay_s=2.0)
    with ScriptedServer() as upstream:
        upstream.otherwise(reply)
        served = start(upstream_url=upstream.base_url)
        body = {"model": "m", "messages": [{"role": "user", "content": "Who has my key?"}]}
        done: list[int] = []

        def ask() -> None:
            with served.client(**ANA) as client:
                done.append(client.post("/v1/chat/completions", json=body).status_code)

        asking = [threading.Thread(target=ask) for _ in range(60)]
        for each in asking:
            each.start()
        while not upstream.requests:
            time.sleep(0.01)
        assert _is_quick(served)
        for each in asking:
            each.join(30)
    assert done == [200] * 60


BIG = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 500_000}}
"""More than the buffers between a server and a client hold; it has no words."""


def _unreading(url: str, request: bytes) -> socket.socket:
    """Return a connection whose client asks and then reads nothing."""
    host, port = url.removeprefix("http://").split(":")
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(20)
    connection.connect((host, int(port)))
    connection.sendall(request)
    return connection


def _is_cut(connection: socket.socket) -> bool:
    """Tell whether what comes ends before the answer does."""
    try:
        return not _heard(connection).endswith(b"0\r\n\r\n")
    except ConnectionError:
        return True


def test_clients_that_do_not_read_their_answers_keep_nobody_waiting_and_are_let_go(start) -> None:
    served = start(unread_s=1.0, send_buffer=16_384)
    with served.client(**ANA) as client:
        for _ in range(2):
            client.post("/v1/memories", json={"messages": [{"role": "user", "content": [BIG]}]}).raise_for_status()
    asked = b"GET /v1/export HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Everyword-User: ana\r\n\r\n"
    slow = [_unreading(served.url, asked) for _ in range(10)]
    try:
        assert _is_quick(served)
        time.sleep(3.0)
        assert all(_is_cut(each) for each in slow)
        assert _is_quick(served)
    finally:
        for each in slow:
            each.close()


def test_a_client_that_reads_slowly_has_all_of_its_answer(start) -> None:
    served = start(unread_s=1.0, send_buffer=16_384)
    with served.client(**ANA) as client:
        for _ in range(2):
            client.post("/v1/memories", json={"messages": [{"role": "user", "content": [BIG]}]}).raise_for_status()
        whole = client.get("/v1/export").content.splitlines()
    asked = b"GET /v1/export HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Everyword-User: ana\r\nConnection: close\r\n\r\n"
    with _unreading(served.url, asked) as slow:
        heard = bytearray()
        for _ in range(25):
            time.sleep(0.1)
            heard += slow.recv(60_000)
        heard += _heard(slow)
    assert heard.endswith(b"0\r\n\r\n")
    assert heard.count(b"A" * 60_000) >= len(whole) - 1
    assert len(heard) > sum(map(len, whole))


class StreamingUpstream:
    """Begins a stream of events, and after the last one does no more, with its connection open."""

    def __init__(self, *texts: str) -> None:
        self._texts = texts
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"
        self._may_end = threading.Event()
        self._thread = threading.Thread(target=self._answer, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._may_end.set()
        self._listener.close()
        self._thread.join(10)

    def _answer(self) -> None:
        connection, _ = self._listener.accept()
        with connection:
            asked = b""
            while not asked.endswith(b"}"):
                asked += connection.recv(65536)
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
            try:
                connection.sendall(head)
                for text in self._texts:
                    delta = {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
                    event = f"data: {json.dumps(delta)}\n\n".encode()
                    connection.sendall(b"%x\r\n%s\r\n" % (len(event), event))
            except ConnectionError:
                return
            self._may_end.wait(20)


def _stored(served: Any, count: int) -> list[Any]:
    """Wait until a user has so many messages and return them."""
    with served.client(**ANA) as client:
        until = time.monotonic() + 15
        while len(found := client.get("/v1/memories").json()["results"]) < count and time.monotonic() < until:
            time.sleep(0.05)
    return found


STREAM = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "Who has my key?"}]}


def test_a_stream_that_its_client_does_not_read_is_ended_and_what_arrived_is_stored_and_marked(start) -> None:
    body = json.dumps(STREAM).encode()
    asked = (
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Everyword-User: ana\r\nContent-Length: %d\r\n\r\n"
    )
    with StreamingUpstream(*["the river rose " * 5_000] * 20) as upstream:
        served = start(upstream_url=upstream.url, unread_s=1.0, send_buffer=16_384)
        with _unreading(served.url, asked % len(body) + body):
            _, said = _stored(served, 2)
    assert said["text"].startswith("the river rose the river rose")
    assert said["metadata"]["incomplete"] == "the client went away"


def test_an_upstream_that_falls_silent_in_a_stream_is_left_and_what_arrived_is_stored_and_marked(start) -> None:
    with StreamingUpstream("Mrs. Chou ", "has ") as upstream:
        served = start(upstream_url=upstream.url, upstream_timeout=1)
        with served.client(**ANA) as client, pytest.raises(httpx.RemoteProtocolError):
            client.post("/v1/chat/completions", json=STREAM)
        _, said = _stored(served, 2)
    assert (said["text"], said["metadata"]["incomplete"]) == ("Mrs. Chou has ", "the upstream ended early")


def test_an_upstream_that_is_not_there_is_told_and_serves_again_when_it_is_back(start) -> None:
    port = socket.create_server(("127.0.0.1", 0))
    served = start(upstream_url=f"http://127.0.0.1:{port.getsockname()[1]}/v1")
    address = port.getsockname()
    port.close()
    with served.client(**ANA) as client:
        body = {"model": "m", "messages": [{"role": "user", "content": "Who has my key?"}]}
        dead = client.post("/v1/chat/completions", json=body)
        assert (dead.status_code, dead.json()["error"]["type"]) == (502, "ProviderError")
        assert client.get("/v1/stats").json()["messages"] == 0
        assert client.get("/readyz").status_code == 200
        with ThreadingHTTPServer(address, _Answering) as back:
            threading.Thread(target=back.serve_forever, daemon=True).start()
            assert client.post("/v1/chat/completions", json=body).status_code == 200
            back.shutdown()
        assert client.post("/v1/chat/completions", json=body).status_code == 502
        assert client.get("/v1/stats").json()["messages"] == 2


class _Answering(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        reply = json.dumps({"choices": [{"index": 0, "message": {"role": "assistant", "content": "Mrs. Chou."}}]})
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply.encode())

    def log_message(self, *_arguments: Any) -> None:
        """Say nothing."""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    if os.name != "posix" or os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("this system does not let the test mount a small disk")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_is_told_reads_go_on_and_what_was_acknowledged_is_there(small_disk: Path, running) -> None:
    stored: list[str] = []
    with running(small_disk) as served, served.client(**ANA) as client:
        for number in range(2000):
            answer = client.post("/v1/memories", json={"messages": f"coin number{number} " * 60})
            if answer.status_code != 201:
                break
            stored += answer.json()["message_ids"]
        assert (answer.status_code, answer.json()["error"]["type"]) == (507, "DiskFullError")
        assert str(small_disk) not in answer.text
        assert client.post("/v1/search", json={"query": "number0"}).json()["results"]
        assert client.get(f"/v1/memories/{stored[-1]}").status_code == 200
        assert client.get("/healthz").status_code == 200
    with Memory(small_disk, embedder="none") as memory:
        assert [memory.get(each, user_id="ana").message_id for each in stored] == stored
        assert memory.verify(user_id="ana").ok


def test_on_a_full_disk_a_chat_goes_on_and_says_that_it_is_not_stored(small_disk: Path, running) -> None:
    with ScriptedServer() as upstream:
        upstream.otherwise("Mrs. Chou has it.")
        with running(small_disk, upstream_url=upstream.base_url) as served, served.client(**ANA) as client:
            client.post("/v1/memories", json={"messages": "Mrs. Chou has my spare key."}).raise_for_status()
            _fill(small_disk)
            said = "Who has my key? " + " ".join(f"word{number}" for number in range(20_000))
            asked = {"model": "m", "messages": [{"role": "user", "content": said}]}
            answer = client.post("/v1/chat/completions", json=asked)
            assert (answer.status_code, answer.headers["X-Everyword-Stored"]) == (200, "failed")
            assert answer.json()["choices"][0]["message"]["content"] == "Mrs. Chou has it."
            assert "everyword_exchanges_not_stored_total 1.0" in client.get("/metrics").text
            assert client.get("/v1/verify").json()["ok"]


def _fill(folder: Path) -> None:
    """Leave no byte of a disk."""
    with (folder / "filling").open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            return
