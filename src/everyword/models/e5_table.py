"""The word and position embeddings of e5, memory-mapped and read row by row."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from everyword.models.e5_weights import dequantised

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from everyword.models.batching import Ids
    from everyword.models.e5_weights import E5Weights, Floats

ROWS_FILE = "words.npy"
POSITIONS_FILE = "positions.npy"


def write_table(weights: E5Weights, folder: Path) -> None:
    """Write the 4-bit rows of the words as they are, and the positions with the one token type added."""
    import numpy as np

    hidden = weights.shape.hidden
    positions = weights.floats("emb.pos").reshape(-1, hidden) + weights.floats("emb.type")[:hidden]
    np.save(folder / ROWS_FILE, np.ascontiguousarray(weights.rows("emb.word", hidden)))
    np.save(folder / POSITIONS_FILE, positions.astype(np.float32))


class E5Table:
    """Looks up what the network reads for each token."""

    def __init__(self, folder: Path) -> None:
        import numpy as np

        self._rows: npt.NDArray[np.uint8] = np.asarray(np.load(folder / ROWS_FILE, mmap_mode="r"))
        self._positions: Floats = np.load(folder / POSITIONS_FILE)

    def embeddings(self, ids: Ids) -> Floats:
        """Return float32 [texts, tokens, hidden] for ids [texts, tokens]."""
        words = dequantised(self._rows[ids])
        words += self._positions[: ids.shape[1]]
        return words
