"""A `tokenizer.json`, run by the `tokenizers` package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everyword.errors import ModelError, ModelMissingError
from everyword.models.batching import padded
from everyword.models.extras import required
from everyword.models.well_formed import well_formed

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]

TOKENIZER_FILE = "tokenizer.json"
PAD_TOKENS = ("[PAD]", "<pad>", "<|endoftext|>")
CHARACTERS_FOR_EACH_TOKEN = 32
"""More than the longest usual word: what is behind it would be cut anyway."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoded:
    """Ids and segment numbers of one text or pair."""

    ids: Sequence[int]
    types: Sequence[int]


class HfTokenizer:
    """Encodes texts and pairs, cut at `tokens`."""

    def __init__(self, folder: Path, *, tokens: int) -> None:
        tokenizers = required("tokenizers", extra="onnx")
        path = folder / TOKENIZER_FILE
        if not path.is_file():
            raise ModelMissingError(f"{str(folder)!r} holds no tokenizer.json: name the folder that holds the model.")
        try:
            self._tokenizer: Any = tokenizers.Tokenizer.from_file(str(path))
        except Exception as error:  # tokenizers raises bare Exception
            raise ModelError(
                f"{str(path)!r} is not a tokenizer that this version of tokenizers reads: {error}"
            ) from error
        self._characters = tokens * CHARACTERS_FOR_EACH_TOKEN
        self._tokenizer.enable_truncation(max_length=tokens)
        self.pad = self._pad()
        self._tokenizer.no_padding()

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Return the ids of each text."""
        return self._encode([self._head(text) for text in texts])

    def encode_pairs(self, question: str, texts: Sequence[str]) -> list[Encoded]:
        """Return the ids of the question with each text; the longer of the two is cut first."""
        head = self._head(question)
        return self._encode([(head, self._head(text)) for text in texts])

    def _encode(self, inputs: Sequence[Any]) -> list[Encoded]:
        found = self._tokenizer.encode_batch(inputs)
        return [Encoded(ids=one.ids, types=one.type_ids) if one.ids else self._nothing() for one in found]

    def _nothing(self) -> Encoded:
        """Return one padding token for a text without any: no graph takes a row of length 0."""
        return Encoded(ids=[self.pad], types=[0])

    def _head(self, text: str) -> str:
        return well_formed(text[: self._characters])

    def _pad(self) -> int:
        if self._tokenizer.padding:
            return int(self._tokenizer.padding["pad_id"])
        known = (self._tokenizer.token_to_id(token) for token in PAD_TOKENS)
        return next((number for number in known if number is not None), 0)


def feeds(rows: Sequence[Encoded], pad: int, types: Mapping[str, str]) -> dict[str, npt.NDArray[Any]]:
    """Return the inputs that a graph asks for, given its input names and onnxruntime types. Raise ModelError."""
    ids, mask = padded([row.ids for row in rows], pad)
    segments, _ = padded([row.types for row in rows])
    known: dict[str, npt.NDArray[Any]] = {"input_ids": ids, "attention_mask": mask, "token_type_ids": segments}
    if unknown := sorted(types.keys() - known.keys()):
        raise ModelError(f"The graph asks for {unknown!r}; a text encoder has only {sorted(known)!r}.")
    return {name: known[name].astype(integer_type(types[name])) for name in types}


def integer_type(onnx_type: str) -> str:
    return "int32" if onnx_type == "tensor(int32)" else "int64"
