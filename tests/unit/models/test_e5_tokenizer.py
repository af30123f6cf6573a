from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from everyword.models.e5 import E5Embedder
from everyword.models.e5_tokenizer import MAXIMUM_TOKENS, E5Tokenizer
from everyword.ports import TokenCounter


@pytest.fixture(scope="module")
def tokenizer(e5_cache: Path) -> E5Tokenizer:
    return E5Embedder(cache=e5_cache).tokenizer


def test_ids_are_those_of_xlm_roberta(tokenizer: E5Tokenizer) -> None:
    assert tokenizer.encode(["Hello world!", ""]) == [[0, 35378, 8999, 38, 2], [0, 2]]


def test_counts_leave_out_the_frame(tokenizer: E5Tokenizer) -> None:
    assert tokenizer.count("Hello world!") == 3
    assert tokenizer.count("") == 0
    assert isinstance(tokenizer, TokenCounter)
    assert tokenizer.name == "e5"


@pytest.mark.parametrize(("one", "same"), [("cafe\u0301", "café"), ("coin ", "coin"), ("Ａ１", "A1"), ("a  b", "a b")])
def test_what_nfkc_makes_equal_has_equal_tokens(tokenizer: E5Tokenizer, one: str, same: str) -> None:
    assert tokenizer.encode([one]) == tokenizer.encode([same])


def test_text_after_nul_is_read(tokenizer: E5Tokenizer) -> None:
    assert tokenizer.encode(["one\0 two"])[0][-2] == tokenizer.encode(["two"])[0][-2]


def test_lone_surrogates_are_read_as_replacement_characters(tokenizer: E5Tokenizer) -> None:
    assert tokenizer.encode(["tea \ud83d rain"]) == tokenizer.encode(["tea \ufffd rain"])
    assert tokenizer.encode(["tea \ud83c\udf75"]) == tokenizer.encode(["tea 🍵"])


def test_the_longest_expansion_of_unicode_is_read(tokenizer: E5Tokenizer) -> None:
    assert tokenizer.count("\ufdfa" * 100) > 100


def test_special_pieces_in_a_text_are_text(tokenizer: E5Tokenizer) -> None:
    ids = tokenizer.encode(["<s> </s> <pad> <mask>"])[0]
    assert not {0, 1, 2, 250_001} & set(ids[1:-1])


@pytest.mark.parametrize("text", ["coin " * 1_000_000, "硬幣" * 800_000, " " * 5_000_000 + "coin", "\0" * 5_000_000])
def test_a_text_of_five_megabytes_is_cut(tokenizer: E5Tokenizer, text: str) -> None:
    (ids,) = tokenizer.encode([text])
    assert ids[0] == 0
    assert ids[-1] == 2
    assert 2 < len(ids) <= MAXIMUM_TOKENS


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(["coin", "硬幣收藏", " ", "\u3000", "é", "1920", "。", "a" * 40]), min_size=1),
    st.integers(1, 4000),
)
def test_a_long_text_is_cut_as_if_all_of_it_was_read(tokenizer: E5Tokenizer, words: list[str], times: int) -> None:
    text = (" ".join(words) + " ") * times
    whole = tokenizer._pieces.encode(text)
    assert tokenizer.encode([text]) == [[0, *whole[: MAXIMUM_TOKENS - 2], 2]]
