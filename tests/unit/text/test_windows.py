from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everyword.text.windows import windows

TEXT = st.text(st.sampled_from("ab .!\n貓。🎂"), max_size=3000)


def test_a_thousand_tokens_start_windows_every_224() -> None:
    starts = [start // 4 for start, _ in windows("x" * 4000)]
    assert starts == [0, 224, 448, 672, 896]


def test_189_000_tokens_are_844_windows() -> None:
    assert len(windows("x" * 189_000 * 4)) == pytest.approx(844, abs=1)


def test_a_character_of_an_unspaced_script_is_a_token() -> None:
    assert windows("貓" * 1000)[:2] == [(0, 256), (224, 480)]
    assert windows("貓" * 256) == [(0, 256)]


def test_a_window_ends_where_a_sentence_does() -> None:
    text = ("word " * 60 + "end. ") * 8
    assert all(text[:stop].endswith("end. ") for _, stop in windows(text)[:-1])


@pytest.mark.parametrize("text", ["", "short", "x" * 1024])
def test_a_text_that_fits_is_one_window(text: str) -> None:
    assert windows(text) == [(0, len(text))]


@given(TEXT, st.booleans())
def test_windows_cover_every_character_and_go_on(text: str, at_sentences: bool) -> None:
    spans = windows(text, size=16, overlap=4, at_sentences=at_sentences)
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
    for (start, stop), (following, end) in zip(spans, spans[1:], strict=False):
        assert start < following <= stop < end


@given(TEXT)
def test_no_window_is_longer_than_its_size(text: str) -> None:
    for start, stop in windows(text, size=16, overlap=4):
        part = text[start:stop]
        assert len(part) + 3 * part.count("貓") <= 16 * 4 + 3


def test_megabytes_are_cut_in_little_time() -> None:
    begun = time.process_time()
    for text in ("word. " * 170_000, "。" * 340_000, " " * 1_000_000, ".)" * 500_000):
        windows(text)
    assert time.process_time() - begun < 20
