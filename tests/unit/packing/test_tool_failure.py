from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from everyword import Memory

CALL = {
    "role": "assistant",
    "tool_calls": [{"id": "c", "type": "function", "function": {"name": "db", "arguments": "{}"}}],
}


def anthropic(**more: Any) -> list[dict[str, Any]]:
    result = {"type": "tool_result", "tool_use_id": "c", "content": "The order is 999.", **more}
    return [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "db", "input": {}}]},
        {"role": "user", "content": [result]},
    ]


def openai(content: Any, **more: Any) -> list[dict[str, Any]]:
    return [CALL, {"role": "tool", "tool_call_id": "c", "content": content, **more}]


FAILED = (
    anthropic(is_error=True),
    openai("The order is 999.", status="error"),
    openai('{"error": "order 999 was not found"}'),
    openai('{"exit_code": 1, "output": "order 999"}'),
    openai("An error occurred while running the tool. Please try again. Error: order 999"),
    openai("Traceback (most recent call last):\n  ValueError: order 999"),
    openai([{"type": "text", "text": '{"success": false, "message": "order 999"}'}]),
    [
        {"type": "function_call", "call_id": "c", "name": "db", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "order 999", "status": "incomplete"},
    ],
)
WELL = (
    anthropic(),
    anthropic(is_error=False),
    openai("The order is 999. No error was found."),
    openai('{"error": null, "result": "order 999"}'),
    openai('{"exit_code": 0, "output": "order 999"}'),
    openai('{"status": "completed", "output": "order 999, errors: 0"}'),
)


def shown(folder: Path, messages: list[dict[str, Any]], **options: Any) -> str:
    with Memory(folder, embedder="none") as memory:
        memory.add(messages, user_id="ana", session_id="s")
        memory.claims.derive(user_id="ana")
        assert memory.claims.of(user_id="ana") == []
        return memory.context("What is order 999?", user_id="ana", **options).text


@pytest.mark.parametrize("messages", FAILED)
def test_a_tool_that_failed_is_shown_as_that_and_is_no_claim(tmp_path: Path, messages: list[dict[str, Any]]) -> None:
    assert "db: [TOOL_FAILED] " in shown(tmp_path, messages)


@pytest.mark.parametrize("messages", WELL)
def test_a_tool_that_did_not_fail_is_shown_without_a_mark(tmp_path: Path, messages: list[dict[str, Any]]) -> None:
    assert "[TOOL_FAILED]" not in shown(tmp_path, messages)


@pytest.mark.parametrize(
    "options", [{"strategy": "bm25"}, {"strategy": "window"}, {"session_id": "s", "recent_turns": 3}]
)
def test_every_way_to_show_it_marks_it(tmp_path: Path, options: dict[str, Any]) -> None:
    assert "[TOOL_FAILED] " in shown(tmp_path, FAILED[0], **options)


def test_the_user_who_writes_about_an_error_did_not_fail(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none") as memory:
        memory.add("Traceback (most recent call last): order 999", user_id="ana")
        assert "[TOOL_FAILED]" not in memory.context("order 999?", user_id="ana").text
