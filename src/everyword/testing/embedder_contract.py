"""What every embedder must do. Subclass it and return yours from `embedder`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from everyword.ports import Embedder, question_vectors

if TYPE_CHECKING:
    from everyword.ports import Vectors

TEXTS = (
    "We watched the match in the old stadium.",
    "The invoice of March is 1,280 dollars.",
    "今天早上我去市場買了一些菜。",
    "Où est la bibliothèque ?",
)
ODD = ("", " ", "\x00", "\ud800", "🎂👩‍👩‍👧‍👦", "a\nb\tc", "…", "x" * 20_000, "\ufdfa", "שלום")


class EmbedderContract:
    """Shape, length, repeatability, odd texts, and the tokens of a question where the model tells them apart."""

    def embedder(self) -> Embedder:
        """Return the embedder under test."""
        raise NotImplementedError

    @pytest.fixture
    def model(self) -> Embedder:
        return self.embedder()

    def test_every_text_gets_a_row_of_the_stated_dimensions(self, model: Embedder) -> None:
        for vectors in (model.embed_passages(TEXTS), model.embed_queries(TEXTS)):
            assert vectors.shape == (len(TEXTS), model.identity.dimensions)
            assert vectors.dtype == np.float32

    def test_every_row_has_length_one(self, model: Embedder) -> None:
        _have_length_one(model.embed_passages(TEXTS))
        _have_length_one(model.embed_queries(TEXTS))

    def test_no_texts_give_no_rows(self, model: Embedder) -> None:
        assert model.embed_passages([]).shape == (0, model.identity.dimensions)
        assert model.embed_queries([]).shape == (0, model.identity.dimensions)

    def test_odd_texts_have_vectors_too(self, model: Embedder) -> None:
        _have_length_one(model.embed_passages(ODD))
        _have_length_one(model.embed_queries(ODD))

    def test_the_same_text_has_the_same_vector_in_any_company(self, model: Embedder) -> None:
        alone = np.vstack([model.embed_passages([text]) for text in TEXTS])
        assert np.allclose(model.embed_passages([*TEXTS, *TEXTS[::-1]])[: len(TEXTS)], alone, atol=1e-3)

    def test_a_question_is_nearest_to_its_own_words(self, model: Embedder) -> None:
        similar = model.embed_queries(TEXTS) @ model.embed_passages(TEXTS).T
        assert similar.argmax(axis=1).tolist() == list(range(len(TEXTS)))

    def test_a_question_is_the_same_as_a_whole_and_its_tokens_have_length_one(self, model: Embedder) -> None:
        for text in (*TEXTS, *ODD):
            asked = question_vectors(model, text)
            assert np.allclose(asked.whole, model.embed_queries([text])[0], atol=1e-3)
            assert asked.tokens.shape[1] == model.identity.dimensions
            _have_length_one(asked.tokens)

    def test_the_identity_never_changes(self, model: Embedder) -> None:
        before = model.identity
        model.embed_passages(TEXTS)
        assert model.identity == before == self.embedder().identity


def _have_length_one(vectors: Vectors) -> None:
    assert np.isfinite(vectors).all()
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-4)
