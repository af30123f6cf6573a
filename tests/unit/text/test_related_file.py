from __future__ import annotations

import re
from collections import Counter
from importlib.resources import files
from typing import NamedTuple

import pytest

from everyword.text.words import STOP_WORDS, fold, stem

MOST_WORDS = 32
"""Words of one language on one side of a line: more would drown the question's own words."""
ENGLISH = re.compile(r"[a-z0-9]*[a-z][a-z0-9]*|[0-9]{3}")
CHINESE = re.compile(r"[\u4e00-\u9fff]{1,4}")


class Words(NamedTuple):
    english: list[str]
    chinese: list[str]

    def all(self) -> list[str]:
        return self.english + self.chinese


class Relation(NamedTuple):
    line: str
    heads: Words
    """Empty for words that stand for each other."""
    members: Words


def words_of(text: str) -> Words:
    english, _, chinese = text.partition("|")
    return Words(english.split(), chinese.split())


def relation_of(line: str) -> Relation:
    if line.startswith("= "):
        return Relation(line, Words([], []), words_of(line[2:]))
    heads, _, members = line.removeprefix("> ").partition(" : ")
    return Relation(line, words_of(heads), words_of(members))


def lines() -> list[str]:
    text = files("everyword.text").joinpath("related.txt").read_text("utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@pytest.fixture(scope="module")
def relations() -> list[Relation]:
    return [relation_of(line) for line in lines()]


def opencc_table(name: str) -> dict[str, list[str]]:
    lines = files("opencc").joinpath(f"dictionary/{name}.txt").read_text("utf-8").splitlines()
    return {before: after.split() for before, _, after in (line.partition("\t") for line in lines)}


def simplified_characters() -> set[str]:
    """Return the characters that only Simplified Chinese uses: no spelling of their own, neither in Taiwan."""
    taiwan = {character for forms in opencc_table("TWVariants").values() for character in forms}
    spellings = opencc_table("STCharacters")
    return {character for character, forms in spellings.items() if character not in forms} - taiwan


def test_every_line_is_a_relation_of_one_of_the_two_forms() -> None:
    side = r"(?:[^\s|:=>]+(?: [^\s|:=>]+)*)?(?: ?\| [^\s|:=>]+(?: [^\s|:=>]+)*)?"
    form = re.compile(rf"= {side}|> {side} : {side}")
    assert [line for line in lines() if not form.fullmatch(line)] == []


def test_both_forms_occur_often(relations: list[Relation]) -> None:
    assert sum(not relation.heads.all() for relation in relations) >= 350
    assert sum(bool(relation.heads.all()) for relation in relations) >= 200


def test_words_that_stand_for_each_other_are_at_least_two(relations: list[Relation]) -> None:
    assert [r.line for r in relations if r.line.startswith("=") and len(r.members.all()) < 2] == []


def test_every_kind_has_a_head_and_at_least_two_members(relations: list[Relation]) -> None:
    kinds = [r for r in relations if r.line.startswith(">")]
    assert [r.line for r in kinds if not r.heads.all() or len(r.members.all()) < 2] == []


def test_no_line_has_more_words_than_a_question_can_bear(relations: list[Relation]) -> None:
    assert [r.line for r in relations if max(map(len, (*r.heads, *r.members))) > MOST_WORDS] == []


def test_english_words_are_lower_case_letters_and_digits(relations: list[Relation]) -> None:
    english = {word for r in relations for side in (r.heads, r.members) for word in side.english}
    assert {word for word in english if not ENGLISH.fullmatch(word)} == set()


def test_english_words_are_found_by_the_index(relations: list[Relation]) -> None:
    english = {word for r in relations for side in (r.heads, r.members) for word in side.english}
    assert english & STOP_WORDS == set()


def test_chinese_words_are_one_to_four_han_characters(relations: list[Relation]) -> None:
    chinese = {word for r in relations for side in (r.heads, r.members) for word in side.chinese}
    assert {word for word in chinese if not CHINESE.fullmatch(word)} == set()


def test_chinese_words_are_written_in_traditional_script(relations: list[Relation]) -> None:
    simplified = simplified_characters()
    assert set("国猫医") <= simplified
    assert not set("國貓醫台床") & simplified
    assert fold("國貓醫") == "国猫医"
    chinese = {word for r in relations for side in (r.heads, r.members) for word in side.chinese}
    assert {word for word in chinese if simplified & set(word)} == set()


def test_no_two_lines_say_the_same(relations: list[Relation]) -> None:
    said = Counter((frozenset(r.heads.all()), frozenset(r.members.all())) for r in relations)
    assert [relation for relation, times in said.items() if times > 1] == []


def test_a_side_names_each_term_once(relations: list[Relation]) -> None:
    repeated = {}
    for relation in relations:
        for side in (relation.heads, relation.members):
            times = Counter(stem(fold(word)) for word in side.all())
            if again := [term for term, count in times.items() if count > 1]:
                repeated[relation.line] = again
    assert repeated == {}


def test_no_member_equals_its_head(relations: list[Relation]) -> None:
    same = {}
    for relation in relations:
        heads = {stem(fold(word)) for word in relation.heads.all()}
        if again := [word for word in relation.members.all() if stem(fold(word)) in heads]:
            same[relation.line] = again
    assert same == {}
