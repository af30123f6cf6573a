from __future__ import annotations

import json
from typing import Any

import anyio
import pytest

from everyword.server.gate import Gate
from everyword.server.metrics import Metrics


def _asked(gate: Gate, *messages: dict[str, Any], headers: dict[str, str] | None = None) -> list[dict[str, Any]]:
    """Return what the gate sends for one request, whose client says nothing more after the messages."""
    left, sent = list(messages), []
    named = {"host": "localhost", **(headers or {})}
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/",
        "query_string": b"",
        "headers": [(name.lower().encode(), value.encode()) for name, value in named.items()],
    }

    async def receive() -> dict[str, Any]:
        if not left:
            await anyio.sleep_forever()
        return left.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    anyio.run(gate, scope, receive, send)
    return sent


def _gate(app: Any, **options: Any) -> Gate:
    return Gate(app, metrics=Metrics(), **{"max_bytes": 100, "is_open": lambda: True, "body_s": 0.1, **options})


async def _echo(_scope: Any, receive: Any, send: Any) -> None:
    body = (await receive())["body"]
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


async def _fails(_scope: Any, _receive: Any, _send: Any) -> None:
    raise ValueError("the spare key is under the third pot")


def _part(body: bytes, *, more: bool = False) -> dict[str, Any]:
    return {"type": "http.request", "body": body, "more_body": more}


def test_a_body_in_parts_arrives_whole() -> None:
    sent = _asked(_gate(_echo), _part(b"Mrs. ", more=True), _part(b"Chou"))
    assert sent[1]["body"] == b"Mrs. Chou"


def test_a_body_that_does_not_arrive_in_time_is_refused() -> None:
    sent = _asked(_gate(_echo), _part(b"Mrs. ", more=True))
    assert sent[0]["status"] == 400
    assert b"did not arrive" in sent[1]["body"]


def test_a_client_that_leaves_is_not_answered() -> None:
    assert _asked(_gate(_echo), _part(b"Mrs. ", more=True), {"type": "http.disconnect"}) == []


def test_a_failure_that_nobody_knows_is_told_without_its_words() -> None:
    sent = _asked(_gate(_fails), _part(b""))
    assert sent[0]["status"] == 500
    told = json.loads(sent[1]["body"])["error"]
    assert told["type"] == "EverywordError"
    assert "pot" not in str(told)
    assert dict(sent[0]["headers"])[b"x-request-id"].decode() == told["request_id"]


@pytest.mark.parametrize(("size", "status"), [(100, 200), (101, 413)])
def test_the_last_byte_that_is_allowed_is_allowed(size: int, status: int) -> None:
    assert _asked(_gate(_echo), _part(b"x" * size))[0]["status"] == status


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8765", "127.0.0.1:1", "[::1]:8765"])
def test_names_of_this_machine_are_answered(host: str) -> None:
    assert _asked(_gate(_echo), _part(b""), headers={"host": host})[0]["status"] == 200


@pytest.mark.parametrize(
    "host", ["", "localhost.evil.example", "127.0.0.1.evil.example", "evil.example#localhost", "[", "a@b"]
)
def test_any_other_name_is_refused_where_no_key_is_needed(host: str) -> None:
    assert _asked(_gate(_echo), _part(b""), headers={"host": host})[0]["status"] == 403
    assert _asked(_gate(_echo, is_open=lambda: False), _part(b""), headers={"host": host})[0]["status"] == 200
