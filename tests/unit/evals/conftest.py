"""Values that many tests of the harness need: outcomes, messages of a case, memories, datasets of one case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from everyword import Memory
from everyword.evals.dataset import Case, Dataset, Question, Said
from everyword.evals.findings import Findings
from everyword.evals.outcome import Outcome
from everyword.evals.plan import Arm, Plan, Source
from everyword.evals.runner import Runner

MakeOutcome = Callable[..., Outcome]
MakeSaid = Callable[..., Said]
MakeDataset = Callable[..., Dataset]
OpenMemory = Callable[..., Callable[[Path], Memory]]


@pytest.fixture(scope="session")
def outcome() -> MakeOutcome:
    """Make an outcome: `outcome("q1", "bm25", 1.0, kind="single")`."""

    def made(question: str = "q1", strategy: str = "evidence", share: float | None = 1.0, **fields: Any) -> Outcome:
        given: dict[str, Any] = {
            "dataset": "own",
            "case": "c",
            "question": question,
            "text": f"What of {question}?",
            "kind": "single",
            "labels": (),
            "roles": ("user",),
            "answerable": True,
            "strategy": strategy,
            "budget": 1500,
            "length": 16_000,
            "tokens": 1_400,
            "milliseconds": 10.0,
            "evidence": 1,
            "share": share,
            "share_whole": share,
        }
        return Outcome(**{**given, **fields})

    return made


@pytest.fixture(scope="session")
def said() -> MakeSaid:
    """Make a message of a case."""

    def made(text: str, session: str = "s1", **fields: Any) -> Said:
        given: dict[str, Any] = {"role": "user", "created_at": "2023-05-22T09:00:00+00:00", **fields}
        return Said(text=text, session=session, **given)

    return made


@pytest.fixture(scope="session")
def one() -> MakeDataset:
    """Make a dataset of one case, with one question where none are given."""

    def made(*messages: Said, questions: Sequence[Question] = (), **question: Any) -> Dataset:
        given: dict[str, Any] = {"text": "What is the old coin worth?", "evidence": frozenset(), "kind": "single"}
        asked = tuple(questions) or (Question(**{**given, **question}),)
        return Dataset(name="own", sha256="0" * 64, cases=iter([Case(name="c", messages=messages, questions=asked)]))

    return made


@pytest.fixture(scope="session")
def opened() -> OpenMemory:
    """Return what opens an empty memory of the hash embedder."""

    def made(**options: Any) -> Callable[[Path], Memory]:
        return lambda folder: Memory(folder, vectors="off", **{"embedder": "hash", **options})

    return made


@pytest.fixture(scope="session")
def run_over(opened: OpenMemory) -> Callable[..., Findings]:
    """Run strategies over datasets: `run_over(found, strategies="bm25,evidence", budgets=(500,))`."""

    def made(
        *datasets: Dataset, strategies: str = "evidence", budgets: Sequence[int] = (1500,), **more: Any
    ) -> Findings:
        plan = {name: more.pop(name) for name in ("targets", "lines", "limit", "cases") if name in more}
        arms = tuple(Arm(strategy=name, budget=budget) for name in strategies.split(",") for budget in budgets)
        names = ("journal", "compose", "answer", "progress")
        options = {name: more.pop(name) for name in names if name in more}
        memory = more.pop("memory", None) or opened(**more)
        runner = Runner(lambda _: memory, Plan(arms=arms, **plan), **options)
        return runner.run([Source(dataset=each, run=f"run{place}") for place, each in enumerate(datasets)])

    return made
