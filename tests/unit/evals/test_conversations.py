from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from everyword.errors import InvalidInputError
from everyword.evals.conversations import load

MESSAGES = [
    {"role": "user", "content": "Where is the key?", "created_at": "2026-02-22T19:48:00+08:00"},
    {"role": "assistant", "content": "With Mrs. Chou.", "created_at": "2026-02-22T19:49:00+08:00"},
]


def test_conversations_are_a_history_without_questions(tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text("".join(f"{json.dumps(each)}\n" for each in MESSAGES), "utf-8")
    found = load(file)
    (case,) = list(found.cases)
    assert [(each.role, each.text) for each in case.messages] == [
        ("user", "Where is the key?"),
        ("assistant", "With Mrs. Chou."),
    ]
    assert case.messages[0].created_at == "2026-02-22T19:48:00+08:00"
    assert case.questions == ()
    assert found.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()


@pytest.mark.parametrize("text", [None, "", "no conversation"])
def test_what_holds_no_messages_is_refused_with_its_name(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "chat.jsonl"
    if text is not None:
        file.write_text(text, "utf-8")
    with pytest.raises(InvalidInputError, match="chat.jsonl"):
        load(file)
