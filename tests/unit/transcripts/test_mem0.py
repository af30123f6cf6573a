from __future__ import annotations

import json
import sqlite3
import zipfile
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from everyword import Memory
from everyword.errors import UnknownFormatError
from everyword.transcripts import read, recognise

TEA, CAT = "5b1f6f2e-8a07-4b0f-9d7e-4d1c6a1b2c3d", "0c9a7e55-1111-4222-8333-abcdefabcdef"


def memory_of(identity: str, text: str, **more: Any) -> dict[str, Any]:
    return {
        "id": identity,
        "memory": text,
        "hash": "9f",
        "metadata": {"topic": "home"},
        "created_at": "2025-03-01T09:00:00-08:00",
        "updated_at": None,
        "user_id": "ana",
        **more,
    }


DUMP = {
    "results": [
        memory_of(TEA, "Takes oolong", updated_at="2025-04-02T10:00:00+08:00", run_id="r7", agent_id="shop"),
        memory_of(CAT, "Has a cat named 咪咪", role="user"),
    ]
}


def history_at(path: Path, rows: list[tuple[Any, ...]]) -> Path:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT,"
            " created_at DATETIME, updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT)"
        )
        connection.executemany("INSERT INTO history VALUES (?,?,?,?,?,?,?,0,NULL,NULL)", rows)
    return path


def test_memories_keep_their_ids_times_and_scopes(take: Any) -> None:
    drafts, skipped = take(DUMP)
    assert skipped == []
    tea, cat = drafts
    assert (tea.text, tea.session_id, tea.agent_id) == ("Takes oolong", "r7", "shop")
    assert tea.created_at == datetime(2025, 4, 2, 10, tzinfo=timezone(timedelta(hours=8)))
    assert cat.created_at == datetime(2025, 3, 1, 17, tzinfo=UTC)
    assert cat.metadata == {
        "topic": "home",
        "mem0_id": CAT,
        "mem0_user_id": "ana",
        "mem0_created_at": "2025-03-01T09:00:00-08:00",
        "mem0_role": "user",
    }
    assert json.loads(cat.payload) == DUMP["results"][1]


@pytest.mark.parametrize(
    "content, lines",
    [(DUMP, False), (DUMP["results"], False), (DUMP["results"], True), ({"count": 2, **DUMP}, False)],
    ids=["get_all", "list", "lines", "page"],
)
def test_every_shape_of_a_dump_is_recognised(tmp_path: Path, take: Any, content: Any, lines: bool) -> None:
    drafts, skipped = take(content, name="dump.jsonl" if lines else "dump.json", lines=lines)
    assert [draft.metadata["mem0_id"] for draft in drafts] == [TEA, CAT]
    assert skipped == []
    assert recognise(next(tmp_path.iterdir())) == "mem0"


def test_what_a_model_wrote_is_never_the_users_own_statement(tmp_path: Path) -> None:
    file = tmp_path / "dump.json"
    file.write_text(json.dumps({"results": [memory_of(TEA, "I am allergic to walnuts and my name is Ana.")]}))
    with Memory(tmp_path / "home", embedder="none") as memory:
        memory.import_file(file, user_id="ana")
        found = memory.search("allergic walnuts", user_id="ana")[0]
        assert (found.role, found.origin, found.author) == ("assistant", "import", "mem0")
        assert [claim for claim in memory.claims.of(user_id="ana") if claim.kind != "note"] == []
        memory.add("I am allergic to walnuts and my name is Ana.", user_id="bob")
        assert [claim for claim in memory.claims.of(user_id="bob") if claim.kind != "note"] != []


def test_importing_twice_adds_nothing_and_a_changed_memory_is_added(tmp_path: Path) -> None:
    file = tmp_path / "dump.json"
    with Memory(tmp_path / "home", embedder="none") as memory:
        file.write_text(json.dumps(DUMP))
        assert memory.import_file(file, user_id="ana").added == 2
        again = memory.import_file(file, user_id="ana", format="mem0")
        assert (again.added, again.duplicates, again.skipped) == (0, 2, ())
        changed = [memory_of(TEA, "Takes green tea", updated_at="2025-06-01T00:00:00Z"), DUMP["results"][1]]
        file.write_text(json.dumps({"results": changed}))
        assert memory.import_file(file, user_id="ana").added == 1


def test_another_users_memories_are_not_mixed_in(take: Any) -> None:
    drafts, skipped = take([memory_of(TEA, "Ana's"), memory_of(CAT, "Bob's", user_id="bob"), memory_of("x", "Ana's 2")])
    assert [draft.text for draft in drafts] == ["Ana's", "Ana's 2"]
    assert [("'bob'" in one.reason, one.place) for one in skipped] == [(True, "file.json[1]")]


def test_a_record_that_is_no_memory_is_reported_with_its_place(take: Any) -> None:
    drafts, skipped = take(
        {"results": [memory_of(TEA, "Takes oolong"), memory_of(CAT, " "), {"memory": "no id"}, 7]}, format="mem0"
    )
    assert len(drafts) == 1
    assert [one.place for one in skipped] == [f"file.json.results[{n}]" for n in (1, 2, 3)]


@pytest.mark.parametrize("zipped", [False, True])
def test_a_history_beside_the_dump_gives_earlier_wordings_of_its_memories_alone(tmp_path: Path, zipped: bool) -> None:
    folder = tmp_path / "dump"
    folder.mkdir()
    (folder / "memories.json").write_text(json.dumps(DUMP))
    history_at(
        folder / "history.db",
        [
            ("1", TEA, None, "Takes coffee", "ADD", "2025-03-01T09:00:00+00:00", None),
            (
                "2",
                TEA,
                "Takes coffee",
                "Takes oolong",
                "UPDATE",
                "2025-03-01T09:00:00+00:00",
                "2025-04-02T02:00:00+00:00",
            ),
            ("3", "bobs", None, "Bob's secret", "ADD", "2025-03-01T09:00:00+00:00", None),
            ("4", CAT, "x", None, "DELETE", "2025-03-01T09:00:00+00:00", None),
        ],
    )
    path = folder
    if zipped:
        path = tmp_path / "dump.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for file in folder.iterdir():
                archive.write(file, file.name)
    assert recognise(path) == "mem0"
    drafts: Any = list(read(path))
    assert [draft.text for draft in drafts] == ["Takes coffee", "Takes oolong", "Has a cat named 咪咪"]
    assert drafts[0].metadata["is_superseded"]
    assert drafts[0].created_at == datetime(2025, 3, 1, 9, tzinfo=UTC)
    assert drafts[0].session_id == drafts[1].session_id == "r7"


def test_a_history_in_wal_mode_is_read_and_a_damaged_one_reported(tmp_path: Path) -> None:
    (tmp_path / "dump.json").write_text(json.dumps(DUMP))
    row = ("1", TEA, None, "Takes coffee", "ADD", "2025-03-01T09:00:00+00:00", None)
    with closing(sqlite3.connect(history_at(tmp_path / "history.db", [row]))) as connection:
        connection.execute("PRAGMA journal_mode = wal")
    (tmp_path / "other.db").write_bytes(b"no database")
    found: Any = list(read(tmp_path))
    assert [getattr(one, "place", None) or one.text for one in found] == [
        "other.db",
        "Takes coffee",
        "Takes oolong",
        "Has a cat named 咪咪",
    ]


def test_a_history_alone_is_refused_since_it_does_not_say_whose_it_is(tmp_path: Path) -> None:
    path = history_at(tmp_path / "history.db", [("1", TEA, None, "Takes coffee", "ADD", "2025-03-01", None)])
    for format in (None, "mem0"):
        with pytest.raises(UnknownFormatError):
            list(read(path, format))
