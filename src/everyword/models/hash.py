"""An embedder without weights: the same vector for the same text in every process, near for shared words."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from everyword.errors import SettingsError
from everyword.models.units import unit_rows
from everyword.ports import ModelIdentity
from everyword.text.tokens import CJK

if TYPE_CHECKING:
    from everyword.ports import Vectors

RUN = re.compile(rf"([{CJK}]+)|([^\W_{CJK}]+)")
TRIGRAM_WEIGHT = 0.25
SIGN_BIT = 1 << 63


class HashEmbedder:
    """Signed feature hashing of words, their letter trigrams and CJK bigrams (Weinberger et al., ICML 2009)."""

    def __init__(self, dimensions: int = 256) -> None:
        if dimensions < 1:
            raise SettingsError(f"hash needs at least one dimension, not {dimensions!r}: use 'hash' or 'hash:256'.")
        self._dimensions = dimensions

    @property
    def is_loaded(self) -> bool:
        """Return True: there is nothing to load."""
        return True

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity(name=f"hash:{self._dimensions}", dimensions=self._dimensions, revision="1")

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self.embed_passages(texts)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        vectors = np.zeros((len(texts), self._dimensions), np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for feature, weight in features(text):
                number = feature_hash(feature)
                row[number % self._dimensions] += weight if number & SIGN_BIT else -weight
            if not row.any():
                row[feature_hash(text) % self._dimensions] = 1.0
        return unit_rows(vectors)


def features(text: str) -> Iterator[tuple[str, float]]:
    """Yield each feature of the text with its weight."""
    for run in RUN.finditer(unicodedata.normalize("NFKC", text).casefold()):
        cjk, word = run.groups()
        if cjk:
            yield from ((pair, 1.0) for pair in grams(cjk, 2))
        else:
            yield word, 1.0
            yield from ((f"#{gram}", TRIGRAM_WEIGHT) for gram in grams(f"^{word}$", 3))


def grams(text: str, size: int) -> Iterator[str]:
    """Yield every `size` characters in a row, or the text itself where it is shorter."""
    for start in range(max(1, len(text) - size + 1)):
        yield text[start : start + size]


@lru_cache(maxsize=65536)
def feature_hash(feature: str) -> int:
    digest = hashlib.blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")
