from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from everyword.claims.rules import statements
from everyword.claims.validity import resolved
from everyword.domain.claim import Claim, Link
from everyword.domain.message import Message

Say = Callable[..., Message]


def claims(*messages: Message, links: tuple[Link, ...] = (), days: int | None = None) -> list[Claim]:
    as_of = None if days is None or messages[0].created_at is None else messages[0].created_at + timedelta(days=days)
    found = [each for message in messages for each in statements(message)]
    return list(resolved(found, {message.seq: message for message in messages}, links, as_of=as_of))


def open_texts(found: list[Claim]) -> list[str]:
    return [each.text for each in found if each.is_open]


COFFEE = ("I drink coffee every morning.", "I quit coffee.")
COFFEE_ZH = ("我每天早上喝咖啡。", "我不喝咖啡了。")


@pytest.mark.parametrize("said", [COFFEE, COFFEE_ZH])
def test_a_contradiction_closes_the_old_claim_and_keeps_it(say: Say, said: tuple[str, str]) -> None:
    old, new = claims(*map(say, said))
    assert (old.is_open, new.is_open) == (False, True)
    assert old.valid_to == new.said_at
    assert old.closed_by == new.claim_id
    assert not old.is_corrected


@pytest.mark.parametrize("said", [COFFEE, COFFEE_ZH])
def test_a_question_as_of_an_earlier_day_sees_the_old_claim(say: Say, said: tuple[str, str]) -> None:
    messages = [*map(say, said)]
    assert open_texts(claims(*messages, days=0)) == [said[0]]
    assert open_texts(claims(*messages, days=1)) == [said[1]]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I live in Paris.", "I moved to Berlin."),
        ("My name is Anna.", "My name is Hannah."),
        ("My favourite color is blue.", "My favourite color is green."),
        ("我住在台北。", "我搬到高雄了。"),
    ],
)
def test_what_has_one_value_at_a_time_has_the_latest(say: Say, first: str, second: str) -> None:
    assert open_texts(claims(say(first), say(second))) == [second]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("My favourite color is blue.", "My favourite food is rice."),
        ("My birthday is in May.", "My birthday party was fun."),
        ("My sister is a doctor.", "My sister is in Rome."),
        ("I love tea.", "I love coffee."),
        ("I live in Paris.", "Maybe I'll move to Berlin."),
        ("I live in Paris.", "I'm going to live in Berlin next year."),
    ],
)
def test_what_does_not_contradict_stays_beside_it(say: Say, first: str, second: str) -> None:
    assert open_texts(claims(say(first), say(second))) == [first, second]


@pytest.mark.parametrize(
    ("first", "second"),
    [("I'm allergic to peanuts.", "I love nuts."), ("我對花生過敏。", "我喜歡吃堅果。")],
)
def test_what_may_contradict_keeps_both_with_a_caution(say: Say, first: str, second: str) -> None:
    old, new = claims(say(first), say(second))
    assert old.is_open
    assert new.is_open
    assert (old.cautions, new.cautions) == ((new.claim_id,), (old.claim_id,))


def test_a_corrected_value_closes_every_claim_that_holds_it(say: Say) -> None:
    messages = [
        say("My order number is 12435."),
        say("I told the shop that 12435 is late."),
        say("I have 124350 points."),
        say("No, the order number is 12345, not 12435."),
    ]
    found = claims(*messages)
    assert [(each.is_open, each.is_corrected) for each in found] == [
        (False, True),
        (False, True),
        (True, False),
        (True, False),
    ]


def test_the_same_words_again_are_one_claim_with_two_sources(say: Say) -> None:
    first, second = say("I love tea."), say("I love tea!")
    (only,) = claims(first, second)
    assert only.message_ids == (first.message_id, second.message_id)
    assert only.said_at == first.created_at


def test_without_the_newer_message_the_older_claim_holds_again(say: Say) -> None:
    old, _ = messages = [say(COFFEE[0]), say(COFFEE[1])]
    assert open_texts(claims(*messages)) == [COFFEE[1]]
    assert open_texts(claims(old)) == [COFFEE[0]]


def test_a_value_that_comes_back_holds_again(say: Say) -> None:
    found = claims(say("I live in Paris."), say("I live in Rome."), say("I live in Paris."))
    assert [each.is_open for each in found] == [False, False, True]


def test_what_a_reader_found_closes_a_claim_too(say: Say) -> None:
    old, new = say("My sister is a doctor."), say("My sister left medicine for good.")
    first, second = claims(old, new)
    link = Link(newer=(new.seq, 0, len(new.text), second.kind), older=first.claim_id, relation="ends")
    assert open_texts(claims(old, new, links=(link,))) == [new.text]


def test_without_times_the_order_of_arrival_decides(say: Say) -> None:
    messages = [say(text, created_at=None) for text in ("I live in Paris.", "I live in Rome.")]
    old, new = claims(*messages)
    assert (old.is_open, old.valid_to, new.is_open) == (False, None, True)


def test_what_was_imported_late_but_said_early_does_not_win(say: Say) -> None:
    now = say("I live in Rome.")
    assert now.created_at is not None
    before = say("I live in Paris.", created_at=now.created_at - timedelta(days=400))
    assert open_texts(claims(now, before)) == ["I live in Rome."]
