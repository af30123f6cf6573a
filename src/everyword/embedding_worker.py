"""Vectors in the background: one thread that works through what waits, newest first."""

from __future__ import annotations

import logging
import os
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
        self.failures: dict[str, str] = {}
        """By the path of the log: why its vectors could not be computed."""
        self._start()

    def _start(self) -> None:
        self._stores: dict[str, Store] = {}
        self._condition = threading.Condition()
        self._thread: threading.Thread | None = None
        self._stopping = False
        self._process = os.getpid()

    def schedule(self, store: Store) -> None:
        """Compute what waits in this store, some time."""
        if self._process != os.getpid():  # A fork has no threads but its own, and may have copied a held lock.
            self._start()
        with self._condition:
            if self._stopping:
                return
            self._stores[str(store.path)] = store
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="everyword-vectors", daemon=True)
                self._thread.start()
            self._condition.notify_all()

    def _run(self) -> None:
        while (store := self._next()) is not None:
            try:
                self._embed(store)
                self.failures.pop(str(store.path), None)
            except EverywordError as error:
                self._keep(store, str(error))
            except Exception as error:  # noqa: BLE001 - whatever an embedder raises must not end the work for all users
                self._keep(store, f"{type(error).__name__}: {error}")

    def _keep(self, store: Store, reason: str) -> None:
        self.failures[str(store.path)] = reason
        _LOGGER.warning("Vectors wait, words are found all the same: %s", reason)

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
        """Stop after the batch at hand; what still waits is taken up by the next process. Once more does nothing."""
        if self._process != os.getpid():
            self._start()
        with self._condition:
            self._stopping = True
            self._condition.notify_all()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()
