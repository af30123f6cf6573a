"""AsyncMemory: the verbs of Memory for asyncio programs, each in a worker thread."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextvars import copy_context
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar

from everyword.assembly import Memory, ModelProgress
from everyword.claims.claims import Claims
from everyword.claims.summaries import Summaries
from everyword.errors import StorageError
from everyword.ports import Embedder, Reranker, TokenCounter
from everyword.sessions.short_term import ShortTerm

P = ParamSpec("P")
T = TypeVar("T")
Twin = TypeVar("Twin")

_LINES = 256
"""Lines of an export that one step in a thread reads."""


class InThreads(Generic[Twin]):
    """Something whose calls block, and the threads in which they run."""

    twin: Twin
    threads: Executor


def _awaited(
    verb: Callable[Concatenate[Twin, P], T],
) -> Callable[Concatenate[InThreads[Twin], P], Coroutine[Any, Any, T]]:
    """Return the verb as a coroutine function with the same arguments."""

    @functools.wraps(verb)
    async def call(self: InThreads[Twin], *arguments: P.args, **named: P.kwargs) -> T:
        return await _run(self.threads, functools.partial(verb, self.twin, *arguments, **named))

    return call


async def _run(threads: Executor, call: Callable[[], T]) -> T:
    """Return what a blocking call returns, which runs in a thread with the caller's context variables."""
    loop, inside = asyncio.get_running_loop(), functools.partial(copy_context().run, call)
    try:
        running = loop.run_in_executor(threads, inside)
    except RuntimeError as error:
        raise StorageError("This memory is closed: open it again with AsyncMemory(...).") from error
    return await running


class AsyncClaims(InThreads[Claims]):
    """The verbs of `Memory.claims`, awaited."""

    def __init__(self, claims: Claims, threads: Executor) -> None:
        self.twin = claims
        self.threads = threads

    of = _awaited(Claims.of)
    derive = _awaited(Claims.derive)
    remember = _awaited(Claims.remember)
    correct = _awaited(Claims.correct)
    graph = _awaited(Claims.graph)
    point = _awaited(Claims.point)
    resolve = _awaited(Claims.resolve)
    snapshot = _awaited(Claims.snapshot)
    snapshots = _awaited(Claims.snapshots)
    rollback = _awaited(Claims.rollback)
    delete_snapshot = _awaited(Claims.delete_snapshot)


class AsyncSummaries(InThreads[Summaries]):
    """The verbs of `Memory.summaries`, awaited."""

    def __init__(self, summaries: Summaries, threads: Executor) -> None:
        self.twin = summaries
        self.threads = threads

    of = _awaited(Summaries.of)
    write = _awaited(Summaries.write)


class AsyncShortTerm(InThreads[ShortTerm]):
    """The verbs of `Memory.short_term`, awaited."""

    def __init__(self, short_term: ShortTerm, threads: Executor) -> None:
        self.twin = short_term
        self.threads = threads

    put = _awaited(ShortTerm.put)
    get = _awaited(ShortTerm.get)
    values = _awaited(ShortTerm.values)
    active = _awaited(ShortTerm.active)
    end = _awaited(ShortTerm.end)
    recent = _awaited(ShortTerm.recent)


class AsyncMemory(InThreads[Memory]):
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
                home, embedder=embedder, reranker=reranker, counter=counter, model_progress=model_progress, **options
            )
        )

    @classmethod
    def over(cls, memory: Memory) -> Self:
        """Return the verbs of a memory that is open; closing one closes the other."""
        made = cls.__new__(cls)
        made._take(memory)  # noqa: SLF001 - a constructor of its own
        return made

    def _take(self, memory: Memory) -> None:
        self.twin = memory
        self.threads = ThreadPoolExecutor(thread_name_prefix="everyword")
        self.claims = AsyncClaims(memory.claims, self.threads)
        self.summaries = AsyncSummaries(memory.summaries, self.threads)
        self.short_term = AsyncShortTerm(memory.short_term, self.threads)

    add = _awaited(Memory.add)
    import_file = _awaited(Memory.import_file)
    index = _awaited(Memory.index)
    search = _awaited(Memory.search)
    context = _awaited(Memory.context)
    prompt = _awaited(Memory.prompt)
    explain = _awaited(Memory.explain)
    routes = _awaited(Memory.routes)
    get = _awaited(Memory.get)
    messages = _awaited(Memory.messages)
    users = _awaited(Memory.users)
    stats = _awaited(Memory.stats)
    verify = _awaited(Memory.verify)
    health = _awaited(Memory.health)
    rebuild = _awaited(Memory.rebuild)
    forget = _awaited(Memory.forget)

    async def export(self, *, user_id: str) -> AsyncIterator[bytes]:
        """Yield the lines of an export that `import_file` reads back identical."""
        lines: Iterator[bytes] = await _run(self.threads, functools.partial(self.twin.export, user_id=user_id))
        while part := await _run(self.threads, lambda: list(islice(lines, _LINES))):
            for line in part:
                yield line

    async def close(self) -> None:
        """Wait for the calls under way, then stop the background work and close every file."""
        await asyncio.to_thread(self.threads.shutdown)
        await asyncio.to_thread(self.twin.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()
