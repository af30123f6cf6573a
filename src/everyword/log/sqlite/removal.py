"""A user's file that holds no message any more is deleted, where no process has it open.

SQLite finds the write-ahead log by name, so a file must not be deleted while somebody opens it: an opening holds a shared
lock on the folder, a removal an exclusive one. Whoever has the file open already keeps it from leaving WAL mode.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw

try:
    import fcntl
except ImportError:  # There is none on Windows, where an empty file stays.
    fcntl = None

_TRIES = 20
_PAUSE_S = 0.02


@contextmanager
def opening(folder: Path, *, create: bool = False) -> Generator[None]:
    """Keep files of the folder from being deleted while one of them is opened."""
    if create:
        with suppress(OSError):  # Whoever opens the file tells what is wrong.
            folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder, is_removal=False):
        yield


def remove_empty(path: Path) -> bool:
    """Delete the file where it holds no message and nobody has it open; tell whether it is gone."""
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(_PAUSE_S)
        with _locked(path.parent, is_removal=True) as is_held:
            if not path.exists() or (is_held and _is_removed(path)):
                return True
    return False


@contextmanager
def _locked(folder: Path, *, is_removal: bool) -> Generator[bool]:
    """Lock the folder; an exclusive lock is not waited for. Yield whether it is held."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        yield False
        return
    try:
        yield _is_locked(descriptor, is_removal=is_removal)
    finally:
        if fcntl is not None:
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_UN)  # Not left to `close`: a fork may have inherited the lock.
        os.close(descriptor)


def _is_locked(descriptor: int, *, is_removal: bool) -> bool:
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB if is_removal else fcntl.LOCK_SH)
    except OSError:
        return False
    return True


def _is_removed(path: Path) -> bool:
    """Delete the file if it leaves WAL mode, which it does for its only connection, and is still empty then."""
    try:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    except apsw.Error:
        return False
    try:
        if _has_messages(connection) or connection.pragma("journal_mode", "delete") != "delete":
            return False
        connection.execute("BEGIN EXCLUSIVE")
        if _has_messages(connection):
            return False
        path.unlink()
    except (apsw.Error, OSError):
        return False
    finally:
        connection.close()
    return True


def _has_messages(connection: apsw.Connection) -> bool:
    return connection.execute("SELECT 1 FROM message LIMIT 1").fetchone() is not None
