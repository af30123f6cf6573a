"""Who asks, and whose memory that may be: the user comes from the key, or for a tenant's key from a header."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import unquote

from starlette.datastructures import Headers

from everyword.domain.message import UserId
from everyword.domain.user import user as checked_user
from everyword.errors import ForbiddenError, InvalidInputError, InvalidUserIdError, UnknownKeyError
from everyword.server.keys import PREFIX, Key, KeyRing, has_key, stored_user

USER_HEADER = "X-Everyword-User"
KEY_HEADER = "X-Everyword-Key"


def given_key(headers: Headers) -> str | None:
    """Return the key of a request: `X-Everyword-Key`, or a bearer that is one of ours."""
    if (named := headers.get(KEY_HEADER)) is not None:
        return named
    scheme, _, token = headers.get("Authorization", "").partition(" ")
    token = token.strip()
    return token if scheme.lower() == "bearer" and token.startswith(PREFIX) else None


def caller(headers: Headers, ring: KeyRing, *, is_public: bool) -> Key | None:
    """Return the key that asks; None where this server has none and only this machine reaches it.

    Raise UnknownKeyError.
    """
    if (text := given_key(headers)) is not None:
        return ring.find(text)
    if is_public or ring.has_keys():
        raise UnknownKeyError
    return None


def whose(key: Key | None, named: str | None, *, default: str | None = None) -> UserId:
    """Return the user id that a request is about, whatever its header names. Raise ForbiddenError, InvalidUserIdError.

    No header of a key with a tenant leads outside it, and none of a key with a user to another user.
    """
    if key is None:
        return _required(named if named is not None else default)
    if key.kind == "metrics":
        raise ForbiddenError("This key reads the metrics alone.")
    if key.kind == "tenant":
        return checked_user(stored_user(key.tenant, _required(named)))
    if key.user is None or named not in (None, key.user):
        raise ForbiddenError(f"This key belongs to one user; {USER_HEADER} names another.")
    return checked_user(stored_user(key.tenant, key.user))


def nameable(key: Key | None, users: Sequence[str]) -> list[str]:
    """Return those of the stored users whom a key may name, as it names them. Raise ForbiddenError."""
    if key is None:
        return list(users)
    if key.kind == "metrics":
        raise ForbiddenError("This key reads the metrics alone.")
    if key.kind == "user":
        return [] if key.user is None else [key.user]
    within = stored_user(key.tenant, "")
    return [user.removeprefix(within) for user in users if user.startswith(within)]


def named_user(values: Sequence[str]) -> str | None:
    """Return the user that the headers name. Raise InvalidInputError where they name several."""
    if len(values) > 1:
        raise InvalidInputError(f"{USER_HEADER} stands {len(values)} times: name one user.")
    named = header_text(values[0], USER_HEADER) if values else None
    if named is not None and has_key(named):
        raise InvalidInputError(f"{USER_HEADER} holds a key: send it as {KEY_HEADER}, and rotate this one.")
    return named


def header_text(value: str, name: str) -> str:
    """Return the text of a header, which is UTF-8, percent-encoded where it is not ASCII. Raise InvalidInputError."""
    try:
        return unquote(value.encode("latin-1").decode("utf-8"), errors="strict")
    except UnicodeError as error:
        raise InvalidInputError(f"{name} is no UTF-8: percent-encode what is not ASCII.") from error


def _required(named: str | None) -> UserId:
    if named is None:
        raise InvalidUserIdError(f"Whose memory? Name the user with the header {USER_HEADER}.")
    return checked_user(named)
