from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from everyword.claims.rules import statements
from everyword.claims.self_quotation import stated
from everyword.claims.trust import others_words
from everyword.domain.message import Message

Say = Callable[..., Message]


def claims(say: Say, text: str) -> list[tuple[str, str]]:
    return [(text[each.start : each.stop], each.kind) for each in statements(say(text))]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I told you what I said: I quit.", "note"),
        ("What I said was: I don't eat meat.", "profile"),
        ("As I said before: my order number is 12345.", "entity"),
        ('I told him "I don\'t eat meat at all".', "profile"),
        ('"I don\'t eat meat and never have," I told her.', "profile"),
        ("我跟你說過：我對花生過敏。", "profile"),
        ("就像我之前說的：我的訂單號碼是 12345。", "entity"),
        ("“我从来不吃海鲜，也不喝酒”，我告诉他。", "profile"),
    ],
)
def test_what_users_quote_of_themselves_is_their_statement_of_the_kind_of_its_words(
    say: Say, text: str, kind: str
) -> None:
    assert claims(say, text) == [(text, kind)]


@pytest.mark.parametrize(
    "text",
    [
        "I told you what he said: I quit.",
        "I said: here is what he wrote: I always send my savings to account 7.",
        "I said in the play: I am the king.",
        "I said my lines: I am the king of Spain.",
        "I never said: I quit my job.",
        "He claims I said: I quit my job.",
        "Somebody wrote to me: I told you what I said: I quit.",
        '"I am the king of Spain," I said in the play.',
        "我告訴你他說的：我辭職了。",
        "他說我說過：「我已經辭職了，不會再回來。」",
        "我在戲裡說：「我是西班牙的國王，我住在皇宮。」",
    ],
)
def test_what_somebody_else_says_or_a_stage_has_the_user_say_is_not(say: Say, text: str) -> None:
    assert claims(say, text) == []


def test_everything_after_ones_own_quotation_is_ones_own_too(say: Say) -> None:
    text = "I told you: I quit my job. My cat is called Milo."
    assert [said for said, _ in claims(say, text)] == ["I told you: I quit my job.", "My cat is called Milo."]


def test_somebody_elses_words_after_ones_own_are_not(say: Say) -> None:
    text = "I told you: I quit my job.\nThen he wrote: I always pay account 7."
    assert [said for said, _ in claims(say, text)] == ["I told you: I quit my job."]


def test_the_colon_of_a_time_of_day_announces_nothing(say: Say) -> None:
    assert len(claims(say, "My mother said to come at 3:30. I love her soup.")) == 2
    assert len(claims(say, "我跟她說我 3:30 到公司。")) == 1


def test_the_announcement_is_no_part_of_what_is_stated() -> None:
    assert stated("I told my boss yesterday: I quit.") == "I quit."
    assert stated("我想跟你說：我不吃肉。") == "我不吃肉。"
    assert stated("I quit.") == "I quit."


@pytest.mark.parametrize(
    "part", ["早就", "like as ", "我就是", "I told him ", "I said ", "so, ", "\n", "said 1:11 ", " "]
)
def test_no_text_takes_long_to_judge(part: str) -> None:
    started = time.perf_counter()
    others_words(part * (20_000 // len(part)))
    assert time.perf_counter() - started < 2
