from __future__ import annotations

import inspect
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from everyword import Context, Memory
from everyword.aio import AsyncSummaries
from everyword.claims.summaries import STEP, Summaries
from everyword.errors import ContextLengthExceeded, ModelMissingError
from everyword.testing.scripted_model import ScriptedModel
from everyword.testing.scripted_replies import Asked, Said, ScriptedReply
from everyword.text.tokens import counter

pytest.importorskip("pydantic")

WRITTEN = ("summary", "compact", "profile", "notes")
SECRET = "zanzibarquux"
FILES = ("main.py", "store.py", "rules.py", "trust.py", "decay.py", "caps.py", "claims.py")

_STATEMENT = re.compile(r"^(\d+)\. \((?:[\d-]+, )?(\w+), (\w+)\) (.*)$", re.MULTILINE)
_MESSAGE = re.compile(r"^Message (\d+)[^\n]*:\n(.*)$", re.MULTILINE)


def statements(asked: Asked) -> list[tuple[int, str, str, str]]:
    """Return number, kind, state and text of the claims that the model is shown."""
    return [(int(number), kind, state, text) for number, kind, state, text in _STATEMENT.findall(asked.last)]


def third_person(text: str) -> str:
    for own, others in (
        (r"^I am\b", "The user is"),
        (r"^I have\b", "The user has"),
        (r"^I\b", "The user"),
        (r"^My\b", "Their"),
    ):
        text = re.sub(own, others, text)
    return text.replace("我的", "使用者的").replace("我", "使用者")


def faithful(asked: Asked) -> dict[str, Any]:
    return {"lines": [{"text": third_person(text), "sources": [number]} for number, _, _, text in statements(asked)]}


def joined(asked: Asked) -> dict[str, Any]:
    """Put two statements of one kind and state into each line."""
    lines: list[dict[str, Any]] = []
    groups: dict[tuple[bool, str], list[tuple[int, str]]] = {}
    for number, kind, state, text in statements(asked):
        groups.setdefault((kind in ("profile", "procedure"), state), []).append((number, third_person(text)))
    for group in groups.values():
        pairs = (group[place : place + 2] for place in range(0, len(group), 2))
        lines += [
            {"text": " ".join(text for _, text in pair), "sources": [number for number, _ in pair]} for pair in pairs
        ]
    return {"lines": lines}


def _kind(text: str) -> str:
    return "profile" if re.search(r"love|allergic|過敏|喜歡", text) else "note"


def _state(text: str) -> str:
    return "plan" if "going to" in text else "statement"


def chosen(asked: Asked) -> dict[str, Any]:
    """Choose every message that says something, whoever it is about."""
    return {
        "claims": [
            {"message": int(number), "quote": text, "kind": _kind(text), "state": _state(text)}
            for number, text in _MESSAGE.findall(asked.last)
        ]
    }


def writer(said: Said) -> ScriptedModel:
    model = ScriptedModel()
    model.when(lambda asked: asked.body["purpose"] == "claims", chosen)
    return model.when(lambda asked: asked.body["purpose"] == "summary", said)


def written(model: ScriptedModel) -> list[Asked]:
    return [asked for asked in model.requests if asked.body["purpose"] == "summary"]


@contextmanager
def opened(home: Path, model: ScriptedModel, **options: Any) -> Iterator[Memory]:
    from everyword.models.structured_chat import StructuredChat

    with Memory(home, embedder="none", llm=StructuredChat(model, repairs=0), **options) as memory:
        yield memory


def say(memory: Memory, *texts: str, role: str = "user", **more: Any) -> list[str]:
    said: dict[str, Any] = {"timestamp": "2026-03-01", **more}
    return list(memory.add([{"role": role, "content": text} for text in texts], user_id="ana", **said).message_ids)


def told(memory: Memory) -> None:
    memory.claims.derive(user_id="ana")
    memory.summaries.write(user_id="ana")


def lines(memory: Memory) -> list[str]:
    return [line.text for line in memory.summaries.of(user_id="ana")]


def context(memory: Memory, strategy: str, question: str = "What about tea and coins?", **more: Any) -> Context:
    return memory.context(question, user_id="ana", strategy=strategy, **{"budget": 600, **more})


def front(found: Context) -> str:
    return found.memory_text.partition("</memory>")[0]


def holding(folder: Path, secret: str) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file() and secret.encode() in path.read_bytes().lower()]


def filled(memory: Memory, *texts: str) -> None:
    """Say something, then so much else that it is in no window."""
    if texts:
        say(memory, *texts)
    say(memory, *("The mill is loud. " * 20 for _ in range(20)), timestamp="2026-04-01", role="assistant")


# --- what is shown -----------------------------------------------------------------------------------------------------


def test_lines_that_the_model_wrote_stand_in_front_with_their_numbers(tmp_path: Path) -> None:
    with opened(tmp_path, writer(joined)) as memory:
        filled(memory, "I love tea.", "I love coffee.", "I have 37 coins.")
        told(memory)
        for strategy in WRITTEN:
            found = context(memory, strategy)
            assert "#1 #2 [2026-03-01 written] The user love tea. The user love coffee." in front(found), strategy
            assert "I love tea." not in front(found), strategy
            assert "Written by a language model" in front(found), strategy
            sources = [each for each in found.evidence if each.spans == ()]
            assert {1, 2} <= {each.message.seq for each in sources}
            assert sum(found.ledger.values()) == found.tokens <= found.budget
            assert any("written by a language model" in note for note in found.trace.notes), strategy


def test_what_is_not_written_yet_is_quoted(tmp_path: Path) -> None:
    with opened(tmp_path, writer(faithful)) as memory:
        filled(memory, "I love tea.")
        memory.claims.derive(user_id="ana")
        assert "[2026-03-01 user's words] I love tea." in front(context(memory, "summary"))
        memory.summaries.write(user_id="ana")
        assert "[2026-03-01 written] The user love tea." in front(context(memory, "summary"))


def test_a_plan_is_still_marked_as_one(tmp_path: Path) -> None:
    with opened(tmp_path, writer(joined)) as memory:
        filled(memory, "I am going to buy tea.", "I have tea.")
        told(memory)
        text = front(context(memory, "summary"))
    assert "#1 [2026-03-01 written] The user is going to buy tea. (a plan)" in text
    assert "#2 [2026-03-01 written] The user has tea.\n" in text


def test_a_line_of_which_one_source_is_a_recent_turn_makes_place_for_the_words_of_the_other(tmp_path: Path) -> None:
    with opened(tmp_path, writer(joined)) as memory:
        say(memory, "I love tea.", session_id="a")
        say(memory, "I love coffee.", session_id="b")
        told(memory)
        found = context(memory, "profile", session_id="b")
    assert "I love tea." in front(found)
    assert found.text.count("coffee") == 1


def test_a_question_as_of_an_earlier_day_sees_no_later_line(tmp_path: Path) -> None:
    with opened(tmp_path, writer(joined)) as memory:
        say(memory, "I love tea.", timestamp="2026-01-01")
        say(memory, "I love coffee.", timestamp="2026-05-01")
        told(memory)
        text = context(memory, "profile", asked_at="2026-02-01").memory_text
    assert "I love tea." in text
    assert "coffee" not in text


def test_lines_are_those_of_one_user_alone(tmp_path: Path) -> None:
    with opened(tmp_path, writer(faithful)) as memory:
        say(memory, "I love tea.")
        told(memory)
        assert memory.summaries.of(user_id="bob") == []
        assert "tea" not in memory.context("tea?", user_id="bob", strategy="profile").memory_text


# --- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        {"text": "The user has 38 coins.", "sources": [1]},
        {"text": "The user has 37 coins and a yacht.", "sources": [1]},
        {"text": "The user has 37 coins.", "sources": []},
        {"text": "The user has 37 coins.", "sources": [7]},
        {"text": "The user has no coins.", "sources": [1]},
        {"text": "使用者有 37 枚硬幣。", "sources": [1]},
    ],
)
def test_a_line_that_its_sources_do_not_say_is_quoted_instead_and_a_note_tells(
    tmp_path: Path, line: dict[str, Any]
) -> None:
    with opened(tmp_path, writer({"lines": [line]})) as memory:
        filled(memory, "I have 37 coins.")
        told(memory)
        found = context(memory, "summary")
        assert memory.stats(user_id="ana")["summaries"]["refused"] == 1
        assert lines(memory) == []
    assert "[2026-03-01 user's words] I have 37 coins." in front(found)
    assert any("1 written lines did not agree with their sources" in note for note in found.trace.notes)


@pytest.mark.parametrize("role", ["user", "assistant", "tool"])
@pytest.mark.parametrize("said", ["你是阿里員工", "你是阿里员工"])
def test_who_the_assistant_is_enters_no_summary(tmp_path: Path, role: str, said: str) -> None:
    def insists(asked: Asked) -> dict[str, Any]:
        made = faithful(asked)["lines"]
        return {"lines": [*made, {"text": "使用者是阿里員工。", "sources": [1]}, {"text": said, "sources": [1]}]}

    with opened(tmp_path, writer(insists)) as memory:
        filled(memory, "我喜歡茶。")
        say(memory, said, role=role)
        say(memory, *("好的。" * 60 for _ in range(20)), role="assistant", timestamp="2026-04-02")
        told(memory)
        for strategy in WRITTEN:
            text = front(context(memory, strategy, "我喜歡什麼茶？", budget=500))
            assert "喜歡茶" in text, strategy
            assert "阿里" not in text, strategy
        assert not [line for line in lines(memory) if "阿里" in line]


def test_no_simplified_character_enters_the_notes_of_a_traditional_conversation(tmp_path: Path) -> None:
    def simplified(asked: Asked) -> dict[str, Any]:
        made = faithful(asked)["lines"]
        return {"lines": [{**made[0], "text": "使用者对花生过敏。"}, *made[1:]]}

    with opened(tmp_path, writer(simplified)) as memory:
        filled(memory, "我對花生過敏。", "我的貓叫咪咪。")
        told(memory)
        for strategy in WRITTEN:
            text = front(context(memory, strategy, "我對什麼過敏？貓？"))
            assert "我對花生過敏。" in text, strategy
            assert "对" not in text, strategy
    assert "使用者的貓叫咪咪。" in lines_of(tmp_path)


def lines_of(home: Path) -> list[str]:
    with opened(home, writer(faithful)) as memory:
        return lines(memory)


# --- what stays --------------------------------------------------------------------------------------------------------


def test_a_list_of_seven_files_survives_five_generations_of_a_model_that_forgets(tmp_path: Path) -> None:
    said = f"I have changed {', '.join(FILES[:-1])} and {FILES[-1]}."

    def forgetful(asked: Asked) -> dict[str, Any]:
        """Lose one more file in each generation."""
        gone = FILES[len(written(model)) % len(FILES)]
        made = faithful(asked)["lines"]
        return {"lines": [{**line, "text": line["text"].replace(f"{gone}, ", "")} for line in made]}

    model = writer(forgetful)
    with opened(tmp_path, model) as memory:
        say(memory, said)
        for generation in range(5):
            say(
                memory,
                *(f"I have seen {number + 10 * generation} ships." for number in range(STEP - (generation == 0))),
            )
            told(memory)
            assert len(written(model)) == generation + 1
            filled(memory)
            for strategy in ("summary", "compact"):
                text = front(context(memory, strategy, "Which files?", budget=1_500))
                assert not [name for name in FILES if name not in text], (generation, strategy)
        assert memory.stats(user_id="ana")["summaries"]["chunks"] == 1


def test_an_error_of_one_generation_is_not_handed_on_to_the_next(tmp_path: Path) -> None:
    model = writer(faithful)
    with opened(tmp_path, model) as memory:
        say(memory, "I have 37 coins.")
        told(memory)
        say(memory, "I love tea.")
        told(memory)
    first, second = written(model)
    assert "so far" not in first.last
    assert "The summary so far:\nThe user has 37 coins. [1]" in second.last
    assert "1. (2026-03-01, note, statement) I have 37 coins." in second.last


def test_a_correction_supersedes_in_every_line_at_once_and_in_the_file_after_the_next_pass(tmp_path: Path) -> None:
    with opened(tmp_path, writer(joined)) as memory:
        filled(memory, "My order number is 12435.", "I have a red bicycle.")
        told(memory)
        assert any("12435" in line for line in lines(memory))
        wrong = next(each for each in memory.claims.of(user_id="ana") if "12435" in each.text)
        memory.claims.correct(wrong.claim_id, "My order number is 12345.", user_id="ana", timestamp="2026-04-05")
        assert not [line for line in lines(memory) if "12435" in line]
        for strategy in WRITTEN:
            text = front(context(memory, strategy, "What is my order number, what bicycle?"))
            assert "12435" not in text, strategy
        told(memory)
        assert any("12345" in line for line in lines(memory))
        assert any("red bicycle" in line for line in lines(memory))
        memory.rebuild(user_id="ana")
        told(memory)
        assert not [line for line in lines(memory) if "12435" in line]


# --- forgetting --------------------------------------------------------------------------------------------------------


def test_forgetting_a_message_takes_its_lines_at_once_and_leaves_no_byte_anywhere(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with opened(home, writer(joined)) as memory:
        gone, kept = say(memory, f"I love {SECRET}.", "I love tea.")
        told(memory)
        assert lines(memory) == [f"The user love {SECRET}. The user love tea."]
        memory.forget(user_id="ana", message_ids=[gone])
        assert holding(home, SECRET) == []
        assert lines(memory) == []
        assert "[2026-03-01 user's words] I love tea." in context(memory, "profile").memory_text
        told(memory)
        (rewritten,) = memory.summaries.of(user_id="ana")
        assert rewritten.text == "The user love tea."
        assert memory.get(kept, user_id="ana").seq in rewritten.seqs
        memory.rebuild(user_id="ana")
        told(memory)
        assert memory.verify(user_id="ana").problems == ()
    with opened(home, writer(joined)) as memory:
        assert lines(memory) == ["The user love tea."]
        assert SECRET not in context(memory, "profile", f"What about {SECRET}?").memory_text
    assert holding(home, SECRET) == []


def test_a_line_goes_where_the_model_only_saw_what_is_forgotten(tmp_path: Path) -> None:
    with opened(tmp_path, writer(faithful)) as memory:
        gone, _ = say(memory, "I love milk.", "I love tea.")
        told(memory)
        assert len(lines(memory)) == 2
        memory.forget(user_id="ana", message_ids=[gone])
        assert lines(memory) == []


def test_a_message_that_is_forgotten_while_the_model_writes_is_in_no_line(tmp_path: Path) -> None:
    home = tmp_path / "home"
    going: list[str] = []

    def slow(asked: Asked) -> dict[str, Any]:
        if going:
            memory.forget(user_id="ana", message_ids=[going.pop()])
        return faithful(asked)

    with opened(home, writer(slow)) as memory:
        going += say(memory, f"I love {SECRET}.")
        say(memory, "I love tea.")
        told(memory)
        assert lines(memory) == ["The user love tea."]
    assert holding(home, SECRET) == []


# --- when it is written ------------------------------------------------------------------------------------------------


def _until(is_done: Callable[[], bool], seconds: float = 20.0) -> bool:
    until = time.monotonic() + seconds
    while not is_done() and time.monotonic() < until:
        time.sleep(0.02)
    return is_done()


def test_in_the_background_lines_follow_the_claims_and_no_write_waits_for_them(tmp_path: Path) -> None:
    model = writer(faithful)
    with opened(tmp_path, model, claims="auto") as memory:
        say(memory, *(f"I love tea number {number}." for number in range(STEP)))
        assert _until(lambda: len(lines(memory)) == STEP)
        say(memory, "I love coffee.")
        assert _until(lambda: memory.stats(user_id="ana")["claims"]["waiting"] == 0)
        assert len(written(model)) == 1  # A single claim waits, quoted, until there are more.


def test_nothing_is_written_unless_it_is_asked_for(tmp_path: Path) -> None:
    model = writer(faithful)
    with opened(tmp_path, model) as memory:
        filled(memory, "I love tea.")
        for strategy in WRITTEN:
            context(memory, strategy)
    assert model.requests == []


def test_a_second_pass_asks_for_nothing_new(tmp_path: Path) -> None:
    model = writer(faithful)
    with opened(tmp_path, model) as memory:
        say(memory, "I love tea.")
        told(memory)
        told(memory)
    assert len(written(model)) == 1


def test_what_the_model_refuses_is_quoted_and_tried_three_times(tmp_path: Path) -> None:
    model = writer(ScriptedReply(refusal="I can't."))
    with opened(tmp_path, model) as memory:
        filled(memory, "I love tea.")
        for _ in range(5):
            told(memory)
        assert len(written(model)) == 3
        assert memory.stats(user_id="ana")["summaries"]["failed"] == {"refused": 1}
        found = context(memory, "summary")
        assert "user's words] I love tea." in front(found)
        assert any("could not write some of the summary (refused)" in note for note in found.trace.notes)


def test_forty_claims_are_a_chunk_and_the_next_ones_begin_another(tmp_path: Path) -> None:
    model = writer(faithful)
    with opened(tmp_path, model) as memory:
        say(memory, *(f"I have seen {number} ships." for number in range(100, 143)))
        told(memory)
        assert memory.stats(user_id="ana")["summaries"]["chunks"] == 2
        assert len(lines(memory)) == 43
        assert max(len(statements(asked)) for asked in written(model)) == 40


def test_without_a_model_writing_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none") as memory, pytest.raises(ModelMissingError, match="openai:MODEL"):
        memory.summaries.write(user_id="ana")


def test_the_verbs_are_awaited_with_the_same_arguments() -> None:
    for name in ("of", "write"):
        assert inspect.signature(getattr(AsyncSummaries, name)).parameters.keys() == (
            inspect.signature(getattr(Summaries, name)).parameters.keys()
        )


# --- whatever happens --------------------------------------------------------------------------------------------------

_KILLED = """
import sys, time
from everyword import Memory
from everyword.models.structured_chat import StructuredChat
sys.path.insert(0, sys.argv[2])
from test_summaries import faithful, say, writer

def slow(asked):
    time.sleep(0.05)
    return faithful(asked)

memory = Memory(sys.argv[1], embedder="none", llm=StructuredChat(writer(slow), repairs=0), claims="auto")
say(memory, *(f"I have seen {number} ships." for number in range(100, 180)))
while memory.stats(user_id="ana")["summaries"]["lines"] < 16:
    time.sleep(0.01)
print("begun", flush=True)
time.sleep(60)
"""


def test_a_kill_while_lines_are_written_loses_and_doubles_none(tmp_path: Path) -> None:
    home, here = tmp_path / "home", str(Path(__file__).parent)
    with subprocess.Popen(
        [sys.executable, "-c", _KILLED, str(home), here], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.kill()
    with opened(home, writer(faithful), claims="auto") as memory:
        memory.stats(user_id="ana")  # Opening the file takes up what waits.
        assert _until(lambda: len(lines(memory)) == 80)
        named = [each for line in memory.summaries.of(user_id="ana") for each in line.claim_ids]
        assert len(named) == len(set(named)) == 80
        assert memory.verify(user_id="ana").problems == ()


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    texts = ["I love tea.", "我對花生過敏。", "I am going to buy a boat.", "I have 37 coins from before 1920."]
    with opened(tmp_path_factory.mktemp("home"), writer(joined)) as memory:
        for number in range(30):
            said = f"{texts[number % 4]} It is day {number} at the harbour."
            say(memory, said, timestamp=f"2026-02-{1 + number % 28:02d}")
            say(memory, "The mill is loud. " * (1 + number % 7), role="assistant", timestamp="2026-02-28")
        told(memory)
        yield memory


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    strategy=st.sampled_from([*WRITTEN, "hybrid", "pinned", "notes+raw"]),
    budget=st.integers(20, 3_000),
    question=st.sampled_from(["What about tea and coins?", "我對什麼過敏？", "When? " * 30]),
    after=st.sampled_from([None, "2026-02-10"]),
)
def test_no_budget_is_exceeded_and_nothing_is_said_twice(
    long: Memory, strategy: str, budget: int, question: str, after: str | None
) -> None:
    try:
        found = context(long, strategy, question, budget=budget, after=after)
    except ContextLengthExceeded as error:
        assert error.needed > budget
        return
    assert found.tokens == counter("estimate").count(found.text) <= budget
    assert sum(found.ledger.values()) == found.tokens
    quoted = {each.message.seq for each in found.evidence if each.spans}
    assert not quoted & {each.message.seq for each in found.evidence if not each.spans}
