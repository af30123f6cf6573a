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
    created_at: str | None
    author: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question and the places (0, 1, 2 …) of the messages that hold its evidence."""

    text: str
    evidence: frozenset[int]
    kind: str
    asked_at: str | None = None


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
