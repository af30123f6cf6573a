from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from everyword import Context, Memory
from everyword.cli.main import app
from everyword.errors import ContextLengthExceeded
from everyword.testing.scripted_model import ScriptedModel
from everyword.testing.scripted_replies import Asked, ScriptedReply

pytest.importorskip("pydantic")

ENOUGH: dict[str, Any] = {"answerable": True, "answer": "37 coins."}
MISSING: dict[str, Any] = {"answerable": False, "answer": ""}
QUESTION = "How many coins do I have?"


@contextmanager
def opened(home: Path, model: ScriptedModel | None = None, *, messages: int = 120, **options: Any) -> Iterator[Memory]:
    from everyword.models.structured_chat import StructuredChat

    given = {} if model is None else {"llm": StructuredChat(model, repairs=0)}
    with Memory(home, embedder="none", **given, **{"route_audit": 0, **options}) as memory:
        if not memory.users():
            said = ["I have 37 coins from before 1920."]
            said += [f"Day {number}: no coins, the mill was loud and the river was high." for number in range(messages)]
            memory.add([{"role": "user", "content": text} for text in said], user_id="ana", timestamp="2026-01-01")
        yield memory


def route(memory: Memory, question: str = QUESTION, **more: Any) -> Context:
    return memory.context(question, user_id="ana", strategy="route", **{"budget": 20_000, **more})


def of_purpose(model: ScriptedModel, purpose: str) -> list[Asked]:
    return [asked for asked in model.requests if asked.body["purpose"] == purpose]


# --- where it goes -----------------------------------------------------------------------------------------------------


def test_evidence_that_is_enough_is_kept_with_the_answer(tmp_path: Path) -> None:
    model = ScriptedModel(ENOUGH)
    with opened(tmp_path, model, route_evidence=400) as memory:
        found = route(memory)
        plain = memory.context(QUESTION, user_id="ana", strategy="evidence", budget=400)
    assert [each.message.seq for each in found.evidence] == [each.message.seq for each in plain.evidence]
    assert (found.strategy, found.budget, found.answer) == ("route", 20_000, "37 coins.")
    assert found.tokens <= 400
    assert plain.text in model.requests[0].last
    assert any("scripted says whether the evidence is enough: it is" in note for note in found.trace.notes)


def test_evidence_that_is_not_enough_is_replaced_by_the_whole_history(tmp_path: Path) -> None:
    with opened(tmp_path, ScriptedModel(MISSING), route_evidence=400) as memory:
        found = route(memory)
        assert [each.message.seq for each in found.evidence] == list(range(1, 122))
        assert (found.answer, found.strategy) == (None, "route")
        assert found.tokens <= 20_000
        assert any("it is not; the whole history is shown" in note for note in found.trace.notes)


@pytest.mark.parametrize(
    "reply", [{"answerable": True, "answer": "  "}, {"answerable": False, "answer": "Perhaps 37."}]
)
def test_no_answer_and_a_guess_are_no_answers(tmp_path: Path, reply: dict[str, Any]) -> None:
    with opened(tmp_path, ScriptedModel(reply), route_evidence=400) as memory:
        assert len(route(memory).evidence) == 121


def test_a_history_that_does_not_fit_leaves_the_room_to_evidence(tmp_path: Path) -> None:
    with opened(tmp_path, ScriptedModel(MISSING), route_evidence=400) as memory:
        found = route(memory, budget=900)
        assert 400 < found.tokens <= 900
        assert 0 < len(found.evidence) < 121
        assert any("over 900, which evidence fills" in note for note in found.trace.notes)


def test_the_window_of_the_model_limits_it_too_and_a_fifth_is_kept_for_the_answer(tmp_path: Path) -> None:
    with opened(tmp_path, ScriptedModel(MISSING, MISSING), route_evidence=400, llm_window=1_000) as memory:
        assert route(memory).tokens <= 800
    with opened(tmp_path, ScriptedModel(MISSING), route_evidence=400, llm_window=8_000) as memory:
        assert len(route(memory).evidence) == 121


def test_a_small_history_is_shown_whole_and_nobody_is_asked(tmp_path: Path) -> None:
    model = ScriptedModel()
    with opened(tmp_path, model, messages=5) as memory:
        assert len(route(memory).evidence) == 6
        assert memory.routes(user_id="ana").by == {"size": 1}
    assert model.requests == []


@pytest.mark.parametrize("budget", [30, 60, 150, 400, 2_000])
def test_no_budget_is_exceeded_whatever_the_model_says(tmp_path: Path, budget: int) -> None:
    with opened(tmp_path, ScriptedModel(MISSING, ENOUGH), route_evidence=300) as memory:
        for _ in range(2):
            try:
                found = route(memory, budget=budget)
            except ContextLengthExceeded as error:
                assert error.needed > budget
                continue
            assert found.tokens <= budget == found.budget
            assert sum(found.ledger.values()) == found.tokens


def test_a_question_that_does_not_fit_is_an_error_that_says_so(tmp_path: Path) -> None:
    with opened(tmp_path, ScriptedModel(), route_evidence=300) as memory, pytest.raises(ContextLengthExceeded):
        route(memory, "How many coins do I have? " * 40, budget=50)


# --- without an endpoint -----------------------------------------------------------------------------------------------


def test_without_a_model_the_search_tells_and_a_note_says_so(tmp_path: Path) -> None:
    with opened(tmp_path, route_evidence=400) as memory:
        first, again = route(memory), route(memory)
        assert first.text == again.text
        assert not first.no_evidence
        assert first.tokens <= 400
        assert any("no language model is set" in note and note.endswith(": it is") for note in first.trace.notes)
        assert memory.routes(user_id="ana").by == {"signals": 2}


def test_without_a_model_nothing_found_leads_to_the_whole_history(tmp_path: Path) -> None:
    with opened(tmp_path, route_evidence=400) as memory:
        assert len(route(memory, "xylophone quartet?").evidence) == 121
        assert memory.routes(user_id="ana").fell_back == 1


def test_a_model_that_fails_leaves_the_decision_to_the_search(tmp_path: Path) -> None:
    with opened(tmp_path, ScriptedModel(ScriptedReply(status=500)), route_evidence=400) as memory:
        found = route(memory)
        assert found.tokens <= 400
        assert any("the language model failed" in note for note in found.trace.notes)
        assert memory.routes(user_id="ana").by == {"signals": 1}


def test_a_refusal_is_no_answer_of_the_model(tmp_path: Path) -> None:
    with opened(tmp_path, ScriptedModel(ScriptedReply(refusal="I can't.")), route_evidence=400) as memory:
        assert any("refused" in note for note in route(memory).trace.notes)


# --- the journal -------------------------------------------------------------------------------------------------------


def scripted(verdicts: list[bool], whole: Callable[[int], dict[str, Any]] = lambda _: ENOUGH) -> ScriptedModel:
    """A model whose verdicts on evidence come in order; `whole(n)` is what it says to the nth audit."""
    model, left, audits = ScriptedModel(), iter(verdicts), iter(range(10_000))
    model.when(lambda asked: asked.body["purpose"] == "route", lambda _: ENOUGH if next(left) else MISSING)
    model.when(lambda asked: "Do two answers" in asked.texts[0], {"same": False})
    return model.when(lambda asked: asked.body["purpose"] == "route audit", lambda _: whole(next(audits)))


def test_the_journal_reproduces_the_routing_of_a_script_to_the_figure(tmp_path: Path) -> None:
    verdicts = [number % 4 != 0 for number in range(40)]  # 30 accepted, 10 not
    audits = [ENOUGH, {"answerable": True, "answer": "38 coins."}, MISSING]
    model = scripted(verdicts, lambda number: audits[number % 3])
    with opened(tmp_path, model, route_evidence=400, route_audit=20) as memory:
        shown = [len(route(memory).evidence) == 121 for _ in verdicts]
        found = memory.routes(user_id="ana", window=20)
    assert shown == [not each for each in verdicts]
    assert (found.decisions, found.routed, found.fell_back, found.fallback_rate) == (40, 40, 10, 0.25)
    assert found.took == {"full": 10, "evidence": 30}
    # A fifth of 30 accepted answers: agrees, differs, differs, agrees, differs, differs.
    assert (found.audited, found.differing, found.disagreement) == (6, 4, 4 / 6)
    assert len(of_purpose(model, "route audit")) == 6 + 2  # Two pairs of other words had to be compared.
    assert (found.baseline_rate, found.recent_rate, found.has_drifted) == (0.25, 0.25, False)
    assert found.input_tokens == sum(asked.tokens for asked in model.requests)


def test_a_moved_fallback_rate_is_an_alarm_until_it_is_recalibrated(tmp_path: Path) -> None:
    model = scripted([*([True] * 20), *([number % 2 == 0 for number in range(20)])])
    with opened(tmp_path, model, route_evidence=400) as memory:
        for _ in range(40):
            route(memory)
        before = memory.routes(user_id="ana", window=20, recalibrate=True)
        after = memory.routes(user_id="ana", window=20)
    assert (before.baseline_rate, before.recent_rate, before.has_drifted) == (0.0, 0.5, True)
    assert before.proposal is not None
    assert before.proposal.setting == "baseline"
    assert (after.decisions, after.baseline_rate, after.recent_rate, after.has_drifted) == (20, 0.5, None, False)


def test_the_journal_holds_no_words_and_goes_with_everything(tmp_path: Path) -> None:
    with opened(tmp_path, scripted([True]), route_evidence=400) as memory:
        route(memory, "Where is my zanzibarquux?")
        assert memory.routes(user_id="ana").decisions == 1
        memory.rebuild(user_id="ana")
        assert memory.routes(user_id="ana").decisions == 1
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert not [path for path in files if b"zanzibarquux" in path.read_bytes().lower()]
        memory.forget(user_id="ana", everything=True)
        assert memory.routes(user_id="ana").decisions == 0
        assert memory.routes(user_id="bob").decisions == 0


def test_the_journal_of_one_user_is_not_that_of_another(tmp_path: Path) -> None:
    with opened(tmp_path, route_evidence=400) as memory:
        memory.add("I love tea.", user_id="bob")
        route(memory)
        assert (memory.routes(user_id="ana").decisions, memory.routes(user_id="bob").decisions) == (1, 0)


def test_the_command_prints_the_figures(tmp_path: Path) -> None:
    with opened(tmp_path, scripted([True, False]), route_evidence=400) as memory:
        for _ in range(2):
            route(memory)
    words = ["advise", "--routes", "--user", "ana", "--home", str(tmp_path)]
    said = CliRunner().invoke(app, words)
    assert said.exit_code == 0
    assert "fallback   50.0% of 2" in said.stdout
    found = json.loads(CliRunner().invoke(app, [*words, "--json", "--recalibrate"]).stdout)
    assert (found["fallback_rate"], found["took"]) == (0.5, {"evidence": 1, "full": 1})


@pytest.mark.parametrize("verdict", [ENOUGH, MISSING])
def test_recent_turns_are_shown_once_whatever_is_decided(tmp_path: Path, verdict: dict[str, Any]) -> None:
    with opened(tmp_path, ScriptedModel(verdict), route_evidence=400) as memory:
        memory.add("I sold one of my coins to Ana.", user_id="ana", session_id="now", timestamp="2026-03-01")
        found = route(memory, session_id="now")
    assert found.text.count("I sold one of my coins") == 1
    assert [message.text for message in found.recent] == ["I sold one of my coins to Ana."]
    assert found.ledger["recent"] > 0


def test_a_window_that_the_evidence_nearly_fills_still_has_room_for_the_question(tmp_path: Path) -> None:
    with opened(tmp_path, ScriptedModel(MISSING), llm_window=100) as memory:
        found = route(memory, "How many coins do I have in the box? " * 8, budget=1_000)
    assert found.tokens <= 1_000


def test_an_explanation_names_the_stages_of_what_was_shown(tmp_path: Path) -> None:
    with opened(tmp_path, ScriptedModel(ENOUGH, MISSING), route_evidence=400) as memory:
        asked: dict[str, Any] = {"user_id": "ana", "strategy": "route", "budget": 20_000}
        assert "lexical" in memory.explain(QUESTION, **asked).candidates
        assert "newest" in memory.explain(QUESTION, **asked).candidates
