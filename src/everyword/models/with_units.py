"""An embedder whose vectors are of other units than clauses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from everyword.models import readiness
from everyword.ports import Embedder, ModelIdentity, VectorUnits, question_vectors

if TYPE_CHECKING:
    from everyword.ports import QuestionVectors, Vectors


class EmbedderOfUnits:
    """The same model under another identity, so that vectors of different units are never mixed."""

    def __init__(self, embedder: Embedder, units: VectorUnits) -> None:
        self._embedder = embedder
        self._units: VectorUnits = units

    @property
    def identity(self) -> ModelIdentity:
        return replace(self._embedder.identity, units=self._units)

    @property
    def is_loaded(self) -> bool:
        """Tell whether the model is in memory."""
        return readiness.is_loaded(self._embedder)

    @property
    def is_busy(self) -> bool:
        """Tell whether questions wait for the model."""
        return readiness.is_busy(self._embedder)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._embedder.embed_queries(texts)

    def embed_question(self, text: str) -> QuestionVectors:
        return question_vectors(self._embedder, text)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return self._embedder.embed_passages(texts)
