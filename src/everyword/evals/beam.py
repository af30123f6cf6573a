"""BEAM (Tavakoli et al., 2025): long coherent chats in dated batches, with questions for ten abilities.

Evidence by message ids. User messages end in a mark of the generator such as ` ->-> 1,1`, which is taken off.
CC BY-SA 4.0.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from everyword.errors import InvalidInputError
from everyword.evals.dataset import Case, Dataset, Question, Said
from everyword.evals.published import existing, in_layout, iso, read_json, sha256_of_files
from everyword.transcripts.json_text import is_array, is_object

ABSTENTION = "abstention"
_ANSWERS = ("answer", "ideal_answer", "ideal_response", "ideal_summary", "expected_compliance")
_MARK = re.compile(r"\s*->->\s*\d+\s*,\s*(?:\d+|N/A)\)?\s*\Z")
_QUESTIONS = "probing_questions.json"

Turn = tuple[int, str | None, Mapping[str, Any]]
"""Number of its batch, time of the batch, message."""


def load(path: Path) -> Dataset:
    """Read a conversation's folder, or one of such folders at any depth. Raise InvalidInputError."""
    conversations = _conversations(path)
    if not conversations:
        raise InvalidInputError(f"{path} has no folder with chat.json and {_QUESTIONS}: give a folder of BEAM's chats.")
    left_out: Counter[str] = Counter()
    files = [file for pair in conversations for file in pair]
    cases = _cases(path, conversations, left_out)
    return Dataset(name="beam", sha256=sha256_of_files(path, files), cases=cases, left_out=left_out)


def _conversations(path: Path) -> list[tuple[Path, Path]]:
    """Return the chats with their questions; chats without are the plans that a long one was put together from."""
    folders = {file.parent for pattern in ("chat.json", "chat.json.gz") for file in path.rglob(pattern)}
    pairs = [(existing(folder, "chat.json"), _questions_of(folder)) for folder in sorted(folders, key=_natural)]
    return [(chat, questions) for chat, questions in pairs if chat and questions]


def _questions_of(folder: Path) -> Path | None:
    return existing(folder, _QUESTIONS) or existing(folder / "probing_questions", _QUESTIONS)


def _natural(path: Path) -> list[tuple[int, str]]:
    """Order folders as people count: 2 before 10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in path.parts]


def _cases(root: Path, conversations: list[tuple[Path, Path]], left_out: Counter[str]) -> Iterator[Case]:
    for chat, questions in conversations:
        name = chat.parent.relative_to(root).as_posix()
        turns = in_layout(lambda document: list(_turns(document)), read_json(chat)[0], chat)
        messages, places = in_layout(_messages, turns, chat)
        asked = partial(_asked, messages=messages, places=places, left_out=left_out)
        yield Case(
            name=chat.parent.resolve().name if name == "." else name,
            messages=tuple(messages),
            questions=tuple(in_layout(asked, read_json(questions)[0], questions)),
        )


def _turns(document: Any) -> Iterator[Turn]:
    """Yield the messages of all batches, also of those that a chat of 10 M tokens keeps under its plans."""
    for number, batch in enumerate(_batches(document), 1):
        said_at = None
        for message in (message for turn in batch["turns"] for message in turn):
            said_at = iso(str(message.get("time_anchor")), "%B-%d-%Y") or said_at
            yield number, said_at, message


def _batches(document: Any) -> Iterator[Mapping[str, Any]]:
    if not is_array(document):
        raise TypeError("it should be a list of batches")
    for each in document:
        if "turns" in each:
            yield each
        else:
            yield from (batch for plan in each.values() if plan is not None for batch in _batches(plan))


def _messages(turns: list[Turn]) -> tuple[list[Said], dict[int, list[int]]]:
    """Return the messages and the places of each id, which several messages of a long chat can share."""
    places: dict[int, list[int]] = {}
    for place, (_, _, message) in enumerate(turns):
        places.setdefault(message["id"], []).append(place)
    return [_said(message, batch, said_at) for batch, said_at, message in turns], places


def _said(message: Mapping[str, Any], batch: int, said_at: str | None) -> Said:
    text = unmarked(message["content"])
    return Said(role=message["role"], text=text, session=f"session-{batch}", created_at=said_at)


def unmarked(content: str) -> str:
    """Return the words without the generator's mark."""
    return _MARK.sub("", content)


def _asked(
    document: Mapping[str, list[Mapping[str, Any]]],
    *,
    messages: list[Said],
    places: Mapping[int, list[int]],
    left_out: Counter[str],
) -> list[Question]:
    questions: list[Question] = []
    for ability, records in document.items():
        for number, record in enumerate(records, 1):
            evidence = _evidence(record.get("source_chat_ids"), places, left_out)
            if not evidence and ability != ABSTENTION:
                left_out["question without evidence that resolves"] += 1
            questions.append(_question(record, ability, f"{ability}-{number}", evidence, messages))
    return questions


def _question(
    record: Mapping[str, Any], ability: str, name: str, evidence: frozenset[int], messages: list[Said]
) -> Question:
    answerable = ability != ABSTENTION
    return Question(
        text=str(record["question"]),
        evidence=evidence if answerable else frozenset(),
        kind=ability,
        name=name,
        answer=next((str(record[key]) for key in _ANSWERS if record.get(key)), ""),
        rubric=tuple(str(each) for each in record.get("rubric") or ()),
        answerable=answerable,
        sessions=frozenset(messages[place].session for place in evidence if answerable),
    )


def _evidence(references: Any, places: Mapping[int, list[int]], left_out: Counter[str]) -> frozenset[int]:
    evidence: set[int] = set()
    for each in dict.fromkeys(_ids(references)):
        held = places.get(each, []) if isinstance(each, int) else []
        if len(held) == 1:
            evidence.add(held[0])
        else:
            left_out["evidence id that several messages share" if held else "evidence id that does not resolve"] += 1
    return frozenset(evidence)


def _ids(references: Any) -> Iterator[int | str]:
    """Yield the ids of a list, or of a dict of lists, at any depth."""
    if is_object(references):
        yield from _ids(list(references.values()))
    elif is_array(references):
        for each in references:
            yield from _ids(each)
    elif references is not None:
        text = str(references)
        yield int(text) if text.isdigit() else text
