"""Which messages were shown, gathered while contexts are made and written down later."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime

from everyword.background import BackgroundWorker
from everyword.errors import EverywordError
from everyword.ports import Store

_MANY = 200
"""Messages of one user after which another thread writes them down."""
_USERS = 32
"""Users from which on those of the first are written down: what waits keeps their files open."""


class UseJournal:
    """Uses that are not written yet; a process that is killed loses them, and nothing else."""

    def __init__(self) -> None:
        self._start()
        self._worker = BackgroundWorker("everyword-claim-uses", self.write, waits="Uses of claims wait")

    def _start(self) -> None:
        self._waiting: dict[str, tuple[Store, dict[int, datetime]]] = {}
        self._lock = threading.Lock()
        self._process = os.getpid()

    def note(self, store: Store, seqs: Iterable[int], when: datetime) -> None:
        """Note that messages were shown at a time; nothing is written here."""
        if self._process != os.getpid():  # What the parent opened must not be used here.
            self._start()
        with self._lock:
            uses = self._waiting.setdefault(str(store.path), (store, {}))[1]
            for seq in seqs:
                uses[seq] = max(when, uses.get(seq, when))
            full = [store] if len(uses) >= _MANY else []
            if len(self._waiting) > _USERS:
                full.append(next(iter(self._waiting.values()))[0])
        for each in full:
            self._worker.schedule(each)

    def waiting(self, store: Store) -> dict[int, datetime]:
        """Return what is noted of a store and not written yet."""
        if self._process != os.getpid():
            self._start()
        with self._lock:
            return dict(self._waiting.get(str(store.path), (store, {}))[1])

    def write(self, store: Store) -> None:
        """Write down what waits of a store, in this thread."""
        uses = self.drop(store)
        if uses and store.path.exists():
            store.claims.marks.use(uses)

    def drop(self, store: Store) -> dict[int, datetime]:
        """Take what waits of a store out, as if it had never been noted, and return it."""
        if self._process != os.getpid():
            self._start()
        with self._lock:
            return self._waiting.pop(str(store.path), (store, {}))[1]

    def close(self) -> None:
        """Write down what waits; what cannot be written is left out, since nobody's words depend on it."""
        if self._process != os.getpid():
            self._start()
        self._worker.close()
        for store, _ in list(self._waiting.values()):
            with suppress(EverywordError):
                self.write(store)
