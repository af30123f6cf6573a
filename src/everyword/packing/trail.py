"""How far a prompt begins like the last one, told from digests: a provider's prefix cache compares no more."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Iterator

from everyword.domain.account import Trail

STEP = 256
"""Characters between two digests: up to so many fewer are counted as common than are."""
_ROW = struct.Struct("<Q8s")


def trail(text: str, ends: Iterable[int] = ()) -> Trail:
    """Return digests at every step, at the ends of parts and at the end of the text."""
    places = sorted({*range(STEP, len(text), STEP), *ends, len(text)} - {0})
    return tuple(zip(places, _digests(text, places), strict=True))


def common(text: str, before: Trail) -> int:
    """Return how many characters the text surely begins with that the text of a trail began with too."""
    reached = 0
    within = [(place, digest) for place, digest in before if place <= len(text)]
    for (place, known), digest in zip(within, _digests(text, [place for place, _ in within]), strict=True):
        if digest != known:
            break
        reached = place
    return reached


def written(found: Trail) -> bytes:
    """Return a trail as bytes."""
    return b"".join(_ROW.pack(place, digest) for place, digest in found)


def read(stored: bytes) -> Trail:
    """Return the trail that was written."""
    return tuple((place, digest) for place, digest in _ROW.iter_unpack(stored))


def _digests(text: str, places: Iterable[int]) -> Iterator[bytes]:
    running, start = hashlib.blake2b(digest_size=8), 0
    for place in places:
        running.update(text[start:place].encode("utf-8", "surrogatepass"))
        start = place
        yield running.digest()
