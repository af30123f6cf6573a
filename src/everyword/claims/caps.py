"""How much the profile and the notes may hold: a write over the limit succeeds and comes back with a request to rewrite."""

from __future__ import annotations

from collections.abc import Iterable

from everyword.domain.claim import SETTLED, Claim

PROFILE_CHARACTERS = 2_000
"""Of the profile and the rules together, as they are shown in a context."""


NOTE_LINES = 200
NOTE_BYTES = 25 * 1_024
"""Of the notes that the user asked to keep, in UTF-8; what is read out of messages by itself is not counted."""


def in_profile(claims: Iterable[Claim]) -> list[Claim]:
    """Return the lines of the profile that hold, rules included."""
    return [each for each in claims if each.kind in ("profile", "procedure") and each.is_open and each.state in SETTLED]


def used(claims: Iterable[Claim]) -> int:
    """Return the characters of the profile."""
    return sum(len(each.text) for each in in_profile(claims))


def kept_notes(claims: Iterable[Claim]) -> tuple[int, int]:
    """Return the lines and bytes of the notes that the user asked to keep and that hold."""
    texts = [each.text for each in claims if each.kind == "note" and each.is_asked and each.is_open]
    return sum(len(text.splitlines()) for text in texts), sum(len(text.encode()) + 1 for text in texts)


def notes_problem(lines: int, size: int) -> str | None:
    """Return what to do where the notes have outgrown their room."""
    if lines <= NOTE_LINES and size <= NOTE_BYTES:
        return None
    return (
        f"The notes have {lines:,} of {NOTE_LINES:,} lines and {size:,} of {NOTE_BYTES:,} bytes; this one is stored. "
        "Rewrite them: correct() several by one shorter note, or forget() what no longer matters."
    )


def problem(characters: int) -> str | None:
    """Return what to do where the profile has outgrown its room."""
    if characters <= PROFILE_CHARACTERS:
        return None
    return (
        f"The profile has {characters:,} of {PROFILE_CHARACTERS:,} characters; it is stored, but not all of it is shown. "
        "Rewrite it: correct() several lines by one shorter line, or forget() what no longer matters."
    )
