"""Bad networks, a full disk and a bad upstream: each is told, and nothing that was acknowledged is lost."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
