"""Keys are not in logs: nor in metrics, in errors, in what goes to the upstream, or in any file of the memory."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from base64 import b64encode
from collections.abc import Generator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx

from everyword.server.keys import KeyRing, has_key, without_keys
from everyword.testing.scripted_server import ScriptedServer

UPSTREAM_KEY = "sk-upstream-6f1d2c9ab04e"
CLIENT_KEY = "sk-client-0b7e55aa3c91"
ASK = {"model": "m", "messages": [{"role": "user", "content": "Who has my spare coin?"}]}


@contextmanager
def _serving(home: Path, log: Path, upstream: str) -> Generator[httpx.Client]:
    """Yield a client of a server that is a process of its own."""
    environment = {
        **os.environ,
        "EVERYWORD_HOME": str(home),
        "EVERYWORD_EMBEDDER": "hash:256",
        "EVERYWORD_UPSTREAM_API_KEY": UPSTREAM_KEY,
    }
    command = [sys.executable, "-m", "everyword", "serve", "--port", "0", "--json", "--upstream", upstream]
    with (
        log.open("wb") as kept,
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=kept) as process,
    ):
        assert process.stdout
        try:
            url = json.loads(process.stdout.readline())["url"]
            with httpx.Client(base_url=url, timeout=30, trust_env=False) as client:
                yield client
        finally:
            process.terminate()
            process.wait(20)


def _raw(url: str, request: bytes) -> str:
    """Return what a server says to bytes that need not be HTTP."""
    host, port = url.removeprefix("http://").rstrip("/").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        heard = b""
        while data := connection.recv(65_536):
            heard += data
    return heard.decode("latin-1")


def _misplaced(key: str) -> list[tuple[str, str, dict[str, Any]]]:
    """Return requests that have a key where none belongs, and say nothing that is to be stored."""
    bare, wrong = {"Authorization": f"Bearer {key}"}, f"{key[:-3]}AAA"
    encoded = f"%{ord(key[0]):02x}{key[1:]}"
    return [
        ("GET", "/v1/stats", {"headers": {"Authorization": f"Bearer {wrong}"}}),
        ("GET", "/v1/stats", {"headers": {"X-Everyword-Key": f"{key}x"}}),
        ("GET", "/v1/stats", {"headers": {"Authorization": f"Basic {b64encode(key.encode()).decode()}"}}),
        ("GET", "/v1/stats", {"headers": {"Cookie": f"key={key}", "Referer": f"http://x/?{key}", "User-Agent": key}}),
        ("GET", "/v1/stats", {"headers": {**bare, "X-Request-Id": key}}),
        ("GET", "/v1/stats", {"headers": {**bare, "X-Everyword-User": key}}),
        ("GET", f"/v1/stats?key={key}", {}),
        ("GET", f"/v1/memories?session_id={key}", {"headers": bare}),
        ("GET", f"/v1/memories?order={encoded}", {"headers": bare}),
        ("GET", f"/v1/memories/{key}", {"headers": bare}),
        ("GET", f"/v1/memories/{encoded}", {"headers": bare}),
        ("GET", f"/page/{key}.js", {}),
        ("DELETE", f"/{key}", {"headers": bare}),
        ("GET", f"/v1/models/{key}", {"headers": bare}),
        ("POST", f"/v1/chat/completions?api_key={key}", {"headers": bare, "json": ASK}),
        ("POST", "/v1/chat/completions", {"headers": {**bare, "X-Everyword-Strategy": key}, "json": ASK}),
        ("POST", "/v1/chat/completions", {"headers": {**bare, "X-Everyword-Budget": key}, "json": ASK}),
        ("POST", "/v1/search", {"headers": bare, "json": {"query": "coin", "api_key": key}}),
        ("POST", "/v1/search", {"headers": bare, "json": {"query": "coin", key: 1}}),
        ("POST", "/v1/search", {"headers": bare, "json": {"query": "coin", "mode": key}}),
        ("POST", "/v1/search", {"headers": bare, "json": {"query": "coin", "after": key}}),
        ("POST", "/v1/context", {"headers": bare, "json": {"question": "coin?", "strategy": key}}),
        ("POST", "/v1/forget", {"headers": bare, "json": {"message_ids": [key]}}),
        ("POST", "/v1/memories", {"headers": bare, "json": {"messages": [{"role": key, "content": "x"}]}}),
        ("POST", "/v1/memories", {"headers": bare, "content": f'{{"messages": {key}'}),
        ("PUT", "/v1/search", {"headers": {**bare, "Content-Type": key}, "content": key}),
        ("POST", "/v1/claims/none/correct", {"headers": bare, "json": {"text": "x", "kind": key}}),
    ]


def _shapes(key: str) -> list[str]:
    """Return the texts from which a key could be taken: its secret, all but its end, and what its digest is written as."""
    secret = key.split("_", 2)[2]
    return [
        secret,
        secret[:-3],
        b64encode(key.encode()).decode(),
        sha256(key.encode()).hexdigest(),
    ]


def test_no_key_is_in_a_log_line_a_metric_an_error_a_file_or_a_request_to_the_upstream(tmp_path: Path) -> None:
    home, log = tmp_path / "memory", tmp_path / "log"
    ring = KeyRing(home)
    keys = [ring.add(user="ana")[1], ring.add(tenant="acme")[1], ring.add(metrics=True)[1]]
    told: list[str] = []
    statuses: list[int] = []
    with ScriptedServer() as upstream:
        upstream.otherwise("Noted.")
        with _serving(home, log, upstream.base_url) as client:
            good = {"Authorization": f"Bearer {keys[0]}"}
            assert client.post("/v1/memories", json={"messages": "I own a coin."}, headers=good).status_code == 201
            with_own = {"X-Everyword-Key": keys[0], "Authorization": f"Bearer {CLIENT_KEY}"}
            assert client.post("/v1/chat/completions", json=ASK, headers=with_own).status_code == 200
            for key in keys:
                for method, path, request in _misplaced(key):
                    answer = client.request(method, path, **request)
                    statuses.append(answer.status_code)
                    told.append(f"{answer.headers}{answer.text}")
                odd = (f"GET /{key} HTTP/9\r\n\r\n", f"{key}\r\n\r\n", f"GET / HTTP/1.1\r\n{key}\r\n\r\n")
                told += [_raw(str(client.base_url), each.encode()) for each in odd]
            metrics = client.get("/metrics", headers={"Authorization": f"Bearer {keys[2]}"})
            assert metrics.status_code == 200
            told.append(metrics.text)
        told += [f"{asked.path}{json.dumps(asked.body)}" for asked in upstream.requests]
        assert upstream.requests
    assert not {status for status in statuses if status >= 500}
    assert {200, 400, 401, 403, 404, 405, 422} >= set(statuses) >= {400, 401, 403, 422}
    lines = log.read_text("utf-8")
    assert len(lines.splitlines()) > len(statuses)
    told.append(lines)
    files = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    assert len(files) > 1
    for secret in [UPSTREAM_KEY, CLIENT_KEY, *(shape for key in keys for shape in _shapes(key))]:
        assert [text for text in told if secret in text] == [], secret
        assert [path for path, data in files.items() if secret.encode() in data] == [], secret
        assert [path for path in home.rglob("*") if secret in path.name] == []


def test_a_key_is_taken_out_of_a_text_whole_or_in_part() -> None:
    text = "ew_5f0c3d5b9a1e_" + "aB-_" * 10 + "xyz"
    assert has_key(f"x{text}.")
    assert without_keys(f"No message '{text}'.") == "No message 'ew_…'."
    assert without_keys(f"{text[:30]} {text}") == "ew_… ew_…"
    assert not has_key("a view of the sea, ew_short")
    assert without_keys("ew_short") == "ew_short"
