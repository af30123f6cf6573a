"""A memory folder, copied while it is in use and put back into an empty one."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import file_digest
from pathlib import Path, PurePosixPath
from typing import Any, Self, cast

import apsw

from everyword.errors import DamagedLogError, DiskFullError, InvalidInputError, ReadOnlyLogError, StorageError
from everyword.log.sqlite.database import BUSY_TIMEOUT_S, Database, translated
from everyword.log.sqlite.removal import opening

MANIFEST = "backup.json"
"""Written last: a folder without it is no whole backup."""
USERS = "users"
_FORMAT = 1
_MAGIC = b"SQLite format 3\x00"
_SIDES = ("-wal", "-shm", "-journal")
_PARTIAL = ".partial"
_MAY_BE_THERE = frozenset({"lost+found"})
_ERASED = "SELECT count(*) FROM meta WHERE name = 'erased'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """What a backup holds, or what of it was put back."""

    made_at: str
    users: int
    files: int
    bytes: int


def back_up(home: Path, destination: Path) -> Copied:
    """Copy every file of a memory folder into an empty folder. Each user's file is one consistent state of it.

    Nobody has to stop writing. Raise InvalidInputError where the folder is not empty or there is nothing to copy,
    StorageError; what was copied so far is then removed.
    """
    names = list(_names(home))
    if not names:
        raise InvalidInputError(f"{home} holds no memory: name the folder with --home.")
    if destination.absolute().is_relative_to(home.absolute()):
        raise InvalidInputError(f"{destination} lies inside the memory folder: choose another place.")
    made_at = datetime.now(UTC).isoformat(timespec="seconds")
    with _Filling(destination) as filling:
        files: dict[str, dict[str, Any]] = {}
        for name in names:
            if (copied := _copied(home / name, filling.place(name))) is not None:
                files[name] = _sealed(copied)
        written = {"everyword_backup": _FORMAT, "made_at": made_at, "files": files}
        filling.place(MANIFEST).write_text(f"{json.dumps(written, ensure_ascii=False, indent=1)}\n", "utf-8")
    return _account(made_at, files)


def restore(source: Path, home: Path) -> Copied:
    """Put a backup into an empty folder. Raise InvalidInputError where it is not empty, DamagedLogError, StorageError."""
    manifest = _manifest(source)
    files: dict[str, dict[str, Any]] = manifest["files"]
    for name, sealed in files.items():
        _check(source, name, sealed)
    with _Filling(home) as filling:
        for name in files:
            shutil.copyfile(source / name, filling.place(name))
    return _account(str(manifest.get("made_at")), files)


def _account(made_at: str, files: Mapping[str, Mapping[str, Any]]) -> Copied:
    users = sum(PurePosixPath(name).parent == PurePosixPath(USERS) for name in files)
    return Copied(made_at=made_at, users=users, files=len(files), bytes=sum(each["bytes"] for each in files.values()))


def _names(home: Path) -> Iterator[str]:
    """Yield what belongs to a memory: the users' files, and keys, settings and accounts beside them."""
    for folder in (home, home / USERS):
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if path.is_file() and not path.name.startswith(".") and not path.name.endswith((*_SIDES, _PARTIAL)):
                yield path.relative_to(home).as_posix()


def _copied(source: Path, destination: Path) -> Path | None:
    """Copy one file; return None where it is gone, because its user was forgotten meanwhile."""
    try:
        with source.open("rb") as file:
            is_database = file.read(len(_MAGIC)) == _MAGIC
    except FileNotFoundError:
        return None
    if is_database:
        return _copied_database(source, destination)
    whole = source.read_bytes()
    destination.write_bytes(whole[: whole.rfind(b"\n") + 1] if source.suffix == ".jsonl" else whole)
    return destination


def _copied_database(source: Path, destination: Path) -> Path | None:
    with opening(source.parent), translated(source):
        if not source.exists():
            return None
        reading = apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READWRITE)
        writing = apsw.Connection(str(destination))
    try:
        with translated(source):
            reading.set_busy_timeout(int(BUSY_TIMEOUT_S * 1000))
            with writing.backup("main", reading, "main") as copying:
                copying.step()
            if (damage := writing.pragma("quick_check")) != "ok":
                raise DamagedLogError(f"{source} is damaged ({damage}): run verify, restore it from an older backup.")
            owes_shrink = _is_log(writing) and bool(writing.execute(_ERASED).get)
    finally:
        reading.close()
        writing.close()
    if owes_shrink:
        _without_erased_bytes(destination)
    return destination


def _is_log(connection: apsw.Connection) -> bool:
    return bool(connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'meta'").get)


def _without_erased_bytes(path: Path) -> None:
    """Finish in the copy what `forget` could not in the file: forgotten words are in no backup."""
    database = Database(path)
    try:
        database.shrink()
    finally:
        database.close()


def _sealed(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        return {"bytes": path.stat().st_size, "sha256": file_digest(file, "sha256").hexdigest()}


def _manifest(source: Path) -> dict[str, Any]:
    try:
        found: Any = json.loads((source / MANIFEST).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise DamagedLogError(f"{source} is no whole backup: {MANIFEST} cannot be read ({error}).") from error
    if not isinstance(found, dict) or cast("dict[str, Any]", found).get("everyword_backup") != _FORMAT:
        raise DamagedLogError(f"{source / MANIFEST} is not of a backup that this version reads.")
    return cast("dict[str, Any]", found)


def _check(source: Path, name: str, sealed: Mapping[str, Any]) -> None:
    """Hold a file to what the manifest says of it, and its name to the folder."""
    parts = PurePosixPath(name).parts
    if not parts or ".." in parts or PurePosixPath(name).is_absolute() or parts[:-1] not in ((), (USERS,)):
        raise DamagedLogError(f"{source / MANIFEST} names {name!r}, which is no file of a memory.")
    try:
        is_whole = _sealed(source / name) == sealed
    except OSError as error:
        raise DamagedLogError(f"{source / name} cannot be read ({error.strerror}): take another backup.") from error
    if not is_whole:
        raise DamagedLogError(f"{source / name} is not what was backed up: take another backup.")


class _Filling:
    """A folder that is filled whole or not at all: every file appears under its name when all are written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: list[str] = []

    def place(self, name: str) -> Path:
        """Return where to write a file; it gets its name in the end, in the order of these calls."""
        self._names.append(name)
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        partial = path.with_name(f"{path.name}{_PARTIAL}")
        os.close(os.open(partial, os.O_CREAT | os.O_RDWR, 0o600))
        return partial

    def __enter__(self) -> Self:
        if self._folder.exists() and (not self._folder.is_dir() or self._held()):
            raise InvalidInputError(f"{self._folder} is not empty: nothing is overwritten, choose another folder.")
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise ReadOnlyLogError(f"{self._folder} cannot be made ({error.strerror}): choose another.") from error
        return self

    def _held(self) -> set[str]:
        return {path.name for path in self._folder.iterdir()} - _MAY_BE_THERE

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        try:
            if error is None:
                self._finish()
        except OSError as failure:
            self._undo()
            raise _storage_error(self._folder, failure) from failure
        if error is not None:
            self._undo()
            if isinstance(error, OSError):
                raise _storage_error(self._folder, error) from error

    def _finish(self) -> None:
        paths = [self._folder / name for name in self._names]
        partials = [path.with_name(f"{path.name}{_PARTIAL}") for path in paths]
        for partial in partials:
            if partial.stat().st_size:
                with partial.open("rb+") as file:
                    os.fsync(file.fileno())
        for partial, path in zip(partials, paths, strict=True):
            if partial.stat().st_size or path.suffix != ".db":  # A user who was forgotten meanwhile has none.
                partial.replace(path)
            else:
                partial.unlink()

    def _undo(self) -> None:
        for name in self._names:
            for path in (self._folder / name, self._folder / f"{name}{_PARTIAL}"):
                for each in (path, *(path.with_name(f"{path.name}{side}") for side in _SIDES)):
                    with suppress(OSError):
                        each.unlink()
        for folder in (self._folder / USERS, self._folder):
            with suppress(OSError):
                folder.rmdir()


def _storage_error(folder: Path, error: OSError) -> StorageError:
    import errno

    if error.errno == errno.ENOSPC:
        return DiskFullError(f"The disk of {folder} is full: free some space and repeat the call.")
    return StorageError(f"{folder}: {error}")
