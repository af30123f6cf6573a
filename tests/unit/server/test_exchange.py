from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from everyword.server.exchange import Events, StreamedReply, replied, said_now, session_of

TALK: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hello"},
    {"role": "assistant", "content": "Hi"},
    {"role": "user", "content": "Who has my key?"},
]


def _event(delta: dict[str, Any], finish: str | None = None, index: int = 0) -> bytes:
    return f"data: {json.dumps({'choices': [{'index': index, 'delta': delta, 'finish_reason': finish}]})}\n\n".encode()


def _read(*events: bytes) -> StreamedReply:
    reply = StreamedReply()
    for event in events:
        reply.take(event)
    return reply


def test_of_a_known_conversation_only_what_came_after_the_last_reply_is_new() -> None:
    assert said_now(TALK, is_known=True) == [TALK[3]]


def test_of_an_unknown_conversation_everything_but_the_applications_own_words_is_new() -> None:
    assert said_now(TALK, is_known=False) == TALK[1:]


def test_results_of_tools_are_new_after_the_call_that_was_stored_with_its_reply() -> None:
    tools = [{"role": "assistant", "content": None, "tool_calls": [{"id": "c"}]}, {"role": "tool", "content": "7"}]
    assert said_now([*TALK, *tools], is_known=True) == [tools[1]]


def test_a_conversation_has_one_name_from_its_first_reply_on() -> None:
    begun = session_of(TALK[:2], TALK[2])
    assert begun is not None
    assert begun == session_of(TALK, None) == session_of([*TALK, {"role": "assistant", "content": "x"}], None)
    assert session_of(TALK[:2], None) is None
    assert session_of(TALK[:2], {"content": "Hey"}) != begun


def test_a_client_that_writes_a_reply_with_more_fields_continues_the_same_conversation() -> None:
    longer = [*TALK[:2], {"role": "assistant", "content": [{"type": "text", "text": "Hi"}], "refusal": None}]
    assert session_of(longer, None) == session_of(TALK, None)


@given(st.lists(st.binary(max_size=40), max_size=12), st.sampled_from([b"\n\n", b"\r\n\r\n"]))
def test_cut_events_joined_are_the_stream_again(pieces: list[bytes], end: bytes) -> None:
    events = Events()
    stream = end.join(pieces)
    cut = [event for start in range(0, len(stream), 7) for event in events.feed(stream[start : start + 7])]
    assert b"".join([*cut, events.rest()]) == stream


def test_a_stream_is_put_together_word_by_word() -> None:
    reply = _read(
        _event({"role": "assistant", "content": ""}),
        _event({"content": "Mrs. "}),
        b": a comment\n\n",
        _event({"content": "Chou"}),
        _event({"content": "other choice"}, index=1),
        _event({}, "stop"),
        b'data: {"choices": [], "usage": {}}\n\n',
    )
    assert reply.message() == {"role": "assistant", "content": "Mrs. Chou"}
    assert reply.is_complete
    assert not reply.is_done
    reply.take(b"data: [DONE]\r\n\r\n")
    assert reply.is_done


def test_calls_of_tools_are_put_together_from_their_pieces() -> None:
    reply = _read(
        _event(
            {
                "tool_calls": [
                    {"index": 0, "id": "c1", "type": "function", "function": {"name": "find", "arguments": ""}}
                ]
            }
        ),
        _event({"tool_calls": [{"index": 1, "id": "c2", "function": {"name": "sum", "arguments": "{"}}]}),
        _event({"tool_calls": [{"index": 0, "function": {"arguments": '{"q":'}}]}),
        _event({"tool_calls": [{"index": 0, "function": {"arguments": '"key"}'}}]}),
        _event({"tool_calls": [{"index": 1, "function": {"arguments": "}"}}]}),
    )
    message = reply.message()
    assert message is not None
    assert [(call["id"], call["function"]) for call in message["tool_calls"]] == [
        ("c1", {"name": "find", "arguments": '{"q":"key"}'}),
        ("c2", {"name": "sum", "arguments": "{}"}),
    ]
    assert not reply.is_complete


def test_a_stream_that_said_nothing_yet_has_no_message() -> None:
    assert _read(_event({"role": "assistant", "content": ""})).message() is None


@given(st.binary(max_size=80) | st.text(max_size=80).map(lambda text: f"data: {text}\n\n".encode()))
def test_no_bytes_of_an_upstream_break_the_reading(event: bytes) -> None:
    _read(event).message()
    replied(event)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["choices", "delta", "index", "message", "tool_calls", "function", "content"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_no_json_of_an_upstream_breaks_the_reading(value: Any) -> None:
    _read(f"data: {json.dumps(value)}\n\n".encode()).message()
    replied(json.dumps(value).encode())


def test_a_whole_reply_is_its_first_choice() -> None:
    body = {"choices": [{"index": 1, "message": {"content": "b"}}, {"index": 0, "message": {"content": "a"}}]}
    assert replied(json.dumps(body).encode()) == {"content": "a"}
    assert replied(b'{"choices": [{"index": 0, "message": {"content": ""}}]}') is None
