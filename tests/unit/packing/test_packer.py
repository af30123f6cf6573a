from __future__ import annotations

import math
from collections.abc import Callable
from datetime import timedelta
from itertools import count
from typing import Any

import pytest

from everyword.domain.context import Context, Evidence
from everyword.errors import ContextLengthExceeded
from everyword.packing.packer import LISTED_DROPS, Frame, Item, pack
from everyword.testing.drafts import START
from everyword.text.tokens import counter

Ranked = Callable[..., list[Item]]
Framed = Callable[..., Frame]


def packed(context: Context) -> list[int]:
    return [each.message.seq for each in context.evidence]


def test_an_item_that_does_not_fit_is_skipped_and_the_next_is_tried(ranked: Ranked, frame: Framed) -> None:
    context = pack(ranked(900, 800, 500), frame(budget=1500))
    assert packed(context) == [1, 3]
    assert [(each.seq, each.rank, each.reason) for each in context.dropped] == [(2, 2, "budget")]
    assert context.tokens <= 1500


def test_a_smaller_item_takes_the_place_of_one_that_misses_by_little(ranked: Ranked, frame: Framed) -> None:
    marks = pack(ranked(20), frame()).tokens - 20
    context = pack(ranked(100, 60, 20), frame(budget=marks + 100 + 25 + 20))
    assert packed(context) == [1, 3], "the fence is paid before the first line, so that nothing is taken back later"


def test_evidence_stands_in_the_order_of_time(said: Any, ranked: Ranked, frame: Framed) -> None:
    minutes = (30, 10, 20)
    messages = [said(f"m{n}", seq=n, created_at=START + timedelta(minutes=m)) for n, m in enumerate(minutes, 1)]
    context = pack(ranked(*messages), frame())
    assert packed(context) == [2, 3, 1]
    assert context.text.index("m2") < context.text.index("m3") < context.text.index("m1")


def test_where_a_time_is_not_known_all_stand_in_the_order_of_the_log(said: Any, ranked: Ranked, frame: Framed) -> None:
    late = said("late", seq=1, created_at=START + timedelta(days=9))
    undated = said("undated", seq=2)
    undated = type(undated)(**{name: getattr(undated, name) for name in undated.__slots__} | {"created_at": None})
    early = said("early", seq=3)
    assert packed(pack(ranked(early, undated, late), frame())) == [1, 2, 3]


def test_messages_of_one_item_are_taken_or_left_together(
    said: Any, whole: Callable[..., Evidence], frame: Framed
) -> None:
    run = Item.of(rank=1, score=1, evidence=tuple(whole(said("y" * 400, seq=n)) for n in (1, 2)))
    single = Item.of(rank=2, score=0.5, evidence=(whole(said("z" * 200, seq=3), rank=2),))
    assert packed(pack([run, single], frame(budget=400))) == [1, 2, 3]
    less = pack([run, single], frame(budget=200))
    assert packed(less) == [3]
    assert [each.seq for each in less.dropped] == [1, 2]


def test_candidates_are_read_only_until_the_budget_is_full(ranked: Ranked, frame: Framed) -> None:
    read = count()

    def endless() -> Any:
        while True:
            yield from ranked(*[50] * 10)
            next(read)

    context = pack(endless(), frame(budget=500))
    assert next(read) < 20
    assert next(each.reason for each in context.dropped) == "budget"
    assert len(packed(context)) + len(context.dropped) < 90


def test_what_came_too_late_was_dropped_by_its_rank(ranked: Ranked, frame: Framed) -> None:
    context = pack(ranked(*[100] * 30), frame(budget=300))
    reasons = [each.reason for each in context.dropped]
    assert reasons == sorted(reasons), "first those that did not fit, then those that were not tried"
    assert {"budget", "rank"} == set(reasons)
    assert len(reasons) == LISTED_DROPS


def test_no_evidence_is_an_empty_memory(frame: Framed) -> None:
    context = pack([], frame())
    assert (context.text, context.memory_text, context.evidence, context.dropped) == ("When?", "", (), ())
    assert context.ledger == {"evidence": 0, "recent": 0, "question": context.tokens}


def test_a_budget_without_room_for_any_evidence_still_gives_the_question(ranked: Ranked, frame: Framed) -> None:
    context = pack(ranked(10, 10), frame(budget=2))
    assert context.text == "When?"
    assert len(context.dropped) == 2


def test_the_ledger_tells_where_the_tokens_went(said: Any, ranked: Ranked, frame: Framed) -> None:
    context = pack(ranked(100), frame(recent=(said("x" * 200, seq=9),), question="When? " * 20))
    assert list(context.ledger) == ["evidence", "recent", "question"]
    assert sum(context.ledger.values()) == context.tokens
    assert all(tokens >= 30 for tokens in context.ledger.values())


def test_recent_turns_and_the_question_stand_at_the_end(said: Any, ranked: Ranked, frame: Framed) -> None:
    recent = (said("And the other one?", seq=8), said("It is red.", seq=9, role="assistant"))
    context = pack(ranked(said("The car is blue.", seq=1)), frame(recent=recent, question="Which colour?"))
    assert context.text == (
        f"{context.memory_text}\n\nuser: And the other one?\nassistant: It is red.\n\nWhich colour?"
    )
    assert context.recent == recent


def test_a_question_that_exceeds_the_budget_is_refused_with_remedies(said: Any, frame: Framed) -> None:
    recent = tuple(said("x" * 400, seq=n) for n in (1, 2))
    with pytest.raises(ContextLengthExceeded) as raised:
        pack([], frame(question="y" * 200, budget=100, recent=recent))
    error = raised.value
    assert error.budget == 100
    assert error.excess == error.needed - 100
    assert error.needed == pytest.approx(255, abs=8)
    assert "question takes 50 tokens" in str(error)
    assert f"{error.excess} over the budget of 100" in str(error)
    for remedy in ("Raise budget=", "fewer recent turns", "shorten the question"):
        assert remedy in str(error)


def test_a_budget_that_the_question_fills_exactly_is_enough(frame: Framed) -> None:
    assert pack([], frame(question="y" * 200, budget=50)).tokens == 50
    with pytest.raises(ContextLengthExceeded):
        pack([], frame(question="y" * 200, budget=49))


@pytest.mark.parametrize("name", ["estimate", "words", "chars4"])
def test_seventeen_messages_of_88_tokens_fit_1500(said: Any, ranked: Ranked, frame: Framed, name: str) -> None:
    text = ("the coin lies in tray " * 30)[: 4 * 78]
    messages = [said(text, seq=n, session_id=f"s{n // 4}") for n in range(1, 200)]
    context = pack(ranked(*messages), frame(counter=counter(name), budget=1500))
    used = [math.ceil(counter(name).count(each.text) + 4) for each in context.evidence]
    assert len(used) == pytest.approx(1500 / (sum(used) / len(used)), abs=2)
    assert 1400 < context.tokens <= 1500


def test_the_context_says_how_it_was_made(ranked: Ranked, frame: Framed) -> None:
    context = pack(ranked(10), frame())
    assert (context.question, context.budget, context.counter, context.strategy) == ("When?", 1500, "chars4", "t")
