from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from everyword.errors import SettingsError
from everyword.models.e5 import E5Embedder
from everyword.models.late import (
    DIMENSIONS,
    HALF_WINDOW,
    WEIGHTS_FILE,
    KeptSigns,
    LateInteraction,
    LateWeights,
    hidden_tokens,
    read_weights,
    similarities,
    write_weights,
)
from everyword.ports import Reranker, WeighedReranker

QUESTION = "What does she do with her children?"
ANSWER = "Off to go swimming with the kids, talk later!"
OTHERS = ["The invoice was wrong again.", "It rained all weekend and the river rose.", "報價一律寫未稅，日期用民國年。"]
TALK = "The meeting about the new shelves took all morning and nobody could agree on the height of them. "


@pytest.fixture(scope="module")
def late(e5_cache: Path) -> LateInteraction:
    return LateInteraction(cache=e5_cache, threads=1)


def test_it_is_a_reranker_whose_scores_are_added(late: LateInteraction) -> None:
    assert isinstance(late, Reranker)
    assert isinstance(late, WeighedReranker)
    assert late.name == "late:q4"


def test_an_answer_in_other_words_is_above_other_subjects(late: LateInteraction) -> None:
    answer, *others = late.scores(QUESTION, [ANSWER, *OTHERS])
    assert answer > max(others) + 0.1


def test_an_answer_in_another_language_is_above_other_subjects(late: LateInteraction) -> None:
    answer, *others = late.scores(QUESTION, ["要帶孩子們去游泳，晚點再聊！", *OTHERS])
    assert answer > max(others)


def test_an_aside_is_found_inside_long_talk_on_another_subject(late: LateInteraction) -> None:
    aside, talk = late.scores(QUESTION, [TALK * 2 + ANSWER + " " + TALK * 2, TALK * 4])
    assert aside > talk + 0.05


def test_a_score_does_not_depend_on_the_texts_beside_it(late: LateInteraction, e5_cache: Path) -> None:
    fresh = LateInteraction(cache=e5_cache, threads=1)
    together = late.scores(QUESTION, [TALK * 30, ANSWER, *OTHERS])
    alone = [fresh.scores(QUESTION, [text])[0] for text in (TALK * 30, ANSWER, *OTHERS)]
    assert together == pytest.approx(alone, abs=0.03)  # A sign near zero may fall the other way.


@pytest.mark.parametrize("text", ["", " ", "\x00", "\ud800", "\ufdfa" * 600])
def test_any_text_has_a_score(late: LateInteraction, text: str) -> None:
    assert all(-1 <= score <= 1 for score in late.scores(text, [text, ANSWER]))


def test_no_texts_have_no_scores(late: LateInteraction) -> None:
    assert late.scores(QUESTION, []) == []


def test_an_unknown_quantisation_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError):
        LateInteraction("q2", cache=tmp_path)  # type: ignore[arg-type]


def test_the_mean_of_the_tokens_is_near_the_vector_of_the_embedder(e5: E5Embedder) -> None:
    """The vector counts the prefix and the frame too."""
    mean = hidden_tokens(e5.load(), "passage: ", [ANSWER])[0].mean(axis=0)
    assert mean @ e5.embed_passages([ANSWER])[0] / np.linalg.norm(mean) > 0.98


def test_the_weights_of_the_package_are_small_and_their_directions_at_right_angles() -> None:
    with as_file(files("everyword.models") / WEIGHTS_FILE) as path:
        assert path.stat().st_size < 60_000
        weights = read_weights(path)
    assert weights.projection.shape == (384, DIMENSIONS)
    assert weights.question_mean.shape == weights.passage_mean.shape == (DIMENSIONS,)
    assert np.allclose(weights.projection.T @ weights.projection, np.eye(DIMENSIONS), atol=2e-3)


def test_weights_that_are_written_are_read(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    weights = LateWeights(
        projection=random.normal(size=(384, DIMENSIONS)).astype(np.float16).astype(np.float32),
        question_mean=random.normal(size=DIMENSIONS).astype(np.float32),
        passage_mean=random.normal(size=DIMENSIONS).astype(np.float32),
    )
    write_weights(weights, tmp_path / WEIGHTS_FILE)
    read = read_weights(tmp_path / WEIGHTS_FILE)
    assert np.array_equal(read.projection, weights.projection)
    assert np.array_equal(read.question_mean, weights.question_mean)
    assert np.array_equal(read.passage_mean, weights.passage_mean)


def drawn(seed: int, lengths: list[int], asked: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return a question's tokens, rows of length 1, and the packed signs of texts of these lengths."""
    random = np.random.default_rng(seed)
    question = random.normal(size=(asked, DIMENSIONS)).astype(np.float32)
    question /= np.linalg.norm(question, axis=1, keepdims=True)
    return question, [np.packbits(random.random((length, DIMENSIONS)) > 0.5, axis=1) for length in lengths]


def in_words(question: np.ndarray, signs: np.ndarray) -> float:
    """Return the score as its definition reads: no numpy but for the bits."""
    tokens = [[1 if bit else -1 for bit in np.unpackbits(row)] for row in signs]
    starts = range(0, len(tokens), HALF_WINDOW)
    means: list[float] = []
    for start in starts:
        window = tokens[start : start + 2 * HALF_WINDOW]
        nearest = [
            max(sum(a * b for a, b in zip(asked, token, strict=True)) / 8 for token in window) for asked in question
        ]
        means.append(sum(nearest) / len(nearest))
    return max(means)


@given(
    seed=st.integers(0, 1000),
    lengths=st.lists(st.integers(1, 3 * HALF_WINDOW + 1), min_size=1, max_size=4),
    asked=st.integers(1, 4),
)
def test_a_score_is_the_mean_of_the_nearest_tokens_in_the_best_window(
    seed: int, lengths: list[int], asked: int
) -> None:
    question, texts = drawn(seed, lengths, asked)
    assert similarities(question, texts) == pytest.approx([in_words(question, text) for text in texts], abs=1e-5)


@given(seed=st.integers(0, 1000), windows=st.integers(1, 3), more=st.integers(1, 40))
def test_more_words_never_lower_a_score(seed: int, windows: int, more: int) -> None:
    question, (text, rest) = drawn(seed, [windows * 2 * HALF_WINDOW, more], 3)
    short, long = similarities(question, [text, np.concatenate([text, rest])])
    assert long >= short - 1e-6


def test_signs_are_kept_until_there_is_no_room_and_the_longest_unused_go_first() -> None:
    kept = KeptSigns(capacity=24)
    tea, rain, coin, walk = (np.full((1, 8), number, np.uint8) for number in range(4))
    for text, signs in (("tea", tea), ("rain", rain), ("coin", coin)):
        kept.keep(text, signs)
    assert kept.get("tea") is tea
    kept.keep("walk", walk)
    assert kept.get("rain") is None
    assert [kept.get(text) for text in ("tea", "coin", "walk")] == [tea, coin, walk]


def test_signs_that_are_kept_twice_take_their_room_once() -> None:
    kept = KeptSigns(capacity=16)
    tea, rain = np.zeros((1, 8), np.uint8), np.ones((1, 8), np.uint8)
    kept.keep("tea", tea)
    kept.keep("tea", tea)
    kept.keep("rain", rain)
    assert kept.get("tea") is tea
    assert kept.get("rain") is rain
