"""One budget over everything that a model is sent: what stays first, what changes last, every token on its account."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from everyword.domain.account import PromptRecord, Seen
from everyword.domain.context import Context, chat_turns
from everyword.domain.prompt import AGAIN, LASTING, PASSING, Alert, Prefix, Prompt, Window
from everyword.errors import ContextLengthExceeded
from everyword.packing import trail
from everyword.packing.conversation import Conversation
from everyword.packing.packer import Frame, room
from everyword.ports import TokenCounter

GAP = "\n\n"
_ROUNDING = 8
"""Tokens that the parts may take more together than one by one."""
_MOST_INPUT = 0.95
_ANSWERED = 5
"""Answers below which nothing is said about their share."""


def window_of(given: Window | int) -> Window:
    """Return the window of a call; a number is that of its tokens. Raise InvalidInputError."""
    return given if isinstance(given, Window) else Window(tokens=given)


def room_beside(window: Window, question: str, counter: TokenCounter) -> int:
    """Return the tokens that are left for memory and recent turns. Raise ContextLengthExceeded."""
    parts = _fixed(window, question)
    needed = counter.count(GAP.join([*parts.values(), ""])) + _ROUNDING
    if needed <= window.room:
        return window.room - needed
    sizes = ", ".join(f"{source} {counter.count(text):,}" for source, text in parts.items())
    raise _too_long(window, needed, f"Without any memory the prompt takes {needed:,} tokens ({sizes})")


def memory_room(window: Window, most: int, left: int, *, has_turns: bool) -> int:
    """Return the tokens of profile, summary and evidence: what is allowed, at the most half of what turns need too."""
    allowed = most if window.memory is None else window.memory
    return min(allowed, left // 2 if has_turns else left)


def filled(window: Window, frame: Frame, fill: Callable[[Frame], Context], *, memory: int) -> Prompt:
    """Return the prompt with what `fill` makes of the memory's room. Raise ContextLengthExceeded."""
    left = memory
    while True:
        made = laid_out(window, fill(_with_room(frame, left)), frame.counter)
        excess = made.tokens - window.room
        if excess <= 0:
            return made
        if left == 0:
            turns = f"With {len(frame.recent)} recent messages the prompt takes {made.tokens:,} tokens"
            raise _too_long(window, made.tokens, turns)
        left = max(0, left - excess)


def _with_room(frame: Frame, memory: int) -> Frame:
    """Return the frame with so many tokens for the memory beside its recent turns and question."""
    endless = replace(frame, budget=1 << 62, sections=())
    return replace(endless, budget=endless.budget - room(endless) + memory, order=frame.order)


def laid_out(window: Window, context: Context, counter: TokenCounter) -> Prompt:
    """Return what is sent: the parts that stay, then those that change, with the tokens of each."""
    given = {**_fixed(window, context.question), **context.parts}
    given["recent"] = GAP.join(text for _, text in chat_turns(context.recent))
    parts = {source: given[source] for source in (*LASTING, *PASSING) if given.get(source)}
    text, ledger = GAP.join(parts.values()), _ledger(parts, counter)
    lasting = GAP.join(text for source, text in parts.items() if source in LASTING)
    return Prompt(
        window=window,
        context=context,
        parts=parts,
        text=text,
        tokens=sum(ledger.values()),
        counter=counter.name,
        ledger=ledger,
        prefix=Prefix(text=lasting, tokens=sum(ledger.get(source, 0) for source in LASTING)),
    )


def _fixed(window: Window, question: str) -> dict[str, str]:
    """Return the parts that are there whatever is remembered."""
    tools = json.dumps(list(window.tools), ensure_ascii=False, separators=(",", ":")) if window.tools else ""
    parts = {"system": window.system, "tools": tools, "constraints": window.constraints, "question": question}
    return {source: text for source, text in {**parts, AGAIN: window.constraints}.items() if text}


def _ledger(parts: Mapping[str, str], counter: TokenCounter) -> dict[str, int]:
    """Return tokens by source; each is what its part adds to the text before it, so that they add up."""
    ledger: dict[str, int] = {}
    text, counted = "", 0
    for source, part in parts.items():
        text = f"{text}{GAP}{part}" if text else part
        until = counter.count(text)
        ledger[source] = until - counted
        counted = until
    return ledger


def _too_long(window: Window, needed: int, what: str) -> ContextLengthExceeded:
    return ContextLengthExceeded(
        f"{what}, {needed - window.room:,} over the {window.room:,} that a window of {window.tokens:,} leaves beside the "
        f"answer. Name a larger window, shorten the parts, or keep less for the answer with answer= (now {window.answer:.0%}).",
        needed=needed,
        budget=window.room,
    )


# ---- the last prompt of the session beside this one ----


def compared(prompt: Prompt, seen: Seen | None) -> Prompt:
    """Return the prompt with what it has in common with the last one of its session."""
    if seen is None:
        return prompt
    same = trail.common(prompt.text, seen.trail)
    kept = min(same, seen.prefix_characters) / seen.prefix_characters if seen.prefix_characters else None
    return replace(prompt, prefix=replace(prompt.prefix, kept=kept, common=same / len(prompt.text)))


def trail_of(prompt: Prompt) -> trail.Trail:
    """Return digests of the prompt at the ends of its parts and between."""
    ends, place = list[int](), 0
    for part in prompt.parts.values():
        place += len(part)
        ends.append(place)
        place += len(GAP)
    return trail.trail(prompt.text, ends)


def record_of(prompt: Prompt) -> PromptRecord:
    """Return the figures of a prompt that is sent now."""
    return PromptRecord(
        at=datetime.now(UTC),
        budget=prompt.budget,
        tokens=prompt.tokens,
        ledger=prompt.ledger,
        kept=prompt.prefix.kept,
        common=prompt.prefix.common,
        flushed=prompt.flushed,
    )


def next_seen(prompt: Prompt, talk: Conversation) -> Seen:
    """Return what the next prompt of the session asks for; its entry is numbered when it is stored."""
    return Seen(
        entry=0,
        first_seq=talk.first_seq,
        last_seq=talk.last_seq,
        prefix_characters=len(prompt.prefix.text),
        trail=trail_of(prompt),
    )


def warned(prompt: Prompt, talk: Conversation, records: Sequence[PromptRecord]) -> Prompt:
    """Return the prompt with what its sender should know; `records` are those of the prompts before it."""
    left = talk.room - prompt.ledger.get("recent", 0)
    use = 1 - left / prompt.budget if talk.room else prompt.tokens / prompt.budget
    flushed = talk.flushed
    alerts: list[Alert] = []
    if talk.room and use >= prompt.window.warn:
        text = (
            f"{use:.0%} of {prompt.budget:,} tokens are taken: instructions, turns, question, and what the memory may take. "
            "Beyond that the older turns do not fit."
        )
        alerts.append(Alert(kind="filling", text=text))
    if flushed:
        text = f"{flushed:,} older messages left the window. They stay in the memory and are found like all others."
        alerts.append(Alert(kind="flushed", text=text))
    share = input_share(records)
    if share is not None and share > _MOST_INPUT:
        text = f"{share:.1%} of all tokens are input: answers are short beside what is sent. Lower memory= or the system text."
        alerts.append(Alert(kind="input", text=text))
    return replace(prompt, use=use, flushed=flushed, alerts=tuple(alerts))


def input_share(records: Sequence[PromptRecord]) -> float | None:
    """Return the share of the prompts in the tokens of prompts and answers, over those whose answer is known."""
    answered = [(record.tokens, record.answer) for record in records if record.answer is not None]
    if len(answered) < _ANSWERED:
        return None
    given = sum(tokens for tokens, _ in answered)
    return given / max(1, given + sum(answer for _, answer in answered))
