from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

Run = Callable[..., Result]
Document = Callable[[Result], Any]


def _cells(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in line)


def test_a_hit_shows_when_and_who_and_the_words(filled: Run) -> None:
    shown = filled("search", "spare", "key", "--limit", "1").stdout.splitlines()
    assert shown[0].startswith("2026-02-22 Sun 19:48  #1 user · ")
    assert shown[1] == "  My spare key is with Mrs. Chou from the tea shop."


def test_a_hit_is_an_object_with_the_names_that_others_use(filled: Run, document: Document) -> None:
    (hit,) = document(filled("search", "spare key", "--limit", "1", "--json"))["results"]
    assert hit["memory"] == hit["text"] == "My spare key is with Mrs. Chou from the tea shop."
    assert {"id", "score", "created_at", "role", "session_id", "seq", "metadata"} <= set(hit)


def test_a_chinese_question_finds_chinese_words(filled: Run) -> None:
    assert "茶水間" in filled("search", "烏克麗麗在哪裡？", "--limit", "1").stdout


def test_a_question_in_simplified_characters_finds_traditional_ones(filled: Run) -> None:
    assert "茶水間" in filled("search", "乌克丽丽", "--mode", "lexical").stdout


def test_long_chinese_text_fits_the_columns(run: Run) -> None:
    run("add", "我們在三樓茶水間討論了很久，the lamp hinge 還是會響，" * 8)
    shown = run("search", "茶水間", COLUMNS="50").stdout.splitlines()
    assert len(shown) > 3
    assert max(map(_cells, shown)) <= 50
    assert not [line for line in shown if line.strip().startswith("，")]


def test_a_long_message_is_shown_around_the_words(run: Run) -> None:
    run("add", "filler " * 500 + "the xylophone is in the attic " + "filler " * 500)
    shown = run("search", "xylophone").stdout
    assert "the xylophone is in the attic" in shown
    assert len(shown) < 1000


def test_a_search_is_bounded_by_role_session_and_time(filled: Run) -> None:
    filled("add", "The key again.", "--session", "s9", "--at", "2026-06-01")
    assert "#4" in filled("search", "key", "--session", "s9").stdout
    assert "#1" not in filled("search", "key", "--session", "s9").stdout
    assert "#1" not in filled("search", "key", "--after", "2026-05-01").stdout
    assert "#4" not in filled("search", "key", "--before", "2026-05-01").stdout
    assert "#1" in filled("search", "key", "--before", "2026-02-22").stdout
    assert "#1" not in filled("search", "key", "--role", "assistant", "--role", "tool").stdout


def test_a_search_that_finds_nothing_says_so(filled: Run) -> None:
    nothing = filled("search", "zebra", "--mode", "lexical")
    assert (nothing.exit_code, nothing.stdout) == (0, "")
    assert "Nothing was found." in nothing.stderr


def test_a_semantic_search_without_a_model_fails_with_its_code(filled: Run) -> None:
    assert filled("search", "key", "--mode", "semantic", EVERYWORD_EMBEDDER="none").exit_code == 7


@pytest.mark.parametrize("question", ["   ", "\x00"])
def test_an_empty_question_is_wrong_input(filled: Run, question: str) -> None:
    assert filled("search", question).exit_code in (0, 2)
    assert filled("context", " ").exit_code == 2


def test_words_of_the_search_language_are_only_words(filled: Run) -> None:
    assert filled("search", '"key" AND NEAR( OR *').exit_code == 0


def test_control_characters_do_not_reach_the_list(run: Run) -> None:
    run("add", "The key \x1b[2J\x1b]0;owned\x07 is here.")
    shown = run("search", "key").stdout
    assert "\x1b" not in shown
    assert "␛[2J" in shown


def test_a_context_is_the_text_and_nothing_else_on_stdout(filled: Run, document: Document) -> None:
    packed = document(filled("context", "Who has my spare key?", "--json"))
    shown = filled("context", "Who has my spare key?")
    assert shown.stdout == packed["text"]
    assert "Mrs. Chou" in shown.stdout
    assert f"{packed['tokens']:,} of 1,500 tokens" in shown.stderr


def test_a_context_tells_its_ledger_evidence_and_trace(filled: Run, document: Document) -> None:
    packed = document(filled("context", "Who has my spare key?", "--json"))
    assert sum(packed["ledger"].values()) == packed["tokens"] <= packed["budget"] == 1500
    first = packed["evidence"][0]
    assert {"id", "seq", "text", "created_at", "role", "rank", "score", "tokens", "is_whole", "spans"} <= set(first)
    assert packed["trace"]["stages"][0]["places"][str(first["seq"])]["rank"] >= 1
    assert {"dropped", "recent", "pending_passages", "strategy", "counter", "asked_at"} <= set(packed)


def test_a_context_is_chat_messages_where_they_are_asked_for(filled: Run, document: Document) -> None:
    messages = document(filled("context", "Who has my spare key?", "--openai"))
    assert [each["role"] for each in messages] == ["system", "user"]
    assert messages[-1]["content"] == "Who has my spare key?"


def test_a_context_has_the_recent_turns_of_its_session(filled: Run, document: Document) -> None:
    filled("add", "Where were we?", "--session", "s1")
    packed = document(filled("context", "And then?", "--session", "s1", "--recent-turns", "1", "--json"))
    assert [each["text"] for each in packed["recent"]] == ["Where were we?"]


def test_a_budget_that_the_question_exceeds_has_its_code(filled: Run) -> None:
    exceeded = filled("context", "Who has my spare key?", "--budget", "2")
    assert (exceeded.exit_code, exceeded.stdout) == (4, "")
    assert json.loads(filled("context", "Who has my key?", "--budget", "2", "--json").stderr)["error"]["type"] == (
        "ContextLengthExceeded"
    )


def test_an_unknown_strategy_is_answered_with_the_known_ones(filled: Run) -> None:
    wrong = filled("context", "key?", "--strategy", "guess")
    assert wrong.exit_code == 2
    assert "evidence" in wrong.stderr


def test_passages_that_wait_for_vectors_are_told(run: Run, history: Path) -> None:
    run("import", history, "--no-index")
    assert "everyword index" in run("context", "Who has my spare key?").stderr


def test_an_explanation_has_rank_and_outcome_of_each_message(filled: Run, document: Document) -> None:
    found = document(filled("explain", "Who has my spare key?", "--json"))
    best = next(each for each in found["messages"] if each["seq"] == 1)
    assert best["outcome"] == "packed"
    assert best["stages"]["fused"]["rank"] == 1
    assert set(found["candidates"]) >= {"lexical", "fused"}


def test_an_explanation_is_a_table_that_fits(filled: Run) -> None:
    shown = filled("explain", "Who has my spare key?").stdout.splitlines()
    assert {"outcome", "lexical", "passage", "fused"} <= set(shown[0].split())
    assert any(line.startswith("#1 ") and " packed " in line for line in shown)
    assert max(map(_cells, shown)) <= 80


def test_a_named_message_comes_first_in_an_explanation(filled: Run, document: Document) -> None:
    wanted = document(filled("search", "烏克麗麗", "--limit", "1", "--json"))["results"][0]
    shown = filled("explain", "Who has my spare key?", "--message", wanted["id"]).stdout.splitlines()
    assert shown[2].startswith(f"#{wanted['seq']} ")


def test_an_unknown_message_is_not_found(filled: Run) -> None:
    assert filled("explain", "key", "--message", "0" * 32).exit_code == 3


def evidence(result: Result) -> list[tuple[str, str]]:
    """Return the number and the words of each line of evidence; between them stands a time where the day stays."""
    lines = [line for line in result.stdout.splitlines() if line.startswith("#")]
    return [(line.split()[0], line.partition(": ")[2]) for line in lines]


def test_the_order_of_the_evidence_is_chosen(filled: Run) -> None:
    asked = ("context", "Where is my spare key?", "--order")
    by_time, last = (filled(*asked, order) for order in ("chronological", "relevance-last"))
    assert (by_time.exit_code, last.exit_code) == (0, 0)
    sorted_ones, ranked = evidence(by_time), evidence(last)
    assert [number for number, _ in sorted_ones] == ["#1", "#2", "#3"]
    assert sorted(ranked) == sorted_ones
    assert ranked[-1] == ("#1", "My spare key is with Mrs. Chou from the tea shop.")
    assert filled("context", "key?", "--order", "random").exit_code == 2


def test_an_explanation_takes_the_conditions_of_a_context(filled: Run) -> None:
    conditions = ("--role", "user", "--after", "2000-01-01", "--before", "2099-01-01", "--order", "head-and-tail")
    assert filled("explain", "Where is my spare key?", *conditions).exit_code == 0
    assert "assistant" not in filled("explain", "Where is my spare key?", *conditions, "--json").stdout
