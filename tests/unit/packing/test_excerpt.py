from __future__ import annotations

import json
import random
from time import perf_counter

from everyword.packing.excerpt import ROOM, excerpt, joined
from everyword.text.tokens import EstimateCounter
from everyword.text.words import query_terms

TOKENS = EstimateCounter()


def shown(text: str, question: str, spans: list[tuple[int, int]] | None = None) -> list[str]:
    """Return the pieces that are shown, where every term of the question is equally rare."""
    found = excerpt(text, spans or [(0, len(text))], dict.fromkeys(query_terms(question), 3.0))
    return [text[start:stop] for start, stop in found]


def size(pieces: list[str]) -> int:
    return sum(TOKENS.count(piece) for piece in pieces)


def test_the_line_with_the_number_comes_out_of_a_long_tool_result() -> None:
    draw = random.Random(7)
    lines = [f"row {n}: pump P-{draw.randint(1000, 9999)} runs at {draw.randint(10, 99)} percent" for n in range(150)]
    lines[97] = "row 97: quote Q-20517 for the valve is 646,000 without tax"
    text = "\n".join(lines)
    assert TOKENS.count(text) > 1400
    pieces = shown(text, "How much is quote Q-20517 for the valve?")
    assert any("646,000" in piece for piece in pieces)
    assert size(pieces) <= ROOM + len(pieces)


def test_a_line_without_an_end_is_cut_between_words_and_numbers() -> None:
    draw = random.Random(7)
    rows = [{"id": draw.randint(10_000, 99_999), "total": draw.randint(100_000, 999_999)} for _ in range(200)]
    rows[120] = {"id": 20517, "total": 646000}
    for text in (json.dumps(rows), json.dumps(rows, separators=(",", ":"))):
        pieces = shown(text, "total of 20517")
        assert any("646000" in piece and "20517" in piece for piece in pieces)
        assert size(pieces) <= ROOM + len(pieces)


def test_chinese_counts_by_the_character() -> None:
    text = "".join(f"第{number}項的交期是十二月{number}日，付款條件另議。" for number in range(120))
    pieces = shown(text, "第87項的交期")
    assert any("第87項" in piece for piece in pieces)
    assert size(pieces) <= ROOM + len(pieces)
    endless = "甲乙丙丁" * 500 + "今年的預算是六百萬" + "戊己庚辛" * 500
    pieces = shown(endless, "預算六百萬")
    assert "".join(pieces).count("六百萬") == 1
    assert size(pieces) <= ROOM + len(pieces)


def test_only_the_found_passages_are_looked_at() -> None:
    text = "The coin is silver. " * 40 + "The coin is gold. " + "The rain fell. " * 40
    start = text.index("The rain")
    assert all("rain" in piece for piece in shown(text, "coin", [(start, start + 200)]))


def test_sentences_that_touch_are_one_span_and_gaps_are_two() -> None:
    text = "I saw a coin. It was a gold coin. " + "It rained for days on end. " * 60 + "The coin was sold."
    pieces = shown(text, "gold coin")
    assert [piece.strip() for piece in pieces] == ["I saw a coin. It was a gold coin.", "The coin was sold."]


def test_the_point_of_an_abbreviation_ends_no_sentence() -> None:
    text = "It rained. " * 60 + "The key is with Mrs. Chou, i.e. in No. 7 of St. John's lane. " + "It rained. " * 60
    assert (
        "".join(shown(text, "Who has the key?")).strip()
        == "The key is with Mrs. Chou, i.e. in No. 7 of St. John's lane."
    )


def test_rare_terms_are_worth_more_than_frequent_ones() -> None:
    text = "We went home by bus that day. " * 40 + "Bus home, bus home, went home. The xylophone stayed. " * 1
    found = excerpt(text, [(0, len(text))], {"bus": 0.1, "home": 0.1, "xylophon": 5.0}, room=12)
    assert [text[start:stop].strip() for start, stop in found] == ["The xylophone stayed."]


def test_something_is_shown_where_no_term_occurs() -> None:
    assert shown("It rained. " * 200, "coin") == ["It rained. "]


def test_spans_that_touch_or_overlap_are_joined() -> None:
    text = "one two  three four"
    assert joined(text, [(9, 14), (0, 3), (4, 9)]) == ((0, 14),)
    assert joined(text, [(0, 3), (9, 19), (12, 14)]) == ((0, 3), (9, 19))
    assert joined(text, []) == ()


def test_a_message_of_five_megabytes_takes_no_time() -> None:
    text = '{"a":1},' * 650_000
    started = perf_counter()
    excerpt(text, [(2_000_000, 2_001_000), (2_000_900, 2_001_900)], {"a": 1.0})
    assert perf_counter() - started < 5
