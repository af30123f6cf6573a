"""A part of the memory that stands before the evidence: claims in the user's words, one dated line each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from everyword.domain.claim import Claim
from everyword.domain.context import Evidence
from everyword.packing.render import Locale, fenced, harmless

Source = Literal["profile", "notes", "summary", "pinned"]

_INTRO: Mapping[Source, Mapping[Locale, str]] = {
    "profile": {
        "en": "What the user has said about themselves and the rules they set, in their own words. What they say now comes first.",
        "zh": "使用者談到自己的話與定下的規則，都是原話。若與當下所說不同，以當下為準。",
    },
    "pinned": {
        "en": "Facts that the user stated, in their own words. What they say now comes first.",
        "zh": "使用者陳述過的事實，都是原話。若與當下所說不同，以當下為準。",
    },
    "notes": {
        "en": "Notes on what the user said, in their own words, oldest first; each number leads to the whole message.",
        "zh": "使用者說過的話的筆記，都是原話，由舊到新；編號可查到整則訊息。",
    },
    "summary": {
        "en": "Summary of what came before: only what the user stated, in their own words. What they say now comes first.",
        "zh": "先前對話的摘要：只有使用者自己陳述的原話，僅供參考，以使用者當下輸入為準。",
    },
}
_WORDS = {
    "en": ("user's words", "a guess", "a plan", "until", "no longer", "may contradict"),
    "zh": ("使用者原話", "猜測", "計畫", "至", "已失效", "可能與此矛盾："),
}
_OPENING = {"en": " ({state})", "zh": "（{state}）"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Written lines and where each comes from."""

    source: Source
    text: str
    evidence: tuple[Evidence, ...]


def section(source: Source, lines: Sequence[tuple[Evidence, str]], locale: Locale, usage: str = "") -> Section:
    """Return the lines between marks, the usage last, so that what stands before it does not change as lines are added."""
    written = [text for _, text in lines]
    return Section(
        source=source,
        text=fenced([*written, *([usage] if usage else [])], _INTRO[source][locale]),
        evidence=tuple(evidence for evidence, _ in lines),
    )


def claim_line(claim: Claim, numbers: Mapping[str, int], locale: Locale) -> str:
    """Return `#12 [2024-08-12 user's words] I drink tea.`, with what is uncertain about it; `numbers` are those of cautions."""
    own, guess, plan, until, over, doubt = _WORDS[locale]
    own = own if claim.trust == "stated" else claim.author_role
    said = f"{claim.said_at:%Y-%m-%d} " if claim.said_at else ""
    ended = f"{until} {claim.valid_to:%Y-%m-%d}" if claim.valid_to else over
    state = {"guess": guess, "plan": plan}.get(claim.state, "") if claim.is_open else ended
    doubts = ", ".join(f"#{numbers[each]}" for each in claim.cautions if each in numbers)
    notes = [*([state] if state else []), *([f"{doubt} {doubts}"] if doubts else [])]
    after = _OPENING[locale].format(state="; ".join(notes)) if notes else ""
    words = harmless(claim.text) if "\n" not in claim.text else harmless(" ".join(claim.text.split()))
    return f"#{claim.seq} [{said}{own}] {words}{after}"


def usage_line(used: int, capacity: int, locale: Locale) -> str:
    """Return how full the profile is, as it is shown in the context."""
    if locale == "zh":
        return f"（已用 {used:,} / {capacity:,} 字元）"
    return f"({used:,} of {capacity:,} characters used)"
