from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from everyword import Memory
from everyword.errors import BusyLogError, InvalidInputError, NotFoundError
from everyword.log.sqlite import database as databases
from everyword.testing.word_embedder import WordEmbedder

SECRET = "zanzibarquux"
WORDS = "harbour market bicycle invoice stadium doctor garden violin passport kitchen thunder ladder candle".split()
QUESTIONS = ("the invoice of the doctor", "bicycle at the harbour", "violin", "a candle in the kitchen")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "home", embedder=WordEmbedder(dimensions=256), counter="words") as opened:
        yield opened


def fill(memory: Memory, *, secret: bool) -> list[str]:
    """Add sixty plain messages, and among them those that hold the secret; return the ids of these."""
    chosen = random.Random(5)
    ids: list[str] = []
    for number in range(60):
        text = " ".join(chosen.sample(WORDS, 5)) + f" number{number}."
        memory.add(text, user_id="ana", session_id=f"s{number % 4}", timestamp="2026-05-01")
        if secret and number % 20 == 10:
            ids += memory.add(_secret_messages(), user_id="ana", session_id=f"about {SECRET}").message_ids
    return ids


def _secret_messages() -> list[dict[str, object]]:
    call = {"id": "c1", "type": "function", "function": {"name": f"find_{SECRET}", "arguments": f'{{"q": "{SECRET}"}}'}}
    return [
        {"role": "user", "content": f"My password is {SECRET}, and {SECRET.upper()} at the bank.", "name": SECRET},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": f"The vault opens with {SECRET}.\n" * 80},
        {"role": "user", "content": "The metadata of this one is secret.", "metadata": {"note": SECRET, SECRET: 1}},
    ]


def holding(folder: Path, secret: str) -> list[str]:
    """Return the files of a folder that hold a text, in any case, in UTF-8 or UTF-16."""
    found: list[str] = []
    for path in sorted(folder.rglob("*")):
        data = path.read_bytes().lower() if path.is_file() else b""
        if any(secret.encode(encoding) in data for encoding in ("utf-8", "utf-16-le", "utf-16-be")):
            found.append(path.name)
    return found


def rows_of(folder: Path, ids: list[str]) -> list[bytes]:
    """Return the packed words, payloads and digests of messages as the file has them, and their ids."""
    reader = apsw.Connection(str(next(folder.rglob("*.db"))), flags=apsw.SQLITE_OPEN_READONLY)
    query = "SELECT text, payload, digest, id FROM message WHERE hex(id) = upper(?)"
    found = [value for each in ids for row in reader.execute(query, (each,)) for value in row]
    reader.close()
    return found


def ranks(memory: Memory) -> dict[str, list[str]]:
    return {
        question: [hit.text for hit in memory.search(question, user_id="ana", limit=60, mode="lexical")]
        for question in QUESTIONS
    }


def test_what_was_forgotten_is_in_no_byte_of_the_folder(memory: Memory, tmp_path: Path) -> None:
    ids = fill(memory, secret=True)
    memory.index(user_id="ana")
    assert holding(memory.home, SECRET)
    packed = rows_of(memory.home, ids)
    assert len(packed) == 48
    forgotten = memory.forget(user_id="ana", message_ids=ids)
    assert forgotten.messages == len(ids) == 12
    assert forgotten.sessions == (f"about {SECRET}",)
    assert holding(memory.home, SECRET) == []
    bytes_left = b"".join(path.read_bytes() for path in memory.home.rglob("*") if path.is_file())
    assert [row for row in packed if row in bytes_left] == []
    memory.rebuild(user_id="ana")
    memory.index(user_id="ana")
    assert holding(memory.home, SECRET) == []
    memory.close()
    with Memory(memory.home, embedder="none") as again:
        assert again.verify(user_id="ana").ok
        assert holding(memory.home, SECRET) == []
        assert again.search(SECRET, user_id="ana") == []


def test_what_was_forgotten_while_vectors_were_computed_is_in_no_byte_either(memory: Memory) -> None:
    for _ in range(5):
        ids = fill(memory, secret=True)
        memory.forget(user_id="ana", session_id=f"about {SECRET}")
        assert len(ids) == 12
    memory.close()
    assert holding(memory.home, SECRET) == []
    with Memory(memory.home, embedder=WordEmbedder(dimensions=256)) as again:
        again.index(user_id="ana")
        assert again.verify(user_id="ana").ok


def test_no_paraphrase_recalls_what_was_forgotten(memory: Memory) -> None:
    ids = set(fill(memory, secret=True))
    memory.index(user_id="ana")
    memory.forget(user_id="ana", message_ids=sorted(ids))
    chosen = random.Random(7)
    for number in range(1000):
        asked = f"{' '.join(chosen.sample(WORDS, 2))} {SECRET} password vault bank metadata {number}"
        hits = memory.search(asked, user_id="ana", limit=5, mode=chosen.choice(("fused", "lexical", "semantic")))
        assert not {hit.id for hit in hits} & ids
        assert not any(SECRET in f"{hit.text} {hit.author} {hit.session_id} {hit.metadata}" for hit in hits)
    packed = memory.context(f"What is the {SECRET}?", user_id="ana", budget=4000)
    assert SECRET not in packed.memory_text


def test_the_order_of_the_others_is_that_of_a_memory_that_never_knew(memory: Memory, tmp_path: Path) -> None:
    memory.forget(user_id="ana", message_ids=fill(memory, secret=True))
    with Memory(tmp_path / "never", embedder="none") as never:
        fill(never, secret=False)
        assert ranks(memory) == ranks(never)


def test_only_what_the_scope_names_is_forgotten(memory: Memory) -> None:
    fill(memory, secret=False)
    assert memory.forget(user_id="ana", session_id="s1").messages == 15
    assert memory.stats(user_id="ana")["messages"] == 45
    assert memory.forget(user_id="ana", before="2026-05-01").messages == 45
    assert memory.stats(user_id="ana")["sessions"] == 0


def test_everything_is_forgotten_only_on_demand(memory: Memory) -> None:
    fill(memory, secret=False)
    with pytest.raises(InvalidInputError, match="what to forget"):
        memory.forget(user_id="ana")
    with pytest.raises(InvalidInputError):
        memory.forget(user_id="ana", session_id="s1", everything=True)
    memory.add("kept", user_id="bob")
    assert memory.forget(user_id="ana", everything=True).messages == 60
    assert memory.search("violin", user_id="ana") == []
    assert memory.search("kept", user_id="bob")
    assert memory.add("again", user_id="ana").seqs == (1,)
    assert memory.verify(user_id="ana").ok


@pytest.mark.parametrize("ids", [["0" * 32], ["nonsense"], ["\ud800"]])
def test_an_unknown_id_erases_nothing(memory: Memory, ids: list[str]) -> None:
    mine = memory.add("kept", user_id="ana").message_ids
    with pytest.raises(NotFoundError):
        memory.forget(user_id="ana", message_ids=[*mine, *ids])
    assert memory.get(mine[0], user_id="ana").text == "kept"


def test_no_ids_are_no_scope(memory: Memory) -> None:
    memory.add("kept", user_id="ana")
    with pytest.raises((NotFoundError, InvalidInputError)):
        memory.forget(user_id="ana", message_ids=[])
    assert memory.stats(user_id="ana")["messages"] == 1


def test_a_key_can_be_used_again_after_its_message_was_forgotten(memory: Memory) -> None:
    memory.forget(user_id="ana", message_ids=memory.add("one", user_id="ana", idempotency_key="k").message_ids)
    assert memory.add("two", user_id="ana", idempotency_key="k").duplicates == 0


def test_bytes_that_a_reader_held_back_leave_when_the_memory_is_opened_again(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = fill(memory, secret=True)
    path = Path(memory.stats(user_id="ana")["path"])
    reader = apsw.Connection(str(path))
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM message").fetchall()
    monkeypatch.setattr(databases, "BUSY_TIMEOUT_S", 0.1)
    memory.close()
    with Memory(memory.home, embedder="none") as busy, pytest.raises(BusyLogError, match="erased"):
        busy.forget(user_id="ana", message_ids=ids)
    assert holding(memory.home, SECRET)
    reader.close()
    with Memory(memory.home, embedder="none") as again:
        assert again.stats(user_id="ana")["messages"] == 60
    assert holding(memory.home, SECRET) == []


def test_bytes_of_a_process_that_was_killed_in_between_leave_when_the_memory_is_opened_again(memory: Memory) -> None:
    ids = fill(memory, secret=True)
    memory.index(user_id="ana")
    store = memory._stores.of("ana", create=False)
    with store.transaction():
        seqs = [memory.get(each, user_id="ana").seq for each in ids]
        store.index.erase(seqs)
        store.log.erase(seqs)
    memory.close()
    with Memory(memory.home, embedder="none") as again:
        again.stats(user_id="ana")
    assert holding(memory.home, SECRET) == []
