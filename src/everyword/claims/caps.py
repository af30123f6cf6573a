"""How much the profile may hold: a write over the limit succeeds and comes back with a request to rewrite."""

from __future__ import annotations

from collections.abc import Iterable

from everyword.domain.claim import SETTLED, Claim

PROFILE_CHARACTERS = 2_000
"""Of the profile and the rules together, as they are shown in a context."""


def in_profile(claims: Iterable[Claim]) -> list[Claim]:
    """Return the lines of the profile that hold, rules included."""
    return [each for each in claims if each.kind in ("profile", "procedure") and each.is_open and each.state in SETTLED]


def used(claims: Iterable[Claim]) -> int:
    """Return the characters of the profile."""
    return sum(len(each.text) for each in in_profile(claims))


def problem(characters: int) -> str | None:
    """Return what to do where the profile has outgrown its room."""
    if characters <= PROFILE_CHARACTERS:
        return None
    return (
        f"The profile has {characters:,} of {PROFILE_CHARACTERS:,} characters; it is stored, but not all of it is shown. "
        "Rewrite it: correct() several lines by one shorter line, or forget() what no longer matters."
    )
