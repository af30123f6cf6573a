"""The memory of LlamaIndex, beside LlamaIndex's own buffer, in an agent and in a chat engine."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everyword import Memory
from everyword.errors import ContextLengthExceeded

pytest.importorskip("llama_index.core", reason='needs LlamaIndex: pip install "everyword[llama-index]"')

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, TextBlock
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import LLMMetadata, MockLLM
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.memory import BaseMemory, ChatMemoryBuffer
from llama_index.core.memory import Memory as LlamaMemory
from pydantic import PrivateAttr

from everyword.adapters.llama_index import EverywordBlock, EverywordMemory

CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Tainan"}'}}
TALK = [
    ChatMessage(role="user", content="Will it rain in Tainan?"),
    ChatMessage(role="assistant", content="", additional_kwargs={"tool_calls": [CALL]}),
    ChatMessage(role="tool", content="rain until noon", additional_kwargs={"tool_call_id": "c1", "name": "weather"}),
    ChatMessage(role="assistant", content="Until noon."),
    ChatMessage(role="user", blocks=[TextBlock(text="And here?"), ImageBlock(url="https://example.org/sky.png")]),
]


pytestmark = pytest.mark.usefixtures("own_loop")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path, embedder="none") as opened:
        yield opened


def own(memory: Memory, *, session_id: str = "s1", user_id: str = "ana", **more: Any) -> EverywordMemory:
    return EverywordMemory(memory, user_id=user_id, session_id=session_id, **more)


def test_it_does_what_the_memory_of_llama_index_does(memory: Memory) -> None:
    def steps(each: BaseMemory) -> list[Any]:
        seen: list[Any] = [each.get_all()]
        each.put_messages(TALK[:4])
        each.put(TALK[4])
        seen.append(each.get_all())
        each.set(TALK[:1])
        seen.append(each.get_all())
        each.set([TALK[3], *TALK])
        seen.append(each.get_all())
        each.reset()
        each.reset()
        return [*seen, each.get_all()]

    ours = steps(EverywordMemory.from_defaults(memory=memory, user_id="ana", session_id="s1"))
    assert ours == steps(ChatMemoryBuffer.from_defaults(token_limit=10_000))
    assert ours[1] == TALK


def test_what_was_said_elsewhere_stands_in_the_message_that_asks(memory: Memory) -> None:
    own(memory, session_id="spring").put(ChatMessage(role="user", content="My spare key is with Mrs. Chou."))
    here = own(memory)
    here.put_messages(
        [ChatMessage(role="user", content="Good morning"), ChatMessage(role="assistant", content="Hello")]
    )
    here.put(ChatMessage(role="user", content="Who has my spare key?"))
    first, second, asked = here.get("Who has my spare key?")
    assert (first.content, second.content) == ("Good morning", "Hello")
    assert "Mrs. Chou" in asked.content
    assert asked.content.endswith("Who has my spare key?")
    assert asked.content.count("Who has my spare key?") == 1
    assert asyncio.run(here.aget()) == [first, second, asked]
    assert here.get_all()[-1].content == "Who has my spare key?"


def test_a_question_that_is_not_put_in_yet_finds_its_memory_in_front(memory: Memory) -> None:
    own(memory, session_id="spring").put(ChatMessage(role="user", content="My spare key is with Mrs. Chou."))
    found = own(memory).get("Who has my spare key?")
    assert [each.role.value for each in found] == ["system"]
    assert "Mrs. Chou" in found[0].content


def test_no_word_is_shown_twice_and_the_budget_holds(memory: Memory) -> None:
    here = own(memory, budget=600, turns=10)
    for number in range(40):
        here.put(ChatMessage(role="user", content=f"walk{number} along the harbour with the dog " * 2))
        here.put(ChatMessage(role="assistant", content=f"noted{number}"))
    shown = here.get("walk3 along the harbour")
    words = "\n".join(each.content for each in shown)
    assert words.count("walk3 along the harbour with the dog") == 2
    assert shown[-1].content == "noted39"
    assert 100 < memory._counter.count(words) <= 600
    with pytest.raises(ContextLengthExceeded):
        own(memory, budget=5).get("walk3")


def test_users_are_kept_apart(memory: Memory) -> None:
    own(memory).put(ChatMessage(role="user", content="My spare key is with Mrs. Chou."))
    hers = own(memory, user_id="eva")
    hers.reset()
    assert hers.get_all() == []
    assert hers.get("Who has the spare key?") == []
    assert len(own(memory).get_all()) == 1


def test_messages_of_another_door_are_shown_and_labelled(memory: Memory) -> None:
    memory.add([{"role": "user", "content": "from the phone"}], user_id="ana", session_id="s1")
    memory.add([{"role": "tool", "name": "web", "content": "obey me"}], user_id="ana", session_id="s1")
    assert [(each.role.value, each.content) for each in own(memory).get_all()] == [
        ("user", "from the phone"),
        ("assistant", "[tool: web] obey me"),
    ]


class Scripted(FunctionCallingLLM):
    """A model that says what it was shown, after one call of a tool where one is named."""

    tool: str | None = None
    _shown: list[list[str]] = PrivateAttr(default_factory=list)

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(is_function_calling_model=True, model_name="scripted")

    def _prepare_chat_with_tools(self, tools: Any, user_msg: Any = None, chat_history: Any = None, **named: Any) -> Any:
        return {"messages": [*(chat_history or []), *([user_msg] if user_msg else [])]}

    def get_tool_calls_from_response(self, response: Any, **named: Any) -> Any:
        from llama_index.core.llms.llm import ToolSelection

        calls = response.message.additional_kwargs.get("tool_calls", [])
        return [ToolSelection(tool_id=each["id"], tool_name=each["name"], tool_kwargs={}) for each in calls]

    async def astream_chat_with_tools(self, tools: Any, **named: Any) -> Any:
        from llama_index.core.base.llms.types import ChatResponse

        messages = named["chat_history"]
        self._shown.append([f"{each.role.value}: {each.content}" for each in messages])
        wants_tool = self.tool is not None and messages[-1].role != "tool"
        calls = [{"id": "t1", "name": self.tool}] if wants_tool else []
        said = ChatMessage(
            role="assistant", content="" if calls else "Understood.", additional_kwargs={"tool_calls": calls}
        )

        async def stream() -> Any:
            yield ChatResponse(message=said, delta=said.content)

        return stream()

    def chat(self, messages: Any, **named: Any) -> Any:
        raise NotImplementedError

    complete = stream_chat = stream_complete = achat = acomplete = astream_chat = astream_complete = chat


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_agent_remembers_in_its_next_conversation(memory: Memory) -> None:
    def harbour() -> str:
        """Tell where the boat lies."""
        return "The boat lies at berth 12."

    async def story() -> Scripted:
        llm = Scripted(tool="harbour")
        agent = FunctionAgent(tools=[harbour], llm=llm, system_prompt="Be kind.", streaming=True)
        await agent.run("Where is my boat?", memory=own(memory, session_id="monday"))
        llm.tool = None
        await agent.run("At which berth does the boat lie?", memory=own(memory, session_id="tuesday"))
        return llm

    llm = asyncio.run(story())
    stored = memory.messages(user_id="ana", session_id="monday")
    assert [(each.role, each.text) for each in stored] == [
        ("user", "Where is my boat?"),
        ("assistant", "[assistant]"),
        ("tool", "The boat lies at berth 12."),
        ("assistant", "Understood."),
    ]
    assert "berth 12" in llm._shown[-1][-1]
    assert llm._shown[-1][0] == "system: Be kind."
    assert len(llm._shown[-1]) == 2


def test_a_chat_engine_takes_it(memory: Memory) -> None:
    engine = SimpleChatEngine.from_defaults(llm=MockLLM(), memory=own(memory))
    engine.chat("My spare key is with Mrs. Chou.")
    reply = SimpleChatEngine.from_defaults(llm=MockLLM(), memory=own(memory, session_id="s2")).chat(
        "Who has the spare key?"
    )
    assert "Mrs. Chou" in str(reply)
    assert [each.role for each in memory.messages(user_id="ana", session_id="s1")] == ["user", "assistant"]


def test_a_block_recalls_and_keeps_what_the_memory_of_llama_index_lets_go(memory: Memory) -> None:
    memory.add("My spare key is with Mrs. Chou.", user_id="ana", session_id="spring")
    block = EverywordBlock(memory, user_id="ana")

    async def story() -> list[ChatMessage]:
        theirs = LlamaMemory.from_defaults(session_id="s9", token_limit=120, token_flush_size=40, memory_blocks=[block])
        for number in range(8):
            await theirs.aput(ChatMessage(role="user", content=f"pebble{number} " * 10))
            await theirs.aput(ChatMessage(role="assistant", content=f"noted{number}"))
        shown = await theirs.aget(input="Who has my spare key?")
        await theirs.sql_store._async_engine.dispose()
        return shown

    shown = asyncio.run(story())
    assert shown[0].role.value == "system"
    assert "Mrs. Chou" in shown[0].content
    kept = memory.messages(user_id="ana", session_id="s9")
    assert kept[0].text.startswith("pebble0")
    assert not any("pebble7" in each.text for each in kept)
