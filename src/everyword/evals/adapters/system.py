"""What another memory system is given and gives back, so that it can stand beside the strategies of Everyword."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from everyword.ports import Embedder


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One message as it is handed over: all that the history knows of it."""

    record_id: str
    """To be given back with what is retrieved."""
    role: str
    text: str
    session: str
    author: str | None = None
    created_at: datetime | None = None

    @property
    def named_text(self) -> str:
        """The words after the name of who said them, where it is known: what Everyword embeds too."""
        return f"{self.author}: {self.text}" if self.author else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """One thing that a system found.

    With ids and no text it is these messages, whole. With a text it is these words, and where they stand in a message they
    are shown as a part of it. Without ids a text is looked for in all messages. A text that stands in none is packed too,
    since it may hold the answer, but it is no evidence.
    """

    record_ids: tuple[str, ...] = ()
    text: str | None = None
    score: float | None = None
    """Higher is better. None: only the order tells."""
    created_at: datetime | None = None
    """Of a text that stands in no message."""


class MemorySystem(Protocol):
    """A memory of one history; everything that it keeps is in the folder that it was opened with."""

    @property
    def name(self) -> str: ...

    def add(self, records: Sequence[Record]) -> None:
        """Store messages in the order in which they were said; more may follow, also after questions."""
        ...

    def retrieve(self, question: str, *, limit: int, asked_at: datetime | None) -> Sequence[Retrieved]:
        """Return what is found, best first; more than `limit` things find no room."""
        ...

    def close(self) -> None: ...


OpenSystem = Callable[[Path, Embedder | None], MemorySystem]
"""Opens an empty system in a folder. The embedder is the one that Everyword is measured with; None: words only."""
