from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from everyword import Memory
from everyword.domain.message import Message

SAID = [
    {
        "role": "user",
        "content": "買了一枚 1912 年的硬幣 🎂 \x00",
        "name": "Ana",
        "created_at": "2024-03-01T02:30:00+08:00",
    },
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"q": "coin"}'}}],
    },
    {
        "role": "tool",
        "tool_call_id": "c1",
        "content": "\ud800 broken, 1,280 dollars",
        "metadata": {"deep": [1, {"a": None}]},
    },
    {"role": "assistant", "content": [{"type": "text", "text": "two"}, {"type": "text", "text": "parts"}]},
]


def messages(memory: Memory, user: str) -> list[Message]:
    return list(memory._stores.of(user, create=False).log.scan())


def without_arrival(message: Message) -> Message:
    return replace(message, seq=0, received_at=message.received_at.min)


def test_an_export_comes_back_with_every_byte_and_field(tmp_path: Path) -> None:
    with Memory(tmp_path / "one", embedder="none") as one, Memory(tmp_path / "two", embedder="none") as two:
        one.add(SAID, user_id="ana", session_id="s/1", agent_id="a7", idempotency_key="k", metadata={"place": "Oslo"})
        one.add("later", user_id="ana")
        one.forget(user_id="ana", message_ids=[messages(one, "ana")[1].message_id])
        path = tmp_path / "ana.jsonl"
        path.write_bytes(b"".join(one.export(user_id="ana")))
        imported = two.import_file(path, user_id="copy")
        assert (imported.format, imported.added, imported.skipped) == ("everyword", 4, ())
        before, after = messages(one, "ana"), messages(two, "copy")
        assert [message.payload for message in after] == [message.payload for message in before]
        assert [*map(without_arrival, after)] == [*map(without_arrival, before)]
        assert one.verify(user_id="ana").ok
        assert two.verify(user_id="copy").ok
        lines = list(two.export(user_id="copy"))[1:]
        assert [json.loads(line)["payload"] for line in lines] == [message.payload.decode() for message in before]


def test_an_export_that_is_imported_twice_adds_nothing(tmp_path: Path) -> None:
    with Memory(tmp_path / "home", embedder="none") as memory:
        memory.add(SAID, user_id="ana")
        path = tmp_path / "ana.jsonl"
        path.write_bytes(b"".join(memory.export(user_id="ana")))
        for user, added in (("ana", 0), ("copy", 4), ("copy", 0)):
            found = memory.import_file(path, user_id=user)
            assert (found.added, found.added + found.duplicates) == (added, 4)


def test_a_record_with_a_wrong_id_is_skipped_and_the_rest_goes_in(tmp_path: Path) -> None:
    with Memory(tmp_path / "home", embedder="none") as memory:
        memory.add(SAID, user_id="ana")
        lines = list(memory.export(user_id="ana"))
        bad = json.loads(lines[2]) | {"message_id": "no id", "key": None}
        path = tmp_path / "ana.jsonl"
        path.write_bytes(b"".join([*lines[:2], json.dumps(bad).encode() + b"\n", *lines[3:]]))
        found = memory.import_file(path, user_id="copy")
        assert found.added == 3
        assert len(found.skipped) == 1
        assert "no id" in found.skipped[0].reason


def test_an_id_in_capitals_is_the_same_id(tmp_path: Path) -> None:
    with Memory(tmp_path / "home", embedder="none") as memory:
        added = memory.add("coin", user_id="ana")
        lines = [
            line.replace(added.message_ids[0].encode(), added.message_ids[0].upper().encode())
            for line in memory.export(user_id="ana")
        ]
        path = tmp_path / "ana.jsonl"
        path.write_bytes(b"".join(lines))
        assert memory.import_file(path, user_id="copy").added == 1
        assert memory.verify(user_id="copy").ok
        assert memory.get(added.message_ids[0], user_id="copy").message_id == added.message_ids[0]
