from __future__ import annotations

import json
from typing import Any


def test_speakers_tools_and_the_system_prompt_are_read(take: Any) -> None:
    call = json.dumps({"name": "invoice", "arguments": {"to": "約翰"}}, ensure_ascii=False)
    record = {
        "id": "i0",
        "system": "You bill.",
        "tools": json.dumps([{"name": "invoice"}]),
        "conversations": [
            {"from": "human", "value": "開發票"},
            {"from": "function_call", "value": call},
            {"from": "observation", "value": "INV1"},
            {"from": "gpt", "value": "INV1 sent"},
        ],
    }
    drafts, skipped = take([record])
    assert skipped == []
    assert [(d.role, d.author, d.text) for d in drafts] == [
        ("system", None, "You bill."),
        ("user", None, "開發票"),
        ("assistant", None, 'invoice({"to": "約翰"})'),
        ("tool", "invoice", "INV1"),
        ("assistant", None, "INV1 sent"),
    ]
    assert {d.session_id for d in drafts} == {"i0"}
    assert drafts[1].metadata == {"tools": ["invoice"]}
    assert json.loads(drafts[2].payload) == record["conversations"][1]


def test_equal_turns_at_different_places_are_kept_apart(take: Any) -> None:
    turns = [{"from": "human", "value": "hi"}, {"from": "human", "value": "hi"}]
    drafts, _ = take([{"conversations": turns}, {"conversations": turns}])
    assert len({d.key for d in drafts}) == 4
    assert [d.session_id for d in drafts] == ["file-0", "file-0", "file-1", "file-1"]


def test_a_call_that_is_not_json_stays_text(take: Any) -> None:
    turns = [{"from": "function_call", "value": "look(1)"}, {"from": "observation", "value": "ok"}]
    call, result = take({"conversations": turns})[0]
    assert (call.text, result.author) == ("look(1)", None)


def test_lines_are_read_as_well(take: Any) -> None:
    drafts, _ = take([{"conversations": [{"from": "gpt", "value": "a"}]}] * 2, name="a.jsonl", lines=True)
    assert len(drafts) == 2


def test_what_cannot_be_taken_is_reported_with_its_place(take: Any) -> None:
    turns = [{"from": "human", "value": "a"}, {"from": "alien", "value": "b"}, {"from": "gpt", "value": ""}, 3]
    drafts, skipped = take([{"conversations": turns}, {"x": 1}], name="s.json")
    assert len(drafts) == 1
    assert [(s.place, s.reason) for s in skipped] == [
        ("s.json[0].conversations[1]", "unknown speaker 'alien'"),
        ("s.json[0].conversations[2]", "the turn has no value"),
        ("s.json[0].conversations[3]", "unknown speaker 3"),
        ("s.json[1]", "the record has no list of conversations"),
    ]
