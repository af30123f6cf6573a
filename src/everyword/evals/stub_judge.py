"""A judge without a model: exact, contained, numeric, or an abstention. It is strict, blind to paraphrase, and free.

It decides short answers. A reference that lists things is contained where each of them is; one with numbers or dates is
right where these are the same and its other words are there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from everyword.evals.no_record import says_no_record
from everyword.evals.quantities import Quantity, quantities
from everyword.text import dates
from everyword.text.words import STOP_WORDS, UNSPACED, fold, stem

_TOKEN = re.compile(rf"\d+(?:[.,:]\d+)*|[{UNSPACED}]|[^\W\d_{UNSPACED}]+")
_ACCEPTED = re.compile(r"\s+(?:is|are) also (?:acceptable|correct|right)\.?\s*$", re.IGNORECASE)
_ASIDE = re.compile(r"\([^()]*\)|（[^（）]*）")
_CHOICE = re.compile(r"\s*([A-Ha-h])[.．、:：)]\s*(.+)", re.DOTALL)
_LETTER = re.compile(r"\s*(?:the answer is |答案(?:是|为|為)?[:：]?\s*)?\(?([A-Ha-h])\b(?![’'])", re.IGNORECASE)
_POLAR = re.compile(r"\s*(?:likely |probably |可能)?(yes|no|是的|是|有|不是|不|没有|否)(?=$|[\s,.;:!，。；：！])")
_YES = frozenset({"yes", "是的", "是", "有"})
_BETWEEN = re.compile(r"[,;、，；/]|\band\b|&|和|与|及|以及")
_TELLING = frozenset(
    "above after against before below between from no nor not off out over under until without".split()
)
"""Stop words of a search that turn an answer into another."""
_FILLERS = STOP_WORDS - _TELLING | frozenset(
    "ago about around approximately approx nearly total roughly exactly also last".split()
)
_UNSPACED_FILLERS = frozenset("约大共总前了的是在于有一个第左右")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """An answer or a reference, read once."""

    folded: str
    tokens: tuple[str, ...]
    """Words without stop words and endings; characters of unspaced scripts."""
    days: tuple[tuple[date, date], ...]
    quantities: tuple[Quantity, ...]
    """Those that are no part of a date."""
    rest: tuple[str, ...]
    """Tokens that are in no date and no quantity."""


def stub_verdict(
    question: str, reference: str, answer: str, *, asked_at: str | None = None, counts_days: bool = False
) -> tuple[bool, str]:
    """Return whether the answer is right, and the rule that decided. `counts_days`: days may be off by one."""
    if says_no_record(answer):
        return False, "abstention"
    anchor = _day(asked_at)
    said = read(answer, anchor)
    for accepted in alternatives(reference):
        rule = _rule(read(accepted, anchor), said, accepted, answer, counts_days=counts_days, question=question)
        if rule is not None:
            return True, rule
    return False, "no match"


def alternatives(reference: str) -> Iterator[str]:
    """Yield each text that the reference accepts, without remarks in brackets."""
    parts = [part for part in re.split(r"(?<=[.。])\s+", reference) if part.strip()]
    extra = [_ACCEPTED.sub("", part) for part in parts if _ACCEPTED.search(part)]
    main = [part for part in parts if not _ACCEPTED.search(part)]
    wholes = [" ".join(main), *extra]
    if len(main) > 1 and quantities(main[0]):
        wholes.insert(1, main[0])
    for whole in wholes:
        yield whole
        if (plain := _ASIDE.sub(" ", whole)) != whole and plain.strip():
            yield plain


def read(text: str, anchor: date | None) -> Said:
    """Read dates first, then quantities, then words: `22 May` is no quantity of 22."""
    spans = [span for span in dates.find(text, anchor) if span.kind == "absolute"]
    plain = text
    for span in spans:
        plain = plain.replace(span.text, " ; ", 1)
    folded, found = fold(plain), quantities(plain)
    rest = folded
    for each in reversed(found):
        rest = f"{rest[: each.start]} ; {rest[each.end :]}"
    return Said(
        folded=" ".join(_TOKEN.findall(fold(text))),
        tokens=tuple(_tokens(fold(text))),
        days=tuple((span.start, span.end) for span in spans),
        quantities=tuple(found),
        rest=tuple(_tokens(rest)),
    )


def _rule(gold: Said, said: Said, reference: str, answer: str, *, counts_days: bool, question: str) -> str | None:
    """Return the rule by which the answer is right."""
    if gold.folded and gold.folded == said.folded:
        return "exact"
    if choice := _CHOICE.fullmatch(reference):
        return _chosen(choice.group(1), choice.group(2), said, answer)
    if gold.days or gold.quantities:
        return "numeric" if _same_numbers(gold, said, question, counts_days=counts_days) else None
    if polar := _POLAR.match(fold(reference)):
        return _same_side(polar.group(1), answer)
    return "contained" if _holds(said.tokens, fold(reference)) else None


def _chosen(letter: str, words: str, said: Said, answer: str) -> str | None:
    named = _LETTER.match(answer)
    if named and (named.end() == len(answer.rstrip()) or answer[named.end()] in ".．、:：) ,，。"):
        return "exact" if named.group(1).lower() == letter.lower() else None
    return "contained" if _holds(said.tokens, fold(words)) else None


def _same_side(word: str, answer: str) -> str | None:
    polar = _POLAR.match(fold(answer))
    return "contained" if polar and (polar.group(1) in _YES) == (word in _YES) else None


def _same_numbers(gold: Said, said: Said, question: str, *, counts_days: bool) -> bool:
    """Tell whether every date and quantity is there, with the words that the question does not have already."""
    stated = [each for each in said.quantities if not each.is_hedged or any(one.is_hedged for one in gold.quantities)]
    has_days = all(span in said.days for span in gold.days)
    has_quantities = all(any(_is_same(each, one, counts_days) for one in stated) for each in gold.quantities)
    known = {*_tokens(fold(question)), *_UNSPACED_FILLERS}
    wanted = [token for token in gold.rest if token not in known]
    return has_days and has_quantities and set(wanted) <= set(said.tokens)


def _is_same(gold: Quantity, said: Quantity, counts_days: bool) -> bool:  # noqa: FBT001
    is_days = counts_days and "day" in (gold.unit, said.unit)
    return gold.is_same(said, within=1.0 if is_days else 0.0)


def _holds(tokens: Sequence[str], folded: str) -> bool:
    """Tell whether each part of a reference stands in the answer, word after word."""
    parts = [list(_tokens(part)) for part in _BETWEEN.split(folded)]
    told = [part for part in parts if part]
    return bool(told) and all(_is_run(part, tokens) for part in told)


def _is_run(part: Sequence[str], tokens: Sequence[str]) -> bool:
    return any(list(tokens[at : at + len(part)]) == list(part) for at in range(len(tokens) - len(part) + 1))


def _tokens(folded: str) -> Iterator[str]:
    for token in _TOKEN.findall(folded):
        if token not in _FILLERS:
            yield token.replace(",", "") if token[0].isdecimal() else stem(token)


def _day(moment: str | None) -> date | None:
    try:
        return datetime.fromisoformat(moment).date() if moment else None
    except ValueError:
        return None
