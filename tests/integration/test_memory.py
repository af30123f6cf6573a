"""The facade: what each call takes, gives back and refuses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from everyword import Memory
from everyword.errors import (
    ContextLengthExceeded,
    IdempotencyConflictError,
    InvalidInputError,
    ModelError,
    ModelMissingError,
    NotFoundError,
    ProviderError,
    SettingsError,
    StorageError,
)
from everyword.strategies.catalogue import STRATEGIES
from everyword.testing.word_embedder import WordEmbedder

COIN = "I have 37 coins from before 1920."
CALL = {"id": "c1", "type": "function", "function": {"name": "catalogue", "arguments": '{"coins": "1920"}'}}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "home", embedder="hash") as opened:
        yield opened


@pytest.fixture
def filled(memory: Memory) -> Memory:
    """Six messages of three sessions; the last has no vector of its own meaning, only words."""
    memory.add(COIN, user_id="ana", session_id="coins", timestamp="2026-05-22T22:45+08:00", metadata={"place": "desk"})
    memory.add(
        {"role": "assistant", "content": "37 coins, noted."},
        user_id="ana",
        session_id="coins",
        timestamp="2026-05-22T22:46+08:00",
    )
    memory.add("Another coin was added.", user_id="ana", session_id="coins", timestamp="2026-05-23T08:00+08:00")
    memory.add("The garden needs water.", user_id="ana", session_id="garden", timestamp="2026-05-26")
    memory.add(
        {"role": "tool", "name": "scale", "content": "coin: 6.4 grams"},
        user_id="ana",
        session_id="lab",
        timestamp="2026-05-29",
    )
    memory.add("The coin is heavy.", user_id="ana", session_id="lab", timestamp="2026-05-31T23:59:59Z")
    return memory


def seqs(memory: Memory, query: str = "coin coins", **arguments: Any) -> set[int]:
    return {hit.seq for hit in memory.search(query, user_id="ana", **arguments)}


# --- add ---------------------------------------------------------------------------------------------------------------


def test_add_returns_ids_and_numbers_in_the_order_of_the_call(memory: Memory) -> None:
    added = memory.add([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}], user_id="ana")
    assert added.seqs == (1, 2)
    assert [memory.get(each, user_id="ana").text for each in added.message_ids] == ["a", "b"]
    assert (added.session_id, added.duplicates) == ("default", 0)
    assert memory.add("c", user_id="ana", session_id="s9").seqs == (3,)


@pytest.mark.parametrize(
    ("given", "texts", "roles"),
    [
        ("hello", ["hello"], ["user"]),
        ({"role": "assistant", "content": "hi"}, ["hi"], ["assistant"]),
        ([{"role": "user", "content": [{"type": "text", "text": "parts"}]}], ["parts"], ["user"]),
        (
            [{"role": "assistant", "content": None, "tool_calls": [CALL]}],
            ['catalogue({"coins": "1920"})'],
            ["assistant"],
        ),
        ([{"role": "tool", "tool_call_id": "none", "content": "42"}], ["42"], ["tool"]),
    ],
    ids=["a text", "a message", "parts", "a call without content", "a result without its call"],
)
def test_add_takes_every_shape_of_a_message(memory: Memory, given: Any, texts: list[str], roles: list[str]) -> None:
    stored = [memory.get(each, user_id="ana") for each in memory.add(given, user_id="ana").message_ids]
    assert [message.text for message in stored] == texts
    assert [message.role for message in stored] == roles


def test_run_id_is_another_name_of_session_id(memory: Memory) -> None:
    assert memory.add("a", user_id="ana", run_id="r1").session_id == "r1"
    assert memory.add("a", user_id="ana", run_id="r1", session_id="r1").session_id == "r1"
    with pytest.raises(InvalidInputError, match="'r1' and 's1' differ"):
        memory.add("a", user_id="ana", run_id="r1", session_id="s1")


def test_an_unknown_argument_is_an_error(memory: Memory) -> None:
    for call in (memory.add, memory.search, memory.context, memory.explain):
        with pytest.raises(TypeError, match="sesion_id"):
            call("x", user_id="ana", sesion_id="s1")  # type: ignore[operator]


def test_a_time_is_kept_with_its_offset_and_its_own_comes_before_the_calls(memory: Memory) -> None:
    messages = [
        {"role": "user", "content": "a", "created_at": "2026-05-22T22:45+08:00"},
        {"role": "user", "content": "b"},
    ]
    added = memory.add(messages, user_id="ana", timestamp=date(2026, 5, 1))
    own, shared = (memory.get(each, user_id="ana").created_at for each in added.message_ids)
    assert own is not None
    assert own.isoformat() == "2026-05-22T22:45:00+08:00"
    assert shared == datetime(2026, 5, 1, tzinfo=UTC)


def test_a_key_adds_once_and_belongs_to_its_words(memory: Memory) -> None:
    first = memory.add("a", user_id="ana", idempotency_key="k")
    again = memory.add("a", user_id="ana", idempotency_key="k")
    assert (again.message_ids, again.seqs, again.duplicates) == (first.message_ids, first.seqs, 1)
    with pytest.raises(IdempotencyConflictError, match="'k/0'"):
        memory.add("b", user_id="ana", idempotency_key="k")
    assert memory.stats(user_id="ana")["messages"] == 1


def test_what_was_added_is_found_by_the_next_search(memory: Memory) -> None:
    for number in range(30):
        memory.add(f"word{number}", user_id="ana", session_id=f"s{number}")
        assert memory.search(f"word{number}", user_id="ana", limit=1)[0].text == f"word{number}"


# --- search ------------------------------------------------------------------------------------------------------------


def test_a_hit_has_what_a_caller_needs(filled: Memory) -> None:
    hit = filled.search("37 coins before 1920", user_id="ana", limit=1)[0]
    assert (hit.text, hit.role, hit.session_id, hit.seq, dict(hit.metadata)) == (
        COIN,
        "user",
        "coins",
        1,
        {"place": "desk"},
    )
    assert (
        filled.get(hit.id, user_id="ana").created_at
        == hit.created_at
        == datetime.fromisoformat("2026-05-22T22:45+08:00")
    )
    assert isinstance(hit.score, float)


def test_hits_come_best_first_and_no_more_than_asked_for(filled: Memory) -> None:
    hits = filled.search("coin", user_id="ana")
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert [hit.seq for hit in filled.search("coin", user_id="ana", limit=2)] == [hit.seq for hit in hits[:2]]


def test_a_mode_chooses_the_channels(filled: Memory) -> None:
    assert seqs(filled, "garden", mode="lexical") == {4}
    assert seqs(filled, "garden", mode="semantic") == seqs(filled, "garden", mode="fused") == set(range(1, 7))
    assert seqs(filled, "xyzzy", mode="lexical") == set()
    with pytest.raises(InvalidInputError, match="'hybrid'.*fused"):
        filled.search("x", user_id="ana", mode="hybrid")  # type: ignore[arg-type]


def test_roles_and_session_narrow_a_search(filled: Memory) -> None:
    assert seqs(filled, roles=["tool"]) == {5}
    assert seqs(filled, roles=["user", "assistant"]) == {1, 2, 3, 4, 6}
    assert seqs(filled, session_id="coins") == {1, 2, 3}
    assert seqs(filled, session_id="coins", roles=["assistant"]) == {2}
    assert seqs(filled, session_id="nowhere") == set()
    with pytest.raises(InvalidInputError, match="'wizard'"):
        filled.search("x", user_id="ana", roles=["wizard"])


def test_a_date_alone_includes_its_day(filled: Memory) -> None:
    assert seqs(filled, after="2026-05-26") == {4, 5, 6}
    assert seqs(filled, before="2026-05-26") == {1, 2, 3, 4}
    assert seqs(filled, before=date(2026, 5, 31)) == set(range(1, 7))
    assert seqs(filled, after="2026-05-22T14:46Z", before="2026-05-26") == {2, 3, 4}
    assert seqs(filled, before=datetime(2026, 5, 31, 23, 59, tzinfo=UTC)) == {1, 2, 3, 4, 5}


def test_a_context_is_narrowed_like_a_search(filled: Memory) -> None:
    found = filled.context("coin?", user_id="ana", roles=["user"], after="2026-05-23")
    assert {each.message.seq for each in found.evidence} == {3, 4, 6}


# --- context and explain -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_gives_a_context(filled: Memory, strategy: str) -> None:
    found = filled.context("How many coins from before 1920?", user_id="ana", strategy=strategy, recent_turns=0)
    assert found.strategy == strategy
    assert (COIN in found.text) == (strategy != "profile")  # a line of the profile has no figures
    assert sum(found.ledger.values()) == found.tokens <= found.budget == 1500
    assert found.pending_passages == 0


def test_a_setting_gives_the_budget_and_the_strategy_and_a_call_comes_before_it(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none", budget=300, strategy="bm25") as memory:
        memory.add("coin", user_id="ana")
        assert (memory.context("coin?", user_id="ana").strategy, memory.context("coin?", user_id="ana").budget) == (
            "bm25",
            300,
        )
        assert memory.context("coin?", user_id="ana", budget=99, strategy="raw-rag").budget == 99


def test_a_stranger_has_an_empty_memory_that_leaves_no_file(memory: Memory, tmp_path: Path) -> None:
    assert memory.context("Who am I?", user_id="nobody").text == "Who am I?"
    assert memory.search("x", user_id="nobody") == []
    assert memory.stats(user_id="nobody")["messages"] == 0
    assert memory.users() == []
    assert list(tmp_path.rglob("*.db")) == []


def test_an_explanation_has_every_stage_of_every_evidence(filled: Memory) -> None:
    explained = filled.explain("How many coins from before 1920?", user_id="ana")
    by_seq = {each.seq: each for each in explained.messages}
    assert list(explained.candidates) == ["lexical", "passage", "clause", "fused", "density"]
    assert set(by_seq[1].stages) == {"lexical", "passage", "clause", "fused", "density"}
    assert by_seq[1].stages["fused"].rank == 1
    assert by_seq[1].outcome == "packed"
    assert "lexical" not in by_seq[4].stages
    assert set(by_seq[4].stages) == {"passage", "clause", "fused", "density"}


@pytest.mark.parametrize(
    ("strategy", "stages"),
    [
        ("raw-semantic", ["passage", "fused"]),
        ("raw-fused", ["lexical", "passage", "fused", "reranked"]),
        ("raw-rag", ["passage", "fused", "reranked"]),
        ("bm25", ["lexical", "fused"]),
    ],
)
def test_a_trace_shows_the_stages_that_ran(filled: Memory, strategy: str, stages: list[str]) -> None:
    trace = filled.context("coins?", user_id="ana", strategy=strategy, recent_turns=0).trace
    assert [stage.name for stage in trace.stages] == stages
    for stage in trace.stages:
        placed = [place.rank for place in stage.places.values()]
        assert sorted(placed) == list(range(1, len(placed) + 1))
        assert stage.candidates == len(placed)


def test_two_evidences_are_as_good_as_the_worse(filled: Memory) -> None:
    trace = filled.context("How many coins from before 1920?", user_id="ana").trace
    ranks = [trace.places(seq)["fused"].rank for seq in (1, 3)]
    assert trace.worst_rank((1, 3), "fused") == max(ranks) > min(ranks)
    assert trace.worst_rank((1, 4), "lexical") is None


def test_outcomes_say_what_became_of_a_message(memory: Memory) -> None:
    memory.add("coin " * 300, user_id="ana", session_id="a")
    memory.add("The silver coin.", user_id="ana", session_id="b")
    garden = memory.add("Roses.", user_id="ana", session_id="c").message_ids
    memory.add("And now?", user_id="ana", session_id="d")
    question = "Which silver coin?"
    whole = memory.explain(question, user_id="ana", session_id="d", strategy="bm25", message_ids=garden, budget=150)
    assert [each.outcome for each in whole.messages] == [
        "dropped: budget",
        "packed",
        "not found",
        "shown as a recent turn",
    ]
    parts = memory.explain(question, user_id="ana", budget=300)
    assert {each.seq: each.outcome for each in parts.messages}[1] == "packed in part"
    with pytest.raises(NotFoundError):
        memory.explain(question, user_id="ana", message_ids=["0" * 32])


def test_the_messages_for_a_provider_hold_memory_turns_and_question(filled: Memory) -> None:
    filled.add({"role": "assistant", "content": "Six grams."}, user_id="ana", session_id="lab", timestamp="2026-06-01")
    found = filled.context("How many coins?", user_id="ana", session_id="lab", recent_turns=1)
    assert found.to_openai() == [
        {"role": "system", "content": found.memory_text},
        {"role": "user", "content": "The coin is heavy."},
        {"role": "assistant", "content": "Six grams."},
        {"role": "user", "content": "How many coins?"},
    ]
    assert found.to_anthropic() == {
        "system": found.memory_text,
        "messages": [
            {"role": "user", "content": "The coin is heavy."},
            {"role": "assistant", "content": "Six grams."},
            {"role": "user", "content": "How many coins?"},
        ],
    }


def test_roles_alternate_for_a_provider_that_asks_for_it(memory: Memory) -> None:
    roles = ("user", "user", "assistant", "tool", "assistant", "user")
    memory.add(
        [{"role": role, "content": f"{role} {n}"} for n, role in enumerate(roles)], user_id="ana", session_id="s"
    )
    messages = memory.context("And?", user_id="ana", session_id="s", recent_turns=9).to_anthropic()["messages"]
    assert [each["role"] for each in messages] == ["user", "assistant", "user"]
    for number, role in enumerate(roles):
        assert sum(f"{role} {number}" in each["content"] for each in messages) == 1


# --- models ------------------------------------------------------------------------------------------------------------


def test_without_an_embedder_words_answer_and_the_context_says_so(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none") as memory:
        assert memory.add("A gold coin.", user_id="ana").pending_passages == 0
        found = memory.context("Which coin is gold?", user_id="ana")
        assert "A gold coin." in found.text
        assert "words only" in found.trace.notes[0]
        assert memory.search("coin", user_id="ana", limit=1)[0].text == "A gold coin."
        with pytest.raises(ModelMissingError, match="'none'"):
            memory.search("coin", user_id="ana", mode="semantic")
        with pytest.raises(ModelMissingError, match="'none'"):
            memory.index(user_id="ana")


def test_vectors_that_wait_are_told_and_computed_on_demand(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="hash", vectors="off") as memory:
        assert memory.add("A gold coin.", user_id="ana").pending_passages == 1
        assert memory.context("coin?", user_id="ana").pending_passages == 1
        with pytest.raises(ModelError, match="index"):
            memory.search("coin", user_id="ana", mode="semantic")
        told: list[tuple[int, int]] = []
        assert memory.index(user_id="ana", progress=lambda done, total: told.append((done, total))) == 1
        assert told == [(1, 1)]
        assert memory.search("coin", user_id="ana", mode="semantic")[0].seq == 1
        assert memory.context("coin?", user_id="ana").pending_passages == 0


class Failing(WordEmbedder):
    """Computes passages and fails at questions."""

    def embed_queries(self, texts: Sequence[str]) -> Any:
        raise ProviderError("503 from the endpoint")


def test_an_embedder_that_fails_leaves_the_words_and_a_note(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder=Failing()) as memory:
        memory.add("A gold coin.", user_id="ana")
        found = memory.context("Which coin is gold?", user_id="ana")
        assert "A gold coin." in found.text
        assert any("503 from the endpoint" in note for note in found.trace.notes)
        with pytest.raises(ProviderError, match="503"):
            memory.search("coin", user_id="ana", mode="semantic")


class BrokenReranker:
    """Is down."""

    name = "broken"

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        raise ProviderError("503 from the endpoint")


def test_a_reranker_that_fails_leaves_words_vectors_and_a_note(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="hash", reranker=BrokenReranker()) as memory:
        memory.add("A gold coin.", user_id="ana")
        found = memory.context("Which coin is gold?", user_id="ana")
        assert [stage.name for stage in found.trace.stages] == ["lexical", "passage", "clause", "fused", "density"]
        assert "A gold coin." in found.text
        assert any("'broken' failed" in note for note in found.trace.notes)


# --- care --------------------------------------------------------------------------------------------------------------


def test_forgetting_needs_a_scope_that_holds_something(filled: Memory) -> None:
    for scope in ({}, {"everything": True, "session_id": "coins"}):
        with pytest.raises(InvalidInputError, match="what to forget"):
            filled.forget(user_id="ana", **scope)  # type: ignore[arg-type]
    with pytest.raises(NotFoundError, match="nothing was erased"):
        filled.forget(user_id="ana", session_id="nowhere")
    forgotten = filled.forget(user_id="ana", after="2026-05-29", before="2026-05-29")
    assert (forgotten.messages, forgotten.sessions) == (1, ("lab",))
    assert filled.forget(user_id="ana", session_id="coins").messages == 3
    assert seqs(filled) == {4, 6}
    assert filled.forget(user_id="ana", everything=True).messages == 2


def test_an_export_is_lines_of_json_that_come_one_by_one(filled: Memory) -> None:
    lines = filled.export(user_id="ana")
    assert isinstance(lines, Iterator)
    head, *rest = [json.loads(line) for line in lines]
    assert len(rest) == 6
    assert head["user_id"] == "ana"


def test_stats_say_what_is_there(filled: Memory) -> None:
    stats = filled.stats(user_id="ana")
    expected = {
        "user_id": "ana", "messages": 6, "sessions": 3, "roles": {"assistant": 1, "tool": 1, "user": 4}, "passages": 6,
        "vectors": 6, "pending_passages": 0, "models": {"hash:256": "active"}, "vector_failure": None,
    }  # fmt: skip
    assert {name: stats[name] for name in expected} == expected
    assert stats["bytes_on_disk"] > 0
    assert Path(stats["path"]).is_file()
    assert stats["first"] < stats["last"]


def test_users_are_those_who_said_something(filled: Memory) -> None:
    filled.add("hi", user_id="Ben/../x")
    assert set(filled.users()) == {"ana", "Ben/../x"}


def test_a_memory_is_closed_at_the_end_of_its_block(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none") as memory:
        memory.add("a", user_id="ana")
    with pytest.raises(StorageError, match="closed"):
        memory.add("b", user_id="ana")
    memory.close()
    with Memory(tmp_path, embedder="none") as again:
        assert again.stats(user_id="ana")["messages"] == 1


# --- settings ----------------------------------------------------------------------------------------------------------


def test_the_home_is_the_one_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERYWORD_HOME", str(tmp_path / "named"))
    with Memory(embedder="none") as memory:
        memory.add("a", user_id="ana")
        assert memory.home == tmp_path / "named"
    assert (tmp_path / "named" / "users" / "ana.db").is_file()
    with Memory(tmp_path / "other", embedder="none") as memory:
        assert memory.users() == []


def test_a_call_comes_before_the_environment_and_that_before_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def budget(**options: Any) -> int:
        with Memory(tmp_path, embedder="none", **options) as memory:
            return memory.context("coin?", user_id="ana").budget

    assert budget() == 1500
    (tmp_path / "settings.toml").write_text("budget = 700\n", "utf-8")
    assert budget() == 700
    monkeypatch.setenv("EVERYWORD_BUDGET", "800")
    assert budget() == 800
    assert budget(budget=900) == 900


def test_a_misspelt_setting_is_answered_with_the_nearest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingsError, match="'bugdet'.*Did you mean 'budget'"):
        Memory(tmp_path, embedder="none", bugdet=3)
    (tmp_path / "settings.toml").write_text('strateggy = "bm25"\n', "utf-8")
    with pytest.raises(SettingsError, match="settings.toml.*Did you mean 'strategy'"):
        Memory(tmp_path, embedder="none")
    (tmp_path / "settings.toml").write_text("budget = \n", "utf-8")
    with pytest.raises(SettingsError, match="TOML"):
        Memory(tmp_path, embedder="none")


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ({"budget": "much"}, "whole number"),
        ({"budget": -1}, "whole number"),
        ({"vectors": "sometimes"}, "auto, off"),
        ({"embedder": "word2vec"}, "Unknown embedder 'word2vec'"),
        ({"counter": "guess"}, "guess"),
        ({"reranker": "coin-toss"}, "Unknown reranker 'coin-toss'"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_at_once(tmp_path: Path, options: dict[str, Any], hint: str) -> None:
    with pytest.raises(SettingsError, match=hint):
        Memory(tmp_path, **{"embedder": "none", **options})


def test_recent_turns_that_nobody_asked_for_leave_half_the_budget_to_evidence(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="hash") as memory:
        memory.add("The spare key hangs behind the fern.", user_id="ana", session_id="s1")
        long = [{"role": "user", "content": "short"}, {"role": "assistant", "content": "word " * 2000}]
        memory.add(long, user_id="ana", session_id="s2")
        memory.index(user_id="ana")
        context = memory.context("Where is the spare key?", user_id="ana", budget=400, strategy="raw-fused")
        assert context.recent == ()
        assert "behind the fern" in context.text
        with pytest.raises(ContextLengthExceeded):
            memory.context("Where is it?", user_id="ana", budget=400, session_id="s2", recent_turns=1)
