"""A part of the memory that stands before the evidence: claims in the user's words, one dated line each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from everyword.domain.claim import Claim
from everyword.domain.context import Evidence
from everyword.domain.graph import USER, Edge
from everyword.packing.render import Locale, fenced, harmless

Source = Literal["profile", "notes", "summary", "pinned", "entities", "graph"]

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
    "entities": {
        "en": "What the user has said about those whom the question names, in their own words. What they say now comes first.",
        "zh": "使用者談到問題所提人事物的話，都是原話。若與當下所說不同，以當下為準。",
    },
    "graph": {
        "en": "How those whom the question names are related, as the user stated it; each number leads to their own words.",
        "zh": "問題所提人事物之間的關係，依使用者的陳述；編號可查到原話。",
    },
}
_WRITTEN_INTRO = {
    "en": "Written by a language model from what the user stated, and checked against it; each number leads to their own words. "
    "What they say now comes first.",
    "zh": "由語言模型依使用者的陳述寫成，並已與原話核對；編號可查到原話。僅供參考，以使用者當下輸入為準。",
}
_WRITTEN = {"en": "written", "zh": "摘寫"}
_WORDS = {
    "en": ("user's words", "a guess", "a plan", "until", "no longer", "may contradict", "what it points to is gone"),
    "zh": ("使用者原話", "猜測", "計畫", "至", "已失效", "可能與此矛盾：", "所指的資料已不在"),
}
_OPENING = {"en": " ({state})", "zh": "（{state}）"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Written lines and where each comes from."""

    source: Source
    text: str
    evidence: tuple[Evidence, ...]


def section(
    source: Source,
    lines: Sequence[tuple[Evidence, str]],
    locale: Locale,
    usage: str = "",
    introduction: str | None = None,
) -> Section:
    """Return the lines between marks, the usage last, so that what stands before it does not change as lines are added."""
    written = [text for _, text in lines]
    return Section(
        source=source,
        text=fenced([*written, *([usage] if usage else [])], introduction or _INTRO[source][locale]),
        evidence=tuple(evidence for evidence, _ in lines),
    )


def claim_line(claim: Claim, numbers: Mapping[str, int], locale: Locale) -> str:
    """Return `#12 [2024-08-12 user's words] I drink tea.`, with what is uncertain about it; `numbers` are those of cautions."""
    own, guess, plan, until, over, doubt, gone = _WORDS[locale]
    own = own if claim.trust == "stated" else claim.author_role
    said = f"{claim.said_at:%Y-%m-%d} " if claim.said_at else ""
    ended = f"{until} {claim.valid_to:%Y-%m-%d}" if claim.valid_to else over
    state = {"guess": guess, "plan": plan}.get(claim.state, "") if claim.is_open else ended
    doubts = ", ".join(f"#{numbers[each]}" for each in claim.cautions if each in numbers)
    notes = [each for each in (state, f"{doubt} {doubts}" if doubts else "", gone if claim.is_stale else "") if each]
    after = _OPENING[locale].format(state="; ".join(notes)) if notes else ""
    words = harmless(claim.text) if "\n" not in claim.text else harmless(" ".join(claim.text.split()))
    return f"#{claim.seq} [{said}{own}] {words}{after}"


def edge_line(edge: Edge, locale: Locale) -> str:
    """Return `#12 [2024-08-12 user's words] Mia — lives in → Lisbon`."""
    own, you = _WORDS[locale][0], {"en": "the user", "zh": "使用者"}[locale]
    said = f"{edge.said_at:%Y-%m-%d} " if edge.said_at else ""
    subject, target = (you if name == USER else name for name in (edge.subject, edge.object))
    return f"#{edge.seq} [{said}{own}] {harmless(f'{subject} — {edge.relation} → {target}')}"


def written_intro(locale: Locale) -> str:
    """Return the sentence that stands over lines which a language model wrote."""
    return _WRITTEN_INTRO[locale]


def written_line(text: str, claims: Sequence[Claim], locale: Locale) -> str:
    """Return `#12 #15 [2024-08-12 written] The user drinks tea.`: a line from claims, which are all a plan or all none."""
    _, guess, plan, *_ = _WORDS[locale]
    numbers = " ".join(f"#{seq}" for seq in sorted({claim.seq for claim in claims}))
    days = sorted({f"{claim.said_at:%Y-%m-%d}" for claim in claims if claim.said_at})
    said = f"{'/'.join(dict.fromkeys((days[0], days[-1])))} " if days else ""
    state = {"guess": guess, "plan": plan}.get(claims[0].state, "")
    after = _OPENING[locale].format(state=state) if state else ""
    return f"{numbers} [{said}{_WRITTEN[locale]}] {harmless(' '.join(text.split()))}{after}"


def usage_line(used: int, capacity: int, locale: Locale) -> str:
    """Return how full the profile is, as it is shown in the context."""
    if locale == "zh":
        return f"（已用 {used:,} / {capacity:,} 字元）"
    return f"({used:,} of {capacity:,} characters used)"
