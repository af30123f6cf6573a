from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from everyword import Memory
from everyword.errors import ModelError
from everyword.testing.word_embedder import WordEmbedder


def test_another_model_serves_after_one_call_and_nothing_is_lost_meanwhile(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="hash:64") as memory:
        for number in range(80):
            memory.add(f"coin number{number} from the harbour", user_id="ana")
        memory.index(user_id="ana")
    with Memory(tmp_path, embedder="hash:96", vectors="off") as memory:
        store = memory._stores.of("ana", create=False)
        assert memory.search("coin number7", user_id="ana", limit=1)[0].text.startswith("coin number7 ")
        assert store.index.active().name == "hash:64"
        store.index.use(memory._embedder)
        store.index.embed(memory._embedder, limit=30)
        memory.add("coin and stamp, said in between", user_id="ana")
        assert "stamp" in memory.search("coin stamp", user_id="ana", limit=1)[0].text
        packed = memory.context("coin number7", user_id="ana")
        assert any("hash:64" in note for note in packed.trace.notes)
        memory.index(user_id="ana")
        assert store.index.active().name == "hash:96"
        assert memory.search("coin number7", user_id="ana", limit=1, mode="semantic")
        assert memory.stats(user_id="ana")["vectors"] == memory.stats(user_id="ana")["messages"] == 81
        assert memory.stats(user_id="ana")["models"] == {"hash:96": "active"}
        assert memory.verify(user_id="ana").ok


def test_words_answer_where_the_old_model_cannot_be_loaded(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder=WordEmbedder("gone", 32)) as memory:
        memory.add("coin", user_id="ana")
        memory.index(user_id="ana")
    with Memory(tmp_path, embedder="hash:64", vectors="off") as memory:
        assert memory.search("coin", user_id="ana")[0].text == "coin"
        assert any("gone" in note for note in memory.context("coin", user_id="ana").trace.notes)


class Broken(WordEmbedder):
    """Raises until it is repaired."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error: Exception | None = error
        self.tried = threading.Event()

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.tried.set()
        if self.error:
            raise self.error
        return super().embed_passages(texts)


@pytest.fixture(params=[ModelError("the endpoint is down"), ValueError("bad shape"), MemoryError()], ids=str)
def broken(request: pytest.FixtureRequest) -> Broken:
    return Broken(request.param)


def test_a_model_that_fails_in_the_background_loses_no_words_and_may_recover(tmp_path: Path, broken: Broken) -> None:
    messages = [{"role": "user", "content": f"coin number{number}"} for number in range(60)]
    with Memory(tmp_path, embedder=broken) as memory:
        memory.add(messages, user_id="ana")
        assert broken.tried.wait(10)
        assert memory.search("number7", user_id="ana", mode="lexical")[0].text == "coin number7"
        broken.error = None
        memory.add(messages, user_id="bob")
        memory.index(user_id="ana")
        assert memory.stats(user_id="ana")["pending_passages"] == 0
        assert memory.search("coin", user_id="bob", mode="lexical")
