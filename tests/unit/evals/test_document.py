from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from everyword.errors import InvalidInputError
from everyword.evals.document import About, document, merged, outcomes_of, read
from everyword.evals.findings import Findings, Size
from everyword.evals.journal import Journal
from everyword.evals.outcome import Outcome

MakeOutcome = Callable[..., Outcome]
ABOUT = About(
    run="0123456789ab", command="everyword eval retrieval", everyword="0.1.0", started_at="2026-01-01T00:00:00+00:00",
    task="retrieval", dataset="own", sha256="aa", embedder="hash:256", reranker=None, counter="estimate", seed=None,
)  # fmt: skip


def found(*outcomes: Outcome, sizes: Sequence[Size] = (), **fields: Any) -> dict[str, Any]:
    return document(replace(ABOUT, **fields), Findings(outcomes=list(outcomes), sizes=list(sizes)))


def test_the_outcomes_come_back_from_the_document(outcome: MakeOutcome) -> None:
    outcomes = [outcome("q1", labels=("language:en",)), outcome("q2", share=None, answerable=False)]
    assert outcomes_of(json.loads(json.dumps(found(*outcomes)))) == outcomes


def test_a_history_is_counted_once_and_as_published(outcome: MakeOutcome) -> None:
    sizes = [Size(case=case, target=target, messages=9, tokens=100) for case in "ab" for target in (None, 15_000)]
    sizes.append(replace(sizes[0]))
    assert [found(outcome(), sizes=sizes)[key] for key in ("messages", "tokens")] == [18, 200]
    raised = [Size(case="a", target=15_000, messages=90, tokens=15_000)]
    assert found(outcome(), sizes=raised)["tokens"] == 15_000


def test_runs_of_other_strategies_become_one(outcome: MakeOutcome) -> None:
    sizes = [Size(case="c", target=None, messages=9, tokens=100, bytes={"bm25": 4_096})]
    both = merged([found(outcome(strategy="bm25", share=0.0), sizes=sizes), found(outcome())])
    assert [(row["strategy"], row["bytes"]) for row in both["results"]] == [("bm25", 4_096), ("evidence", None)]
    assert [(pair["a"], pair["b"], pair["only_b"]) for pair in both["pairs"]] == [("bm25", "evidence", 1)]
    assert len(both["outcomes"]) == 2


def test_runs_over_other_data_or_of_the_same_question_are_not_merged(outcome: MakeOutcome) -> None:
    with pytest.raises(InvalidInputError, match="different data"):
        merged([found(outcome()), found(outcome(strategy="bm25"), sha256="bb")])
    with pytest.raises(InvalidInputError, match="'evidence' was asked 'q1'"):
        merged([found(outcome()), found(outcome())])


def test_a_journal_tells_calls_and_tokens_before_a_run_is_done(tmp_path: Path, outcome: MakeOutcome) -> None:
    """A trace of three questions, with a line that is being written."""
    file = tmp_path / "journal.jsonl"
    with Journal(file) as journal:
        for number, tokens in enumerate((1_000, 1_100, 1_500)):
            journal.add("run", outcome(f"q{number}", tokens=tokens, calls=number))
    half = file.read_bytes() + b'{"run": "run", "ki'
    file.write_bytes(half)
    (row,) = read(file)["results"]
    assert (row["questions"], row["calls"], row["tokens_mean"], row["tokens_max"]) == (3, 3, 1_200, 1_500)
    assert file.read_bytes() == half, "the run may still be writing"


def test_documents_without_readable_outcomes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="make the run again"):
        outcomes_of({"outcomes": [{"dataset": "own"}]})
    for name in ("run.json", "journal.jsonl"):
        with pytest.raises(InvalidInputError, match=name):
            read(tmp_path / name)
