"""Whose memory it is: the check of a user id and its file name."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from urllib.parse import quote, unquote

from everyword.domain.message import UserId
from everyword.errors import InvalidUserIdError

LONGEST = 128
_SEGMENT = 180
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:[^a-z0-9_-].*)?$")


def user(user_id: object) -> UserId:
    """Return the checked user id. Raise InvalidUserIdError."""
    if not isinstance(user_id, str):
        raise InvalidUserIdError(f"user_id must be a text that names whose memory this is, not {user_id!r}.")
    if not user_id.strip():
        raise InvalidUserIdError("user_id is empty: name whose memory this is.")
    if len(user_id) > LONGEST:
        raise InvalidUserIdError(f"user_id has {len(user_id)} characters; the limit is {LONGEST}.")
    if any(ord(character) < 32 or 0xD800 <= ord(character) < 0xE000 or character == "\x7f" for character in user_id):
        raise InvalidUserIdError(f"user_id {user_id!r} has control characters or lone surrogates: use plain text.")
    return UserId(user_id)


def file_name(user_id: UserId) -> PurePosixPath:
    """Return the relative path of this user's log: reversible, safe on every file system, never outside its folder.

    Everything but `a-z 0-9 _ -` is percent-encoded, capitals too, since some file systems fold case.
    """
    lower = "".join(f"%{ord(c):02x}" if "A" <= c <= "Z" else quote(c, safe="").lower() for c in user_id)
    safe = lower.replace(".", "%2e").replace("~", "%7e")
    segments = [_unreserved(safe[i : i + _SEGMENT]) for i in range(0, len(safe), _SEGMENT)]
    return PurePosixPath(*(f"{segment}+" for segment in segments[:-1]), f"{segments[-1]}.db")


def _unreserved(segment: str) -> str:
    return f"%{ord(segment[0]):02x}{segment[1:]}" if _RESERVED.match(segment) else segment


def user_of(name: PurePosixPath) -> UserId:
    """Return the user id that `file_name` turned into this path."""
    folders = [part.removesuffix("+") for part in name.parent.parts]
    return UserId(unquote("".join([*folders, name.name.removesuffix(".db")])))
