"""What --json prints: plain values under the names of the public surface."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from everyword.domain.context import Context, Evidence
from everyword.domain.message import Message
from everyword.domain.report import Explanation, Hit
from everyword.domain.trace import Trace


def plain(value: Any) -> Any:
    """Return a value as JSON knows it; times in ISO 8601 with their offset."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        pairs = cast("Mapping[Any, Any]", value)
        return {str(key): plain(each) for key, each in pairs.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(each) for each in cast("Iterable[Any]", value)]
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return value


def hit(found: Hit) -> dict[str, Any]:
    """Return one result of a search; `memory` is another name of `text`."""
    return {"id": found.id, "memory": found.text, **plain(found)}


def message(said: Message) -> dict[str, Any]:
    """Return one message without its payload, which an export has."""
    return {
        "id": said.message_id,
        "seq": said.seq,
        "session_id": said.session_id,
        "role": said.role,
        "author": said.author,
        "origin": said.origin,
        "branch": said.branch,
        "created_at": plain(said.created_at),
        "text": said.text,
    }


def evidence(shown: Evidence) -> dict[str, Any]:
    """Return one packed message; `text` is what is shown, `spans` where it stands in the message."""
    return {
        **message(shown.message),
        "text": shown.text,
        "is_whole": shown.is_whole,
        "spans": plain(shown.spans),
        "rank": shown.rank,
        "score": shown.score,
        "tokens": shown.tokens,
    }


def context(packed: Context) -> dict[str, Any]:
    """Return a context; the trace has the places of the messages that it names."""
    named = [each.message.seq for each in packed.evidence] + [each.seq for each in packed.dropped]
    written: dict[str, Any] = {
        "recent": [message(each) for each in packed.recent],
        "evidence": [evidence(each) for each in packed.evidence],
        "trace": trace(packed.trace, named),
    }
    names = [field.name for field in fields(packed) if field.name != "parts"]
    return {name: written[name] if name in written else plain(getattr(packed, name)) for name in names}


def trace(ran: Trace, seqs: Iterable[int]) -> dict[str, Any]:
    """Return the stages, each with the places of these messages by their sequence numbers."""
    wanted = list(seqs)
    stages = [
        {
            "name": stage.name,
            "candidates": stage.candidates,
            "milliseconds": stage.milliseconds,
            "places": {str(seq): plain(stage.places[seq]) for seq in wanted if seq in stage.places},
        }
        for stage in ran.stages
    ]
    return {"strategy": ran.strategy, "stages": stages, "notes": list(ran.notes)}


def explanation(found: Explanation) -> dict[str, Any]:
    """Return an explanation; `messages` are in the order of the log."""
    return plain(found)
