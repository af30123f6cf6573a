"""What a chat request asks of the proxy, in headers, so that its body stays the provider's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from starlette.datastructures import Headers

from everyword.errors import InvalidInputError
from everyword.server.access import header_text
from everyword.server.placement import PLACES, Place

Use = Literal["on", "read", "off"]
USES = ("on", "read", "off")
"""`on`: recalled and stored; `read`: recalled only; `off`: neither."""
SESSION, STRATEGY, BUDGET = "X-Everyword-Session", "X-Everyword-Strategy", "X-Everyword-Budget"
MEMORY, PLACE = "X-Everyword-Memory", "X-Everyword-Place"
_MOST = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """How memory takes part in one chat request."""

    session_id: str | None = None
    strategy: str | None = None
    budget: int | None = None
    """Tokens of memory that are added at most; None: as the settings say."""
    use: Use = "on"
    place: Place = "turn"


def wishes(headers: Headers) -> Wishes:
    """Return what the headers ask for. Raise InvalidInputError."""
    return Wishes(
        session_id=_session(headers.get(SESSION)),
        strategy=headers.get(STRATEGY),
        budget=_budget(headers.get(BUDGET)),
        use=cast("Use", _one_of(headers.get(MEMORY, "on"), MEMORY, USES)),
        place=cast("Place", _one_of(headers.get(PLACE, "turn"), PLACE, PLACES)),
    )


def _session(given: str | None) -> str | None:
    if given is None:
        return None
    if not given.strip():
        raise InvalidInputError(f"{SESSION} is empty: name the conversation, or leave the header out.")
    return header_text(given, SESSION)


def _budget(given: str | None) -> int | None:
    if given is None:
        return None
    if not (given.isascii() and given.isdigit() and len(given) <= 8 and 1 <= int(given) <= _MOST):
        raise InvalidInputError(f"{BUDGET}: {given!r} is no whole number of tokens from 1 to {_MOST:,}.")
    return int(given)


def _one_of(given: str, name: str, known: tuple[str, ...]) -> str:
    if (value := given.strip().lower()) not in known:
        raise InvalidInputError(f"{name}: {given!r} is none of {', '.join(known)}.")
    return value
