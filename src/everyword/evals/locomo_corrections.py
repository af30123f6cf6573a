"""Corrections of LoCoMo's answers and evidence, as an audit of its questions ships them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from everyword.errors import InvalidInputError
from everyword.evals.published import existing, in_layout, read_records

SAMPLES = ("conv-26", "conv-30", "conv-41", "conv-42", "conv-43", "conv-44", "conv-47", "conv-48", "conv-49", "conv-50")
"""The conversations in the publisher's order, by which the audit of dial481/locomo-audit numbers them."""
_AUDIT_ID = re.compile(r"locomo_(\d+)_qa\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What replaces the publisher's; None leaves it."""

    answer: str | None = None
    evidence: tuple[str, ...] | None = None


Corrections = dict[tuple[str, str], Correction]
"""By conversation and words of the question."""


def read_corrections(path: Path) -> Corrections:
    """Read a file, or a folder of the audit's `errors.json` or `errors_conv_*.json`. Raise InvalidInputError.

    A record is the audit's, with `question_id`, `question`, `correct_answer` and `correct_evidence`; or
    `{"sample_id", "question", "answer", "evidence"}`, of which one of the last two may be missing.
    """
    corrections: Corrections = {}
    for each in _files(path):
        for record in read_records(each, "a list of corrections")[0]:
            key, correction = in_layout(_correction, record, each)
            corrections[key] = correction
    return corrections


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    every = existing(path, "errors.json")
    files = [every] if every else sorted(path.glob("errors_conv_*.json*"))
    if not files:
        raise InvalidInputError(f"{path} has no errors.json and no errors_conv_*.json: give the file of corrections.")
    return files


def _correction(record: Mapping[str, Any]) -> tuple[tuple[str, str], Correction]:
    if "sample_id" in record:
        sample, answer, evidence = record["sample_id"], record.get("answer"), record.get("evidence")
    else:
        sample = _sample(record["question_id"])
        answer, evidence = record["correct_answer"], record["correct_evidence"]
    return (str(sample), str(record["question"])), Correction(
        answer=None if answer is None else str(answer),
        evidence=None if evidence is None else tuple(str(each) for each in evidence),
    )


def _sample(question_id: str) -> str:
    """Return the conversation of an id such as `locomo_0_qa37`."""
    match = _AUDIT_ID.fullmatch(question_id)
    if match is None:
        raise ValueError(f"the question id {question_id!r} does not read locomo_N_qaN")
    return SAMPLES[int(match[1])]
