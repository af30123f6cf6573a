"""What was recalled for a question, kept while its tools run: the same memory again keeps the request's beginning."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

_KEPT = 1000
_SECONDS = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """Memory for one question."""

    text: str
    """Empty: nothing was found."""
    tokens: int
    message_ids: tuple[str, ...]


class Recollections:
    """The last of them by user and question. Safe for many threads."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[tuple[str, str], tuple[float, Recollection]] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, user_id: str, question: str, recalled: Recollection) -> None:
        """Keep it for some minutes; `question` stands for everything that it depends on."""
        with self._lock:
            self._kept[user_id, question] = (self._clock(), recalled)
            self._kept.move_to_end((user_id, question))
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)

    def find(self, user_id: str, question: str) -> Recollection | None:
        """Return what was recalled for this question before."""
        with self._lock:
            kept_at, recalled = self._kept.get((user_id, question), (0.0, None))
            return recalled if recalled is not None and self._clock() - kept_at < _SECONDS else None

    def forget(self, user_id: str) -> None:
        """Drop what was recalled for a user."""
        with self._lock:
            for known in [each for each in self._kept if each[0] == user_id]:
                del self._kept[known]
