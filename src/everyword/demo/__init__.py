"""A sample history to try a memory on, and six questions that it can answer.

Five months of a fictional designer in Taipei, in English and Traditional Chinese, written for this project.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question about the sample history, and where its answer was said."""

    question: str
    language: str
    """`en` or `zh-Hant`."""
    evidence: tuple[int, ...]
    """Lines of the history that hold the answer, counted from 1."""
    answer: str
    why: str
    """What makes it hard to find."""


def history_path() -> Path:
    """Return the JSONL file of the sample history: one OpenAI-style message a line."""
    return Path(str(files(__name__) / "history.jsonl"))


def questions() -> tuple[Question, ...]:
    """Return the six questions, in the order in which they are best shown."""
    records: list[dict[str, Any]] = json.loads((files(__name__) / "questions.json").read_text(encoding="utf-8"))
    return tuple(_question(record) for record in records)


def _question(record: dict[str, Any]) -> Question:
    evidence: list[int] = record.pop("evidence")
    return Question(evidence=tuple(evidence), **record)
