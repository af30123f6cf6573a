"""BM25 over whole words as they are written: the plainest search there is, and an example of a system."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from heapq import nlargest
from pathlib import Path

from everyword.evals.adapters.system import Record, Retrieved
from everyword.ports import Embedder

_K1 = 1.2
_B = 0.75


def open_words(folder: Path, embedder: Embedder | None) -> WordSearch:
    """Return an empty search that keeps everything in memory."""
    del folder, embedder
    return WordSearch()


class WordSearch:
    """Okapi BM25 (Robertson and Zaragoza, 2009) without stems, stop words or anything around a message."""

    name = "words"

    def __init__(self) -> None:
        self._record_ids: list[str] = []
        self._lengths: list[int] = []
        self._holders: dict[str, list[tuple[int, int]]] = {}
        """Places of the messages that have a word, and how often."""

    def add(self, records: Sequence[Record]) -> None:
        for record in records:
            words = _words(record.text)
            for word, count in Counter(words).items():
                self._holders.setdefault(word, []).append((len(self._lengths), count))
            self._record_ids.append(record.record_id)
            self._lengths.append(len(words))

    def retrieve(self, question: str, *, limit: int, asked_at: datetime | None) -> list[Retrieved]:
        del asked_at
        scores = self._scores(question)
        best = nlargest(limit, scores, key=lambda place: (scores[place], -place))
        return [Retrieved(record_ids=(self._record_ids[place],), score=scores[place]) for place in best]

    def close(self) -> None:
        self._holders.clear()

    def _scores(self, question: str) -> dict[int, float]:
        scores: dict[int, float] = {}
        mean = sum(self._lengths) / max(1, len(self._lengths))
        for word in set(_words(question)):
            holders = self._holders.get(word, [])
            rarity = math.log(1 + (len(self._lengths) - len(holders) + 0.5) / (len(holders) + 0.5))
            for place, count in holders:
                room = _K1 * (1 - _B + _B * self._lengths[place] / mean)
                scores[place] = scores.get(place, 0.0) + rarity * count * (_K1 + 1) / (count + room)
        return scores


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())
