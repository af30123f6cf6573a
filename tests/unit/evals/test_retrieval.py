from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from everyword import Memory
from everyword.evals.catalogue import dataset
from everyword.evals.dataset import Dataset, Question, Said
from everyword.evals.evidence import History
from everyword.evals.findings import Findings
from everyword.evals.outcome import Outcome
from everyword.evals.retrieval import USER, fill

MakeSaid = Callable[..., Said]
MakeDataset = Callable[..., Dataset]
RunOver = Callable[..., Findings]

BOATS = "The harbour was full of small boats that morning. "
COIN = "The old coin is worth 1,280 dollars."
LONG = f"{BOATS * 30}{COIN} {BOATS * 30}"


@pytest.fixture
def outcome_of(run_over: RunOver) -> Callable[..., Outcome]:
    """Return the only outcome of a dataset of one question."""

    def only(found: Dataset, strategy: str = "evidence", budget: int = 1500, **options: Any) -> Outcome:
        (outcome,) = run_over(found, strategies=strategy, budgets=(budget,), **options).outcomes
        return outcome

    return only


OutcomeOf = Callable[..., Outcome]


def test_a_message_counts_when_all_of_it_is_packed(one: MakeDataset, said: MakeSaid, outcome_of: OutcomeOf) -> None:
    found = outcome_of(one(said(COIN), said("It rained."), evidence=frozenset({0})))
    assert (found.share, found.share_whole, found.evidence) == (1.0, 1.0, 1)
    assert (found.worst_rank, found.miss, found.roles) == (1, None, ("user",))
    assert 0 < found.tokens <= 1500
    assert found.milliseconds > 0


def test_of_two_messages_one_is_half_and_not_all(one: MakeDataset, said: MakeSaid, outcome_of: OutcomeOf) -> None:
    messages = [said(COIN), *(said(BOATS * 4, f"s{n}") for n in range(20)), said(LONG, "z")]
    found = outcome_of(one(*messages, evidence=frozenset({0, 21})), "bm25", 300)
    assert (found.complete, found.share, found.miss) == (False, 0.5, "not packed")


def test_a_long_message_counts_in_part_and_not_as_whole(
    one: MakeDataset, said: MakeSaid, outcome_of: OutcomeOf
) -> None:
    found = outcome_of(one(said(LONG), evidence=frozenset({0})))
    assert (found.share, found.share_whole) == (1.0, 0.0)


def test_a_short_message_in_part_does_not_count(one: MakeDataset, said: MakeSaid, outcome_of: OutcomeOf) -> None:
    short = one(said("墨" * 250 + "the coin is worth 1,280 dollars"), evidence=frozenset({0}))
    assert outcome_of(short, counter="chars4").share == 1.0, "whole for a counter by which it is short"
    cut = outcome_of(one(said("coin. " * 150), evidence=frozenset({0})), counter=_Doubling())
    assert (cut.share, cut.share_whole) == (0.0, 0.0), "long for the packer, short for the count"


class _Doubling:
    name = "doubling"

    def count(self, text: str) -> int:
        return len(text) // 2


def test_a_known_sentence_has_to_be_shown(one: MakeDataset, said: MakeSaid, outcome_of: OutcomeOf) -> None:
    evidence = frozenset({0})
    assert outcome_of(one(said(LONG), evidence=evidence, quotes=((0, COIN),))).share == 1.0
    boats = one(said(LONG), evidence=evidence, quotes=((0, COIN),), text="What was the harbour full of?")
    assert outcome_of(boats, "evidence", 120).share == 0.0


def test_a_session_counts_where_no_message_is_named(one: MakeDataset, said: MakeSaid, outcome_of: OutcomeOf) -> None:
    found = outcome_of(one(said("It rained.", "a"), said(COIN, "b"), sessions=frozenset({"b"})))
    assert (found.share, found.evidence, found.roles) == (1.0, 1, ())
    assert "turn rr" not in found.ranked
    assert found.ranked["session recall_all@5"] == 1.0


def test_recent_turns_count_as_packed(one: MakeDataset, said: MakeSaid, outcome_of: OutcomeOf) -> None:
    found = outcome_of(one(said("It rained."), said(COIN), evidence=frozenset({1})), "raw-fused")
    assert (found.share, found.worst_rank) == (1.0, 1)


def test_words_alone_can_be_measured(one: MakeDataset, said: MakeSaid, outcome_of: OutcomeOf) -> None:
    assert outcome_of(one(said(COIN), evidence=frozenset({0})), "bm25", embedder="none").share == 1.0


def test_a_history_without_room_is_a_failure_and_not_an_end(
    one: MakeDataset, said: MakeSaid, outcome_of: OutcomeOf
) -> None:
    found = outcome_of(one(said(COIN), said(LONG), evidence=frozenset({0})), "full", 200)
    assert (found.failure, found.share, found.tokens, found.miss) == ("no room", 0.0, 0, "not packed")


def test_a_question_without_an_answer_has_no_share(one: MakeDataset, said: MakeSaid, outcome_of: OutcomeOf) -> None:
    found = outcome_of(one(said(COIN), answerable=False, evidence=frozenset({0})))
    assert (found.share, found.share_whole, found.miss, found.ranked) == (None, None, None, {})
    assert not found.answerable


def test_what_was_said_after_a_question_is_not_in_its_memory(
    one: MakeDataset, said: MakeSaid, run_over: RunOver
) -> None:
    """The memory knows nothing, then one message, then both."""
    messages = [said(COIN), said("The old coin is worth nothing.")]
    questions = [
        Question(text="What is the old coin worth?", evidence=frozenset({place}), kind="k", name=name, known=known)
        for name, place, known in (("all", 1, None), ("first", 0, 1), ("early", 1, 1), ("nothing", 0, 0))
    ]
    found = run_over(one(*messages, questions=questions), strategies="bm25,evidence").outcomes
    shares = {(each.strategy, each.question): (each.share, each.miss) for each in found}
    for name in ("bm25", "evidence"):
        assert shares[name, "all"] == (1.0, None)
        assert shares[name, "first"] == (1.0, None)
        assert shares[name, "early"] == (0.0, "not stored")
        assert shares[name, "nothing"] == (0.0, "not stored")
    assert [each.question for each in found[:4]] == ["all", "first", "early", "nothing"]


def test_a_question_is_asked_when_the_publisher_says_or_at_the_last_message(
    one: MakeDataset, said: MakeSaid, run_over: RunOver
) -> None:
    asked: list[str | None] = []

    class Noting(Memory):
        def context(self, question: str, **arguments: Any) -> Any:
            asked.append(arguments["asked_at"])
            return super().context(question, **arguments)

    messages = [said("A coin.", created_at=f"2023-05-2{day}T09:00:00+00:00") for day in range(3)]
    questions = [
        Question(text="A coin?", evidence=frozenset({0}), kind="k", name=name, asked_at=time, known=known)
        for name, time, known in (("a", "2024-01-01", None), ("b", None, 2), ("c", None, None))
    ]
    run_over(one(*messages, questions=questions), memory=lambda folder: Noting(folder, embedder="none"))
    assert sorted(map(str, asked)) == ["2023-05-21T09:00:00+00:00", "2023-05-22T09:00:00+00:00", "2024-01-01"]


def test_messages_are_stored_with_their_role_author_and_source(said: MakeSaid, tmp_path: Path) -> None:
    messages = [
        said("", author="Ben"),
        said('{"flights": 3}', role="tool", author="search_flights"),
        said("Lunch at noon", source="calendar"),
    ]
    history = History(messages=messages)
    with Memory(tmp_path, embedder="none") as memory:
        fill(memory, history, 3)
        found = list(memory._stores.of(USER, create=False).log.by_seq(history.seqs))
    assert [(each.role, each.origin, each.author) for each in found] == [
        ("user", "user", "Ben"),
        ("tool", "tool", "search_flights"),
        ("user", "user", None),
    ]
    assert [each.metadata.get("source") for each in found] == [None, None, "calendar"]


def test_a_ranking_is_measured_for_all_messages_for_the_users_own_and_for_sessions(
    one: MakeDataset, said: MakeSaid, outcome_of: OutcomeOf
) -> None:
    """The assistant's message with every word of the question stands first, so the user's own is second of all."""
    messages = [
        said("What is the old coin worth? What is the old coin worth?", "a", role="assistant"),
        said("The old coin is worth a lot.", "b"),
        said("Rain.", "c"),
    ]
    found = outcome_of(one(*messages, evidence=frozenset({1})), "bm25", embedder="none").ranked
    assert (found["turn rr"], found["user turn rr"]) == (0.5, 1.0)
    assert (found["turn ndcg_any@10"], found["session recall_any@5"]) == (1.0, 1.0)


def test_evidence_that_only_the_assistant_said_is_in_no_list_of_user_messages(
    one: MakeDataset, said: MakeSaid, outcome_of: OutcomeOf
) -> None:
    messages = [said("Hm, a coin."), said(COIN, role="assistant"), said("A coin."), said("The coin.")]
    found = outcome_of(one(*messages, evidence=frozenset({1})), "raw-semantic")
    assert (found.roles, found.share, found.miss) == (("assistant",), 0.0, "not found")
    assert not any(name.startswith("user turn") for name in found.ranked)


def test_on_a_real_conversation_the_default_beats_keywords(data_folder: Path, run_over: RunOver) -> None:
    found = dataset("locomo", data_folder / "locomo" / "locomo_dev.json")
    case = min(found.cases, key=lambda each: len(each.messages))
    one_case = Dataset(name="locomo", sha256=found.sha256, cases=iter([case]))
    outcomes = run_over(one_case, strategies="bm25,evidence").outcomes
    right = {name: sum(each.complete for each in outcomes if each.strategy == name) for name in ("bm25", "evidence")}
    assert right["evidence"] >= right["bm25"] + 0.1 * len(outcomes) / 2
    assert max(each.tokens for each in outcomes) <= 1500
