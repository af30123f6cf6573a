from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everyword.domain.decision import Decision
from everyword.errors import InvalidInputError
from everyword.routing.report import RouteReport, fallback_rate, report
from everyword.routing.table import row

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def decided(*, enough: bool = True, **more: Any) -> Decision:
    made = Decision(at=NOW, by="model", was_enough=enough, took="evidence" if enough else "full")
    return replace(made, **more)


def many(letters: str, **more: Any) -> list[Decision]:
    """`e`: evidence was enough; `f`: the whole history; `m`: more evidence, since that did not fit; `s`: a small history."""
    kinds = {
        "e": decided(),
        "f": decided(enough=False),
        "m": decided(enough=False, took="more evidence"),
        "s": decided(by="size", took="full"),
    }
    return [replace(kinds[letter], at=NOW + timedelta(hours=number), **more) for number, letter in enumerate(letters)]


def told(decisions: list[Decision], **more: Any) -> RouteReport:
    return report(decisions, **{"evidence_tokens": 1_500, "window": 10, **more})


def test_small_histories_are_counted_apart() -> None:
    found = told(many("sseef"))
    assert (found.decisions, found.routed, found.fell_back) == (5, 3, 1)
    assert found.fallback_rate == pytest.approx(1 / 3)
    assert found.by == {"size": 2, "model": 3}
    assert found.took == {"full": 3, "evidence": 2}


def test_of_no_decisions_nothing_is_said() -> None:
    found = told([])
    assert (found.fallback_rate, found.disagreement, found.baseline_rate, found.recent_rate) == (None, None, None, None)
    assert not found.has_drifted
    assert (found.signals, found.proposal) == ((), None)


def test_audits_that_could_not_be_made_do_not_count() -> None:
    audits = ["agrees", "differs", "too long", "failed", "none"]
    found = told([decided(audit=each) for each in audits])
    assert (found.audited, found.differing, found.disagreement) == (2, 1, 0.5)


@pytest.mark.parametrize(
    ("letters", "baseline", "recent", "drifted"),
    [
        ("e" * 19, 0.0, None, False),
        ("e" * 9, None, None, False),
        ("e" * 10 + "f" * 2 + "e" * 8, 0.0, 0.2, True),
        ("e" * 10 + "f" + "e" * 9, 0.0, 0.1, False),
        ("f" * 5 + "e" * 15, 0.5, 0.0, True),
        ("e" * 10 + "f" * 40 + "e" * 10, 0.0, 0.0, False),
        ("s" * 30 + "e" * 10 + "f" * 10, 0.0, 1.0, True),
    ],
)
def test_the_alarm_compares_the_last_decisions_with_the_first(
    letters: str, baseline: float | None, recent: float | None, drifted: bool
) -> None:
    found = told(many(letters))
    assert (found.baseline_rate, found.recent_rate, found.has_drifted) == (baseline, recent, drifted)


def test_a_rate_at_its_bound_has_not_drifted() -> None:
    assert not told(many("e" * 10 + "f" + "e" * 9), bound=0.1).has_drifted
    assert told(many("e" * 10 + "f" + "e" * 9), bound=0.09).has_drifted


def test_more_than_half_for_long_is_the_signal_of_the_table() -> None:
    assert [each.row for each in told(many("ef" * 5 + "f" * 2)).signals] == [row("corpus", "fits")]
    assert told(many("ef" * 5)).signals == ()
    assert told(many("f" * 9)).signals == ()


@pytest.mark.parametrize(
    ("decisions", "setting", "value"),
    [
        (many("e" * 8, audit="agrees") + many("ee", audit="differs"), "route_evidence", 3_000),
        (many("e" * 10 + "ef" * 5), "baseline", "recalibrate"),
        (many("f" * 20), "strategy", "full"),
        (many("m" * 20), "route_evidence", 3_000),
        (many("e" * 10, audit="agrees"), "route_evidence", 750),
    ],
)
def test_the_figures_lead_to_one_proposal(decisions: list[Decision], setting: str, value: str | int) -> None:
    proposal = told(decisions).proposal
    assert proposal is not None
    assert (proposal.setting, proposal.value) == (setting, value)


@pytest.mark.parametrize(
    "decisions",
    [
        many("e" * 10),  # Nobody has looked whether that was right.
        many("e" * 9, audit="agrees") + many("e", audit="differs"),
        many("eeef" * 3, audit="agrees"),
        many("ef" * 10),
    ],
)
def test_where_nothing_is_wrong_nothing_is_proposed(decisions: list[Decision]) -> None:
    assert told(decisions).proposal is None


def test_little_evidence_is_not_halved() -> None:
    assert told(many("e" * 10, audit="agrees"), evidence_tokens=900).proposal is None


def test_tokens_are_added_up() -> None:
    found = told(many("ef", input_tokens=300, output_tokens=7))
    assert (found.input_tokens, found.output_tokens) == (600, 14)


@pytest.mark.parametrize("wrong", [{"window": 0}, {"bound": 0.0}, {"bound": 1.0}])
def test_a_window_or_bound_that_cannot_be_is_told(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError, match="window"):
        told([], **wrong)


@given(st.text("efms", max_size=80))
def test_the_figures_agree_with_a_count_by_hand(letters: str) -> None:
    found = told(many(letters))
    fell, routed = letters.count("f") + letters.count("m"), len(letters) - letters.count("s")
    assert (found.fell_back, found.routed) == (fell, routed)
    assert found.fallback_rate == (fell / routed if routed else None)
    assert sum(found.by.values()) == sum(found.took.values()) == len(letters)
    bare = [each for each in letters if each != "s"]
    if len(bare) >= 20:
        rates = [sum(each in "fm" for each in part) / 10 for part in (bare[:10], bare[-10:])]
        assert [found.baseline_rate, found.recent_rate] == rates


def test_the_rate_of_none_is_unknown() -> None:
    assert fallback_rate([]) is None
