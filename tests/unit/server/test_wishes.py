from __future__ import annotations

import pytest
from starlette.datastructures import Headers

from everyword.errors import InvalidInputError
from everyword.server.listener import is_loopback
from everyword.server.recollection import Recollection, Recollections
from everyword.server.wishes import Wishes, wishes

FOUND = Recollection(text="<memory>", tokens=3, message_ids=("m1",))


def test_without_headers_memory_takes_part_as_the_settings_say() -> None:
    assert wishes(Headers({})) == Wishes()


def test_headers_choose_session_strategy_budget_use_and_place() -> None:
    given = {
        "X-Everyword-Session": "%E6%97%85%E8%A1%8C",
        "X-Everyword-Strategy": "bm25",
        "X-Everyword-Budget": "800",
        "X-Everyword-Memory": "Read",
        "X-Everyword-Place": "front",
    }
    assert wishes(Headers(given)) == Wishes(session_id="旅行", strategy="bm25", budget=800, use="read", place="front")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X-Everyword-Budget", "0"),
        ("X-Everyword-Budget", "-5"),
        ("X-Everyword-Budget", "many"),
        ("X-Everyword-Budget", "9" * 400),
        ("X-Everyword-Budget", "٣"),
        ("X-Everyword-Memory", "maybe"),
        ("X-Everyword-Place", "back"),
        ("X-Everyword-Session", "%ff"),
        ("X-Everyword-Session", ""),
    ],
)
def test_a_header_that_cannot_be_meant_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(InvalidInputError, match=name):
        wishes(Headers(raw=[(name.lower().encode(), value.encode())]))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "::1", "localhost"])
def test_addresses_of_this_machine_are_loopback(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "example.org", "", "localhost.example.org"])
def test_any_other_address_is_public(host: str) -> None:
    assert not is_loopback(host)


def test_a_recollection_is_kept_for_its_user_and_question_for_some_minutes() -> None:
    now = [0.0]
    kept = Recollections(clock=lambda: now[0])
    kept.keep("ana", "q", FOUND)
    assert kept.find("ana", "q") == FOUND
    assert kept.find("ben", "q") is None
    assert kept.find("ana", "other") is None
    now[0] = 601
    assert kept.find("ana", "q") is None


def test_a_recollection_is_dropped_when_its_user_forgets() -> None:
    kept = Recollections()
    kept.keep("ana", "q", FOUND)
    kept.keep("ben", "q", FOUND)
    kept.forget("ana")
    assert kept.find("ana", "q") is None
    assert kept.find("ben", "q") == FOUND


def test_only_the_newest_recollections_are_kept() -> None:
    kept = Recollections()
    for number in range(1001):
        kept.keep("ana", str(number), FOUND)
    assert kept.find("ana", "0") is None
    assert kept.find("ana", "1000") == FOUND


def test_recollections_take_a_bounded_room_however_long_they_are() -> None:
    now = [0.0]
    kept = Recollections(clock=lambda: now[0], characters=100)
    for number in range(10):
        kept.keep("ana", str(number), Recollection(text="x" * 30, tokens=8, message_ids=()))
    assert [number for number in range(10) if kept.find("ana", str(number))] == [7, 8, 9]
    kept.keep("ana", "9", Recollection(text="y" * 40, tokens=8, message_ids=()))
    assert [number for number in range(10) if kept.find("ana", str(number))] == [7, 8, 9]
    kept.keep("ana", "long", Recollection(text="x" * 101, tokens=25, message_ids=()))
    assert kept.find("ana", "long") is None
    kept.keep("ana", "whole", Recollection(text="x" * 100, tokens=25, message_ids=()))
    assert kept.find("ana", "whole") is not None


def test_recollections_of_which_the_time_is_over_take_no_room() -> None:
    now = [0.0]
    kept = Recollections(clock=lambda: now[0])
    kept.keep("ana", "old", FOUND)
    now[0] = 601
    kept.keep("ana", "new", FOUND)
    now[0] = 0
    assert kept.find("ana", "old") is None
    assert kept.find("ana", "new") == FOUND
