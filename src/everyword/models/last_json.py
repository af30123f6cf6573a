"""The JSON values in a reply: models print reasoning, fences and corrections around the one that is meant."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

Read = TypeVar("Read")

_STARTS = "{["
_MOST_TRIES = 2_000


def last_fitting(text: str, read: Callable[[Any], Read]) -> Read:
    """Return what `read` makes of the last value in the text that it takes.

    `read` raises ValueError for a value that does not fit. Raise ValueError, which says what is wrong with the last.
    """
    complaint = ValueError("There is no complete JSON value in it.")
    for number, value in enumerate(reversed(list(values(text)))):
        try:
            return read(value)
        except ValueError as error:
            complaint = error if number == 0 else complaint
    raise complaint


def values(text: str) -> Iterator[Any]:
    """Yield the JSON objects and arrays of a text in order, outermost only; or the one value that the text is."""
    try:
        yield _DECODER.decode(text)
    except (ValueError, RecursionError):
        yield from _embedded(text)


def _embedded(text: str) -> Iterator[Any]:
    at, tries = _next_start(text, 0), 0
    while at < len(text) and tries < _MOST_TRIES:
        tries += 1
        try:
            value, end = _DECODER.raw_decode(text, at)
        except json.JSONDecodeError as error:
            if _is_unfinished(text, error):  # what follows lies inside of it
                return
            at = _next_start(text, at + 1)
        except (ValueError, RecursionError):
            at = _next_start(text, at + 1)
        else:
            yield value
            at = _next_start(text, end)


def _next_start(text: str, at: int) -> int:
    return min((found for start in _STARTS if (found := text.find(start, at)) >= 0), default=len(text))


def _is_unfinished(text: str, error: json.JSONDecodeError) -> bool:
    return error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")


def _refused(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON number.")


_DECODER = json.JSONDecoder(parse_constant=_refused)
