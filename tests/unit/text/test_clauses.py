from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everyword.text.clauses import MOST_WORDS, clauses, sentences, words

TEXT = st.text(st.sampled_from("abc  ,.;:!?—-()[]（）\n\t貓。，🎂'\""), max_size=400)


def shown(text: str) -> list[str]:
    return [text[start:stop].strip() for start, stop in clauses(text)]


def test_an_aside_is_a_clause_of_its_own() -> None:
    text = "Could you plan the trip to Oslo (my sister Vera moved there in May) for the second week, please?"
    assert "(my sister Vera moved there in May)" in shown(text)


def test_short_pieces_join_their_neighbour() -> None:
    assert shown("Yes, sure, why not, let us go there.") == ["Yes, sure, why not,", "let us go there."]


def test_chinese_is_cut_at_its_own_punctuation() -> None:
    assert shown("我們星期四下午去看醫生，順便把報告寄給他們公司。") == [
        "我們星期四下午去看醫生，",
        "順便把報告寄給他們公司。",
    ]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("My brother in Porto - the one with a boat - comes on Friday evening.", 3),
        ("My brother in Porto—the one with a boat—comes on Friday evening.", 3),
        ("My brother in Porto [the one with a boat] comes on Friday evening.", 3),
        ("My brother in Porto [the one with a boat]comes on Friday evening.", 3),
        ("My brother-in-law in Porto paid 1,280.50 for the well-known boat.", 1),
    ],
)
def test_dashes_and_brackets_stand_around_an_aside(text: str, expected: int) -> None:
    assert len(shown(text)) == expected
    assert "".join(text[start:stop] for start, stop in clauses(text)) == text
    assert expected == 1 or "the one with a boat" in shown(text)[1]


def test_a_clause_without_an_end_is_cut_between_words() -> None:
    spans = clauses("word " * 200)
    assert len(spans) == 5
    assert all(words("word " * 200) and words(("word " * 200)[a:b]) <= MOST_WORDS for a, b in spans)


@pytest.mark.parametrize("text", ["", " ", "\n\n\t"])
def test_what_is_blank_has_no_clauses(text: str) -> None:
    assert clauses(text) == []


@given(TEXT)
def test_clauses_hold_every_character_that_is_not_blank_once_and_in_order(text: str) -> None:
    spans = clauses(text)
    assert "".join("".join(text[start:stop] for start, stop in spans).split()) == "".join(text.split())
    assert all(stop <= start for (_, stop), (start, _) in zip(spans, spans[1:], strict=False))
    assert all(text[start:stop].strip() for start, stop in spans)


@given(TEXT)
def test_sentences_cover_the_text(text: str) -> None:
    assert "".join(text[start:stop] for start, stop in sentences(text)) == text


def test_runs_of_blanks_and_brackets_take_little_time() -> None:
    begun = time.process_time()
    for text in (" " * 100_000, "(" * 100_000, ")" * 100_000, ". " * 50_000, "\n" * 100_000, "- " * 50_000):
        clauses(text)
    assert time.process_time() - begun < 10
