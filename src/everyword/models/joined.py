"""Two embedders side by side: what one does not see in a text, the other may."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from everyword.models import readiness
from everyword.models.units import unit_rows
from everyword.ports import Embedder, ModelIdentity, QuestionVectors, question_vectors
from everyword.text.words import is_unspaced

if TYPE_CHECKING:
    from everyword.ports import Vectors

SPREADS: Mapping[str, float] = {"e5-small:q4": 0.46, "e5-small:int8": 0.46, "minilm": 0.95}
"""Mean distance of a plain sentence's vector from the middle of all: a model that places texts close together would say
nothing beside one that does not. Any other model counts as 1."""
ENGLISH = frozenset({"minilm"})
"""Models whose vectors of a script without spaces are worse than none."""


class JoinedEmbedder:
    """Vectors of several models one behind the other, each with the same weight in the similarity.

    The similarity of two texts is the mean of the models' similarities, each divided by the spread of its model. A model of
    English alone adds nothing to texts in scripts without spaces.
    """

    def __init__(self, members: Sequence[Embedder]) -> None:
        self.members = tuple(members)

    @property
    def identity(self) -> ModelIdentity:
        parts = [member.identity for member in self.members]
        return ModelIdentity(
            name="+".join(part.name for part in parts),
            dimensions=sum(part.dimensions for part in parts),
            revision="+".join(part.revision for part in parts),
        )

    @property
    def is_loaded(self) -> bool:
        """Tell whether all models are in memory."""
        return all(map(readiness.is_loaded, self.members))

    @property
    def is_busy(self) -> bool:
        """Tell whether questions wait for one of them; each lets its own questions pass."""
        return any(map(readiness.is_busy, self.members))

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._joined(texts, [member.embed_queries(texts) for member in self.members])

    def embed_question(self, text: str) -> QuestionVectors:
        """Return the joined vector, and the tokens of every model that tells them, each in the columns of its model."""
        import numpy as np

        asked = [question_vectors(member, text) for member in self.members]
        whole = self._joined([text], [each.whole[None, :] for each in asked])[0]
        ends = np.cumsum([len(each.whole) for each in asked])
        tokens = [
            np.pad(each.tokens, ((0, 0), (int(end) - len(each.whole), len(whole) - int(end))))
            for each, end in zip(asked, ends, strict=True)
        ]
        return QuestionVectors(whole=whole, tokens=np.concatenate(tokens))

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return self._joined(texts, [member.embed_passages(texts) for member in self.members])

    def _joined(self, texts: Sequence[str], found: Sequence[Vectors]) -> Vectors:
        import numpy as np

        is_spaced = np.array([not is_unspaced(text) for text in texts], dtype=bool)
        parts: list[Vectors] = []
        for member, vectors in zip(self.members, found, strict=True):
            name = member.identity.name
            part = vectors / np.float32(SPREADS.get(name, 1.0))
            parts.append(np.where(is_spaced[:, None], part, np.float32(0.0)) if name in ENGLISH else part)
        return unit_rows(np.hstack(parts))
