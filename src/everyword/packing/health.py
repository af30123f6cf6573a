"""The health of a memory: what fills the prompts, what is doubled, old, not indexed or not read, and what helps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean, median
from typing import Any

from everyword.domain.account import PromptRecord, Verified, percentile
from everyword.domain.claim import Claim
from everyword.domain.context import Context
from everyword.domain.health import Figure, Health
from everyword.domain.message import Message
from everyword.domain.scope import scope
from everyword.packing.prompt import input_share
from everyword.ports import MessageLog
from everyword.text.words import terms

_LOOKED_AT = 400
"""Messages among which the last questions are looked for."""
_LONGEST = 2_000
_SAME = 0.8
"""Share of common terms from which two messages say the same (Jaccard)."""
_RECENT = 1_000
"""Prompts that figures are taken of."""
_MOST_DOUBLED = 0.2
_MOST_FIXED = 0.5
_MOST_FLUSHED = 0.1
_LEAST_KEPT = 0.95
_MOST_INPUT = 0.95
_DAYS_OLD = 365
_DAYS_UNVERIFIED = 30
_DAY_S = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What the figures are made of."""

    contexts: Sequence[Context]
    """Of the user's last questions, asked again."""
    records: Sequence[PromptRecord]
    stats: Mapping[str, Any]
    claims: Sequence[Claim]
    waiting_since: datetime | None
    """When the oldest message that is not read for claims came; None: none waits."""
    verified: Verified | None
    now: datetime


def last_questions(log: MessageLog, most: int) -> list[Message]:
    """Return the user's last questions, newest first; where they asked none, what they said last."""
    seqs = log.chosen(scope())[-_LOOKED_AT:]
    said = [message for message in reversed(log.by_seq(seqs)) if _may_ask(message)]
    asked = [message for message in said if message.text.rstrip().endswith(("?", "？"))]
    return (asked or said)[:most]


def _may_ask(message: Message) -> bool:
    return message.role == "user" and message.origin == "user" and 0 < len(message.text.strip()) <= _LONGEST


def examined(user_id: str, found: Findings) -> Health:
    """Return all figures."""
    recent = found.records[-_RECENT:]
    return Health(
        user_id=user_id,
        questions=len(found.contexts),
        prompts=len(found.records),
        figures=(
            _sources(found.contexts, recent),
            _tokens(recent),
            _kept(recent),
            _input(recent),
            _doubled(found.contexts),
            _age(found.contexts),
            _claims_age(found),
            _index_lag(found.stats),
            _waiting(found),
            _failed(found.stats),
            _verified(found),
        ),
    )


# ---- prompts ----


def _sources(contexts: Sequence[Context], records: Sequence[PromptRecord]) -> Figure:
    """Tell what prompts are made of; before the first one, what contexts are."""
    total = Counter[str]()
    for ledger in [record.ledger for record in records] or [context.ledger for context in contexts]:
        total.update(ledger)
    every = sum(total.values())
    shares = {source: tokens / every for source, tokens in total.most_common() if tokens} if every else {}
    fixed = shares.get("system", 0.0) + shares.get("tools", 0.0)
    return Figure(
        name="prompt by source",
        value=shares or None,
        shown=", ".join(f"{source} {share:.0%}" for source, share in shares.items()) or "nothing yet",
        meaning="What the tokens of a prompt come from.",
        remedy="Over half is system text and tool definitions: shorten them, or send only the tools that a request needs."
        if fixed > _MOST_FIXED
        else None,
    )


def _tokens(records: Sequence[PromptRecord]) -> Figure:
    tokens = sorted(record.tokens for record in records)
    use = percentile(sorted(round(10_000 * record.tokens / max(1, record.budget)) for record in records), 0.99) / 10_000
    worst, flushes = percentile(tokens, 0.99), sum(record.flushed > 0 for record in records)
    return Figure(
        name="tokens, P99",
        value=worst if tokens else None,
        shown=f"{worst:,.0f} ({use:.0%} of the room), {flushes:,} flushes" if tokens else "no prompt yet",
        meaning="99 of 100 prompts take at most so many tokens.",
        remedy="Turns leave the window often: name a larger window, or lower memory=."
        if flushes > _MOST_FLUSHED * len(tokens) and flushes > 1
        else None,
    )


def _kept(records: Sequence[PromptRecord]) -> Figure:
    kept = [record.kept for record in records if record.kept is not None]
    common = [record.common for record in records if record.common is not None]
    share = fmean(kept) if kept else None
    return Figure(
        name="prefix kept",
        value=share,
        shown="no second prompt yet"
        if share is None
        else f"{share:.0%} (of whole prompts {fmean(common) if common else 0:.0%})",
        meaning="Of what stands before the evidence, how much is the same in the next prompt: a provider caches it.",
        remedy="Keep what changes (time, counters, names of the day) out of the system text and the tool definitions."
        if share is not None and share < _LEAST_KEPT
        else None,
    )


def _input(records: Sequence[PromptRecord]) -> Figure:
    share = input_share(records)
    return Figure(
        name="input share",
        value=share,
        shown="too few answers yet" if share is None else f"{share:.1%}",
        meaning="Of the tokens of prompts and answers, how many are prompt.",
        remedy="Answers are short beside what is sent: lower memory=, or shorten the system text and tool definitions."
        if share is not None and share > _MOST_INPUT
        else None,
    )


# ---- evidence ----


def _doubled(contexts: Sequence[Context]) -> Figure:
    """Tell how much of the evidence says again what other evidence of the same context says."""
    counts = [(doubled(context), len(context.evidence)) for context in contexts if context.evidence]
    every = sum(count for _, count in counts)
    share = sum(count for count, _ in counts) / every if every else None
    return Figure(
        name="duplicates",
        value=share,
        shown="no evidence yet" if share is None else f"{share:.0%} of {every:,} packed messages",
        meaning="Evidence that says again what better ranked evidence says.",
        remedy="The same was stored more than once: look for copies with `everyword search`, and forget them."
        if share is not None and share > _MOST_DOUBLED
        else None,
    )


def doubled(context: Context) -> int:
    """Return how many packed messages say nearly the same as one that is ranked before them."""
    best_first = sorted(context.evidence, key=lambda each: each.rank)
    before: list[frozenset[str]] = []
    count = 0
    for evidence in best_first:
        words = frozenset(terms(evidence.text))
        count += any(_alike(words, other) for other in before)
        before.append(words)
    return count


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    every = len(one | other)
    return bool(every) and len(one & other) >= _SAME * every


def _age(contexts: Sequence[Context]) -> Figure:
    ages = [
        (context.asked_at - evidence.message.created_at).total_seconds() / _DAY_S
        for context in contexts
        for evidence in context.evidence
        if context.asked_at is not None and evidence.message.created_at is not None
    ]
    return Figure(
        name="age of evidence",
        value=median(ages) if ages else None,
        shown=f"{_days(median(ages))} in the middle, {_days(max(ages))} at most" if ages else "no dated evidence yet",
        meaning="How long ago the messages were said that answer the last questions.",
    )


# ---- what is derived ----


def _claims_age(found: Findings) -> Figure:
    """Tell how old the sources are of claims that still hold."""
    said = [claim.said_at for claim in found.claims if claim.is_open and claim.said_at is not None]
    ages = [(found.now - moment).total_seconds() / _DAY_S for moment in said]
    middle = median(ages) if ages else None
    return Figure(
        name="age of claims",
        value=middle,
        shown="no claim yet" if middle is None else f"{_days(middle)} in the middle, {_days(max(ages))} at most",
        meaning="How long ago the user said what is still taken to hold.",
        remedy="Half of it is over a year old: ask whether it still holds, and say what does: everyword claims --correct."
        if middle is not None and middle > _DAYS_OLD
        else None,
    )


def _index_lag(stats: Mapping[str, Any]) -> Figure:
    pending, passages = stats["pending_passages"], stats["passages"]
    failure = stats.get("vector_failure")
    return Figure(
        name="index lag",
        value=pending / passages if passages else 0.0,
        shown=f"{pending:,} of {passages:,} passages" + (f": {failure}" if failure else ""),
        meaning="Passages without a vector: they are found by their words alone.",
        remedy="everyword index" if pending else None,
    )


def _waiting(found: Findings) -> Figure:
    waiting = found.stats["claims"]["waiting"]
    is_quick = found.stats["claims"]["extractor"].startswith("rules")
    age = (found.now - found.waiting_since).total_seconds() / _DAY_S if found.waiting_since else 0.0
    later = (
        ", read when a strategy asks" if is_quick and waiting else f", the oldest for {_days(age)}" if waiting else ""
    )
    return Figure(
        name="claims waiting",
        value=float(waiting),
        shown=f"{waiting:,} messages{later}",
        meaning="Messages that are not read for profile, facts and notes yet.",
        remedy="everyword claims --derive" if waiting and not is_quick else None,
    )


def _failed(stats: Mapping[str, Any]) -> Figure:
    failed: Mapping[str, int] = stats["claims"]["failed"]
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in failed.items())
    return Figure(
        name="claims failed",
        value=float(sum(failed.values())),
        shown=reasons or "0 messages",
        meaning="Messages that could not be read for claims, and why.",
        remedy="Look at the language model's settings, then: everyword rebuild" if failed else None,
    )


def _verified(found: Findings) -> Figure:
    last = found.verified
    days = (found.now - last.at).total_seconds() / _DAY_S if last is not None else None
    if last is None or days is None:
        return _check(None, "never", "everyword verify")
    if last.problems:
        return _check(
            days, f"{_days(days)} ago: {last.problems:,} problems", "everyword rebuild, then: everyword verify"
        )
    return _check(days, f"{_days(days)} ago: all well", "everyword verify" if days > _DAYS_UNVERIFIED else None)


def _check(days: float | None, shown: str, remedy: str | None) -> Figure:
    meaning = "When the file, every message and every derived row were last checked."
    return Figure(name="last verify", value=days, shown=shown, meaning=meaning, remedy=remedy)


def _days(days: float) -> str:
    return f"{days:,.0f} days" if days >= 2 else f"{days * 24:,.0f} hours"
