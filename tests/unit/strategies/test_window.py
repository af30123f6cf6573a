from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from everyword import Memory
from everyword.assembly import UserFile, UserFiles
from everyword.domain.context import Context
from everyword.domain.message import Draft, Message
from everyword.domain.query import Query
from everyword.errors import ContextLengthExceeded, InvalidInputError
from everyword.packing.packer import Frame
from everyword.packing.render import Style
from everyword.strategies.catalogue import strategy
from everyword.strategies.full import FULL
from everyword.strategies.window import WINDOW, Window, read
from everyword.testing.drafts import START, draft
from everyword.text.tokens import counter

QUESTION = "How many coins are left?"
BOATS = "The harbour was full of small boats that morning. "


class CountingLog:
    """A log that counts the messages that were read from it."""

    def __init__(self, log: Any) -> None:
        self._log = log
        self.read = 0

    def by_seq(self, seqs: Iterable[int]) -> list[Message]:
        found = self._log.by_seq(seqs)
        self.read += len(found)
        return found


@pytest.fixture
def store(tmp_path: Path) -> Iterator[UserFile]:
    files = UserFiles(tmp_path, open_files=4)
    yield files.of("ana", create=True)
    files.close()


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path, embedder="none") as opened:
        yield opened


def keep(store: UserFile, *drafts: Draft) -> None:
    with store.transaction():
        store.index.add(store.log.append(drafts, received_at=START).new)


def context(
    store: UserFile, chosen: str | Window = "window", budget: int = 1500, *, style: Style = "grouped", **fields: Any
) -> Context:
    named = strategy(chosen)
    assert isinstance(named, Window)
    frame = Frame(question=QUESTION, budget=budget, counter=counter("estimate"), strategy=named.name, style=style)
    return read(named, store.index, store.log, Query(text=QUESTION, **fields), frame)


def shown(found: Context) -> list[int]:
    return [each.message.seq for each in found.evidence]


def test_the_newest_messages_fill_the_budget_in_the_order_of_time(store: UserFile) -> None:
    keep(store, *(draft(f"Coin {number}. {BOATS}", minute=number) for number in range(200)))
    found = context(store, budget=1500)
    assert shown(found) == list(range(201 - len(found.evidence), 201))
    assert 1450 <= found.tokens <= 1500
    assert sum(found.ledger.values()) == found.tokens
    assert found.text.endswith(QUESTION)
    assert all(each.is_whole for each in found.evidence)


def test_a_message_that_does_not_fit_ends_the_window_though_older_ones_would_fit(store: UserFile) -> None:
    keep(store, draft("Short and old."), draft(BOATS * 100, minute=1), draft("Short and new.", minute=2))
    found = context(store, budget=600)
    assert shown(found) == [3]
    assert [(each.seq, each.rank, each.reason) for each in found.dropped] == [(2, 2, "budget"), (1, 3, "rank")]


def test_a_message_that_fits_but_for_its_speaker_and_number_leaves_no_gap(store: UserFile) -> None:
    keep(
        store, draft("a"), draft("b" * 400, minute=1, author="A very long name of a speaker " * 3), draft("c", minute=2)
    )
    for budget in range(60, 260):
        assert shown(context(store, budget=budget)) in ([3], [2, 3], [1, 2, 3])


def test_what_was_imported_later_and_said_earlier_is_older(store: UserFile) -> None:
    keep(store, draft("Today.", minute=50), draft("Last year.", minute=-500_000), draft("Yesterday.", minute=-1440))
    found = context(store)
    assert shown(found) == [2, 3, 1]
    assert [each.rank for each in found.evidence] == [3, 2, 1]


def test_without_every_time_the_order_of_arrival_counts(store: UserFile) -> None:
    keep(store, draft("First.", minute=9), draft("Second.", created_at=None), draft("Third.", minute=-9))
    found = context(store)
    assert shown(found) == [1, 2, 3]
    assert {each.message.seq: each.rank for each in found.evidence} == {1: 3, 2: 2, 3: 1}


def test_turns_are_counted_from_the_users_message_on(store: UserFile) -> None:
    roles = ("system", "user", "assistant", "tool", "assistant", "user", "assistant", "user")
    keep(store, *(draft(role, role=role, minute=minute) for minute, role in enumerate(roles)))
    assert shown(context(store, "window:1")) == [8]
    assert shown(context(store, "window:2")) == [6, 7, 8]
    assert shown(context(store, "window:3")) == [2, 3, 4, 5, 6, 7, 8]
    assert shown(context(store, "window:4")) == shown(context(store)) == list(range(1, 9))


def test_more_turns_than_fit_are_left_out_from_the_oldest(store: UserFile) -> None:
    keep(store, *(draft(BOATS * 8, minute=minute) for minute in range(40)))
    found = context(store, "window:20", budget=500)
    assert found.strategy == "window:20"
    assert shown(found) == list(range(41 - len(found.evidence), 41))
    assert 0 < len(found.evidence) < 20
    assert len(found.dropped) == 20 - len(found.evidence)


def test_the_question_narrows_the_window(store: UserFile) -> None:
    keep(store, *(draft("x", role=role, minute=minute) for minute, role in enumerate(("user", "assistant") * 3)))
    assert shown(context(store, roles=frozenset({"user"}))) == [1, 3, 5]
    assert shown(context(store, after=START + timedelta(minutes=3))) == [4, 5, 6]
    assert shown(context(store, "full", before=START + timedelta(minutes=3))) == [1, 2, 3, 4]
    assert shown(context(store, "window:2", roles=frozenset({"assistant"}))) == [4, 6]


def test_as_many_of_the_older_messages_are_listed_as_after_a_search(store: UserFile) -> None:
    keep(store, *(draft(f"Coin {number}.", minute=number) for number in range(100)))
    found = context(store, budget=200)
    first = shown(found)[0]
    assert [each.seq for each in found.dropped] == list(range(first - 1, first - 25, -1))
    assert [each.rank for each in found.dropped] == list(range(102 - first, 126 - first))


def test_the_trace_knows_where_every_message_stands(store: UserFile) -> None:
    keep(store, *(draft(f"Coin {number}.", minute=number) for number in range(100)))
    found = context(store, budget=100)
    (stage,) = found.trace.stages
    assert (stage.name, stage.candidates, len(stage.places), len(list(stage.places))) == ("newest", 100, 100, 100)
    assert found.trace.worst_rank((100, 1), "newest") == 100
    assert found.trace.places(100)["newest"].rank == 1
    assert found.trace.places(101) == {}


def test_only_what_fits_is_read(store: UserFile) -> None:
    keep(store, *(draft(f"Coin {number}. {BOATS}", minute=number) for number in range(3000)))
    for budget in (200, 1500, 8000):
        log: Any = CountingLog(store.log)
        frame = Frame(question=QUESTION, budget=budget, counter=counter("estimate"), strategy="window")
        found = read(WINDOW, store.index, log, Query(text=QUESTION), frame)
        assert log.read <= 3 * len(found.evidence) + 64


def test_the_whole_history_is_packed_where_it_fits(store: UserFile) -> None:
    keep(store, *(draft(f"Coin {number}.", minute=number, role="assistant") for number in range(300)))
    keep(store, draft("Left.", branch="other", minute=999), draft("", minute=1000))
    found = context(store, "full", budget=10_000)
    assert shown(found) == list(range(1, 303))
    assert (found.strategy, found.dropped) == ("full", ())


@pytest.mark.parametrize("text", [f"Coin. {BOATS}", "港口停滿了小船，媽媽說硬幣在櫃子裡。"])
def test_a_history_that_is_too_long_is_an_error_that_says_by_how_much(store: UserFile, text: str) -> None:
    keep(store, *(draft(text, minute=number) for number in range(400)))
    needed = context(store, WINDOW, budget=1_000_000).tokens
    for budget in (100, 2000, needed - 1):
        with pytest.raises(ContextLengthExceeded, match=r"400 messages.*budget=.*'window'.*'evidence'") as caught:
            context(store, "full", budget=budget)
        assert caught.value.budget == budget
        assert caught.value.needed == pytest.approx(needed, rel=0.1)
        assert caught.value.excess > 0
    assert len(context(store, "full", budget=needed).evidence) == 400


def test_an_empty_history_is_the_question_alone(store: UserFile) -> None:
    for name in ("window", "window:3", "full"):
        assert context(store, name).text == QUESTION


@pytest.mark.parametrize("name", ["window:", "window:0", "window:-1", "window:two", "window:1.5", "window:³"])
def test_turns_are_a_whole_number(name: str) -> None:
    with pytest.raises(InvalidInputError, match="window:20"):
        strategy(name)


def test_recent_turns_of_a_session_are_shown_once_at_the_end(memory: Memory) -> None:
    for number in range(6):
        said = [{"role": role, "content": f"{role} {number}"} for role in ("user", "assistant")]
        memory.add(said, user_id="ana", session_id=f"s{number // 3}", timestamp=f"2026-05-{number + 1:02}")
    found = memory.context("coin?", user_id="ana", strategy="window:3", session_id="s1")
    assert [message.text for message in found.recent] == ["user 4", "assistant 4", "user 5", "assistant 5"]
    assert [each.message.text for each in found.evidence] == ["user 3", "assistant 3"]
    assert "user 5" not in found.memory_text


def test_a_strategy_of_ones_own_is_used_as_it_is(memory: Memory) -> None:
    memory.add("A coin.", user_id="ana")
    own = Window(name="own", about="lines", recipe=WINDOW.recipe, style="lines")
    assert memory.context("coin?", user_id="ana", strategy=own).text.count("- Earlier message (") == 1
    assert memory.explain("coin?", user_id="ana", strategy=FULL).strategy == "full"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    lengths=st.lists(st.integers(0, 900), min_size=1, max_size=12),
    gaps=st.lists(st.integers(0, 900), min_size=12, max_size=12),
    budget=st.integers(10, 900),
    style=st.sampled_from(("grouped", "lines")),
)
def test_a_window_is_the_longest_run_of_newest_messages_within_the_budget(
    tmp_path_factory: pytest.TempPathFactory, lengths: list[int], gaps: list[int], budget: int, style: Style
) -> None:
    files = UserFiles(tmp_path_factory.mktemp("window"), open_files=1)
    store = files.of("ana", create=True)
    drafts = [
        draft("word " * (length // 5), minute=sum(gaps[:n]), session_id=f"s{n % 2}") for n, length in enumerate(lengths)
    ]
    keep(store, *drafts)
    found = context(store, budget=budget, style=style)
    last = len(lengths)
    assert shown(found) == list(range(last - len(found.evidence) + 1, last + 1))
    assert sum(found.ledger.values()) == found.tokens <= budget
    assert sorted(shown(found) + [each.seq for each in found.dropped]) == list(range(1, last + 1))
    if found.dropped and found.dropped[0].reason == "budget":
        assert found.tokens + found.dropped[0].tokens > budget - 60, "the marks around the first line are paid once"
    files.close()
