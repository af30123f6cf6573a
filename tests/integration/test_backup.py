"""`everyword backup` beside writers, and `everyword restore`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from typer.testing import CliRunner, Result

from everyword import Memory
from everyword.assembly import back_up, restore
from everyword.cli.main import app
from everyword.errors import BusyLogError, DamagedLogError, InvalidInputError, StorageError
from everyword.log.sqlite import database as databases
from everyword.server.keys import KeyRing
from everyword.testing.word_embedder import WordEmbedder

LONG = "Ana-" * 32
WRITER = """
import sys
from everyword import Memory
with Memory(sys.argv[1], embedder="none") as memory:
    for number in range(100000):
        for user in ("ana", "bob"):
            added = memory.add([{"role": "user", "content": f"pair {number}"}, {"role": "assistant", "content": f"re {number}"}], user_id=user)
            print(user, *added.message_ids, flush=True)
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def filled(home: Path) -> Path:
    with Memory(home, embedder=WordEmbedder()) as memory:
        for user in ("ana", LONG):
            memory.add(
                "My spare key is with Mrs. Chou.", user_id=user, session_id="s1", timestamp="2026-02-22T19:48+08:00"
            )
            memory.index(user_id=user)
    KeyRing(home).add(user="ana", label="phone")
    (home / "settings.toml").write_text('strategy = "bm25"\n')
    (home / "usage.jsonl").write_text('{"tokens": 1}\n{"tok')
    return home


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(each) for each in arguments], env={"EVERYWORD_EMBEDDER": "none"})


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def exported(home: Path, user: str) -> list[bytes]:
    with Memory(home, embedder="none") as memory:
        return list(memory.export(user_id=user))[1:]


def test_everything_comes_back_and_is_verified(filled: Path, tmp_path: Path) -> None:
    made = run("--home", filled, "backup", tmp_path / "b", "--json")
    assert made.exit_code == 0, made.output
    assert {name: json.loads(made.stdout)[name] for name in ("users", "files")} == {"users": 2, "files": 5}
    back = run("restore", tmp_path / "b", "--home", tmp_path / "new", "--json")
    assert back.exit_code == 0, back.output
    assert (json.loads(back.stdout)["messages"], json.loads(back.stdout)["problems"]) == (2, [])
    for user in ("ana", LONG):
        assert exported(tmp_path / "new", user) == exported(filled, user)
    with Memory(tmp_path / "new", embedder=WordEmbedder()) as memory:
        assert memory.stats(user_id="ana")["vectors"] == 1
        assert memory.context("Who has the key?", user_id="ana").strategy == "bm25"
        assert memory.search("spare key", user_id="ana", mode="semantic")
    assert [key.label for key in KeyRing(tmp_path / "new").listed()] == ["phone"]
    assert (tmp_path / "new" / "usage.jsonl").read_text() == '{"tokens": 1}\n'
    assert (
        sum(
            "messages" in line for line in run("restore", tmp_path / "b", "--home", tmp_path / "n2").stdout.splitlines()
        )
        == 1
    )


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_a_backup_is_for_its_owner_alone(filled: Path, tmp_path: Path) -> None:
    back_up(filled, tmp_path / "b")
    assert [path.stat().st_mode & 0o077 for path in [tmp_path / "b", *(tmp_path / "b").rglob("*")]] == [0] * 8


def test_a_folder_that_holds_something_is_not_touched(filled: Path, tmp_path: Path) -> None:
    back_up(filled, tmp_path / "b")
    before = names(tmp_path / "b")
    with pytest.raises(InvalidInputError, match="not empty"):
        back_up(filled, tmp_path / "b")
    assert names(tmp_path / "b") == before
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "other.txt").write_text("mine")
    refused = run("restore", tmp_path / "b", "--home", tmp_path / "new")
    assert refused.exit_code == 2
    assert names(tmp_path / "new") == ["other.txt"]
    with pytest.raises(InvalidInputError, match="not empty"):
        restore(tmp_path / "b", filled)


def test_an_empty_folder_may_be_there_already(filled: Path, tmp_path: Path) -> None:
    for name in ("b", "new"):
        (tmp_path / name).mkdir()
    back_up(filled, tmp_path / "b")
    restore(tmp_path / "b", tmp_path / "new")
    assert exported(tmp_path / "new", "ana") == exported(filled, "ana")


def test_what_is_no_memory_or_lies_inside_it_is_refused(filled: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="no memory"):
        back_up(tmp_path / "nowhere", tmp_path / "b")
    with pytest.raises(InvalidInputError, match="inside"):
        back_up(filled, filled / "b")
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize("damage", ["changed", "missing", "no manifest", "foreign manifest", "escaping"])
def test_a_damaged_backup_leaves_nothing_behind(filled: Path, tmp_path: Path, damage: str) -> None:
    source = tmp_path / "b"
    back_up(filled, source)
    manifest, file = source / "backup.json", source / "users" / "ana.db"
    if damage == "changed":
        file.write_bytes(file.read_bytes()[:-1] + b"\x01")
    elif damage == "missing":
        file.unlink()
    elif damage == "no manifest":
        manifest.unlink()
    elif damage == "foreign manifest":
        manifest.write_text("[]")
    else:
        found = json.loads(manifest.read_text())
        found["files"]["../evil"] = found["files"].pop("settings.toml")
        manifest.write_text(json.dumps(found))
        (tmp_path / "evil").write_bytes((source / "settings.toml").read_bytes())
    with pytest.raises(DamagedLogError):
        restore(source, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_backup_that_fails_half_way_leaves_nothing_behind(filled: Path, tmp_path: Path) -> None:
    broken = filled / "users" / "zoe.db"
    broken.write_bytes(b"SQLite format 3\x00" + bytes(5000))
    with pytest.raises(StorageError):
        back_up(filled, tmp_path / "b")
    assert not (tmp_path / "b").exists()


@pytest.fixture
def writer(home: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(home)], stdout=subprocess.PIPE, text=True)
    yield process
    process.kill()
    process.communicate()


@pytest.mark.parametrize("rounds", [3, pytest.param(60, marks=[pytest.mark.soak, pytest.mark.timeout(1200)])])
def test_a_backup_beside_a_writer_has_all_that_was_acknowledged_before_it_and_no_half_of_a_call(
    home: Path, tmp_path: Path, writer: Any, rounds: int
) -> None:
    acknowledged: dict[str, list[str]] = {"ana": [], "bob": []}
    for number in range(rounds):
        for _ in range(20):
            user, *ids = writer.stdout.readline().split()
            acknowledged[user] += ids
        back_up(home, tmp_path / f"b{number}")
        restore(tmp_path / f"b{number}", tmp_path / f"r{number}")
        assert writer.poll() is None
        with Memory(tmp_path / f"r{number}", embedder="none") as memory:
            for user, ids in acknowledged.items():
                assert memory.verify(user_id=user).ok
                there = [message.message_id for message in memory.messages(user_id=user)]
                assert there[: len(ids)] == ids
                assert len(there) % 2 == 0


def test_words_that_were_forgotten_while_a_reader_held_them_back_are_in_no_backup(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Memory(filled, embedder="none") as memory:
        ids = memory.add("canary-7f3a", user_id="ana").message_ids
    reader = apsw.Connection(str(filled / "users" / "ana.db"))
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM message").fetchall()
    monkeypatch.setattr(databases, "BUSY_TIMEOUT_S", 0.1)
    with Memory(filled, embedder="none") as memory, pytest.raises(BusyLogError):
        memory.forget(user_id="ana", message_ids=ids)
    back_up(filled, tmp_path / "b")
    reader.close()
    assert not [path for path in (tmp_path / "b").rglob("*") if path.is_file() and b"canary-7f3a" in path.read_bytes()]
    restore(tmp_path / "b", tmp_path / "new")
    with Memory(tmp_path / "new", embedder="none") as memory:
        assert memory.stats(user_id="ana")["messages"] == 1


def test_a_backup_restored_beside_a_server_is_served_at_once(filled: Path, tmp_path: Path) -> None:
    back_up(filled, tmp_path / "b")
    with Memory(tmp_path / "new", embedder="none") as serving:
        assert serving.search("spare key", user_id="ana") == []
        restore(tmp_path / "b", tmp_path / "new")
        assert serving.search("spare key", user_id="ana")
