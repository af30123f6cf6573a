from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from everyword.claims.caps import PROFILE_CHARACTERS, in_profile, problem, used
from everyword.claims.decay import weight
from everyword.claims.rules import statements
from everyword.claims.validity import resolved
from everyword.domain.claim import Claim
from everyword.domain.message import Message

Say = Callable[..., Message]


def claim(message: Message) -> Claim:
    return resolved(statements(message), {message.seq: message})[0]


def test_a_note_keeps_half_its_weight_for_half_a_year(say: Say) -> None:
    note = claim(say("I used grep today."))
    assert note.said_at is not None
    half = math.log(2) / 0.004
    assert abs(weight(note, 2.0, note.said_at + timedelta(days=half)) - 1.0) < 1e-6


def test_a_rule_does_not_fade_and_a_plan_fades_first(say: Say) -> None:
    rule, note, plan = map(claim, map(say, ("Never push to main.", "I used grep.", "I'm going to see Bob.")))
    assert rule.said_at is not None
    now = rule.said_at + timedelta(days=300)
    assert weight(rule, 1.0, now) == 1.0
    assert weight(plan, 1.0, now) < weight(note, 1.0, now) < 1.0


def test_what_has_no_time_or_lies_ahead_neither_fades_nor_gains(say: Say) -> None:
    note = claim(say("I used grep today."))
    assert note.said_at is not None
    assert weight(replace(note, said_at=None), 1.0, note.said_at) == 1.0
    assert weight(note, 1.0, note.said_at - timedelta(days=9)) == 1.0


def test_the_profile_counts_preferences_and_rules_that_hold(say: Say) -> None:
    messages = [say(text) for text in ("I love tea.", "Never push to main.", "I have 37 coins.", "I hate tea.")]
    found = resolved([each for message in messages for each in statements(message)], {m.seq: m for m in messages})
    assert [each.text for each in in_profile(found)] == ["Never push to main.", "I hate tea."]
    assert used(found) == len("Never push to main.") + len("I hate tea.")


def test_only_a_profile_that_is_too_long_asks_for_a_rewrite() -> None:
    assert problem(PROFILE_CHARACTERS) is None
    assert "2,001 of 2,000" in str(problem(PROFILE_CHARACTERS + 1))
