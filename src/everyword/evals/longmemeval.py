"""LongMemEval (Wu et al., ICLR 2025): one history of some 50 sessions a question; evidence turns carry `has_answer`.

Evidence sessions have ids that begin with `answer`: sessions are renamed by their place, so that no id gives it away.
Questions whose id ends in `_abs` have no answer in the history. MIT.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from everyword.evals.dataset import Case, Dataset, Question, Said
from everyword.evals.published import in_layout, iso, read_records

PREFERENCE = "single-session-preference"
"""The kind whose answers say what a good reply takes into account."""
_TIME = "%Y/%m/%d (%a) %H:%M"


def load(path: Path) -> Dataset:
    """Read a file (S, M or oracle) in the publisher's layout, one history at a time. Raise InvalidInputError."""
    records, sha256 = read_records(path, "LongMemEval")
    left_out: Counter[str] = Counter()
    return Dataset(name="longmemeval", sha256=sha256, cases=_cases(records, path, left_out), left_out=left_out)


def _cases(records: Iterable[Any], path: Path, left_out: Counter[str]) -> Iterator[Case]:
    for record in records:
        yield in_layout(partial(_case, left_out=left_out), record, path)


def _case(record: dict[str, Any], *, left_out: Counter[str]) -> Case:
    messages: list[Said] = []
    evidence: set[int] = set()
    sessions: set[str] = set()
    for number, (date, session_id, turns) in enumerate(_sessions(record), 1):
        session, said_at = f"session-{number}", iso(date, _TIME)
        sessions |= {session} if session_id in record["answer_session_ids"] else set()
        for turn in turns:
            evidence |= {len(messages)} if turn.get("has_answer") else set()
            messages.append(Said(role=turn["role"], text=turn["content"], session=session, created_at=said_at))
    question = _question(record, frozenset(evidence), frozenset(sessions))
    if question.answerable and not evidence:
        left_out["question whose evidence is known by its sessions only"] += 1
    return Case(name=question.name, messages=tuple(messages), questions=(question,))


def _sessions(record: dict[str, Any]) -> list[tuple[str, str, list[dict[str, Any]]]]:
    """Return date, id and turns of each session, by date."""
    each = zip(record["haystack_dates"], record["haystack_session_ids"], record["haystack_sessions"], strict=True)
    return sorted(each, key=lambda session: session[0])


def _question(record: dict[str, Any], evidence: frozenset[int], sessions: frozenset[str]) -> Question:
    name, kind, answer = (str(record[key]) for key in ("question_id", "question_type", "answer"))
    answerable = not name.endswith("_abs")
    return Question(
        text=str(record["question"]),
        evidence=evidence if answerable else frozenset(),
        kind=kind,
        asked_at=iso(str(record.get("question_date", "")), _TIME),
        name=name,
        answer=answer,
        rubric=(answer,) if kind == PREFERENCE and answerable else (),
        answerable=answerable,
        sessions=sessions if answerable else frozenset(),
    )
