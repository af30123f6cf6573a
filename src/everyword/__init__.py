"""Everyword: long-term memory for AI conversations and agents that keeps every word."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from everyword.errors import ContextLengthExceeded, EverywordError

if TYPE_CHECKING:
    from everyword.aio import AsyncMemory
    from everyword.assembly import Memory
    from everyword.domain.context import Context, Evidence
    from everyword.domain.message import Added, Message
    from everyword.domain.prompt import Prompt, Window
    from everyword.domain.report import Hit

__version__ = "0.1.0"

__all__ = [
    "Added",
    "AsyncMemory",
    "Context",
    "ContextLengthExceeded",
    "EverywordError",
    "Evidence",
    "Hit",
    "Memory",
    "Message",
    "Prompt",
    "Window",
]
_PLACES = {
    "Added": "domain.message",
    "AsyncMemory": "aio",
    "Context": "domain.context",
    "Evidence": "domain.context",
    "Hit": "domain.report",
    "Memory": "assembly",
    "Message": "domain.message",
    "Prompt": "domain.prompt",
    "Window": "domain.prompt",
}


def __getattr__(name: str) -> Any:
    """Load a name when it is first asked for: a program pays only for what it uses."""
    if name not in _PLACES:
        raise AttributeError(f"module 'everyword' has no attribute {name!r}")
    found = getattr(import_module(f"everyword.{_PLACES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
