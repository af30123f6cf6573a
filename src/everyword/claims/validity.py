"""When claims hold: worked out from all statements each time, so that what is forgotten leaves no trace in the rest.

A later statement about the same slot ends an earlier one; both stay, and a question as of an earlier day sees the earlier.
Where two may contradict each other and nobody can tell, both hold with a caution.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from everyword.claims.trust import ASKED
from everyword.domain.claim import SETTLED, Claim, Link, Relation, Statement
from everyword.domain.message import Message, MessageId
from everyword.text.related import related
from everyword.text.words import fold

LIKES = "likes"


@dataclass(slots=True, kw_only=True)
class _Held:
    """A claim while it is worked out."""

    claim_id: str
    statement: Statement
    message: Message
    objects: frozenset[str]
    text: str
    folded: str
    message_ids: list[MessageId]
    last_said_at: datetime | None = None
    closed_by: str | None = None
    valid_to: datetime | None = None
    is_corrected: bool = False
    cautions: list[str] = field(default_factory=list[str])
    leads: frozenset[str] | None = None
    """Index terms that its objects lead to, once somebody asked."""


def claim_id(statement: Statement, message: Message) -> str:
    """Return the id of the claim that a statement is."""
    return f"{message.message_id}:{statement.start}-{statement.stop}:{statement.kind}"


def resolved(
    statements: Iterable[Statement],
    messages: Mapping[int, Message],
    links: Sequence[Link] = (),
    *,
    as_of: datetime | None = None,
    extractor: str = "",
) -> tuple[Claim, ...]:
    """Return the claims in the order in which they were said, as they stood at a time; what has no time is always said."""
    held: list[_Held] = []
    by_key = _by_newer(links)
    open_ones: dict[str, list[_Held]] = {}
    said: dict[tuple[str, str, str, str], _Held] = {}
    for one in _in_order(statements, messages, as_of):
        if (same := said.get(_same(one))) is not None and same.closed_by is None:
            same.message_ids.append(one.message.message_id)
            same.last_said_at = one.message.created_at or same.last_said_at
            continue
        if one.statement.state in SETTLED:
            _settle(one, open_ones, by_key.get(one.statement.key, {}))
        held.append(one)
        said[_same(one)] = one
        open_ones.setdefault(one.statement.slot, []).append(one)
    return tuple(_claim(one, extractor) for one in held)


def _in_order(statements: Iterable[Statement], messages: Mapping[int, Message], as_of: datetime | None) -> list[_Held]:
    """Return what was said by then, by time; where the time of any is not known, all by their arrival."""
    found = [
        _Held(
            claim_id=claim_id(each, message),
            statement=each,
            message=message,
            objects=frozenset(each.objects),
            text=(text := message.text[each.start : each.stop]),
            folded=fold(text),
            message_ids=[message.message_id],
            last_said_at=message.created_at,
        )
        for each in statements
        if (message := messages.get(each.seq)) is not None
        and (as_of is None or message.created_at is None or message.created_at <= as_of)
    ]
    found.sort(key=lambda each: (each.statement.seq, each.statement.start))
    if all(each.message.created_at for each in found):
        found.sort(key=lambda each: each.message.created_at or each.message.received_at)
    return found


def _same(one: _Held) -> tuple[str, str, str, str]:
    """Return what two statements have in common that say the same in the same words."""
    return one.statement.slot, one.statement.kind, one.statement.state, _bare(one.folded)


def _bare(folded: str) -> str:
    return " ".join(re.findall(r"\w+", folded))


def _settle(one: _Held, open_ones: dict[str, list[_Held]], linked: Mapping[str, Relation]) -> None:
    """End the earlier claims that a new one contradicts or corrects, and note those that it may contradict."""
    everything = bool(one.statement.replaces or one.statement.corrects or linked)
    slots = list(open_ones) if everything else [one.statement.slot] if one.statement.slot else []
    for slot in slots:
        for other in open_ones.get(slot, ()):
            relation = (linked.get(other.claim_id) if linked else None) or _relation(one, other)
            if relation == "ends":
                other.closed_by, other.valid_to = one.claim_id, one.message.created_at
                other.is_corrected = _is_corrected(one, other)
            elif relation == "doubts":
                other.cautions.append(one.claim_id)
                one.cautions.append(other.claim_id)
        if slot in open_ones:
            open_ones[slot] = [other for other in open_ones[slot] if other.closed_by is None]


def _relation(one: _Held, other: _Held) -> Relation | None:
    """Return what a newer statement does to an older one, as far as their words tell."""
    newer, older = one.statement, other.statement
    if _is_corrected(one, other):
        return "ends"
    if not newer.slot or newer.slot != older.slot or older.state not in SETTLED:
        return None
    if newer.slot != LIKES:
        return "ends"
    if newer.polarity * older.polarity >= 0:
        return None
    if one.objects <= other.objects:
        return "ends"
    return "doubts" if _are_related(one, other) else None


def _is_corrected(one: _Held, other: _Held) -> bool:
    """Tell whether the newer statement says that the older one was wrong: by name, or by a value that it holds."""
    if one.statement.corrects == other.claim_id:
        return True
    return bool(one.statement.replaces) and any(_holds(other.folded, value) for value in one.statement.replaces)


def _holds(folded: str, value: str) -> bool:
    """Tell whether a value stands in a text as a word of its own."""
    bare = fold(value)
    return bare in folded and bool(re.search(rf"(?<![a-z0-9]){re.escape(bare)}(?![a-z0-9])", folded))


def _are_related(one: _Held, other: _Held) -> bool:
    """Tell whether two objects share a word, or one is a kind of the other."""
    return bool(one.objects & other.objects or _leads(one) & other.objects or _leads(other) & one.objects)


def _leads(one: _Held) -> frozenset[str]:
    """Return the index terms that the objects of a claim lead to; looked up once, since each is compared with many."""
    if one.leads is None:
        found = related(" ".join(one.statement.objects))
        one.leads = frozenset(term for each in found for term in (*each.members, *each.synonyms))
    return one.leads


def _by_newer(links: Sequence[Link]) -> dict[tuple[int, int, int, str], dict[str, Relation]]:
    found: dict[tuple[int, int, int, str], dict[str, Relation]] = {}
    for link in links:
        found.setdefault(link.newer, {})[link.older] = link.relation
    return found


def _claim(one: _Held, extractor: str) -> Claim:
    return Claim(
        claim_id=one.claim_id,
        text=one.text,
        kind=one.statement.kind,
        state=one.statement.state,
        message_ids=tuple(one.message_ids),
        seq=one.statement.seq,
        span=(one.statement.start, one.statement.stop),
        author_role=one.message.role,
        said_at=one.message.created_at,
        valid_from=one.message.created_at,
        valid_to=one.valid_to,
        closed_by=one.closed_by,
        is_corrected=one.is_corrected,
        cautions=tuple(one.cautions),
        confidence=one.statement.confidence,
        trust=one.statement.trust,
        slot=one.statement.slot,
        extractor=extractor,
        is_asked=ASKED in one.message.metadata,
        last_said_at=one.last_said_at,
    )
