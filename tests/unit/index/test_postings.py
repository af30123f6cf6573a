from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everyword.domain.message import Draft, Message
from everyword.index.index import Index
from everyword.index.postings import ROOM, Postings
from everyword.log.sqlite.database import Database
from everyword.log.sqlite.log import SqliteLog
from everyword.testing.drafts import draft

NOW = datetime(2026, 6, 1, tzinfo=UTC)
ASKED = {"coin": False, "ana": False, "stadium": False, "貓": True, "貓頭": False, "nowhere": False}
GROUPS = [{"coin": False, "stadium": False}, {"貓": True}, {"nowhere": False}]
TEXTS = st.lists(st.sampled_from(["coin", "coin coin", "stadium", "貓頭鷹", "貓", "Ana", "rain"]), max_size=5).map(
    " ".join
)


def answers(index: Index) -> list[object]:
    """What the index says of all terms and groups."""
    found = [each for each in (*index.term_hits(ASKED), *index.group_hits(GROUPS)) if each]
    return [(each.term, each.passage_ids.tolist(), each.ratios.tolist(), each.passages) for each in found]


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.sampled_from(["add", "ask", "erase"]), TEXTS), max_size=14))
def test_an_index_that_was_asked_before_answers_like_one_that_was_not(steps: list[tuple[str, str]]) -> None:
    with TemporaryDirectory() as folder:
        database = Database(Path(folder) / "ana.db")
        log = SqliteLog(database)
        index, elsewhere = Index(database, log), Index(database, log)
        for step, text in steps:
            if step == "ask":
                assert answers(index) == answers(Index(database, log))
            elif step == "add":
                _add(database, log, elsewhere, draft(text, author="Ana" if len(text) % 2 else None))
            elif stored := list(log.scan()):
                elsewhere.erase([stored[len(text) % len(stored)].seq])
        assert answers(index) == answers(Index(database, log))
        database.close()


def _add(database: Database, log: SqliteLog, index: Index, *drafts: Draft) -> None:
    with database.transaction():
        index.add(log.append(drafts, received_at=NOW).new)


def test_what_another_process_adds_is_found(index: Index, add: Callable[..., list[Message]], tmp_path: Path) -> None:
    add(draft("one coin"))
    assert [hits.passage_ids.tolist() for hits in index.term_hits({"coin": False})] == [[1]]
    other = Database(tmp_path / "ana.db")
    log = SqliteLog(other)
    _add(other, log, Index(other, log), draft("a second coin, and a third coin"))
    (hits,) = index.term_hits({"coin": False})
    assert hits.passage_ids.tolist() == [1, 2]
    assert hits.ratios[1] > hits.ratios[0]
    other.close()


def test_postings_that_were_not_asked_for_long_make_room(
    index: Index, add: Callable[..., list[Message]], database: Database
) -> None:
    add(*(draft(f"coin number{number}") for number in range(40)))
    kept = Postings(least_room=0)
    with database.reading() as connection:
        for number in range(40):
            (coin, own) = kept.of_terms(connection, [("coin", False), (f"number{number}", False)], 40)
            assert len(coin.passage_ids) == 40
            assert own.passage_ids.tolist() == [number + 1]
        assert 2 <= len(kept) <= ROOM * 40 // 32
        assert kept.of_terms(connection, [("number0", False)], 40)[0].passage_ids.tolist() == [1]


def test_one_question_may_need_more_than_there_is_room_for(
    index: Index, add: Callable[..., list[Message]], database: Database
) -> None:
    add(*(draft(f"coin word{number}") for number in range(3)))
    kept = Postings(least_room=0)
    wanted = [(f"word{number}", False) for number in range(500)]
    with database.reading() as connection:
        found = kept.of_terms(connection, wanted, 3)
    assert [posting.passage_ids.tolist() for posting in found[:4]] == [[1], [2], [3], []]
    assert len(kept) <= ROOM * 3 // 32


@pytest.mark.parametrize("term", ["", " ", "a b", 'a"b', "(", "coin*", "\x00", "coin OR stadium"])
def test_a_term_that_no_text_can_hold_is_found_nowhere(
    index: Index, add: Callable[..., list[Message]], term: str
) -> None:
    add(draft("coin stadium a b"))
    assert index.term_hits({term: False}) == []
