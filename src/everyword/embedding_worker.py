"""Vectors in the background: one thread that works through what waits, newest first."""

from __future__ import annotations

import logging
import threading

from everyword.errors import EverywordError
from everyword.ports import Embedder, Store

_LOGGER = logging.getLogger("everyword")
BATCH = 64
"""Passages a transaction."""


class EmbeddingWorker:
    """Computes the vectors of the stores that are handed to it; a failure is kept, not raised, since words are safe."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._stores: dict[str, Store] = {}
        self._condition = threading.Condition()
        self._thread: threading.Thread | None = None
        self._stopping = False
        self.failures: dict[str, str] = {}
        """By the path of the log: why its vectors could not be computed."""

    def schedule(self, store: Store) -> None:
        """Compute what waits in this store, some time."""
        with self._condition:
            self._stores[str(store.path)] = store
            if self._thread is None and not self._stopping:
                self._thread = threading.Thread(target=self._run, name="everyword-vectors", daemon=True)
                self._thread.start()
            self._condition.notify_all()

    def _run(self) -> None:
        while (store := self._next()) is not None:
            try:
                self._embed(store)
                self.failures.pop(str(store.path), None)
            except EverywordError as error:
                self.failures[str(store.path)] = str(error)
                _LOGGER.warning("Vectors wait, words are found all the same: %s", error)

    def _next(self) -> Store | None:
        with self._condition:
            while not self._stores and not self._stopping:
                self._condition.wait()
            return None if self._stopping else self._stores.pop(next(iter(self._stores)))

    def _embed(self, store: Store) -> None:
        store.index.use(self._embedder)
        while not self._stopping and store.index.embed(self._embedder, limit=BATCH):
            pass

    def close(self) -> None:
        """Stop after the batch at hand; what still waits is taken up by the next process."""
        with self._condition:
            self._stopping = True
            self._condition.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join()
