from __future__ import annotations

from everyword.text.related import related, stand_ins


def _terms(question: str) -> set[str]:
    return {term for each in related(question) for group in (each.synonyms, each.members) for term in group}


def test_a_kind_leads_to_its_members() -> None:
    found = _terms("Which pets does Ana have?")
    assert {"dog", "cat", "hamster"} <= found
    assert "小狗" in found


def test_a_member_does_not_lead_back_to_its_kind() -> None:
    assert "pet" not in {term for each in related("What is my hamster called?") for term in each.members}


def test_words_that_stand_for_each_other_are_synonyms() -> None:
    (kid,) = [each for each in related("What do my kids like?") if "daughter" in each.synonyms]
    assert "children" in kid.synonyms


def test_a_word_is_found_in_any_of_its_forms() -> None:
    assert "swim" in _terms("What activities does she do?")


def test_a_chinese_word_is_found_in_either_script() -> None:
    traditional, simplified = _terms("我有哪些寵物？"), _terms("我有哪些宠物？")
    assert traditional == simplified
    assert "金鱼" in traditional
    assert "dog" in traditional


def test_a_single_character_stands_for_every_pair_that_begins_with_it() -> None:
    groups = [group for each in related("我有哪些寵物？") for group in (each.synonyms, each.members)]
    assert any(group.get("狗") for group in groups)


def test_a_word_within_a_longer_one_is_not_meant() -> None:
    sports = {term for each in related("我喜歡什麼運動？") for term in each.members}
    shoes = {term for each in related("我的運動鞋在哪裡買的？") for term in each.members}
    assert "篮球" in sports
    assert "篮球" not in shoes


def test_the_words_of_the_question_are_not_repeated() -> None:
    assert "dog" not in _terms("Which pets does Ana have besides the dog?")


def test_a_question_without_known_words_has_none() -> None:
    assert related("Zorblax?") == []
    assert related("") == []


def test_each_term_of_a_question_has_its_own_stand_ins() -> None:
    found = stand_ins("Which pets does my mother have?")
    assert "hamster" in found["pet"]
    assert "mum" in found["mother"]
    assert "hamster" not in found["mother"]
    assert "have" not in found


def test_every_pair_of_a_chinese_word_has_the_stand_ins_of_the_word() -> None:
    found = stand_ins("我的寵物叫什麼？")
    assert "小狗" in found["宠物"]
    assert "什么" not in found
