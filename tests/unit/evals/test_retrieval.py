from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from everyword import Memory
from everyword.cli.eval import table
from everyword.evals.catalogue import dataset
from everyword.evals.dataset import Case, Dataset, Question, Said
from everyword.evals.retrieval import measure

BOATS = "The harbour was full of small boats that morning. "
LONG = BOATS * 30 + "The old coin is worth 1,280 dollars. " + BOATS * 30


def said(text: str, session: str = "s1", **fields: Any) -> Said:
    return Said(
        role=fields.pop("role", "user"), text=text, session=session, created_at="2023-05-22T09:00:00+00:00", **fields
    )


def one(*messages: Said, evidence: set[int], question: str = "What is the old coin worth?") -> Dataset:
    asked = Question(text=question, evidence=frozenset(evidence), kind="single")
    return Dataset(name="own", sha256="0" * 64, cases=iter([Case(name="c", messages=messages, questions=(asked,))]))


def opened(**options: Any) -> Callable[[Path], Memory]:
    return lambda folder: Memory(folder, vectors="off", **{"embedder": "hash", **options})


def row(found: Dataset, strategy: str = "evidence", budget: int = 1500, **options: Any) -> dict[str, Any]:
    (only,) = measure(found, opened(**options), strategies=[strategy], budgets=[budget])["results"]
    return only


def test_the_figures_have_the_names_that_are_promised() -> None:
    found = measure(one(said("A coin."), evidence={0}), opened(), strategies=["bm25", "evidence"], budgets=[500, 1500])
    assert {"dataset", "sha256", "results"} <= set(found)
    assert [(each["strategy"], each["budget"]) for each in found["results"]] == [
        ("bm25", 500), ("bm25", 1500), ("evidence", 500), ("evidence", 1500),
    ]  # fmt: skip
    promised = (
        "strategy budget questions all_evidence evidence_share tokens_mean tokens_max p50_ms p95_ms all_evidence_whole"
    )
    for each in found["results"]:
        assert set(promised.split()) <= set(each)
        assert 0.0 <= each["all_evidence_low"] <= each["all_evidence"] <= each["all_evidence_high"] <= 1.0
        assert each["tokens_max"] <= each["budget"]
    assert json.loads(json.dumps(found)) == found


def test_a_message_counts_when_all_of_it_is_packed() -> None:
    found = row(one(said("The old coin is worth 1,280 dollars."), said("It rained."), evidence={0}))
    assert (found["all_evidence"], found["all_evidence_whole"], found["evidence_share"]) == (1.0, 1.0, 1.0)


def test_of_two_messages_one_is_half_and_not_all() -> None:
    messages = [
        said("The old coin is worth 1,280 dollars."),
        *(said(BOATS * 4, f"s{n}") for n in range(20)),
        said(LONG, "z"),
    ]
    found = row(one(*messages, evidence={0, 21}), "bm25", 300)
    assert (found["all_evidence"], found["evidence_share"]) == (0.0, 0.5)


def test_a_long_message_counts_in_part_and_not_as_whole() -> None:
    found = row(one(said(LONG), evidence={0}))
    assert (found["all_evidence"], found["evidence_share"], found["all_evidence_whole"]) == (1.0, 1.0, 0.0)


def test_a_short_message_in_part_does_not_count() -> None:
    text = "墨" * 250 + "the coin is worth 1,280 dollars"
    found = row(one(said(text), evidence={0}), counter="chars4")
    assert found["all_evidence"] == 1.0, "whole for a counter by which it is short"
    cut = row(one(said("coin. " * 150), evidence={0}), counter=_Doubling())
    assert (cut["all_evidence"], cut["all_evidence_whole"]) == (0.0, 0.0), "long for the packer, short for the count"


class _Doubling:
    name = "doubling"

    def count(self, text: str) -> int:
        return len(text) // 2


def test_recent_turns_count_as_packed() -> None:
    found = row(one(said("It rained."), said("The old coin is worth 1,280 dollars."), evidence={1}), "raw-fused")
    assert found["all_evidence"] == 1.0


def test_words_alone_can_be_measured() -> None:
    found = row(one(said("The old coin is worth 1,280 dollars."), evidence={0}), "bm25", embedder="none")
    assert found["all_evidence"] == 1.0


def test_messages_without_words_and_with_authors_are_stored() -> None:
    found = row(one(said("", author="Ben"), said("The coin is worth a lot.", author="Ana"), evidence={1}))
    assert found["all_evidence"] == 1.0


def test_kinds_and_progress_are_told(tmp_path: Path) -> None:
    seen: list[tuple[str, int]] = []
    found = measure(
        one(said("A coin."), evidence={0}),
        opened(),
        strategies=["bm25"],
        budgets=[100],
        progress=lambda name, count: seen.append((name, count)),
    )
    assert seen == [("c", 1)]
    assert found["results"][0]["by_kind"] == {"single": {"questions": 1, "all_evidence": 1.0}}


def test_a_dataset_without_questions_has_no_results() -> None:
    nothing = Dataset(name="own", sha256="0" * 64, cases=iter(()), left_out={"no answer": 3})
    found = measure(nothing, opened(), strategies=["bm25"], budgets=[100])
    assert found["results"] == []
    assert "left out: 3 (no answer)" in table(found)


def test_the_table_shows_shares_in_percent_with_their_interval() -> None:
    shown = table(measure(one(said("A coin."), evidence={0}), opened(), strategies=["bm25"], budgets=[100]))
    assert "| bm25 | 100 | 1 | 100.0 (20.7-100.0) | 100.0 | 100.0 |" in shown
    assert "| bm25 @100 | 100.0 |" in shown


def test_on_a_real_conversation_the_default_beats_keywords(data_folder: Path) -> None:
    found = dataset("locomo", data_folder / "locomo" / "locomo_dev.json")
    case = min(found.cases, key=lambda each: len(each.messages))
    one_case = Dataset(name="locomo", sha256=found.sha256, cases=iter([case]))
    results = measure(one_case, opened(), strategies=["bm25", "evidence"], budgets=[1500])["results"]
    keywords, default = (each["all_evidence"] for each in results)
    assert default >= keywords + 0.1
    assert max(each["tokens_max"] for each in results) <= 1500
