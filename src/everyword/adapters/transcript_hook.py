"""A hook of a coding agent: after each turn it stores what is new in the agent's transcript."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from everyword.assembly import Memory
from everyword.domain.report import Imported
from everyword.errors import InvalidInputError

AGENTS = ("claude-code", "codex")


def record(event: str, *, agent: str, memory: Memory, user_id: str) -> Imported:
    """Store the transcript that an agent's event is about; what is stored already is not stored again.

    `event` is the JSON that the agent hands to its hook. Raise InvalidInputError, TranscriptError, StorageError.
    """
    return memory.import_file(_transcript(_parsed(event), agent), user_id=user_id, format=agent)


def _parsed(event: str) -> Mapping[str, Any]:
    try:
        value = json.loads(event)
    except ValueError as error:
        raise InvalidInputError(
            f"A hook is called by the agent with its event as JSON; this is none: {error}."
        ) from error
    if not isinstance(value, dict):
        raise InvalidInputError(f"The event must be a JSON object, not {type(value).__name__}.")
    return value  # type: ignore[return-value]


def _transcript(event: Mapping[str, Any], agent: str) -> Path:
    if agent == "claude-code":
        return _named(event, "transcript_path")
    if agent == "codex":
        return _named(event, "transcript_path") if "transcript_path" in event else _rollout(event)
    raise InvalidInputError(f"{agent!r} is no agent that is known here: choose one of {', '.join(AGENTS)}.")


def _named(event: Mapping[str, Any], key: str) -> Path:
    path = event.get(key)
    if not isinstance(path, str) or not path:
        raise InvalidInputError(
            f"The event has no {key!r}: is it of this agent? It has {', '.join(event) or 'nothing'}."
        )
    return _there(Path(path).expanduser())


def _there(path: Path) -> Path:
    if not path.is_file():
        raise InvalidInputError(f"There is no transcript at {path}.")
    return path


def _rollout(event: Mapping[str, Any]) -> Path:
    """Return the file of a thread, which Codex names by its id below the folder of sessions."""
    thread = event.get("thread-id")
    if not isinstance(thread, str) or not thread.replace("-", "").isalnum():
        raise InvalidInputError(
            f"The event has no 'thread-id': is it of this agent? It has {', '.join(event) or 'nothing'}."
        )
    sessions = Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex") / "sessions"
    found = sorted(sessions.rglob(f"rollout-*-{thread}.jsonl"))
    if not found:
        raise InvalidInputError(f"There is no transcript of thread {thread!r} below {sessions}.")
    return found[-1]
