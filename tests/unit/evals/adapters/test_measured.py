from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from everyword.domain.context import Context
from everyword.errors import ContextLengthExceeded
from everyword.evals.adapters.measured import MeasuredSystem
from everyword.evals.adapters.system import Record, Retrieved
from everyword.text.tokens import counter

COIN = "The old coin is worth 1,280 dollars."
BOATS = "The harbour was full of small boats that morning. Nobody counted them."
SAID: list[dict[str, Any]] = [
    {"role": "user", "content": COIN, "name": "Ana", "created_at": "2026-05-22T09:00:00+02:00"},
    {"role": "assistant", "content": BOATS, "created_at": "2026-05-23T09:00:00+02:00"},
    {"role": "user", "content": "Fine.", "created_at": "2026-05-24T09:00:00+02:00"},
]


class Fixed:
    """A system that finds what it was told to find, and keeps what it was given."""

    name = "fixed"

    def __init__(self, *found: Retrieved) -> None:
        self.found = found
        self.records: list[Record] = []
        self.asked: list[tuple[str, int, datetime | None]] = []
        self.closed = False

    def add(self, records: Sequence[Record]) -> None:
        self.records.extend(records)

    def retrieve(self, question: str, *, limit: int, asked_at: datetime | None) -> Sequence[Retrieved]:
        self.asked.append((question, limit, asked_at))
        return self.found

    def close(self) -> None:
        self.closed = True


def filled(system: Fixed, folder: Path | None = None) -> MeasuredSystem:
    memory = MeasuredSystem(system, counter("estimate"), folder)
    memory.add(SAID[:2], user_id="bench", session_id="s1")
    memory.add(SAID[2:], user_id="bench", session_id="s2")
    return memory


def asked(*found: Retrieved, budget: int = 1500) -> Context:
    return filled(Fixed(*found)).context(
        "What is the coin worth?", user_id="bench", budget=budget, strategy="fixed", asked_at=None
    )


def shown(found: Context) -> list[tuple[int, str, bool]]:
    return [(each.message.seq, each.text, each.is_whole) for each in found.evidence]


def test_a_system_is_given_all_that_is_known_of_a_message() -> None:
    system = Fixed()
    memory = MeasuredSystem(system, counter("estimate"))
    added = memory.add(SAID[:2], user_id="bench", session_id="s1")
    assert added.seqs == (1, 2)
    assert memory.add(SAID[2:], user_id="bench", session_id="s2").seqs == (3,)
    first, second, third = system.records
    assert (first.record_id, first.role, first.text, first.session, first.author) == ("1", "user", COIN, "s1", "Ana")
    assert first.created_at == datetime(2026, 5, 22, 7, tzinfo=UTC)
    assert (second.role, second.author, third.session) == ("assistant", None, "s2")


def test_what_is_named_by_id_is_packed_whole_and_in_the_order_of_time() -> None:
    found = asked(Retrieved(record_ids=("2",), score=0.9), Retrieved(record_ids=("1",), score=0.4))
    assert shown(found) == [(1, COIN, True), (2, BOATS, True)]
    assert [(each.rank, each.score) for each in found.evidence] == [(2, 0.4), (1, 0.9)]
    assert "[2026-05-22 Fri 09:00]\n#1 Ana: The old coin" in found.text
    assert sum(found.ledger.values()) == found.tokens <= found.budget


def test_a_part_of_a_message_is_shown_as_a_part() -> None:
    found = asked(Retrieved(record_ids=("2",), text="Nobody counted them."), Retrieved(text="is worth 1,280"))
    assert shown(found) == [(1, "… is worth 1,280 …", False), (2, "… Nobody counted them.", False)]


def test_words_without_an_id_are_looked_for_in_all_messages() -> None:
    assert shown(asked(Retrieved(text="Nobody counted"))) == [(2, "… Nobody counted …", False)]
    assert shown(asked(Retrieved(text="Everybody counted"))) == [(4, "Everybody counted", True)]


def test_the_whole_text_of_a_message_is_that_message_also_without_an_id() -> None:
    assert shown(asked(Retrieved(text=f"\n{COIN} "))) == [(1, COIN, True)]


def test_a_chunk_of_several_messages_shows_those_that_it_names_and_holds() -> None:
    chunk = f"Ana: {COIN}\nassistant: {BOATS}"
    assert shown(asked(Retrieved(record_ids=("1", "2", "3"), text=chunk))) == [(1, COIN, True), (2, BOATS, True)]


def test_words_that_nobody_said_are_packed_and_are_no_evidence() -> None:
    said_at = datetime(2026, 5, 25, tzinfo=UTC)
    found = asked(Retrieved(record_ids=("1",), text="Owns a coin of $1,280", created_at=said_at))
    (only,) = found.evidence
    assert (only.message.seq, only.text) == (4, "Owns a coin of $1,280")
    assert "fixed: Owns a coin of $1,280" in found.text
    assert "[2026-05-25" in found.text


def test_what_is_found_twice_is_packed_once() -> None:
    twice = asked(Retrieved(record_ids=("1",)), Retrieved(record_ids=("1", "3")), Retrieved(text=COIN))
    assert shown(twice) == [(1, COIN, True), (3, "Fine.", True)]


@pytest.mark.parametrize(
    "nothing", [Retrieved(), Retrieved(record_ids=("9",)), Retrieved(text=" "), Retrieved(record_ids=("1",), text="")]
)
def test_nothing_is_packed_of_what_says_nothing(nothing: Retrieved) -> None:
    assert asked(nothing).text == "What is the coin worth?"


def test_what_does_not_fit_is_dropped_and_the_next_is_tried() -> None:
    found = asked(Retrieved(record_ids=("2",)), Retrieved(record_ids=("3",)), budget=65)
    assert [each.message.seq for each in found.evidence] == [3]
    assert [(each.seq, each.reason) for each in found.dropped] == [(2, "budget")]
    assert found.tokens <= 65


def test_a_question_without_room_is_an_error() -> None:
    with pytest.raises(ContextLengthExceeded):
        asked(budget=3)


def test_the_trace_has_the_rank_and_score_of_all_that_was_found() -> None:
    found = asked(Retrieved(record_ids=("3",), score=0.5), Retrieved(record_ids=("1",)), budget=70)
    (stage,) = found.trace.stages
    assert (stage.name, stage.candidates) == ("retrieved", 2)
    assert {seq: (place.rank, place.score) for seq, place in stage.places.items()} == {3: (1, 0.5), 1: (2, 0.5)}


def test_a_larger_budget_asks_for_more() -> None:
    system = Fixed()
    memory = filled(system)
    for budget in (100, 1500, 8000):
        memory.context("coin?", user_id="bench", budget=budget, strategy="fixed", asked_at="2026-06-01T10:00:00+02:00")
    assert [limit for _, limit, _ in system.asked] == [50, 150, 800]
    assert {each for _, _, each in system.asked} == {datetime(2026, 6, 1, 8, tzinfo=UTC)}


def test_the_bytes_of_the_folder_are_counted(tmp_path: Path) -> None:
    (tmp_path / "index").mkdir()
    (tmp_path / "index" / "vectors").write_bytes(b"x" * 1000)
    memory = filled(Fixed(), tmp_path)
    assert memory.stats(user_id="bench") == {"messages": 3, "bytes_on_disk": 1000}
    assert filled(Fixed()).stats(user_id="bench")["bytes_on_disk"] == 0


def test_closing_closes_the_system() -> None:
    system = Fixed()
    memory = filled(system)
    assert memory.index(user_id="bench") == 0
    memory.close()
    assert system.closed
