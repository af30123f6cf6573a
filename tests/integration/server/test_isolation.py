"""Two tenants and five users call the library and the server in hostile ways: nobody reads a word of another one."""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from everyword.errors import EverywordError
from everyword.server import listener, log_lines
from everyword.server.app import application
from everyword.server.keys import KeyRing
from everyword.server.serving import Serving

CALLS = 20_000
SOAK = 1_000_000
OF_THE_LIBRARY = 9
"""Calls of the library for each request over HTTP."""
USERS = ("acme/ana", "acme/ben", "beta/ana", "beta/eve", "zoe")
HOSTILE = (
    "../beta/ana", "acme/../beta/ana", "beta/ana", "beta%2Fana", "..%2fbeta%2feve", "%2e%2e/zoe", "zoe%00", "zo\u0435",
    "\uff5aoe", "zoe\u200b", "ZOE", " zoe", "zoe/", "./zoe", "zoe.db", "zoe.db?mode=rw", "*", "%", "_oe", "' OR 1=1 --",
    "\u202ezoe", "acme\uff0fana", "acme\u2215ana", "ana\r\nX-Everyword-User: zoe", "ana, zoe", "z" * 65_536, "", "\t",
    "%ff", "%zz", "null", "zoe;acme/ana", "file:zoe", "acme//ana", "acme/./ana", "beta\\ana", "\u00e4\u0301" * 60,
)  # fmt: skip
NAMES = (b"x-everyword-user", b"x_everyword_user", b"x-forwarded-user", b"x-user-id", b"x-everyword-session", b"cookie")
_SAID = "The spare coin is with {}."


@dataclass(slots=True)
class World:
    """A server in this process, who has said what in it, and all that it told besides its answers."""

    serving: Serving
    app: Any
    canaries: dict[str, str]
    ids: dict[str, str]
    doors: list[tuple[frozenset[str], list[tuple[bytes, bytes]]]]
    """Who may be read through a key, and the headers that show it."""
    told: list[str] = field(default_factory=list)

    def foreign(self, allowed: frozenset[str], text: str) -> list[str]:
        """Return whose words stand in a text that may not."""
        return [user for user, canary in self.canaries.items() if user not in allowed and canary in text]


class _Kept(logging.Handler):
    def __init__(self, into: list[str]) -> None:
        super().__init__()
        self.setFormatter(log_lines.JsonLines())
        self._into = into

    def emit(self, record: logging.LogRecord) -> None:
        self._into.append(self.format(record) + record.getMessage())


def _echo(request: httpx.Request) -> httpx.Response:
    """Answer as an upstream does that repeats all that it was told."""
    told = json.dumps(json.loads(request.content)["messages"])
    return httpx.Response(200, json={"choices": [{"index": 0, "message": {"role": "assistant", "content": told}}]})


def _doors(ring: KeyRing) -> list[tuple[frozenset[str], list[tuple[bytes, bytes]]]]:
    doors: list[tuple[frozenset[str], list[tuple[bytes, bytes]]]] = []
    for user in USERS:
        tenant, slash, name = user.rpartition("/")
        text = ring.add(tenant=tenant if slash else None, user=name)[1]
        doors.append((frozenset({user}), [(b"authorization", f"Bearer {text}".encode())]))
    for tenant, name in (("acme", b"ben"), ("beta", b"eve")):
        shown = [(b"x-everyword-key", ring.add(tenant=tenant)[1].encode()), (b"x-everyword-user", name)]
        doors.append((frozenset(user for user in USERS if user.startswith(f"{tenant}/")), shown))
    return doors


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """Every user says the same, but for one word that nobody else has."""
    serving = listener.serving(tmp_path, embedder="none")
    serving.upstream = httpx.AsyncClient(transport=httpx.MockTransport(_echo), base_url="http://upstream/v1/")
    canaries = {
        user: f"canary{number}q{random.Random(number).getrandbits(64):016x}" for number, user in enumerate(USERS)
    }
    ids: dict[str, str] = {}
    for user, canary in canaries.items():
        said = [
            {"role": "user", "content": _SAID.format(canary)},
            {"role": "assistant", "content": f"Noted: {canary}."},
        ]
        added = serving.memory.add(
            said, user_id=user, session_id="s1", idempotency_key="k1", metadata={"about": canary}, agent_id=canary
        )
        ids[user] = added.message_ids[0]
        serving.memory.claims.remember(f"I live in {canary}.", user_id=user)
    world = World(serving, application(serving), canaries, ids, _doors(serving.ring))
    logger, handler = logging.getLogger("everyword"), _Kept(world.told)
    level, logger.level = logger.level, logging.DEBUG
    logger.addHandler(handler)
    yield world
    logger.removeHandler(handler)
    logger.setLevel(level)
    asyncio.run(serving.upstream.aclose())
    serving.memory.close()


async def _call(
    app: Any, method: str, path: str, headers: list[tuple[bytes, bytes]], *, query: str = "", body: Any = None
) -> tuple[int, str]:
    """Ask the application as a server does that lets every header through; return status, and headers and body."""
    sent: list[Any] = []
    content = b"" if body is None else json.dumps(body).encode()

    bodies = [{"type": "http.request", "body": content, "more_body": False}]

    async def receive() -> dict[str, Any]:
        return bodies.pop() if bodies else await asyncio.Future()

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
        "path": path, "raw_path": path.encode("utf-8", "surrogatepass"), "query_string": query.encode(), "root_path": "",
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/json"), *headers],
    }  # fmt: skip
    await app(scope, receive, send)
    answered = b"".join(each.get("body", b"") for each in sent)
    return sent[0]["status"], f"{sent[0]['headers']!r}{answered.decode()}"


def _smuggled(chance: random.Random, shown: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Return the headers of a key with some that want to be more."""
    headers = list(shown)
    for _ in range(chance.choice((0, 0, 1, 1, 2))):
        value = chance.choice(HOSTILE).encode()
        headers.insert(chance.randrange(len(headers) + 1), (chance.choice(NAMES), value))
    match chance.randrange(8):
        case 0:
            headers.append((b"authorization", b"Bearer ew_000000000000_" + b"A" * 43))
        case 1:
            headers = [(name, value[:-3] + b"AAA" if value.startswith(b"Bearer") else value) for name, value in headers]
        case 2:
            headers = [(name, value.replace(b" ", b"\t", 1)) for name, value in headers]
        case _:
            pass
    return headers


Request = tuple[str, str, str, Any]


def _request(chance: random.Random, other: str, its_id: str) -> Request:
    """Return method, path, query and body of a call that asks for what is another user's."""
    name = chance.choice((other, chance.choice(HOSTILE)))
    made: tuple[Callable[[], Request], ...] = (
        lambda: ("GET", f"/v1/memories/{its_id}", "", None),
        lambda: ("DELETE", f"/v1/memories/{its_id}", "", None),
        lambda: ("POST", "/v1/forget", "", {"message_ids": [its_id]}),
        lambda: ("GET", "/v1/memories", "session_id=s1&user_id=zoe&limit=500", None),
        lambda: ("GET", f"/v1/memories/{name[:40]}", "", None),
        lambda: ("GET", f"/v1/../{name[:200]}", "", None),
        lambda: ("GET", "/v1/sessions", "user=zoe", None),
        lambda: ("GET", "/v1/claims", "closed=true", None),
        lambda: ("GET", "/v1/users", "", None),
        lambda: ("GET", "/v1/stats", "", None),
        lambda: ("GET", "/v1/export", "", None),
        lambda: ("GET", "/v1/jobs", f"user_id={other}", None),
        lambda: ("GET", "/v1/health", "questions=1", None),
        lambda: ("GET", "/v1/routes", "limit=2", None),
        lambda: ("GET", "/v1/routes/report", "", None),
        lambda: ("POST", "/v1/prompt", "", {"question": "Who has the spare coin?", "window": 900, "session_id": "s1"}),
        lambda: ("GET", "/metrics", "", None),
        lambda: ("POST", "/v1/search", "", {"query": "spare coin canary", "session_id": chance.choice((None, "s1"))}),
        lambda: ("POST", "/v1/search", "", {"query": "coin", "user_id": other}),
        lambda: ("POST", "/v1/context", "", {"question": "Who has the spare coin?", "budget": 300}),
        lambda: ("POST", "/v1/memories", f"user_id={other}", {"messages": "x", "session_id": "s1", "user_id": other}),
        lambda: ("POST", "/v1/explain", "", {"question": "Who has the spare coin?", "message_ids": [its_id]}),
        lambda: ("POST", f"/v1/claims/{its_id}/correct", "", {"text": "I live in Rome."}),
        lambda: (
            "POST",
            "/v1/chat/completions",
            "",
            {"model": "m", "user": other, "messages": [{"role": "user", "content": "Who has the spare coin?"}]},
        ),
    )
    return chance.choice(made)()


async def _hostile_requests(world: World, calls: int, seed: int) -> int:
    """Make requests through every key; return how many found what is the caller's own."""
    chance = random.Random(seed)
    own = 0
    for number in range(calls):
        allowed, shown = chance.choice(world.doors)
        other = chance.choice([each for each in USERS if each not in allowed])
        method, path, query, body = _request(chance, other, world.ids[other])
        read_only = [(b"x-everyword-memory", b"read")] if path.endswith("completions") else []
        headers = [*_smuggled(chance, shown), *read_only]
        status, text = await _call(world.app, method, path, headers, query=query, body=body)
        assert status not in (500, 502), (method, path, headers, text)
        assert world.foreign(allowed, text) == [], (method, path, headers)
        own += any(world.canaries[user] in text for user in allowed)
        if number % 200 == 0:
            _check_told(world)
    return own


def _check_told(world: World) -> None:
    """Read the log and the metrics, which nobody's words may be in."""
    log = "".join(world.told)
    world.told.clear()
    assert world.foreign(frozenset(), log + world.serving.metrics.text(lambda _: 0).decode()) == []


def _library_calls(world: World, calls: int, seed: int) -> int:
    """Call the verbs with ids of others and names that look like theirs; return how many calls were refused."""
    chance, memory = random.Random(seed), world.serving.memory
    refused = 0
    quick: tuple[Callable[[str, str], Any], ...] = (
        lambda user, its_id: memory.get(its_id, user_id=user),
        lambda user, its_id: memory.forget(message_ids=[its_id], user_id=user),
        lambda user, its_id: memory.get(chance.choice(HOSTILE), user_id=user),
        lambda user, its_id: memory.by_seq([1, 2, 3, 2**40, -1], user_id=user),
    )
    slow: tuple[Callable[[str, str], Any], ...] = (
        lambda user, its_id: memory.last_turns(user_id=user, session_id="s1", turns=5),
        lambda user, its_id: memory.search("spare coin canary", user_id=user, limit=3),
        lambda user, its_id: memory.claims.of(user_id=user, closed=True),
    )
    for _ in range(calls):
        user = chance.choice(USERS)
        caller = user if chance.random() < 0.98 else chance.choice(HOSTILE)
        if caller in USERS:
            user = caller
        allowed = frozenset({caller})
        try:
            answer = repr(
                chance.choice(slow if chance.random() < 0.06 else quick)(
                    caller, world.ids[chance.choice([each for each in USERS if each != user])]
                )
            )
        except EverywordError as error:
            answer, refused = f"{error!r}{error}", refused + 1
        assert world.foreign(allowed, answer) == [], caller
    return refused


async def _at_once(world: World, calls: int) -> int:
    return sum(await asyncio.gather(*(_hostile_requests(world, calls // 4, seed) for seed in range(2, 6))))


@pytest.mark.parametrize("calls", [CALLS, pytest.param(SOAK, marks=[pytest.mark.soak, pytest.mark.timeout(4 * 3600)])])
def test_no_answer_log_line_metric_or_error_holds_a_word_of_another_user(world: World, calls: int) -> None:
    requests = calls // (OF_THE_LIBRARY + 1)
    assert _library_calls(world, calls - requests, 1) > calls / 5
    assert asyncio.run(_at_once(world, requests)) > requests / 20
    _check_told(world)
    for user, canary in world.canaries.items():
        assert world.serving.memory.get(world.ids[user], user_id=user).text == _SAID.format(canary)
    assert set(world.serving.memory.users()) == set(USERS)
