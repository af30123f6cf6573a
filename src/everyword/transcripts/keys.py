"""Idempotency keys: the same record of the same conversation always gets the same key."""

from __future__ import annotations

import hashlib

SIZE = 16


def key_of(*parts: str | bytes) -> str:
    """Return 32 hex digits that stand for these parts in this order."""
    digest = hashlib.blake2b(digest_size=SIZE)
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()
