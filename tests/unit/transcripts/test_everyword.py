from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from everyword.domain.message import Draft, Message, MessageId, Skipped
from everyword.errors import TranscriptError
from everyword.transcripts import read
from everyword.transcripts.everyword import write

NOW = datetime(2024, 5, 22, 14, 45, tzinfo=UTC)
ANY_TEXT = st.text(st.characters())
ZONES = st.integers(-12 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
MESSAGES = st.builds(
    Message,
    message_id=st.uuids().map(lambda key: MessageId(str(key))),
    seq=st.integers(1, 10**9),
    session_id=ANY_TEXT,
    role=st.sampled_from(["system", "developer", "user", "assistant", "tool"]),
    text=ANY_TEXT,
    payload=st.builds(
        lambda text, ascii: json.dumps({"content": text}, ensure_ascii=ascii), ANY_TEXT, st.booleans()
    ).map(lambda text: text.encode("utf-8", "surrogatepass")),
    author=st.none() | ANY_TEXT,
    agent_id=st.none() | ANY_TEXT,
    origin=st.sampled_from(["user", "assistant", "tool", "web", "import"]),
    branch=st.sampled_from(["main", "other", "side"]),
    created_at=st.none() | st.datetimes(timezones=ZONES),
    received_at=st.just(NOW),
    metadata=st.dictionaries(ANY_TEXT, ANY_TEXT | st.integers() | st.none(), max_size=3),
    key=st.none() | ANY_TEXT,
)
SHARED = (
    "message_id session_id role text payload author agent_id origin branch created_at metadata key".split()
)  # fmt: skip


def message(**fields: Any) -> Message:
    known: dict[str, Any] = {
        "message_id": MessageId("m1"),
        "seq": 1,
        "session_id": "s",
        "role": "user",
        "text": "hi",
        "payload": b'{"role": "user",  "content": "hi"}',
        "author": None,
        "agent_id": None,
        "origin": "user",
        "branch": "main",
        "created_at": NOW,
        "received_at": NOW,
        "metadata": {},
    }
    return Message(**{**known, **fields})


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(messages=st.lists(MESSAGES, max_size=4))
def test_what_was_written_is_read_back_the_same(tmp_path: Path, messages: list[Message]) -> None:
    path = tmp_path / "export.jsonl"
    path.write_bytes(b"".join(write(messages, {"user_id": "ana"})))
    found = list(read(path))
    assert len(found) == len(messages)
    for draft, original in zip(found, messages, strict=True):
        assert isinstance(draft, Draft)
        assert all(getattr(draft, name) == getattr(original, name) for name in SHARED)
        if original.created_at is not None and draft.created_at is not None:
            assert draft.created_at.utcoffset() == original.created_at.utcoffset()


def test_the_header_comes_first_and_each_message_is_a_line() -> None:
    header, line = write([message()], {"user_id": "ana"})
    assert json.loads(header) == {"user_id": "ana", "everyword_export": 1}
    assert line.endswith(b"\n")
    fields = json.loads(line)
    assert fields["payload"] == '{"role": "user",  "content": "hi"}'
    assert (fields["seq"], fields["received_at"]) == (1, NOW.isoformat())


def test_an_export_of_nobodys_messages_is_read_as_none(take: Any) -> None:
    assert take(b"".join(write([], {})), name="e.jsonl") == ([], [])


def test_an_export_of_a_newer_version_is_refused(take: Any) -> None:
    with pytest.raises(TranscriptError, match="upgrade"):
        take('{"everyword_export": 2}\n', name="e.jsonl")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"role": "robot"}, "unknown role 'robot'"),
        ({"origin": "moon"}, "unknown origin 'moon'"),
        ({"created_at": "soon"}, "soon"),
        ({"payload": "{"}, "Expecting"),
        ({"payload_b64": "?"}, "base64"),
        ({"text": None}, "text must be a text"),
        ({"author": 5}, "author must be a text"),
        ({"metadata": []}, "metadata must be an object"),
    ],
)
def test_a_damaged_line_is_reported_and_the_rest_read(tmp_path: Path, change: Any, reason: str) -> None:
    header, line = write([message()], {})
    bad = json.dumps({**json.loads(line), **change}).encode() + b"\n"
    path = tmp_path / "e.jsonl"
    path.write_bytes(header + bad + line + b'{"x": 1}\n5\n')
    skipped, draft, lacking, number = read(path)
    assert isinstance(skipped, Skipped)
    assert skipped.place == "e.jsonl:2"
    assert reason in skipped.reason
    assert isinstance(draft, Draft)
    assert isinstance(lacking, Skipped)
    assert isinstance(number, Skipped)
