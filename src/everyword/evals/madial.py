"""MADial-Bench (He et al., NAACL 2025): memories of two children, and dialogues in which an assistant recalls some.

Evidence by memory ids. The question is the dialogue up to the first turn that recalls, as the publisher evaluates
its recall task; each child has its own memories. English and Simplified Chinese. MIT.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from everyword.errors import InvalidInputError
from everyword.evals.dataset import Case, Dataset, Question, Said
from everyword.evals.published import existing, in_layout, iso, read_lines, sha256_of_files

ASKED_AT = "2024-06-16T00:00:00+00:00"
"""When the dialogues take place, by the publisher's evaluation."""
ASSISTANT = "Assistant"
_DIALOGUES = re.compile(r"MADial-Bench-(\w+)-dialogue\.json(?:\.gz)?")
_TURN = re.compile(r"\s*<(\w+)>\s*:\s*(.*)", re.DOTALL)
_LIMIT = ("<BOD>", "<EOD>")
_QUOTES = '"“”'


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """The two files of a language."""

    language: str
    dialogues: Path
    memories: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One memory as published."""

    memory_id: str
    owner: str | None
    """None where the edition does not say whose it is."""
    day: str | None
    event: str


def load(path: Path) -> Dataset:
    """Read a file of dialogues with that of its memories beside it, or a folder of editions. Raise InvalidInputError."""
    editions = [_edition(file) for file in _files(path)]
    if not editions:
        raise InvalidInputError(f"{path} has no MADial-Bench-*-dialogue.json: give the folder of MADial-Bench's data.")
    left_out: Counter[str] = Counter()
    files = [file for each in editions for file in (each.dialogues, each.memories)]
    sha256 = sha256_of_files(path if path.is_dir() else path.parent, files)
    return Dataset(name="madial", sha256=sha256, cases=_cases(editions, left_out), left_out=left_out)


def _files(path: Path) -> list[Path]:
    files = sorted(path.rglob("MADial-Bench-*-dialogue.json*")) if path.is_dir() else [path]
    return [file for file in files if _DIALOGUES.fullmatch(file.name)]


def _edition(dialogues: Path) -> Edition:
    match = _DIALOGUES.fullmatch(dialogues.name)
    language = match[1] if match else ""
    name = f"MADial-Bench-{language}-memory.json"
    memories = existing(dialogues.parent, name)
    if memories is None:
        raise InvalidInputError(f"{dialogues} needs {name} beside it: download that file too.")
    return Edition(language=language, dialogues=dialogues, memories=memories)


def _cases(editions: Sequence[Edition], left_out: Counter[str]) -> Iterator[Case]:
    for edition in editions:
        memories = [in_layout(_memory, line, edition.memories) for line in read_lines(edition.memories)]
        dialogues = read_lines(edition.dialogues)
        read = partial(_edition_cases, language=edition.language, memories=memories, left_out=left_out)
        yield from in_layout(read, dialogues, edition.dialogues)


def _memory(line: Mapping[str, Mapping[str, Any]]) -> Memory:
    ((memory_id, memory),) = line.items()
    owner = memory.get("user-id")
    return Memory(
        memory_id=memory_id,
        owner=None if owner is None else str(owner),
        day=iso(str(memory["time"]), "%Y-%m-%d"),
        event=memory["event"],
    )


def _edition_cases(
    dialogues: Sequence[Mapping[str, Any]], *, language: str, memories: Sequence[Memory], left_out: Counter[str]
) -> list[Case]:
    by_user: dict[str, list[tuple[int, Mapping[str, Any]]]] = {}
    for number, dialogue in enumerate(dialogues):
        by_user.setdefault(str(dialogue["user-id"]), []).append((number, dialogue))
    cases: list[Case] = []
    for user, asked in sorted(by_user.items()):
        name = _speaker([dialogue for _, dialogue in asked])
        own = [each for each in memories if each.owner == user or (each.owner is None and name in each.event)]
        own.sort(key=lambda memory: memory.day or "")
        messages, places = _messages(own)
        questions = [_question(dialogue, number, language, messages, places, left_out) for number, dialogue in asked]
        cases.append(Case(name=f"{language}-{name}", messages=tuple(messages), questions=tuple(questions)))
    if unowned := len(memories) - sum(len(case.messages) for case in cases):
        left_out["memory of no child"] += unowned
    return cases


def _speaker(dialogues: Sequence[Mapping[str, Any]]) -> str:
    """Return the name of the child that these dialogues are with."""
    names = Counter(match[1] for dialogue in dialogues for turn in dialogue["dialogue"] if (match := _TURN.match(turn)))
    return next(name for name, _ in names.most_common() if name != ASSISTANT)


def _messages(memories: Sequence[Memory]) -> tuple[list[Said], dict[str, int]]:
    """Return the memories as messages, a session a day."""
    days = {day: number for number, day in enumerate(dict.fromkeys(memory.day for memory in memories), 1)}
    messages = [
        Said(
            role="user",
            text=memory.event,
            session=f"session-{days[memory.day]}",
            created_at=memory.day,
            source="memory",
        )
        for memory in memories
    ]
    return messages, {memory.memory_id: place for place, memory in enumerate(memories)}


def _question(
    dialogue: Mapping[str, Any],
    number: int,
    language: str,
    messages: list[Said],
    places: Mapping[str, int],
    left_out: Counter[str],
) -> Question:
    turn, ids = dialogue["test-turn"][0], {str(each) for each in dialogue["relevant-id"]}
    evidence = frozenset(places[each] for each in ids if each in places)
    if dangling := len(ids - places.keys()):
        left_out["evidence id that does not resolve"] += dangling
    if not evidence:
        left_out["question without evidence that resolves"] += 1
    return Question(
        text="\n".join(_plain(each) for each in dialogue["dialogue"][:turn] if each.strip() not in _LIMIT),
        evidence=evidence,
        kind="recall",
        asked_at=ASKED_AT,
        name=f"dialogue-{number}",
        answer=_plain(dialogue["dialogue"][turn]).removeprefix(f"{ASSISTANT}: "),
        sessions=frozenset(messages[place].session for place in evidence),
        labels=(f"language:{language}",),
    )


def _plain(turn: str) -> str:
    """Return a turn such as `<Bart>: "Hi!"` as `Bart: Hi!`."""
    match = _TURN.fullmatch(turn)
    name, words = (f"{match[1]}: ", match[2]) if match else ("", turn)
    return f"{name}{words.strip().strip(_QUOTES)}"
