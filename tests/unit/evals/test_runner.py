from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from everyword import Memory
from everyword.errors import InvalidInputError
from everyword.evals.dataset import Case, Dataset, Question, Said
from everyword.evals.findings import Findings
from everyword.evals.journal import Journal
from everyword.evals.outcome import Outcome
from everyword.evals.plan import Arm, Plan, Source
from everyword.evals.runner import Runner

MakeSaid = Callable[..., Said]
RunOver = Callable[..., Findings]
THINGS = ("coin", "boat", "ukulele", "lantern", "compass", "kettle")


@pytest.fixture
def many(said: MakeSaid) -> Callable[[], Dataset]:
    """Make a dataset of three cases with six questions each, anew."""

    def made() -> Dataset:
        messages = tuple(said(f"The old {thing} is in room {n}.", f"s{n}") for n, thing in enumerate(THINGS))
        questions = tuple(
            Question(text=f"Where is the old {thing}?", evidence=frozenset({n}), kind=thing[:1], name=f"q{n}")
            for n, thing in enumerate(THINGS)
        )
        cases = (Case(name=name, messages=messages, questions=questions) for name in ("a", "b", "c"))
        return Dataset(name="own", sha256="0" * 64, cases=cases, left_out={"no answer": 2})

    return made


Many = Callable[[], Dataset]


def timeless(found: Findings) -> list[Outcome]:
    return [replace(each, milliseconds=0.0) for each in found.outcomes]


def test_outcomes_come_in_the_order_of_cases_lengths_strategies_and_questions(many: Many, run_over: RunOver) -> None:
    found = run_over(many(), strategies="bm25,evidence", budgets=(200, 900))
    order = [(each.case, each.strategy, each.budget, each.question) for each in found.outcomes]
    assert order == [
        (case, strategy, budget, f"q{n}")
        for case in "abc"
        for strategy in ("bm25", "evidence")
        for budget in (200, 900)
        for n in range(len(THINGS))
    ]
    assert found.left_out == {"no answer": 2}


@pytest.mark.parametrize("lines", [2, 3, 8])
def test_parallel_lines_find_the_same(many: Many, run_over: RunOver, lines: int) -> None:
    alone, together = (
        run_over(many(), strategies="bm25,raw-fused,evidence", budgets=(120, 900), lines=each) for each in (1, lines)
    )
    assert timeless(together) == timeless(alone)
    assert together.examples == alone.examples


def test_lines_work_at_the_same_time(many: Many, run_over: RunOver) -> None:
    """Two answers wait for each other, so that one line alone would never end."""
    both = threading.Barrier(2, timeout=20)

    def answer(outcome: Outcome, question: Question, context: Any) -> Outcome:
        both.wait()
        return outcome

    assert len(run_over(many(), answer=answer, lines=2, limit=6).outcomes) == 6


def test_a_line_that_fails_ends_the_run_with_its_error(many: Many, run_over: RunOver) -> None:
    def answer(outcome: Outcome, question: Question, context: Any) -> Outcome:
        if outcome.question == "q2":
            raise InvalidInputError("the key is wrong")
        return outcome

    for lines in (1, 3):
        with pytest.raises(InvalidInputError, match="the key is wrong"):
            run_over(many(), answer=answer, lines=lines)


def test_only_so_many_questions_are_asked(many: Many, run_over: RunOver) -> None:
    found = run_over(many(), limit=8)
    assert [(each.case, each.question) for each in found.outcomes][-2:] == [("b", "q0"), ("b", "q1")]
    assert len(found.outcomes) == 8


def test_only_the_named_cases_are_asked(many: Many, run_over: RunOver) -> None:
    assert {each.case for each in run_over(many(), cases=("c", "a")).outcomes} == {"a", "c"}
    with pytest.raises(InvalidInputError, match="No case z: choose from a, b, c"):
        run_over(many(), cases=("a", "z"))


def test_questions_without_a_name_are_numbered(said: MakeSaid, run_over: RunOver) -> None:
    questions = tuple(Question(text=f"{thing}?", evidence=frozenset({0}), kind="k") for thing in THINGS[:2])
    case = Case(name="c", messages=(said("A coin."),), questions=questions)
    found = run_over(Dataset(name="own", sha256="", cases=iter([case])))
    assert [each.question for each in found.outcomes] == ["q1", "q2"]


def test_strategies_of_one_kind_share_a_memory(many: Many, opened: Callable[..., Callable[[Path], Memory]]) -> None:
    folders: list[tuple[str, Path]] = []

    def opener(kind: str) -> Callable[[Path], Memory]:
        return lambda folder: folders.append((kind, folder)) or opened()(folder)

    own, other = opener("own"), opener("other")
    arms = tuple(Arm(strategy=name, budget=900) for name in ("bm25", "raw-rag", "evidence"))
    runner = Runner(lambda name: other if name == "raw-rag" else own, Plan(arms=arms, limit=6))
    found = runner.run([Source(dataset=many(), run="r")])
    assert [kind for kind, _ in folders] == ["own", "other"]
    assert not any(folder.exists() for _, folder in folders)
    assert {strategy for strategy, _ in found.bytes_on_disk()} == {"bm25", "raw-rag", "evidence"}
    assert min(found.bytes_on_disk().values()) > 0


def test_the_seed_of_a_source_is_in_its_outcomes(many: Many, opened: Callable[..., Callable[[Path], Memory]]) -> None:
    memory = opened()
    runner = Runner(lambda _: memory, Plan(arms=(Arm(strategy="bm25", budget=900),), limit=1))
    found = runner.run(Source(dataset=many(), run=f"r{seed}", seed=seed) for seed in (4, 5))
    assert [each.seed for each in found.outcomes] == [4, 5]


def longer(case: Case, tokens: int, seed: int | None) -> Case:
    """Put fillers before the messages, so that all evidence moves."""
    said = case.messages[0]
    fillers = tuple(replace(said, text=f"It rained on day {n}.", session=f"f{n}") for n in range(tokens // 10))
    questions = tuple(
        replace(each, evidence=frozenset(place + len(fillers) for place in each.evidence)) for each in case.questions
    )
    return Case(name=case.name, messages=(*fillers, *case.messages), questions=questions)


def test_histories_are_raised_to_each_length(many: Many, run_over: RunOver) -> None:
    found = run_over(many(), targets=(None, 200, 400), compose=longer, limit=6)
    assert [each.target for each in found.outcomes] == [None] * 6 + [200] * 6 + [400] * 6
    assert all(each.complete for each in found.outcomes)
    lengths = [each.length for each in found.outcomes[::6]]
    assert lengths == sorted(set(lengths))
    assert [(size.target, size.messages) for size in found.sizes] == [(None, 6), (200, 26), (400, 46)]


def test_a_history_that_is_longer_already_is_left_out_and_counted(many: Many, run_over: RunOver) -> None:
    def short(case: Case, tokens: int, seed: int | None) -> Case | None:
        return None if case.name == "b" else longer(case, tokens, seed)

    found = run_over(many(), targets=(200,), compose=short)
    assert {each.case for each in found.outcomes} == {"a", "c"}
    assert found.left_out == {"no answer": 2, "history longer than 200 tokens": 6}


def test_longer_histories_need_fillers(many: Many, run_over: RunOver) -> None:
    with pytest.raises(InvalidInputError, match="fillers"):
        run_over(many(), targets=(200,))


class Counting:
    """Counts how often a memory is filled and asked."""

    def __init__(self) -> None:
        self.filled = self.asked = 0

    def __call__(self, folder: Path) -> Memory:
        self.filled += 1
        counting = self

        class Counted(Memory):
            def context(self, question: str, **arguments: Any) -> Any:
                counting.asked += 1
                return super().context(question, **arguments)

        return Counted(folder, embedder="hash", vectors="off")


def test_what_the_journal_knows_is_not_done_again(many: Many, run_over: RunOver, tmp_path: Path) -> None:
    file, counting = tmp_path / "journal.jsonl", Counting()
    with Journal(file) as journal:
        first = run_over(many(), journal=journal, memory=counting)
    with Journal(file, resume=True) as journal:
        again = run_over(many(), journal=journal, memory=counting)
    assert (counting.filled, counting.asked) == (3, 18)
    assert (again.outcomes, again.sizes, again.examples) == (first.outcomes, first.sizes, first.examples)


@pytest.mark.parametrize("lines", [1, 2])
def test_a_run_goes_on_in_the_middle_of_a_case(many: Many, run_over: RunOver, tmp_path: Path, lines: int) -> None:
    file, counting = tmp_path / "journal.jsonl", Counting()
    whole = run_over(many(), strategies="bm25,evidence")
    with Journal(file) as journal:
        run_over(many(), strategies="bm25,evidence", journal=journal)
    kept = file.read_bytes().splitlines(keepends=True)[:15]
    file.write_bytes(b"".join(kept) + b'{"run": "run0", "kind": "outco')
    with Journal(file, resume=True) as journal:
        again = run_over(many(), strategies="bm25,evidence", journal=journal, memory=counting, lines=lines)
    known = sum(b'"kind": "outcome"' in line for line in kept)
    assert 0 < known < 15
    assert counting.asked == 36 - known
    assert timeless(again) == timeless(whole)
    assert again.examples == whole.examples
    assert [(size.case, size.tokens) for size in again.sizes] == [(size.case, size.tokens) for size in whole.sizes]


def test_another_strategy_is_added_to_a_journal(many: Many, run_over: RunOver, tmp_path: Path) -> None:
    file, counting = tmp_path / "journal.jsonl", Counting()
    with Journal(file) as journal:
        run_over(many(), strategies="bm25", journal=journal)
    with Journal(file, resume=True) as journal:
        found = run_over(many(), strategies="bm25,evidence", journal=journal, memory=counting)
    assert counting.asked == 18
    assert set(found.bytes_on_disk()) == {("bm25", None), ("evidence", None)}


def test_an_answer_is_added_and_kept(many: Many, run_over: RunOver, tmp_path: Path) -> None:
    calls: list[str] = []

    def answer(outcome: Outcome, question: Question, context: Any) -> Outcome:
        calls.append(question.name)
        return replace(outcome, answer=context.evidence[0].text, correct=True, calls=2)

    file = tmp_path / "journal.jsonl"
    with Journal(file) as journal:
        first = run_over(many(), answer=answer, journal=journal, limit=6)
    with Journal(file, resume=True) as journal:
        again = run_over(many(), answer=answer, journal=journal, limit=6)
    assert len(calls) == 6
    assert again.outcomes == first.outcomes
    assert {each.calls for each in again.outcomes} == {2}


def test_the_progress_names_each_case_and_its_length(many: Many, run_over: RunOver) -> None:
    seen: list[tuple[str, int]] = []
    run_over(
        many(),
        targets=(None, 1_200),
        compose=longer,
        cases=("b",),
        progress=lambda name, count: seen.append((name, count)),
    )
    assert seen == [("b", 6), ("b at 1,200 tokens", 6)]
