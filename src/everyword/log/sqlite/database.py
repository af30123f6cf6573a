"""One user's SQLite file: opened, migrated, locked and closed, with errors that say what to do."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

import apsw

from everyword.errors import (
    BusyLogError,
    DamagedLogError,
    DiskFullError,
    NewerSchemaError,
    ReadOnlyLogError,
    StorageError,
)

APPLICATION_ID = 0x45765764  # "EvWd"
BUSY_TIMEOUT_S = 30.0
_WAL_KEPT = 16 * 1024 * 1024
"""Bytes of write-ahead log that stay allocated after a checkpoint."""
_ERASED = "erased"
"""Name in `meta`: messages were erased whose bytes `shrink` has not yet taken out of the files."""

_EMPTIED = "emptied"
"""Name in `meta`: everything was forgotten, the file itself should go."""


@contextmanager
def translated(path: Path) -> Generator[None]:
    """Turn SQLite's errors into Everyword's."""
    try:
        yield
    except (apsw.NotADBError, apsw.CorruptError, apsw.FormatError) as error:
        raise DamagedLogError(
            f"{path} is damaged or not an Everyword log ({error}): restore it from a backup."
        ) from error
    except apsw.FullError as error:
        raise DiskFullError(f"The disk of {path} is full: free some space and repeat the call.") from error
    except (apsw.ReadOnlyError, apsw.PermissionsError, apsw.CantOpenError) as error:
        raise ReadOnlyLogError(f"{path} cannot be written ({error}): check the folder or choose another.") from error
    except (apsw.BusyError, apsw.LockedError) as error:
        raise BusyLogError(f"{path} is locked by another process for over {BUSY_TIMEOUT_S:.0f} s: repeat.") from error
    except apsw.Error as error:
        raise StorageError(f"{path}: {error}") from error
    except UnicodeDecodeError as error:
        raise DamagedLogError(f"{path} holds damaged text ({error}): run verify, restore it from a backup.") from error


class Database:
    """A connection that one thread at a time uses; transactions nest into the outermost."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = threading.RLock()
        self._depth = 0
        with translated(path):
            self.connection = _opened(path)
            try:
                self._prepare()
            except BaseException:
                self.connection.close()
                raise

    def _prepare(self) -> None:
        connection = self.connection
        connection.set_busy_timeout(int(BUSY_TIMEOUT_S * 1000))
        version = self._checked_version()
        _write_ahead(connection)
        connection.pragma("journal_size_limit", _WAL_KEPT)
        connection.pragma("synchronous", "full")
        connection.pragma("foreign_keys", True)
        connection.pragma("secure_delete", True)
        connection.pragma("cache_size", -16_000)
        if version < len(migrations()):
            self._migrate()

    def _checked_version(self) -> int:
        """Return the schema of the file, read in one state of it, since another process may be making it."""
        with self.reading() as connection:
            application, version = connection.pragma("application_id"), connection.pragma("user_version")
            is_foreign = application not in (0, APPLICATION_ID) or (application == 0 and _has_tables(connection))
        if is_foreign:
            raise DamagedLogError(f"{self.path} is a database of another program: choose another folder.")
        if version > len(migrations()):
            raise NewerSchemaError(
                f"{self.path} has schema {version}; this version of Everyword knows {len(migrations())}: upgrade it."
            )
        return version

    def _migrate(self) -> None:
        with self.transaction():
            for number, script in enumerate(migrations(), 1):
                if number > self.connection.pragma("user_version"):
                    self.connection.execute(script)
                    self.connection.pragma("user_version", number)
            self.connection.pragma("application_id", APPLICATION_ID)

    @contextmanager
    def transaction(self) -> Generator[apsw.Connection]:
        """Run the block in one write transaction; durable when it ends, undone when it raises."""
        with self.lock, translated(self.path):
            if self._depth == 0:
                self.connection.execute("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield self.connection
                if self._depth == 1:
                    self.connection.execute("COMMIT")
            except BaseException:
                if self._depth == 1 and self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise
            finally:
                self._depth -= 1

    @contextmanager
    def reading(self) -> Generator[apsw.Connection]:
        """Run the block on one consistent state of the file."""
        with self.lock, translated(self.path):
            if self.connection.in_transaction:
                yield self.connection
                return
            self.connection.execute("BEGIN")
            try:
                yield self.connection
            finally:
                if self.connection.in_transaction:
                    self.connection.execute("COMMIT")

    def shrink(self) -> None:
        """Write freed pages back zeroed and empty the WAL, so that erased bytes are in no file. Raise BusyLogError."""
        with self.lock, translated(self.path):
            self.connection.execute("VACUUM")
            self._empty_wal()
            self.connection.execute("DELETE FROM meta WHERE name = ?", (_ERASED,))
            self._empty_wal()

    def _empty_wal(self) -> None:
        until = time.monotonic() + BUSY_TIMEOUT_S
        while (busy := self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()) and busy[0]:
            if time.monotonic() < until:  # SQLite waits for readers, but not for another one who empties it.
                time.sleep(0.01)
                continue
            raise BusyLogError(
                f"{self.path}: the messages are erased, but another process still reads the old state, so that their bytes "
                "stay in the write-ahead log; they leave it when this memory is opened again."
            )

    def owe_shrink(self) -> None:
        """Note in the current transaction that `shrink` must follow, also after a crash."""
        self.connection.execute("INSERT OR REPLACE INTO meta (name, value) VALUES (?, 1)", (_ERASED,))

    def owes_shrink(self) -> bool:
        """Tell whether erased bytes may still be in the files."""
        with self.reading() as connection:
            return bool(connection.execute("SELECT count(*) FROM meta WHERE name = ?", (_ERASED,)).get)

    def owe_removal(self) -> None:
        """Note in the current transaction that this file may be deleted when it is empty."""
        self.connection.execute("INSERT OR REPLACE INTO meta (name, value) VALUES (?, 1)", (_EMPTIED,))

    def owes_removal(self) -> bool:
        """Tell whether everything was forgotten here and nothing was said since."""
        query = "SELECT count(*) FROM meta WHERE name = ? AND NOT EXISTS (SELECT 1 FROM message)"
        with self.reading() as connection:
            return bool(connection.execute(query, (_EMPTIED,)).get)

    def set_owner(self, user_id: str) -> None:
        """Write into the file whose it is, where its name cannot say it. Raise DamagedLogError where it is another's."""
        if (owner := self.owner()) is None:
            with self.transaction() as connection:
                connection.execute("INSERT OR IGNORE INTO meta (name, value) VALUES ('user_id', ?)", (user_id,))
        elif owner != user_id:
            raise DamagedLogError(f"{self.path} is the memory of {owner!r}, not of {user_id!r}: rename it.")

    def owner(self) -> str | None:
        """Return whose file it is, where `set_owner` has said it."""
        with self.reading() as connection:
            return connection.execute("SELECT value FROM meta WHERE name = 'user_id'").get

    def close(self) -> None:
        with self.lock:
            self.connection.close()


def migrations() -> list[str]:
    """Return the scripts in order; they only grow."""
    folder = files("everyword.log.sqlite").joinpath("migrations")
    scripts = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".sql")), key=lambda entry: entry.name)
    return [entry.read_text("utf-8") for entry in scripts]


def _opened(path: Path) -> apsw.Connection:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ReadOnlyLogError(f"{path.parent} cannot be made ({error.strerror}): choose another folder.") from error
    return apsw.Connection(str(path))


def _write_ahead(connection: apsw.Connection) -> None:
    """Switch to WAL; SQLite does not wait for the lock of this by itself."""
    until = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            connection.pragma("journal_mode", "wal")
        except (apsw.BusyError, apsw.LockedError):
            if time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return


def _has_tables(connection: apsw.Connection) -> bool:
    return bool(connection.execute("SELECT count(*) FROM sqlite_schema").get)
