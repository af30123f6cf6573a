from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from everyword.evals.vector_cache import CachedEmbedder
from everyword.testing.embedder_contract import EmbedderContract
from everyword.testing.word_embedder import WordEmbedder

TEXTS = ["The coin is gold.", "It rained.", "The coin is gold.", "硬幣", ""]


class TestCached(EmbedderContract):
    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path

    def embedder(self) -> CachedEmbedder:
        return CachedEmbedder(WordEmbedder(), self.folder)


def test_a_text_is_computed_once_in_all_runs(tmp_path: Path) -> None:
    model = WordEmbedder()
    first = CachedEmbedder(model, tmp_path).embed_passages(TEXTS)
    again = CachedEmbedder(model, tmp_path)
    assert np.array_equal(again.embed_passages(TEXTS[::-1])[::-1], first)
    assert model.embedded == len(set(TEXTS))
    assert again.computed == 0


def test_a_kept_vector_is_the_computed_one(tmp_path: Path) -> None:
    kept = CachedEmbedder(WordEmbedder(), tmp_path).embed_passages(TEXTS)
    assert np.allclose(kept, WordEmbedder().embed_passages(TEXTS), atol=1e-3)
    assert np.allclose(np.linalg.norm(kept, axis=1), 1.0, atol=1e-6)


def test_questions_passages_and_models_are_kept_apart(tmp_path: Path) -> None:
    model = WordEmbedder()
    cached = CachedEmbedder(model, tmp_path)
    cached.embed_passages(["coin"])
    cached.embed_queries(["coin"])
    assert model.embedded == 2
    other = WordEmbedder("other")
    assert not np.allclose(CachedEmbedder(other, tmp_path).embed_passages(["coin"]), cached.embed_passages(["coin"]))


def test_the_tokens_of_a_question_are_kept_too(tmp_path: Path) -> None:
    model = WordEmbedder()
    first = CachedEmbedder(model, tmp_path).embed_question("Where is the gold coin?")
    embedded = model.embedded
    again = CachedEmbedder(model, tmp_path).embed_question("Where is the gold coin?")
    assert model.embedded == embedded
    assert np.array_equal(again.tokens, first.tokens)
    assert np.allclose(first.tokens, WordEmbedder().embed_question("Where is the gold coin?").tokens, atol=1e-3)
