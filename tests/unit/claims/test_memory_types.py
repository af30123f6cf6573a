from __future__ import annotations

from typing import get_args

import pytest

from everyword.claims.memory_types import POLICIES, check_way, sets_rule
from everyword.claims.trust import ASKED, admitted
from everyword.domain.claim import ClaimKind, MemoryType, Statement, memory_type_of
from everyword.errors import UntrustedClaimError


def test_each_type_has_a_policy_of_its_own_and_each_kind_a_type() -> None:
    assert set(POLICIES) == set(get_args(MemoryType))
    assert len({each.written for each in POLICIES.values()}) == 4
    for kind in get_args(ClaimKind):
        assert kind in POLICIES[memory_type_of(kind)].kinds
    assert POLICIES["working"].kinds == ()


@pytest.mark.parametrize(
    "text",
    ["Never push to main.", "Use metric units.", "You should ask first.", "I want you to be brief.", "以後請用台幣。"],
)
def test_a_sentence_that_asks_for_something_sets_a_rule(text: str) -> None:
    assert sets_rule(text)


@pytest.mark.parametrize(
    "text", ["I used grep today.", "My sister is a doctor.", "我昨天用了 grep。", "It rained.", "Yesterday I rested."]
)
def test_a_sentence_that_tells_something_sets_none(text: str) -> None:
    assert not sets_rule(text)


def test_a_habit_is_not_written_as_a_rule_unless_the_user_asks(say) -> None:  # type: ignore[no-untyped-def]
    told = say("I used grep today.")
    rule = Statement(seq=told.seq, start=0, stop=18, kind="procedure")
    with pytest.raises(UntrustedClaimError, match="sets no rule"):
        admitted(rule, told)
    asked = say("I used grep today.", metadata={ASKED: {"kind": "procedure"}})
    assert admitted(rule, asked) == rule
    check_way("note", told.text, told, is_asked=False)
