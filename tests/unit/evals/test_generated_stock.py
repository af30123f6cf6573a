from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

import pytest

from everyword.errors import InvalidInputError
from everyword.evals.generated import asides, needles, sets, temporal, updates
from everyword.evals.generated.chatter import count, decoys, every_clause, every_sentence, talk
from everyword.evals.generated.grammar import capital, filled, seeded, values, variants
from everyword.evals.generated.stock import LANGUAGES, ROLES, known_language, rows, simplified, stock
from everyword.text.clauses import LEAST_WORDS, clauses, words
from everyword.text.words import query_terms, terms

FILES = ("chatter", "common", "asides", "needles", "updates", "sets", "temporal", "preferences")
CHINESE = ("zh-Hant", "zh-Hans")
HAN = re.compile(r"[\u3400-\u9fff]|[A-Za-z0-9.,_\-]+")
MOST_CLAUSES = 40_000


def aside_rows(language: str) -> list[list[str]]:
    return [row for role in ROLES for row in rows(stock(language, "asides")[role])]


def text_of(language: str) -> str:
    return "\n".join(_leaves(stock(language, name)) for name in FILES)


def _leaves(node: object) -> str:
    if isinstance(node, dict):
        return "\n".join(map(_leaves, node.values()))
    return "\n".join(map(_leaves, node)) if isinstance(node, list) else str(node)


@cache
def characters(table: str) -> dict[str, list[str]]:
    """The conversions of single characters that OpenCC publishes."""
    lines = files("opencc").joinpath(f"dictionary/{table}.txt").read_text("utf-8").splitlines()
    pairs = (line.split("\t") for line in lines)
    return {first: others.split(" ") for first, others in pairs if len(first) == 1}


def is_in_big5(character: str) -> bool:
    try:
        character.encode("big5")
    except UnicodeEncodeError:
        return False
    return True


def plain_sentences(language: str) -> frozenset[str]:
    """The talk without decoys, which are near to questions on purpose."""
    return every_sentence(language) - {one for role in ROLES for one in decoys(language, role)}


def questions(language: str) -> list[str]:
    """The questions of every kind that is asked about single facts or sets."""
    random = seeded("questions", language)
    units = [unit for kind in (needles, asides, updates, sets, temporal) for unit in kind.units(language, random)]
    return [asked.text for unit in units for asked in unit.asked]


# ---- asides ----


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_sixty_asides_and_more_and_some_of_every_role(language: str) -> None:
    found = aside_rows(language)
    assert len(found) >= 100
    assert all(len(rows(stock(language, "asides")[role])) >= 30 for role in ROLES)
    assert len({row[0] for row in found}) == len(found)
    assert all(len(row) == 6 and all(row) for row in found)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_question_in_other_words_shares_no_index_term_with_its_aside(language: str) -> None:
    assert not [row[:3] for row in aside_rows(language) if set(terms(row[0])) & set(terms(row[2]))]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_question_in_the_same_words_shares_terms_with_its_aside(language: str) -> None:
    assert not [row[:2] for row in aside_rows(language) if not set(terms(row[0])) & set(query_terms(row[1]))]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_question_in_other_words_has_terms_of_its_own(language: str) -> None:
    assert not [row[2] for row in aside_rows(language) if not query_terms(row[2])]


def test_an_english_aside_has_six_to_fifteen_words() -> None:
    assert not [row[0] for row in aside_rows("en") if not 6 <= len(row[0].split()) <= 15]


@pytest.mark.parametrize("language", CHINESE)
def test_a_chinese_aside_has_eight_to_twenty_five_characters(language: str) -> None:
    assert not [row[0] for row in aside_rows(language) if not 8 <= len(HAN.findall(row[0])) <= 25]


# ---- scripts ----


def test_simplified_text_has_no_character_that_only_traditional_text_has() -> None:
    only = {first for first, others in characters("TSCharacters").items() if first not in others}
    assert not set(text_of("zh-Hans")) & only


def test_traditional_text_has_no_character_that_only_simplified_text_has() -> None:
    only = {first for first, others in characters("STCharacters").items() if first not in others}
    assert not {each for each in set(text_of("zh-Hant")) & only if not is_in_big5(each)}


@pytest.mark.parametrize("name", FILES)
def test_both_scripts_have_the_same_lines(name: str) -> None:
    traditional, simple = (_leaves(stock(language, name)).splitlines() for language in CHINESE)
    assert len(traditional) == len(simple)
    assert [line.count("{") for line in traditional] == [line.count("{") for line in simple]


@pytest.mark.parametrize(
    ("traditional", "simple"),
    [
        ("我把投影片存在資料夾裡，印表機在旁邊。", "我把幻灯片存在文件夹里，打印机在旁边。"),
        ("他牽著腳踏車，計程車停在檔案室前。", "他牵着自行车，出租车停在档案室前。"),
        ("影片、網路和軟體", "视频、网络和软件"),
    ],
)
def test_simplified_text_has_the_words_of_the_mainland(traditional: str, simple: str) -> None:
    assert simplified(traditional) == simple


def test_an_unknown_language_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidInputError, match="'fr': choose one of en, zh-Hant, zh-Hans"):
        known_language("fr")


# ---- talk ----


@pytest.mark.parametrize("language", LANGUAGES)
def test_talk_is_made_of_a_finite_stock_of_clauses(language: str) -> None:
    stock_of_clauses = every_clause(language)
    assert len(every_sentence(language)) > 5_000
    assert len(stock_of_clauses) <= MOST_CLAUSES
    random = seeded("finite", language)
    for _ in range(8):
        for _, text in talk(language, random, 3_000):
            said = {text[start:end].strip() for start, end in clauses(text)}
            assert said <= stock_of_clauses


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_of_talk_is_a_clause_at_least(language: str) -> None:
    assert not [one for one in every_sentence(language) if words(one) < LEAST_WORDS]


@pytest.mark.parametrize("language", LANGUAGES)
def test_sessions_of_talk_differ(language: str) -> None:
    random = seeded("differ", language)
    found = [text for _ in range(40) for _, text in talk(language, random, 2_000)]
    long = [text for text in found if words(text) > 60]
    assert len(long) > 200
    assert len(set(long)) == len(long)


@pytest.mark.parametrize("language", LANGUAGES)
def test_talk_avoids_the_words_that_would_answer_an_aside(language: str) -> None:
    said = {one: set(terms(one)) for one in plain_sentences(language)}
    for aside, guards in asides.guards(language):
        for guard in guards:
            if language == "en":
                wanted = set(terms(guard))
                assert not [one for one, found in said.items() if wanted <= found], (aside, guard)
            else:
                assert not [one for one in said if guard in one], (aside, guard)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_of_talk_has_all_the_words_of_a_question(language: str) -> None:
    said = [set(terms(one)) for one in plain_sentences(language)]
    asked = [(text, set(query_terms(text))) for text in questions(language)]
    assert len(asked) > 400
    assert not [text for text, wanted in asked if len(wanted) > 1 and any(wanted <= found for found in said)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_decoy_has_not_all_the_words_of_a_question(language: str) -> None:
    said = [set(terms(one)) for role in ROLES for one in decoys(language, role)]
    asked = [(text, set(query_terms(text))) for text in questions(language)]
    assert not [text for text, wanted in asked if len(wanted) > 2 and any(wanted <= found for found in said)]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("tokens", [40, 150, 900, 4_000])
def test_a_session_of_talk_is_about_as_long_as_asked(language: str, tokens: int) -> None:
    random = seeded("length", language, tokens)
    for _ in range(20):
        found = sum(count(text) for _, text in talk(language, random, tokens))
        assert tokens - 60 <= found <= 1.1 * tokens + 60


# ---- grammar ----


def test_a_frame_has_every_variant_until_there_are_too_many() -> None:
    assert variants("a {b|c} {d|e|d}.", 12) == ("a b d.", "a b e.", "a c d.", "a c e.")
    few = variants("{a|b|c}{d|e|f}{g|h|i}{j|k|l}", 10)
    assert len(few) == len(set(few)) == 10
    assert few == variants.__wrapped__("{a|b|c}{d|e|f}{g|h|i}{j|k|l}", 10)


def test_a_filled_frame_begins_with_a_capital() -> None:
    assert filled("{thing} costs {value}.", thing="the ferry", value="3") == "The ferry costs 3."
    assert capital("(the end)") == "(The end)"
    assert capital("3 ships") == "3 ships"


@pytest.mark.parametrize("kind", ["#code", "#time", "#serial", "#number:3-60", "#weekday", "a; b; c; d; e; f"])
def test_values_do_not_repeat(kind: str) -> None:
    found = values(kind, "en", seeded(kind))
    six = [next(found) for _ in range(6)]
    assert len(set(six)) == 6


def test_a_kind_of_value_that_is_unknown_is_an_error_of_ours() -> None:
    with pytest.raises(ValueError, match="#colour"):
        next(values("#colour", "en", seeded(1)))
