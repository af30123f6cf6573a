from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from everyword import Memory
from everyword.errors import EverywordError, InvalidUserIdError, NotFoundError
from everyword.testing.word_embedder import WordEmbedder

WORDS = "coin stadium doctor harbour violin passport garden invoice".split()


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path, embedder=WordEmbedder(), counter="words", open_files=2) as opened:
        yield opened


def in_threads(*jobs: Callable[[], None]) -> None:
    """Run all at once; raise what any of them raised."""
    gate = threading.Barrier(len(jobs))

    def run(job: Callable[[], None]) -> None:
        gate.wait()
        job()

    with ThreadPoolExecutor(len(jobs)) as pool:
        for done in [pool.submit(run, job) for job in jobs]:
            done.result()


def everything_said(memory: Memory, user_id: str, question: str) -> str:
    """Return all text that comes out of every way to read."""
    hits = [memory.search(question, user_id=user_id, limit=50, mode=mode) for mode in ("fused", "lexical")]
    packed = memory.context(question, user_id=user_id, budget=3000, recent_turns=2)
    explained = memory.explain(question, user_id=user_id, limit=50)
    return json.dumps(
        [
            [[hit.text, hit.session_id, hit.author, dict(hit.metadata)] for found in hits for hit in found],
            packed.memory_text,
            [message.text for message in packed.recent],
            [each.text for each in explained.messages],
            b"".join(list(memory.export(user_id=user_id))[1:]).decode(),
        ]
    )


def test_no_foreign_word_comes_back_to_any_of_many_threads(memory: Memory) -> None:
    users = ["ana", "Ana", "bob", "bob/ana", "ana%2f"]
    marks = {user: f"mark{number}x" for number, user in enumerate(users)}
    ids: dict[str, list[str]] = {user: [] for user in users}

    def live(user: str, seed: int) -> None:
        chosen = random.Random(seed)
        for number in range(12):
            text = f"{marks[user]} {' '.join(chosen.sample(WORDS, 3))} {number}"
            said = {"role": "user", "content": text, "name": marks[user]}
            added = memory.add(said, user_id=user, session_id=f"{marks[user]}-s", metadata={"of": marks[user]})
            ids[user].extend(added.message_ids)
            heard = everything_said(memory, user, " ".join(chosen.sample([*WORDS, *marks.values()], 3)))
            assert marks[user] in heard
            assert not [mark for other, mark in marks.items() if other != user and mark in heard.split("question")[0]]
            stranger = chosen.choice([other for other in users if other != user])
            for message_id in ids[stranger][-2:]:
                with pytest.raises(NotFoundError):
                    memory.get(message_id, user_id=user)
                with pytest.raises(NotFoundError):
                    memory.forget(user_id=user, message_ids=[message_id])

    in_threads(*(lambda user=user, n=n: live(user, n) for n, user in enumerate(users * 2)))
    for user in users:
        assert memory.stats(user_id=user)["messages"] == 24
        assert memory.verify(user_id=user).ok


def test_questions_of_one_user_never_reach_another(memory: Memory) -> None:
    memory.add("我叫小明", user_id="ming")
    assert memory.search("我叫什麼", user_id="hua") == []
    assert "小明" not in memory.context("我叫什麼", user_id="hua").text
    assert memory.users() == ["ming"]


def test_asking_for_somebody_unknown_leaves_no_file(memory: Memory) -> None:
    assert memory.search("coin", user_id="nobody") == []
    assert memory.stats(user_id="nobody")["messages"] == 0
    assert memory.verify(user_id="nobody").ok
    assert len(list(memory.export(user_id="nobody"))) == 1
    assert memory.context("coin", user_id="nobody").evidence == ()
    assert not memory.home.joinpath("users").exists() or not list(memory.home.joinpath("users").iterdir())


@pytest.mark.parametrize("user_id", ["", " ", None, 7, "a" * 129, "\ud800", "a\x00b"])
def test_no_call_works_without_a_user(memory: Memory, user_id: str) -> None:
    calls: list[Callable[[], object]] = [
        lambda: memory.add("x", user_id=user_id),
        lambda: memory.search("x", user_id=user_id),
        lambda: memory.context("x", user_id=user_id),
        lambda: memory.explain("x", user_id=user_id),
        lambda: memory.get("0" * 32, user_id=user_id),
        lambda: memory.stats(user_id=user_id),
        lambda: memory.verify(user_id=user_id),
        lambda: memory.rebuild(user_id=user_id),
        lambda: memory.export(user_id=user_id),
        lambda: memory.forget(user_id=user_id, everything=True),
        lambda: memory.index(user_id=user_id),
    ]
    for call in calls:
        with pytest.raises(InvalidUserIdError):
            call()


@pytest.mark.parametrize(
    "user_id", ["../../../etc/ana", "/etc/ana", "..", "a/b/c", "C:\\ana", "con", "~", "用戶🎂", "a" * 128, "🎂" * 128]
)
def test_a_user_with_a_path_for_a_name_stays_in_the_folder(memory: Memory, user_id: str) -> None:
    memory.add("coin", user_id=user_id)
    assert memory.users() == [user_id]
    assert Path(memory.stats(user_id=user_id)["path"]).resolve().is_relative_to(memory.home.resolve())
    assert memory.search("coin", user_id=user_id)[0].text == "coin"


def test_files_that_are_let_go_are_not_closed_under_a_thread(memory: Memory) -> None:
    def use(user: str) -> None:
        for number in range(15):
            memory.add(f"coin {number}", user_id=user)
            assert memory.search(f"coin {number}", user_id=user, limit=50, mode="lexical")
            assert len(list(memory.export(user_id=user))) == number + 2

    in_threads(*(lambda n=n: use(f"user{n}") for n in range(10)))
    assert len(memory._stores._open) <= 2  # type: ignore[attr-defined]
    for number in range(10):
        assert memory.stats(user_id=f"user{number}")["messages"] == 15


def test_what_was_added_is_found_at_once_by_every_thread(memory: Memory) -> None:
    def write_and_ask(name: str) -> None:
        for number in range(25):
            added = memory.add(f"{name}word{number} coin stadium, and much more of it", user_id="ana")
            for mode in ("lexical", "fused"):
                hits = memory.search(f"{name}word{number}", user_id="ana", limit=3, mode=mode)
                assert added.message_ids[0] in {hit.id for hit in hits}

    in_threads(*(lambda n=n: write_and_ask(f"writer{chr(97 + n)}") for n in range(4)))
    memory.index(user_id="ana")
    assert memory.verify(user_id="ana").ok
    assert memory.stats(user_id="ana")["messages"] == 100


def test_one_forgets_while_others_ask_and_write(memory: Memory) -> None:
    for number in range(40):
        memory.add(f"coin number{number}, found at the harbour", user_id="ana", session_id=f"s{number % 8}")

    def ask() -> None:
        for _ in range(40):
            for hit in memory.search("coin harbour", user_id="ana", limit=50):
                assert "coin" in hit.text
            memory.context("coin harbour", user_id="ana")

    def write() -> None:
        for number in range(40):
            memory.add(f"coin later{number}", user_id="ana", session_id="later")

    def forget() -> None:
        for number in range(8):
            memory.forget(user_id="ana", session_id=f"s{number}")

    in_threads(ask, ask, write, forget)
    memory.index(user_id="ana")
    assert memory.stats(user_id="ana")["messages"] == 40
    assert memory.verify(user_id="ana").ok


def test_a_closed_memory_says_so(tmp_path: Path) -> None:
    memory = Memory(tmp_path, embedder=WordEmbedder())
    memory.add("coin", user_id="ana")
    exporting = memory.export(user_id="ana")
    next(exporting)
    memory.close()
    memory.close()
    for call in (
        lambda: memory.add("x", user_id="ana"),
        lambda: memory.search("x", user_id="bob"),
        lambda: list(exporting),
    ):
        with pytest.raises(EverywordError, match="closed"):
            call()


def test_closing_while_threads_work_raises_nothing_but_that_it_is_closed(tmp_path: Path) -> None:
    memory = Memory(tmp_path, embedder=WordEmbedder(), open_files=2)
    acknowledged: list[str] = []

    def write(user: str) -> None:
        with pytest.raises(EverywordError, match="closed"):
            for number in range(10_000):
                acknowledged.extend(memory.add(f"coin {number}", user_id=user).message_ids)

    def close() -> None:
        while len(acknowledged) < 40:
            pass
        memory.close()

    in_threads(*(lambda n=n: write(f"user{n % 3}") for n in range(5)), close)
    with Memory(tmp_path, embedder="none") as again:
        stored = sum(again.stats(user_id=user)["messages"] for user in again.users())
        assert stored >= len(acknowledged)
        assert all(again.verify(user_id=user).ok for user in again.users())
