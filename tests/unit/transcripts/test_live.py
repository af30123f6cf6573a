from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everyword.errors import InvalidMessageError
from everyword.transcripts.live import drafts

CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Taipei"}'}}


def test_a_text_is_one_message_of_the_user() -> None:
    (draft,) = drafts("I bought a bike", session_id="s", agent_id="a", metadata={"m": 1})
    assert (draft.role, draft.text, draft.origin, draft.session_id, draft.agent_id) == (
        "user",
        "I bought a bike",
        "user",
        "s",
        "a",
    )
    assert draft.metadata == {"m": 1}
    assert json.loads(draft.payload) == {"role": "user", "content": "I bought a bike"}


def test_no_date_is_invented() -> None:
    assert drafts("hi")[0].created_at is None


def test_content_null_with_tool_calls_is_a_message() -> None:
    (draft,) = drafts({"role": "assistant", "content": None, "tool_calls": [CALL]})
    assert draft.text == 'weather({"city": "Taipei"})'


def test_a_tool_result_takes_the_name_of_its_call() -> None:
    _, result = drafts(
        [
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c1", "content": "31 degrees"},
        ]
    )
    assert (result.role, result.origin, result.author, result.text) == ("tool", "tool", "weather", "31 degrees")
    assert "orphan" not in result.metadata


def test_a_result_without_its_call_is_kept_and_marked_where_that_can_be_told() -> None:
    found = drafts(
        [
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "other", "content": "x"},
        ]
    )
    assert found[1].metadata["orphan"] is True
    (alone,) = drafts({"role": "tool", "tool_call_id": "other", "content": "x"})
    assert "orphan" not in alone.metadata


def test_a_tool_message_without_id_needs_content() -> None:
    assert drafts({"role": "tool", "content": "found 3"})[0].text == "found 3"
    assert drafts({"role": "tool", "tool_call_id": "c", "content": ""})[0].text == "[no output]"
    with pytest.raises(InvalidMessageError, match="tool message"):
        drafts({"role": "tool", "content": ""})


def test_a_user_message_with_results_and_text_is_split() -> None:
    blocks = [
        {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "9 files"}]},
        {"type": "text", "text": "thanks"},
    ]
    said, result = drafts({"role": "user", "content": blocks}, idempotency_key="k")
    assert (said.role, said.text, said.origin) == ("user", "thanks", "user")
    assert (result.role, result.text, result.origin) == ("tool", "9 files", "tool")
    assert json.loads(said.payload)["content"] == blocks
    assert json.loads(result.payload) == blocks[:1]
    assert (said.key, result.key) == ("k/0", "k/1")


def test_a_user_message_of_results_alone_is_a_tool_message() -> None:
    message = {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t", "content": "9", "is_error": True}],
    }
    (draft,) = drafts(message)
    assert (draft.role, draft.origin, draft.text) == ("tool", "tool", "9")
    assert draft.metadata == {"tool_call_id": "t", "is_error": True}
    assert json.loads(draft.payload) == message


def test_responses_items_are_messages() -> None:
    found = drafts(
        [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "sum"}]},
            {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "add them"}]},
            {"type": "reasoning", "id": "r2", "summary": [], "encrypted_content": "gAAA"},
            {"type": "function_call", "call_id": "f1", "name": "add", "arguments": "[1,2]"},
            {"type": "function_call_output", "call_id": "f1", "output": "3"},
            {"type": "web_search_call", "id": "w", "action": {"type": "search", "query": "sum"}},
            {"type": "mcp_call", "id": "m", "name": "ask", "arguments": "{}", "output": "answer"},
        ]
    )
    assert [(draft.role, draft.text) for draft in found] == [
        ("user", "sum"),
        ("assistant", "add them"),
        ("assistant", "[reasoning]"),
        ("assistant", "add([1,2])"),
        ("tool", "3"),
        ("assistant", 'web_search({"type": "search", "query": "sum"})'),
        ("assistant", "ask({})"),
        ("tool", "answer"),
    ]
    assert found[4].author == "add"


@pytest.mark.parametrize(
    ("given", "origin"),
    [
        ({"role": "system", "content": "x"}, "user"),
        ({"role": "developer", "content": "x"}, "user"),
        ({"role": "assistant", "content": "x"}, "assistant"),
        ({"role": "user", "content": "x", "origin": "web"}, "web"),
    ],
)
def test_the_origin_follows_the_role_unless_it_is_given(given: dict[str, Any], origin: str) -> None:
    assert drafts(given)[0].origin == origin


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        ({"created_at": "2024-05-22T22:45:00+08:00"}, datetime(2024, 5, 22, 14, 45, tzinfo=UTC)),
        ({"timestamp": 1716389100}, datetime(2024, 5, 22, 14, 45, tzinfo=UTC)),
        ({"created_at": datetime(2024, 5, 22, 14, 45)}, datetime(2024, 5, 22, 14, 45, tzinfo=UTC)),
        ({}, datetime(2020, 1, 1, tzinfo=UTC)),
    ],
)
def test_a_message_has_its_own_time_or_that_of_the_call(time: dict[str, Any], expected: datetime) -> None:
    (draft,) = drafts({"role": "user", "content": "x", **time}, created_at="2020-01-01")
    assert draft.created_at == expected
    json.loads(draft.payload)


def test_the_offset_of_a_time_is_kept() -> None:
    (draft,) = drafts("x", created_at="2024-05-22T22:45:00+08:00")
    assert draft.created_at is not None
    assert draft.created_at.tzinfo == timezone(timedelta(hours=8))


def test_keys_that_are_not_known_stay_in_the_payload() -> None:
    message = {"role": "user", "content": "x", "name": "Ana", "mood": {"level": 3}, "metadata": {"m": 2}}
    (draft,) = drafts(message, metadata={"m": 1, "n": 1})
    assert json.loads(draft.payload) == message
    assert draft.author == "Ana"
    assert draft.metadata == {"m": 2, "n": 1}


def test_the_given_messages_are_not_changed() -> None:
    message: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": [dict(CALL)]}
    before = json.dumps(message)
    drafts([message])
    assert json.dumps(message) == before


class Model:
    """Stands for the objects that providers' packages hand out."""

    def model_dump(self, *, mode: str) -> dict[str, Any]:
        return {"role": "assistant", "content": "from an object", "mode": mode}


def test_an_object_of_a_providers_package_is_taken_as_its_dict() -> None:
    assert drafts([Model()])[0].text == "from an object"  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([], "empty"),
        ("", "no content"),
        (5, "list of messages"),
        (None, "null"),
        (["text"], "not str"),
        ({"content": "x"}, "no role"),
        ({"role": "robot", "content": "x"}, "assistant, developer, system, tool, user"),
        ({"role": None, "content": "x"}, "unknown role"),
        ({"role": ["user"], "content": "x"}, "unknown role"),
        ({"role": "user"}, "no content"),
        ({"role": "user", "content": None}, "no content"),
        ({"role": "user", "content": []}, "no content"),
        ({"role": "assistant", "content": None, "tool_calls": []}, "no tool calls"),
        ({"role": "user", "content": 5}, "not int"),
        ({"role": "user", "content": {"text": "x"}}, "not dict"),
        ({"role": "user", "content": ["x", 5]}, "list with int"),
        ({"role": "assistant", "content": "x", "tool_calls": "f"}, "tool_calls must be a list"),
        ({"role": "assistant", "content": "x", "tool_calls": ["f"]}, "tool call must be an object"),
        ({"role": "user", "content": "x", "created_at": "soon"}, "soon"),
        ({"role": "user", "content": "x", "origin": "moon"}, "unknown origin"),
        ({"role": "user", "content": "x", "metadata": [1]}, "metadata"),
        ({"role": "user", "content": "x", "extra": {1, 2}}, "JSON"),
        ({"type": "function_call_output"}, "output"),
        ({"role": "tool", "content": [{"type": "tool_result", "content": "x"}]}, "unknown role"),
    ],
)
def test_a_message_that_cannot_be_taken_says_what_to_do(given: Any, words: str) -> None:
    with pytest.raises(InvalidMessageError, match=words):
        drafts(given)


def test_one_bad_message_refuses_all_and_is_named() -> None:
    with pytest.raises(InvalidMessageError, match="message 1: unknown role 'x'"):
        drafts([{"role": "user", "content": "a"}, {"role": "x", "content": "b"}])


def test_a_bad_time_or_metadata_of_the_call_is_refused() -> None:
    with pytest.raises(InvalidMessageError, match="created_at"):
        drafts("x", created_at="someday")
    with pytest.raises(InvalidMessageError, match="metadata"):
        drafts("x", metadata={"a": object()})


@settings(deadline=None)
@given(st.text(st.characters(), min_size=1))
def test_any_text_is_kept(text: str) -> None:
    (draft,) = drafts({"role": "user", "content": text, "name": text, "metadata": {"t": text}})
    assert json.loads(draft.payload)["content"] == text
    assert draft.text == "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    draft.text.encode()


def test_a_message_of_five_megabytes_is_taken() -> None:
    assert len(drafts("words " * 900_000)[0].text) == 5_400_000
