"""Late interaction over e5's own last layer: each token of a question against the tokens of a text, in 64 signs a token.

A text is worth what its best window is: the mean, over the question's tokens, of the nearest token in the window (MaxSim:
Khattab & Zaharia, SIGIR 2020). The hidden states are projected onto 64 of their principal directions first, without the
four that nearly all tokens share; `python benchmarks/train_late.py` writes that projection.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from everyword.models.e5 import DIMENSIONS as HIDDEN
from everyword.models.e5 import PASSAGE, QUERY, E5Embedder, LoadedE5, told
from everyword.models.units import unit_rows

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from everyword.models.bert_graph import Quantisation

    Floats = npt.NDArray[np.float32]
    Ints = npt.NDArray[np.int64]
    Signs = npt.NDArray[np.uint8]
    """Packed, uint8 [tokens, 8]."""

WEIGHTS_FILE = "late_e5.npz"
DIMENSIONS = 64
WEIGHT = 0.4
"""What a standard score of these is worth beside one of the order before; 0.3 to 0.7 make little difference."""
HALF_WINDOW = 12
"""Tokens; a window is two of them, and starts at each."""
KEPT_BYTES = 32_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LateWeights:
    """The projection float32 [384, 64], and the projected means of question and passage tokens."""

    projection: Floats
    question_mean: Floats
    passage_mean: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedLate:
    """What scoring needs."""

    model: LoadedE5
    weights: LateWeights


class LateInteraction:
    """Scores texts by their tokens. Safe for many threads.

    The model runs over the question and over texts that are new to this process; of a text it keeps 8 bytes a token, in
    memory alone, at most 32 MB.
    """

    def __init__(
        self, quantisation: Quantisation = "q4", *, threads: int | None = None, cache: Path | None = None
    ) -> None:
        self._embedder = E5Embedder(quantisation, threads=threads, cache=cache)
        self._name = f"late:{quantisation}"
        self._lock = threading.Lock()
        self._loaded: LoadedLate | None = None
        self._kept = KeptSigns(KEPT_BYTES)

    @property
    def name(self) -> str:
        return self._name

    @property
    def weight(self) -> float:
        return WEIGHT

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        if not texts:
            return []
        import numpy as np

        loaded = self.load()
        asked = unit_rows(np.concatenate(tokens(loaded, QUERY, [question])) - loaded.weights.question_mean)
        return similarities(asked, self._signs(loaded, texts)).tolist()

    def load(self) -> LoadedLate:
        """Build what is not built, open what is not open. Raise ModelMissingError, ModelError."""
        with self._lock:
            if self._loaded is None:
                with as_file(files("everyword.models") / WEIGHTS_FILE) as path:
                    self._loaded = LoadedLate(model=self._embedder.load(), weights=read_weights(path))
            return self._loaded

    def _signs(self, loaded: LoadedLate, texts: Sequence[str]) -> list[Signs]:
        """Return the signs of the tokens of each text; those that are not kept are computed, each once."""
        import numpy as np

        found = {text: self._kept.get(text) for text in texts}
        missing = [text for text, signs in found.items() if signs is None]
        for text, rows in zip(missing, tokens(loaded, PASSAGE, missing), strict=True):
            found[text] = self._kept.keep(text, np.packbits(rows > loaded.weights.passage_mean, axis=1))
        return [signs for text in texts if (signs := found[text]) is not None]


class KeptSigns:
    """Signs by the hash of their text; the longest unused go first. Safe for many threads."""

    def __init__(self, capacity: int) -> None:
        """Take how many bytes there may be."""
        self._capacity = capacity
        self._bytes = 0
        self._signs: OrderedDict[bytes, Signs] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, text: str) -> Signs | None:
        key = _key(text)
        with self._lock:
            if key in self._signs:
                self._signs.move_to_end(key)
            return self._signs.get(key)

    def keep(self, text: str, signs: Signs) -> Signs:
        """Return the signs, which are kept while there is room."""
        with self._lock:
            before = self._signs.pop(key := _key(text), None)
            self._signs[key] = signs
            self._bytes += signs.nbytes - (0 if before is None else before.nbytes)
            while self._bytes > self._capacity:
                self._bytes -= self._signs.popitem(last=False)[1].nbytes
        return signs


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def tokens(loaded: LoadedLate, prefix: str, texts: Sequence[str]) -> list[Floats]:
    """Return the projected tokens of each text; of a text without any, one of zeros. Raise ModelError."""
    return [rows @ loaded.weights.projection for rows in hidden_tokens(loaded.model, prefix, texts)]


def hidden_tokens(model: LoadedE5, prefix: str, texts: Sequence[str]) -> list[Floats]:
    """Return the last layer of each text's own tokens, float32 [tokens, 384]; of a text without any, one of zeros."""
    import numpy as np

    nothing = np.zeros((1, HIDDEN), np.float32)
    return [own if len(own) else nothing for _, own in told(model, prefix, texts)]


def similarities(question: Floats, texts: Sequence[Signs]) -> Floats:
    """Return for each text the mean nearness of the question's tokens (rows of length 1) in its best window, -1 to 1."""
    import numpy as np

    lengths: Ints = np.array([len(signs) for signs in texts], np.int64)
    halves: Ints = -(-lengths // HALF_WINDOW)
    begins, first = np.cumsum(lengths) - lengths, np.cumsum(halves) - halves
    signs = np.unpackbits(np.concatenate(texts), axis=1).astype(np.float32) * 2 - 1
    near = question @ (signs.T / np.sqrt(np.float32(DIMENSIONS)))
    inside: Ints = np.arange(int(halves.sum()), dtype=np.int64) - np.repeat(first, halves)
    starts: Ints = np.repeat(begins, halves) + inside * HALF_WINDOW
    half = np.maximum.reduceat(near, starts, axis=1)
    window = half.copy()
    window[:, :-1] = np.maximum(half[:, :-1], half[:, 1:])
    last = first + halves - 1
    window[:, last] = half[:, last]  # The next half would be of another text.
    return np.maximum.reduceat(window.mean(axis=0), first)


def read_weights(path: Path) -> LateWeights:
    """Return the weights that `write_weights` wrote."""
    import numpy as np

    with np.load(path) as stored:
        return LateWeights(
            projection=stored["projection"].astype(np.float32),
            question_mean=stored["question_mean"],
            passage_mean=stored["passage_mean"],
        )


def write_weights(weights: LateWeights, path: Path) -> None:
    """Write the projection in half precision, and the means."""
    import numpy as np

    np.savez(
        path,
        projection=weights.projection.astype(np.float16),
        question_mean=weights.question_mean,
        passage_mean=weights.passage_mean,
    )
