"""OpenAI Agents SDK: a `Session` whose items are messages of a memory, so that they are found from anywhere else too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from everyword.aio import AsyncMemory
from everyword.assembly import Memory
from everyword.domain.message import Message
from everyword.errors import InvalidInputError, InvalidMessageError
from everyword.transcripts.live import drafts

ENVELOPE = "agents_item"
"""Key of an item that is stored inside a message, because it is none by itself."""
VIA = {"via": "openai-agents"}


class EverywordSession:
    """The session of one conversation of one user; pass it to `Runner.run(..., session=...)`.

    Items come back as they were given. `pop_item` and `clear_session` erase for good.
    """

    def __init__(self, session_id: str, *, user_id: str, memory: Memory | AsyncMemory) -> None:
        self.session_id = session_id
        self.session_settings: Any = None
        """The SDK's SessionSettings; its limit holds where a call names none."""
        self._user = user_id
        self._memory = memory if isinstance(memory, AsyncMemory) else AsyncMemory.over(memory)

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """Return the items in order, or the latest `limit` of them."""
        most = getattr(self.session_settings, "limit", None) if limit is None else limit
        if most is not None and most <= 0:
            return []
        messages = await self._memory.messages(user_id=self._user, session_id=self.session_id)
        items = [_item(message) for message in messages if message.branch == "main"]
        return items if most is None else items[-most:]

    async def add_items(self, items: Sequence[Mapping[str, Any]]) -> None:
        """Store items, all or none. Raise InvalidInputError, StorageError."""
        if items:
            await self._memory.add(
                [_message(item) for item in items], user_id=self._user, session_id=self.session_id, metadata=VIA
            )

    async def pop_item(self) -> Any:
        """Erase the newest item and return it; None where there is none."""
        messages = await self._memory.messages(user_id=self._user, session_id=self.session_id, limit=1, newest=True)
        if not messages:
            return None
        await self._memory.forget(user_id=self._user, message_ids=[messages[0].message_id])
        return _item(messages[0])

    async def clear_session(self) -> None:
        """Erase every item of this session."""
        if await self._memory.messages(user_id=self._user, session_id=self.session_id, limit=1):
            await self._memory.forget(user_id=self._user, session_id=self.session_id)


def _message(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the item, or where it is not exactly one message, one that holds it."""
    try:
        parts = drafts(item)
    except InvalidMessageError:
        parts = []
    if len(parts) == 1 and "metadata" not in item:
        return item
    if not isinstance(item, Mapping):
        raise InvalidInputError(f"An item must be an object of the Responses API, not {type(item).__name__}.")
    words = "\n".join(part.text for part in parts) or f"[{item.get('type') or item.get('role') or 'item'}]"
    said_by_tool = any(part.role == "tool" for part in parts)
    return {"role": "tool" if said_by_tool else "assistant", "content": words, ENVELOPE: dict(item)}


def _item(message: Message) -> Any:
    """Return a message as an item: as it was added, or of another origin its words."""
    if message.metadata.get("via") == VIA["via"]:
        content = message.content()
        return content.get(ENVELOPE, content)
    if message.role in ("user", "assistant") and message.origin not in ("tool", "web"):
        return {"role": message.role, "content": message.text}
    return {"role": "assistant", "content": f"[{message.role}: {message.speaker}] {message.text}"}
