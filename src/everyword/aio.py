"""AsyncMemory: the verbs of Memory for asyncio programs, each in a worker thread."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from everyword.assembly import Memory, ModelProgress
from everyword.ports import Embedder, Reranker, TokenCounter

P = ParamSpec("P")
T = TypeVar("T")

_LINES = 256
"""Lines of an export that one step in a thread reads."""


def _awaited(
    verb: Callable[Concatenate[Memory, P], T],
) -> Callable[Concatenate[AsyncMemory, P], Coroutine[Any, Any, T]]:
    """Return the verb as a coroutine function with the same arguments."""

    @functools.wraps(verb)
    async def call(self: AsyncMemory, *arguments: P.args, **named: P.kwargs) -> T:
        return await self.run(functools.partial(verb, self.memory, *arguments, **named))

    return call


class AsyncMemory:
    """Memory for asyncio programs: the same verbs and arguments, awaited. The event loop is never blocked.

    A call that is cancelled goes on to its end in its thread: what `add` has begun to store is stored.
    """

    def __init__(
        self,
        home: str | Path | None = None,
        *,
        embedder: str | Embedder | None = None,
        reranker: str | Reranker | None = None,
        counter: str | TokenCounter | None = None,
        model_progress: ModelProgress | None = None,
        **options: Any,
    ) -> None:
        """Open a memory folder as `Memory` does, with the same arguments. Raise SettingsError."""
        self._take(
            Memory(
                home,
                embedder=embedder,
                reranker=reranker,
                counter=counter,
                model_progress=model_progress,
                **options,
            )
        )

    @classmethod
    def over(cls, memory: Memory) -> Self:
        """Return the verbs of a memory that is open; closing one closes the other."""
        made = cls.__new__(cls)
        made._take(memory)
        return made

    def _take(self, memory: Memory) -> None:
        self.memory = memory
        self._threads = ThreadPoolExecutor(thread_name_prefix="everyword")

    add = _awaited(Memory.add)
    import_file = _awaited(Memory.import_file)
    index = _awaited(Memory.index)
    search = _awaited(Memory.search)
    context = _awaited(Memory.context)
    explain = _awaited(Memory.explain)
    get = _awaited(Memory.get)
    messages = _awaited(Memory.messages)
    users = _awaited(Memory.users)
    stats = _awaited(Memory.stats)
    verify = _awaited(Memory.verify)
    rebuild = _awaited(Memory.rebuild)
    forget = _awaited(Memory.forget)

    async def export(self, *, user_id: str) -> AsyncIterator[bytes]:
        """Yield the lines of an export that `import_file` reads back identical."""
        lines: Iterator[bytes] = await self.run(functools.partial(self.memory.export, user_id=user_id))
        while part := await self.run(lambda: list(islice(lines, _LINES))):
            for line in part:
                yield line

    async def close(self) -> None:
        """Wait for the calls under way, then stop the background work and close every file."""
        await asyncio.to_thread(self._threads.shutdown)
        await asyncio.to_thread(self.memory.close)

    async def run(self, call: Callable[[], T]) -> T:
        """Run any blocking call in one of the worker threads."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, functools.partial(copy_context().run, call))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()
