"""Whose memory it is: the check of a user id and the name of its file."""

from __future__ import annotations

import re
from hashlib import blake2b
from urllib.parse import quote, unquote

from everyword.domain.message import UserId
from everyword.errors import InvalidUserIdError

LONGEST = 128
_LONGEST_NAME = 150
_SHOWN = 100
"""Characters of a long name that stand before its digest; SQLite opens no path of more than 512 bytes."""
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


def file_name(user_id: UserId) -> str:
    """Return the name of this user's log: safe on every file system, one user's alone, never outside its folder.

    Everything but `a-z 0-9 _ -` is percent-encoded, capitals too, since some file systems fold case. What gets too long
    ends in a digest; such a file has to say itself whose it is.
    """
    lower = "".join(f"%{ord(c):02x}" if "A" <= c <= "Z" else quote(c, safe="").lower() for c in user_id)
    safe = lower.replace(".", "%2e").replace("~", "%7e")
    if len(safe) > _LONGEST_NAME:
        return f"{safe[:_SHOWN]}~{blake2b(user_id.encode(), digest_size=16).hexdigest()}.db"
    return f"%{ord(safe[0]):02x}{safe[1:]}.db" if _RESERVED.match(safe) else f"{safe}.db"


def user_of(name: str) -> UserId | None:
    """Return the user id that `file_name` turned into this name; None where it only holds a digest."""
    return None if "~" in name else UserId(unquote(name.removesuffix(".db")))
