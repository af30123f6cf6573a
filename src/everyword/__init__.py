"""Everyword: long-term memory for AI conversations and agents that keeps every word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everyword.assembly import Memory
from everyword.domain.context import Context, Evidence
from everyword.domain.message import Added, Message
from everyword.domain.prompt import Prompt, Window
from everyword.domain.report import Hit
from everyword.errors import ContextLengthExceeded, EverywordError

if TYPE_CHECKING:
    from everyword.aio import AsyncMemory

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


def __getattr__(name: str) -> Any:
    """Load AsyncMemory when it is first named: programs without asyncio do not pay for it."""
    if name == "AsyncMemory":
        from everyword.aio import AsyncMemory

        return AsyncMemory
    raise AttributeError(f"module 'everyword' has no attribute {name!r}")
