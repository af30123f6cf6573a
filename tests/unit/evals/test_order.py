from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from everyword.domain.context import Context, Dropped, Evidence
from everyword.domain.message import Message, MessageId
from everyword.domain.trace import Place, Stage, Trace
from everyword.evals.order import final_order


def message(seq: int, text: str = "words") -> Message:
    return Message(
        message_id=MessageId(str(seq)), seq=seq, session_id="s", role="user", text=text, payload=b"{}", author=None,
        agent_id=None, origin="user", branch="main", created_at=None, received_at=datetime.now(UTC), metadata={},
    )  # fmt: skip


def evidence(seq: int, rank: int) -> Evidence:
    return Evidence(message=message(seq), spans=((0, 5),), score=1.0, rank=rank, tokens=1)


def dropped(seq: int, rank: int) -> Dropped:
    return Dropped(message_id=str(seq), seq=seq, rank=rank, tokens=1, reason="budget")


def stage(name: str, seqs: Sequence[int]) -> Stage:
    places = {seq: Place(rank=rank, score=-float(rank)) for rank, seq in enumerate(seqs, 1)}
    return Stage(name=name, candidates=len(places), places=places)


def context(**fields: Any) -> Context:
    given: dict[str, Any] = {
        "question": "?", "text": "?", "memory_text": "", "recent": (), "tokens": 1, "budget": 10, "counter": "estimate",
        "strategy": "own", "evidence": (), "dropped": (), "ledger": {}, "trace": Trace(strategy="own"),
    }  # fmt: skip
    return Context(**{**given, **fields})


def test_what_was_packed_and_dropped_stands_in_the_order_of_its_rank() -> None:
    found = final_order(context(evidence=(evidence(1, 3), evidence(9, 1)), dropped=(dropped(4, 2),)))
    assert list(found.ranks.items()) == [(9, 1), (4, 2), (1, 3)]


def test_a_message_that_was_packed_twice_stands_at_its_best_place() -> None:
    found = final_order(context(evidence=(evidence(1, 1), evidence(2, 2), evidence(1, 3))))
    assert list(found.ranks) == [1, 2]


def test_the_rest_follows_in_the_order_of_the_last_stage() -> None:
    trace = Trace(strategy="own", stages=(stage("lexical", [7, 5, 3]), stage("fused", [5, 3, 7])))
    found = final_order(context(evidence=(evidence(3, 1),), trace=trace))
    assert list(found.ranks) == [3, 5, 7]


def test_a_reranked_head_is_fused_with_the_order_before_it() -> None:
    """1/61 + 1/63 for 10, 1/62 + 1/61 for 20, 1/63 + 1/62 for 30: 20, 10, 30; what was not reranked follows."""
    trace = Trace(strategy="own", stages=(stage("fused", [10, 20, 30, 40]), stage("reranked", [20, 30, 10])))
    assert list(final_order(context(trace=trace)).ranks) == [20, 10, 30, 40]


def test_a_head_in_the_order_of_tokens_is_followed_by_the_rest() -> None:
    trace = Trace(strategy="own", stages=(stage("fused", [10, 20, 30, 40]), stage("tokens", [30, 10, 20])))
    found = final_order(context(trace=trace))
    assert list(found.ranks) == [30, 10, 20, 40]


def test_a_reranked_head_is_fused_with_the_order_of_tokens() -> None:
    """1/62 + 1/63 for 10, 1/63 + 1/61 for 20, 1/61 + 1/62 for 30: 30, 20, 10."""
    stages = (stage("fused", [10, 20, 30, 40]), stage("tokens", [30, 10, 20]), stage("reranked", [20, 30, 10]))
    assert list(final_order(context(trace=Trace(strategy="own", stages=stages))).ranks) == [30, 20, 10, 40]


def test_a_deep_message_has_a_rank_and_no_place_in_the_list() -> None:
    trace = Trace(strategy="own", stages=(stage("fused", range(1, 1_001)),))
    found = final_order(context(trace=trace))
    assert len(found.ranks) == 500
    assert (found.rank(500), found.rank(1_000), found.rank(1_001)) == (500, 1_000, None)


def test_recent_turns_need_no_search_and_are_in_no_list() -> None:
    found = final_order(context(recent=(message(8),), evidence=(evidence(3, 1),)))
    assert (found.rank(8), list(found.ranks)) == (1, [3])
