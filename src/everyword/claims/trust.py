"""Who may become what: only the user's own statements are more than an observation."""

from __future__ import annotations

import re

from everyword.domain.claim import SETTLED, ClaimKind, ClaimState, Statement
from everyword.domain.message import Message
from everyword.errors import UntrustedClaimError
from everyword.text.clauses import Span

ASKED = "everyword_claim"
"""Name in a message's metadata: the user asked for this claim, `{"kind": …, "corrects": …}`."""
_FENCED = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|<([a-zA-Z][\w-]{0,40})\b[^>]*>.*?(?:</\1>|\Z)", re.DOTALL)
_QUOTED = re.compile(r"^[ \t]*>.*$|“[^”\n]{12,}”|「[^」\n]{8,}」|『[^』\n]{8,}』|\"[^\"\n]{12,}\"", re.MULTILINE)


def is_own(message: Message) -> bool:
    """Tell whether the user said it: not a tool, a page, an import's context or a side chain in the user's place."""
    return message.role == "user" and message.origin == "user" and message.branch == "main"


def others_words(text: str) -> list[Span]:
    """Return the characters of a message that the user only shows: quotations, code, pasted mark-up."""
    found = [each.span() for pattern in (_FENCED, _QUOTED) for each in pattern.finditer(text)]
    return sorted(found)


def is_within(span: Span, others: list[Span]) -> bool:
    """Tell whether any of the characters are somebody else's."""
    return any(start < span[1] and span[0] < stop for start, stop in others)


def reviewed(kind: ClaimKind, state: ClaimState, text: str) -> ClaimKind:
    """Return what words may become: a guess, a plan or a joke stays a note, and a profile line has no figures."""
    if state not in SETTLED or (kind == "profile" and any(character.isdigit() for character in text)):
        return "note"
    return kind


def admitted(statement: Statement, message: Message) -> Statement:
    """Return the statement. Raise UntrustedClaimError where its source may not become what it says."""
    if is_own(message):
        return statement
    if statement.kind == "note" and statement.trust == "observed":
        return statement
    raise UntrustedClaimError(
        f"Message {message.message_id!r} was said by {message.role!r} (origin {message.origin!r}): it can be kept as a note "
        f"of what was observed, never as {statement.kind!r} that the user stated."
    )
