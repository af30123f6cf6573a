from __future__ import annotations

import numpy as np
import pytest

from everyword.index import codes

DIMENSIONS = [1, 2, 3, 7, 63, 64, 65, 127, 256, 384, 1023]


def sentence_like(count: int, dimensions: int, seed: int = 1) -> tuple[codes.Floats, codes.Floats]:
    """Unit vectors in a narrow cone, as embedders give them, and the middle of the cone."""
    random = np.random.default_rng(seed)
    centre = random.standard_normal(dimensions)
    centre /= np.linalg.norm(centre)
    vectors = centre + 0.6 * random.standard_normal((count, dimensions)) / np.sqrt(dimensions)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors.astype(np.float32), vectors.mean(axis=0).astype(np.float32)


def from_bits(rows: codes.Floats, centre: codes.Floats, question: codes.Floats) -> codes.Floats:
    signs, scales = codes.split_bits(codes.bits(rows, centre))
    return codes.products(signs, scales, question)


@pytest.mark.parametrize("dimensions", DIMENSIONS)
def test_codes_have_the_length_that_is_said(dimensions: int) -> None:
    rows, centre = sentence_like(5, dimensions)
    assert codes.bits(rows, centre).shape == (5, codes.bit_length(dimensions))
    assert codes.nibbles(rows, centre).shape == (5, codes.nibble_length(dimensions))
    assert codes.from_nibbles(codes.nibbles(rows, centre), dimensions).shape == (5, dimensions)


@pytest.mark.parametrize("dimensions", [63, 64, 256, 383, 384, 1024])
def test_four_bits_are_near_the_exact_similarity(dimensions: int) -> None:
    rows, centre = sentence_like(500, dimensions)
    questions, _ = sentence_like(20, dimensions, seed=2)
    exact = (rows - centre) @ questions.T
    found = codes.from_nibbles(codes.nibbles(rows, centre), dimensions) @ questions.T
    assert np.abs(found - exact).max() < 0.35 / np.sqrt(dimensions)
    assert np.corrcoef(found.ravel(), exact.ravel())[0, 1] > 0.99


@pytest.mark.parametrize("dimensions", [64, 256, 383, 384, 1024])
def test_signs_are_near_the_exact_similarity(dimensions: int) -> None:
    rows, centre = sentence_like(500, dimensions)
    questions, _ = sentence_like(20, dimensions, seed=2)
    for question in questions:
        exact = (rows - centre) @ question
        found = from_bits(rows, centre, question)
        assert np.abs(found - exact).max() < 4.0 / np.sqrt(dimensions)
        assert np.corrcoef(found, exact)[0, 1] > 0.5


@pytest.mark.parametrize("dimensions", [256, 384])
def test_a_text_is_the_nearest_to_itself(dimensions: int) -> None:
    rows, centre = sentence_like(300, dimensions)
    four = codes.from_nibbles(codes.nibbles(rows, centre), dimensions)
    assert (rows @ four.T).argmax(axis=1).tolist() == list(range(300))
    assert [int(from_bits(rows, centre, row).argmax()) for row in rows[:50]] == list(range(50))


@pytest.mark.parametrize("dimensions", DIMENSIONS)
def test_a_vector_at_the_centre_has_no_similarity_of_its_own(dimensions: int) -> None:
    rows, _ = sentence_like(3, dimensions)
    for centre in (rows[0], np.zeros(dimensions, dtype=np.float32)):
        found = codes.from_nibbles(codes.nibbles(centre[None, :], centre), dimensions)
        assert np.allclose(found, 0.0, atol=1e-6)
        assert np.allclose(from_bits(centre[None, :], centre, rows[1]), 0.0, atol=1e-6)


def test_one_dimension_keeps_its_value() -> None:
    rows = np.array([[0.5], [-0.25], [0.0]], dtype=np.float32)
    centre = np.zeros(1, dtype=np.float32)
    assert np.allclose(codes.from_nibbles(codes.nibbles(rows, centre), 1), rows, atol=2e-3)
    assert np.allclose(from_bits(rows, centre, np.ones(1, dtype=np.float32)), rows[:, 0], atol=2e-3)


@pytest.mark.parametrize("dimensions", [2, 3, 384])
def test_extreme_vectors_have_finite_codes(dimensions: int) -> None:
    rows = np.vstack(
        [np.eye(1, dimensions), -np.eye(1, dimensions), np.full((1, dimensions), dimensions**-0.5)]
    ).astype(np.float32)
    for centre in (np.zeros(dimensions, dtype=np.float32), -rows[0], rows[2]):
        found = codes.from_nibbles(codes.nibbles(rows, centre), dimensions)
        assert np.isfinite(found).all()
        assert np.isfinite(from_bits(rows, centre, rows[0])).all()


def test_no_vectors_have_no_codes() -> None:
    nothing = np.empty((0, 384), dtype=np.float32)
    centre = np.zeros(384, dtype=np.float32)
    assert codes.nibbles(nothing, centre).shape == (0, codes.nibble_length(384))
    signs, scales = codes.split_bits(codes.bits(nothing, centre))
    assert signs.shape[1] == len(scales) == 0


def test_distances_count_the_signs_that_differ() -> None:
    rows, centre = sentence_like(50, 100)
    question, _ = sentence_like(1, 100, seed=2)
    signs, _ = codes.split_bits(codes.bits(rows, centre))
    found = codes.distances(signs, codes.question_bits(question[0], centre))
    assert found.tolist() == (((rows - centre) > 0) != ((question[0] - centre) > 0)).sum(axis=1).tolist()
