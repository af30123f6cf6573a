"""LifeBench (2026): a year of a person's phone, as chats, messages, calls, calendar, notes, notifications and photos.

Evidence by type and id of records. A chat that is named as evidence is known as a session: the publisher does not say
which of its messages holds it. Simplified Chinese. Apache-2.0.
"""

from __future__ import annotations

import calendar
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from everyword.errors import InvalidInputError
from everyword.evals.dataset import Case, Dataset, Question, Said
from everyword.evals.lifebench_records import CHAT, RECORDS, Record, turns
from everyword.evals.published import existing, in_layout, iso, read_json, sha256_of_files

SOURCES = (*RECORDS, CHAT)
UNANSWERABLE = "Unanswerable"
_QUESTIONS = "QA_clean.json"
_SHOWN = {source: "chat" if source == CHAT else source for source in SOURCES}
_TIMES = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d")

Words = tuple[str, str | None, str]
"""Role, author and text of a message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phone:
    """The files of one user."""

    user: str
    questions: Path
    sources: dict[str, Path]


@dataclass(slots=True, kw_only=True)
class Year:
    """A user's records as messages, and where evidence finds them."""

    messages: list[Said] = field(default_factory=list[Said])
    days: list[str] = field(default_factory=list[str])
    """Of each message, in order."""
    places: dict[tuple[str, str], list[int]] = field(default_factory=dict[tuple[str, str], list[int]])
    """First message of each record, by type and id, which several records can share."""
    sessions: int = 0

    def add(self, source: str, record: Record, said: list[Words], *, joins: bool) -> None:
        """Take the messages of a record, into the session of the one before or into one of its own."""
        self.sessions += not joins
        self.places.setdefault((source, str(record["phone_id"])), []).append(len(self.messages))
        said_at, session = _time(record), f"session-{self.sessions}"
        for role, author, text in said:
            self.days.append(str(said_at)[:10])
            self.messages.append(
                Said(role=role, text=text, session=session, created_at=said_at, author=author, source=_SHOWN[source])
            )


def load(path: Path) -> Dataset:
    """Read a user's folder, or a folder of users. Raise InvalidInputError."""
    folders = [path, *sorted(path.iterdir())] if path.is_dir() else []
    phones = [phone for folder in folders if (phone := _phone(folder))]
    if not phones:
        raise InvalidInputError(
            f"{path} has no {_QUESTIONS} with a phone's records: give a folder of LifeBench's users."
        )
    left_out: Counter[str] = Counter()
    files = [file for phone in phones for file in (phone.questions, *phone.sources.values())]
    sha256 = sha256_of_files(path, files)
    return Dataset(name="lifebench", sha256=sha256, cases=_cases(phones, left_out), left_out=left_out)


def _phone(folder: Path) -> Phone | None:
    """Return the files of a user, which stand in the folder or, as published, in `phone_data` and `QA`."""
    questions = existing(folder, _QUESTIONS) or existing(folder / "QA", _QUESTIONS)
    named = {
        each: existing(folder, f"{each}.json") or existing(folder / "phone_data", f"{each}.json") for each in SOURCES
    }
    sources = {source: file for source, file in named.items() if file}
    return Phone(user=folder.resolve().name, questions=questions, sources=sources) if questions and sources else None


def _cases(phones: Iterable[Phone], left_out: Counter[str]) -> Iterator[Case]:
    for phone in phones:
        year = _year(phone, left_out)
        read = partial(_questions, year=year, left_out=left_out)
        questions = in_layout(read, read_json(phone.questions)[0], phone.questions)
        yield Case(name=phone.user, messages=tuple(year.messages), questions=tuple(questions))


def _year(phone: Phone, left_out: Counter[str]) -> Year:
    """Return the records by day, and inside a day by source, so that a session is one piece."""
    year = Year()
    by_day: dict[str, dict[str, list[Record]]] = {}
    for source in SOURCES:
        if source not in phone.sources:
            left_out[f"user without {source}.json"] += 1
            continue
        path = phone.sources[source]
        for record in in_layout(partial(_records, left_out=left_out), read_json(path)[0], path):
            by_day.setdefault(str(_time(record))[:10], {}).setdefault(source, []).append(record)
    for day in sorted(by_day):
        for source, records in by_day[day].items():
            in_layout(partial(_fill, source=source, year=year, left_out=left_out), records, phone.sources[source])
    return year


def _records(document: list[Record], *, left_out: Counter[str]) -> list[Record]:
    """Return the records that have a time, by time; of those that are shipped twice, one."""
    if not isinstance(document, list):
        raise TypeError("it should be a list of records")
    kept: list[Record] = []
    known: dict[str, Record] = {}
    for record in document:
        if known.setdefault(str(record["phone_id"]), record) is not record and known[str(record["phone_id"])] == record:
            left_out["record that is shipped twice"] += 1
        elif _time(record) is None:
            left_out["record without a time"] += 1
        else:
            kept.append(record)
    return sorted(kept, key=lambda record: str(_time(record)))


def _time(record: Record) -> str | None:
    return iso(str(record.get("datetime") or record.get("date")), *_TIMES)


def _fill(records: list[Record], *, source: str, year: Year, left_out: Counter[str]) -> None:
    """Add a day's records of one source: one session, or one for each chat."""
    joins = False
    for record in records:
        if said := list(_said(source, record, left_out)):
            year.add(source, record, said, joins=joins)
            joins = source != CHAT


def _said(source: str, record: Record, left_out: Counter[str]) -> Iterator[Words]:
    if source != CHAT:
        author, text = RECORDS[source](record)
        yield "user", author, text
        return
    for turn in turns(record):
        if turn is None:
            left_out["chat message that names no speaker"] += 1
        else:
            yield turn[0], None, turn[1]


def _questions(document: list[Mapping[str, Any]], *, year: Year, left_out: Counter[str]) -> list[Question]:
    return [_question(record, f"qa{number}", year, left_out) for number, record in enumerate(document)]


def _question(record: Mapping[str, Any], name: str, year: Year, left_out: Counter[str]) -> Question:
    day = _last_day(str(record.get("ask_time", "")))
    known = bisect_right(year.days, day) if day else None
    places = _evidence(record.get("evidence") or (), year, known, left_out)
    answerable = record["question_type"] != UNANSWERABLE
    if answerable and not places:
        left_out["question without evidence that resolves"] += 1
    chats = {place for place in places if year.messages[place].source == "chat"}
    if chats:
        left_out["evidence that is a chat, known as a session"] += len(chats)
    return Question(
        text="\n".join([str(record["question"]), *_options(record)]),
        evidence=frozenset(places - chats),
        kind=str(record["question_type"]),
        asked_at=f"{day}T23:59:59+00:00" if day else None,
        name=name,
        answer=_answer(record),
        rubric=tuple(str(each["description"]) for each in record.get("score_points") or ()),
        answerable=answerable,
        sessions=frozenset(year.messages[place].session for place in places),
        labels=_labels(record, {year.messages[place].source for place in places}),
        known=known,
    )


def _last_day(month: str) -> str | None:
    """Return the last day of a month such as 2025-01, or the day that is given."""
    if iso(month, "%Y-%m-%d"):
        return month
    if not iso(month, "%Y-%m"):
        return None
    return f"{month}-{calendar.monthrange(int(month[:4]), int(month[5:]))[1]:02}"


def _evidence(
    references: Iterable[Mapping[str, Any]], year: Year, known: int | None, left_out: Counter[str]
) -> set[int]:
    """Return the first message of each record that is named."""
    places: set[int] = set()
    for each in references:
        held = year.places.get((str(each["type"]), str(each["id"])), [])
        if len(held) != 1:
            left_out["evidence id that several records share" if held else "evidence id that does not resolve"] += 1
        elif known is not None and held[0] >= known:
            left_out["evidence later than the question"] += 1
        else:
            places.add(held[0])
    return places


def _options(record: Mapping[str, Any]) -> list[str]:
    return [f"{each['option']}. {each['content']}" for each in record.get("options") or ()]


def _labels(record: Mapping[str, Any], sources: set[str]) -> tuple[str, ...]:
    form = "choice" if record.get("options") else "open"
    return f"form:{form}", *([f"sources:{len(sources)}"] if sources else [])


def _answer(record: Mapping[str, Any]) -> str:
    """Return the answer; of a choice, the letter with its words."""
    answer = str(record["answer"])
    return next((option for option in _options(record) if option.split(". ")[0] == answer), answer)
