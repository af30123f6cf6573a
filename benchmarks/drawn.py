"""Vectors that are drawn, not computed: where real ones would take hours and their speed is known from smaller sizes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from conversation import TOPICS, topic_of

from everyword.ports import Embedder, ModelIdentity, QuestionVectors, question_vectors

if TYPE_CHECKING:
    from everyword.ports import Vectors

DIMENSIONS = 384
_POOL = 8192
_COMMON, _TOPIC, _OWN = 0.85, 0.36, 0.27
"""Lengths of the parts of a vector: texts of one topic have a cosine near 0.85, others near 0.72, as e5 gives them."""


class DrawnEmbedder:
    """A vector around the centre of the text's topic, the same for the same text in every process.

    Questions are embedded by a real model too (`timed`), for the time that it takes; of its vectors only tokens are used,
    which cost the same whatever they are near to.
    `instead_of`: the model of the same dimensions that a server asks such vectors with.
    """

    def __init__(self, timed: Embedder | None = None, *, instead_of: ModelIdentity | None = None) -> None:
        random = np.random.default_rng(5)
        self._common = _units(random, 1)[0] * _COMMON
        self._topics = _units(random, TOPICS) * _TOPIC
        self._own = _units(random, _POOL) * _OWN
        self._timed = timed
        self._identity = instead_of or ModelIdentity(name=f"drawn:{DIMENSIONS}", dimensions=DIMENSIONS)

    @property
    def is_loaded(self) -> bool:
        """Return True: there is nothing to load."""
        return True

    @property
    def identity(self) -> ModelIdentity:
        return self._identity

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        if self._timed is not None:
            self._timed.embed_queries(texts)
        return self.embed_passages(texts)

    def embed_question(self, text: str) -> QuestionVectors:
        whole = self.embed_passages([text])
        tokens = whole[:0] if self._timed is None else question_vectors(self._timed, text).tokens
        return QuestionVectors(whole=whole[0], tokens=tokens)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        numbers = np.array([_number(text) for text in texts], dtype=np.uint64)
        first = self._own[(numbers % _POOL).astype(np.int64)]
        second = self._own[((numbers >> np.uint64(32)) % _POOL).astype(np.int64)]
        rows = self._common + self._topics[[topic_of(text) for text in texts]] + first + second
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def _units(random: np.random.Generator, count: int) -> Vectors:
    rows = random.standard_normal((count, DIMENSIONS), dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _number(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
