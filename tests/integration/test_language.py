from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from everyword import Memory
from everyword.testing.word_embedder import WordEmbedder

MESSAGES = {
    "zh-Hant": ("昨天在臺北車站遇到一位計程車司機，他說颱風要來了。", "計程車"),
    "zh-Hans": ("上个月我在图书馆借了三本关于蚂蚁的书。", "图书馆"),
    "ja": ("週末に京都で抹茶アイスを食べました。", "抹茶"),
    "ja katakana": ("新しいｺﾝﾋﾟｭｰﾀを買った。", "コンピュータ"),
    "ko": ("어제 할머니가 보내 주신 김치를 먹었어요.", "김치"),
    "es": ("El señor Núñez reservó una mesa en el jardín.", "jardin"),
    "de": ("Die Straße zum Flughafen ist gesperrt.", "STRASSE"),
    "fr": ("J’ai oublié l’ordonnance à l’hôpital.", "hopital"),
    "ru": ("Мой дядя купил ещё один красный самовар.", "самовары"),
    "ar": ("اشتريتُ كِتَابًا عن تاريخ الأندلس.", "كتابا"),
    "he": ("קניתי לֶחֶם טרי במאפייה.", "לחם"),
    "th": ("เมื่อวานฉันซื้อมะม่วงที่ตลาดน้ำ", "มะม่วง"),
    "hi": ("कल मैंने बाज़ार से हरी सब्ज़ियाँ खरीदीं।", "बाज़ार"),
    "el": ("Ο γιατρός είπε να ξεκουραστώ.", "γιατρος"),
    "emoji": ("Grandma's birthday 🎂 is at the lake 👩‍👩‍👧‍👦🏳️‍🌈", "🎂"),
    "right to left": ("\u202eabc\u202c the code is ZX-81", "zx"),
    "mixed": ("我用 iPhone15 拍了 Ａ４ 大小的照片", "iphone15"),
}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path, embedder=WordEmbedder()) as opened:
        for name, (text, _) in MESSAGES.items():
            opened.add({"role": "user", "content": text, "name": name}, user_id="ana", session_id=name)
        yield opened


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_of_any_language_is_kept_to_the_byte_and_found_by_a_word(memory: Memory, name: str) -> None:
    text, word = MESSAGES[name]
    best = memory.search(word, user_id="ana", mode="lexical")[0]
    assert best.text == text
    stored = memory.get(best.id, user_id="ana")
    assert stored.payload == json.dumps({"role": "user", "content": text, "name": name}, ensure_ascii=False).encode()
    assert text in memory.context(word, user_id="ana").text


def test_a_traditional_question_finds_simplified_words_and_the_other_way_round(memory: Memory) -> None:
    assert memory.search("圖書館的書", user_id="ana", mode="lexical")[0].text == MESSAGES["zh-Hans"][0]
    assert memory.search("计程车司机", user_id="ana", mode="lexical")[0].text == MESSAGES["zh-Hant"][0]


def test_words_are_shown_as_they_were_written(memory: Memory) -> None:
    packed = memory.context("圖書館 计程车", user_id="ana").memory_text
    assert MESSAGES["zh-Hans"][0] in packed
    assert MESSAGES["zh-Hant"][0] in packed


def test_a_single_character_is_found(memory: Memory) -> None:
    assert memory.search("蚂", user_id="ana", mode="lexical")[0].text == MESSAGES["zh-Hans"][0]
    assert memory.search("螞", user_id="ana", mode="lexical")[0].text == MESSAGES["zh-Hans"][0]
