from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from everyword import Memory
from everyword.errors import InvalidInputError, NotFoundError
from everyword.testing.word_embedder import WordEmbedder

LAKE = "I walked around the lake."
SHOWING = ("pinned", "summary", "compact", "notes")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "home", embedder="none") as opened:
        yield opened


@pytest.fixture
def by_meaning(tmp_path: Path) -> Iterator[Memory]:
    """Return a memory whose search finds what shares no word with the question."""
    with Memory(tmp_path / "home", embedder=WordEmbedder()) as opened:
        yield opened


def archived(memory: Memory) -> list[str]:
    return [each.text for each in memory.claims.of(user_id="ana") if each.is_archived]


def front(memory: Memory, question: str, strategy: str, day: str) -> str:
    """Return the section of claims that stands in front; that there is one is part of every test."""
    found = memory.context(question, user_id="ana", strategy=strategy, budget=600, asked_at=day)
    return found.parts[{"compact": "summary"}.get(strategy, strategy)]


def talk(memory: Memory, said: str, day: str) -> None:
    """Say something, then let the assistant say so much that it is in no window."""
    memory.add(said, user_id="ana", timestamp=day)
    chatter = [{"role": "assistant", "content": "The mill is loud. " * 20}] * 20
    memory.add(chatter, user_id="ana", timestamp=day)


def alive(memory: Memory, strategy: str, lake: str = LAKE) -> None:
    """Say a claim that is shown, as it is to be while somebody talks on."""
    talk(memory, lake, "2022-01-01")
    talk(memory, "I saw a heron.", "2022-02-01")
    assert lake in front(memory, "Which heron?", strategy, "2022-02-02")


def put_away(memory: Memory, strategy: str, lake: str = LAKE) -> None:
    """Let years pass in which nobody speaks of it."""
    alive(memory, strategy, lake)
    talk(memory, "I saw a swan.", "2025-01-01")
    assert lake in archived(memory)
    text = front(memory, "Which swan?", strategy, "2025-01-02")
    assert "I saw a swan." in text
    assert lake not in text


def two_years(memory: Memory) -> None:
    memory.add(LAKE, user_id="ana", timestamp="2022-01-01")
    for number in range(40):
        memory.add(f"I saw heron {'abcdefghij'[number % 10]}{number}.", user_id="ana", timestamp="2025-01-01")


# --- archive -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", SHOWING)
def test_what_was_not_used_for_long_is_listed_and_not_shown(by_meaning: Memory, strategy: str) -> None:
    put_away(by_meaning, strategy)


@pytest.mark.parametrize("strategy", SHOWING)
@pytest.mark.parametrize(
    ("said", "again"),
    [
        (LAKE, "Today we walked around the whole lake once more."),
        (LAKE, "I was walking around a lake again, with Mia."),
        ("我在湖邊散步。", "今天我又去湖邊散步了，風很大。"),
    ],
)
def test_what_is_said_again_in_other_words_is_shown_again(
    by_meaning: Memory, strategy: str, said: str, again: str
) -> None:
    put_away(by_meaning, strategy, said)
    talk(by_meaning, again, "2025-02-01")
    assert said not in archived(by_meaning)
    assert said in front(by_meaning, "Which swan?", strategy, "2025-02-02")


@pytest.mark.parametrize("strategy", SHOWING)
@pytest.mark.parametrize("question", ["Was I at the lake?", "Where did I go for a stroll?"])
@pytest.mark.parametrize("is_restarted", [False, True])
def test_what_is_asked_for_again_is_shown_and_stays(
    tmp_path: Path, strategy: str, question: str, is_restarted: bool
) -> None:
    home = tmp_path / "home"
    memory = Memory(home, embedder=WordEmbedder())
    try:
        put_away(memory, strategy)
        assert LAKE in front(memory, question, strategy, "2025-02-01")
        if is_restarted:
            memory.close()
            memory = Memory(home, embedder=WordEmbedder())
        assert LAKE not in archived(memory)
        assert LAKE in front(memory, "Which swan?", strategy, "2025-02-02")
    finally:
        memory.close()


@pytest.mark.parametrize("strategy", SHOWING)
def test_speaking_of_something_like_it_does_not_bring_it_back(by_meaning: Memory, strategy: str) -> None:
    put_away(by_meaning, strategy, "我在湖邊散步。")
    talk(by_meaning, "我在湖邊釣魚。", "2025-02-01")
    assert "我在湖邊散步。" not in front(by_meaning, "Which swan?", strategy, "2025-02-02")


def test_a_question_about_it_shows_it_and_from_then_on_it_is_back(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none") as memory:
        two_years(memory)
        assert LAKE in memory.context("Was I at the lake?", user_id="ana", strategy="notes", asked_at="2025-01-02").text
    with Memory(tmp_path, embedder="none") as memory:
        assert archived(memory) == []
        (lake, *_) = memory.claims.of(user_id="ana")
        assert f"{lake.used_at:%Y-%m-%d}" == "2025-01-02"


def test_making_a_context_writes_nothing_by_itself(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none") as memory:
        two_years(memory)
        memory.claims.derive(user_id="ana")
        files = {path: path.read_bytes() for path in tmp_path.rglob("*.db*") if not path.name.endswith("-shm")}
        memory.context("Was I at the lake?", user_id="ana", strategy="notes", asked_at="2025-01-02")
        assert {path: path.read_bytes() for path in files} == files


def test_what_is_forgotten_leaves_no_mark(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none") as memory:
        (gone,) = memory.add("My notes are in /nowhere/at/all.md", user_id="ana").message_ids
        claim = memory.claims.of(user_id="ana")[0]
        memory.claims.resolve(claim.claim_id, user_id="ana")
        memory.context("Where are my notes?", user_id="ana")
        memory.add("I love tea.", user_id="ana")
        memory.forget(user_id="ana", message_ids=[gone])
    with Memory(tmp_path, embedder="none") as memory:
        assert [each.text for each in memory.claims.of(user_id="ana")] == ["I love tea."]
        assert memory.verify(user_id="ana").ok


# --- documents outside -------------------------------------------------------------------------------------------------


def test_a_dead_pointer_comes_back_as_that_and_its_claim_is_shown_with_a_caution(
    memory: Memory, tmp_path: Path
) -> None:
    plan = tmp_path / "plan.md"
    plan.write_text("Paint the door green.", encoding="utf-8")
    done = memory.claims.point(str(plan), about="The plan for the door", user_id="ana")
    (found,) = memory.claims.resolve(done.claim_id, user_id="ana")
    assert (found.status, found.content) == ("POINTER_OK", "Paint the door green.")
    assert "gone" not in memory.context("door?", user_id="ana", strategy="notes").text
    plan.unlink()
    (found,) = memory.claims.resolve(done.claim_id, user_id="ana")
    assert (found.status, found.content) == ("POINTER_DEAD", None)
    assert memory.claims.of(user_id="ana")[0].is_stale
    assert "(what it points to is gone)" in memory.context("door?", user_id="ana", strategy="notes").text
    assert "（所指的資料已不在）" in memory.context("door 在哪？", user_id="ana", strategy="notes").text
    plan.write_text("Paint the door blue.", encoding="utf-8")
    assert memory.claims.resolve(done.claim_id, user_id="ana")[0].content == "Paint the door blue."
    assert not memory.claims.of(user_id="ana")[0].is_stale


def test_nothing_of_a_document_is_copied(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("zanzibarquux", encoding="utf-8")
    done = memory.claims.point(str(tmp_path / "secret.md"), about="A secret", user_id="ana")
    memory.claims.resolve(done.claim_id, user_id="ana")
    memory.close()
    home = tmp_path / "home"
    assert [path for path in home.rglob("*") if path.is_file() and b"zanzibarquux" in path.read_bytes()] == []


def test_an_address_is_looked_up_only_by_a_resolver_that_is_given(memory: Memory) -> None:
    done = memory.claims.point("https://example.org/plan", about="The plan", user_id="ana")
    assert memory.claims.resolve(done.claim_id, user_id="ana")[0].status == "POINTER_UNCHECKED"
    assert not memory.claims.of(user_id="ana")[0].is_stale
    asked: list[str] = []
    found = memory.claims.resolve(done.claim_id, user_id="ana", resolver=lambda target: asked.append(target))
    assert (found[0].status, asked) == ("POINTER_DEAD", ["https://example.org/plan"])


@pytest.mark.parametrize(
    ("target", "about"),
    [("plan", "The plan"), ("/tmp/x.md", "a\nb"), ("/tmp/x.md", "word " * 60), ("/a/b.md and more", "Plan")],
)
def test_a_document_in_place_of_a_pointer_is_refused(memory: Memory, target: str, about: str) -> None:
    with pytest.raises(InvalidInputError):
        memory.claims.point(target, about=about, user_id="ana")
    assert memory.users() == []


def test_a_claim_that_is_not_there_points_nowhere(memory: Memory) -> None:
    with pytest.raises(NotFoundError):
        memory.claims.resolve("nothing", user_id="ana")


# --- caps --------------------------------------------------------------------------------------------------------------


def test_notes_over_200_lines_are_stored_and_ask_for_a_rewrite(memory: Memory) -> None:
    lines = [f"line {number}" for number in range(199)]
    assert memory.claims.remember("\n".join(lines), user_id="ana").problem is None
    assert memory.claims.remember("the last line that fits", user_id="ana").problem is None
    done = memory.claims.remember("one line more", user_id="ana")
    assert "201 of 200 lines" in str(done.problem)
    assert "one line more" in [each.text for each in memory.claims.of(user_id="ana")]


def test_notes_over_25_kb_are_stored_and_ask_for_a_rewrite(memory: Memory) -> None:
    done = memory.claims.remember("茶" * 9_000, user_id="ana")
    assert "27,001 of 25,600 bytes" in str(done.problem)
    (big,) = memory.claims.of(user_id="ana")
    assert memory.claims.correct(big.claim_id, "茶", user_id="ana").problem is None


def test_what_is_read_by_itself_fills_no_cap(memory: Memory) -> None:
    memory.add(
        [{"role": "user", "content": f"I saw heron number {number} today."} for number in range(250)], user_id="ana"
    )
    assert memory.claims.remember("A note.", user_id="ana").problem is None
