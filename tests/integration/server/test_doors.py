"""Who may come in, and what the server tells of itself."""

from __future__ import annotations

import json
import random
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from everyword.errors import ForbiddenError, InvalidInputError
from everyword.server import listener
from everyword.server.keys import KeyRing

SECRET = "canary-of-{}"


def _told(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["type"]


def test_an_address_that_others_reach_is_refused_without_an_active_key(tmp_path: Path) -> None:
    with pytest.raises(ForbiddenError, match="everyword keys add"):
        listener.listening("0.0.0.0", 0, tmp_path)
    ring = KeyRing(tmp_path)
    key, _ = ring.add(user="ana")
    ring.revoke(key.key_id)
    with pytest.raises(ForbiddenError):
        listener.listening("0.0.0.0", 0, tmp_path)
    ring.add(user="ana")
    where = listener.listening("0.0.0.0", 0, tmp_path)
    where.listener.close()
    assert where.is_public


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(InvalidInputError, match="--port"):
        listener.listening("127.0.0.1", taken.getsockname()[1], tmp_path)


def test_a_public_server_stays_closed_when_its_keys_are_gone(start) -> None:
    served = start(is_public=True)
    with served.client() as client:
        assert _told(client.get("/v1/stats", headers={"X-Everyword-User": "ana"})) == (401, "UnknownKeyError")
        assert client.get("/healthz").status_code == 200


def test_from_the_first_key_on_a_running_server_demands_one(served) -> None:
    with served.client(**{"X-Everyword-User": "ana"}) as client:
        assert client.get("/v1/stats").status_code == 200
        key = served.key(user="ana")
        assert _told(client.get("/v1/stats")) == (401, "UnknownKeyError")
        assert client.get("/v1/stats", headers=key).status_code == 200


def test_a_revoked_key_is_refused_by_a_running_server(served) -> None:
    ring = KeyRing(served.home)
    key, text = ring.add(user="ana")
    with served.client(Authorization=f"Bearer {text}") as client:
        assert client.get("/v1/stats").status_code == 200
        ring.revoke(key.key_id)
        refused = client.get("/v1/stats")
        assert _told(refused) == (401, "UnknownKeyError")
        assert text not in refused.text


def test_a_users_key_needs_no_header_and_bears_no_other(served) -> None:
    with served.client(**served.key(user="ana")) as client:
        client.post("/v1/memories", json={"messages": "Mine."})
        assert client.get("/v1/stats").json()["messages"] == 1
        assert _told(client.get("/v1/stats", headers={"X-Everyword-User": "ben"})) == (403, "ForbiddenError")


def test_without_keys_only_names_of_this_machine_and_pages_of_its_own_are_answered(served) -> None:
    with served.client(**{"X-Everyword-User": "ana"}) as client:
        for headers in ({"Host": "rebound.example"}, {"Origin": "https://evil.example"}, {"Origin": "null"}):
            assert _told(client.get("/v1/export", headers=headers)) == (403, "ForbiddenError")
        assert client.get("/v1/stats", headers={"Origin": served.url}).status_code == 200


def test_a_request_that_names_nobody_is_refused_unless_the_server_has_a_user(start) -> None:
    with start(default_user="me").client() as client:
        client.post("/v1/memories", json={"messages": "Mine."})
        assert client.get("/v1/stats").json()["messages"] == 1


def _tenant(user: str) -> str:
    return user.partition("/")[0]


def test_no_answer_of_hostile_calls_holds_a_word_of_another_user(served) -> None:
    doors = {
        "acme/ana": served.key(tenant="acme", user="ana"),
        "acme/ben": served.key(tenant="acme") | {"X-Everyword-User": "ben"},
        "beta/ana": served.key(tenant="beta", user="ana"),
        "beta/eve": served.key(tenant="beta") | {"X-Everyword-User": "eve"},
        "zoe": served.key(user="zoe"),
    }
    ids: dict[str, str] = {}
    with served.client() as client:
        for user, headers in doors.items():
            said = {"messages": SECRET.format(quote(user, safe="")), "session_id": f"session {user}"}
            ids[user] = client.post("/v1/memories", json=said, headers=headers).json()["message_ids"][0]
        chance = random.Random(7)
        names = [*doors, "ana", "../beta/ana", "acme/../beta/ana", "beta%2Feve", "eve", "zoe", "ACME/ana", "ben%20"]
        calls: list[Callable[[dict[str, str], str], httpx.Response]] = [
            lambda headers, other: client.get(f"/v1/memories/{ids[other]}", headers=headers),
            lambda headers, other: client.delete(f"/v1/memories/{ids[other]}", headers=headers),
            lambda headers, other: client.post("/v1/search", json={"query": "canary of " + other}, headers=headers),
            lambda headers, other: client.post("/v1/context", json={"question": f"canary {other}?"}, headers=headers),
            lambda headers, other: client.get(
                "/v1/memories", params={"session_id": f"session {other}"}, headers=headers
            ),
            lambda headers, other: client.post("/v1/forget", json={"message_ids": [ids[other]]}, headers=headers),
            lambda headers, other: client.get("/v1/export", headers=headers),
            lambda headers, other: client.get("/v1/sessions", headers=headers),
        ]
        for _ in range(400):
            user = chance.choice(sorted(doors))
            is_bound = "X-Everyword-User" not in doors[user]
            foreign = [each for each in doors if each != user and (is_bound or _tenant(each) != _tenant(user))]
            headers = dict(doors[user])
            if chance.random() < 0.5:
                headers["X-Everyword-User"] = chance.choice(names)
            body = chance.choice(calls)(headers, chance.choice(foreign)).text
            assert not [each for each in foreign if SECRET.format(quote(each, safe="")) in body]
        for user, headers in doors.items():
            assert client.get(f"/v1/memories/{ids[user]}", headers=headers).status_code == 200


def test_a_key_that_asks_too_often_is_told_when_to_come_back(served) -> None:
    with served.client(**served.key(user="ana", rate=3)) as client:
        answers = [client.get("/v1/stats") for _ in range(5)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
        assert 1 <= int(answers[-1].headers["Retry-After"]) <= 20
    with served.client(**served.key(user="ben")) as client:
        assert client.get("/v1/stats").status_code == 200


def test_a_request_that_is_too_large_is_refused_however_it_is_sent(start) -> None:
    served = start(serve_max_bytes=1000)
    with served.client(**{"X-Everyword-User": "ana"}) as client:
        large = json.dumps({"messages": "x" * 2000}).encode()
        headers = {"Content-Type": "application/json"}
        for body in (large, iter([large[:500], large[500:1500], large[1500:]])):
            refused = client.post("/v1/memories", content=body, headers=headers)
            assert _told(refused) == (413, "RequestTooLargeError")
        assert client.get("/v1/stats").json()["messages"] == 0


def test_the_metrics_are_the_operators_and_name_nobody(served) -> None:
    user, metrics = served.key(user="ana"), served.key(metrics=True)
    with served.client() as client:
        client.post("/v1/memories", json={"messages": "The canary sings."}, headers=user)
        client.post("/v1/context", json={"question": "Who sings?"}, headers=user)
        assert client.get("/metrics", headers=user).status_code == 403
        assert client.get("/metrics").status_code == 401
        assert client.get("/v1/stats", headers=metrics).status_code == 403
        told = client.get("/metrics", headers=metrics).text
    for name in (
        "stage_seconds_count{stage=",
        "context_tokens_count{source=",
        "index_lag_passages ",
        "context_tokens_p99 ",
    ):
        assert f"everyword_{name}" in told
    assert 'route="/v1/context",status="200"' in told
    assert "ana" not in told
    assert "canary" not in told


def test_a_server_is_ready_while_its_folder_can_be_written(served) -> None:
    with served.client() as client:
        assert client.get("/readyz").json() == {"status": "ok"}
        served.what.is_stopping = True
        assert client.get("/readyz").status_code == 503


def test_a_client_that_never_finishes_its_request_keeps_nobody_waiting(served) -> None:
    host, port = served.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as slow:
        slow.sendall(b"POST /v1/memories HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 50\r\n\r\n{")
        with served.client(**{"X-Everyword-User": "ana"}) as client:
            started = time.monotonic()
            assert client.get("/v1/stats").status_code == 200
            assert time.monotonic() - started < 5


def test_many_clients_at_once_lose_nothing(served) -> None:
    failures: list[str] = []

    def write(name: str) -> None:
        with served.client(**{"X-Everyword-User": f"user-{int(name) % 3}"}) as client:
            for number in range(10):
                answer = client.post("/v1/memories", json={"messages": f"Note {number} of {name}."})
                if answer.status_code != 201:
                    failures.append(answer.text)

    threads = [threading.Thread(target=write, args=(str(number),)) for number in range(9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with served.client() as client:
        counts = [
            client.get("/v1/stats", headers={"X-Everyword-User": f"user-{number}"}).json()["messages"]
            for number in range(3)
        ]
    assert counts == [30, 30, 30]
