from __future__ import annotations

from everyword.domain.trace import Place, Stage, Trace

TRACE = Trace(
    strategy="evidence",
    stages=(
        Stage(name="lexical", candidates=3, places={1: Place(rank=1, score=9.0), 2: Place(rank=40, score=2.0)}),
        Stage(name="fused", candidates=2, places={1: Place(rank=2, score=0.5)}),
    ),
)


def test_a_message_has_a_place_in_each_stage_that_knew_it() -> None:
    assert {name: place.rank for name, place in TRACE.places(1).items()} == {"lexical": 1, "fused": 2}
    assert list(TRACE.places(2)) == ["lexical"]
    assert TRACE.places(3) == {}


def test_a_question_with_several_evidences_is_as_good_as_the_worst() -> None:
    assert TRACE.worst_rank((1, 2), "lexical") == 40
    assert TRACE.worst_rank((1, 2), "fused") is None
    assert TRACE.worst_rank((1,), "unknown stage") is None
