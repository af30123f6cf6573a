"""What the journal of `route` says: how often evidence was not enough, how often it was wrongly enough, and what to change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from everyword.domain.decision import Decision
from everyword.errors import InvalidInputError
from everyword.routing.signals import Signal, crossed

WINDOW = 50
"""Decisions of the baseline, and of what is compared with it."""
BOUND = 0.15
"""How far the fallback rate may move from its baseline."""
AUDITS = 10
"""From so many on, an audit says something."""
DISAGREEMENT = 0.1
"""Share of audited answers that differ, above which evidence is accepted too easily."""
IDLE = 0.05
"""Fallback rate below which less evidence may do."""
LEAST_EVIDENCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A setting to change, or, where the figures have moved, to look and then to begin anew."""

    setting: str
    """`route_evidence`, `strategy`; `baseline` where only the baseline is out of date."""
    value: str | int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteReport:
    """Figures of one user since the last recalibration."""

    decisions: int
    routed: int
    """Those that had something to decide: the others were small enough to show everything."""
    fell_back: int
    fallback_rate: float | None
    """Of the routed ones; None: there are none."""
    by: Mapping[str, int]
    took: Mapping[str, int]
    audited: int
    differing: int
    disagreement: float | None
    """Share of audited answers that the whole history contradicted."""
    baseline_rate: float | None
    """Fallback rate of the first decisions; None: there are too few."""
    recent_rate: float | None
    """Of the last ones, none of which are in the baseline."""
    has_drifted: bool
    signals: tuple[Signal, ...]
    """Rows of the decision table whose bound is crossed."""
    proposal: Proposal | None
    input_tokens: int
    output_tokens: int


def report(
    decisions: Sequence[Decision], *, evidence_tokens: int, window: int = WINDOW, bound: float = BOUND
) -> RouteReport:
    """Return the figures of decisions, oldest first; `evidence_tokens` is the setting `route_evidence`.

    Raise InvalidInputError.
    """
    if window < 1 or not 0 < bound < 1:
        raise InvalidInputError(f"window={window!r}, bound={bound!r}: give at least 1 decision and a share below 1.")
    routed = [each for each in decisions if each.is_routed]
    audits = Counter(each.audit for each in routed)
    audited = audits["agrees"] + audits["differs"]
    rate, disagreement = fallback_rate(routed), audits["differs"] / audited if audited else None
    baseline = fallback_rate(routed[:window]) if len(routed) >= window else None
    recent = fallback_rate(routed[-window:]) if len(routed) >= 2 * window else None
    drifted = baseline is not None and recent is not None and abs(recent - baseline) > bound
    is_known = rate is not None and len(routed) >= window
    figures = RouteReport(
        decisions=len(decisions),
        routed=len(routed),
        fell_back=sum(each.fell_back for each in routed),
        fallback_rate=rate,
        by=dict(Counter(each.by for each in decisions)),
        took=dict(Counter(each.took for each in decisions)),
        audited=audited,
        differing=audits["differs"],
        disagreement=disagreement,
        baseline_rate=baseline,
        recent_rate=recent,
        has_drifted=drifted,
        signals=crossed({"fallback_rate": rate}) if is_known and rate is not None else (),
        proposal=None,
        input_tokens=sum(each.input_tokens for each in decisions),
        output_tokens=sum(each.output_tokens for each in decisions),
    )
    return replace(figures, proposal=proposed(figures, evidence_tokens))


def fallback_rate(decisions: Sequence[Decision]) -> float | None:
    """Return the share for which evidence was not enough; None of none."""
    return sum(each.fell_back for each in decisions) / len(decisions) if decisions else None


def proposed(figures: RouteReport, evidence_tokens: int) -> Proposal | None:
    """Return the one change that the figures ask for, the gravest first: wrong answers, drift, cost."""
    if figures.audited >= AUDITS and (figures.disagreement or 0.0) > DISAGREEMENT:
        why = "evidence is accepted for answers that the whole history contradicts: show more of it first"
        return Proposal(setting="route_evidence", value=2 * evidence_tokens, why=why)
    if figures.has_drifted:
        why = "the fallback rate has moved: find out what changed, then take the last decisions as the baseline"
        return Proposal(setting="baseline", value="recalibrate", why=why)
    if figures.signals:
        return _for_costly(figures, evidence_tokens)
    is_idle = figures.fallback_rate is not None and figures.fallback_rate <= IDLE
    if is_idle and figures.audited >= AUDITS and not figures.differing and evidence_tokens >= 2 * LEAST_EVIDENCE:
        return Proposal(
            setting="route_evidence",
            value=evidence_tokens // 2,
            why="evidence is nearly always enough and never contradicted: half of it may do",
        )
    return None


def _for_costly(figures: RouteReport, evidence_tokens: int) -> Proposal:
    """Return what to do where most questions fall back: show everything where it fits, more evidence where it does not."""
    if 2 * figures.took.get("full", 0) >= figures.fell_back:
        why = "most questions fall back, and the whole history fits: put all of it in at once"
        return Proposal(setting="strategy", value="full", why=why)
    why = "most questions fall back, and the whole history does not fit: show more evidence first"
    return Proposal(setting="route_evidence", value=2 * evidence_tokens, why=why)
