from __future__ import annotations

import json
from typing import Any

from everyword.transcripts.formats import recognise


def item(**payload: Any) -> dict[str, Any]:
    return {"timestamp": "2025-09-01T08:00:00Z", "type": "response_item", "payload": payload}


def event(**payload: Any) -> dict[str, Any]:
    return {"timestamp": "2025-09-01T08:00:00Z", "type": "event_msg", "payload": payload}


META = {"type": "session_meta", "payload": {"id": "s9", "cwd": "/home/ana", "timestamp": "2025-09-01T08:00:00Z"}}
USER = item(type="message", role="user", content=[{"type": "input_text", "text": "Run it"}])


def test_a_session_comes_in_whole(take: Any) -> None:
    lines = [
        META,
        {"type": "turn_context", "payload": {"model": "gpt-5", "cwd": "/home/ana"}},
        USER,
        item(type="reasoning", summary=[{"type": "summary_text", "text": "run tests"}], encrypted_content="x"),
        item(type="reasoning", summary=[], encrypted_content="x"),
        item(type="function_call", name="shell", arguments='{"cmd":"make"}', call_id="c1"),
        item(type="function_call_output", call_id="c1", output="3 passed"),
        item(type="message", role="assistant", content=[{"type": "output_text", "text": "All pass"}]),
        {"type": "compacted", "payload": {"message": "Ran the tests."}},
    ]
    drafts, skipped = take(lines, name="rollout.jsonl", lines=True)
    assert skipped == []
    assert [(d.role, d.origin, d.text) for d in drafts] == [
        ("user", "user", "Run it"),
        ("assistant", "assistant", "run tests"),
        ("assistant", "assistant", 'shell({"cmd":"make"})'),
        ("tool", "tool", "3 passed"),
        ("assistant", "assistant", "All pass"),
        ("system", "import", "Ran the tests."),
    ]
    assert drafts[3].author == "shell"
    assert {d.session_id for d in drafts} == {"s9"}
    assert drafts[0].metadata == {"project": "/home/ana", "model": "gpt-5"}
    assert json.loads(drafts[0].payload) == USER


def test_events_that_repeat_items_are_passed_over_and_others_kept(take: Any) -> None:
    lines = [
        META,
        event(type="user_message", message="Run it"),
        USER,
        event(type="token_count", info={"total": 5}),
        event(type="agent_message", message="Only said here"),
        event(type="exec_command_end", aggregated_output="x"),
        event(type="error", message="stream lost"),
    ]
    drafts, skipped = take(lines, name="rollout.jsonl", lines=True)
    assert skipped == []
    assert [(d.role, d.text) for d in drafts] == [
        ("user", "Run it"),
        ("assistant", "Only said here"),
        ("system", "stream lost"),
    ]


def test_context_that_the_program_adds_is_not_the_users_word(take: Any) -> None:
    text = "<environment_context>\n<cwd>/home</cwd>\n</environment_context>"
    lines = [META, item(type="message", role="user", content=[{"type": "input_text", "text": text}])]
    (draft,) = take(lines, name="rollout.jsonl", lines=True)[0]
    assert (draft.role, draft.origin, draft.metadata["kind"]) == ("user", "import", "context")


def test_the_older_layout_of_bare_items_is_read(take: Any) -> None:
    lines = [
        {"id": "old", "timestamp": "2025-05-01T08:00:00Z", "instructions": "Be brief"},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c"},
        {"type": "function_call_output", "call_id": "c", "output": "ok"},
    ]
    drafts, skipped = take(lines, name="rollout.jsonl", lines=True)
    assert skipped == []
    assert [d.text for d in drafts] == ["Be brief", "hi", "shell({})", "ok"]
    assert {d.session_id for d in drafts} == {"old"}


def test_the_oldest_layout_of_one_document_is_read(take: Any, tmp_path: Any) -> None:
    document = {
        "session": {"id": "older", "timestamp": "2025-04-20T08:00:00Z", "instructions": ""},
        "items": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}],
    }
    (draft,) = take(document, name="rollout.json")[0]
    assert (draft.text, draft.session_id) == ("hi", "older")
    assert recognise(tmp_path / "rollout.json") == "codex"


def test_what_cannot_be_taken_is_reported_with_its_place(take: Any) -> None:
    lines = [META, 5, item(type="message", role="robot", content="x"), {"type": "response_item"}, {"type": "other"}]
    drafts, skipped = take(lines, name="rollout.jsonl", lines=True)
    assert drafts == []
    assert [s.place for s in skipped] == [f"rollout.jsonl:{n}" for n in (2, 3, 4, 5)]
