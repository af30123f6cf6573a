"""A cross-encoder of the bge-reranker-base class: question and text read together by an ONNX model."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from everyword.errors import ModelError
from everyword.models.batching import batches
from everyword.models.hf_tokenizer import HfTokenizer, feeds
from everyword.models.onnx_folder import located, model_file
from everyword.models.session import Session, open_session, run

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from everyword.models.onnx_folder import Folder

BATCH_TOKENS = 4096
YES_AND_NO = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedCrossEncoder:
    """An open model."""

    tokenizer: HfTokenizer
    session: Session
    inputs: Mapping[str, str]
    output: str


class CrossEncoder:
    """Scores are raw logits: their order means something, their size and sign do not. Safe for many threads."""

    def __init__(
        self,
        folder: Folder,
        *,
        name: str | None = None,
        threads: int | None = None,
        max_tokens: int = 512,
        file: str | None = None,
    ) -> None:
        self._folder = folder
        self._name = name or f"onnx-rerank:{located(folder)}"
        self._threads = threads
        self._max_tokens = max_tokens
        self._file = file
        self._lock = threading.Lock()
        self._loaded: LoadedCrossEncoder | None = None

    @property
    def name(self) -> str:
        return self._name

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        if not texts:
            return []
        loaded = self.load()
        encoded = loaded.tokenizer.encode_pairs(question, texts)
        found = [0.0] * len(texts)
        for batch in batches([len(one.ids) for one in encoded], tokens=BATCH_TOKENS):
            inputs = feeds([encoded[place] for place in batch], loaded.tokenizer.pad, loaded.inputs)
            for place, score in zip(batch, relevance(run(loaded.session, inputs, loaded.output)), strict=True):
                found[place] = score
        return found

    def load(self) -> LoadedCrossEncoder:
        """Open what is not open. Raise ModelMissingError, ModelError."""
        with self._lock:
            if self._loaded is None:
                self._loaded = self._open()
            return self._loaded

    def _open(self) -> LoadedCrossEncoder:
        folder = located(self._folder)
        session = open_session(model_file(folder, self._file), threads=self._threads, extra="onnx")
        outputs = [port.name for port in session.get_outputs()]
        return LoadedCrossEncoder(
            tokenizer=HfTokenizer(folder, tokens=self._max_tokens),
            session=session,
            inputs={port.name: port.type for port in session.get_inputs()},
            output="logits" if "logits" in outputs else outputs[0],
        )


def relevance(logits: npt.NDArray[np.float32]) -> list[float]:
    """Return one score for each row: the only logit, or how far yes is above no. Raise ModelError."""
    import numpy as np

    rows = logits.reshape(len(logits), -1)
    if rows.shape[1] not in (1, YES_AND_NO):
        raise ModelError(f"The graph gives {rows.shape[1]} values for each pair: a reranker gives one or two.")
    found = rows[:, -1] - rows[:, 0] if rows.shape[1] == YES_AND_NO else rows[:, 0]
    if not np.isfinite(found).all():
        raise ModelError("The reranker gave a score that is not a number.")
    return [float(score) for score in found]
