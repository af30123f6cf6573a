from __future__ import annotations

from typing import Any


def message(key: str, sender: str, **more: Any) -> dict[str, Any]:
    return {"uuid": key, "sender": sender, "text": "", "created_at": "2024-10-29T15:59:38.34+00:00", **more}


def conversation(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"uuid": "c1", "name": "Bikes", "chat_messages": list(messages), **more}


def test_the_words_come_from_content_or_from_text(take: Any) -> None:
    drafts, skipped = take(
        [
            conversation(
                message("1", "human", content=[{"type": "text", "text": "Which bike?"}]),
                message("2", "assistant", text="The red one.", content=None),
                message("3", "assistant", text="Only here.", content=[{"type": "text", "text": None}]),
                message("4", "human", text="in text", content="in content"),
            )
        ]
    )
    assert skipped == []
    assert [(d.role, d.text) for d in drafts] == [
        ("user", "Which bike?"),
        ("assistant", "The red one."),
        ("assistant", "Only here."),
        ("user", "in content"),
    ]
    assert (drafts[0].session_id, drafts[0].metadata) == ("c1", {"title": "Bikes"})


def test_tool_results_in_an_answer_are_a_tools_words(take: Any) -> None:
    blocks = [
        {"type": "thinking", "thinking": "search first"},
        {"type": "tool_use", "name": "web_search", "input": {"query": "bike"}},
        {"type": "tool_result", "name": "web_search", "content": [{"type": "text", "text": "12 kg"}]},
        {"type": "text", "text": "It weighs 12 kg."},
    ]
    said, result = take(conversation(message("1", "assistant", content=blocks)))[0]
    assert (said.role, said.text) == ("assistant", 'search first\nweb_search({"query": "bike"})\nIt weighs 12 kg.')
    assert (result.role, result.text, result.author, result.origin) == ("tool", "12 kg", "web_search", "tool")
    assert said.key != result.key


def test_attachments_and_files_are_kept(take: Any) -> None:
    files = {
        "attachments": [{"file_name": "lease.txt", "extracted_content": "Rent: 900"}],
        "files": [{"file_kind": "image", "file_name": "plan.png"}],
    }
    (draft,) = take(conversation(message("1", "human", **files)))[0]
    assert draft.text == "[file: lease.txt]\nRent: 900\n[image: plan.png]"


def test_answers_that_were_left_are_another_branch(take: Any) -> None:
    tree = [
        message("1", "human", text="a", parent_message_uuid="00000000"),
        message("2", "assistant", text="b", parent_message_uuid="1"),
        message("3", "assistant", text="c", parent_message_uuid="1"),
    ]
    assert [d.branch for d in take(conversation(*tree))[0]] == ["main", "other", "main"]
    chosen = conversation(*tree, current_leaf_message_uuid="2")
    assert [d.branch for d in take(chosen)[0]] == ["main", "main", "other"]


def test_what_cannot_be_taken_is_reported_with_its_place(take: Any) -> None:
    drafts, skipped = take(
        [
            conversation(message("1", "human", text="a"), message("2", "bot", text="b"), 3, message("4", "human")),
            {"x": 1},
        ],
        name="conversations.json",
    )
    assert len(drafts) == 1
    assert [(s.place, s.reason) for s in skipped] == [
        ("conversations.json[0].chat_messages[1]", "unknown sender 'bot'"),
        ("conversations.json[0].chat_messages[2]", "the message is not an object but int"),
        ("conversations.json[0].chat_messages[3]", "the message has no words"),
        ("conversations.json[1]", "the conversation has no chat_messages"),
    ]


def test_a_time_that_cannot_be_read_is_kept_aside(take: Any) -> None:
    (draft,) = take(conversation(message("1", "human", text="a", created_at="2024-10-29T15:59:38+")))[0]
    assert draft.created_at is None
    assert draft.metadata["created_at_raw"] == "2024-10-29T15:59:38+"


def test_the_same_id_with_other_words_is_another_message(take: Any) -> None:
    drafts, _ = take(conversation(message("1", "human", text="a"), message("1", "human", text="b")))
    assert drafts[0].key != drafts[1].key
