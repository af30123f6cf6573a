from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from everyword import Memory
from everyword.errors import (
    DamagedLogError,
    DiskFullError,
    EverywordError,
    NewerSchemaError,
    ReadOnlyLogError,
    StorageError,
)
from everyword.log.sqlite.database import Database, migrations
from everyword.log.sqlite.log import SqliteLog
from everyword.testing.drafts import START, draft


def user_file(home: Path) -> Path:
    path = home / "users" / "ana.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def filled(home: Path, count: int = 40) -> Path:
    with Memory(home, embedder="none") as memory:
        for number in range(count):
            memory.add(f"coin number{number} " * 20, user_id="ana")
    return user_file(home)


def refuses(home: Path, error: type[EverywordError], match: str) -> None:
    """Every call raises this error, and the file is left as it is."""
    before = user_file(home).read_bytes()
    with Memory(home, embedder="none") as memory:
        for call in (lambda: memory.add("x", user_id="ana"), lambda: memory.search("x", user_id="ana")):
            with pytest.raises(error, match=match):
                call()
        assert memory.add("x", user_id="bob").seqs == (1,)
    assert user_file(home).read_bytes() == before


def test_a_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = filled(tmp_path)
    connection = apsw.Connection(str(path))
    connection.pragma("user_version", len(migrations()) + 1)
    connection.close()
    refuses(tmp_path, NewerSchemaError, "upgrade")


def test_a_text_file_is_refused(tmp_path: Path) -> None:
    user_file(tmp_path).write_text("These are my notes. " * 100)
    refuses(tmp_path, DamagedLogError, "not an Everyword log")


def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    connection = apsw.Connection(str(user_file(tmp_path)))
    connection.execute("CREATE TABLE bookmarks (address TEXT)")
    connection.close()
    refuses(tmp_path, DamagedLogError, "another program")


def test_a_database_with_the_mark_of_another_program_is_refused(tmp_path: Path) -> None:
    connection = apsw.Connection(str(user_file(tmp_path)))
    connection.pragma("application_id", 0x12345678)
    connection.execute("CREATE TABLE meta (name, value)")
    connection.close()
    refuses(tmp_path, DamagedLogError, "another program")


@pytest.mark.parametrize("share", [0.0005, 0.01, 0.3, 0.6, 0.9, 0.99])
def test_a_truncated_file_is_reported_and_never_taken_for_sound(tmp_path: Path, share: float) -> None:
    path = filled(tmp_path, 200)
    whole = path.read_bytes()
    path.write_bytes(whole[: max(1, int(len(whole) * share))])
    with Memory(tmp_path, embedder="none") as memory:
        with suppress(DamagedLogError):
            found = memory.verify(user_id="ana")
            assert not found.ok or found.messages == 200  # what was cut off was free


def packed_words(path: Path, *, seq: int) -> bytes:
    reader = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    found: bytes = reader.execute("SELECT text FROM message WHERE seq = ?", (seq,)).get
    reader.close()
    return found


def test_flipped_bytes_are_never_taken_for_sound_and_never_crash(tmp_path: Path) -> None:
    path = filled(tmp_path, 60)
    whole = path.read_bytes()
    place = whole.index(packed_words(path, seq=8)) + 3
    for at in (place, 18, 4096 + 3, len(whole) // 2 // 4096 * 4096 + 5):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        with Memory(tmp_path, embedder="none") as memory:
            with suppress(StorageError):
                found = memory.verify(user_id="ana")
                assert not found.ok or (found.messages == 60 and at != place)


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("a file")
    with pytest.raises(EverywordError, match="home"):
        with Memory(home, embedder="none") as memory:
            memory.add("x", user_id="ana")
    assert home.read_text() == "a file"


def test_a_users_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "users").write_text("a file")
    with Memory(tmp_path, embedder="none") as memory, pytest.raises(ReadOnlyLogError, match="another"):
        memory.add("x", user_id="ana")


def mounted(folder: Path, *options: str) -> bool:
    """Mount there; tell whether this system lets us."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        return subprocess.run(["mount", *options, str(folder)], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    if os.name != "posix" or os.geteuid() != 0 or not mounted(folder, "-t", "tmpfs", "-o", "size=1m", "tmpfs"):
        pytest.skip(
            "this system does not let the test mount a small disk; another test limits the file's pages instead"
        )
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_is_an_error_and_what_was_acknowledged_is_there(small_disk: Path) -> None:
    stored: list[str] = []
    with Memory(small_disk, embedder="none") as memory:
        with pytest.raises(DiskFullError, match="free some space"):
            for number in range(10_000):
                stored += memory.add(f"coin number{number} " * 30, user_id="ana").message_ids
        assert stored
        assert memory.search("number0", user_id="ana")
        assert memory.get(stored[-1], user_id="ana").text
    with Memory(small_disk, embedder="none") as again:
        assert [again.get(each, user_id="ana").message_id for each in stored] == stored
        assert again.verify(user_id="ana").ok


def test_a_file_that_may_not_grow_is_a_full_disk(tmp_path: Path) -> None:
    database = Database(tmp_path / "ana.db")
    log = SqliteLog(database)
    database.connection.pragma("max_page_count", database.connection.pragma("page_count") + 4)
    acknowledged = 0
    with pytest.raises(DiskFullError):
        while True:
            log.append([draft("coin " * 200)], received_at=START)
            acknowledged += 1
    assert [message.seq for message in log.scan()] == list(range(1, acknowledged + 1))
    database.connection.pragma("max_page_count", 100_000)
    log.append([draft("there is room again")], received_at=START)
    assert log.verify() == []
    database.close()


def test_a_disk_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    filled(tmp_path / "home")
    if os.name != "posix" or os.geteuid() != 0 or not mounted(tmp_path / "view", "--bind", str(tmp_path / "home")):
        pytest.skip("this system does not let the test mount a folder; another test opens a file for reading only")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", str(tmp_path / "view")], check=True)
        with Memory(tmp_path / "view", embedder="none") as memory:
            for user_id in ("ana", "bob"):
                with pytest.raises(ReadOnlyLogError, match="cannot be"):
                    memory.add("x", user_id=user_id)
    finally:
        subprocess.run(["umount", "-l", str(tmp_path / "view")], check=True)


def test_a_connection_for_reading_only_is_an_error_of_ours(tmp_path: Path) -> None:
    database = Database(tmp_path / "ana.db")
    database.connection.pragma("query_only", True)
    with pytest.raises(ReadOnlyLogError, match="cannot be written"):
        SqliteLog(database).append([draft("x")], received_at=START)
    database.close()


def test_an_empty_file_is_a_new_memory(tmp_path: Path) -> None:
    user_file(tmp_path).write_bytes(b"")
    with Memory(tmp_path, embedder="none") as memory:
        assert memory.add("x", user_id="ana").seqs == (1,)


def test_other_files_in_the_folder_are_nobody(tmp_path: Path) -> None:
    filled(tmp_path, 1)
    (tmp_path / "users" / "notes.txt").write_text("x")
    (tmp_path / "settings.toml").write_text("budget = 900\n")
    with Memory(tmp_path, embedder="none") as memory:
        assert memory.users() == ["ana"]
        assert memory.context("coin", user_id="ana").budget == 900
