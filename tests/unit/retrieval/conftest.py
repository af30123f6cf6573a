"""A user's log and index, and a reranker that keeps what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from everyword.assembly import UserFile, UserFiles
from everyword.domain.message import Draft, Message
from everyword.ports import Embedder

NOW = datetime(2026, 6, 1, tzinfo=UTC)


class Judge:
    """Scores every text by a function and keeps what it was given."""

    name = "judge"

    def __init__(self, score: Callable[[str], float]) -> None:
        self._score = score
        self.questions: list[str] = []
        self.texts: list[str] = []

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        self.questions.append(question)
        self.texts.extend(texts)
        return [self._score(text) for text in texts]


@pytest.fixture(name="Judge")
def _judge() -> type[Judge]:
    return Judge


@pytest.fixture
def store(tmp_path: Path) -> Iterator[UserFile]:
    files = UserFiles(tmp_path, open_files=4)
    yield files.of("ana", create=True)
    files.close()


@pytest.fixture
def keep(store: UserFile) -> Callable[..., list[Message]]:
    """Store drafts with their words and, where an embedder is given, their vectors."""

    def kept(*drafts: Draft, embedder: Embedder | None = None) -> list[Message]:
        with store.transaction():
            appended = store.log.append(drafts, received_at=NOW)
            store.index.add(appended.new)
        if embedder is not None:
            store.index.use(embedder)
            while store.index.embed(embedder):
                pass
        return list(appended.messages)

    return kept
