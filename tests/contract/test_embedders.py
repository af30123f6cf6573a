from __future__ import annotations

from everyword.models.hash import HashEmbedder
from everyword.testing.embedder_contract import EmbedderContract
from everyword.testing.word_embedder import WordEmbedder


class TestHashEmbedder(EmbedderContract):
    def embedder(self) -> HashEmbedder:
        return HashEmbedder(384)


class TestWordEmbedder(EmbedderContract):
    def embedder(self) -> WordEmbedder:
        return WordEmbedder()
