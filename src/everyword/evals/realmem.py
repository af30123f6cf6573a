"""RealMem (2026): a persona's sessions with an assistant in order; queries inside them that need earlier sessions.

The assistant's turn after a query names the sessions that it was written from. The memory holds the sessions before
the query's own, as the publisher's evaluation does. Apache-2.0.

Evidence is known by sessions only. Their `extracted_memory` names one source turn for each memory, but that turn is
often the `yes` to what the assistant had laid out: on five personas it shares the most words with the memory among
its session's turns for 32 % of the memories that queries use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from everyword.errors import InvalidInputError
from everyword.evals.dataset import Case, Dataset, Question, Said
from everyword.evals.published import in_layout, iso, read_json, sha256_of_files

ROLES = {"User": "user", "Assistant": "assistant"}
_NOTHING: Mapping[str, Any] = {}


def load(path: Path) -> Dataset:
    """Read a persona's file, or a folder of `*_dialogues_*.json`. Raise InvalidInputError."""
    files = sorted(path.glob("*_dialogues_*.json*")) if path.is_dir() else [path]
    if not files:
        raise InvalidInputError(f"{path} has no *_dialogues_*.json: give a file or the folder of RealMem's dialogues.")
    left_out: Counter[str] = Counter()
    sha256 = sha256_of_files(files[0].parent, files)
    return Dataset(name="realmem", sha256=sha256, cases=_cases(files, left_out), left_out=left_out)


def _cases(files: Iterable[Path], left_out: Counter[str]) -> Iterator[Case]:
    for path in files:
        document, _ = read_json(path)
        name = path.name.split("_dialogues")[0].split(".")[0]
        yield in_layout(partial(_case, name=name, left_out=left_out), document, path)


def _case(document: Mapping[str, Any], *, name: str, left_out: Counter[str]) -> Case:
    """Return a persona's sessions in the file's order, which is the publisher's also where its dates are not."""
    dialogues: list[dict[str, Any]] = document["dialogues"]
    numbers = {str(dialogue["session_uuid"]): number for number, dialogue in enumerate(dialogues, 1)}
    messages: list[Said] = []
    questions: list[Question] = []
    for number, dialogue in enumerate(dialogues, 1):
        known, day = len(messages), iso(str(dialogue["current_time"]).split(" ")[0], "%Y-%m-%d")
        turns = dialogue["dialogue_turns"]
        messages.extend(_said(turn, number, day) for turn in turns)
        for place, turn in enumerate(turns):
            reply = turns[place + 1] if place + 1 < len(turns) else _NOTHING
            if turn.get("is_query"):
                sessions = _sessions(reply, numbers, number, left_out)
                questions.append(_question(turn, reply, sessions, day, known, f"query-{len(questions) + 1}"))
            elif reply.get("memory_session_uuids"):
                left_out["reply from memory to a turn that is no query"] += 1
    if not messages:
        raise ValueError("it has no turns")
    return Case(name=name, messages=tuple(messages), questions=tuple(questions))


def _said(turn: Mapping[str, Any], session: int, day: str | None) -> Said:
    return Said(role=ROLES[turn["speaker"]], text=turn["content"], session=f"session-{session}", created_at=day)


def _sessions(reply: Mapping[str, Any], numbers: Mapping[str, int], own: int, left_out: Counter[str]) -> frozenset[str]:
    """Return the earlier sessions that a reply was written from."""
    named = reply.get("memory_session_uuids") or [each["session_uuid"] for each in reply.get("memory_used") or ()]
    places = [numbers.get(str(each)) for each in dict.fromkeys(named)]
    if unknown := places.count(None):
        left_out["evidence session that is not in the file"] += unknown
    if late := sum(place is not None and place >= own for place in places):
        left_out["evidence session that is not before the query's own"] += late
    sessions = frozenset(f"session-{place}" for place in places if place is not None and place < own)
    if not sessions:
        left_out["question without an evidence session"] += 1
    return sessions


def _question(
    turn: Mapping[str, Any], reply: Mapping[str, Any], sessions: frozenset[str], day: str | None, known: int, name: str
) -> Question:
    labels = {"scope": turn.get("session_type"), "topic": turn.get("topic")}
    return Question(
        text=turn["content"],
        evidence=frozenset(),
        kind=str(turn.get("category_name", "")),
        asked_at=day,
        name=str(turn.get("query_id") or name),
        answer=str(reply.get("content", "")),
        rubric=tuple(dict.fromkeys(str(each["content"]) for each in reply.get("memory_used") or ())),
        sessions=sessions,
        labels=tuple(f"{key}:{value}" for key, value in labels.items() if value),
        known=known,
    )
