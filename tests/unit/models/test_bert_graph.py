from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from everyword.models.bert_graph import int8_columns, repacked
from everyword.models.e5_weights import dequantised


def random_rows(seed: int, rows: int = 3, blocks: int = 2) -> np.ndarray:
    draw = np.random.default_rng(seed)
    scales = draw.uniform(0.01, 1, (rows, blocks, 1)).astype("<f2").view(np.uint8).reshape(rows, blocks, 2)
    return np.concatenate([scales, draw.integers(0, 256, (rows, blocks, 16), np.uint8)], axis=-1).reshape(rows, -1)


def test_a_block_is_sixteen_low_halves_and_then_sixteen_high_ones() -> None:
    scale = np.array([0.5], "<f2").view(np.uint8)
    block = np.concatenate([scale, np.full(16, 0xF0, np.uint8)])[None]
    assert dequantised(block)[0].tolist() == [-4.0] * 16 + [3.5] * 16


@given(st.integers(0, 1000))
def test_repacking_loses_nothing(seed: int) -> None:
    rows = random_rows(seed)
    packed, scales = repacked(rows)
    weights = np.stack([packed & 15, packed >> 4], axis=-1).reshape(*scales.shape, 32).astype(np.float32) - 8
    assert np.array_equal((weights * scales[..., None]).reshape(3, -1), dequantised(rows))


@given(st.integers(0, 1000))
def test_int8_is_off_by_half_a_step_at_most(seed: int) -> None:
    weights = dequantised(random_rows(seed))
    columns, scales = int8_columns(weights)
    assert columns.dtype == np.int8
    assert np.all(np.abs(columns.T * scales[:, None] - weights) <= scales[:, None] * 0.501)


def test_two_products_of_int8_weights_never_overflow_sixteen_bits() -> None:
    columns, _ = int8_columns(np.array([[1.0, -1.0]], np.float32))
    assert 2 * 255 * int(np.abs(columns).max()) < 2**15


def test_a_row_of_zeros_stays_zeros() -> None:
    columns, scales = int8_columns(np.zeros((1, 4), np.float32))
    assert not columns.any()
    assert scales[0] == pytest.approx(0, abs=1e-30)
