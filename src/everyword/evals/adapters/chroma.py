"""Chroma (package `chromadb`): one document a message, found by the vectors of the same embedder."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from everyword.errors import ModelMissingError
from everyword.evals.adapters.required import required
from everyword.evals.adapters.system import Record, Retrieved
from everyword.ports import Embedder

_BATCH = 256
_INDEX = {"space": "cosine", "ef_construction": 400, "ef_search": 1000, "max_neighbors": 64}
"""Of its approximate index. As it comes, it loses sight of many messages where others are much like them."""


def open_chroma(folder: Path, embedder: Embedder | None) -> Chroma:
    """Return an empty collection on disk. Raise ModelMissingError."""
    if embedder is None:
        raise ModelMissingError("Chroma finds by vectors: choose an embedder, for example --embedder e5-small:q4.")
    return Chroma(folder, embedder)


class Chroma:
    """A collection with cosine distance and an index that hardly misses anything; its telemetry is off."""

    name = "chroma"

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        chromadb: Any = required("chromadb", package="chromadb")
        settings = chromadb.config.Settings(anonymized_telemetry=False)
        self._embedder = embedder
        self._client = chromadb.PersistentClient(path=str(folder), settings=settings)
        self._collection = self._client.create_collection(
            "messages", embedding_function=None, configuration={"hnsw": _INDEX}
        )

    def add(self, records: Sequence[Record]) -> None:
        for start in range(0, len(records), _BATCH):
            batch = records[start : start + _BATCH]
            self._collection.add(
                ids=[each.record_id for each in batch],
                embeddings=self._embedder.embed_passages([each.named_text for each in batch]),
                documents=[each.named_text for each in batch],
            )

    def retrieve(self, question: str, *, limit: int, asked_at: datetime | None) -> list[Retrieved]:
        del asked_at
        limit = min(limit, self._collection.count())
        if not limit:
            return []
        found = self._collection.query(
            query_embeddings=self._embedder.embed_queries([question]), n_results=limit, include=["distances"]
        )
        pairs = zip(found["ids"][0], found["distances"][0], strict=True)
        return [Retrieved(record_ids=(record_id,), score=1.0 - float(distance)) for record_id, distance in pairs]

    def close(self) -> None:
        if hasattr(self._client, "close"):  # Before 1.5.2 a client is closed when nothing refers to it.
            self._client.close()
