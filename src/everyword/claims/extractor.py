"""Who reads claims out of messages: rules or a language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from everyword.domain.claim import Claim, Link, Statement
from everyword.domain.message import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was found in a batch of messages."""

    statements: tuple[Statement, ...]
    links: tuple[Link, ...] = ()
    refused: tuple[int, ...] = ()
    """The message of each claim that was put forward and not taken."""


class Extractor(Protocol):
    """Reads batches of the user's messages, oldest first."""

    @property
    def name(self) -> str:
        """Return what is stored beside its claims: another name reads everything anew."""
        ...

    @property
    def batch(self) -> int:
        """Return how many messages it reads at once."""
        ...

    @property
    def is_quick(self) -> bool:
        """Tell whether it may read while somebody waits for a context."""
        ...

    def read(self, messages: Sequence[Message], known: Sequence[Claim]) -> Reading:
        """Return what the messages state. Raise ReplyError where they cannot be read, ModelError where nothing can."""
        ...
