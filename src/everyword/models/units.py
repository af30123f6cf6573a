"""Rows of length 1, so that a dot product is the cosine similarity."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from everyword.ports import Vectors


def unit_rows(vectors: Vectors) -> Vectors:
    """Return float32 rows of length 1; a row of zeros stays zeros."""
    import numpy as np

    rows = np.asarray(vectors, np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.maximum(lengths, np.finfo(np.float32).tiny)
