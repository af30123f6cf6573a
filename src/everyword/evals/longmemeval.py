"""LongMemEval (Wu et al., ICLR 2025): one history of some 50 sessions a question; evidence turns carry `has_answer`.

Evidence sessions have ids that begin with `answer`: sessions are renamed by their place, so that no id gives it away.
Questions whose id ends in `_abs` have no answer and are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from everyword.evals.dataset import Case, Dataset, Question, Said, in_layout, read_records


def load(path: Path) -> Dataset:
    """Read a file (S, M or oracle) in the publisher's layout. Raise InvalidInputError."""
    records, sha256 = read_records(path, "LongMemEval")
    left_out: dict[str, int] = {}
    return Dataset(name="longmemeval", sha256=sha256, cases=_cases(records, path, left_out), left_out=left_out)


def _cases(records: list[Any], path: Path, left_out: dict[str, int]) -> Iterator[Case]:
    for record in records:
        case = in_layout(_case, record, path)
        if case.name.endswith("_abs"):
            left_out["no answer in the history"] = left_out.get("no answer in the history", 0) + 1
        elif not case.questions[0].evidence:
            left_out["no turn marked has_answer"] = left_out.get("no turn marked has_answer", 0) + 1
        else:
            yield case


def _case(record: dict[str, Any]) -> Case:
    messages: list[Said] = []
    evidence: set[int] = set()
    sessions = sorted(zip(record["haystack_dates"], record["haystack_sessions"], strict=True), key=lambda each: each[0])
    for number, (date, turns) in enumerate(sessions, 1):
        for turn in turns:
            if turn.get("has_answer"):
                evidence.add(len(messages))
            messages.append(
                Said(role=turn["role"], text=turn["content"], session=f"session-{number}", created_at=_time(date))
            )
    question = Question(
        text=str(record["question"]),
        evidence=frozenset(evidence),
        kind=str(record.get("question_type", "")),
        asked_at=_time(str(record.get("question_date", ""))),
    )
    return Case(name=str(record["question_id"]), messages=tuple(messages), questions=(question,))


def _time(text: str) -> str | None:
    """Return ISO 8601 of a text such as `2023/05/20 (Sat) 02:21`; it has no zone, and UTC is assumed."""
    try:
        return datetime.strptime(text, "%Y/%m/%d (%a) %H:%M").replace(tzinfo=UTC).isoformat()
    except ValueError:
        return None
