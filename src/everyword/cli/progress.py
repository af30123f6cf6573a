"""Bars for long work, on stderr, where a person sees it; silence elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from everyword.cli import terminal

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class Bars:
    """One bar for each kind of work, made when the work starts."""

    def __init__(self) -> None:
        self._progress: Progress | None = _progress() if sys.stderr.isatty() else None
        self._told = False
        self._tasks: dict[str, TaskID] = {}

    def messages(self, read: int) -> None:
        """Take the number of messages that were read; nobody knows how many there are."""
        self._update("messages", read, None)

    def passages(self, done: int, total: int) -> None:
        """Take how many passages were indexed by their words."""
        self._update("words", done, total)

    def vectors(self, done: int, total: int) -> None:
        """Take how many passages have vectors."""
        self._update("vectors", done, total)

    def claims(self, done: int, total: int) -> None:
        """Take how many messages were read for claims."""
        self._update("claims", done, total)

    def model(self, done: int, total: int, what: str) -> None:
        """Take how far the model is built."""
        self._update("model", done, total, f"model, once: {what}")

    def _update(self, kind: str, done: int, total: int | None, label: str | None = None) -> None:
        if self._progress is None:
            self._tell_once(kind)
            return
        if kind not in self._tasks:
            self._tasks[kind] = self._progress.add_task(label or kind, total=total)
        self._progress.update(self._tasks[kind], completed=done, total=total, description=label or kind)

    def _tell_once(self, kind: str) -> None:
        """Tell also a log why the first run takes longer."""
        if kind == "model" and not self._told:
            self._told = True
            terminal.say("Building the model, once; this takes about half a minute.")

    def __enter__(self) -> Self:
        if self._progress is not None:
            self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._progress is not None:
            self._progress.stop()


def _progress() -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Count(ProgressColumn):
        """How many, and of how many where that is known."""

        def render(self, task: Task) -> Text:
            return Text(f"{task.completed:,.0f}" + (f"/{task.total:,.0f}" if task.total is not None else ""))

    class Rate(ProgressColumn):
        """How many a second."""

        def render(self, task: Task) -> Text:
            return Text(f"{task.speed:,.0f}/s" if task.speed else "")

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        Count(),
        Rate(),
        TimeRemainingColumn(compact=True),
        console=Console(file=sys.stderr),
        transient=True,
    )


class Cases:
    """Which case of a dataset is at work: a line each, on stderr."""

    def __init__(self) -> None:
        self._started = time.monotonic()

    def started(self, name: str, questions: int) -> None:
        """Take the name of the case that begins."""
        seconds = time.monotonic() - self._started
        print(f"{seconds:7.0f} s  {name}: {questions} questions", file=sys.stderr, flush=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        print(f"{time.monotonic() - self._started:7.0f} s  done", file=sys.stderr, flush=True)
