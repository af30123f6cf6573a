from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everyword import Memory
from everyword.errors import InvalidInputError, NotFoundError

LAKE = "I walked around the lake."


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "home", embedder="none") as opened:
        yield opened


def archived(memory: Memory) -> list[str]:
    return [each.text for each in memory.claims.of(user_id="ana") if each.is_archived]


def shown(memory: Memory, question: str, strategy: str = "pinned", **more: Any) -> str:
    found = memory.context(question, user_id="ana", strategy=strategy, **more)
    return found.text.partition("</memory>")[0] if "pinned" in found.ledger else ""


def two_years(memory: Memory) -> None:
    memory.add(LAKE, user_id="ana", timestamp="2022-01-01")
    for number in range(40):
        memory.add(f"I saw heron {'abcdefghij'[number % 10]}{number}.", user_id="ana", timestamp="2025-01-01")


# --- archive -----------------------------------------------------------------------------------------------------------


def test_what_was_not_used_for_long_is_listed_and_not_shown(memory: Memory) -> None:
    two_years(memory)
    assert archived(memory) == [LAKE]
    assert LAKE not in shown(memory, "Which birds?", budget=500)


def test_a_question_about_it_shows_it_and_from_then_on_it_is_back(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none") as memory:
        two_years(memory)
        assert LAKE in memory.context("Was I at the lake?", user_id="ana", strategy="notes", asked_at="2025-01-02").text
    with Memory(tmp_path, embedder="none") as memory:
        assert archived(memory) == []
        (lake, *_) = memory.claims.of(user_id="ana")
        assert f"{lake.used_at:%Y-%m-%d}" == "2025-01-02"


def test_saying_it_again_in_more_words_brings_it_back(memory: Memory) -> None:
    two_years(memory)
    assert archived(memory) == [LAKE]
    memory.add("Today we walked around the whole lake once more.", user_id="ana", timestamp="2025-01-02")
    assert archived(memory) == []


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
