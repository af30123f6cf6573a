"""The calls of mem0's `Memory` over an Everyword memory, for programs that move over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from everyword.adapters.sifted import sifted
from everyword.assembly import Memory
from everyword.domain.message import Message
from everyword.domain.report import Hit
from everyword.errors import InvalidInputError, NotFoundError
from everyword.memory import Moment

Entry = dict[str, Any]
Results = dict[str, list[Entry]]
SCOPE = ("user_id", "agent_id", "run_id")
_MOST = 20


class Mem0Memory:
    """mem0's names and shapes; what is stored are the words themselves, not facts that a model made of them.

    `user_id` may be given once, here; else every call needs it, also those that mem0 makes by an id alone.
    """

    def __init__(self, memory: Memory, *, user_id: str | None = None) -> None:
        self.memory = memory
        self._user = user_id

    def add(
        self,
        messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        timestamp: Moment | None = None,
        infer: bool = True,
    ) -> Results:
        """Store messages. `infer` is taken and changes nothing: no model is asked, every word is kept."""
        del infer
        whose = self._whose(user_id)
        added = self.memory.add(
            messages, user_id=whose, agent_id=agent_id, run_id=run_id, metadata=metadata, timestamp=timestamp
        )
        stored = [self.memory.get(each, user_id=whose) for each in added.message_ids]
        return {"results": [{**_entry(message, whose), "event": "ADD"} for message in stored]}

    def search(
        self,
        query: str,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        filters: Mapping[str, Any] | None = None,
        top_k: int | None = None,
        limit: int | None = None,
    ) -> Results:
        """Return the best messages. Ids and values of metadata may stand in `filters` or, ids, as arguments."""
        whose, conditions = self._scope(filters, user_id=user_id, agent_id=agent_id, run_id=run_id)

        def take(hit: Hit) -> Entry | None:
            message = self.memory.get(hit.id, user_id=whose)
            return {**_entry(message, whose), "score": hit.score} if _meets(message, conditions) else None

        session = conditions.get("run_id")
        found = sifted(self.memory, query, take, wanted=_most(top_k, limit), user_id=whose, session_id=session)
        return {"results": found}

    def get(self, memory_id: str, *, user_id: str | None = None) -> Entry | None:
        """Return one message; None where there is none with this id."""
        whose = self._whose(user_id)
        try:
            return _entry(self.memory.get(memory_id, user_id=whose), whose)
        except NotFoundError:
            return None

    def get_all(
        self,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        filters: Mapping[str, Any] | None = None,
        top_k: int | None = None,
        limit: int | None = None,
    ) -> Results:
        """Return messages in the order in which they came, the newest last."""
        whose, conditions = self._scope(filters, user_id=user_id, agent_id=agent_id, run_id=run_id)
        messages = self.memory.messages(user_id=whose, session_id=conditions.get("run_id"))
        kept = [_entry(message, whose) for message in messages if _meets(message, conditions)]
        return {"results": kept[-_most(top_k, limit) :]}

    def delete(self, memory_id: str, *, user_id: str | None = None) -> dict[str, str]:
        """Erase one message for good. Raise NotFoundError."""
        self.memory.forget(user_id=self._whose(user_id), message_ids=[memory_id])
        return {"message": "Memory deleted successfully!"}

    def delete_all(
        self, *, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> dict[str, str]:
        """Erase the messages of a user, or of those the ones of a run or an agent. Raise InvalidInputError without a scope."""
        if (user_id, agent_id, run_id) == (None, None, None):
            raise InvalidInputError("Say what to erase: name user_id, agent_id or run_id in the call.")
        whose, conditions = self._scope(None, user_id=user_id, agent_id=agent_id, run_id=run_id)
        messages = self.memory.messages(user_id=whose, session_id=conditions.get("run_id"))
        if ids := [message.message_id for message in messages if _meets(message, conditions)]:
            self.memory.forget(user_id=whose, message_ids=ids)
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str, *, user_id: str | None = None) -> list[Entry]:
        """Return what happened to a message: it was added, and words are never rewritten."""
        message = self.memory.get(memory_id, user_id=self._whose(user_id))
        added = {"id": message.message_id, "memory_id": message.message_id, "old_memory": None}
        when = message.received_at.isoformat()
        return [
            {
                **added,
                "new_memory": message.text,
                "event": "ADD",
                "created_at": when,
                "updated_at": when,
                "is_deleted": False,
            }
        ]

    def _whose(self, user_id: str | None) -> str:
        """Return the user. Raise InvalidInputError where none is named or a bound one differs."""
        if user_id is None and self._user is None:
            raise InvalidInputError(
                "Whose memory? Name user_id in the call, or once in Mem0Memory(memory, user_id=...)."
            )
        if self._user is not None and user_id not in (None, self._user):
            raise InvalidInputError(f"This memory is bound to {self._user!r}, and the call names {user_id!r}.")
        return self._user if user_id is None else user_id  # type: ignore[return-value]

    def _scope(self, filters: Mapping[str, Any] | None, **ids: str | None) -> tuple[str, dict[str, Any]]:
        """Return the user, and the conditions beside it. Raise InvalidInputError."""
        conditions = _flat(filters or {})
        for name, value in ids.items():
            if value is not None and conditions.setdefault(name, value) != value:
                raise InvalidInputError(f"{name} is {value!r} as an argument and {conditions[name]!r} in filters.")
        return self._whose(conditions.pop("user_id", None)), conditions


def _flat(filters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the equalities of a filter. Raise InvalidInputError for what is more than that."""
    flat: dict[str, Any] = {}
    parts = [(name, value) for name, value in filters.items() if name != "AND"]
    for part in filters.get("AND", ()):
        parts.extend(_flat(part).items())
    for name, value in parts:
        if name in ("OR", "NOT") or isinstance(value, Mapping) or value == "*":
            raise InvalidInputError(
                f"filters: {name!r}: {value!r} is not supported: give one value, or several under AND."
            )
        if flat.setdefault(name, value) != value:
            raise InvalidInputError(f"filters: {name!r} is both {flat[name]!r} and {value!r}.")
    return flat


def _meets(message: Message, conditions: Mapping[str, Any]) -> bool:
    own = {"run_id": message.session_id, "agent_id": message.agent_id, "role": message.role}
    return all({**message.metadata, **own}.get(name) == value for name, value in conditions.items())


def _most(top_k: int | None, limit: int | None) -> int:
    """Return how many are wanted. Raise InvalidInputError."""
    most = next((each for each in (top_k, limit) if each is not None), _MOST)
    if most < 1:
        raise InvalidInputError(f"top_k={most!r}: ask for at least 1.")
    return most


def _entry(message: Message, user_id: str) -> Entry:
    said = (message.created_at or message.received_at).isoformat()
    return {
        "id": message.message_id,
        "memory": message.text,
        "user_id": user_id,
        "agent_id": message.agent_id,
        "run_id": message.session_id,
        "role": message.role,
        "metadata": dict(message.metadata),
        "created_at": said,
        "updated_at": said,
    }
