"""Messages that a program hands over as it talks: validated once, taken all or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any, TypeGuard

from everyword.domain.message import Draft, Origin
from everyword.errors import InvalidMessageError
from everyword.transcripts import chat
from everyword.transcripts.json_text import clean, dump, is_array, visible
from everyword.transcripts.moments import moment
from everyword.transcripts.said import Calls, Said

Given = str | Mapping[str, Any] | Sequence[Mapping[str, Any]]
OWN_TIMES = ("created_at", "timestamp")
LIVE_ORIGINS: dict[str, Origin] = {"assistant": "assistant", "tool": "tool"}


def drafts(
    messages: Given,
    *,
    session_id: str | None = None,
    agent_id: str | None = None,
    created_at: Any = None,
    metadata: Mapping[str, Any] | None = None,
    idempotency_key: str | None = None,
) -> list[Draft]:
    """Return the drafts of OpenAI or Anthropic messages, Responses items, or one text of the user.

    `created_at` and `metadata` hold for every message that has none of its own; keys of `metadata` are joined.
    A time without zone is UTC. Raise InvalidMessageError, which names the message by its position.
    """
    given = _as_list(messages)
    time = _time(created_at, "created_at")
    shared = _metadata(metadata)
    calls = Calls()
    found: list[Draft] = []
    for position, message in enumerate(given):
        try:
            found += _of_message(message, calls, session_id, agent_id, time, shared)
        except (InvalidMessageError, RecursionError) as error:
            raise InvalidMessageError(f"message {position}: {visible(str(error))}") from error
    return [_finished(draft, number, calls, idempotency_key) for number, draft in enumerate(found)]


def _finished(draft: Draft, number: int, calls: Calls, idempotency_key: str | None) -> Draft:
    """Add the key, and mark a result whose call is not among those of the same messages."""
    if calls and _answers_nothing(draft, calls):
        draft = replace(draft, metadata={**draft.metadata, "orphan": True})
    return replace(draft, key=f"{idempotency_key}/{number}") if idempotency_key else draft


def _answers_nothing(draft: Draft, calls: Calls) -> bool:
    given = draft.metadata.get("tool_call_id") if draft.role == "tool" else None
    ids = given if is_array(given) else [given]
    return given is not None and not any(one in calls for one in ids)


def _as_list(messages: Any) -> Sequence[Any]:
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    elif isinstance(messages, Mapping) or hasattr(messages, "model_dump"):
        messages = [messages]
    if not _is_list(messages):
        raise InvalidMessageError(f"messages must be a text, a message or a list of messages, not {_type(messages)}")
    if not messages:
        raise InvalidMessageError("messages is empty: give at least one message")
    return messages


def _of_message(
    given: Any,
    calls: Calls,
    session_id: str | None,
    agent_id: str | None,
    time: datetime | None,
    shared: Mapping[str, Any],
) -> Iterator[Draft]:
    payload = _payload(given)
    message = json.loads(payload)
    own = next((message[key] for key in OWN_TIMES if message.get(key) is not None), None)
    created_at = _time(own, "created_at") or time
    metadata = {**shared, **_metadata(message.get("metadata"))}
    for said in chat.said(message, calls):
        yield Draft(
            role=said.role,
            text=said.text,
            payload=payload if said.blocks is None else dump(said.blocks),
            session_id=session_id,
            author=visible(said.author) if said.author else None,
            agent_id=agent_id,
            origin=_origin(said, message),
            created_at=created_at,
            metadata={**metadata, **_about(said)},
        )


def _payload(given: Any) -> bytes:
    if hasattr(given, "model_dump"):
        given = given.model_dump(mode="json")
    if not isinstance(given, Mapping):
        raise InvalidMessageError(f"a message must be an object with role and content, not {_type(given)}")
    try:
        return dump(_json(given))
    except (TypeError, ValueError) as error:
        raise InvalidMessageError(f"the message cannot be written as JSON: {error}") from error


def _json(value: Any) -> Any:
    """Return the value with times as ISO 8601 text and mappings as dicts."""
    if _is_mapping(value):
        return {key: _json(item) for key, item in value.items()}
    if _is_list(value):
        return [_json(item) for item in value]
    if isinstance(value, date):
        return value.isoformat()
    return _json(value.model_dump(mode="json")) if hasattr(value, "model_dump") else value


def _is_mapping(value: object) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, Mapping)


def _is_list(value: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, list | tuple)


def _time(value: Any, name: str) -> datetime | None:
    if value is None:
        return None
    if isinstance(value, date) and not isinstance(value, datetime):
        value = value.isoformat()
    try:
        return moment(value)
    except ValueError as error:
        raise InvalidMessageError(
            f"{name} is {error}: give ISO 8601 text, seconds or milliseconds since 1970, or a datetime"
        ) from error


def _metadata(value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidMessageError(f"metadata must be an object, not {_type(value)}")
    try:
        return clean(json.loads(dump(_json(value))))
    except (TypeError, ValueError) as error:
        raise InvalidMessageError(f"metadata cannot be written as JSON: {error}") from error


def _origin(said: Said, message: Mapping[str, Any]) -> Origin:
    """Return the origin that the message states for itself; results that were split off it stay a tool's."""
    stated = chat.origin_of(message)
    if stated is not None and said.blocks is None:
        return stated
    return said.origin or LIVE_ORIGINS.get(said.role, "user")


def _about(said: Said) -> dict[str, Any]:
    return {key: value for key, value in said.metadata.items() if value not in (None, [])}


def _type(value: Any) -> str:
    return "null" if value is None else type(value).__name__
