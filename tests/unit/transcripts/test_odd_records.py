"""Whatever stands where something else is expected, a reader goes on: it takes the record or reports it."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from everyword.domain.message import Draft, Skipped
from everyword.errors import InvalidMessageError, TranscriptError
from everyword.transcripts import FORMATS, read, recognise
from everyword.transcripts.live import drafts

CALL = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
BLOCKS = [
    {"type": "text", "text": "a"},
    {"type": "thinking", "thinking": "b"},
    {"type": "tool_use", "id": "t", "name": "n", "input": {"x": 1}},
    {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "r"}]},
    {"type": "image", "source": {"type": "url", "url": "u"}},
    {"type": "document", "title": "d", "source": {"type": "text", "data": "w"}},
]
CHAT: list[Any] = [
    {"role": "user", "content": BLOCKS, "name": "x", "id": "m", "timestamp": 1716389100, "metadata": {"k": 1}},
    {"role": "assistant", "content": None, "tool_calls": [CALL], "model": "m"},
    {"role": "tool", "tool_call_id": "1", "content": "x"},
    {"type": "function_call", "name": "f", "arguments": "{}", "call_id": "c"},
    {"type": "function_call_output", "call_id": "c", "output": "o"},
    {"type": "mcp_call", "name": "f", "arguments": "{}", "output": "o"},
    {"messages": [{"role": "user", "content": "x"}], "system": "s", "id": 1},
]
NODE = {
    "parent": "a",
    "children": [],
    "message": {
        "id": "i",
        "author": {"role": "assistant", "name": "n"},
        "create_time": 1.5e9,
        "content": {"content_type": "t", "parts": ["x", {"content_type": "image_asset_pointer"}], "thoughts": [{"summary": "s"}]},
        "recipient": "all",
        "metadata": {"model_slug": "m", "attachments": [{"name": "f"}]},
    },
}  # fmt: skip
SAMPLES: dict[str, list[Any]] = {
    "openai": CHAT,
    "anthropic": CHAT,
    "jsonl": CHAT,
    "chatgpt": [{"conversation_id": "c", "title": "t", "current_node": "b", "mapping": {"a": {"parent": None}, "b": NODE}}],
    "claude-ai": [
        {
            "uuid": "u",
            "name": "n",
            "project": {"name": "p"},
            "current_leaf_message_uuid": "2",
            "chat_messages": [
                {"uuid": "1", "sender": "human", "text": "x", "attachments": [{"file_name": "f"}], "created_at": "2024-01-01"},
                {"uuid": "2", "sender": "assistant", "content": BLOCKS, "parent_message_uuid": "1", "files": [{}]},
            ],
        }
    ],
    "mem0": [
        {"results": [{"id": "1", "memory": "x", "metadata": {"a": 1}, "created_at": "2024-01-01", "updated_at": 7}]},
        {"id": "2", "memory": "y", "user_id": "u", "run_id": "r", "agent_id": "a", "role": "user", "categories": ["c"]},
    ],
    "claude-code": [
        {"type": "user", "uuid": "1", "parentUuid": "0", "sessionId": "s", "message": {"role": "user", "content": "x"}},
        {"type": "user", "uuid": "2", "parentUuid": "0", "sessionId": "s", "message": {"role": "user", "content": BLOCKS}},
        {"type": "progress", "data": {"agentId": "a", "message": {"type": "user", "message": {"role": "user", "content": "x"}}}},
        {"type": "summary", "summary": "s", "leafUuid": "2"},
        {"loglines": [{"type": "user", "message": {"role": "user", "content": "x"}}]},
    ],
    "codex": [
        {"type": "session_meta", "payload": {"id": "s", "cwd": "/", "instructions": "i"}},
        {"type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "x"}]}},
        {"type": "response_item", "payload": {"type": "reasoning", "summary": [{"type": "summary_text", "text": "x"}]}},
        {"type": "event_msg", "payload": {"type": "agent_message", "message": "y"}},
        {"session": {"id": "x"}, "items": [{"type": "message", "role": "user", "content": "x"}]},
    ],
    "sharegpt": [
        {
            "id": "i",
            "system": "s",
            "tools": '[{"name": "f"}]',
            "conversations": [
                {"from": "human", "value": "x"},
                {"from": "function_call", "value": '{"name": "f", "arguments": {}}'},
                {"from": "observation", "value": "y"},
            ],
        }
    ],
    "langchain": [
        {"type": "human", "data": {"content": BLOCKS, "name": "n", "additional_kwargs": {"tool_calls": [CALL]}}},
        {"type": "ai", "content": "x", "tool_calls": [{"name": "f", "args": {}, "id": "1"}]},
        {"lc": 1, "type": "constructor", "id": ["a", "HumanMessage"], "kwargs": {"content": "x"}},
        {"session_id": "s", "messages": [{"type": "chat", "role": "user", "content": "x"}]},
    ],
    "slack": [
        {
            "type": "message",
            "subtype": "bot_message",
            "ts": "1681300000.0001",
            "user": "U",
            "text": "x",
            "thread_ts": "1",
            "blocks": [{"type": "rich_text", "elements": [{"type": "text", "text": "t"}]}],
            "attachments": [{"title": "t"}],
            "files": [{"name": "f", "mimetype": "image/png"}],
            "user_profile": {"real_name": "R"},
        }
    ],
    "everyword": [
        {"everyword_export": 1},
        {"message_id": "m", "session_id": "s", "role": "user", "text": "x", "payload": "{}", "origin": "user",
         "branch": "main", "created_at": "2024-01-01T00:00:00Z", "metadata": {}, "key": "k"},
    ],
}  # fmt: skip
ODD = st.sampled_from(
    [None, True, 0, -1.5, 10**30, "", "x", "\ud800", [], {}, [None], [1], ["x"], {"x": None}, [[]], [{}], {"x": {}}]
)


def paths(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(path for key, item in inner for path in paths(item, (*at, key)))]


def changed(sample: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    found = copy.deepcopy(sample)
    target = found
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = new
    return found


@pytest.mark.parametrize("name", sorted(FORMATS))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
@given(data=st.data())
def test_an_odd_value_anywhere_never_stops_a_reader(tmp_path: Path, name: str, data: st.DataObject) -> None:
    sample = SAMPLES[name]
    odd = changed(sample, data.draw(st.sampled_from(paths(sample)[1:])), data.draw(ODD))
    path = tmp_path / "odd.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in odd))
    try:
        recognise(path)
        found = list(read(path, name))
    except TranscriptError:
        return
    for one in found:
        if isinstance(one, Draft):
            json.loads(one.payload)
            json.dumps(one.metadata, ensure_ascii=name == "everyword").encode()
            for text in (one.text, one.author, one.session_id, one.agent_id, one.key):
                assert text is None or name == "everyword" or text.encode() is not None
        else:
            assert isinstance(one, Skipped)
            (one.place + one.reason).encode()


@settings(deadline=None, max_examples=150)
@given(data=st.data())
def test_an_odd_live_message_is_taken_or_refused(data: st.DataObject) -> None:
    sample = CHAT[:6]
    odd = changed(sample, data.draw(st.sampled_from(paths(sample)[1:])), data.draw(ODD))
    try:
        found = drafts(odd)
    except InvalidMessageError:
        return
    assert found
    assert all(json.loads(draft.payload) is not None and draft.text.encode() is not None for draft in found)
