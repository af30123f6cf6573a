"""LangGraph: a `BaseStore` whose items are messages of a memory, found by words and by meaning without an embedding set up."""

from __future__ import annotations

import asyncio
import json
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Any

from langgraph.store.base import (  # pyright: ignore[reportMissingModuleSource] - types are in typings/
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
)

from everyword.adapters.sifted import sifted
from everyword.assembly import Memory
from everyword.domain.message import Message
from everyword.domain.report import Hit
from everyword.errors import InvalidInputError, NotFoundError
from everyword.transcripts.json_text import is_array, is_object

Namespace = tuple[str, ...]

ENVELOPE = "langgraph_item"
PREFIX = "langgraph:"
_LONGEST_SESSION = 512
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One version of an item, as its message holds it."""

    namespace: Namespace
    key: str
    value: dict[str, Any]
    is_searched: bool
    created_at: datetime
    message: Message


class EverywordStore(BaseStore):
    """LangGraph's long-term store in the memory of a user: each item is a session of its own with one message.

    Whose memory it is: `user_id` for all items, or `user_part`, the place of the user's id in every namespace. A put for a
    known key erases the version before. Items do not expire.
    """

    __slots__ = ("_memory", "_part", "_user")

    def __init__(self, memory: Memory, *, user_id: str | None = None, user_part: int | None = None) -> None:
        """Take one of `user_id` and `user_part`. Raise InvalidInputError."""
        if (user_id is None) == (user_part is None) or (user_part is not None and user_part < 0):
            raise InvalidInputError(
                "Whose memory? Name user_id, or with user_part the place of the user's id in a namespace, from 0."
            )
        self._memory = memory
        self._user = user_id
        self._part = user_part

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run the operations one after the other and return their results in order."""
        return [self._done(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run `batch` in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _done(self, op: Op) -> Result:
        match op:
            case GetOp():
                newest = self._newest(op.namespace, op.key)
                return None if newest is None else _item(newest)
            case PutOp():
                return self._put(op)
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return self._namespaces(op)

    def _whose(self, namespace: Sequence[str]) -> str:
        if self._part is None:
            return str(self._user)
        if len(namespace) <= self._part or namespace[self._part] == "*":
            raise InvalidInputError(
                f"The namespace {tuple(namespace)!r} does not name the user at place {self._part}: "
                "a store never reads over several users."
            )
        return namespace[self._part]

    def _newest(self, namespace: Namespace, key: str) -> Record | None:
        session = _session(namespace, key)
        found = self._memory.messages(user_id=self._whose(namespace), session_id=session, limit=1, newest=True)
        return _record(found[0]) if found else None

    def _put(self, op: PutOp) -> None:
        """Store the new version, then erase what was there: an item is never missing in between."""
        whose, session = self._whose(op.namespace), _session(op.namespace, op.key)
        before = self._memory.messages(user_id=whose, session_id=session)
        if op.value is not None:
            created = _record(before[-1]).created_at if before else None
            self._memory.add(_said(op, created), user_id=whose, session_id=session, metadata={"via": "langgraph"})
        if before:
            self._memory.forget(user_id=whose, message_ids=[message.message_id for message in before])

    def _search(self, op: SearchOp) -> list[SearchItem]:
        whose, end = self._whose(op.namespace_prefix), op.offset + op.limit
        if op.limit < 1:
            return []
        if not op.query or not op.query.strip():
            chosen = [record for record in self._records(whose) if _meets(record, op)]
            return [_search_item(record) for record in reversed(chosen)][op.offset : end]
        taken: set[tuple[Namespace, str]] = set()

        def take(hit: Hit) -> SearchItem | None:
            record = self._found(hit, whose)
            if record is None or not record.is_searched or not _meets(record, op):
                return None
            name = (record.namespace, record.key)
            if name in taken:
                return None
            taken.add(name)
            return _search_item(record, hit.score)

        return sifted(self._memory, op.query, take, wanted=end, user_id=whose)[op.offset :]

    def _found(self, hit: Hit, whose: str) -> Record | None:
        """Return the item of a hit; None where it is no item, or was replaced meanwhile."""
        if hit.metadata.get("via") != "langgraph" or not hit.session_id.startswith(PREFIX):
            return None
        try:
            return _record(self._memory.get(hit.id, user_id=whose))
        except NotFoundError:
            return None

    def _records(self, whose: str) -> list[Record]:
        """Return the newest version of every item of a user, the one put last at the end."""
        records: dict[str, Record] = {}
        for message in self._memory.messages(user_id=whose):
            if message.session_id.startswith(PREFIX) and message.metadata.get("via") == "langgraph":
                records.pop(message.session_id, None)
                records[message.session_id] = _record(message)
        return list(records.values())

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        conditions = op.match_conditions or ()
        prefix = next((each.path for each in conditions if each.match_type == "prefix"), ())
        found = {
            record.namespace[: op.max_depth]
            for record in self._records(self._whose(prefix))
            if all(_matches(record.namespace, condition) for condition in conditions)
        }
        return sorted(found)[op.offset : op.offset + op.limit]


def _session(namespace: Sequence[str], key: str) -> str:
    """Return the session of an item: its name, or of a very long one a digest."""
    name = json.dumps([*namespace, key])
    if len(PREFIX) + len(name) <= _LONGEST_SESSION:
        return f"{PREFIX}{name}"
    return f"{PREFIX}{blake2b(name.encode(), digest_size=16).hexdigest()}"


def _said(op: PutOp, created: datetime | None) -> dict[str, Any]:
    """Return the message of an item: its texts to be found by, and beside them the item itself."""
    held = {
        "namespace": list(op.namespace),
        "key": op.key,
        "value": op.value,
        "is_searched": op.index is not False,
        "created_at": created,
    }
    return {"role": "assistant", "content": _words(op) or f"[{op.key}]", ENVELOPE: held}


def _words(op: PutOp) -> str:
    if op.index is False or op.value is None:
        return ""
    paths = op.index or ["$"]
    texts = [text for path in paths for text in _texts(op.value, path)]
    return "\n".join(text for text in texts if text.strip())


def _texts(value: Mapping[str, Any], path: str) -> list[str]:
    """Return the texts at a path; those of the whole value are its leaves, each after its name."""
    return list(_leaves(value)) if path == "$" else get_text_at_path(value, path)


def _leaves(value: Any, name: str = "") -> Iterable[str]:
    if is_object(value):
        for key, each in value.items():
            yield from _leaves(each, str(key))
    elif is_array(value):
        for each in value:
            yield from _leaves(each, name)
    elif value is not None:
        yield f"{name}: {value}" if name else str(value)


def _record(message: Message) -> Record:
    held = message.content()[ENVELOPE]
    created = held.get("created_at")
    return Record(
        namespace=tuple(held["namespace"]),
        key=held["key"],
        value=held["value"],
        is_searched=held["is_searched"],
        created_at=datetime.fromisoformat(created) if created else message.received_at,
        message=message,
    )


def _item(record: Record) -> Item:
    return Item(
        value=record.value,
        key=record.key,
        namespace=record.namespace,
        created_at=record.created_at,
        updated_at=record.message.received_at,
    )


def _search_item(record: Record, score: float | None = None) -> SearchItem:
    return SearchItem(
        record.namespace, record.key, record.value, record.created_at, record.message.received_at, score=score
    )


def _meets(record: Record, op: SearchOp) -> bool:
    prefix = tuple(op.namespace_prefix)
    if record.namespace[: len(prefix)] != prefix:
        return False
    return all(_compared(record.value.get(name), wanted) for name, wanted in (op.filter or {}).items())


def _compared(value: Any, wanted: Any) -> bool:
    """Tell whether a value is the wanted one, or stands to others as operators say. Raise InvalidInputError."""
    if not is_object(wanted) or not any(name.startswith("$") for name in wanted):
        return value == wanted
    return all(_one(value, name, other) for name, other in wanted.items())


def _one(value: Any, name: str, other: Any) -> bool:
    if name not in _COMPARISONS:
        raise InvalidInputError(f"filter: {name!r} is no operator: use {', '.join(_COMPARISONS)}.")
    try:
        return _COMPARISONS[name](value, other)
    except TypeError:
        return False


def _matches(namespace: Namespace, condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", own) for wanted, own in zip(path, part, strict=True))
