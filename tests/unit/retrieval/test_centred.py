"""Passages are compared with a question around the centre of all texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from everyword.assembly import UserFile
from everyword.domain.message import Message
from everyword.domain.query import Query
from everyword.ports import ModelIdentity
from everyword.retrieval.gather import Gathered, gather
from everyword.strategies.catalogue import STRATEGIES
from everyword.strategies.evidence import EVIDENCE
from everyword.testing.drafts import draft
from everyword.text.words import terms

SPECIFIC = 1
MOST = 8


class Cone:
    """All texts lie around one direction: some nearer to it, as chatter is, some with a meaning of their own."""

    identity = ModelIdentity(name="cone", dimensions=64)

    def embed_passages(self, texts: Sequence[str]) -> np.ndarray:
        rows = np.full((len(texts), 64), 0.05, dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            words = set(terms(text))
            row[0] = 4.0 if words & {"hello", "thank"} else 1.0
            row[SPECIFIC] += 0.6 * bool(words & {"physician", "doctor"})
            for word in words:
                row[2 + sum(word.encode()) % MOST] += 0.05
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    embed_queries = embed_passages


@pytest.fixture
def said(store: UserFile, keep: Callable[..., list[Message]]) -> UserFile:
    """One message that answers, among chatter that sounds like everything."""
    chatter = [draft(f"hello thanks {word}", session_id=word) for word in ("so", "well", "fine", "yes", "sure")]
    keep(*chatter, draft("Her physician moved to Leeds", session_id="leeds"), *chatter, embedder=Cone())
    return store


def gathered(store: UserFile, centred: float) -> Gathered:
    recipe = replace(EVIDENCE.recipe, centred=centred)
    return gather(store.index, Query(text="Who is the doctor?"), recipe, Cone())


def test_what_sounds_like_everything_is_nearest_until_what_all_share_is_taken_off(said: UserFile) -> None:
    as_it_is, centred = (gathered(said, times).scores["passage"] for times in (0.0, 1.0))
    answer = 5
    assert as_it_is.argmax() != answer
    assert centred.argmax() == answer


def test_published_recipes_compare_as_they_say() -> None:
    assert {name for name, each in STRATEGIES.items() if name.startswith("raw") and each.recipe.centred} == set()
