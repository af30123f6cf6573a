"""The store of LangGraph, beside LangGraph's own store in memory and in a graph."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from everyword import Memory
from everyword.errors import InvalidInputError

pytest.importorskip("langgraph.store.base", reason='needs LangGraph: pip install "everyword[langgraph]"')

from langgraph.store.base import BaseStore, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from everyword.adapters.langgraph import EverywordStore

PETS, FOOD = ("ana", "pets"), ("ana", "food")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path, embedder="none") as opened:
        yield opened


@pytest.fixture
def store(memory: Memory) -> EverywordStore:
    return EverywordStore(memory, user_part=0)


def fill(store: BaseStore) -> None:
    store.put(PETS, "momo", {"kind": "cat", "age": 3, "text": "Momo sleeps on the piano."})
    store.put(PETS, "rex", {"kind": "dog", "age": 11, "text": "Rex is afraid of thunder.", "tags": ["old", "grey"]})
    store.put((*PETS, "past"), "nina", {"kind": "cat", "age": 17, "text": "Nina hated the vacuum cleaner."})
    store.put(FOOD, "momo", {"kind": "note", "text": "Momo only eats tuna."})
    store.put(FOOD, "gone", {"kind": "note", "text": "to be deleted"})
    store.delete(FOOD, "gone")
    store.put(PETS, "momo", {"kind": "cat", "age": 4, "text": "Momo sleeps on the wardrobe now."})


def names(found: Any) -> set[tuple[Any, ...]]:
    return {(each.namespace, each.key, str(each.value)) for each in found}


READS: dict[str, Callable[[BaseStore], Any]] = {
    "get": lambda store: store.get(PETS, "momo").value,
    "get what is not there": lambda store: store.get(PETS, "nobody"),
    "get what was deleted": lambda store: store.get(FOOD, "gone"),
    "all": lambda store: names(store.search(("ana",), limit=50)),
    "a prefix": lambda store: names(store.search(PETS)),
    "no such prefix": lambda store: names(store.search(("ana", "pet"))),
    "equal": lambda store: names(store.search(PETS, filter={"kind": "cat"})),
    "equal by operator": lambda store: names(store.search(PETS, filter={"kind": {"$eq": "dog"}})),
    "not equal": lambda store: names(store.search(("ana",), filter={"kind": {"$ne": "cat"}})),
    "greater": lambda store: names(store.search(PETS, filter={"age": {"$gt": 4}})),
    "a range": lambda store: names(store.search(PETS, filter={"age": {"$gte": 4, "$lt": 17}})),
    "both": lambda store: names(store.search(PETS, filter={"kind": "cat", "age": {"$lte": 4}})),
    "a page": lambda store: len(store.search(("ana",), limit=3, offset=2)),
    "namespaces": lambda store: store.list_namespaces(prefix=("ana",)),
    "namespaces by depth": lambda store: store.list_namespaces(prefix=("ana",), max_depth=2),
    "namespaces by suffix": lambda store: store.list_namespaces(prefix=("ana",), suffix=("past",)),
    "namespaces by wildcard": lambda store: store.list_namespaces(prefix=("ana", "*", "past")),
    "namespaces, a page": lambda store: store.list_namespaces(prefix=("ana",), limit=1, offset=1),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_it_answers_as_the_store_of_langgraph_does(store: EverywordStore, read: Callable[[BaseStore], Any]) -> None:
    own = InMemoryStore()
    fill(own)
    fill(store)
    assert read(store) == read(own)


def test_an_item_is_found_by_its_words_wherever_they_stand(store: EverywordStore) -> None:
    fill(store)
    store.put(PETS, "box", {"care": {"notes": ["brush weekly", {"vet": "Dr. Lindqvist"}]}})
    first = store.search(("ana",), query="Lindqvist")[0]
    assert (first.key, first.namespace) == ("box", PETS)
    assert first.score is not None
    assert [item.key for item in store.search(FOOD, query="Momo")] == ["momo"]
    assert [item.key for item in store.search(PETS, query="cat or dog", filter={"age": {"$gt": 10}}, limit=1)] == [
        "rex"
    ]


def test_a_replaced_version_is_gone(store: EverywordStore, memory: Memory) -> None:
    fill(store)
    found = store.search(PETS, query="Where does Momo sleep, on the piano or the wardrobe?")
    assert [item.value["text"] for item in found if item.key == "momo"] == ["Momo sleeps on the wardrobe now."]
    assert not [message for message in memory.messages(user_id="ana") if "piano" in message.text]


def test_a_new_version_keeps_when_the_item_was_made(store: EverywordStore) -> None:
    store.put(PETS, "momo", {"age": 3})
    first = store.get(PETS, "momo")
    store.put(PETS, "momo", {"age": 4})
    second = store.get(PETS, "momo")
    assert first
    assert second
    assert second.created_at == first.created_at
    assert second.updated_at > first.updated_at


def test_an_item_that_is_not_indexed_is_read_but_not_found(store: EverywordStore) -> None:
    store.put(PETS, "secret", {"text": "the chip number 90071"}, index=False)
    store.put(PETS, "partly", {"text": "collar", "note": "hidden 90072"}, index=["text"])
    assert store.search(PETS, query="chip number 90071") == []
    assert [item.key for item in store.search(PETS, query="collar")] == ["partly"]
    assert store.search(PETS, query="90072") == []
    assert {item.key for item in store.search(PETS)} == {"secret", "partly"}


def test_many_items_of_other_kinds_do_not_hide_the_wanted_ones(store: EverywordStore, memory: Memory) -> None:
    memory.add([{"role": "user", "content": f"thunder {n}"} for n in range(300)], user_id="ana", session_id="chat")
    store.put(
        PETS, "rex", {"text": "Rex is afraid of thunder, lightning, fireworks and the neighbour's old motorcycle."}
    )
    assert [item.key for item in store.search(PETS, query="thunder")] == ["rex"]


def test_messages_of_conversations_are_no_items(store: EverywordStore, memory: Memory) -> None:
    memory.add("Momo came home.", user_id="ana")
    fill(store)
    assert all(item.key != "default" for item in store.search(("ana",), query="Momo", limit=50))
    assert len(store.search(("ana",), limit=50)) == 4
    assert memory.search("tuna", user_id="ana", limit=1)[0].session_id.startswith("langgraph:")


def test_one_users_items_are_never_anothers(store: EverywordStore, memory: Memory) -> None:
    fill(store)
    store.put(("bob", "pets"), "momo", {"text": "Bob's Momo"})
    assert [item.value["text"] for item in store.search(("bob",), query="Momo")] == ["Bob's Momo"]
    assert memory.users() == ["ana", "bob"]
    for reading in (
        lambda: store.search((), query="Momo"),
        lambda: store.search(()),
        lambda: store.list_namespaces(),
        lambda: store.list_namespaces(prefix=("*", "pets")),
    ):
        with pytest.raises(InvalidInputError, match="place 0"):
            reading()


def test_a_store_of_one_user_takes_any_namespace(memory: Memory) -> None:
    store = EverywordStore(memory, user_id="ana")
    store.put(("anything",), "k", {"v": 1})
    assert store.list_namespaces() == [("anything",)]
    assert memory.users() == ["ana"]


@pytest.mark.parametrize("named", [{}, {"user_id": "ana", "user_part": 0}, {"user_part": -1}])
def test_a_store_needs_to_know_whose_it_is(memory: Memory, named: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError, match="Whose memory"):
        EverywordStore(memory, **named)


def test_odd_and_very_long_names_are_names(store: EverywordStore) -> None:
    pairs = [
        (("ana", "a/b", "é 🎂"), "k"),
        (("ana", "a"), "b/é 🎂/k"),
        (("ana", "x" * 900), "k"),
        (("ana", "x" * 900), "l"),
    ]
    for number, (namespace, key) in enumerate(pairs):
        store.put(namespace, key, {"n": number})
    assert [store.get(*pair).value["n"] for pair in pairs] == [0, 1, 2, 3]  # type: ignore[union-attr]
    assert len(store.search(("ana", "x" * 900))) == 2


def test_a_time_to_live_is_refused_and_not_ignored(store: EverywordStore) -> None:
    with pytest.raises(NotImplementedError):
        store.put(PETS, "momo", {"v": 1}, ttl=5)


def test_the_asynchronous_calls_do_the_same(store: EverywordStore) -> None:
    async def story() -> Any:
        await store.aput(PETS, "momo", {"text": "purrs"})
        results = await store.abatch([PutOp(PETS, "rex", {"text": "barks"}), SearchOp(PETS, query="barks")])
        return (await store.aget(PETS, "momo")).value, [item.key for item in results[1]]  # type: ignore[union-attr]

    assert asyncio.run(story()) == ({"text": "purrs"}, ["rex"])


def test_a_graph_remembers_across_its_threads(store: EverywordStore) -> None:
    graph_module = pytest.importorskip("langgraph.graph", reason="needs langgraph itself")

    def node(state: dict[str, str], *, store: BaseStore) -> dict[str, str]:
        if "remember" in state["said"]:
            store.put(FOOD, "tea", {"text": state["said"]})
            return {"said": "noted"}
        return {"said": store.search(FOOD, query=state["said"])[0].value["text"]}

    builder = graph_module.StateGraph(dict)
    builder.add_node("node", node)
    builder.add_edge(graph_module.START, "node")
    graph = builder.compile(store=store)
    graph.invoke({"said": "remember: oolong without sugar"})
    assert graph.invoke({"said": "Which tea, oolong?"}) == {"said": "remember: oolong without sugar"}
