from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from everyword.claims.archive import asked_about, marked
from everyword.claims.marks import Marks
from everyword.claims.rules import statements
from everyword.claims.said_again import said_again
from everyword.claims.validity import resolved
from everyword.domain.claim import Claim
from everyword.domain.message import Message
from everyword.text.words import fold

Say = Callable[..., Message]
START = datetime(2020, 1, 1, tzinfo=UTC)


def claims(say: Say, *said: tuple[str, int]) -> tuple[Claim, ...]:
    """Return the claims of texts said on days after the start."""
    messages = [say(text, created_at=START + timedelta(days=day)) for text, day in said]
    found = [each for message in messages for each in statements(message)]
    return resolved(found, {message.seq: message for message in messages})


def archived(found: tuple[Claim, ...], marks: Marks | None = None, **more: Any) -> list[str]:
    return [each.text for each in marked(found, marks or Marks(), more.get("as_of")) if each.is_archived]


def test_each_kind_is_put_away_in_its_own_time(say: Say) -> None:
    said = [
        ("Never push to main.", 0),
        ("I love tea.", 0),
        ("My cat is black.", 0),
        ("I walked to the lake.", 0),
        ("I'm going to paint the door.", 0),
    ]
    at = {days: archived(claims(say, *said, ("I saw a heron.", days))) for days in (100, 200, 800, 3_100, 7_000)}
    assert at[100] == []
    assert at[200] == ["I'm going to paint the door."]
    assert at[800] == ["I walked to the lake.", "I'm going to paint the door."]
    assert at[3_100] == ["My cat is black.", "I walked to the lake.", "I'm going to paint the door."]
    assert "Never push to main." not in at[7_000]
    assert "I love tea." in at[7_000]


def test_saying_it_again_brings_it_back(say: Say) -> None:
    found = claims(say, ("I walked to the lake.", 0), ("I walked to the lake.", 700), ("I saw a heron.", 1_000))
    assert archived(found) == []


def test_saying_it_again_in_more_words_brings_it_back(say: Say) -> None:
    later = ("We walked to that lovely lake again, and it rained.", 700)
    found = said_again(claims(say, ("I walked to the lake.", 0), later, ("I saw a heron.", 1_000)))
    assert archived(found) == []
    assert f"{found[0].last_said_at:%Y-%m-%d}" == f"{START + timedelta(days=700):%Y-%m-%d}"
    assert found[1].last_said_at == START + timedelta(days=700)


@pytest.mark.parametrize(
    ("later", "is_again"),
    [
        ("今天我又去湖邊散步了，風很大。", True),
        ("我們在湖邊散步了一圈。", True),
        ("我在湖邊釣魚。", False),
        ("我在公園散步。", False),
    ],
)
def test_in_chinese_saying_it_again_may_join_its_words_to_others(say: Say, later: str, is_again: bool) -> None:
    found = said_again(claims(say, ("我在湖邊散步。", 0), (later, 700)))
    assert [each.text for each in found] == ["我在湖邊散步。", later]
    assert (found[0].last_said_at != START) == is_again


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.text("茶湖鳥門", min_size=1, max_size=6).map("我看到{}。".format), min_size=2, max_size=12))
def test_every_statement_that_says_a_claim_again_is_found(say: Say, texts: list[str]) -> None:
    """Compare every pair of claims, without the lists that save comparisons."""
    found = claims(say, *((text, day) for day, text in enumerate(texts)))
    assert {each.text for each in found} == set(texts)
    for claim in said_again(found):
        pairs = pairs_of(claim.text)
        again = [each for each in found if len(pairs & pairs_of(each.text)) >= 0.75 * len(pairs)]
        assert claim.last_said_at == max([claim.said_at, *(each.last_said_at for each in again)])


def pairs_of(text: str) -> set[str]:
    words = fold(text.removeprefix("我").removesuffix("。"))
    return {words[place : place + 2] for place in range(len(words) - 1)}


def test_speaking_of_a_part_of_it_does_not(say: Say) -> None:
    found = said_again(claims(say, ("I walked to the lake.", 0), ("I swam in a lake.", 700), ("I saw a heron.", 1_000)))
    assert archived(found) == ["I walked to the lake."]


def test_saying_it_again_counts_from_then_on_and_not_as_of_an_earlier_day(say: Say) -> None:
    found = claims(say, ("I walked to the lake.", 0), ("Again I walked to the lake with Mia.", 2_000))
    assert said_again(found[:1])[0].last_said_at == START


def test_using_it_brings_it_back(say: Say) -> None:
    found = claims(say, ("I walked to the lake.", 0), ("I saw a heron.", 1_000))
    assert archived(found) == ["I walked to the lake."]
    assert archived(found, Marks(used_at={1: START + timedelta(days=900)})) == []


def test_a_memory_that_nobody_opened_has_forgotten_nothing(say: Say) -> None:
    found = claims(say, ("I walked to the lake.", 0), ("I saw a heron.", 1))
    assert archived(found, as_of=START + timedelta(days=9_000)) == []


def test_then_it_was_not_put_away_yet(say: Say) -> None:
    found = claims(say, ("I walked to the lake.", 0), ("I saw a heron.", 1_000))
    assert archived(found, as_of=START + timedelta(days=500)) == []


def test_a_question_that_has_a_word_of_it_sees_it(say: Say) -> None:
    found = marked(claims(say, ("I walked to the lake.", 0), ("I saw a heron.", 1_000)), Marks(), None)
    assert [each.text for each in asked_about(found, "Was I at a lake?")] == ["I walked to the lake.", "I saw a heron."]
    assert [each.text for each in asked_about(found, "Which birds?")] == ["I saw a heron."]


def test_a_question_with_a_word_that_leads_to_it_sees_it(say: Say) -> None:
    said = ("I play the cello.", 0), ("我彈鋼琴。", 1), ("I saw a heron.", 9_000)
    found = marked(claims(say, *said), Marks(), None)
    assert [each.text for each in found if each.is_archived] == ["I play the cello.", "我彈鋼琴。"]
    assert "I play the cello." in [each.text for each in asked_about(found, "Is there an instrument?")]
    assert "我彈鋼琴。" in [each.text for each in asked_about(found, "我會什麼樂器？")]
    assert [each.text for each in asked_about(found, "Where is my car?")] == ["I saw a heron."]
