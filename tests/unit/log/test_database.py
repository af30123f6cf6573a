from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

from everyword.errors import BusyLogError, DamagedLogError, StorageError
from everyword.log.sqlite import database as module
from everyword.log.sqlite.database import Database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(tmp_path / "ana.db")
    with opened.transaction() as connection:
        connection.execute("CREATE TABLE number (n INTEGER)")
    yield opened
    opened.close()


def numbers(database: Database) -> list[int]:
    with database.reading() as connection:
        return [row[0] for row in connection.execute("SELECT n FROM number ORDER BY n")]


def put(database: Database, number: int) -> None:
    with database.transaction() as connection:
        connection.execute("INSERT INTO number VALUES (?)", (number,))


def test_what_raises_is_undone_with_all_that_it_is_part_of(database: Database) -> None:
    with pytest.raises(ValueError, match="inner"):
        with database.transaction():
            put(database, 1)
            with database.transaction():
                put(database, 2)
                raise ValueError("inner")
    assert numbers(database) == []
    put(database, 3)
    assert numbers(database) == [3]


def test_a_reader_inside_a_transaction_sees_what_is_not_committed(database: Database) -> None:
    with database.transaction():
        put(database, 1)
        assert numbers(database) == [1]
        with database.reading():
            assert numbers(database) == [1]
        put(database, 2)
    assert numbers(database) == [1, 2]


def test_a_reader_sees_one_state_while_another_connection_writes(database: Database) -> None:
    other = Database(database.path)
    with database.reading():
        assert numbers(database) == []
        put(other, 1)
        assert numbers(database) == []
    assert numbers(database) == [1]
    other.close()


def test_a_generator_that_is_left_inside_a_reader_ends_it(database: Database) -> None:
    def reading() -> Iterator[int]:
        with database.reading() as connection:
            yield from (row[0] for row in connection.execute("SELECT n FROM number"))

    put(database, 1)
    put(database, 2)
    left = reading()
    assert next(left) == 1
    left.close()
    put(database, 3)
    assert numbers(database) == [1, 2, 3]


def test_threads_take_turns(database: Database) -> None:
    def work(thread: int) -> None:
        for number in range(25):
            with database.transaction():
                count = len(numbers(database))
                put(database, thread * 100 + number)
                assert len(numbers(database)) == count + 1

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    assert len(numbers(database)) == len(set(numbers(database))) == 150


def test_a_lock_that_is_held_too_long_is_an_error_that_says_repeat(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BUSY_TIMEOUT_S", 0.05)
    impatient = Database(database.path)
    with database.transaction():
        with pytest.raises(BusyLogError, match="repeat"):
            put(impatient, 1)
        put(database, 2)
    put(impatient, 3)
    assert numbers(impatient) == [2, 3]
    impatient.close()


def test_a_closed_database_says_so_and_closing_twice_does_nothing(database: Database) -> None:
    database.close()
    database.close()
    with pytest.raises(StorageError, match="closed"):
        numbers(database)
    with pytest.raises(StorageError, match="closed"):
        put(database, 1)


def test_closing_waits_for_the_thread_that_works(database: Database) -> None:
    begun, done = threading.Event(), threading.Event()

    def work() -> None:
        with database.transaction():
            begun.set()
            for number in range(200):
                put(database, number)
            done.set()

    worker = threading.Thread(target=work)
    worker.start()
    begun.wait()
    database.close()
    assert done.is_set()
    worker.join()
    again = Database(database.path)
    assert len(numbers(again)) == 200
    again.close()


def test_everything_that_was_asked_of_sqlite_holds(database: Database) -> None:
    for name, value in {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "secure_delete": 1}.items():
        assert database.connection.pragma(name) == value


def test_a_transaction_that_the_disk_refused_leaves_the_connection_usable(database: Database) -> None:
    database.connection.pragma("max_page_count", database.connection.pragma("page_count"))
    with pytest.raises(StorageError, match="full"), database.transaction() as connection:
        connection.execute(
            "WITH RECURSIVE each(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each LIMIT 100000) INSERT INTO number SELECT n FROM each"
        )
    database.connection.pragma("max_page_count", 100_000)
    put(database, 1)
    assert numbers(database) == [1]


def test_a_file_can_only_be_one_persons(database: Database) -> None:
    assert database.owner() is None
    database.set_owner("ana")
    database.set_owner("ana")
    assert database.owner() == "ana"
    with pytest.raises(DamagedLogError, match="'ana'"):
        database.set_owner("bob")


def test_shrinking_empties_the_write_ahead_log(database: Database) -> None:
    for number in range(50):
        put(database, number)
    database.shrink()
    wal = Path(f"{database.path}-wal")
    assert not wal.exists() or wal.stat().st_size == 0
    assert not database.owes_shrink()


def test_no_statement_of_a_migration_is_left_half_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scripts = module.migrations()
    Database(tmp_path / "ana.db").close()
    monkeypatch.setattr(module, "migrations", lambda: [*scripts, "CREATE TABLE extra (x); SELECT no_such_function();"])
    with pytest.raises(StorageError):
        Database(tmp_path / "ana.db")
    monkeypatch.undo()
    connection = apsw.Connection(str(tmp_path / "ana.db"))
    assert connection.pragma("user_version") == len(scripts)
    assert not connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'extra'").get
    connection.close()
    Database(tmp_path / "ana.db").close()
