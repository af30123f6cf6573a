"""The conversation of the lab: its lengths, its six facts, and that it is a conversation and not padding."""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

FACT_TURNS = [1, 3, 8, 12, 18, 24]
TURNS = 120
SAME_RUN = 12
OTHER_WORDS = {
    1: ["沈", "以寧"],
    3: ["20817364", "HR"],
    8: ["6800", "六千八", "六八零零"],
    12: ["青禾", "218", "台中", "臺中", "西屯", "樓之"],
    18: ["甲殼", "蝦", "蟹", "海鮮", "帶殼", "香菜", "芫荽"],
    24: ["三聯", "二聯", "統編", "統一編號", "抬頭"],
}
NOT_TAIWAN = [
    "視頻",
    "信息",
    "軟件",
    "屏幕",
    "網絡",
    "短信",
    "快遞",
    "質量問題",
    "打印",
    "鏈接",
    "賬",
    "裏",
    "着",
    "爲",
]


@pytest.fixture(scope="module")
def script(project: Path) -> dict[str, Any]:
    return json.loads((project / "src/everyword/lab/script.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def messages(script: dict[str, Any]) -> list[dict[str, Any]]:
    return script["messages"]


@pytest.fixture(scope="module")
def lengths(messages: list[dict[str, Any]]) -> list[int]:
    """Whole tokens of each message."""
    return [quarters(message["text"]) // 4 for message in messages]


@pytest.fixture
def vector(data_folder: Path) -> list[int]:
    """The message lengths that meet every figure of the article at once."""
    path = data_folder / "context_lab" / "message_tokens.txt"
    if not path.is_file():
        reason = f"no message lengths at {path}: set EVERYWORD_TEST_DATA"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    return [int(word) for word in path.read_text("utf-8").split()]


def quarters(text: str) -> int:
    """Count quarters of a token: Han 4, a word 4, three digits 4, any other mark 1, space 0; read letter by letter."""
    count, kind, digits = 0, "", 0
    for character in text:
        before, kind = kind, _kind(character)
        digits = digits + 1 if kind == before == "digit" else 1
        if kind == "han" or (kind == "letter" and before != "letter") or (kind == "digit" and digits % 3 == 1):
            count += 4
        elif kind == "mark":
            count += 1
    return count


def _kind(character: str) -> str:
    if "一" <= character <= "鿿":
        return "han"
    if character.isspace():
        return "space"
    if character.isascii() and character.isalpha():
        return "letter"
    return "digit" if character.isascii() and character.isdigit() else "mark"


def newest(lengths: list[int], limit: int) -> int:
    """Sum the newest messages that fit."""
    total = 0
    for length in reversed(lengths):
        if total + length > limit:
            break
        total += length
    return total


def runs(text: str) -> set[str]:
    """Return every run of letters of the length that may not occur twice, marks left out."""
    letters = "".join(character for character in text if character.isalnum())
    return {letters[at : at + SAME_RUN] for at in range(len(letters) - SAME_RUN + 1)}


def table(name: str) -> list[tuple[str, list[str]]]:
    """Read a table of OpenCC: a character, and what it may become."""
    lines = files("opencc").joinpath(f"dictionary/{name}.txt").read_text("utf-8").splitlines()
    return [(key, values.split(" ")) for key, _, values in (line.partition("\t") for line in lines) if len(key) == 1]


def simplified_only() -> set[str]:
    """Return characters that OpenCC never leaves as they are in Traditional Chinese, save those that Taiwan prefers."""
    preferred = {value for _, values in table("TWVariants") for value in values}
    return {key for key, values in table("STCharacters") if key not in values} - preferred


def sentences(texts: Iterable[str]) -> Counter[str]:
    marks = str.maketrans(dict.fromkeys("，；：？！\n", "。"))
    return Counter(part for text in texts for part in text.translate(marks).split("。") if len(part) >= SAME_RUN)


def test_the_estimator_of_this_test_counts_as_the_article_says():
    counted = {text: quarters(text) / 4 for text in ("你好", "hello world", "12345", "，。", "  \n", "HR-20817364")}
    assert counted == {"你好": 2, "hello world": 2, "12345": 2, "，。": 0.5, "  \n": 0, "HR-20817364": 4.25}


def test_a_turn_is_a_message_of_the_user_and_one_of_the_assistant(messages: list[dict[str, Any]]):
    assert [(message["turn"], message["role"]) for message in messages] == [
        (turn, role) for turn in range(1, TURNS + 1) for role in ("user", "assistant")
    ]
    assert all(list(message) == ["turn", "role", "text"] for message in messages)


def test_every_message_is_a_whole_number_of_tokens(messages: list[dict[str, Any]]):
    assert [message["turn"] for message in messages if quarters(message["text"]) % 4] == []


def test_every_message_is_as_long_as_the_vector_says(lengths: list[int], vector: list[int]):
    assert lengths == vector


def test_the_totals_are_those_of_the_article(lengths: list[int]):
    turns = [sum(lengths[at : at + 2]) for at in range(0, len(lengths), 2)]
    assert (len(lengths), sum(lengths), round(sum(lengths) / TURNS)) == (240, 48_250, 402)
    assert (sum(turns[:37]), sum(turns[:75]), sum(lengths[-12:])) == (15_825, 30_757, 2_304)


@pytest.mark.parametrize(("limit", "kept"), [(32_768 - 180, 32_425), (16_384 - 180, 16_195)])
def test_the_newest_messages_that_fit_sum_to_the_single_input_of_the_article(lengths: list[int], limit: int, kept: int):
    assert newest(lengths, limit) == kept


@pytest.mark.parametrize(("window", "turns"), [(4_096, 9), (8_192, 19), (16_384, 39), (32_768, 77)])
def test_a_window_holds_as_many_whole_turns_as_the_article_says(lengths: list[int], window: int, turns: int):
    assert sum(lengths[: 2 * turns]) <= window - 180 < sum(lengths[: 2 * turns + 2])


def test_the_six_facts_are_in_user_messages_at_their_turns(script: dict[str, Any]):
    said = {message["turn"]: message["text"] for message in script["messages"] if message["role"] == "user"}
    assert [fact["turn"] for fact in script["facts"]] == FACT_TURNS
    assert [fact["label"] for fact in script["facts"]] == ["姓名", "訂單編號", "預算", "收貨地址", "忌口", "發票類型"]
    for fact in script["facts"]:
        assert list(fact) == ["turn", "label", "text", "probe", "keys"]
        assert fact["keys"]
        assert all(key in said[fact["turn"]] and key in fact["text"] for key in fact["keys"]), fact["label"]
        assert not any(key in fact["probe"] for key in fact["keys"]), fact["label"]


@pytest.mark.parametrize("turn", FACT_TURNS)
def test_nobody_says_a_fact_but_the_user_at_its_turn(script: dict[str, Any], turn: int):
    keys = next(fact["keys"] for fact in script["facts"] if fact["turn"] == turn)
    said_again = [
        (message["turn"], message["role"], word)
        for message in script["messages"]
        for word in {*keys, *OTHER_WORDS[turn]}
        if word in message["text"] and (message["turn"], message["role"]) != (turn, "user")
    ]
    assert said_again == []


def test_no_two_messages_share_a_long_run_of_words(messages: list[dict[str, Any]]):
    places: dict[str, list[int]] = defaultdict(list)
    for at, message in enumerate(messages):
        for run in runs(message["text"]):
            places[run].append(at)
    assert {run: found for run, found in places.items() if len(found) > 1} == {}


def test_no_clause_of_any_length_is_said_twice(messages: list[dict[str, Any]]):
    counted = sentences(message["text"] for message in messages)
    assert [clause for clause, count in counted.items() if count > 1] == []


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_no_opening_is_a_formula(messages: list[dict[str, Any]], role: str):
    openings = Counter(message["text"][:3] for message in messages if message["role"] == role)
    assert openings.most_common(1)[0][1] <= 2


def test_the_script_is_written_in_traditional_characters_only(script: dict[str, Any]):
    written = set(json.dumps(script, ensure_ascii=False))
    assert script["language"] == "zh-Hant"
    assert sorted(written & simplified_only()) == []


def test_the_words_are_those_of_taiwan(messages: list[dict[str, Any]]):
    assert [(message["turn"], word) for message in messages for word in NOT_TAIWAN if word in message["text"]] == []


def test_letters_and_digits_never_touch_so_that_every_estimator_splits_them_alike(messages: list[dict[str, Any]]):
    kinds = [[_kind(character) for character in message["text"]] for message in messages]
    pairs = Counter(pair for kind in kinds for pair in zip(kind, kind[1:], strict=False))
    assert pairs["letter", "digit"] == pairs["digit", "letter"] == 0


def test_topics_move_on(messages: list[dict[str, Any]]):
    first = {
        word: next((message["turn"] for message in messages if word in message["text"]), TURNS + 1)
        for word in ("冷凍庫", "鑑賞期", "路由器", "點數", "墊圈", "除垢", "年菜", "回收", "延保", "年配", "除夕")
    }
    assert all(turn <= TURNS for turn in first.values()), first
    assert len({turn // 10 for turn in first.values()}) >= 6, first
