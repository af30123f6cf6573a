from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from everyword.transcripts.formats import recognise

USER = {"role": "user", "content": "hi"}
BLOCKS = {
    "role": "user",
    "content": [{"type": "tool_result", "tool_use_id": "t", "content": "9"}, {"type": "text", "text": "ok"}],
}
CALL = {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]}
RESULT = {"role": "tool", "tool_call_id": "1", "content": "42"}


@pytest.mark.parametrize(
    ("content", "lines", "name"),
    [
        ([USER, RESULT], True, "jsonl"),
        ([{"messages": [USER]}], True, "jsonl"),
        ([USER, CALL, RESULT], False, "openai"),
        ({"messages": [USER], "model": "m"}, False, "openai"),
        ([{"type": "function_call", "name": "f", "arguments": "{}", "call_id": "1"}], False, "openai"),
        ({"object": "response", "output": [{"type": "message", "role": "assistant", "content": "x"}]}, False, "openai"),
        ({"choices": [{"message": {"role": "assistant", "content": "x"}}]}, False, "openai"),
        ([USER, BLOCKS], False, "anthropic"),
        ({"system": "Be kind", "messages": [USER, BLOCKS]}, False, "anthropic"),
        ([{"task_id": 0, "traj": [USER]}], False, "jsonl"),
    ],
)
def test_messages_of_providers_are_recognised(take: Any, tmp_path: Any, content: Any, lines: bool, name: str) -> None:
    drafts, skipped = take(content, lines=lines, name="a.jsonl" if lines else "a.json")
    assert recognise(tmp_path / ("a.jsonl" if lines else "a.json")) == name
    assert drafts
    assert skipped == []


def test_a_line_a_message_keeps_its_bytes_time_name_and_session(take: Any) -> None:
    line = '{"role":"user",  "content":"caf\\u00e9","name":"Ana","timestamp":1716389100,"session_id":"s7","id":"m1"}'
    (draft,) = take(line + "\n", name="a.jsonl")[0]
    assert draft.payload.decode() == line
    assert (draft.text, draft.author, draft.session_id) == ("café", "Ana", "s7")
    assert draft.created_at is not None
    assert draft.created_at.isoformat() == "2024-05-22T14:45:00+00:00"


def test_runs_of_an_agent_are_conversations_with_their_task_and_trial(take: Any) -> None:
    runs = [{"task_id": 3, "trial": trial, "reward": 1.0, "traj": [USER, CALL, RESULT]} for trial in (0, 1)]
    drafts, _ = take(runs, name="runs.json")
    assert [d.session_id for d in drafts[::3]] == ["runs-task-3-trial-0", "runs-task-3-trial-1"]
    assert drafts[0].metadata == {"task_id": 3, "trial": 0, "reward": 1.0}
    assert (drafts[2].author, drafts[2].text) == ("f", "42")
    assert len({d.key for d in drafts}) == 6


def test_the_system_prompt_beside_the_messages_is_a_message(take: Any) -> None:
    drafts, _ = take({"system": [{"type": "text", "text": "Be kind"}], "messages": [USER, BLOCKS]})
    assert [(d.role, d.text) for d in drafts] == [("system", "Be kind"), ("user", "hi"), ("user", "ok"), ("tool", "9")]
    assert drafts[0].origin == "import"


def test_a_longer_file_repeats_the_keys_of_the_shorter(take: Any) -> None:
    short, _ = take([USER, USER], name="a.jsonl", lines=True)
    long, _ = take([USER, USER, CALL], name="a.jsonl", lines=True)
    assert [d.key for d in long[:2]] == [d.key for d in short]
    assert len({d.key for d in long}) == 3


def test_bad_lines_are_reported_with_their_place_and_the_rest_goes_on(take: Any) -> None:
    text = "\n".join(
        [json.dumps(USER), '{"role": "user", "con', "", '{"role": "robot", "content": "x"}', "5", json.dumps(USER)]
    )
    drafts, skipped = take(text, name="a.jsonl")
    assert len(drafts) == 2
    assert [s.place for s in skipped] == ["a.jsonl:2", "a.jsonl:4", "a.jsonl:5"]
    assert "robot" in skipped[1].reason


def test_a_bad_message_in_a_list_is_reported_with_its_place(take: Any) -> None:
    drafts, (skipped,) = take([{"messages": [USER, {"role": "user", "content": 5}]}], name="a.json")
    assert (len(drafts), skipped.place) == (1, "a.json[0].messages[1]")


def test_times_that_cannot_be_read_are_kept_aside(take: Any) -> None:
    (draft,) = take([{**USER, "created_at": "in May"}], name="a.jsonl", lines=True)[0]
    assert (draft.created_at, draft.metadata) == (None, {"created_at_raw": "in May"})


@pytest.mark.parametrize(
    "text",
    ["NUL \u0000 here", "emoji 👩‍👩‍👧 🎉", "עברית عربي", "\u202e right to left", 'quote " and \\ slash', "繁體 简体"],
)
def test_words_are_never_rewritten(take: Any, text: str) -> None:
    (draft,) = take([{"role": "user", "content": text}], name="a.jsonl", lines=True)[0]
    assert draft.text == text


def test_lone_surrogates_stay_in_the_payload(take: Any) -> None:
    (draft,) = take('{"role": "user", "content": "x\\ud800y"}\n', name="a.jsonl")[0]
    assert draft.text == "x\ufffdy"
    assert json.loads(draft.payload)["content"] == "x\ud800y"


def test_a_byte_order_mark_and_gzip_are_tolerated(take: Any) -> None:
    data = json.dumps(USER).encode() + b"\n"
    (marked,) = take(b"\xef\xbb\xbf" + data, name="a.jsonl")[0]
    (zipped,) = take(gzip.compress(data), name="a.jsonl.gz")[0]
    assert marked.payload == zipped.payload == data.strip()
    assert (marked.session_id, zipped.session_id) == ("a", "a")
    (array,) = take(b"\xef\xbb\xbf" + json.dumps([USER]).encode(), name="b.json")[0]
    assert array.text == "hi"


def test_a_cut_gzip_gives_what_is_whole(take: Any) -> None:
    lines = "".join(json.dumps({"role": "user", "content": f"{i} {hash(str(i))}"}) + "\n" for i in range(12_000))
    drafts, skipped = take(gzip.compress(lines.encode())[:-30_000], name="a.jsonl.gz")
    assert len(drafts) > 100
    assert "cannot be read further" in skipped[-1].reason


def test_first_lines_of_any_length_are_lines(take: Any) -> None:
    drafts, skipped = take([{"role": "user", "content": "x" * 400_000}, USER], name="a.txt", lines=True)
    assert ([len(d.text) for d in drafts], skipped) == ([400_000, 2], [])


def test_messages_nested_too_deeply_are_reported(take: Any) -> None:
    deep = '{"role": "user", "content": ' + "[" * 100_000 + "]" * 100_000 + "}"
    drafts, (skipped,) = take(json.dumps(USER) + "\n" + deep, name="a.jsonl")
    assert len(drafts) == 1
    assert "nested" in skipped.reason
