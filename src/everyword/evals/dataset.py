"""What is measured: conversations, questions about them, and the messages that hold the answers."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

from everyword.errors import InvalidInputError

Read = TypeVar("Read")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message of a benchmark, in the order of time."""

    role: str
    text: str
    session: str
    """A name by its place; never the publisher's, which may give the evidence away."""
    created_at: str | None
    author: str | None = None
    source: str = "chat"
    """What kind of record it was: chat, sms, call, calendar, note …"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question and the places (0, 1, 2 …) of the messages that hold its evidence."""

    text: str
    evidence: frozenset[int]
    """Empty where the publisher names sessions only, and where there is no answer."""
    kind: str
    asked_at: str | None = None
    name: str = ""
    """Unique in its case."""
    answer: str = ""
    rubric: tuple[str, ...] = ()
    """What a judge looks for where no single answer is right."""
    answerable: bool = True
    """False: the history does not say it."""
    sessions: frozenset[str] = frozenset()
    """Evidence sessions where the publisher names them; else those of the evidence."""
    quotes: tuple[tuple[int, str], ...] = ()
    """The exact sentence of an evidence message that has to be shown, where it is known: (place, words)."""
    labels: tuple[str, ...] = ()
    """Further groups that figures are split by, such as `language:en` or `overlap:none`."""
    known: int | None = None
    """How many messages, from the first, the memory holds when it is asked; None: all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One history and the questions about it."""

    name: str
    messages: tuple[Said, ...]
    questions: tuple[Question, ...]


@dataclass(slots=True, kw_only=True)
class Dataset:
    """A benchmark as it was read."""

    name: str
    sha256: str
    cases: Iterator[Case]
    left_out: dict[str, int] = field(default_factory=dict[str, int])
    """Questions and evidence ids that could not be used, by the reason; complete when the cases are read."""


def read_json(path: Path) -> tuple[Any, str]:
    """Return the document (also .gz) and the sha256 of the file. Raise InvalidInputError."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        reason = error.strerror or error
        raise InvalidInputError(f"{path} cannot be read ({reason}): give the dataset's file with --data.") from error
    try:
        return json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw), hashlib.sha256(raw).hexdigest()
    except (ValueError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InvalidInputError(f"{path} is not JSON ({error}): give the file as its publisher ships it.") from error


def read_records(path: Path, name: str) -> tuple[list[Any], str]:
    """Return the records of a document that is a list, and the sha256 of the file. Raise InvalidInputError."""
    document, sha256 = read_json(path)
    if not isinstance(document, list) or not document:
        raise InvalidInputError(f"{path} is not {name}: it should be a list of records, as its publisher ships it.")
    return cast("list[Any]", document), sha256


def in_layout(read: Callable[[Any], Read], record: Any, path: Path) -> Read:
    """Return what `read` makes of a record. Raise InvalidInputError where it has not the publisher's layout."""
    try:
        return read(record)
    except KeyError as error:
        raise InvalidInputError(f"{path} has another layout than expected: {error} is missing in a record.") from error
    except (TypeError, ValueError, AttributeError, IndexError) as error:
        raise InvalidInputError(f"{path} has another layout than expected: {error}.") from error
