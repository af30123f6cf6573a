from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everyword.retrieval.wanted import wanted
from everyword.text.words import terms

RAREST = 6.0


def held(text: str) -> frozenset[str]:
    return frozenset(terms(text))


def test_a_line_with_all_the_words_holds_everything() -> None:
    asked = wanted(
        "Which invoice was issued for web hosting?", {"invoic": 5.0, "issu": 4.0, "web": 3.0, "host": 5.0}, RAREST
    )
    assert asked.share(held("The invoice issued for our web hosting is AV-88395.")) == 1.0


def test_words_count_by_how_rare_they_are() -> None:
    asked = wanted("flour for pretzels", {"flour": 2.0}, RAREST)
    assert asked.share(held("448 grams of flour")) == pytest.approx(2 / 8)
    assert asked.share(held("448 grams of flour"), power=2) == pytest.approx(4 / 40)


def test_a_word_around_the_line_counts_half() -> None:
    asked = wanted("flour for pretzels", {"flour": 2.0}, RAREST)
    assert asked.share(held("448 grams of flour"), held("Those pretzels!")) == pytest.approx((2 + 3) / 8)


def test_a_word_that_may_stand_for_it_counts_half() -> None:
    asked = wanted("Which pets are ill?", {"ill": 2.0}, RAREST)
    assert asked.share(held("The hamster is ill")) == pytest.approx((2 + 3) / 8)
    assert asked.share(held("The dishwasher is ill")) == pytest.approx(2 / 8)


def test_a_date_is_no_word_that_was_never_said() -> None:
    asked = wanted("What did I buy in Tromsø in August 2023?", {"buy": 2.0}, RAREST)
    assert asked.unseen == asked.names == {"tromsø"}


def test_names_and_long_numbers_are_names_and_the_first_word_is_none() -> None:
    assert wanted("Status of order 7731 for Ilse, 2 pieces", {}, RAREST).names == {"7731", "ils"}


def test_words_that_only_ask_weigh_little() -> None:
    asked = wanted("How many weddings?", {}, RAREST)
    assert asked.weights == {"mani": pytest.approx(0.3 * RAREST), "wed": RAREST}
    assert wanted("哪些婚禮？", {}, RAREST).weights["婚礼"] == RAREST


def test_left_out_terms_are_not_wanted() -> None:
    assert wanted("Where does Melanie swim?", {}, RAREST, without=["melani"]).weights.keys() == {"swim"}


def test_the_question_is_quoted_in_its_own_words() -> None:
    asked = wanted("Which dumplings did Ilse's children like?", {}, RAREST)
    assert asked.quoted(frozenset({"children", "dumpl"})) == "'dumplings', 'children'"


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=80))
def test_a_share_is_between_nothing_and_everything_and_grows_with_what_is_held(
    question: str, line: str, more: str
) -> None:
    asked = wanted(question, {}, RAREST)
    less = asked.share(held(line))
    assert 0.0 <= less <= asked.share(held(line) | held(more)) <= 1.0 + 1e-9
    assert less <= asked.share(held(line), held(more)) + 1e-9
