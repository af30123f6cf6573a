"""Vectors that were computed before: a run over the same dataset embeds no text twice."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import numpy as np

from everyword.ports import Embedder, ModelIdentity, QuestionVectors, question_vectors

if TYPE_CHECKING:
    from everyword.ports import Vectors


class CachedEmbedder:
    """An embedder whose vectors are kept in one file, by model and text; half precision (error under 0.001).

    Threads may share it; a text that two of them want is computed once.
    """

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._embedder = embedder
        self._connection = apsw.Connection(str(folder / "vectors.db"))
        self._connection.set_busy_timeout(60_000)
        self._connection.pragma("journal_mode", "wal")
        self._connection.pragma("synchronous", "off")
        self._connection.execute("CREATE TABLE IF NOT EXISTS vector (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID")
        self._lock = threading.Lock()
        self.computed = 0

    @property
    def identity(self) -> ModelIdentity:
        return self._embedder.identity

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._cached(texts, "query", self._embedder.embed_queries)

    def embed_question(self, text: str) -> QuestionVectors:
        def both(texts: Sequence[str]) -> list[Vectors]:
            asked = [question_vectors(self._embedder, each) for each in texts]
            return [np.vstack([each.whole, each.tokens]) for each in asked]

        with self._lock:
            (value,) = self._found({self.key("asked", text): text}, both).values()
        rows = self._rows(value)
        return QuestionVectors(whole=rows[0], tokens=rows[1:])

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return self._cached(texts, "passage", self._embedder.embed_passages)

    def _cached(self, texts: Sequence[str], kind: str, compute: Callable[[Sequence[str]], Vectors]) -> Vectors:
        keys = [self.key(kind, text) for text in texts]
        wanted = dict(zip(keys, texts, strict=True))
        with self._lock:
            found = self._found(wanted, compute)
        return self._rows(b"".join(found[key] for key in keys))

    def _rows(self, values: bytes) -> Vectors:
        """Return float32 [n, dimensions], rows of length 1."""
        rows = np.frombuffer(values, np.float16).reshape(-1, self.identity.dimensions).astype(np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True).clip(1e-12)

    def _found(
        self, wanted: Mapping[bytes, str], compute: Callable[[Sequence[str]], Iterable[Vectors]]
    ) -> dict[bytes, Any]:
        """Return the vector of each key; those that are not kept are computed, and kept."""
        found = {key: self._connection.execute("SELECT value FROM vector WHERE key = ?", (key,)).get for key in wanted}
        missing = [key for key, value in found.items() if value is None]
        if missing:
            fresh = compute([wanted[key] for key in missing])
            found |= {key: row.astype(np.float16).tobytes() for key, row in zip(missing, fresh, strict=True)}
            self.computed += len(missing)
            self.keep([(key, found[key]) for key in missing])
        return found

    def key(self, kind: str, text: str) -> bytes:
        """Return what a text's vector is kept under."""
        identity = self._embedder.identity
        said = f"{identity.name}\0{identity.revision}\0{kind}\0{text}"
        return hashlib.blake2b(said.encode("utf-8", "surrogatepass"), digest_size=16).digest()

    def keep(self, rows: list[tuple[bytes, bytes]]) -> None:
        """Store vectors."""
        with self._connection:
            self._connection.executemany("INSERT OR IGNORE INTO vector VALUES (?, ?)", rows)
