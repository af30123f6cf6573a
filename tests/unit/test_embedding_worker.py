from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from everyword.embedding_worker import EmbeddingWorker
from everyword.errors import ModelError
from everyword.testing.word_embedder import WordEmbedder


@dataclass
class Shelf:
    """A store whose index only counts."""

    name: str
    waiting: int
    work: Callable[[], None] = lambda: None
    batches: list[int] = field(default_factory=list)

    @property
    def path(self) -> Path:
        return Path(self.name)

    @property
    def index(self) -> Any:
        return self

    def use(self, embedder: WordEmbedder) -> None: ...

    def embed(self, embedder: WordEmbedder, *, limit: int) -> int:
        self.work()
        done = min(limit, self.waiting)
        self.waiting -= done
        self.batches.append(done)
        return done

    def merge(self) -> None: ...

    def transaction(self) -> Any:
        return nullcontext()


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.001)


def test_every_store_that_is_handed_over_is_worked_through() -> None:
    worker = EmbeddingWorker(WordEmbedder())
    shelves = [Shelf("a", 150), Shelf("b", 1), Shelf("c", 0)]
    for shelf in shelves:
        worker.schedule(shelf)  # type: ignore[arg-type]
    until(lambda: all(shelf.batches[-1:] == [0] for shelf in shelves))
    assert shelves[0].batches == [64, 64, 22, 0]
    worker.close()


def test_whatever_fails_for_one_store_does_not_stop_the_others() -> None:
    def raise_it(error: Exception) -> Callable[[], None]:
        def work() -> None:
            raise error

        return work

    worker = EmbeddingWorker(WordEmbedder())
    worker.schedule(Shelf("model", 1, raise_it(ModelError("down"))))  # type: ignore[arg-type]
    worker.schedule(Shelf("bug", 1, raise_it(IndexError("oops"))))  # type: ignore[arg-type]
    fine = Shelf("fine", 1)
    worker.schedule(fine)  # type: ignore[arg-type]
    until(lambda: fine.waiting == 0)
    assert worker.failures == {"model": "down", "bug": "IndexError: oops"}
    again = Shelf("model", 1)
    worker.schedule(again)  # type: ignore[arg-type]
    until(lambda: "model" not in worker.failures and again.waiting == 0)
    worker.close()


def test_closing_waits_for_the_batch_at_hand_and_no_longer() -> None:
    begun, go = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        go.wait(10)

    worker = EmbeddingWorker(WordEmbedder())
    shelf = Shelf("a", 10_000, work)
    worker.schedule(shelf)  # type: ignore[arg-type]
    begun.wait(10)
    closing = threading.Thread(target=worker.close)
    closing.start()
    go.set()
    closing.join(10)
    assert not closing.is_alive()
    assert len(shelf.batches) == 1
    worker.close()


def test_a_closed_worker_takes_nothing_and_one_without_work_has_no_thread() -> None:
    before = threading.active_count()
    worker = EmbeddingWorker(WordEmbedder())
    assert threading.active_count() == before
    worker.close()
    shelf = Shelf("a", 1)
    worker.schedule(shelf)  # type: ignore[arg-type]
    assert threading.active_count() == before
    assert shelf.batches == []
