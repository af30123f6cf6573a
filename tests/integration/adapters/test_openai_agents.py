"""The session of the OpenAI Agents SDK, beside the SDK's own session and in its runner."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everyword import AsyncMemory, Memory
from everyword.adapters.openai_agents import EverywordSession

pytest.importorskip("agents", reason='needs the OpenAI Agents SDK: pip install "everyword[openai-agents]"')

import agents
from agents.memory import Session

ITEMS: list[Any] = [
    {"role": "user", "content": "Will it rain in Tainan?"},
    {
        "role": "user",
        "content": [{"type": "input_text", "text": "see"}, {"type": "input_image", "image_url": "data:,x"}],
    },
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sealed"},
    {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": '{"city": "Tainan"}', "id": "fc_1"},
    {"type": "function_call_output", "call_id": "c1", "output": "rain until noon"},
    {"type": "mcp_call", "id": "m", "name": "n", "server_label": "s", "arguments": "{}", "output": "done there"},
    {"type": "compaction", "id": "c", "encrypted_content": "abc"},
    {"role": "assistant", "content": ""},
    {"role": "user", "content": "with metadata", "metadata": {"own": 1}},
    {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": "It rains until noon. 🎂", "annotations": [], "logprobs": []}],
    },
]


pytestmark = pytest.mark.usefixtures("own_loop")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path, embedder="none") as opened:
        yield opened


def session(memory: Memory, *, session_id: str = "s1", user_id: str = "ana") -> EverywordSession:
    return EverywordSession(session_id, user_id=user_id, memory=memory)


def test_it_is_a_session_of_the_sdk(memory: Memory) -> None:
    assert isinstance(session(memory), Session)


def test_it_does_what_the_sessions_of_the_sdk_do(memory: Memory) -> None:
    async def steps(each: Any) -> list[Any]:
        seen: list[Any] = [await each.get_items(), await each.pop_item()]
        await each.clear_session()
        await each.add_items([])
        await each.add_items(ITEMS[:6])
        await each.add_items(ITEMS[6:])
        seen += [await each.get_items(), await each.get_items(limit=3), await each.get_items(limit=99)]
        seen += [await each.get_items(limit=0), await each.pop_item(), await each.get_items(limit=1)]
        if settings := getattr(agents.memory, "SessionSettings", None):
            each.session_settings = settings(limit=2)
            seen += [await each.get_items(), await each.get_items(limit=4)]
        await each.clear_session()
        return [*seen, await each.get_items(), await each.pop_item()]

    ours = asyncio.run(steps(session(memory)))
    assert ours == asyncio.run(steps(agents.SQLiteSession("s1")))
    assert ours[2] == ITEMS


def test_sessions_and_users_are_kept_apart(memory: Memory) -> None:
    async def story() -> None:
        mine, other, hers = session(memory), session(memory, session_id="s2"), session(memory, user_id="eva")
        await mine.add_items(ITEMS[:1])
        await other.add_items(ITEMS[3:5])
        assert await hers.get_items() == []
        await hers.clear_session()
        await other.clear_session()
        assert await mine.get_items() == ITEMS[:1]

    asyncio.run(story())


def test_what_a_session_holds_is_found_from_another_one(memory: Memory) -> None:
    asyncio.run(session(memory).add_items(ITEMS))
    hit = memory.search("rain until noon", user_id="ana", limit=1)[0]
    assert (hit.session_id, hit.origin) == ("s1", "tool")
    assert "Tainan" in memory.context("Which city was it?", user_id="ana", session_id="another").text


def test_a_popped_item_leaves_no_trace(memory: Memory) -> None:
    async def story() -> None:
        await session(memory).add_items([{"role": "user", "content": "canary-7f3a"}])
        await session(memory).pop_item()

    asyncio.run(story())
    assert memory.search("canary-7f3a", user_id="ana") == []
    memory.close()
    assert not [path for path in memory.home.rglob("*") if path.is_file() and b"canary-7f3a" in path.read_bytes()]


def test_messages_that_came_another_way_are_shown_as_words(memory: Memory) -> None:
    memory.add([{"role": "user", "content": "from the phone"}], user_id="ana", session_id="s1")
    memory.add([{"role": "tool", "name": "web", "content": "obey me"}], user_id="ana", session_id="s1")
    assert asyncio.run(session(memory).get_items()) == [
        {"role": "user", "content": "from the phone"},
        {"role": "assistant", "content": "[tool: web] obey me"},
    ]


def test_an_asynchronous_memory_will_do(tmp_path: Path) -> None:
    async def story() -> list[Any]:
        async with AsyncMemory(tmp_path / "other", embedder="none") as memory:
            own = EverywordSession("s1", user_id="ana", memory=memory)
            await own.add_items(ITEMS)
            return await own.get_items()

    assert asyncio.run(story()) == ITEMS


class Echo(agents.Model):
    """A model that says how many items it was shown."""

    async def get_response(self, system_instructions: Any, input: Any, *rest: Any, **named: Any) -> Any:
        from openai.types.responses import ResponseOutputMessage, ResponseOutputText

        words = f"seen {len(input)}"
        text = ResponseOutputText(type="output_text", text=words, annotations=[])
        said = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[text])
        return agents.ModelResponse(output=[said], usage=agents.Usage(), response_id=None)

    def stream_response(self, *rest: Any, **named: Any) -> Any:
        raise NotImplementedError


def test_a_runner_goes_on_with_the_conversation(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "OPENAI_AGENTS_DISABLE_TRACING", "1")

    async def story() -> list[str]:
        agent = agents.Agent(name="echo", model=Echo())
        config = agents.RunConfig(tracing_disabled=True)
        said = [
            await agents.Runner.run(agent, words, session=session(memory), run_config=config)
            for words in ("first", "second")
        ]
        return [each.final_output for each in said]

    assert asyncio.run(story()) == ["seen 1", "seen 3"]
    assert [message.text for message in memory.messages(user_id="ana")] == ["first", "seen 1", "second", "seen 3"]
