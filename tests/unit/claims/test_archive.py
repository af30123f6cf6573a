from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from everyword.claims.archive import asked_about, marked
from everyword.claims.marks import Marks
from everyword.claims.rules import statements
from everyword.claims.validity import resolved
from everyword.domain.claim import Claim
from everyword.domain.message import Message

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
