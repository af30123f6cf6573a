from __future__ import annotations

from typing import Any

import pytest

CALLS = [{"name": "add", "args": {"a": 1}, "id": "c1", "type": "tool_call"}]


def dumped(kind: str, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": {"type": kind, **data}}


def flat(kind: str, **data: Any) -> dict[str, Any]:
    return {"type": kind, **data}


def serialised(kind: str, **data: Any) -> dict[str, Any]:
    name = {"human": "HumanMessage", "ai": "AIMessageChunk", "tool": "ToolMessage", "system": "SystemMessage"}[kind]
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", name], "kwargs": data}


@pytest.mark.parametrize("shape", [dumped, flat, serialised])
def test_every_shape_of_messages_is_read(take: Any, shape: Any) -> None:
    messages = [
        shape("system", content="Be kind"),
        shape("human", content="1+1?", name="Ana"),
        shape("ai", content="", tool_calls=CALLS),
        shape("tool", content="2", tool_call_id="c1"),
        shape("ai", content=[{"type": "text", "text": "It is 2"}], id="run-1"),
    ]
    drafts, skipped = take(messages)
    assert skipped == []
    assert [(d.role, d.author, d.text) for d in drafts] == [
        ("system", None, "Be kind"),
        ("user", "Ana", "1+1?"),
        ("assistant", None, 'add({"a": 1})'),
        ("tool", "add", "2"),
        ("assistant", None, "It is 2"),
    ]
    assert (drafts[0].origin, drafts[3].origin) == ("import", "tool")


def test_histories_are_conversations(take: Any) -> None:
    histories = [{"session_id": "a", "messages": [dumped("human", content="x")]}, [dumped("human", content="x")]]
    drafts, _ = take(histories)
    assert [d.session_id for d in drafts] == ["a", "file-1"]
    assert drafts[0].key != drafts[1].key


def test_calls_in_additional_kwargs_and_free_roles_are_read(take: Any) -> None:
    extra = {"tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}
    drafts, _ = take(
        [
            dumped("ai", content="", additional_kwargs=extra),
            dumped("chat", role="model", content="y"),
            dumped("ai", content=[{"type": "tool_use", "id": "2", "name": "g", "input": {}}]),
        ]
    )
    assert [(d.role, d.text) for d in drafts] == [("assistant", "f({})"), ("assistant", "y"), ("assistant", "g({})")]


def test_what_cannot_be_taken_is_reported_with_its_place(take: Any) -> None:
    messages = [
        dumped("human", content="a"),
        dumped("remove", content=""),
        dumped("human", content=""),
        dumped("chat", role="z", content="b"),
    ]
    drafts, skipped = take(messages, name="l.json")
    assert len(drafts) == 1
    assert [s.place for s in skipped] == ["l.json[1]", "l.json[2]", "l.json[3]"]
