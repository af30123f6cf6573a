"""The script, small conversations, and the page's modules in an engine of their own."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Callable
from typing import Any

import pytest

from everyword.lab.conversation import Conversation, conversation, script
from everyword.lab.join import bundle


@pytest.fixture(scope="session")
def talk() -> Conversation:
    return script()


@pytest.fixture(scope="session")
def talk_of() -> Callable[..., Conversation]:
    """Return a conversation of messages with these tokens, user and assistant in turn; facts in these turns."""

    def make(*tokens: int, facts: tuple[int, ...] = ()) -> Conversation:
        roles = ("user", "assistant")
        messages = [
            {"turn": 1 + place // 2, "role": roles[place % 2], "text": chr(0x4E00 + place) * length}
            for place, length in enumerate(tokens)
        ]
        named = [
            {
                "turn": turn,
                "label": f"fact {turn}",
                "text": "事實",
                "probe": f"{turn}?",
                "keys": [chr(0x4E00 + 2 * (turn - 1))],
            }
            for turn in facts
        ]
        return conversation({"title": "small", "language": "zh", "messages": messages, "facts": named})

    return make


class Page:
    """Modules of the page in V8, without a page."""

    def __init__(self, source: str) -> None:
        from py_mini_racer import MiniRacer

        self._engine = MiniRacer()
        self._engine.eval(source)

    def __call__(self, expression: str, **values: Any) -> Any:
        """Return the value of an expression, with these names standing for JSON values."""
        for name, value in values.items():
            self._engine.eval(f"var {name} = {json.dumps(value)}")
        return json.loads(self._engine.eval(f"JSON.stringify({expression} ?? null)"))

    def let(self, name: str, expression: str, **values: Any) -> None:
        """Keep the value of an expression under a name."""
        self(f"(globalThis.{name} = {expression}, 0)", **values)


@pytest.fixture(scope="session")
def page_of() -> Callable[[str], Page]:
    """Return what loads a joined script; the test is skipped where there is no JavaScript, and fails in CI."""
    if importlib.util.find_spec("py_mini_racer") is None:
        reason = "not installed: mini-racer"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    return Page


@pytest.fixture(scope="session")
def page(page_of: Callable[[str], Page], talk: Conversation) -> Page:
    loaded = page_of(bundle("selftest"))
    loaded.let("talk", "$engine.prepare(document)", document=talk.document())
    return loaded
