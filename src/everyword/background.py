"""Work in the background: one thread that takes one store after another."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable

from everyword.errors import EverywordError
from everyword.ports import Store

_LOGGER = logging.getLogger("everyword")


class BackgroundWorker:
    """Works through the stores that are handed to it; a failure is kept, not raised, since words are safe."""

    def __init__(self, name: str, work: Callable[[Store], None], *, waits: str) -> None:
        """`waits`: what is said to wait when the work fails."""
        self._name = name
        self._work = work
        self._waits = waits
        self.failures: dict[str, str] = {}
        """By the path of the log: why its work could not be done."""
        self._start()

    def _start(self) -> None:
        self._stores: dict[str, Store] = {}
        self._condition = threading.Condition()
        self._thread: threading.Thread | None = None
        self.is_stopping = False
        self._process = os.getpid()

    def schedule(self, store: Store) -> None:
        """Do what waits in this store, some time."""
        if self._process != os.getpid():  # A fork has no threads but its own, and may have copied a held lock.
            self._start()
        with self._condition:
            if self.is_stopping:
                return
            self._stores[str(store.path)] = store
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
            self._condition.notify_all()

    def _run(self) -> None:
        while (store := self._next()) is not None:
            try:
                self._work(store)
                self.failures.pop(str(store.path), None)
            except EverywordError as error:
                self._keep(store, str(error))
            except Exception as error:  # noqa: BLE001 - whatever a model raises must not end the work for all users
                self._keep(store, f"{type(error).__name__}: {error}")

    def _keep(self, store: Store, reason: str) -> None:
        self.failures[str(store.path)] = reason
        _LOGGER.warning("%s: %s", self._waits, reason)

    def _next(self) -> Store | None:
        with self._condition:
            while not self._stores and not self.is_stopping:
                self._condition.wait()
            return None if self.is_stopping else self._stores.pop(next(iter(self._stores)))

    def close(self) -> None:
        """Stop after the batch at hand; what still waits is taken up by the next process. Once more does nothing."""
        if self._process != os.getpid():
            self._start()
        with self._condition:
            self.is_stopping = True
            self._condition.notify_all()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()
