"""Claims without a language model: the user's own first-person sentences, sorted by how they are said.

English and Chinese. What is said in another language is found as evidence and never becomes a claim here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

from everyword.claims import patterns
from everyword.claims.extractor import Reading
from everyword.claims.self_quotation import stated
from everyword.claims.triples import relates_others
from everyword.claims.trust import ASKED, is_own, is_within, others_words, reviewed
from everyword.domain.claim import CLAIM_KINDS, Claim, ClaimKind, ClaimState, Statement
from everyword.domain.message import Message
from everyword.text.clauses import Span, sentences
from everyword.text.words import fold, terms

NAME = "rules-3"
"""Another number reads everything anew."""
_LONGEST = 400
"""Characters of a sentence that is somebody's statement and not a document."""
_LEAST = 4
_ABBREVIATED = re.compile(r"\b(?:Mrs?|Ms|Dr|Prof|St|Mt|Sr|Jr|No|vs|e\.g|i\.e|[A-Z])\. *$")

_NO_STATEMENT = (patterns.QUESTION, patterns.ASKS, patterns.UNREAL, patterns.REPORTED)


class RuleExtractor:
    """Quotes sentences; whatever the rules do not know stays evidence alone."""

    name = NAME
    batch = 500
    is_quick = True

    def read(self, messages: Sequence[Message], known: Sequence[Claim]) -> Reading:  # noqa: ARG002
        """Return the statements of the messages; what is known already changes nothing."""
        return Reading(statements=tuple(each for message in messages for each in statements(message)))


def statements(message: Message) -> list[Statement]:
    """Return what a message states, in its order; nothing of a message that is not the user's own."""
    if not is_own(message):
        return []
    if (asked := asked_for(message)) is not None:
        return [asked]
    others = others_words(message.text)
    return [found for span in _said(message.text, others) if (found := _statement(message, span)) is not None]


def asked_for(message: Message) -> Statement | None:
    """Return the claim that the user asked for with the message, None where it is an ordinary one."""
    asked: Any = message.metadata.get(ASKED)
    wish = cast("dict[str, Any]", asked) if isinstance(asked, dict) else {}
    kind, corrects = wish.get("kind"), wish.get("corrects")
    if kind not in CLAIM_KINDS or not message.text.strip():
        return None
    slot, polarity, objects = _slot(fold(message.text), "note")[1:]
    return Statement(
        seq=message.seq,
        start=0,
        stop=len(message.text),
        kind=cast("ClaimKind", kind),
        slot=slot,
        polarity=polarity,
        objects=objects,
        replaces=_wrong_values(fold(message.text)),
        corrects=corrects if isinstance(corrects, str) else None,
    )


def _said(text: str, others: list[Span]) -> Iterator[Span]:
    """Yield the sentences that are the speaker's own, without the space around them."""
    for start, stop in _sentences(text):
        words = text[start:stop]
        begin = start + len(words) - len(words.lstrip(" \t\r\n-*•·"))
        end = start + len(words.rstrip())
        if _LEAST <= end - begin <= _LONGEST and not is_within((begin, end), others):
            yield begin, end


def _sentences(text: str) -> list[Span]:
    """Return the sentences; the point of an abbreviation ends none, since the name that it announces is what counts."""
    whole: list[Span] = []
    for start, stop in sentences(text):
        if whole and _ABBREVIATED.search(text, max(whole[-1][0], start - 12), start):
            whole[-1] = (whole[-1][0], stop)
        else:
            whole.append((start, stop))
    return whole


def _statement(message: Message, span: Span) -> Statement | None:
    words = stated(message.text[slice(*span)])
    said = fold(words)
    if not _is_statement(said, words):
        return None
    state = _state(said)
    kind, slot, polarity, objects = _slot(said, "edge" if relates_others(words) else "note")
    if state == "joke":
        kind, slot, polarity, objects = "note", "", 0, ()
    kind = reviewed(kind, state, said)
    settled = state in ("statement", "result")
    return Statement(
        seq=message.seq,
        start=span[0],
        stop=span[1],
        kind=kind,
        state=state,
        slot=slot if settled else "",
        polarity=polarity if settled else 0,
        objects=objects if settled else (),
        replaces=_wrong_values(said) if settled else (),
        confidence={"guess": 0.5, "joke": 0.1, "plan": 0.8}.get(state, 1.0),
    )


def _is_statement(said: str, words: str) -> bool:
    """Tell whether a folded sentence states something about the speaker or relates two others, or is a rule or a correction."""
    is_about_self = bool(patterns.FIRST_PERSON.search(said)) and not patterns.ASKED_TO.search(said)
    if (
        not is_about_self
        and not patterns.RULE.search(said)
        and not patterns.CALL_ME.search(said)
        and not _wrong_values(said)
        and not relates_others(words)
    ):
        return False
    return not any(pattern.search(said) for pattern in _NO_STATEMENT)


def _state(said: str) -> ClaimState:
    if patterns.JOKE.search(said):
        return "joke"
    if patterns.GUESS.search(said):
        return "guess"
    if patterns.PLAN.search(said) and not patterns.RULE.search(said):
        return "plan"
    return "result" if patterns.PAST.search(said) else "statement"


def _slot(said: str, otherwise: ClaimKind) -> tuple[ClaimKind, str, int, tuple[str, ...]]:
    """Return kind, slot, polarity and object terms of a folded sentence."""
    if patterns.RULE.search(said):
        return "procedure", "", 0, ()
    return _fact(said) or (otherwise, "", 0, ())


def _fact(said: str) -> tuple[ClaimKind, str, int, tuple[str, ...]] | None:
    """Return the same of what is said about the user and theirs, None where the sentence is only a note."""
    if (found := patterns.ATTRIBUTE.search(said) or patterns.ATTRIBUTE_ZH.search(said)) is not None:
        return "entity", _attribute(found), 0, ()
    for slot, english, chinese in patterns.SINGLE:
        if english.search(said) or chinese.search(said):
            return "profile", slot, 0, ()
    if (liked := _liked(said)) is not None:
        return "profile", "likes", *liked
    if patterns.IS_A.search(said):
        return "profile", "", 0, ()
    if patterns.RELATIVE.search(said) or patterns.RELATIVE_ZH.search(said):
        return "entity", "", 0, ()
    return None


def _attribute(found: re.Match[str]) -> str:
    named = found.groupdict()
    words = named.get("slot") or named.get("own") or ""
    return " ".join(sorted(terms(words))) or words


def _liked(said: str) -> tuple[int, tuple[str, ...]] | None:
    """Return for or against and the terms of what is liked or not."""
    if (allergy := patterns.ALLERGY_ZH.search(said)) is not None:
        return -1, object_terms(allergy["object"])
    for pattern, against in ((patterns.LIKES, patterns.AGAINST), (patterns.LIKES_ZH, patterns.AGAINST_ZH)):
        if (found := pattern.search(said)) is not None and (objects := object_terms(found["object"])):
            return (-1 if against.search(found["verb"]) else 1), objects
    return None


def object_terms(words: str) -> tuple[str, ...]:
    """Return the index terms of an object, without what is said around it."""
    bare = patterns.END_OF_OBJECT_ZH.sub("", patterns.END_OF_OBJECT.sub("", words.strip()))
    found = tuple(dict.fromkeys(terms(bare)))
    pairs = tuple(term for term in found if term.isascii() or len(term) > 1)
    return (pairs or found)[:6]


def _wrong_values(said: str) -> tuple[str, ...]:
    """Return the values that are said to be wrong, where another value stands beside them."""
    if not any(character.isdigit() for character in said):
        return ()
    old = [found["old"].strip("./-") for pattern in patterns.WRONG_VALUE for found in pattern.finditer(said)]
    figures = set(re.findall(r"[a-z0-9./-]*\d[a-z0-9./-]*", said))
    return tuple(dict.fromkeys(value for value in old if value and {f.strip("./-") for f in figures} - {value}))
