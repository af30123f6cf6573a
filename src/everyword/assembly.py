"""The one place that names concrete adapters: which log, which index, which models."""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from everyword import memory
from everyword.config import Settings, cache_folder, default_home, settings
from everyword.domain.message import UserId
from everyword.domain.user import file_name, user_of
from everyword.index.index import Index
from everyword.log.sqlite.database import Database
from everyword.log.sqlite.log import SqliteLog
from everyword.models import catalogue
from everyword.ports import Embedder, Reranker, TokenCounter
from everyword.text.tokens import counter as counter_named


class Memory(memory.Memory):
    """Long-term memory in a folder: one file a user."""

    def __init__(
        self,
        home: str | Path | None = None,
        *,
        embedder: str | Embedder | None = None,
        reranker: str | Reranker | None = None,
        counter: str | TokenCounter | None = None,
        **options: Any,
    ) -> None:
        """Open a memory folder; it is made with the first message. `options`: the names of `config.Settings`.

        Raise SettingsError. Models are loaded when they are first needed.
        """
        self.home = Path(home) if home is not None else default_home()
        named = {
            name: value
            for name, value in (("embedder", embedder), ("reranker", reranker), ("counter", counter))
            if isinstance(value, str)
        }
        chosen = settings(self.home, **named, **options)
        super().__init__(
            UserFiles(self.home / "users", open_files=chosen.open_files),
            chosen,
            embedder=_embedder(chosen.embedder, chosen) if embedder is None or isinstance(embedder, str) else embedder,
            load_embedder=lambda spec: _embedder(spec, chosen),
            reranker=_reranker(chosen) if reranker is None or isinstance(reranker, str) else reranker,
            counter=counter_named(chosen.counter) if counter is None or isinstance(counter, str) else counter,
        )


def _embedder(spec: str, chosen: Settings) -> Embedder | None:
    options = {"threads": chosen.threads} if chosen.threads and spec.startswith("e5-small") else {}
    return catalogue.embedder(spec, cache=cache_folder() / "models", **options)


def _reranker(chosen: Settings) -> Reranker | None:
    return catalogue.reranker(chosen.reranker, cache=cache_folder() / "models")


@dataclass(slots=True)
class UserFile:
    """One user's log and index in one SQLite file."""

    database: Database
    log: SqliteLog
    index: Index

    @property
    def path(self) -> Path:
        return self.database.path

    def transaction(self) -> AbstractContextManager[Any]:
        return self.database.transaction()

    def shrink(self) -> None:
        self.database.shrink()

    def close(self) -> None:
        self.database.close()


class UserFiles:
    """The files of all users; the least recently used is closed when too many are open."""

    def __init__(self, folder: Path, *, open_files: int) -> None:
        self._folder = folder
        self._limit = max(1, open_files)
        self._open: OrderedDict[str, UserFile] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, user_id: str, *, create: bool) -> UserFile:
        """Return a user's file; without `create`, one that does not exist is an empty one in memory."""
        with self._lock:
            if user_id in self._open:
                self._open.move_to_end(user_id)
                return self._open[user_id]
            path = self._folder / file_name(UserId(user_id))
            if not create and not path.exists():
                return _user_file(Path(":memory:"))
            self._open[user_id] = opened = _user_file(path)
            self._close_oldest()
            return opened

    def _close_oldest(self) -> None:
        while len(self._open) > self._limit:
            self._open.popitem(last=False)

    def users(self) -> list[str]:
        """Return the ids of the users who have a file."""
        found = sorted(self._folder.rglob("*.db")) if self._folder.exists() else []
        return [user_of(PurePosixPath(path.relative_to(self._folder).as_posix())) for path in found]

    def close(self) -> None:
        """Close every file."""
        with self._lock:
            while self._open:
                self._open.popitem()[1].close()


def _user_file(path: Path) -> UserFile:
    database = Database(path)
    log = SqliteLog(database)
    return UserFile(database=database, log=log, index=Index(database, log))
