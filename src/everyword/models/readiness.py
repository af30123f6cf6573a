"""What an embedder may say of itself beside its vectors; `add` computes those at once where it is loaded and not busy."""

from __future__ import annotations

from everyword.ports import Embedder


def is_loaded(embedder: Embedder) -> bool:
    """Tell whether its model is in memory."""
    return bool(getattr(embedder, "is_loaded", False))


def is_busy(embedder: Embedder) -> bool:
    """Tell whether questions wait for it or passages are at work, so that more of these had better be left for later."""
    return bool(getattr(embedder, "is_busy", False))
