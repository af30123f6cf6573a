"""Everyword: long-term memory for AI conversations and agents that keeps every word."""

from __future__ import annotations

from everyword.assembly import Memory
from everyword.domain.context import Context, Evidence
from everyword.domain.message import Added, Message
from everyword.domain.report import Hit
from everyword.errors import ContextLengthExceeded, EverywordError

__version__ = "0.1.0"

__all__ = ["Added", "Context", "ContextLengthExceeded", "EverywordError", "Evidence", "Hit", "Memory", "Message"]
