"""LoCoMo (Maharana et al., ACL 2024): ten long conversations of two friends; evidence by dialogue id.

Category 5 has no answer in the conversation and is left out. An audit's corrections of answers and evidence can be
applied. CC BY-NC 4.0: read by path, never shipped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from everyword.evals.dataset import Case, Dataset, Question, Said
from everyword.evals.locomo_corrections import Correction, Corrections, read_corrections
from everyword.evals.published import in_layout, iso, read_records

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
_DIALOGUE_ID = re.compile(r"D:?(\d+):(\d+)")
_TIME = "%I:%M %p on %d %B, %Y"


def load(path: Path, corrections: Path | None = None) -> Dataset:
    """Read a file in the publisher's layout; the corrections may be a file or a folder. Raise InvalidInputError."""
    records, sha256 = read_records(path, "LoCoMo")
    wanted: Corrections = read_corrections(corrections) if corrections else {}
    left_out: Counter[str] = Counter()
    name = "locomo-corrected" if corrections else "locomo"
    return Dataset(name=name, sha256=sha256, cases=_cases(records, path, wanted, left_out), left_out=left_out)


def _cases(records: Iterable[Any], path: Path, corrections: Corrections, left_out: Counter[str]) -> Iterator[Case]:
    for record in records:
        yield in_layout(partial(_case, corrections=corrections, left_out=left_out), record, path)
    if corrections:
        left_out["correction of a question that is not in the data"] = len(corrections)


def _case(record: Mapping[str, Any], *, corrections: Corrections, left_out: Counter[str]) -> Case:
    name = str(record["sample_id"])
    messages, places = _messages(record["conversation"])
    questions: list[Question] = []
    for number, asked in enumerate(record["qa"]):
        if asked.get("category") not in CATEGORIES:
            left_out["question without an answer (category 5)"] += 1
            continue
        correction = corrections.pop((name, str(asked["question"])), None)
        left_out.update(["correction applied"] if correction else [])
        questions.append(_question(asked, f"qa{number}", correction or Correction(), messages, places, left_out))
    return Case(name=name, messages=tuple(messages), questions=tuple(questions))


def _messages(conversation: Mapping[str, Any]) -> tuple[list[Said], dict[str, int]]:
    messages: list[Said] = []
    places: dict[str, int] = {}
    numbers = sorted(int(key[8:]) for key in conversation if re.fullmatch(r"session_\d+", key))
    for place, number in enumerate(numbers, 1):
        said_at = iso(str(conversation.get(f"session_{number}_date_time", "")), _TIME)
        for turn in conversation[f"session_{number}"]:
            places[turn["dia_id"]] = len(messages)
            messages.append(_said(turn, f"session-{place}", said_at))
    return messages, places


def _said(turn: Mapping[str, Any], session: str, said_at: str | None) -> Said:
    """Return a message; the words that its picture was searched with are the annotators' and stay out."""
    caption = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
    return Said(
        role="user", text=f"{turn['text']}{caption}", session=session, created_at=said_at, author=turn["speaker"]
    )


def _question(
    asked: Mapping[str, Any],
    name: str,
    correction: Correction,
    messages: list[Said],
    places: Mapping[str, int],
    left_out: Counter[str],
) -> Question:
    evidence = _evidence(asked.get("evidence", []) if correction.evidence is None else correction.evidence)
    found = frozenset(places[each] for each in evidence if each in places)
    if dangling := sum(each not in places for each in evidence):
        left_out["evidence id that does not resolve"] += dangling
    if not found:
        left_out["question without evidence that resolves"] += 1
    return Question(
        text=str(asked["question"]),
        evidence=found,
        kind=CATEGORIES[asked["category"]],
        name=name,
        answer=correction.answer or str(asked.get("answer", "")),
        sessions=frozenset(messages[place].session for place in found),
    )


def _evidence(references: Iterable[str]) -> set[str]:
    """Return the ids that are meant: some share a string, some have a colon or a zero too many."""
    ids: set[str] = set()
    for text in references:
        ids |= {f"D{int(session)}:{int(turn)}" for session, turn in _DIALOGUE_ID.findall(text)} or {text}
    return ids
