from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from everyword.domain.context import Context, Dropped, Evidence
from everyword.domain.message import Message, MessageId
from everyword.domain.trace import Place, Stage, Trace
from everyword.evals.dataset import Question, Said
from everyword.evals.evidence import TRIED, History, Judged, Need, Shown, needs, roles
from everyword.evals.order import final_order

MakeSaid = Callable[..., Said]
LONG = "It rained in the harbour town, and nobody went out. " * 40
COIN = "The old coin is worth 1,280 dollars."


def message(seq: int, text: str) -> Message:
    return Message(
        message_id=MessageId(str(seq)), seq=seq, session_id="s", role="user", text=text, payload=b"{}", author=None,
        agent_id=None, origin="user", branch="main", created_at=None, received_at=datetime.now(UTC), metadata={},
    )  # fmt: skip


def part(said: Message, *spans: tuple[int, int], rank: int = 1) -> Evidence:
    shown = spans or ((0, len(said.text)),)
    return Evidence(message=said, spans=shown, score=1.0, rank=rank, tokens=1)


def context(*evidence: Evidence, **fields: Any) -> Context:
    given: dict[str, Any] = {
        "question": "?", "text": "?", "memory_text": "", "recent": (), "tokens": 1, "budget": 10, "counter": "estimate",
        "strategy": "own", "dropped": (), "ledger": {}, "trace": Trace(strategy="own"),
    }  # fmt: skip
    return Context(evidence=evidence, **{**given, **fields})


def history(messages: Sequence[Said], first: int = 11) -> History:
    """Store the messages under the numbers 11, 12, 13 …"""
    found = History(messages=messages)
    found.stored(range(first, first + len(messages)))
    return found


def judged(known: History, wanted: list[Need], found: Context) -> Judged:
    return Judged(known, wanted, Shown(found), final_order(found))


def test_a_history_knows_where_each_message_is_stored(said: MakeSaid) -> None:
    known = History(messages=[said("a", "s1"), said("b", "s2"), said("c", "s1")])
    known.stored([7])
    known.stored([9, 8])
    assert [known.seq(place) for place in range(4)] == [7, 9, 8, None]
    assert known.places == {7: 0, 9: 1, 8: 2}
    assert known.sessions == {"s1": [0, 2], "s2": [1]}


def test_messages_are_needed_where_they_are_known_and_sessions_elsewhere(said: MakeSaid) -> None:
    known = history([said("a", "s1"), said("b", "s2"), said("c", "s2")])
    exact = Question(text="?", evidence=frozenset({2, 0}), kind="k", sessions=frozenset({"s1"}), quotes=((2, "c"),))
    assert needs(exact, known) == [Need(places=(0,)), Need(places=(2,), quotes=("c",))]
    loose = Question(text="?", evidence=frozenset(), kind="k", sessions=frozenset({"s2", "s9"}))
    assert needs(loose, known) == [Need(places=(1, 2), is_session=True), Need(places=(), is_session=True)]
    assert needs(Question(text="?", evidence=frozenset(), kind="k"), known) == []


def test_the_roles_of_the_evidence_are_told(said: MakeSaid) -> None:
    messages = [said("a"), said("b", role="tool"), said("c", role="assistant")]
    assert roles(Question(text="?", evidence=frozenset({0, 1}), kind="k"), messages) == ("tool", "user")


@pytest.mark.parametrize(
    ("text", "spans", "lenient", "whole"),
    [
        (COIN, [(0, len(COIN))], 1.0, 1.0),
        (COIN, [(0, 12)], 0.0, 0.0),
        (LONG, [(0, 12)], 1.0, 0.0),
        (LONG, [(0, 900), (600, len(LONG))], 1.0, 1.0),
        (LONG, [(0, 900), (901, len(LONG))], 1.0, 0.0),
    ],
)
def test_a_long_message_counts_in_part_and_a_short_one_only_whole(
    said: MakeSaid, text: str, spans: list[tuple[int, int]], lenient: float, whole: float
) -> None:
    found = judged(history([said(text)]), [Need(places=(0,))], context(part(message(11, text), *spans)))
    assert (found.share, found.share_whole) == (lenient, whole)


def test_parts_that_were_packed_apart_make_up_a_whole_together(said: MakeSaid) -> None:
    shown = context(part(message(11, LONG), (0, 900)), part(message(11, LONG), (800, len(LONG)), rank=2))
    assert judged(history([said(LONG)]), [Need(places=(0,))], shown).share_whole == 1.0


def test_a_known_sentence_counts_when_it_is_shown_and_only_then(said: MakeSaid) -> None:
    text = f"{LONG}{COIN} {LONG}"
    need, known = Need(places=(0,), quotes=(COIN,)), history([said(text)])
    start = text.index(COIN)
    for span, share in (((start - 9, start + len(COIN)), 1.0), ((0, start + 9), 0.0), ((start + 1, len(text)), 0.0)):
        assert judged(known, [need], context(part(message(11, text), span))).share == share


def test_a_sentence_counts_in_its_own_message_only(said: MakeSaid) -> None:
    known = history([said(COIN), said(f"Ben said: {COIN}")])
    assert (
        judged(known, [Need(places=(0,), quotes=(COIN,))], context(part(message(12, f"Ben said: {COIN}")))).share == 0
    )


def test_line_ends_do_not_hide_a_sentence(said: MakeSaid) -> None:
    text = "The old coin\n is worth 1,280 dollars."
    found = judged(history([said(text)]), [Need(places=(0,), quotes=(COIN,))], context(part(message(11, text))))
    assert found.share == 1.0


def test_a_session_counts_when_some_message_of_it_is_shown(said: MakeSaid) -> None:
    known = history([said("a", "s1"), said("b", "s1"), said("c", "s2")])
    wanted = [Need(places=(0, 1), is_session=True), Need(places=(2,), is_session=True)]
    found = judged(known, wanted, context(part(message(12, "b"))))
    assert (found.share, found.worst_rank, found.miss) == (0.5, None, "not found")


def test_a_session_that_is_not_in_the_history_is_not_stored(said: MakeSaid) -> None:
    found = judged(history([said("a")]), [Need(places=(), is_session=True)], context())
    assert (found.share, found.miss) == (0.0, "not stored")


def test_recent_turns_are_shown_whole(said: MakeSaid) -> None:
    found = judged(history([said(COIN)]), [Need(places=(0,))], context(recent=(message(11, COIN),)))
    assert (found.share, found.share_whole, found.worst_rank, found.miss) == (1.0, 1.0, 1, None)


def ranking(*seqs: int) -> Trace:
    places = {seq: Place(rank=rank, score=-float(rank)) for rank, seq in enumerate(seqs, 1)}
    return Trace(strategy="own", stages=(Stage(name="fused", candidates=len(places), places=places),))


def test_a_miss_tells_where_the_evidence_was_lost(said: MakeSaid) -> None:
    many = [said(str(number)) for number in range(TRIED + 10)]
    known = history(many[:-1])
    known.messages = many
    trace = ranking(*range(11, 11 + TRIED + 5))
    lost = {
        place: judged(known, [Need(places=(place,))], context(trace=trace)).miss
        for place in (0, TRIED - 1, TRIED, TRIED + 7, TRIED + 9)
    }
    assert lost == {
        0: "not packed",
        TRIED - 1: "not packed",
        TRIED: "not found",
        TRIED + 7: "not found",
        TRIED + 9: "not stored",
    }


def test_of_several_losses_the_earliest_is_told(said: MakeSaid) -> None:
    known = history([said("a"), said("b"), said("c")])
    wanted = [Need(places=(place,)) for place in (0, 1, 2)]
    assert judged(known, wanted, context(trace=ranking(11, 12))).miss == "not found"
    assert judged(known, wanted, context(trace=ranking(11, 12, 13))).miss == "not packed"


def test_a_dropped_message_was_found(said: MakeSaid) -> None:
    dropped = Dropped(message_id="11", seq=11, rank=4, tokens=900, reason="budget")
    found = judged(history([said("a")]), [Need(places=(0,))], context(dropped=(dropped,)))
    assert (found.miss, found.worst_rank) == ("not packed", 1)


def test_sessions_are_ranked_by_their_best_message(said: MakeSaid) -> None:
    known = history([said("a", "s1"), said("b", "s2"), said("c", "s1")])
    found = judged(known, [], context(trace=ranking(12, 13, 11)))
    assert found.ranked_places() == [1, 2, 0]
    assert found.ranked_sessions() == ["s2", "s1", "s1"]
    assert found.distinct_sessions() == ["s2", "s1"]
