"""mem0's calls over a memory; their names and shapes are held against the real package where it is installed."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everyword import Memory
from everyword.adapters.mem0 import Mem0Memory
from everyword.errors import InvalidInputError, NotFoundError

TALK = [
    {"role": "user", "content": "I am allergic to walnuts."},
    {"role": "assistant", "content": "I will leave walnuts out."},
]


@pytest.fixture
def mem0(tmp_path: Path) -> Iterator[Mem0Memory]:
    with Memory(tmp_path, embedder="none") as memory:
        yield Mem0Memory(memory)


def found(results: dict[str, list[dict[str, Any]]]) -> list[str]:
    return [each["memory"] for each in results["results"]]


def test_what_is_added_comes_back_in_the_known_shape(mem0: Mem0Memory) -> None:
    added = mem0.add(TALK, user_id="ana", agent_id="cook", run_id="r1", metadata={"topic": "food"})
    assert [each["event"] for each in added["results"]] == ["ADD", "ADD"]
    first = mem0.search("walnuts allergic", filters={"user_id": "ana"})["results"][0]
    assert first.pop("score") > 0
    assert first == mem0.get(added["results"][0]["id"], user_id="ana")
    assert first["memory"] == "I am allergic to walnuts."
    assert (first["user_id"], first["agent_id"], first["run_id"]) == ("ana", "cook", "r1")
    assert first["metadata"] == {"topic": "food"}


@pytest.mark.parametrize(
    "scope",
    [
        {"user_id": "ana", "run_id": "r1"},
        {"filters": {"user_id": "ana", "run_id": "r1"}},
        {"user_id": "ana", "filters": {"run_id": "r1"}},
        {"filters": {"AND": [{"user_id": "ana"}, {"run_id": "r1"}]}},
        {"filters": {"user_id": "ana", "agent_id": "cook"}},
        {"filters": {"user_id": "ana", "topic": "food"}},
    ],
)
def test_ids_stand_in_the_call_or_in_filters(mem0: Mem0Memory, scope: dict[str, Any]) -> None:
    mem0.add(TALK, user_id="ana", agent_id="cook", run_id="r1", metadata={"topic": "food"})
    mem0.add("Walnuts are on sale.", user_id="ana", run_id="r2")
    mem0.add("Bob loves walnuts.", user_id="bob", run_id="r1")
    assert set(found(mem0.search("walnuts", **scope))) == {each["content"] for each in TALK}
    assert found(mem0.get_all(**scope)) == [each["content"] for each in TALK]


def test_as_many_are_returned_as_were_asked_for(mem0: Mem0Memory) -> None:
    for number in range(300):
        mem0.add(f"walnut number {number}", user_id="ana", metadata={"even": number % 100 == 0})
    assert len(found(mem0.search("walnut", user_id="ana"))) == 20
    assert len(found(mem0.search("walnut", user_id="ana", top_k=3))) == 3
    assert len(found(mem0.search("walnut", user_id="ana", limit=150))) == 150
    assert len(found(mem0.search("walnut", filters={"user_id": "ana", "even": True}))) == 3
    assert found(mem0.get_all(user_id="ana", top_k=2)) == ["walnut number 298", "walnut number 299"]


def test_a_deleted_memory_is_gone(mem0: Mem0Memory) -> None:
    memory_id = mem0.add("My locker is 31.", user_id="ana")["results"][0]["id"]
    assert [each["event"] for each in mem0.history(memory_id, user_id="ana")] == ["ADD"]
    assert "deleted" in mem0.delete(memory_id, user_id="ana")["message"]
    assert mem0.get(memory_id, user_id="ana") is None
    for again in (mem0.delete, mem0.history):
        with pytest.raises(NotFoundError):
            again(memory_id, user_id="ana")


def test_all_of_a_run_or_of_a_user_is_deleted_and_nothing_else(mem0: Mem0Memory) -> None:
    mem0.add(TALK, user_id="ana", run_id="r1")
    mem0.add("kept for now", user_id="ana", run_id="r2")
    mem0.add("kept", user_id="bob", run_id="r1")
    mem0.delete_all(user_id="ana", run_id="r1")
    assert found(mem0.get_all(user_id="ana")) == ["kept for now"]
    mem0.delete_all(user_id="ana")
    mem0.delete_all(user_id="ana")
    assert found(mem0.get_all(user_id="ana")) == []
    assert found(mem0.get_all(user_id="bob")) == ["kept"]


def test_no_call_guesses_whose_memory_it_is(mem0: Mem0Memory) -> None:
    memory_id = mem0.add("x", user_id="ana")["results"][0]["id"]
    for call in (
        lambda: mem0.add("y"),
        lambda: mem0.search("x"),
        lambda: mem0.search("x", filters={"run_id": "default"}),
        lambda: mem0.get_all(),
        lambda: mem0.get(memory_id),
        lambda: mem0.delete(memory_id),
        lambda: mem0.history(memory_id),
        lambda: mem0.delete_all(run_id="default"),
    ):
        with pytest.raises(InvalidInputError, match="user_id"):
            call()
    assert mem0.get(memory_id, user_id="bob") is None


def test_a_facade_of_one_user_takes_ids_alone_and_refuses_others(mem0: Mem0Memory) -> None:
    own = Mem0Memory(mem0.memory, user_id="ana")
    memory_id = own.add("mine")["results"][0]["id"]
    assert own.get(memory_id) == own.get_all()["results"][0]
    for call in (lambda: own.search("mine", user_id="bob"), lambda: own.get_all(filters={"user_id": "bob"})):
        with pytest.raises(InvalidInputError, match="bound to 'ana'"):
            call()
    with pytest.raises(InvalidInputError, match="what to erase"):
        own.delete_all()
    own.delete(memory_id)
    assert own.get_all() == {"results": []}


@pytest.mark.parametrize(
    "scope",
    [
        {"filters": {"OR": [{"user_id": "ana"}, {"user_id": "bob"}]}},
        {"filters": {"user_id": "*"}},
        {"filters": {"user_id": {"in": ["ana", "bob"]}}},
        {"user_id": "ana", "filters": {"user_id": "bob"}},
        {"filters": {"user_id": "ana", "AND": [{"user_id": "bob"}]}},
        {"user_id": "ana", "top_k": 0},
    ],
)
def test_a_filter_that_is_not_understood_is_refused(mem0: Mem0Memory, scope: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        mem0.search("x", **scope)


def test_words_are_kept_with_infer_on_or_off_and_with_their_time(mem0: Mem0Memory) -> None:
    for infer in (True, False):
        mem0.add("Ich mag Nüsse.", user_id="ana", infer=infer, timestamp="2026-01-02")
    assert found(mem0.get_all(user_id="ana")) == ["Ich mag Nüsse."] * 2
    assert mem0.get_all(user_id="ana")["results"][0]["created_at"].startswith("2026-01-02")


OPTIONAL = {
    "add": {"expiration_date", "memory_type", "prompt"},
    "search": {"threshold", "rerank", "explain", "reference_date", "show_expired", "kwargs", "min_score"},
    "get_all": {"show_expired", "kwargs"},
}
"""Arguments of mem0 that have no meaning here, and are refused."""


@pytest.mark.parametrize("name", ["add", "search", "get", "get_all", "delete", "delete_all", "history"])
def test_a_call_takes_the_arguments_of_mem0(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEM0_TELEMETRY", "False")
    monkeypatch.setenv("MEM0_DIR", str(tmp_path))
    real = pytest.importorskip("mem0", reason="needs mem0: pip install mem0ai")
    theirs = inspect.signature(getattr(real.Memory, name)).parameters
    ours = inspect.signature(getattr(Mem0Memory, name)).parameters
    assert set(theirs) - OPTIONAL.get(name, set()) <= set(ours)
