"""`everyword serve` and `everyword keys` as processes of their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from everyword import Memory
from everyword.testing.scripted_replies import ScriptedReply
from everyword.testing.scripted_server import ScriptedServer

EVERYWORD = [sys.executable, "-m", "everyword"]


def _environment(home: Path) -> dict[str, str]:
    return {**os.environ, "EVERYWORD_HOME": str(home), "EVERYWORD_EMBEDDER": "hash:256"}


def _run(home: Path, *arguments: str, code: int = 0) -> Any:
    ran = subprocess.run(
        [*EVERYWORD, *arguments, "--json"], env=_environment(home), capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == code, ran.stderr
    return json.loads(ran.stdout if code == 0 else ran.stderr)


@contextmanager
def _serving(home: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Yield a process that serves, and its address."""
    with subprocess.Popen(
        [*EVERYWORD, "serve", "--port", "0", "--json", *arguments],
        env=_environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        try:
            yield process, json.loads(process.stdout.readline())["url"]
        finally:
            process.kill()


def _ready(url: str, seconds: float = 20) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            if httpx.get(f"{url}/readyz", trust_env=False).status_code == 200:
                return
        except httpx.HTTPError:
            time.sleep(0.02)
    pytest.fail("the server did not get ready")


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_server_without_configuration_answers_and_ends_well(tmp_path: Path, name: str) -> None:
    with _serving(tmp_path / "memory", "--user", "me") as (process, url):
        assert url.startswith("http://127.0.0.1:")
        _ready(url)
        said = {"messages": "The canary sleeps in the attic."}
        assert httpx.post(f"{url}/v1/memories", json=said, trust_env=False).status_code == 201
        wrong = {"messages": [{"role": "user", "content": {"canary": 1}}]}
        assert httpx.post(f"{url}/v1/memories", json=wrong, trust_env=False).status_code == 400
        process.send_signal(getattr(signal, name))
        _, log = process.communicate(timeout=20)
    assert process.returncode in (0, -getattr(signal, name), 130)
    lines = [json.loads(line) for line in log.splitlines()]
    assert {line["status"] for line in lines if line.get("route") == "/v1/memories"} == {201, 400}
    assert "canary" not in log
    with Memory(tmp_path / "memory", embedder="none") as memory:
        assert memory.stats(user_id="me")["messages"] == 1


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_request_that_runs_is_finished_before_the_server_ends(tmp_path: Path) -> None:
    with ScriptedServer(ScriptedReply(text="Late, but whole.", delay_s=1.0)) as upstream:
        with _serving(tmp_path, "--upstream", upstream.base_url, "--user", "me") as (process, url):
            _ready(url)
            answers: list[httpx.Response] = []
            body = {"model": "m", "messages": [{"role": "user", "content": "Hello?"}]}
            asking = threading.Thread(
                target=lambda: answers.append(
                    httpx.post(f"{url}/v1/chat/completions", json=body, timeout=30, trust_env=False)
                )
            )
            asking.start()
            while not upstream.requests:
                time.sleep(0.02)
            process.send_signal(signal.SIGTERM)
            asking.join(30)
            process.communicate(timeout=20)
    assert answers[0].json()["choices"][0]["message"]["content"] == "Late, but whole."
    with Memory(tmp_path, embedder="none") as memory:
        assert memory.stats(user_id="me")["messages"] == 2


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_what_was_acknowledged_is_there_after_a_kill(tmp_path: Path) -> None:
    acknowledged: list[str] = []
    with _serving(tmp_path, "--user", "me") as (process, url):
        _ready(url)

        def write(name: int) -> None:
            with httpx.Client(base_url=url, trust_env=False) as client:
                try:
                    for number in range(1000):
                        answer = client.post("/v1/memories", json={"messages": f"Note {number} of {name}."})
                        acknowledged.extend(answer.json()["message_ids"])
                except httpx.HTTPError:
                    return

        writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
        for writer in writers:
            writer.start()
        while len(acknowledged) < 40:
            time.sleep(0.01)
        process.kill()
        for writer in writers:
            writer.join(20)
    with _serving(tmp_path, "--user", "me") as (process, url):
        _ready(url)
        found = httpx.get(f"{url}/v1/verify", trust_env=False).json()
        assert found["ok"]
        with httpx.Client(base_url=url, trust_env=False) as client:
            missing = [each for each in acknowledged if client.get(f"/v1/memories/{each}").status_code != 200]
    assert missing == []


def test_a_public_address_without_keys_is_refused_with_the_way_out(tmp_path: Path) -> None:
    refused = _run(tmp_path, "serve", "--host", "0.0.0.0", "--port", "0", code=1)
    assert refused["error"]["type"] == "ForbiddenError"
    assert "everyword keys add" in refused["error"]["message"]


def test_keys_are_made_listed_rotated_and_revoked(tmp_path: Path) -> None:
    made = _run(tmp_path, "keys", "add", "--tenant", "acme", "--user", "ana", "--label", "phone", "--rate", "60")
    assert (made["kind"], made["tenant"], made["user"], made["rate"]) == ("user", "acme", "ana", 60)
    rotated = _run(tmp_path, "keys", "rotate", made["key_id"], "--grace", "1")
    assert rotated["key_id"] == made["key_id"]
    assert rotated["key"] != made["key"]
    listed = _run(tmp_path, "keys", "list")["keys"]
    assert [each["label"] for each in listed] == ["phone"]
    assert "key" not in listed[0]
    assert _run(tmp_path, "keys", "revoke", made["key_id"])["revoked_s"]
    assert _run(tmp_path, "keys", "revoke", made["key_id"], code=3)["error"]["type"] == "NotFoundError"


def test_a_key_is_never_wider_than_was_said(tmp_path: Path) -> None:
    for arguments in (
        ["--tenant", "acme"],
        ["--all-users"],
        ["--tenant", "acme", "--all-users", "--user", "ana"],
        ["--metrics", "--user", "ana"],
        [],
    ):
        assert _run(tmp_path, "keys", "add", *arguments, code=2)["error"]["type"] == "InvalidInputError"
    assert _run(tmp_path, "keys", "list") == {"keys": []}
    assert _run(tmp_path, "keys", "add", "--tenant", "acme", "--all-users")["kind"] == "tenant"
    assert _run(tmp_path, "keys", "add", "--metrics")["kind"] == "metrics"
