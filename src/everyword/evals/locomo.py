"""LoCoMo (Maharana et al., ACL 2024): ten long conversations of two friends; evidence by dialogue id.

Category 5 has no answer in the conversation and is left out. CC BY-NC 4.0: read by path, never shipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from everyword.evals.dataset import Case, Dataset, Question, Said, in_layout, read_records

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
_DIALOGUE_ID = re.compile(r"D\d+:\d+")


def load(path: Path) -> Dataset:
    """Read a file in the publisher's layout. Raise InvalidInputError."""
    records, sha256 = read_records(path, "LoCoMo")
    left_out: dict[str, int] = {}
    return Dataset(name="locomo", sha256=sha256, cases=_cases(records, path, left_out), left_out=left_out)


def _cases(records: list[Any], path: Path, left_out: dict[str, int]) -> Iterator[Case]:
    for record in records:
        yield in_layout(partial(_case, left_out=left_out), record, path)


def _case(record: Mapping[str, Any], *, left_out: dict[str, int]) -> Case:
    messages, places = _messages(record["conversation"])
    questions = tuple(_questions(record["qa"], places, left_out))
    return Case(name=str(record["sample_id"]), messages=tuple(messages), questions=questions)


def _messages(conversation: Mapping[str, Any]) -> tuple[list[Said], dict[str, int]]:
    messages: list[Said] = []
    places: dict[str, int] = {}
    numbers = sorted(int(key[8:]) for key in conversation if re.fullmatch(r"session_\d+", key))
    for number in numbers:
        said_at = _time(str(conversation.get(f"session_{number}_date_time", "")))
        for turn in conversation[f"session_{number}"]:
            places[turn["dia_id"]] = len(messages)
            caption = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            messages.append(
                Said(
                    role="user",
                    text=f"{turn['text']}{caption}",
                    session=f"session-{number}",
                    created_at=said_at,
                    author=turn["speaker"],
                )
            )
    return messages, places


def _questions(
    records: list[dict[str, Any]], places: Mapping[str, int], left_out: dict[str, int]
) -> Iterator[Question]:
    for record in records:
        kind = CATEGORIES.get(record.get("category", 0))
        if kind is None:
            _count(left_out, "no answer in the conversation")
            continue
        ids = {each for text in record.get("evidence", []) for each in _DIALOGUE_ID.findall(text) or [text]}
        found = {places[each] for each in ids if each in places}
        if len(found) < len(ids):
            _count(left_out, "evidence id that does not resolve", len(ids) - len(found))
        if not found:
            _count(left_out, "no evidence that resolves")
            continue
        yield Question(text=str(record["question"]), evidence=frozenset(found), kind=kind)


def _time(text: str) -> str | None:
    """Return ISO 8601 of a text such as `1:56 pm on 8 May, 2023`; it has no zone, and UTC is assumed."""
    try:
        return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC).isoformat()
    except ValueError:
        return None


def _count(left_out: dict[str, int], reason: str, number: int = 1) -> None:
    left_out[reason] = left_out.get(reason, 0) + number
