from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from everyword import Memory
from everyword.evals import ablation
from everyword.evals.ablation import Stage, ablate, gains, stages
from everyword.evals.catalogue import dataset
from everyword.evals.dataset import Case, Dataset, Question, Said
from everyword.evals.outcome import Outcome
from everyword.retrieval.recipe import Recipe
from everyword.strategies.bm25 import BM25
from everyword.strategies.evidence import EVIDENCE
from everyword.strategies.strategy import Strategy

ORDER = ["key text", "packing", "channel", "rerank", "other", "model"]
STOPS = "What is it that we have of the and to in on for with as by at from?"


def bare(strategy: Strategy | None) -> Strategy:
    assert strategy is not None
    return replace(strategy, name="", about="", recipe=replace(strategy.recipe, name=""))


def outcome(step: str, question: int, *, complete: bool) -> Outcome:
    return Outcome(
        dataset="own",
        case="c",
        question=f"q{question}",
        text="?",
        kind="single",
        labels=(),
        roles=("user",),
        answerable=True,
        strategy=step,
        budget=100,
        length=10,
        tokens=50,
        milliseconds=1.0,
        evidence=1,
        share=float(complete),
        share_whole=float(complete),
    )


def outcomes(**steps: str) -> list[Outcome]:
    """Return outcomes of steps from marks: + for all the evidence, - for less."""
    return [outcome(step, n, complete=mark == "+") for step, marks in steps.items() for n, mark in enumerate(marks)]


def steps(*names: str) -> list[Stage]:
    return [Stage(name=name, group="key text", about=f"about {name}", strategy=BM25) for name in names]


def opened(embedder: str = "hash:256") -> Callable[[Path], Any]:
    return lambda folder: Memory(folder, embedder=embedder, vectors="off")


def history(*questions: Question, texts: list[str]) -> Dataset:
    said = tuple(
        Said(role="user", text=text, session=f"s{n}", created_at=f"2023-05-22T09:{n:02}:00+00:00")
        for n, text in enumerate(texts)
    )
    return Dataset(name="own", sha256="0" * 64, cases=iter([Case(name="c", messages=said, questions=questions)]))


def test_the_steps_lead_from_plain_keywords_to_the_default() -> None:
    chosen = stages()
    assert [each.name for each in chosen[:2]] == ["words", "stems"]
    assert (chosen[0].strategy, chosen[1].strategy) == (None, BM25)
    assert bare(chosen[-1].strategy) == bare(EVIDENCE)


def test_the_steps_are_in_the_order_of_the_work_and_each_changes_something() -> None:
    chosen = stages(other_model=True)
    groups = [ORDER.index(each.group) for each in chosen]
    assert groups == sorted(groups)
    assert {"speaker", "neighbours", "dense", "rerank"} <= {each.name for each in chosen}
    for before, after in pairwise(chosen[1:-1]):
        assert bare(before.strategy) != bare(after.strategy)
    assert chosen[-1].asked == "other"
    assert bare(chosen[-1].strategy) == bare(EVIDENCE)


def test_vectors_take_part_from_the_step_of_the_channel_on() -> None:
    chosen = stages()
    channel = next(place for place, each in enumerate(chosen) if each.group == "channel")
    for place, each in enumerate(chosen[1:], 1):
        recipe = bare(each.strategy).recipe
        assert (recipe.channels == ("lexical",)) == (place < channel)
        assert recipe.fusion == "ranks" or len(recipe.weights) == len(recipe.channels)


def test_every_number_that_a_step_names_is_one_of_the_default() -> None:
    named = {number for *_, numbers in ablation._STEPS for number in numbers}
    assert named == {each.name for kind in (Recipe, Strategy) for each in fields(kind)} - {"name", "about", "recipe"}


def test_a_number_that_no_step_names_is_a_step_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    other = replace(EVIDENCE, recipe=replace(EVIDENCE.recipe, unit="speaker-run"))
    monkeypatch.setattr(ablation, "EVIDENCE", other)
    last = stages()[-1]
    assert (last.name, last.group) == ("rest", "other")
    assert bare(last.strategy) == bare(other)


def test_a_gain_is_the_difference_to_the_step_before_with_its_test() -> None:
    first, second, third = gains(
        outcomes(a="+--------+", b="+++++++--+", c="+++++++--+"), steps("a", "missing", "b", "c")
    )
    assert (first.step, first.all_evidence, first.gain, first.p, first.questions) == ("a", 0.2, None, None, 10)
    assert (second.step, second.all_evidence, second.gain) == ("b", 0.8, pytest.approx(0.6))
    assert second.p == pytest.approx(2 / 2**6), "six questions gained and none lost"
    assert second.low is not None
    assert second.high is not None
    assert second.low < 0.8 < second.high
    assert (third.gain, third.p) == (0.0, 1.0)
    assert first.record()["step"] == "a"


def test_each_step_of_the_key_finds_what_the_one_before_does_not() -> None:
    texts = [*[STOPS] * 12, "A coin is gold.", *[STOPS] * 12]
    asked = Question(text="What is it that we have of the coins?", evidence=frozenset({12}), kind="stem")
    found = {each.step: each for each in ablate(history(asked, texts=texts), opened("none"), budget=80)}
    assert (found["words"].all_evidence, found["stems"].all_evidence) == (0.0, 1.0)
    assert found["stems"].gain == 1.0


def test_another_embedder_is_measured_in_a_memory_of_its_own() -> None:
    folders: list[str] = []

    def kept(embedder: str) -> Callable[[Path], Any]:
        def open_memory(folder: Path) -> Any:
            folders.append(embedder)
            return Memory(folder, embedder=embedder, vectors="off")

        return open_memory

    asked = Question(text="Which coin?", evidence=frozenset({0}), kind="single")
    seen: list[tuple[str, int]] = []
    found = ablate(
        history(asked, texts=["The coin is gold."]),
        kept("hash:256"),
        open_other=kept("hash:64"),
        progress=lambda name, count: seen.append((name, count)),
    )
    assert folders == ["hash:256", "hash:64"]
    assert [each.step for each in found] == [each.name for each in stages(other_model=True)]
    assert {each.all_evidence for each in found} == {1.0}
    assert [name for name, _ in seen] == ["c"]


@pytest.fixture
def conversation(data_folder: Path) -> Dataset:
    found = dataset("locomo", data_folder / "locomo" / "locomo_dev.json")
    case = min(found.cases, key=lambda each: len(each.messages))
    return Dataset(name="locomo", sha256=found.sha256, cases=iter([case]))


def test_on_a_real_conversation_the_key_text_gains_most(conversation: Dataset) -> None:
    found = {each.step: each.all_evidence or 0.0 for each in ablate(conversation, opened("none"))}
    assert found["words"] + 0.03 < found["stems"]
    assert found["stems"] + 0.05 < found["neighbours"]
