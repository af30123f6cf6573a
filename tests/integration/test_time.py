from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import pytest

from everyword import Memory
from everyword.errors import InvalidInputError

TAIPEI = timezone(timedelta(hours=8))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path, embedder="none") as opened:
        yield opened


def said(memory: Memory, text: str, when: object) -> str:
    return memory.add({"role": "user", "content": text, "created_at": when}, user_id="ana").message_ids[0]


def test_last_week_counts_from_the_messages_own_time(memory: Memory) -> None:
    said(memory, "I saw the dentist last week.", "2023-06-14T10:00:00Z")
    said(memory, "I saw the dentist last week.", "2025-02-12T10:00:00Z")
    best = memory.search("dentist in June 2023", user_id="ana")[0]
    assert best.created_at == datetime(2023, 6, 14, 10, tzinfo=UTC)
    assert memory.search("dentist 2025-02-05", user_id="ana")[0].created_at == datetime(2025, 2, 12, 10, tzinfo=UTC)


def test_last_week_in_a_question_counts_from_when_it_is_asked(memory: Memory) -> None:
    for month in (3, 4, 5):
        said(memory, "We met at the harbour.", f"2024-{month:02}-12T10:00:00Z")
    packed = memory.context("Where did we meet last week?", user_id="ana", asked_at="2024-04-18", budget=200)
    assert packed.evidence
    assert min(packed.evidence, key=lambda each: each.rank).message.created_at == datetime(2024, 4, 12, 10, tzinfo=UTC)


def test_a_plan_is_found_by_the_day_that_it_speaks_of(memory: Memory) -> None:
    said(memory, "The wedding is on July 16, do not forget.", "2023-06-14T10:00:00Z")
    said(memory, "The wedding of our neighbours was nice.", "2023-07-20T10:00:00Z")
    hits = memory.search("What is on 2023-07-16?", user_id="ana")
    assert hits[0].text.startswith("The wedding is on July 16")


def test_the_republic_and_the_western_calendar_are_one(memory: Memory) -> None:
    said(memory, "租約在民國113年2月29日到期。", "2023-12-01T10:00:00+08:00")
    said(memory, "租約的押金是兩個月。", "2023-12-02T10:00:00+08:00")
    assert "到期" in memory.search("2024-02-29 租約", user_id="ana")[0].text


def test_a_late_evening_belongs_to_its_own_day_not_to_that_of_utc(memory: Memory) -> None:
    said(memory, "The lamp broke.", datetime(2024, 3, 1, 2, 30, tzinfo=TAIPEI))
    said(memory, "The lamp broke.", datetime(2024, 2, 28, 2, 30, tzinfo=TAIPEI))
    assert memory.search("lamp 2024-03-01", user_id="ana")[0].created_at == datetime(2024, 3, 1, 2, 30, tzinfo=TAIPEI)
    assert "2024-03-01 Fri 02:30" in memory.context("lamp", user_id="ana").text


def test_the_hour_that_a_clock_shows_twice_keeps_its_offset(memory: Memory) -> None:
    for offset in (2, 1):
        said(memory, f"offset {offset}", datetime(2024, 10, 27, 2, 30, tzinfo=timezone(timedelta(hours=offset))))
    hits = memory.search("offset", user_id="ana")
    assert {hit.created_at.isoformat() for hit in hits if hit.created_at} == {
        "2024-10-27T02:30:00+02:00",
        "2024-10-27T02:30:00+01:00",
    }


@pytest.mark.parametrize("bound", ["2024-05-22", date(2024, 5, 22)])
def test_a_date_alone_as_upper_bound_includes_its_day(memory: Memory, bound: str | date) -> None:
    said(memory, "coin", "2024-05-22T23:59:59.999999Z")
    assert memory.search("coin", user_id="ana", before=bound)
    assert memory.search("coin", user_id="ana", after=bound, before=bound)
    assert not memory.search("coin", user_id="ana", before="2024-05-21")
    assert not memory.search("coin", user_id="ana", after="2024-05-23")


def test_a_time_without_zone_is_utc_and_one_in_the_future_is_kept(memory: Memory) -> None:
    said(memory, "coin naive", "2024-05-22T10:00:00")
    said(memory, "coin future", "2999-01-01T00:00:00Z")
    said(memory, "coin last", "9999-12-31T23:59:59-12:00")
    said(memory, "coin first", "0001-01-01T00:00:00+14:00")
    times = {hit.text: hit.created_at for hit in memory.search("coin", user_id="ana")}
    assert times["coin naive"] == datetime(2024, 5, 22, 10, tzinfo=UTC)
    assert times["coin future"] == datetime(2999, 1, 1, tzinfo=UTC)
    assert len(times) == 4
    assert memory.context("coin", user_id="ana").evidence
    assert memory.verify(user_id="ana").ok
    assert memory.stats(user_id="ana")["messages"] == 4
    memory.rebuild(user_id="ana")


@pytest.mark.parametrize("when", ["yesterday", "2024-02-30", "", [], float("nan"), 10**30])
def test_what_is_no_time_is_refused_and_nothing_is_stored(memory: Memory, when: object) -> None:
    with pytest.raises(InvalidInputError):
        said(memory, "coin", when)
    assert memory.stats(user_id="ana")["messages"] == 0


def test_a_message_without_a_time_was_said_when_it_came(memory: Memory) -> None:
    before = datetime.now(UTC)
    memory.add("coin", user_id="ana")
    when = memory.search("coin", user_id="ana")[0].created_at
    assert when is not None
    assert before <= when <= datetime.now(UTC)
