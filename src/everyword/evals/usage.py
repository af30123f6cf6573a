"""What a memory in use sends: the prompt by source, the same thing twice among the first found, and how stale it is.

Each is a sign of one thing that goes wrong as a memory grows: expansion, failed deduplication, expiry.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean
from typing import Any

from everyword.domain.context import Context, Evidence
from everyword.errors import InvalidInputError
from everyword.evals.order import final_order
from everyword.evals.tally import percentile
from everyword.memory import Memory
from everyword.text.words import terms

FIRST = 10
"""How many of the first found are looked at for doubles."""
_ALIKE = 0.8
"""Share of common terms from which two messages say the same."""
_FEWEST_TERMS = 3
_SUFFIXES = (
    "c|cc|cfg|conf|cpp|cs|css|csv|docx|go|h|hpp|html|ini|ipynb|java|js|json|jsx|kt|log|lua|md|pdf|php|pptx|py|rb|rs|rst|"
    "sh|sql|swift|tex|toml|ts|tsx|txt|vue|xlsx|xml|yaml|yml"
)
_PATH = re.compile(rf"(?<![\w/.:-])(?:[~.]{{0,2}}/)?(?:[\w.+-]+/)*[\w.+-]+\.(?:{_SUFFIXES})(?![\w/])", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One message of a memory, as far as it matters here."""

    seq: int
    role: str
    text: str
    created_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question, and when it was asked: only what was said before can answer it. None: now, from all."""

    text: str
    asked_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """Three figures over a number of questions."""

    questions: int
    tokens_mean: float
    sources: Mapping[str, float]
    """Share of the prompts by source: words of each role, dates and marks around them, the question."""
    doubles: float | None
    """Of the first found: the share that says what one before it says. None: nothing was found."""
    first: int
    items: int
    """Packed items that name a file."""
    stale: int
    """Of these: how many are older than the last change of the file."""
    days_behind_median: float | None
    """Of the stale ones."""
    days_behind_p90: float | None

    def record(self) -> dict[str, Any]:
        """Return a JSON record."""
        return asdict(self)


def habits(
    memory: Memory,
    *,
    user_id: str,
    questions: Sequence[Asked] = (),
    count: int = 50,
    first: int = FIRST,
    files: Path | None = None,
    **arguments: Any,
) -> Habits:
    """Return the figures; without questions, over `count` of the user's own messages, each asked at its time.

    `files` is the folder that named files are in; without it, or where a file is not there, its last change is the last
    time that a message names it. `arguments` are those of `context`. Raise InvalidInputError where nothing can be asked.
    """
    told = list(messages(memory.export(user_id=user_id)))
    asked = list(questions) or sampled(told, count)
    if not asked:
        raise InvalidInputError(f"There is nothing to ask {user_id!r} about: no message of the user has enough words.")
    contexts = [_context(memory, each, user_id, arguments) for each in asked]
    changes = _last_named(told)
    ages = [days for context in contexts for each in context.evidence for days in _behind(each, changes, files)]
    stale = sorted(days for days in ages if days > 0)
    return Habits(
        questions=len(asked),
        tokens_mean=fmean(context.tokens for context in contexts),
        sources=_sources(contexts),
        doubles=_doubles(contexts, {each.seq: each.text for each in told}, first),
        first=first,
        items=len(ages),
        stale=len(stale),
        days_behind_median=percentile(stale, 50) if stale else None,
        days_behind_p90=percentile(stale, 90) if stale else None,
    )


def messages(lines: Iterable[bytes]) -> Iterator[Told]:
    """Yield the messages of an export."""
    for line in lines:
        record = json.loads(line)
        if "seq" in record:
            said = datetime.fromisoformat(record["created_at"]) if record["created_at"] else None
            yield Told(seq=record["seq"], role=record["role"], text=record["text"], created_at=said)


def sampled(told: Sequence[Told], count: int) -> list[Asked]:
    """Return messages of the user that could be questions, spread over the whole history."""
    able = [each for each in told if each.role == "user" and each.created_at and len(terms(each.text)) >= _FEWEST_TERMS]
    places = sorted({round((number + 1) * len(able) / count) - 1 for number in range(count)} & set(range(len(able))))
    return [Asked(text=able[place].text, asked_at=able[place].created_at) for place in places]


def _context(memory: Memory, asked: Asked, user_id: str, arguments: Mapping[str, Any]) -> Context:
    before = None if asked.asked_at is None else asked.asked_at - timedelta(microseconds=1)
    question = asked.text[:2_000]
    return memory.context(
        question, user_id=user_id, asked_at=asked.asked_at, before=before, recent_turns=0, **arguments
    )


def _sources(contexts: Sequence[Context]) -> dict[str, float]:
    """Return the share of all tokens by source."""
    found: dict[str, float] = {}
    for context in contexts:
        words = 0
        for each in context.evidence:
            source = f"words of {each.message.origin if each.message.origin == 'web' else each.message.role}"
            found[source] = found.get(source, 0) + each.tokens
            words += each.tokens
        packed = context.ledger.get("evidence", 0)
        found["dates and marks"] = found.get("dates and marks", 0) + max(0, packed - words)
        rest = sum(context.ledger.values()) - packed
        found["question"] = found.get("question", 0) + rest
    total = sum(found.values()) or 1
    return {source: found[source] / total for source in sorted(found, key=lambda name: -found[name])}


def _doubles(contexts: Sequence[Context], texts: Mapping[int, str], first: int) -> float | None:
    """Return the share of the first found whose terms are those of one that stands before."""
    found = doubled = 0
    for context in contexts:
        seen: list[frozenset[str]] = []
        for seq in [each for each in final_order(context).ranks if each in texts][:first]:
            said = frozenset(terms(texts[seq])) or frozenset([texts[seq]])
            found += 1
            doubled += any(_alike(said, other) for other in seen)
            seen.append(said)
    return doubled / found if found else None


def _alike(a: frozenset[str], b: frozenset[str]) -> bool:
    return len(a & b) >= _ALIKE * len(a | b)


def _last_named(told: Iterable[Told]) -> dict[str, datetime]:
    """Return when each file was named last."""
    found: dict[str, datetime] = {}
    for each in told:
        if each.created_at is not None:
            for path in _PATH.findall(each.text):
                found[path] = max(found.get(path, each.created_at), each.created_at)
    return found


def _behind(evidence: Evidence, named: Mapping[str, datetime], files: Path | None) -> Iterator[float]:
    """Yield by how many days an item is behind the last change of the files that it names: the largest, if it names any."""
    said = evidence.message.created_at
    if said is None:
        return
    changes = (_changed(path, files) or named.get(path) for path in set(_PATH.findall(evidence.text)))
    days = [(change - said).total_seconds() / 86_400 for change in changes if change is not None]
    if days:
        yield max(days)


def _changed(path: str, files: Path | None) -> datetime | None:
    """Return when a file was changed on disk; None where it is not there."""
    if files is None:
        return None
    try:
        return datetime.fromtimestamp((files / path).stat().st_mtime, UTC)
    except (OSError, ValueError):
        return None
