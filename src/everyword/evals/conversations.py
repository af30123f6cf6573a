"""Conversations of any format that can be imported, as a history without questions: what others are raised with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from everyword.domain.message import Draft
from everyword.errors import InvalidInputError, TranscriptError
from everyword.evals.dataset import Case, Dataset, Said
from everyword.evals.published import sha256_of, sha256_of_files
from everyword.transcripts import formats


def load(path: Path) -> Dataset:
    """Read the conversations of a file or folder. Raise InvalidInputError."""
    try:
        messages = tuple(_messages(path))
    except (TranscriptError, OSError) as error:
        raise InvalidInputError(f"{path} holds no conversations to raise a history with: {error}") from error
    if not messages:
        raise InvalidInputError(f"{path} holds no messages to raise a history with.")
    files = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else []
    sha256 = sha256_of_files(path, files) if files else sha256_of(path)
    case = Case(name=path.name, messages=messages, questions=())
    return Dataset(name=path.name, sha256=sha256, cases=iter([case]))


def _messages(path: Path) -> Iterator[Said]:
    for draft in formats.read(path):
        if isinstance(draft, Draft) and draft.text.strip():
            yield Said(
                role=draft.role,
                text=draft.text,
                session=draft.session_id or "default",
                created_at=draft.created_at.isoformat() if draft.created_at else None,
                author=draft.author,
            )
