"""What was recalled for a question, kept while its tools run: the same memory again keeps the request's beginning."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

_KEPT = 1000
_CHARACTERS = 32_000_000
"""Of all texts together: a budget may be large."""
_SECONDS = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """Memory for one question."""

    text: str
    """Empty: nothing was found."""
    tokens: int
    message_ids: tuple[str, ...]


class Recollections:
    """The last of them by user and question, oldest first. Safe for many threads."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic, characters: int = _CHARACTERS) -> None:
        self._clock = clock
        self._room = characters
        self._kept: OrderedDict[tuple[str, str], tuple[float, Recollection]] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, user_id: str, question: str, recalled: Recollection) -> None:
        """Keep it for some minutes; `question` stands for everything that it depends on."""
        with self._lock:
            self._drop((user_id, question))
            self._kept[user_id, question] = (self._clock(), recalled)
            self._room -= len(recalled.text)
            while self._kept and (self._room < 0 or len(self._kept) > _KEPT or self._is_old(next(iter(self._kept)))):
                self._drop(next(iter(self._kept)))

    def find(self, user_id: str, question: str) -> Recollection | None:
        """Return what was recalled for this question before."""
        known = (user_id, question)
        with self._lock:
            return self._kept[known][1] if known in self._kept and not self._is_old(known) else None

    def forget(self, user_id: str) -> None:
        """Drop what was recalled for a user."""
        with self._lock:
            for known in [each for each in self._kept if each[0] == user_id]:
                self._drop(known)

    def _is_old(self, known: tuple[str, str]) -> bool:
        return self._clock() - self._kept[known][0] >= _SECONDS

    def _drop(self, known: tuple[str, str]) -> None:
        if known in self._kept:
            self._room += len(self._kept.pop(known)[1].text)
