"""Vectors in the background: what waits is worked through newest first."""

from __future__ import annotations

from everyword.background import BackgroundWorker
from everyword.ports import Embedder, Store

BATCH = 64
"""Passages a transaction."""


class EmbeddingWorker(BackgroundWorker):
    """Computes the vectors of the stores that are handed to it."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__("everyword-vectors", self._embed, waits="Vectors wait, words are found all the same")
        self._embedder = embedder

    def _embed(self, store: Store) -> None:
        store.index.use(self._embedder)
        while not self.is_stopping and store.index.embed(self._embedder, limit=BATCH):
            pass
        if not self.is_stopping:
            store.index.merge()
