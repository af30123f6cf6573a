"""The exact tokenizer of e5: sentencepiece with the vocabulary of the weights file and full nmt_nfkc."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everyword.models.extras import required
from everyword.models.well_formed import well_formed

if TYPE_CHECKING:
    from everyword.models.e5_weights import E5Vocabulary

TOKENIZER_FILE = "tokenizer.model"
BEGIN, END = 0, 2
MAXIMUM_TOKENS = 512
MASK_PIECE = "<mask>"
PIECE_CHARACTERS = 16
"""Length of the longest piece."""
CUT_MARGIN = 64
"""Tokens before a cut that may differ from those of the whole text."""


def write_tokenizer(vocabulary: E5Vocabulary, path: Path) -> None:
    """Write a sentencepiece model whose ids are the rows of the embedding table."""
    path.write_bytes(sentencepiece_model(vocabulary).SerializeToString())


def sentencepiece_model(vocabulary: E5Vocabulary) -> Any:
    sentencepiece = required("sentencepiece", extra="e5")
    model = required("sentencepiece.sentencepiece_model_pb2", extra="e5").ModelProto()
    model.ParseFromString(sentencepiece.SentencePieceNormalizer(rule_name="nmt_nfkc").serialized_model_proto())
    normalizer = model.normalizer_spec
    normalizer.add_dummy_prefix = normalizer.remove_extra_whitespaces = normalizer.escape_whitespaces = True
    describe(model.trainer_spec, vocabulary)
    add_pieces(model, vocabulary)
    return model


def describe(trainer: Any, vocabulary: E5Vocabulary) -> None:
    trainer.model_type = trainer.UNIGRAM
    trainer.vocab_size = len(vocabulary.pieces)
    trainer.bos_id, trainer.eos_id = vocabulary.begin, vocabulary.end
    trainer.pad_id, trainer.unk_id = vocabulary.pad, vocabulary.unknown


def add_pieces(model: Any, vocabulary: E5Vocabulary) -> None:
    kind = model.SentencePiece
    control = {vocabulary.begin, vocabulary.end, vocabulary.pad}
    del model.pieces[:]
    for number, (piece, score) in enumerate(zip(vocabulary.pieces, vocabulary.scores, strict=True)):
        entry = model.pieces.add(piece=piece, score=score, type=kind.NORMAL)
        if number in control or piece == MASK_PIECE:
            entry.type = kind.CONTROL
        elif number == vocabulary.unknown:
            entry.type = kind.UNKNOWN


class E5Tokenizer:
    """Token ids of texts; also an exact TokenCounter for texts that e5 embeds."""

    def __init__(self, path: Path) -> None:
        self._pieces = required("sentencepiece", extra="e5").SentencePieceProcessor(model_file=str(path))

    @property
    def name(self) -> str:
        return "e5"

    def count(self, text: str) -> int:
        """Return the number of tokens of the whole text, without the two that frame it."""
        return len(self._pieces.encode(well_formed(text)))

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of each text in its frame, at most 512: what is longer is cut."""
        heads = [well_formed(text[: self.head_characters()]) for text in texts]
        encoded: list[list[int]] = self._pieces.encode(heads, num_threads=1)
        return [[BEGIN, *self._cut(text, pieces), END] for text, pieces in zip(texts, encoded, strict=True)]

    def _cut(self, text: str, pieces: list[int]) -> list[int]:
        """Return the first ids of the text, given those of its head.

        A head of usual text holds more tokens than are used. Where most of it normalises away, such as spaces, it is
        doubled until it holds enough.
        """
        characters = self.head_characters()
        while len(pieces) < MAXIMUM_TOKENS + CUT_MARGIN and characters < len(text):
            characters *= 2
            pieces = self._pieces.encode(well_formed(text[:characters]))
        return pieces[: MAXIMUM_TOKENS - 2]

    @staticmethod
    def head_characters() -> int:
        return (MAXIMUM_TOKENS + CUT_MARGIN) * PIECE_CHARACTERS
