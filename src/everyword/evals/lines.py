"""Parallel lines: the same work on many things, some at the same time, with results in the order of the things."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")


class Lines:
    """Does the same to many things, some at the same time; results come in the order of the things."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._pool = ThreadPoolExecutor(count) if count > 1 else None

    def __call__(self, work: Callable[[Given], Made], given: Iterable[Given]) -> Iterator[Made]:
        """Yield what the work makes of each; only as many are taken as are worked on. Raise what the work raises."""
        if self._pool is None:
            yield from map(work, given)
            return
        waiting: deque[Future[Made]] = deque()
        for each in given:
            waiting.append(self._pool.submit(work, each))
            if len(waiting) > self._count:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    def close(self) -> None:
        """Wait for what is at work."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


@contextmanager
def opened(count: int, stopped: threading.Event) -> Generator[Lines]:
    """Open so many lines; `stopped` is set when they end by an error."""
    lines = Lines(count)
    try:
        yield lines
    except BaseException:
        stopped.set()
        raise
    finally:
        lines.close()
