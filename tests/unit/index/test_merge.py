"""Additions leave parts of the index behind; merged, they answer the same from fewer."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from everyword.domain.message import Message
from everyword.index import lexical
from everyword.index.index import Index
from everyword.log.sqlite.database import Database
from everyword.testing.drafts import draft
from everyword.text.words import query_terms


def parts(database: Database) -> int:
    with database.reading() as connection:
        return lexical.segments(connection)


def answers(index: Index) -> list[tuple[str, list[int], list[float]]]:
    found = index.term_hits(query_terms("coin 貓 match word3"), header_weight=1.0)
    return [(hits.term, hits.passage_ids.tolist(), hits.ratios.tolist()) for hits in found]


@pytest.mark.parametrize("is_whole", [True, False])
def test_merged_parts_answer_the_same(
    database: Database, index: Index, add: Callable[..., list[Message]], *, is_whole: bool
) -> None:
    for number in range(40):
        add(draft(f"coin word{number % 5} match match {number} 貓貓頭鷹"))
    before, several = answers(index), parts(database)
    index.merge(is_whole=is_whole)
    assert parts(database) < several
    assert answers(index) == before
    assert index.verify() == []


def test_a_whole_merge_leaves_one_part_also_where_there_is_much(
    database: Database, index: Index, add: Callable[..., list[Message]]
) -> None:
    for number in range(30):
        add(
            *(
                draft(f"{number} {other} " + " ".join(f"w{number * other + each}" for each in range(60)))
                for other in range(40)
            )
        )
    index.merge(is_whole=True)
    assert parts(database) == 1
    add(draft("one coin more"))
    assert [hits.passage_ids.tolist() for hits in index.term_hits(query_terms("coin"), header_weight=0.0)] == [[1201]]


def test_nothing_is_erased_less_after_a_merge(index: Index, add: Callable[..., list[Message]]) -> None:
    for number in range(20):
        add(draft(f"coin {number}"))
    index.erase([3])
    index.merge(is_whole=True)
    assert all(3 not in hits.passage_ids for hits in index.term_hits(query_terms("coin"), header_weight=0.0))
