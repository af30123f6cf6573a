"""The one place that names concrete adapters: which log, which index, which models."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from everyword import memory
from everyword.claims.store import ClaimStore
from everyword.claims.summary_store import SummaryStore
from everyword.config import Settings, cache_folder, default_home, settings
from everyword.domain.message import UserId
from everyword.domain.user import file_name, user_of
from everyword.errors import BusyLogError, DiskFullError, StorageError
from everyword.index.index import Index
from everyword.log.sqlite import backup
from everyword.log.sqlite.database import Database
from everyword.log.sqlite.log import SqliteLog
from everyword.log.sqlite.removal import opening, remove_empty
from everyword.models import catalogue
from everyword.models.joined import JoinedEmbedder
from everyword.models.with_units import EmbedderOfUnits
from everyword.packing.accounts import Accounts
from everyword.ports import Embedder, LanguageModel, Reranker, TokenCounter
from everyword.routing.journal import RouteJournal
from everyword.sessions.store import MemorySessions, SessionStore
from everyword.text.tokens import counter as counter_named

ModelProgress = Callable[[int, int, str], None]

back_up = backup.back_up
restore = backup.restore


class Memory(memory.Memory):
    """Long-term memory in a folder: one file a user."""

    def __init__(
        self,
        home: str | Path | None = None,
        *,
        embedder: str | Embedder | None = None,
        reranker: str | Reranker | None = None,
        counter: str | TokenCounter | None = None,
        model_progress: ModelProgress | None = None,
        **options: Any,
    ) -> None:
        """Open a memory folder; it is made with the first message. `options`: the names of `config.Settings`.

        Raise SettingsError. Models are loaded when they are first needed; one that has to be built first tells
        `model_progress(done, total, what)`. `llm` takes a `LanguageModel` too, in place of its name.
        """
        self.home = Path(home) if home is not None else default_home()
        named = {
            name: value
            for name, value in (("embedder", embedder), ("reranker", reranker), ("counter", counter))
            if isinstance(value, str)
        }
        model: LanguageModel | None = None if isinstance(options.get("llm"), str | None) else options.pop("llm")
        chosen = settings(self.home, **named, **options)
        given = None if isinstance(embedder, str) else embedder
        super().__init__(
            UserFiles(self.home / "users", open_files=chosen.open_files),
            chosen,
            embedder=_embedder(chosen.embedder, chosen, model_progress) if given is None else given,
            load_embedder=lambda spec: _embedder(spec, chosen),
            reranker=_reranker(chosen) if reranker is None or isinstance(reranker, str) else reranker,
            counter=counter_named(chosen.counter) if counter is None or isinstance(counter, str) else counter,
            language_model=language_model_of(chosen, self.home) if model is None else model,
            session_store=_session_store(chosen, self.home),
        )


def _session_store(chosen: Settings, home: Path) -> SessionStore:
    """Return where short-term values lie; nothing is connected yet. Raise SettingsError, ModelMissingError."""
    if chosen.session_store == "memory":
        return MemorySessions()
    from everyword.sessions.redis import RedisSessions

    return RedisSessions(chosen.session_store, home=home)


def embedder_of(chosen: Settings, wrapped: Callable[[Embedder], Embedder] = lambda model: model) -> Embedder | None:
    """Return the embedder that the settings name, None for `none`; nothing is loaded yet. Of joined ones each is wrapped."""
    found = _embedder(chosen.embedder, chosen)
    if isinstance(found, JoinedEmbedder):
        return JoinedEmbedder([wrapped(member) for member in found.members])
    return None if found is None else wrapped(found)


def language_model_of(chosen: Settings, home: Path | None = None) -> LanguageModel | None:
    """Return the language model that the settings name, with its limits; None for `none`. Nothing is loaded yet.

    Its calls are written into `usage.jsonl` under `home`, without which a limit counts this object's calls alone. Raise
    SettingsError.
    """
    address = None if chosen.llm_base_url == "default" else chosen.llm_base_url
    options = {"base_url": address, "timeout_s": float(chosen.llm_timeout), "retries": chosen.llm_retries}
    found = None if chosen.llm == catalogue.NONE else catalogue.language_model(chosen.llm, **options)
    return None if found is None else _accounted(found, chosen, home)


def _accounted(model: LanguageModel, chosen: Settings, home: Path | None) -> LanguageModel:
    """Return the model behind its ledger and limit, then the cache, then the check of structured replies."""
    from everyword.models.cached_chat import FILE as REPLIES
    from everyword.models.cached_chat import CachedChat, ReplyCache
    from everyword.models.metered_chat import MeteredChat
    from everyword.models.spending import SpendingLimit, parsed_limit, parsed_prices
    from everyword.models.structured_chat import StructuredChat
    from everyword.models.usage_ledger import FILE as USAGE
    from everyword.models.usage_ledger import UsageLedger

    ledger = UsageLedger(home / USAGE if home is not None else None)
    prices = None if chosen.llm_prices == "none" else parsed_prices(chosen.llm_prices)
    limit = None if chosen.llm_limit == "none" else SpendingLimit(parsed_limit(chosen.llm_limit), ledger, prices=prices)
    metered = MeteredChat(model, ledger, limit=limit)
    kept = CachedChat(metered, ReplyCache(cache_folder() / REPLIES)) if chosen.llm_cache == "on" else metered
    return StructuredChat(kept, ledger=ledger)


def _embedder(spec: str, chosen: Settings, progress: ModelProgress | None = None) -> Embedder | None:
    options: dict[str, Any] = {}
    if spec.startswith(("e5-small", "minilm")) and chosen.threads:
        options["threads"] = chosen.threads
    if spec.startswith("e5-small") and progress is not None:
        options["progress"] = progress
    found = catalogue.embedder(spec, cache=cache_folder() / "models", **options)
    return found if found is None or chosen.vector_units == "clauses" else EmbedderOfUnits(found, chosen.vector_units)


def _reranker(chosen: Settings) -> Reranker | None:
    """Return the model that reranks; None where the stored clauses do, or nothing does."""
    return (
        None if chosen.reranker == "clauses" else catalogue.reranker(chosen.reranker, cache=cache_folder() / "models")
    )


@dataclass(slots=True)
class UserFile:
    """One user's log, index and claims in one SQLite file."""

    database: Database
    log: SqliteLog
    index: Index
    claims: ClaimStore
    summaries: SummaryStore
    routes: RouteJournal
    accounts: Accounts

    @property
    def path(self) -> Path:
        return self.database.path

    def transaction(self) -> AbstractContextManager[Any]:
        return self.database.transaction()

    def shrink(self) -> None:
        self.database.shrink()

    def owe_removal(self) -> None:
        self.database.owe_removal()

    def close(self) -> None:
        self.database.close()


_AT_ONCE = 64
"""Locks of users whose files are being opened, so that no file is opened twice: some users share one."""


class UserFiles:
    """The files of all users; the least recently used is let go when too many are open.

    It closes when the last thread that works with it is done.
    """

    def __init__(self, folder: Path, *, open_files: int) -> None:
        self._folder = folder
        self._limit = max(1, open_files)
        self._start()

    def _start(self) -> None:
        self._open: OrderedDict[str, UserFile] = OrderedDict()
        self._opening = [threading.Lock() for _ in range(_AT_ONCE)]
        self._lock = threading.Lock()
        self._closed = False
        self._process = os.getpid()

    def of(self, user_id: str, *, create: bool) -> UserFile:
        """Return a user's file; without `create`, one that does not exist is an empty one in memory.

        Raise StorageError, also when the files were closed.
        """
        if self._process != os.getpid():
            self._leave_to_parent()
        if (known := self._known(user_id)) is not None:
            return known
        with self._opening[hash(user_id) % _AT_ONCE]:
            return self._known(user_id) or self._opened(user_id, create=create)

    def _leave_to_parent(self) -> None:
        """Start anew after a fork; what the parent opened must be neither used nor closed here."""
        _PARENTS.append(self._open)
        self._start()

    def _known(self, user_id: str) -> UserFile | None:
        with self._lock:
            if self._closed:
                raise StorageError(_CLOSED)
            if user_id in self._open:
                self._open.move_to_end(user_id)
            return self._open.get(user_id)

    def _opened(self, user_id: str, *, create: bool) -> UserFile:
        path = self._folder / file_name(UserId(user_id))
        if not create and not path.exists():
            return _user_file(Path(":memory:"))
        with opening(self._folder, create=create):
            if not create and not path.exists():
                return _user_file(Path(":memory:"))
            opened = _user_file(path)
            if user_of(path.name) is None:
                opened.database.set_owner(user_id)
        with self._lock:
            if self._closed:
                opened.close()
                raise StorageError(_CLOSED)
            self._open[user_id] = opened
            while len(self._open) > self._limit:
                self._open.popitem(last=False)
        return opened

    def users(self) -> list[str]:
        """Return the ids of the users who have a file."""
        found = sorted(self._folder.glob("*.db")) if self._folder.exists() else []
        named = ((path, user_of(path.name) or _owner(path)) for path in found)
        return sorted(user_id for path, user_id in named if path.exists())

    def discard(self, user_id: str) -> None:
        """Delete the file of a user without a message; while somebody has it open, it stays until they close it."""
        with self._lock:
            self._open.pop(user_id, None)
        remove_empty(self._folder / file_name(UserId(user_id)))

    def close(self) -> None:
        """Close every file, and delete those that are left empty; once more does nothing."""
        if self._process != os.getpid():
            self._leave_to_parent()
        emptied: list[Path] = []
        with self._lock:
            self._closed = True
            while self._open:
                opened = self._open.popitem()[1]
                with suppress(StorageError):
                    emptied += [opened.path] if opened.database.owes_removal() else []
                opened.close()
        for path in emptied:
            remove_empty(path)


_CLOSED = "This memory is closed: open it again with Memory(...)."
_PARENTS: list[OrderedDict[str, UserFile]] = []
"""Files that were open when the process was forked."""


def _user_file(path: Path) -> UserFile:
    database = Database(path)
    log = SqliteLog(database)
    if database.owes_shrink():
        _finish_forgetting(database)
    return UserFile(
        database=database,
        log=log,
        index=Index(database, log),
        claims=ClaimStore(database, log),
        summaries=SummaryStore(database, log),
        routes=RouteJournal(database),
        accounts=Accounts(database),
    )


def _owner(path: Path) -> str:
    """Return whose file it is, from the file itself."""
    with opening(path.parent):
        if not path.exists():
            return path.stem
        database = Database(path)
    try:
        return database.owner() or path.stem
    finally:
        database.close()


def _finish_forgetting(database: Database) -> None:
    """Take bytes out of the files that a process could not, because it was killed or another one was reading."""
    with suppress(BusyLogError, DiskFullError):
        database.shrink()
