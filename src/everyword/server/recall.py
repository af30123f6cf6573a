"""Memory for a chat request: recalled for its newest question, without what its messages show anyway."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from everyword.domain.message import Message
from everyword.server.exchange import session_of
from everyword.server.placement import ChatMessage, newest_user, placed, text_of
from everyword.server.recollection import Recollection
from everyword.server.serving import Serving
from everyword.server.wishes import Wishes

_QUESTION = 4000
"""Characters of a question that are searched for: of a longer one its beginning and its end."""
_TRIES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A request as it goes to the model, and what memory added."""

    messages: Sequence[ChatMessage]
    session_id: str | None
    """None: the conversation has no name before its first reply."""
    is_known: bool
    """Whether the conversation has stored messages."""
    memory_tokens: int
    conversation_tokens: int

    @property
    def ledger(self) -> dict[str, int]:
        """Return the tokens by source."""
        return {"memory": self.memory_tokens, "conversation": self.conversation_tokens}


def prepared(serving: Serving, user_id: str, messages: Sequence[ChatMessage], wanted: Wishes) -> Prepared:
    """Return the request with memory in it. Raise EverywordError."""
    session_id = wanted.session_id or session_of(messages, None)
    shown = [] if session_id is None else _shown(serving, user_id, session_id, messages)
    recalled = _recalled(serving, user_id, session_id, messages, shown, wanted)
    return Prepared(
        messages=placed(messages, recalled.text, wanted.place) if recalled.text else messages,
        session_id=session_id,
        is_known=session_id is not None and bool(_last_turns(serving, user_id, session_id, 1)),
        memory_tokens=recalled.tokens,
        conversation_tokens=sum(serving.memory.count(text_of(each.get("content"))) for each in messages),
    )


def _last_turns(serving: Serving, user_id: str, session_id: str, turns: int) -> list[Message]:
    return serving.memory.last_turns(user_id=user_id, session_id=session_id, turns=turns)


def _shown(serving: Serving, user_id: str, session_id: str, messages: Sequence[ChatMessage]) -> list[Message]:
    """Return the last turns of the session that the request shows: they must not be found a second time."""
    texts = [text_of(each.get("content")) for each in messages if each["role"] == "user"]
    stored = _last_turns(serving, user_id, session_id, len(texts))
    begins = len(stored)
    for at in range(len(stored) - 1, -1, -1):
        if stored[at].role == "user":
            if stored[at].text not in texts:
                break
            begins = at
    return stored[begins:]


def _recalled(
    serving: Serving,
    user_id: str,
    session_id: str | None,
    messages: Sequence[ChatMessage],
    shown: Sequence[Message],
    wanted: Wishes,
) -> Recollection:
    """Return the memory for the newest question; the same again while its tools run."""
    at = newest_user(messages)
    question = "" if at is None else _clipped(text_of(messages[at].get("content")))
    if at is None or not question.strip():
        return Recollection(text="", tokens=0, message_ids=())
    name = _name(messages[: at + 1], session_id, wanted)
    before = serving.recollections.find(user_id, name) if at < len(messages) - 1 else None
    if before is not None and _is_still_there(serving, user_id, before):
        return before
    found = _searched(serving, user_id, session_id, question, shown, wanted)
    serving.recollections.keep(user_id, name, found)
    return found


def _searched(
    serving: Serving, user_id: str, session_id: str | None, question: str, shown: Sequence[Message], wanted: Wishes
) -> Recollection:
    """Return memory of at most the budget; question and shown turns cost nothing more, since they are sent anyway."""
    memory = serving.memory
    most = serving.settings.budget if wanted.budget is None else wanted.budget
    room = most + memory.count(question) + memory.count_turns(shown)
    for _ in range(_TRIES):
        packed = memory.context(
            question,
            user_id=user_id,
            budget=room,
            strategy=wanted.strategy,
            session_id=session_id,
            recent_turns=sum(message.role == "user" for message in shown),
        )
        tokens = memory.count(packed.memory_text) if packed.memory_text else 0
        if tokens <= most:
            break
        room -= tokens - most
    else:
        return Recollection(text="", tokens=0, message_ids=())
    serving.metrics.packed(packed, user_id=user_id)
    ids = tuple(each.message.message_id for each in packed.evidence)
    return Recollection(text=packed.memory_text, tokens=tokens, message_ids=ids)


def _is_still_there(serving: Serving, user_id: str, recalled: Recollection) -> bool:
    """Tell whether nothing of it was forgotten since."""
    return serving.memory.are_there(recalled.message_ids, user_id=user_id)


def _clipped(question: str) -> str:
    half = _QUESTION // 2
    return question if len(question) <= _QUESTION else f"{question[:half]}\n{question[-half:]}"


def _name(messages: Sequence[ChatMessage], session_id: str | None, wanted: Wishes) -> str:
    """Return a digest of all that the memory for a question depends on."""
    about = json.dumps([messages, session_id, wanted.strategy, wanted.budget], default=str)
    return blake2b(about.encode(), digest_size=16).hexdigest()
