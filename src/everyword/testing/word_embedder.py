"""An embedder for tests: the words of a text, hashed into a few dimensions. Texts that share words are near."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from everyword.ports import ModelIdentity, QuestionVectors
from everyword.text.words import terms

if TYPE_CHECKING:
    from everyword.ports import Vectors


class WordEmbedder:
    """Signed counts of index terms. Two with another name or another number of dimensions are two models."""

    is_loaded = True

    def __init__(self, name: str = "words", dimensions: int = 64) -> None:
        self._name = name
        self._dimensions = dimensions
        self.embedded = 0
        """Texts that were embedded, questions too."""

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity(name=self._name, dimensions=self._dimensions)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self.embed_passages(texts)

    def embed_question(self, text: str) -> QuestionVectors:
        """Return the question's vector and those of its terms."""
        return QuestionVectors(whole=self.embed_queries([text])[0], tokens=self.embed_passages(terms(text)))

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        self.embedded += len(texts)
        vectors = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for term in terms(text) or [text]:
                place, sign = self._place(term)
                row[place] += sign
            if not row.any():
                row[0] = 1.0
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def _place(self, term: str) -> tuple[int, float]:
        digest = hashlib.blake2b(f"{self._name} {term}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
        number = int.from_bytes(digest, "little")
        return number % self._dimensions, 1.0 if number >> 63 else -1.0
