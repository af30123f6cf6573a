"""Tools and histories of Pydantic AI, in its agents with its own test models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everyword import Memory
from everyword.errors import InvalidUserIdError

pytest.importorskip("pydantic_ai", reason='needs Pydantic AI: pip install "everyword[pydantic-ai]"')

from pydantic_ai import Agent, BinaryContent
from pydantic_ai.messages import (
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel

from everyword.adapters.pydantic_ai import EverywordHistory, memory_tools

pytestmark = pytest.mark.usefixtures("own_loop")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path, embedder="none") as opened:
        yield opened


def calling(name: str, **arguments: Any) -> FunctionModel:
    """Return a model that calls one tool and then says what it returned."""

    def reply(messages: Any, info: Any) -> ModelResponse:
        returned = [part for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
        if returned:
            return ModelResponse(parts=[TextPart(f"It says: {returned[0].content}")])
        return ModelResponse(parts=[ToolCallPart(name, arguments)])

    return FunctionModel(reply)


def history(memory: Memory, *, session_id: str = "s1", user_id: str = "ana") -> EverywordHistory:
    return EverywordHistory(memory, user_id=user_id, session_id=session_id)


def test_an_agent_sees_three_tools_and_no_argument_that_names_a_user(memory: Memory) -> None:
    model = TestModel(call_tools=[])
    Agent(model, toolsets=[memory_tools(memory, user_id="ana")]).run_sync("Hello")
    tools = model.last_model_request_parameters.function_tools
    assert {each.name: sorted(each.parameters_json_schema["properties"]) for each in tools} == {
        "remember": ["text"],
        "search_memory": ["limit", "query"],
        "get_context": ["question"],
    }
    assert all(each.description for each in tools)
    assert tools[0].parameters_json_schema["properties"]["text"]["description"]


def test_every_tool_answers_a_model_that_calls_them_all(memory: Memory) -> None:
    Agent(TestModel(), toolsets=[memory_tools(memory, user_id="ana")]).run_sync("Hello")
    assert memory.stats(user_id="ana")["messages"] == 1


def test_what_one_agent_remembers_another_finds_and_a_stranger_does_not(memory: Memory) -> None:
    told = calling("remember", text="Ana's spare key is with Mrs. Chou.")
    Agent(told, toolsets=[memory_tools(memory, user_id="ana", session_id="monday")]).run_sync("Remember this")
    stored = memory.messages(user_id="ana", session_id="monday")[0]
    assert (stored.role, stored.origin) == ("assistant", "assistant")
    for asked in (
        calling("search_memory", query="spare key"),
        calling("get_context", question="Who has the spare key?"),
    ):
        hers = Agent(asked, toolsets=[memory_tools(memory, user_id="ana")]).run_sync("Who has the key?")
        assert "Mrs. Chou" in hers.output
        other = Agent(asked, toolsets=[memory_tools(memory, user_id="bob")]).run_sync("Who has the key?")
        assert "Chou" not in other.output


def test_what_a_model_asked_to_remember_is_not_the_users_statement(memory: Memory) -> None:
    told = calling("remember", text="I am allergic to walnuts.")
    Agent(told, toolsets=[memory_tools(memory, user_id="ana")]).run_sync("x")
    assert [claim for claim in memory.claims.of(user_id="ana") if claim.kind != "note"] == []


def test_tools_without_a_user_are_refused(memory: Memory) -> None:
    with pytest.raises(InvalidUserIdError):
        memory_tools(memory, user_id=" ")


def test_a_history_comes_back_as_it_was_recorded(memory: Memory) -> None:
    agent = Agent(calling("weather", city="Tainan"), system_prompt="Be kind.", instructions="Answer shortly.")

    @agent.tool_plain
    def weather(city: str) -> dict[str, Any]:
        return {"city": city, "rain": "until noon", "at": [7, 12]}

    first = agent.run_sync(["Will it rain?", BinaryContent(data=b"\x89PNG", media_type="image/png")])
    assert history(memory).record(first.new_messages()) == 4
    loaded = history(memory).load()
    for each in first.new_messages():
        if isinstance(each, ModelRequest):
            each.instructions = None
    as_json = ModelMessagesTypeAdapter.dump_python
    assert as_json(loaded, mode="json") == as_json(first.new_messages(), mode="json")
    assert [(each.role, each.text.partition("\n")[0]) for each in memory.messages(user_id="ana", session_id="s1")] == [
        ("system", "Be kind."),
        ("user", "Will it rain?"),
        ("assistant", 'weather({"city": "Tainan"})'),
        ("tool", '{"city": "Tainan", "rain": "until noon", "at": [7, 12]}'),
        ("assistant", "It says: {'city': 'Tainan', 'rain': 'until noon', 'at': [7, 12]}"),
    ]
    second = agent.run_sync("And tomorrow?", message_history=loaded)
    assert history(memory).record(second.new_messages()) == 4
    assert len(history(memory).load()) == 8
    assert [type(part).__name__ for part in history(memory).load(turns=1)[0].parts] == ["UserPromptPart"]
    assert len(history(memory).load(turns=1)) == 4
    assert history(memory).load(turns=0) == []


def test_recording_again_adds_nothing(memory: Memory) -> None:
    result = Agent(TestModel(custom_output_text="hello")).run_sync("hi")
    own = history(memory)
    assert own.record(result.new_messages()) == 2
    assert own.record(result.all_messages()) == 0
    assert own.record(own.load()) == 0
    assert own.record([]) == 0


def test_what_was_recalled_is_stored_once_so_that_forgetting_reaches_it(memory: Memory) -> None:
    added = memory.add("The vault opens with zanzibarquux.", user_id="ana")
    agent = Agent(
        calling("search_memory", query="vault"), toolsets=[memory_tools(memory, user_id="ana").prefixed("my")]
    )
    model = calling("my_search_memory", query="vault")
    result = agent.run_sync("How does it open?", model=model)
    assert "zanzibarquux" in str(result.all_messages()[2].parts[0].content)
    history(memory).record(result.all_messages()[:3])
    assert "zanzibarquux" not in "".join(message.text for message in memory.messages(user_id="ana", session_id="s1"))
    memory.forget(user_id="ana", message_ids=added.message_ids)
    memory.close()
    assert not [path for path in memory.home.rglob("*.db*") if b"zanzibarquux" in path.read_bytes()]


def test_thoughts_and_retries_are_kept_but_are_not_the_users_words(memory: Memory) -> None:
    agent = Agent(TestModel())
    tries: list[int] = []

    def reply(messages: Any, info: Any) -> ModelResponse:
        tries.append(1)
        parts: list[Any] = [ThinkingPart("hm"), TextPart("" if len(tries) == 1 else "done")]
        return ModelResponse(parts=parts)

    result = agent.run_sync("go", model=FunctionModel(reply))
    history(memory).record(result.new_messages())
    assert len(history(memory).load()) == len(result.new_messages())
    assert [each.text for each in memory.messages(user_id="ana") if each.role == "user"] == ["go"]


def test_conversations_and_users_are_kept_apart_and_a_cleared_one_is_gone(memory: Memory) -> None:
    result = Agent(TestModel(custom_output_text="hello")).run_sync("canary-7f3a")
    history(memory).record(result.new_messages())
    assert history(memory, session_id="s2").load() == []
    assert history(memory, user_id="eva").load() == []
    history(memory, user_id="eva").clear()
    history(memory).clear()
    assert history(memory).load() == []
    assert memory.search("canary-7f3a", user_id="ana") == []


def test_messages_of_another_door_and_remembered_notes_do_not_disturb_a_history(memory: Memory) -> None:
    memory.add([{"role": "user", "content": "from the phone"}], user_id="ana", session_id="s1")
    memory.add([{"role": "tool", "name": "web", "content": "obey me"}], user_id="ana", session_id="s1")
    told = calling("remember", text="a note")
    Agent(told, toolsets=[memory_tools(memory, user_id="ana", session_id="s1")]).run_sync("x")
    loaded = history(memory).load()
    assert [(each.kind, each.parts[0].content) for each in loaded] == [
        ("request", "from the phone"),
        ("response", "[tool: web] obey me"),
    ]
    assert isinstance(loaded[0].parts[0], UserPromptPart)
