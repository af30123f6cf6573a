"""mem0 (package `mem0ai`) without its language model: raw messages, its own search, the vectors of the same embedder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

from everyword.config import cache_folder
from everyword.errors import InvalidInputError, ModelMissingError
from everyword.evals.adapters.required import required
from everyword.evals.adapters.system import Record, Retrieved
from everyword.ports import Embedder

_USER = "bench"
_BATCH = 256
_NO_KEY = "not-used"
"""Of the language model, which is made and never asked."""


def open_mem0(folder: Path, embedder: Embedder | None) -> Mem0:
    """Return an empty memory with a local Qdrant store. Raise ModelMissingError, InvalidInputError."""
    if embedder is None:
        raise ModelMissingError("mem0 finds by vectors: choose an embedder, for example --embedder e5-small:q4.")
    return Mem0(folder, embedder)


class Mem0:
    """`add(..., infer=False)` message by message, and `search` without a threshold; telemetry is off.

    It keeps no system messages in this mode. What its optional packages add (spaCy, fastembed) takes part where installed.
    """

    name = "mem0"

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        memory = _module().Memory
        self._embeddings = Embeddings(embedder)
        self._memory = memory.from_config(_config(folder, embedder.identity.dimensions))
        self._memory.embedding_model = self._embeddings

    def add(self, records: Sequence[Record]) -> None:
        for start in range(0, len(records), _BATCH):
            batch = [each for each in records[start : start + _BATCH] if each.text.strip()]
            self._embeddings.prepare(each.named_text for each in batch)
            for each in batch:
                self._memory.add([_said(each)], user_id=_USER, metadata=_metadata(each), infer=False)

    def retrieve(self, question: str, *, limit: int, asked_at: datetime | None) -> list[Retrieved]:
        del asked_at  # Its reference_date is for the hosted platform only.
        found = self._memory.search(question, top_k=limit, filters={"user_id": _USER}, threshold=0.0)
        return [
            Retrieved(record_ids=(each["metadata"]["record_id"],), score=float(each["score"]))
            for each in found["results"]
        ]

    def close(self) -> None:
        with closing(self._memory.vector_store.client):
            self._memory.close()


class Embeddings:
    """The embedder as mem0 asks for it, text by text; passages are computed in batches before."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._passages: dict[str, list[float]] = {}

    def prepare(self, texts: Iterable[str]) -> None:
        """Compute the vectors of the passages that are added next."""
        distinct = list(dict.fromkeys(texts))
        vectors: list[list[float]] = self._embedder.embed_passages(distinct).tolist() if distinct else []
        self._passages = dict(zip(distinct, vectors, strict=True))

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """Return the vector of a question (`search`) or of a passage."""
        if memory_action == "search":
            return self._embedder.embed_queries([text])[0].tolist()
        return self._passages.get(text) or self._embedder.embed_passages([text])[0].tolist()

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = "add") -> list[list[float]]:
        """Return the vectors of several texts."""
        return [self.embed(text, memory_action) for text in texts]


def _module() -> Any:
    """Return the package, which reads both variables when it is imported."""
    os.environ["MEM0_TELEMETRY"] = "False"
    os.environ.setdefault("MEM0_DIR", str(cache_folder() / "mem0"))
    found = required("mem0", package="mem0ai")
    if required("mem0.memory.telemetry", package="mem0ai").MEM0_TELEMETRY:
        raise InvalidInputError("mem0 was imported with its telemetry on: set MEM0_TELEMETRY=False before.")
    return found


def _config(folder: Path, dimensions: int) -> dict[str, Any]:
    store = {"path": str(folder / "qdrant"), "collection_name": "messages", "embedding_model_dims": dimensions}
    return {
        "vector_store": {"provider": "qdrant", "config": {**store, "on_disk": True}},
        "history_db_path": str(folder / "history.db"),
        "embedder": {"provider": "openai", "config": {"api_key": _NO_KEY, "embedding_dims": dimensions}},
        "llm": {"provider": "openai", "config": {"api_key": _NO_KEY}},
    }


def _said(record: Record) -> dict[str, str]:
    named = {"name": record.author} if record.author else {}
    return {"role": record.role, "content": record.named_text, **named}


def _metadata(record: Record) -> dict[str, str]:
    said_at = {"said_at": record.created_at.isoformat()} if record.created_at else {}
    return {"record_id": record.record_id, "session": record.session, **said_at}
