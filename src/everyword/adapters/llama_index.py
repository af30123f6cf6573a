"""LlamaIndex: a memory of one conversation that recalls all others, and a block for LlamaIndex's own memory."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import (  # pyright: ignore[reportMissingModuleSource] - types are in typings/
    ChatMessage,
    MessageRole,
    TextBlock,
)
from llama_index.core.memory import (  # pyright: ignore[reportMissingModuleSource]
    BaseMemory,
    BaseMemoryBlock,
)
from pydantic import PrivateAttr

from everyword.assembly import Memory
from everyword.domain.context import Context
from everyword.domain.message import Message
from everyword.errors import ContextLengthExceeded, InvalidInputError

ENVELOPE = "llama_index_message"
VIA = {"via": "llama-index"}
_ROLES = {"chatbot": "assistant", "model": "assistant", "function": "tool"}
_STORED = frozenset({"user", "assistant", "tool", "system", "developer"})


class EverywordMemory(BaseMemory):
    """The memory of an agent or chat engine: every message is stored as it comes, and found from any other conversation.

    `get` gives the last turns, and what else was said that bears on the question, in front of it. `reset` erases for good.
    """

    user_id: str
    session_id: str
    budget: int = 8000
    """Tokens of what `get` returns, by the counter of the memory."""
    turns: int = 10
    """Turns of the conversation that are shown, where they fit."""
    strategy: str | None = None
    _memory: Memory = PrivateAttr()

    def __init__(self, memory: Memory, **data: Any) -> None:
        super().__init__(**data)
        self._memory = memory

    @classmethod
    def class_name(cls) -> str:
        return "EverywordMemory"

    @classmethod
    def from_defaults(cls, **kwargs: Any) -> EverywordMemory:
        """Take `memory`, `user_id`, `session_id`, and where wanted `budget`, `turns`, `strategy`."""
        return cls(**kwargs)

    def get(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:  # noqa: A002 - LlamaIndex's word
        """Return the last turns with memory for the question: `input`, or the newest message of the user.

        Raise ContextLengthExceeded where the newest turn alone does not fit the budget.
        """
        del kwargs
        question = input or self._newest_question()
        if not question:
            return self.get_all()
        found = self._recalled(question)
        return _placed([_chat_message(message) for message in found.recent], found.memory_text, question)

    def get_all(self) -> list[ChatMessage]:
        """Return the conversation as it was put in."""
        return [_chat_message(message) for message in self._stored()]

    def put(self, message: ChatMessage) -> None:
        """Store one message. Raise InvalidInputError, StorageError."""
        self.put_messages([message])

    def put_messages(self, messages: list[ChatMessage]) -> None:
        """Store messages, all or none."""
        _add(self._memory, messages, user_id=self.user_id, session_id=self.session_id)

    async def aput_messages(self, messages: list[ChatMessage]) -> None:
        """Store messages, all or none, in a thread."""
        await asyncio.to_thread(self.put_messages, messages)

    def set(self, messages: list[ChatMessage]) -> None:
        """Make the conversation these messages: what they begin with stays, the rest is stored, and what is left is erased."""
        stored = self._stored()
        known = _common([_chat_message(message) for message in stored], messages)
        self.put_messages(messages[known:])
        if left := [message.message_id for message in stored[known:]]:
            self._memory.forget(user_id=self.user_id, message_ids=left)

    def reset(self) -> None:
        """Erase this conversation for good."""
        if self._stored():
            self._memory.forget(user_id=self.user_id, session_id=self.session_id)

    def _stored(self) -> list[Message]:
        found = self._memory.messages(user_id=self.user_id, session_id=self.session_id)
        return [message for message in found if message.branch == "main"]

    def _newest_question(self) -> str:
        said = (_chat_message(message).content for message in reversed(self._stored()) if message.role == "user")
        return next((text for text in said if text and text.strip()), "")

    def _recalled(self, question: str) -> Context:
        """Return a context with as many turns as fit."""
        turns = max(1, self.turns)
        while True:
            try:
                return self._memory.context(
                    question,
                    user_id=self.user_id,
                    session_id=self.session_id,
                    budget=self.budget,
                    recent_turns=turns,
                    strategy=self.strategy,
                )
            except ContextLengthExceeded:
                if turns == 1:
                    raise
                turns //= 2


class EverywordBlock(BaseMemoryBlock[str]):
    """What was said in other conversations, as a block of LlamaIndex's `Memory`.

    It stores what that memory lets go of; to have every message at once, use `EverywordMemory` in its place.
    """

    name: str = "everyword"
    user_id: str
    budget: int = 1500
    strategy: str | None = None
    _memory: Memory = PrivateAttr()

    def __init__(self, memory: Memory, **data: Any) -> None:
        super().__init__(**data)
        self._memory = memory

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        """Return memory for the newest message of the user, without the words that the conversation shows anyway."""
        del block_kwargs
        asked = [each.content or "" for each in messages or () if each.role == MessageRole.USER]
        if not asked or not asked[-1].strip():
            return ""
        found = await asyncio.to_thread(
            self._memory.context, asked[-1], user_id=self.user_id, budget=self.budget, strategy=self.strategy
        )
        return found.memory_text

    async def _aput(self, messages: list[ChatMessage]) -> None:
        for session_id, part in _by_session(messages):
            await asyncio.to_thread(_add, self._memory, part, user_id=self.user_id, session_id=session_id)


def _add(memory: Memory, messages: Sequence[ChatMessage], *, user_id: str, session_id: str | None) -> None:
    if messages:
        said = [_said(message) for message in messages]
        memory.add(said, user_id=user_id, session_id=session_id, metadata=VIA)


def _by_session(messages: Sequence[ChatMessage]) -> list[tuple[str | None, list[ChatMessage]]]:
    """Return the messages by the session that LlamaIndex's memory writes into them."""
    parts: dict[str | None, list[ChatMessage]] = {}
    for message in messages:
        parts.setdefault(message.additional_kwargs.get("session_id"), []).append(message)
    return list(parts.items())


def _said(message: ChatMessage) -> dict[str, Any]:
    """Return the message to be found by its words, and beside them as LlamaIndex has it. Raise InvalidInputError."""
    held = json.loads(message.model_dump_json())
    role = _ROLES.get(held["role"], held["role"])
    if role not in _STORED:
        raise InvalidInputError(
            f"A message of role {held['role']!r} cannot be stored: use {', '.join(sorted(_STORED))}."
        )
    about = held["additional_kwargs"]
    named = {key: about[key] for key in ("name", "tool_call_id") if isinstance(about.get(key), str)}
    words = "\n".join(text for block in held["blocks"] if (text := _words(block)))
    return {"role": role, "content": words or f"[{role}]", **named, ENVELOPE: held}


def _words(block: dict[str, Any]) -> str:
    """Return what a block says, or of one without words its kind."""
    match block.get("block_type"):
        case "text":
            return str(block["text"])
        case "tool_call":
            return f"{block['tool_name']}({json.dumps(block['tool_kwargs'], ensure_ascii=False)})"
        case "thinking":
            return str(block.get("content") or "[thinking]")
        case kind:
            return f"[{kind}]"


def _chat_message(message: Message) -> ChatMessage:
    """Return a message as LlamaIndex has it; one that came another way by its words, labelled where others said it."""
    if message.metadata.get("via") == VIA["via"]:
        return ChatMessage.model_validate(message.content()[ENVELOPE])
    if message.role in ("user", "assistant") and message.origin not in ("tool", "web"):
        return ChatMessage(role=message.role, content=message.text)
    return ChatMessage(role="assistant", content=f"[{message.role}: {message.speaker}] {message.text}")


def _common(stored: Sequence[ChatMessage], wanted: Sequence[ChatMessage]) -> int:
    """Return how many messages both begin with."""
    pairs = zip(stored, wanted, strict=False)
    return next(
        (at for at, (one, other) in enumerate(pairs) if _said(one) != _said(other)), min(len(stored), len(wanted))
    )


def _placed(turns: list[ChatMessage], memory_text: str, question: str) -> list[ChatMessage]:
    """Put memory into the message that asks, so that what stands before stays the same; else in front."""
    if not memory_text:
        return turns
    last = max((at for at, each in enumerate(turns) if each.role == MessageRole.USER), default=None)
    if last is None or (turns[last].content or "").strip() != question.strip():
        return [ChatMessage(role="system", content=memory_text), *turns]
    asked = turns[last]
    blocks = [TextBlock(text=f"{memory_text}\n"), *asked.blocks]
    return [*turns[:last], asked.model_copy(update={"blocks": blocks}), *turns[last + 1 :]]
