"""What is measured: conversations, questions about them, and the messages that hold the answers."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from everyword.errors import InvalidInputError


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
        return json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw), hashlib.sha256(raw).hexdigest()
    except OSError as error:
        raise InvalidInputError(f"{path} cannot be read ({error.strerror}): give the dataset's file with --data.") from error
    except ValueError as error:
        raise InvalidInputError(f"{path} is not JSON ({error}): give the file as its publisher ships it.") from error


def require(record: Mapping[str, Any], keys: tuple[str, ...], path: Path) -> None:
    """Raise InvalidInputError where a record has not the layout that the publisher documents."""
    missing = [key for key in keys if key not in record]
    if missing:
        raise InvalidInputError(f"{path} has another layout than expected: {', '.join(missing)} missing in a record.")
