from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everyword.domain.decision import DecidedBy, Decision
from everyword.log.sqlite.database import Database
from everyword.routing.journal import RouteJournal

BEGUN = datetime(2026, 3, 1, tzinfo=UTC)


def made(number: int, *, by: DecidedBy = "model", was_enough: bool = True) -> Decision:
    return Decision(
        at=BEGUN + timedelta(minutes=number),
        by=by,
        was_enough=was_enough,
        took="evidence" if was_enough else "full",
        evidence_tokens=number,
    )


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(tmp_path / "ana.db")
    yield opened
    opened.close()


def _numbers(journal: RouteJournal) -> list[int]:
    return [each.evidence_tokens for each in journal.decisions()]


def test_decisions_are_read_as_they_were_made(database: Database) -> None:
    journal = RouteJournal(database)
    assert journal.decisions() == journal.newest(5) == []
    decisions = [made(1), made(2, by="signals", was_enough=False)]
    for each in decisions:
        journal.add(each)
    assert journal.decisions() == decisions
    assert journal.newest(5) == [(2, decisions[1]), (1, decisions[0])]


def test_pages_of_the_newest_decisions_put_together_are_all_of_them(database: Database) -> None:
    journal = RouteJournal(database)
    for number in range(1, 8):
        journal.add(made(number))
    pages = [journal.newest(3), journal.newest(3, before=5), journal.newest(3, before=2), journal.newest(3, before=1)]
    assert [[number for number, _ in page] for page in pages] == [[7, 6, 5], [4, 3, 2], [1], []]


def test_the_journal_does_not_grow_for_ever_and_its_beginning_stays(database: Database) -> None:
    journal = RouteJournal(database, kept=10, beginning=3)
    for number in range(1, 31):
        journal.add(made(number))
    assert _numbers(journal) == [1, 2, 3, *range(24, 31)]


def test_what_stands_before_the_baseline_goes_first(database: Database) -> None:
    journal = RouteJournal(database, kept=10, beginning=3)
    for number in range(1, 10):
        journal.add(made(number))
    journal.recalibrate(4)
    for number in range(10, 13):
        journal.add(made(number))
    assert [number for number, _ in journal.newest(99)] == list(range(12, 2, -1))
    for number in range(13, 31):
        journal.add(made(number))
    assert _numbers(journal) == [6, 7, 8, *range(24, 31)]


@settings(deadline=None, max_examples=25)
@given(st.lists(st.tuples(st.sampled_from(["model", "signals", "size"]), st.booleans()), max_size=40))
def test_accepted_answers_are_counted_whether_or_not_they_are_kept(
    tmp_path_factory: pytest.TempPathFactory, outcomes: list[tuple[DecidedBy, bool]]
) -> None:
    database = Database(tmp_path_factory.mktemp("journal") / "ana.db")
    journal = RouteJournal(database, kept=6, beginning=2)
    for number, (by, was_enough) in enumerate(outcomes):
        journal.add(made(number, by=by, was_enough=was_enough))
    assert journal.accepted() == sum(by == "model" and was_enough for by, was_enough in outcomes)
    assert len(journal.newest(99)) == min(6, len(outcomes))
    journal.erase()
    assert (journal.accepted(), journal.newest(9)) == (0, [])
    database.close()
