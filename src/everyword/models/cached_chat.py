"""Replies that were given before: a run that is repeated asks nothing twice."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import apsw

from everyword.errors import StorageError
from everyword.models.reply_schema import reply_schema
from everyword.ports import ChatMessages, LanguageModel, LanguageModelIdentity, Reply, Usage

BUSY_TIMEOUT_MS = 60_000
FILE = "replies.db"


class ReplyCache:
    """Replies in one file, by what was asked. Safe for many threads and processes.

    Replies hold words of those who were asked about, and forgetting a message does not reach them: `clear` does.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        with self._translated():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = apsw.Connection(str(path))
            self._connection.set_busy_timeout(BUSY_TIMEOUT_MS)
            self._connection.pragma("journal_mode", "wal")
            self._connection.pragma("secure_delete", True)
            self._connection.execute("CREATE TABLE IF NOT EXISTS reply (key BLOB PRIMARY KEY, said TEXT) WITHOUT ROWID")

    def get(self, key: bytes) -> Reply | None:
        with self._translated():
            said = self._connection.execute("SELECT said FROM reply WHERE key = ?", (key,)).get
        return None if said is None else _read(said)

    def keep(self, key: bytes, reply: Reply) -> None:
        said = json.dumps(asdict(replace(reply, value=None)), ensure_ascii=True)
        with self._translated():
            self._connection.execute("INSERT OR IGNORE INTO reply VALUES (?, ?)", (key, said))

    def __len__(self) -> int:
        with self._translated():
            return self._connection.execute("SELECT count(*) FROM reply").get

    def clear(self) -> None:
        """Forget every reply, byte for byte."""
        with self._translated():
            self._connection.execute("DELETE FROM reply")
            self._connection.execute("VACUUM")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def _translated(self) -> Generator[None]:
        with self._lock:
            try:
                yield
            except (apsw.Error, OSError) as error:
                raise StorageError(
                    f"The cache of replies {self._path} cannot be used ({error}): delete it, or set llm_cache to off."
                ) from error


class CachedChat:
    """A language model whose complete replies are kept; a refusal, a cut-off and a failure are asked again."""

    def __init__(self, model: LanguageModel, cache: ReplyCache, *, variation: int = 0) -> None:
        """`variation`: another number asks anew, for runs that are repeated to see how much replies differ."""
        self._model = model
        self._cache = cache
        self._variation = variation

    @property
    def identity(self) -> LanguageModelIdentity:
        return self._model.identity

    def complete(
        self,
        messages: ChatMessages,
        *,
        max_tokens: int,
        temperature: float = 0.0,
        schema: Any = None,
        purpose: str = "chat",
    ) -> Reply:
        form = None if schema is None else reply_schema(schema)
        asked = [*map(dict, messages), form and form.document, max_tokens, temperature, self._variation]
        key = key_of(asdict(self.identity), asked)
        if (known := self._cache.get(key)) is not None:
            return replace(known, calls=0, usage=Usage())
        reply = self._model.complete(
            messages, max_tokens=max_tokens, temperature=temperature, schema=form, purpose=purpose
        )
        if reply.text and reply.finish == "stop" and not reply.is_refused:
            self._cache.keep(key, reply)
        return reply


def key_of(*asked: Any) -> bytes:
    """Return the digest of everything that a reply depends on."""
    said = json.dumps(asked, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(said.encode(), digest_size=32).digest()


def _read(said: str) -> Reply:
    record: dict[str, Any] = json.loads(said)
    usage = Usage(**record.pop("usage"))
    return Reply(usage=usage, **record)
