"""Compact codes of unit vectors, relative to a centre.

Embedders place all text in a narrow cone, so what tells texts apart is the difference from the cone's centre. A clause
keeps the signs of that difference and its scale (RaBitQ, Gao & Long, SIGMOD 2024: <q, r> ≈ <q, s>·|r|² / <r, s>); a
passage keeps four bits a dimension.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.uint8]

_OF_BYTES: Floats = np.unpackbits(np.arange(256, dtype=np.uint8)[None, :], axis=0).astype(np.float32)
"""[8, 256]: the bits of each byte, 1 for a positive sign."""
_LEVELS = 8
_REACH = 2.8
"""Standard deviations that four bits cover; measured best among 2 to 4 on sentence vectors."""


def bits(vectors: Floats, centre: Floats) -> Bytes:
    """Return uint8 [n, padded/8 + 2]: the packed signs, then the scale as float16."""
    rest = _padded(vectors - centre)
    signs = rest > 0
    along = np.where(signs, rest, -rest).sum(axis=1)
    scales = (rest * rest).sum(axis=1) / np.maximum(along, 1e-12)
    return np.hstack([np.packbits(signs, axis=1), _float16(scales)])


def nibbles(vectors: Floats, centre: Floats) -> Bytes:
    """Return uint8 [n, dimensions/2 + 2]: two 4-bit values a byte, then the scale as float16."""
    rest = vectors - centre
    if rest.shape[1] % 2:
        rest = np.pad(rest, ((0, 0), (0, 1)))
    step = np.maximum(rest.std(axis=1, keepdims=True) * _REACH / _LEVELS, 1e-12)
    level = np.clip(np.floor(rest / step), -_LEVELS, _LEVELS - 1)
    middle = level + 0.5
    scales = (rest * rest).sum(axis=1) / np.maximum((middle * rest).sum(axis=1), 1e-12)
    values = (level + _LEVELS).astype(np.uint8)
    return np.hstack([values[:, 0::2] | (values[:, 1::2] << 4), _float16(scales)])


def bit_length(dimensions: int) -> int:
    """Return the bytes of one clause code."""
    return _words(dimensions) * 8 + 2


def nibble_length(dimensions: int) -> int:
    """Return the bytes of one passage code."""
    return (dimensions + 1) // 2 + 2


def from_nibbles(codes: Bytes, dimensions: int) -> Floats:
    """Return float32 [n, dimensions]: the vectors less the centre."""
    values = np.empty((len(codes), (codes.shape[1] - 2) * 2), dtype=np.float32)
    values[:, 0::2] = codes[:, :-2] & 15
    values[:, 1::2] = codes[:, :-2] >> 4
    values -= _LEVELS - 0.5
    values *= _scales(codes)[:, None]
    return values[:, :dimensions]


def split_bits(codes: Bytes) -> tuple[npt.NDArray[np.uint64], Floats]:
    """Return the signs as uint64 [words, n], ready to be compared, and the scales [n]."""
    signs = np.ascontiguousarray(codes[:, :-2]).view(np.uint64)
    return np.ascontiguousarray(signs.T), _scales(codes)


def question_bits(vector: Floats, centre: Floats) -> npt.NDArray[np.uint64]:
    """Return the signs of a question as uint64 [words]."""
    return np.packbits(_padded((vector - centre)[None, :]) > 0, axis=1).view(np.uint64)[0]


def distances(words: npt.NDArray[np.uint64], question: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint16]:
    """Return for sign codes given as uint64 [words, n] in how many signs each differs from the question."""
    found = np.zeros(words.shape[1], dtype=np.uint16)
    for word, mine in zip(words, question, strict=True):
        found += np.bitwise_count(word ^ mine)
    return found


def products(words: npt.NDArray[np.uint64], scales: Floats, vector: Floats) -> Floats:
    """Return the estimated <vector, text - centre> for sign codes given as uint64 [words, n].

    What each byte adds is computed once for all its values: to look that up takes a third of the time of unpacking.
    """
    padded = _padded(vector[None, :])[0]
    added = padded.reshape(-1, 8) @ _OF_BYTES
    return (2.0 * added.ravel()[_signs(words) + 256 * np.arange(len(added))].sum(axis=1) - padded.sum()) * scales


def cosines(words: npt.NDArray[np.uint64], vectors: Floats) -> Floats:
    """Return float32 [vectors, n]: the cosine of each unit vector with the direction of each sign code, uint64 [words, n]."""
    scaled = _padded(vectors * (2.0 / np.sqrt(np.float32(vectors.shape[1]))))
    return (_unpacked(words) @ scaled.T).T - scaled.sum(axis=1, keepdims=True) / 2.0


def _unpacked(words: npt.NDArray[np.uint64]) -> Floats:
    """Return sign codes given as uint64 [words, n] as float32 [n, padded]: 1 for a positive sign, 0 for another."""
    return np.unpackbits(_signs(words), axis=1).astype(np.float32)


def _signs(words: npt.NDArray[np.uint64]) -> Bytes:
    """Return sign codes given as uint64 [words, n] as uint8 [n, padded/8]."""
    return np.ascontiguousarray(words.T).view(np.uint8)


def _padded(vectors: Floats) -> Floats:
    short = _words(vectors.shape[1]) * 64 - vectors.shape[1]
    return np.pad(vectors, ((0, 0), (0, short))) if short else vectors


def _words(dimensions: int) -> int:
    return -(-dimensions // 64)


def _float16(values: Floats) -> Bytes:
    return values.astype(np.float16)[:, None].view(np.uint8)


def _scales(codes: Bytes) -> Floats:
    return np.ascontiguousarray(codes[:, -2:]).view(np.float16)[:, 0].astype(np.float32)
