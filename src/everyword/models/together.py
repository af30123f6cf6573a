"""Callers that wait at the same time share one run of a model: a batch costs little more than its first text."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

if TYPE_CHECKING:
    from everyword.ports import Vectors

MOST_CALLS = 16
"""Calls in one run: the last of more would wait for the texts of all."""
PATIENCE_S = 3.0
"""How long other work lets those pass who wait, all its batches together: somebody waits for that work too."""

T = TypeVar("T")
Rows = TypeVar("Rows", bound="Sequence[Any] | Vectors")
"""What comes of some texts: one row for each, in their order."""


class _Call(Generic[Rows]):
    """What one caller asked for, and what came of it."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self.found: Rows | None = None
        self.failure: Exception | None = None

    @property
    def is_done(self) -> bool:
        return self.found is not None or self.failure is not None


class Together(Generic[Rows]):
    """Gives the texts of all callers that wait to `embed` in one call, and each caller its rows. Safe for many threads."""

    def __init__(self, embed: Callable[[Sequence[str]], Rows], *, patience_s: float = PATIENCE_S) -> None:
        self._embed = embed
        self._patience_s = patience_s
        self._callers = 0
        self._waiting: list[_Call[Rows]] = []
        self._is_running = False
        self._entry = threading.Condition()
        self._tickets = 0
        """Batches of other work so far."""
        self._turn = 0
        """Number of the batch of other work that runs, or is the next to."""

    @property
    def is_busy(self) -> bool:
        """Tell whether anybody waits, or other work runs: more of that had better come later."""
        return self._callers > 0 or self._tickets > self._turn

    def let_pass(self, longest_s: float) -> None:
        """Return when nobody waits any more, or after some seconds: work behind this is never starved."""
        with self._entry:
            self._entry.wait_for(lambda: not self._callers, longest_s)

    def between(self, batches: Iterable[T]) -> Iterator[T]:
        """Yield batches of other work, each when nobody waits any more or the patience for all of them is at an end.

        One batch at a time, whoever's it is, in the order in which they came: two at once take as long, and memory for
        both; and work of many batches is not to keep other work from its first.
        """
        until = time.monotonic() + self._patience_s
        for batch in batches:
            self.let_pass(until - time.monotonic())
            with self._alone():
                yield batch

    @contextmanager
    def _alone(self) -> Generator[None]:
        """Wait until all that came before is done."""
        with self._entry:
            mine, self._tickets = self._tickets, self._tickets + 1
            self._entry.wait_for(lambda: self._turn == mine)
        try:
            yield
        finally:
            with self._entry:
                self._turn += 1
                self._entry.notify_all()

    def __call__(self, texts: Sequence[str]) -> Rows:
        """Return a row for each text. Raise what `embed` raises for the texts of this call."""
        call, calls = _Call[Rows](texts), list[_Call[Rows]]()
        try:
            with self._entry:
                self._callers += 1
                self._waiting.append(call)
                # Whoever runs takes the others that came first along: a lock would let them wait without an order.
                self._entry.wait_for(lambda: call.is_done or not self._is_running)
                if not call.is_done:
                    calls = self._next(call)
                    self._is_running = True
            if calls:
                self._run_for(calls)
        finally:
            with self._entry:
                self._is_running = self._is_running and not calls
                self._callers -= 1
                self._entry.notify_all()
        if call.failure is not None:
            raise call.failure
        return cast("Rows", call.found)

    def _next(self, call: _Call[Rows]) -> list[_Call[Rows]]:
        """Take the calls of the next run out of the queue: this one, and of the others those that came first."""
        others = [each for each in self._waiting if each is not call][: MOST_CALLS - 1]
        self._waiting = [each for each in self._waiting if each is not call and each not in others]
        return [call, *others]

    def _run_for(self, calls: Sequence[_Call[Rows]]) -> None:
        try:
            rows = self._embed([text for call in calls for text in call.texts])
        except Exception as error:  # noqa: BLE001 - whatever the model raises belongs to its caller
            if len(calls) == 1:
                calls[0].failure = error
                return
            for call in calls:  # One caller's text is not to fail the others.
                self._run_for([call])
            return
        start = 0
        for call in calls:
            call.found = cast("Rows", rows[start : start + len(call.texts)])
            start += len(call.texts)
