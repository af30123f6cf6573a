from __future__ import annotations

import asyncio
import contextvars
import inspect
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import everyword
from everyword import AsyncMemory, Memory
from everyword.aio import AsyncClaims
from everyword.claims.claims import Claims
from everyword.errors import InvalidUserIdError, NotFoundError, StorageError


def _verbs(kind: type) -> dict[str, Any]:
    return {name: verb for name, verb in inspect.getmembers(kind, inspect.isfunction) if not name.startswith("_")}


def _arguments(verb: Any) -> list[inspect.Parameter]:
    return list(inspect.signature(verb).parameters.values())


def test_the_verbs_are_exactly_those_of_memory() -> None:
    assert set(_verbs(AsyncMemory)) == set(_verbs(Memory))


@pytest.mark.parametrize("name", sorted(_verbs(Memory)))
def test_a_verb_takes_the_arguments_of_its_twin(name: str) -> None:
    assert _arguments(getattr(AsyncMemory, name)) == _arguments(getattr(Memory, name))


@pytest.mark.parametrize("name", sorted(_verbs(Memory)))
def test_a_verb_is_awaited_or_iterated(name: str) -> None:
    verb = getattr(AsyncMemory, name)
    assert inspect.iscoroutinefunction(verb) or inspect.isasyncgenfunction(verb)


def _claim_verbs() -> dict[str, Any]:
    """Return the verbs of claims; those for the memory itself take a store, not a user."""
    return {name: verb for name, verb in _verbs(Claims).items() if "user_id" in inspect.signature(verb).parameters}


def test_the_verbs_of_claims_are_awaited_too() -> None:
    assert set(_verbs(AsyncClaims)) == set(_claim_verbs())
    for name, verb in _claim_verbs().items():
        assert _arguments(getattr(AsyncClaims, name)) == _arguments(verb)
        assert inspect.iscoroutinefunction(getattr(AsyncClaims, name))


def test_a_claim_is_remembered_and_corrected(tmp_path: Path) -> None:
    async def story() -> list[str]:
        async with AsyncMemory(tmp_path, embedder="none") as memory:
            kept = await memory.claims.remember("I live in Tainan.", user_id="ana", kind="profile")
            await memory.claims.correct(kept.claim_id, "I live in Hualien.", user_id="ana")
            return [claim.text for claim in await memory.claims.of(user_id="ana")]

    assert asyncio.run(story()) == ["I live in Hualien."]


def test_a_memory_is_opened_with_the_same_arguments() -> None:
    assert _arguments(AsyncMemory.__init__) == _arguments(Memory.__init__)


def test_what_is_added_is_found_exported_and_forgotten(tmp_path: Path) -> None:
    async def story() -> None:
        async with AsyncMemory(tmp_path, embedder="none") as memory:
            added = await memory.add("The key is with Mrs. Chou.", user_id="ana", session_id="s1")
            await memory.add([{"role": "assistant", "content": "Noted."}], user_id="ana", session_id="s1")
            assert (await memory.search("key", user_id="ana"))[0].id == added.message_ids[0]
            assert "Mrs. Chou" in (await memory.context("Who has the key?", user_id="ana")).text
            assert [message.text for message in await memory.messages(user_id="ana", limit=1, newest=True)] == [
                "Noted."
            ]
            assert len([line async for line in memory.export(user_id="ana")]) == 3
            assert (await memory.forget(user_id="ana", session_id="s1")).messages == 2
            assert await memory.search("key", user_id="ana") == []

    asyncio.run(story())


def test_an_export_of_many_lines_is_the_export_of_memory(tmp_path: Path) -> None:
    async def lines(memory: Memory) -> list[bytes]:
        twin = AsyncMemory.over(memory)
        return [line async for line in twin.export(user_id="ana")]

    with Memory(tmp_path, embedder="none") as memory:
        memory.add([{"role": "user", "content": f"line {number}"} for number in range(600)], user_id="ana")
        assert asyncio.run(lines(memory))[1:] == list(memory.export(user_id="ana"))[1:]


def test_errors_are_those_of_memory(tmp_path: Path) -> None:
    async def story() -> None:
        async with AsyncMemory(tmp_path, embedder="none") as memory:
            with pytest.raises(InvalidUserIdError):
                await memory.add("x", user_id="")
            with pytest.raises(NotFoundError):
                await memory.get("0" * 32, user_id="ana")

    asyncio.run(story())


def test_the_event_loop_goes_on_while_a_call_runs(tmp_path: Path) -> None:
    """A writer holds the lock of the file: the call waits in its thread, and the loop ticks."""

    async def story(blocked: Memory) -> int:
        memory, ticks = AsyncMemory.over(blocked), 0
        with blocked._stores.of("ana", create=True).transaction():
            adding = asyncio.create_task(memory.add("waits", user_id="ana"))
            for _ in range(20):
                await asyncio.sleep(0.01)
                ticks += 1
            assert not adding.done()
        assert (await adding).seqs == (1,)
        return ticks

    with Memory(tmp_path, embedder="none") as memory:
        assert asyncio.run(story(memory)) == 20


def test_a_cancelled_add_is_stored_before_the_memory_closes(tmp_path: Path) -> None:
    async def story() -> None:
        async with AsyncMemory(tmp_path, embedder="none") as memory:
            adding = asyncio.create_task(memory.add("said", user_id="ana"))
            await asyncio.sleep(0)
            adding.cancel()

    asyncio.run(story())
    with Memory(tmp_path, embedder="none") as memory:
        assert [message.text for message in memory.messages(user_id="ana")] == ["said"]


def test_many_calls_at_once_keep_every_word(tmp_path: Path) -> None:
    async def story() -> list[str]:
        async with AsyncMemory(tmp_path, embedder="none") as memory:
            await asyncio.gather(*(memory.add(f"word{n}", user_id=f"u{n % 3}") for n in range(60)))
            lists = [await memory.messages(user_id=f"u{each}") for each in range(3)]
        return sorted(message.text for each in lists for message in each)

    assert asyncio.run(story()) == sorted(f"word{n}" for n in range(60))


def test_a_closed_memory_says_so(tmp_path: Path) -> None:
    async def story() -> None:
        memory = AsyncMemory(tmp_path, embedder="none")
        await memory.close()
        with pytest.raises(StorageError):
            await memory.users()
        await memory.close()

    asyncio.run(story())


def test_context_variables_reach_the_thread(tmp_path: Path) -> None:
    request: contextvars.ContextVar[str] = contextvars.ContextVar("request")
    seen: list[tuple[str, str]] = []

    def notice(done: int) -> None:
        seen.append((request.get(), threading.current_thread().name))

    async def story() -> None:
        file = tmp_path / "said.jsonl"
        file.write_text('{"role": "user", "content": "hello"}\n', "utf-8")
        request.set("r1")
        async with AsyncMemory(tmp_path / "memory", embedder="none") as memory:
            await memory.import_file(file, user_id="ana", progress=notice)

    asyncio.run(story())
    assert seen[0][0] == "r1"
    assert seen[0][1].startswith("everyword")


def test_asyncio_is_loaded_only_by_those_who_name_the_twin() -> None:
    program = "import sys, everyword; assert 'asyncio' not in sys.modules; everyword.AsyncMemory; print('asyncio' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "True\n"


def test_another_name_is_no_attribute_of_the_package() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = everyword.Nothing  # type: ignore[attr-defined]
