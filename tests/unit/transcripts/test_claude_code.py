from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from everyword.transcripts.formats import recognise


def record(kind: str, uuid: str, parent: str | None, content: Any, **more: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": "s1",
        "timestamp": "2025-06-14T10:00:00Z",
        "cwd": "/home/ana/shop",
        "message": {"role": kind, "content": content},
        **more,
    }


USE = [
    {"type": "text", "text": "Let me look."},
    {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
]
RESULT = [{"type": "tool_result", "tool_use_id": "t1", "content": "shop.db"}]


def test_a_session_with_tool_calls_comes_in_whole(take: Any) -> None:
    lines = [
        record("user", "1", None, "List files"),
        record("assistant", "2", "1", USE),
        record("user", "3", "2", RESULT),
    ]
    drafts, skipped = take(lines, name="a.jsonl", lines=True)
    assert skipped == []
    assert [(d.role, d.origin, d.author, d.text) for d in drafts] == [
        ("user", "user", None, "List files"),
        ("assistant", "assistant", None, 'Let me look.\nBash({"command": "ls"})'),
        ("tool", "tool", "Bash", "shop.db"),
    ]
    assert [json.loads(d.payload) for d in drafts] == lines
    assert {(d.session_id, d.branch, d.metadata["project"]) for d in drafts} == {("s1", "main", "/home/ana/shop")}


def test_the_payload_is_the_line(take: Any) -> None:
    line = '  {"type":"user","uuid":"1",  "sessionId":"s","message":{"role":"user","content":"caf\\u00e9"}} '
    (draft,) = take(line + "\r\n", name="a.jsonl")[0]
    assert draft.payload.decode() == line


def test_side_chains_are_marked_with_their_agent(take: Any) -> None:
    lines = [record("user", "1", None, "go", isSidechain=True, agentId="x1")]
    (draft,) = take(lines, name="a.jsonl", lines=True)[0]
    assert (draft.branch, draft.agent_id) == ("side", "x1")


def test_a_prompt_that_was_asked_again_is_another_branch_with_its_answer(take: Any) -> None:
    lines = [
        record("user", "1", None, "start"),
        record("assistant", "2", "1", "yes?"),
        record("user", "3", "2", "paint it red"),
        record("assistant", "4", "3", "red it is"),
        record("user", "5", "2", "paint it blue"),
        record("assistant", "6", "5", "blue it is"),
    ]
    drafts, _ = take(lines, name="a.jsonl", lines=True)
    assert [d.branch for d in drafts] == ["main", "main", "other", "other", "main", "main"]


def test_results_of_parallel_calls_stay_on_the_main_branch(take: Any) -> None:
    lines = [
        record("assistant", "2", "1", USE),
        record("user", "3", "2", RESULT),
        record("assistant", "4", "2", USE),
        record("user", "5", "4", RESULT),
    ]
    assert {d.branch for d in take(lines, name="a.jsonl", lines=True)[0]} == {"main"}


def test_summaries_and_what_the_program_wrote_are_not_the_users_words(take: Any) -> None:
    lines = [
        record("user", "1", None, "<environment>", isMeta=True),
        record("user", "2", None, "Earlier: bought a bike", isCompactSummary=True),
        {"type": "summary", "summary": "Bike talk", "leafUuid": "2"},
        {"type": "system", "sessionId": "s1", "uuid": "9", "content": "Conversation compacted"},
    ]
    drafts, _ = take(lines, name="a.jsonl", lines=True)
    assert [(d.role, d.origin, d.metadata["kind"]) for d in drafts] == [
        ("user", "import", "meta"),
        ("user", "import", "summary"),
        ("system", "import", "summary"),
        ("system", "import", "system"),
    ]
    assert drafts[2].session_id == "s1"


def test_bookkeeping_is_passed_over_and_foreign_records_are_reported(take: Any) -> None:
    lines = [
        record("user", "1", None, "hello"),
        {"type": "file-history-snapshot", "messageId": "1", "snapshot": {}},
        {"type": "progress", "sessionId": "s1", "uuid": "2", "data": {"type": "hook_progress"}},
        {"silly": "this"},
        42,
        record("user", "3", None, None),
        record("user", "4", None, []),
        {**record("user", "5", None, ""), "message": "error"},
        record("robot", "6", None, "beep"),
    ]
    drafts, skipped = take(lines, name="a.jsonl", lines=True)
    assert [d.text for d in drafts] == ["hello", "beep"]
    assert [(s.place, s.reason) for s in skipped] == [
        ("a.jsonl:4", "not a message: the record's type is None"),
        ("a.jsonl:5", "a record must be an object, not int"),
        ("a.jsonl:6", "content must be a text or a list of blocks, not NoneType"),
        ("a.jsonl:7", "the message has no words"),
        ("a.jsonl:8", "the message is not an object but str"),
    ]


def test_a_subagents_message_inside_a_progress_record_is_a_side_chain(take: Any) -> None:
    inner = record("assistant", "i1", None, "found it")
    lines = [
        record("user", "1", None, "go"),
        {"type": "progress", "sessionId": "s1", "uuid": "p", "data": {"agentId": "x", "message": inner}},
    ]
    _, side = take(lines, name="a.jsonl", lines=True)[0]
    assert (side.text, side.branch, side.agent_id) == ("found it", "side", "x")
    assert json.loads(side.payload) == lines[1]


def test_a_document_with_loglines_is_a_session(take: Any) -> None:
    lines = [{"type": "user", "message": {"role": "user", "content": "hi"}}]
    (draft,) = take({"loglines": lines}, name="sample.json")[0]
    assert (draft.text, draft.session_id) == ("hi", "sample")


def test_a_folder_of_sessions_is_read(tmp_path: Path, take_path: Any) -> None:
    for name in ("a", "b"):
        (tmp_path / "project").mkdir(exist_ok=True)
        line = {**record("user", "1", None, "hi"), "sessionId": name}
        (tmp_path / "project" / f"{name}.jsonl").write_text(json.dumps(line))
    (tmp_path / "project" / "notes.md").write_text("# notes")
    assert recognise(tmp_path) == "claude-code"
    drafts, skipped = take_path(tmp_path)
    assert ([d.session_id for d in drafts], skipped) == (["a", "b"], [])


def test_a_line_that_is_repeated_has_one_key_and_a_conflicting_one_its_own(take: Any) -> None:
    first = record("user", "1", None, "hello")
    lines = [first, first, record("user", "1", None, "other words")]
    drafts, _ = take(lines, name="a.jsonl", lines=True)
    assert drafts[0].key == drafts[1].key
    assert drafts[0].key != drafts[2].key


def test_equal_lines_without_id_are_two_messages(take: Any) -> None:
    line = {"type": "user", "sessionId": "s", "message": {"role": "user", "content": "again"}}
    drafts, _ = take([line, line], name="a.jsonl", lines=True)
    assert drafts[0].key != drafts[1].key


def test_lines_that_are_cut_or_not_utf8_lose_nothing_else(take: Any) -> None:
    good = json.dumps(record("user", "1", None, "hello")).encode()
    bad = good.replace(b"hello", b"caf\xe9")
    drafts, (skipped,) = take(good + b"\n" + bad + b"\n" + good[:40], name="a.jsonl")
    assert [d.text for d in drafts] == ["hello", "caf\ufffd"]
    assert skipped.place == "a.jsonl:3"
