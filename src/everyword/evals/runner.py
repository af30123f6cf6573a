"""The flow of a run: every case at every length, every question under every strategy, in lines, with a journal."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from everyword.domain.context import Context
from everyword.errors import EverywordError, InvalidInputError
from everyword.evals import lines
from everyword.evals.dataset import Case, Question
from everyword.evals.evidence import History
from everyword.evals.explained import Examples, explained
from everyword.evals.findings import Findings, Size
from everyword.evals.journal import Journal
from everyword.evals.outcome import Outcome
from everyword.evals.plan import Arm, Plan, Source
from everyword.evals.retrieval import USER, Measured, Setting, ask, fill
from everyword.text.tokens import EstimateCounter

Open = Callable[[Path], Measured]
"""Opens an empty memory in a folder."""
Compose = Callable[[Case, int, int | None], Case | None]
"""A case raised to so many tokens with a seed; its questions and evidence stay the same. None: it is longer already."""
Answer = Callable[[Outcome, Question, Context], Outcome]
"""Adds an answer and a verdict to an outcome."""
Progress = Callable[[str, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """One case at one length."""

    source: Source
    case: Case
    target: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """One question that is put to one strategy."""

    arm: Arm
    question: Question


class Runner:
    """Runs a plan over sources; what the journal knows is not done again."""

    def __init__(
        self,
        opened: Callable[[str], Open],
        plan: Plan,
        *,
        journal: Journal | None = None,
        compose: Compose | None = None,
        answer: Answer | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Take how the memory of a strategy is opened; strategies with the same way share one memory."""
        self._opened = opened
        self._plan = plan
        self._journal = journal or Journal()
        self._compose = compose
        self._answer = answer
        self._progress = progress
        self._examples = Examples()
        self._stopped = threading.Event()

    def run(self, sources: Iterable[Source]) -> Findings:
        """Return what was found, in the order of the sources, cases, lengths, strategies and questions."""
        found = Findings()
        with (
            lines.opened(self._plan.lines, self._stopped) as cases,
            lines.opened(self._plan.lines, self._stopped) as questions,
        ):
            for source in sources:
                for record in self._journal.records(source.run, "example"):
                    self._examples.add(record)
                for one in cases(lambda task: self._measured(task, questions), self._tasks(source)):
                    _add(found, one)
                _add(found, Findings(left_out=dict(source.dataset.left_out)))
        found.examples = self._examples.records()
        return found

    def _tasks(self, source: Source) -> Iterator[_Task]:
        left, known = self._plan.limit, list[str]()
        for case in source.dataset.cases:
            known.append(case.name)
            if self._plan.cases and case.name not in self._plan.cases:
                continue
            chosen = _named(case, left)
            if left is not None:
                left -= len(chosen.questions)
            for target in self._plan.targets if chosen.questions else ():
                yield _Task(source=source, case=chosen, target=target)
            if left is not None and left <= 0:
                return
        if unknown := set(self._plan.cases) - set(known):
            raise InvalidInputError(f"No case {', '.join(sorted(unknown))}: choose from {', '.join(known)}.")

    def _measured(self, task: _Task, questions: lines.Lines) -> Findings:
        """Return the outcomes of a case at one length, and how large it is; a case that is longer is left out."""
        asked = [_Asked(arm=arm, question=question) for arm in self._plan.arms for question in task.case.questions]
        missing = [each for each in asked if self._known(task, each) is None]
        size = self._size(task)
        if missing or size is None:
            size = self._done(task, missing, size, questions)
        if size is None:
            return Findings(left_out={f"history longer than {task.target} tokens": len(task.case.questions)})
        return Findings(
            outcomes=[outcome for each in asked if (outcome := self._known(task, each)) is not None], sizes=[size]
        )

    def _size(self, task: _Task) -> Size | None:
        """Return what the journal says last about the history."""
        told = reversed(self._journal.records(task.source.run, "size"))
        wanted = (task.case.name, task.target)
        return next((Size(**each) for each in told if (each["case"], each["target"]) == wanted), None)

    def _known(self, task: _Task, asked: _Asked) -> Outcome | None:
        key = (task.case.name, asked.question.name, asked.arm.strategy, asked.arm.budget, task.target)
        return self._journal.outcome(task.source.run, key)

    def _done(self, task: _Task, missing: list[_Asked], known: Size | None, questions: lines.Lines) -> Size | None:
        """Ask what is missing; return the size of the history, None where it is longer than it should be."""
        case = self._composed(task)
        if case is None:
            return None
        if self._progress is not None:
            length = "" if task.target is None else f" at {task.target:,} tokens"
            self._progress(f"{task.case.name}{length}", len({each.question.name for each in missing}))
        tokens = known.tokens if known else sum(map(EstimateCounter().count, (said.text for said in case.messages)))
        on_disk = dict(known.bytes) if known else {}
        for opened, group in self._by_memory(missing).items():
            on_disk |= self._asked(task, case, tokens, opened, group, questions)
        size = Size(
            case=case.name,
            target=task.target,
            messages=len(case.messages),
            tokens=tokens,
            bytes=dict(sorted(on_disk.items())),
        )
        if size != known:
            self._journal.note(task.source.run, "size", asdict(size))
        return size

    def _composed(self, task: _Task) -> Case | None:
        if task.target is None:
            return task.case
        if self._compose is None:
            raise InvalidInputError("Longer histories need fillers: name them with --filler.")
        return self._compose(task.case, task.target, task.source.seed)

    def _by_memory(self, missing: Iterable[_Asked]) -> dict[Open, list[_Asked]]:
        found: dict[Open, list[_Asked]] = {}
        for each in missing:
            found.setdefault(self._opened(each.arm.strategy), []).append(each)
        return found

    def _asked(
        self, task: _Task, case: Case, tokens: int, opened: Open, missing: list[_Asked], questions: lines.Lines
    ) -> dict[str, int]:
        """Fill a memory step by step and ask each question when the memory knows as much as it should; return bytes."""
        history = History(messages=case.messages)
        with _memory(opened) as memory:
            by_name = {question.name: question for question in case.questions}
            by_step: dict[int, list[_Asked]] = {}
            for each in missing:
                question = by_name[each.question.name]
                upto = len(case.messages) if question.known is None else question.known
                by_step.setdefault(upto, []).append(_Asked(arm=each.arm, question=question))
            for upto in sorted(by_step):
                fill(memory, history, upto)
                line = _Line(self, task, memory, history, tokens)
                for _ in questions(line.ask, by_step[upto]):
                    pass
            size = int(memory.stats(user_id=USER).get("bytes_on_disk", 0))
        return {each.arm.strategy: size for each in missing} if size else {}

    def keep(
        self, task: _Task, history: History, question: Question, outcome: Outcome, context: Context | None
    ) -> None:
        """Add the answer, and put the outcome in the journal; an example too where it is one."""
        if self._stopped.is_set():
            raise StoppedError
        if context is not None and self._answer is not None:
            outcome = self._answer(outcome, question, context)
        if context is not None and self._examples.wants(outcome):
            record = explained(question, history, context, outcome)
            self._examples.add(record)
            self._journal.note(task.source.run, "example", record)
        self._journal.add(task.source.run, outcome)


class StoppedError(EverywordError):
    """Another line failed, so this one stopped too."""


@dataclass(frozen=True, slots=True)
class _Line:
    """Puts questions to one memory."""

    runner: Runner
    task: _Task
    memory: Measured
    history: History
    tokens: int

    def ask(self, asked: _Asked) -> None:
        setting = Setting(
            dataset=self.task.source.dataset.name,
            case=self.task.case.name,
            length=self.tokens,
            strategy=asked.arm.strategy,
            budget=asked.arm.budget,
            target=self.task.target,
            seed=self.task.source.seed,
        )
        outcome, context = ask(self.memory, self.history, asked.question, setting)
        self.runner.keep(self.task, self.history, asked.question, outcome, context)


def _add(found: Findings, more: Findings) -> None:
    found.outcomes.extend(more.outcomes)
    found.sizes.extend(more.sizes)
    for reason, number in more.left_out.items():
        found.left_out[reason] = found.left_out.get(reason, 0) + number


@contextmanager
def _memory(opened: Open) -> Generator[Measured]:
    with tempfile.TemporaryDirectory(prefix="everyword-eval-") as folder:
        memory = opened(Path(folder))
        try:
            yield memory
        finally:
            memory.close()


def _named(case: Case, limit: int | None) -> Case:
    """Return the case with its first questions, each of which has a name."""
    chosen = case.questions if limit is None else case.questions[:limit]
    named = (
        question if question.name else replace(question, name=f"q{number}") for number, question in enumerate(chosen, 1)
    )
    return replace(case, questions=tuple(named))
