"""Prompts of a running conversation: the prefix stays, older turns leave, and the account survives a restart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everyword import ContextLengthExceeded, Memory, Prompt, Window
from everyword.errors import InvalidInputError
from everyword.packing.trail import STEP

FACTS = (
    "I live in Lisbon.",
    "My cat is called Mimi.",
    "I'm allergic to peanuts.",
    "我最喜歡的飲料是烏龍茶。",
    "Never book a flight before nine.",
)
SMALL_TALK = (
    "The harbour was full of boats this morning.",
    "What shall I do with the rest of the afternoon?",
    "今天的會議延到下午了。",
    "Thanks, that was useful!",
)
SYSTEM = "You are the assistant of a family. Be short and exact. " * 4
WINDOW = Window(tokens=2_000, system=SYSTEM, tools=[{"name": "calendar"}], constraints="No peanuts.", memory=500)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path, embedder="none") as opened:
        yield opened


def say(memory: Memory, said: str, answer: str = "All right.", session_id: str = "s1") -> None:
    turn = [{"role": "user", "content": said}, {"role": "assistant", "content": answer}]
    memory.add(turn, user_id="ana", session_id=session_id)


def ask(memory: Memory, question: str, window: Window | int = WINDOW, **more: Any) -> Prompt:
    return memory.prompt(question, **{"user_id": "ana", "session_id": "s1", "window": window, **more})


def in_front(prompt: Prompt) -> list[str]:
    """Return the lines of the sections: what the memory says in the prefix."""
    kept = {
        source: text for source, text in prompt.parts.items() if source in ("profile", "pinned", "notes", "summary")
    }
    return [line for text in kept.values() for line in text.splitlines() if line.startswith("#")]


def alike(one: str, other: str) -> int:
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def talked(memory: Memory, strategy: str, turns: int) -> list[Prompt]:
    """Return the prompts of a conversation of so many turns, in which the user says something new now and then."""
    prompts: list[Prompt] = []
    for number in range(turns):
        said = FACTS[number // 25 % len(FACTS)] if number % 25 == 3 else SMALL_TALK[number % len(SMALL_TALK)]
        prompts.append(ask(memory, f"{said} ({number})", strategy=strategy))
        say(memory, f"{said} ({number})", "I have written that down for later. " * (1 + number % 3))
    return prompts


def check_prefixes(prompts: list[Prompt], *, least: float = 0.9) -> None:
    """`least`: share of the turns in which the memory in front has to be what it was."""
    unchanged = 0
    for before, prompt in zip(prompts, prompts[1:], strict=False):
        same = alike(before.prefix.text, prompt.text)
        if in_front(before) == in_front(prompt):
            unchanged += 1
            assert same >= 0.95 * len(before.prefix.text)
        assert prompt.prefix.kept is not None
        assert abs(prompt.prefix.kept * len(before.prefix.text) - same) <= STEP
    assert unchanged >= least * (len(prompts) - 1), "what the memory says in front hardly ever changes"
    assert any(prompt.flushed for prompt in prompts), "the conversation outgrows its window"
    assert all(prompt.tokens <= prompt.budget for prompt in prompts)


@pytest.mark.parametrize("strategy", ["hybrid", "summary", "window"])
def test_the_prefix_of_two_turns_is_the_same_while_nothing_in_it_changed(memory: Memory, strategy: str) -> None:
    say(memory, " ".join(FACTS[:2]), session_id="s0")
    prompts = talked(memory, strategy, 100)
    check_prefixes(prompts)
    assert bool(in_front(prompts[-1])) == (strategy != "window")


@pytest.mark.soak
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("strategy", ["hybrid", "summary", "window", "pinned", "compact", "notes"])
def test_the_prefix_stays_the_same_over_a_thousand_turns(memory: Memory, strategy: str) -> None:
    say(memory, " ".join(FACTS[:2]), session_id="s0")
    # Notes are looked up for each question, so that what stands in front changes with it.
    check_prefixes(talked(memory, strategy, 1_000), least=0.005 if strategy == "notes" else 0.9)


def test_a_prompt_begins_with_what_stays_and_says_the_constraints_at_both_ends(memory: Memory) -> None:
    say(memory, "I live in Lisbon. The boat left at 7.", session_id="s0")
    say(memory, "Good morning!")
    prompt = ask(memory, "When did the boat leave?", strategy="hybrid")
    assert list(prompt.ledger) == [
        "system",
        "tools",
        "constraints",
        "profile",
        "evidence",
        "recent",
        "question",
        "constraints again",
    ]
    first, second, *turns, last = prompt.to_openai()["messages"]
    assert first["content"].startswith(f"{SYSTEM}\n\nNo peanuts.\n\n<memory>\nWhat the user has said")
    assert "The boat left at 7." in second["content"]
    assert [each["content"] for each in turns] == ["Good morning!", "All right."]
    assert last == {"role": "user", "content": "When did the boat leave?\n\nNo peanuts."}
    assert prompt.to_openai()["tools"] == [{"name": "calendar"}]
    theirs = prompt.to_anthropic()
    assert [block["text"] for block in theirs["system"]] == [first["content"], second["content"]]
    assert [("cache_control" in block) for block in theirs["system"]] == [True, False]
    assert theirs["messages"][-1]["content"] == last["content"]


def test_a_fifth_of_the_window_is_kept_for_the_answer(memory: Memory) -> None:
    for number in range(400):
        say(memory, f"The boat number {number} left the harbour at {number % 24} o'clock sharp.", session_id="s0")
    prompt = ask(memory, "When did the boat leave the harbour?", Window(tokens=1_000, memory=10_000))
    assert (prompt.budget, prompt.answer_tokens) == (800, 200)
    assert 300 < prompt.tokens <= 800


def test_older_turns_leave_a_full_window_whole_and_are_found_again(memory: Memory) -> None:
    window = Window(tokens=1_000, memory=200)
    say(memory, "The spare key is with Mrs. Chou.")
    prompts: list[Prompt] = []
    while not prompts or not prompts[-1].flushed:
        prompts.append(ask(memory, "What now?", window))
        say(memory, "It was a long day at the mill, and the rain did not stop. " * 3)
    last, full = prompts[-1], prompts[-2]
    room = last.budget - 200
    assert full.ledger["recent"] > 0.75 * room, "they stay as long as they fit"
    assert 0.3 * room < last.ledger["recent"] <= 0.5 * room
    assert last.context.recent[0].role == "user"
    assert last.flushed + len(last.context.recent) == 2 * len(prompts)
    assert [alert.kind for alert in full.alerts if alert.kind != "input"] == ["filling"]
    assert [prompt.use >= 0.7 for prompt in prompts] == [
        any(a.kind == "filling" for a in prompt.alerts) for prompt in prompts
    ]
    assert prompts[0].use < 0.7
    assert 0.9 < full.use <= 1 > last.use
    assert "flushed" in [alert.kind for alert in last.alerts]
    assert not any(message.text.startswith("The spare key") for message in last.context.recent)
    again = ask(memory, "Who has the spare key?", window)
    assert "with Mrs. Chou" in again.parts["evidence"]
    assert again.context.recent[0].seq == last.context.recent[0].seq, "the window begins where it began"
    assert not again.flushed


def test_the_window_and_its_account_survive_a_restart(tmp_path: Path) -> None:
    window = Window(tokens=600, system="You are a cook. " * 9, memory=100)
    with Memory(tmp_path, embedder="none") as memory:
        for number in range(20):
            before = ask(memory, f"What shall I cook, number {number}?", window)
            say(memory, f"What shall I cook, number {number}?", "Rice with beans, and then tea. " * 2)
        assert any(record.flushed for record in memory._known("ana").accounts.records())
    with Memory(tmp_path, embedder="none") as memory:
        after = ask(memory, "What shall I cook, finally?", window)
        assert after.context.recent[0].seq == before.context.recent[0].seq
        assert after.prefix.kept == 1.0
        assert after.prefix.common is not None
        assert after.prefix.common > 0.7
        assert memory.health(user_id="ana").prompts == 20, "all but the first, before which the user had said nothing"


def test_a_question_that_is_stored_already_is_not_shown_twice(memory: Memory) -> None:
    say(memory, "I live in Lisbon.")
    memory.add("Where do I live?", user_id="ana", session_id="s1")
    prompt = ask(memory, "Where do I live?")
    assert prompt.text.count("Where do I live?") == 1
    assert [message.text for message in prompt.context.recent] == ["I live in Lisbon.", "All right."]


def test_recent_turns_by_number_are_those_and_no_more(memory: Memory) -> None:
    for number in range(5):
        say(memory, f"Turn {number}.")
    prompt = ask(memory, "Well?", recent_turns=2)
    assert [message.text for message in prompt.context.recent if message.role == "user"] == ["Turn 3.", "Turn 4."]


def test_the_labels_of_the_prefix_keep_their_language_when_a_question_does_not(memory: Memory) -> None:
    say(memory, "I live in Lisbon.", session_id="s0")
    say(memory, "Good morning!")
    english = ask(memory, "Where do I live?", strategy="hybrid")
    chinese = ask(memory, "我住哪裡？", strategy="hybrid")
    assert english.prefix.text == chinese.prefix.text
    assert chinese.prefix.kept == 1.0


def test_another_system_text_is_told_by_the_share_of_the_prefix_that_stayed(memory: Memory) -> None:
    say(memory, "Good morning!")
    ask(memory, "Well?", Window(tokens=4_000, system="a" * 2_000 + "b" * 2_000))
    changed = ask(memory, "Well?", Window(tokens=4_000, system="a" * 2_000 + "c" * 2_000))
    assert changed.prefix.kept == pytest.approx(0.5, abs=STEP / 4_000)


def test_a_prompt_that_is_nearly_all_input_says_so(memory: Memory) -> None:
    alerts: list[str] = []
    for number in range(8):
        alerts.append(" ".join(alert.kind for alert in ask(memory, f"And {number}?").alerts))
        say(memory, f"And {number}?", "No.")
    assert alerts[:5] == [""] * 5, "five answers have to be known"
    assert alerts[7] == "input"


def test_what_cannot_fit_names_the_excess_and_three_remedies(memory: Memory) -> None:
    with pytest.raises(ContextLengthExceeded) as caught:
        ask(memory, "Well?", Window(tokens=100, system="x" * 800))
    assert caught.value.budget == 80
    assert caught.value.excess == caught.value.needed - 80 > 120
    for part in (f"{caught.value.excess} over the 80", "larger window", "shorten the parts", "answer= (now 20%)"):
        assert part in str(caught.value)


@pytest.mark.parametrize(
    "wrong",
    [
        {"tokens": 0},
        {"tokens": True},
        {"tokens": 9, "answer": 1.0},
        {"tokens": 9, "order": "random"},
        {"tokens": 9, "memory": -1},
        {"tokens": 9, "tools": [{"name": object()}]},
    ],
)
def test_a_window_that_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        Window(**wrong)


def test_a_number_is_the_window_of_the_model_and_an_unknown_user_has_a_prompt_without_memory(memory: Memory) -> None:
    prompt = ask(memory, "Hello?", 4_000)
    assert (prompt.budget, prompt.parts) == (3_200, {"question": "Hello?"})
    assert prompt.to_anthropic() == {"messages": [{"role": "user", "content": "Hello?"}]}
    assert memory.users() == [], "a question alone makes no file"


def test_evidence_stands_in_the_order_that_is_asked_for(memory: Memory) -> None:
    said = ("The red boat left.", "The red boat left the harbour at noon.", "A boat.", "The boat left.")
    for day, text in enumerate(said, 1):
        memory.add(text, user_id="ana", timestamp=f"2026-05-{day:02d}")
    asked = {"question": "When did the red boat leave the harbour?", "user_id": "ana"}
    rank = {each.message.text: each.rank for each in memory.context(**asked).evidence}
    assert len(rank) == 4
    shown = {
        order: [rank[each.message.text] for each in memory.context(**asked, order=order).evidence]
        for order in ("relevance-last", "head-and-tail")
    }
    assert shown == {"relevance-last": [4, 3, 2, 1], "head-and-tail": [1, 3, 4, 2]}
    last = memory.context(**asked, order="relevance-last")
    assert "the most relevant last" in last.memory_text
    assert last.memory_text.index("A boat.") < last.memory_text.index("at noon") or rank["A boat."] < 4
    with pytest.raises(InvalidInputError, match="head-and-tail"):
        memory.context(**asked, order="random")  # type: ignore[arg-type]


def test_forgetting_erases_the_digests_and_with_everything_the_figures(memory: Memory) -> None:
    for number in range(3):
        say(memory, f"Turn {number} at the harbour.")
        ask(memory, "Well?")
    accounts = memory._known("ana").accounts
    assert accounts.seen("s1") is not None
    first = memory.messages(user_id="ana")[0]
    memory.forget(user_id="ana", message_ids=[first.message_id])
    assert accounts.seen("s1") is None
    assert len(accounts.records()) == 3
    assert ask(memory, "And now?").prefix.kept is None
    memory.forget(user_id="ana", everything=True)
    assert memory._known("ana").accounts.records() == []


def test_no_words_of_a_prompt_are_written_down(tmp_path: Path) -> None:
    secret = "quetzalcoatlus"
    with Memory(tmp_path, embedder="none") as memory:
        say(memory, "Good morning!")
        ask(memory, f"Where is the {secret}?", Window(tokens=2_000, system=f"{secret} " * 40), session_id=f"{secret}-7")
        assert len(memory._known("ana").accounts.records()) == 1
    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"quetzal" not in stored
