"""Four types of memory, and who may write each in which way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from everyword.claims import patterns
from everyword.domain.claim import ClaimKind, MemoryType, memory_type_of
from everyword.domain.message import Message
from everyword.errors import UntrustedClaimError
from everyword.text.words import fold


@dataclass(frozen=True, slots=True, kw_only=True)
class WritePolicy:
    """How a type of memory is written, and how long what is written holds."""

    written: str
    holds: str
    kinds: tuple[ClaimKind, ...] = ()
    """Claims that are of it."""


POLICIES: Mapping[MemoryType, WritePolicy] = {
    "working": WritePolicy(
        written="by every turn of the session; nothing of it is stored as a claim",
        holds="while it is among the recent turns of a context",
    ),
    "episodic": WritePolicy(
        written="by every message, which is appended as it comes, whoever says it; a note of it by reading the user's words",
        holds="as what happened then: a later event does not end it",
        kinds=("note",),
    ),
    "semantic": WritePolicy(
        written="only by an act of reading (derive) or of the user (remember, correct), from the user's own settled words",
        holds="until a later statement ends it",
        kinds=("profile", "entity", "edge"),
    ),
    "procedural": WritePolicy(
        written="only where the user sets or corrects a rule in words that ask for something, or asks to remember one",
        holds="until the user changes it; it does not fade",
        kinds=("procedure",),
    ),
}


def check_way(kind: ClaimKind, words: str, message: Message, *, is_asked: bool) -> None:
    """Raise UntrustedClaimError where words do not set a rule and nobody asked for one: a habit is no rule."""
    if memory_type_of(kind) != "procedural" or is_asked or sets_rule(words):
        return
    raise UntrustedClaimError(
        f"Message {message.message_id!r} tells something and sets no rule: procedural memory is written where the user asks "
        'for something ("never push to main") or with remember(kind="procedure").'
    )


def sets_rule(words: str) -> bool:
    """Tell whether a sentence asks for something to be done, rather than tells what is or was."""
    said = fold(words)
    if patterns.RULE.search(said) or patterns.CALL_ME.search(said) or patterns.WISH.search(said):
        return True
    return not patterns.TELLS.search(said)
