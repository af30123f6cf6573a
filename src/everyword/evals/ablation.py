"""What each stage of the default strategy adds, in the order of the work: key text, packing, channel, rerank, model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

from everyword.domain.context import Context
from everyword.evals.adapters.measured import MeasuredSystem
from everyword.evals.adapters.words import WordSearch
from everyword.evals.dataset import Dataset
from everyword.evals.journal import Journal
from everyword.evals.outcome import Outcome
from everyword.evals.pairs import compared
from everyword.evals.plan import Arm, Plan, Source
from everyword.evals.runner import Open, Progress, Runner
from everyword.evals.tally import row
from everyword.ports import TokenCounter
from everyword.retrieval.recipe import DENSE, Recipe
from everyword.strategies.bm25 import BM25
from everyword.strategies.evidence import EVIDENCE
from everyword.strategies.strategy import Strategy
from everyword.text.tokens import EstimateCounter

Group = Literal["key text", "packing", "channel", "rerank", "other", "model"]
Asked = Literal["words", "own", "other"]

_MEASURE = "all_evidence"
_RUN = "ablation"
_NAMES = ("name", "about", "recipe")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One more step from plain keywords to the default."""

    name: str
    group: Group
    about: str
    strategy: Strategy | None
    """The default as far as this step; None: what is searched is no memory of Everyword."""
    asked: Asked = "own"
    """`words`: plain keywords; `own`: the memory as it is set up; `other`: one with another embedder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """Questions with all their evidence in the context after a step."""

    step: str
    group: Group
    about: str
    questions: int
    all_evidence: float | None
    low: float | None
    """Of the 95 % interval."""
    high: float | None
    gain: float | None
    """Over the step before; None for the first."""
    p: float | None
    """McNemar's exact test against the step before, on the same questions."""

    def record(self) -> dict[str, Any]:
        """Return a JSON record."""
        return asdict(self)


_FIRST = (
    Stage(name="words", group="key text", about="BM25 over whole words as written", strategy=None, asked="words"),
    Stage(name="stems", group="key text", about="stems, no stop words, pairs of characters", strategy=BM25),
)
_EVERY = tuple(each.name for kind in (Recipe, Strategy) for each in fields(kind) if each.name not in _NAMES)
_STEPS: tuple[tuple[str, Group, str, tuple[str, ...]], ...] = (
    ("speaker", "key text", "who said it and when", ("header_weight", "author_bonus", "fusion", "weights")),
    ("neighbours", "key text", "words of the messages around it, its session", ("neighbours", "k1", "session_bonus")),
    ("related", "key text", "words that mean the same, members of a kind", ("synonyms", "members")),
    ("asker", "key text", "the asker's own words, kept branches", ("asker_bonus", "branch_penalty")),
    ("lines", "packing", "long messages by their relevant lines", ("show", "style", "recent_turns")),
    ("dense", "channel", "vectors of passages and clauses", ("channels", "weights", "other_script")),
    ("centred", "channel", "passages around the centre of all texts", ("centred",)),
    ("declarative", "channel", "questions and small talk come last", ("declarative",)),
    ("standout", "channel", "a clause that stands out", ("standout",)),
    ("rerank", "rerank", "the first candidates judged again", ("rerank", "keep")),
    ("tokens", "rerank", "the question's tokens against clauses", ("tokens",)),
    ("density", "other", "first what promises most for its tokens", ("room",)),
    ("rest", "other", "all else of the default", _EVERY),
)
"""Fields of the default's recipe and shape, in the order in which they are taken over."""


def stages(*, other_model: bool = False) -> list[Stage]:
    """Return the steps from plain keywords to the default; each takes over a part of its numbers.

    A step whose numbers the default does not set is left out.
    """
    found = list(_FIRST)
    now = BM25
    for name, group, about, numbers in _STEPS:
        then = _with(now, name, about, numbers)
        if _named(then, "", "") != _named(now, "", ""):
            found.append(Stage(name=name, group=group, about=about, strategy=then))
            now = then
    if other_model:
        about = "another embedder"
        model = _named(EVIDENCE, "model", about)
        found.append(Stage(name="model", group="model", about=about, strategy=model, asked="other"))
    return found


def ablate(
    dataset: Dataset,
    open_memory: Open,
    *,
    open_other: Open | None = None,
    budget: int = 1500,
    counter: TokenCounter | None = None,
    run: str = _RUN,
    journal: Journal | None = None,
    lines: int = 1,
    limit: int | None = None,
    progress: Progress | None = None,
) -> list[Gain]:
    """Measure every step on a dataset. `open_other` opens a memory with another embedder; without it that step is left out.

    `counter` is the one of the memories. `run` tells runs of one journal apart: the fingerprint of data and models.
    """
    chosen = stages(other_model=open_other is not None)
    plan = Plan(arms=tuple(Arm(strategy=each.name, budget=budget) for each in chosen), lines=lines, limit=limit)
    opened = _openers(chosen, open_memory, open_other, counter or EstimateCounter())
    runner = Runner(opened.__getitem__, plan, journal=journal, progress=progress)
    return gains(runner.run([Source(dataset=dataset, run=run)]).outcomes, chosen)


def gains(outcomes: Iterable[Outcome], chosen: Sequence[Stage]) -> list[Gain]:
    """Return the figures of each step from outcomes of one budget whose strategies have the names of the steps."""
    by_step: dict[str, list[Outcome]] = {each.name: [] for each in chosen}
    for each in outcomes:
        by_step[each.strategy].append(each)
    found: list[Gain] = []
    for stage in chosen:
        if by_step[stage.name]:
            found.append(_gain(stage, found[-1] if found else None, by_step))
    return found


def _with(now: Strategy, name: str, about: str, numbers: Collection[str]) -> Strategy:
    """Return a strategy that has these numbers of the default."""
    recipe = {each.name: getattr(EVIDENCE.recipe, each.name) for each in fields(Recipe) if each.name in numbers}
    shape = {each.name: getattr(EVIDENCE, each.name) for each in fields(Strategy) if each.name in numbers}
    if "weights" in recipe and "channels" not in recipe:
        recipe["weights"] = tuple(weight for weight, is_dense in _weighted(EVIDENCE.recipe) if not is_dense)
    return _named(replace(now, recipe=replace(now.recipe, **recipe), **shape), name, about)


def _weighted(recipe: Recipe) -> list[tuple[float, bool]]:
    """Return each weight, and whether it is of a channel of vectors."""
    return [(weight, name in DENSE) for name, weight in zip(recipe.channels, recipe.weights, strict=True)]


def _named(strategy: Strategy, name: str, about: str) -> Strategy:
    return replace(strategy, name=name, about=about, recipe=replace(strategy.recipe, name=name))


def _openers(chosen: Sequence[Stage], own: Open, other: Open | None, counter: TokenCounter) -> Mapping[str, Open]:
    """Return how the memory of each step is opened; steps that ask the same memory share it."""
    named = {stage.name: stage.strategy for stage in chosen if stage.strategy is not None}
    ways: dict[Asked, Open] = {
        "words": lambda folder: MeasuredSystem(WordSearch(), counter, folder),
        "own": _staged(own, named),
    }
    if other is not None:
        ways["other"] = _staged(other, named)
    return {stage.name: ways[stage.asked] for stage in chosen}


def _staged(opened: Open, strategies: Mapping[str, Strategy]) -> Callable[[Path], Any]:
    return lambda folder: _Staged(opened(folder), strategies)


class _Staged:
    """A memory that knows the strategies of the steps by their names."""

    def __init__(self, memory: Any, strategies: Mapping[str, Strategy]) -> None:
        self._memory = memory
        self._strategies = strategies

    def context(self, question: str, *, strategy: str, **arguments: Any) -> Context:
        return self._memory.context(question, strategy=self._strategies[strategy], **arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._memory, name)


def _gain(stage: Stage, before: Gain | None, by_step: Mapping[str, list[Outcome]]) -> Gain:
    figures = row(by_step[stage.name])
    share = figures["all_evidence"]
    gain = p = None
    if before is not None and before.all_evidence is not None and share is not None:
        gain = share - before.all_evidence
        p = _p(by_step[before.step], by_step[stage.name])
    return Gain(
        step=stage.name,
        group=stage.group,
        about=stage.about,
        questions=figures["questions"],
        all_evidence=share,
        low=figures["all_evidence_low"],
        high=figures["all_evidence_high"],
        gain=gain,
        p=p,
    )


def _p(before: Sequence[Outcome], after: Sequence[Outcome]) -> float:
    first = before[0]
    pair = compared(before, after, _MEASURE, a="before", b="after", budget=first.budget, length=first.target)
    return pair.p
