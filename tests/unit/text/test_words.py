from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everyword.text.words import STOP_WORDS, fold, query_terms, terms

ANY_TEXT = st.text(st.characters(exclude_categories=[]))
SPELLINGS = st.text(st.sampled_from("aZé\u0301ßİŁ’“…½²№☎カガか゛か\u3099ﾀ東東臺台乾ＡＢ１２。，！㎏"))
WRITTEN = st.text(st.sampled_from("aZst'dn,.5807 -_/(\n\t\x1f"))


@pytest.mark.parametrize(
    "text, expected",
    [
        ("The doctors visited", ["doctor", "visit"]),
        ("CAFÉ naïve Straße", ["cafe", "naiv", "strass"]),
        ("Ana's dog, Ana’s cat", ["ana", "dog", "ana", "cat"]),
        ("l’hôpital, d'Artagnan, O'Brien's", ["hopit", "artagnan", "brien"]),
        ("don't you'll aujourd'hui", ["aujourd", "hui"]),
        ("1,280 dollars and 3.14", ["1280", "dollar", "3.14"]),
        ("in 2024. Then 5,6, .7 and 8.", ["2024", "56", "7", "8"]),
        ('{"total":12,"id":"a1b2"}', ["total", "12", "id", "a1", "b2"]),
        ("ＡＢＣ１２３", ["abc123"]),
        ("職業", ["职业", "业"]),
        ("今天去郵局", ["今天", "天去", "去邮", "邮局", "局"]),
        ("東京タワー", ["东京", "京タ", "タワ", "ワー", "ー"]),
        ("ﾀﾜｰ", ["タワ", "ワー", "ー"]),
        ("안녕하세요", ["안녕", "녕하", "하세", "세요", "요"]),
        ("книга книги", ["книг", "книг"]),
        ("красный красная", ["красн", "красн"]),
        ("ещё еще", ["ещ", "ещ"]),
        ("كِتَاب كتاب", ["كتاب", "كتاب"]),
        ("أحمد احمد", ["احمد", "احمد"]),
        ("שָׁלוֹם", ["שלום"]),
        ("பழம்", ["பழம்"]),
        ("বাংলা", ["বাংলা"]),
        ("🎂👩‍👩‍👧", ["🎂", "👩", "👩", "👧"]),
        ("👍🏽", ["👍"]),
        ("the of and", []),
        ("… — ,;", []),
        ("", []),
    ],
)
def test_terms_are_the_words_that_a_search_compares(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    "one, other",
    [
        ("計程車司機的電話號碼", "计程车司机的电话号码"),
        ("臺灣", "台湾"),
        ("HTML5", "ｈｔｍｌ５"),
        ("École", "école"),
        ("が", "か\u3099"),
    ],
)
def test_spellings_of_one_word_have_the_same_terms(one: str, other: str) -> None:
    assert terms(one) == terms(other)


def test_words_of_a_spaced_script_behind_the_unspaced_ones_stay_whole() -> None:
    assert terms("საქართველო და თბილისი") == ["საქართველო", "და", "თბილისი"]
    assert terms("𐂀A") == ["𐂀a"]


def test_a_single_character_of_an_unspaced_script_asks_for_all_that_begins_with_it() -> None:
    assert query_terms("貓") == {"猫": True}
    assert query_terms("貓咪") == {"猫咪": False}
    assert query_terms("a 貓 b") == {"猫": True, "b": False}


@given(ANY_TEXT)
def test_any_text_has_terms_that_hold_nothing_a_tokenizer_splits(text: str) -> None:
    for term in terms(text):
        assert term
        assert not any(character.isspace() or character == '"' for character in term)
        assert term not in STOP_WORDS


@given(ANY_TEXT)
def test_a_question_asks_only_for_what_the_same_text_has(text: str) -> None:
    found = set(terms(text))
    for term, is_prefix in query_terms(text).items():
        assert term in found or (is_prefix and any(each.startswith(term) for each in found))


@given(ANY_TEXT)
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert terms(fold(text)) == terms(text)


@given(ANY_TEXT | SPELLINGS)
def test_a_text_folds_the_same_beside_a_letter_of_another_script(text: str) -> None:
    assert fold(f"{text}ก") == f"{fold(text)}ก"


@given(WRITTEN)
def test_ascii_has_the_same_terms_beside_a_letter_of_another_script(text: str) -> None:
    assert terms(f"{text} ก") == [*terms(text), "ก"]


def test_to_have_won_is_a_word_and_what_one_will_not_do_is_none() -> None:
    assert terms("Who won? Don won.") == ["won", "don", "won"]
    assert terms("I won't, they don't and we won’t.") == []
