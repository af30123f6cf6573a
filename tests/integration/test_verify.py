from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from everyword import Memory
from everyword.errors import DamagedLogError
from everyword.testing.word_embedder import WordEmbedder

DERIVED = ("passage", "lexical_data", "lexical_docsize", "model", "vector")
LONG = "We talked about the harbour and the market for a long time, and then about the stadium. " * 40


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path, embedder=WordEmbedder()) as opened:
        for number in range(12):
            opened.add(
                [
                    {"role": "user", "content": f"Coin number{number} is from the harbour, on May 16.", "name": "Ana"},
                    {"role": "assistant", "content": LONG if number == 3 else f"Noted: 買了一隻貓 {number}."},
                ],
                user_id="ana",
                session_id=f"s{number % 3}",
            )
        opened.index(user_id="ana")
        yield opened


def change(memory: Memory, sql: str, *values: object) -> None:
    """Change the file behind the memory's back."""
    connection = apsw.Connection(str(memory.stats(user_id="ana")["path"]))
    connection.execute(sql, values)
    connection.close()


def problems(memory: Memory) -> str:
    found = memory.verify(user_id="ana")
    assert found.ok == (not found.problems)
    return "\n".join(found.problems)


def derived(memory: Memory) -> dict[str, list[tuple[object, ...]]]:
    connection = apsw.Connection(str(memory.stats(user_id="ana")["path"]))
    try:
        rows = {
            table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in ("passage", "vector", "model")
        }
        terms = connection.execute("SELECT term, doc, col, offset FROM lexical_term ORDER BY 1, 2, 3, 4").fetchall()
        return {**rows, "terms": terms}
    finally:
        connection.close()


def test_a_sound_memory_has_no_problems(memory: Memory) -> None:
    found = memory.verify(user_id="ana")
    assert found.problems == ()
    assert found.messages == 24
    assert found.passages > 24
    assert found.vectors == found.passages


LOG_DAMAGE = {
    "text": "UPDATE message SET text = CAST(x'00' || 'Cain' AS BLOB) WHERE seq = 7",
    "payload": "UPDATE message SET payload = CAST(x'00' || payload AS BLOB) WHERE seq = 7",
    "cut payload": "UPDATE message SET payload = substr(payload, 1, length(payload) - 2) WHERE seq = 7",
    "role": "UPDATE message SET role = 'assistant' WHERE seq = 7",
    "author": "UPDATE message SET author = 'Bob' WHERE seq = 7",
    "time": "UPDATE message SET created_us = created_us + 1 WHERE seq = 7",
    "offset": "UPDATE message SET offset_minutes = 60 WHERE seq = 7",
    "id": "UPDATE message SET id = zeroblob(16) WHERE seq = 7",
    "metadata": "UPDATE message SET metadata = '{\"a\": 1}' WHERE seq = 7",
    "no json": "UPDATE message SET metadata = '{' WHERE seq = 7",
    "session": "UPDATE message SET session = 2 WHERE seq = 7",
    "key": "UPDATE message SET key = 'k' WHERE seq = 7",
    "no utf-8": "UPDATE message SET text = x'00ff' WHERE seq = 7",
}


@pytest.mark.parametrize("sql", LOG_DAMAGE.values(), ids=LOG_DAMAGE)
def test_a_changed_message_is_reported_by_its_number(memory: Memory, sql: str) -> None:
    change(memory, sql)
    assert "message 7" in problems(memory)


def test_a_message_whose_session_is_gone_is_reported(memory: Memory) -> None:
    change(memory, "DELETE FROM session WHERE name = 's0'")
    assert "message 1:" in problems(memory)


def test_reading_a_damaged_message_says_so_and_reads_no_other_words(memory: Memory) -> None:
    message_id = memory.search("number3", user_id="ana", mode="lexical")[0].id
    change(memory, f"{LOG_DAMAGE['no utf-8'].replace('seq = 7', 'id = ?')}", bytes.fromhex(message_id))
    with pytest.raises(DamagedLogError, match="verify"):
        memory.get(message_id, user_id="ana")
    change(memory, "UPDATE message SET payload = x'02ff' WHERE seq = 1")
    with pytest.raises(DamagedLogError, match="verify"):
        list(memory.export(user_id="ana"))


INDEX_DAMAGE = {
    "a passage is gone": "DELETE FROM passage WHERE seq = 7",
    "a passage is cut": "UPDATE passage SET stop = stop - 1 WHERE seq = 7",
    "a passage is in another session": "UPDATE passage SET session = session + 1 WHERE seq = 7",
    "a passage is of another role": "UPDATE passage SET role = 0 WHERE seq = 7",
    "a passage is of another author": "UPDATE passage SET author = NULL WHERE seq = 7",
    "a passage is of another time": "UPDATE passage SET created_us = 0 WHERE seq = 7",
    "a passage is of no message": "UPDATE passage SET seq = 999 WHERE seq = 7",
    "a passage is there twice": "UPDATE passage SET seq = 5, start = 0, stop = (SELECT stop FROM passage WHERE seq = 5) WHERE seq = 7",
    "terms are gone": "DELETE FROM lexical WHERE rowid = 7",
    "terms are others": "INSERT INTO lexical (rowid, text, header) VALUES (999, 'coin', 'ana')",
    "a vector is gone": "DELETE FROM vector WHERE passage = 7",
    "a vector has no passage": "INSERT INTO vector SELECT 999, model, 999, code, clauses FROM vector WHERE passage = 7",
    "a vector is cut": "UPDATE vector SET code = substr(code, 2) WHERE passage = 7",
    "clauses are cut": "UPDATE vector SET clauses = x'00' WHERE passage = 7",
    "somebody waits who is not there": "INSERT INTO pending VALUES (1, 999)",
}


@pytest.mark.parametrize("sql", INDEX_DAMAGE.values(), ids=INDEX_DAMAGE)
def test_damage_of_the_index_is_reported_and_a_rebuild_repairs_it(memory: Memory, sql: str) -> None:
    before = derived(memory)
    change(memory, sql)
    assert problems(memory)
    memory.rebuild(user_id="ana")
    memory.index(user_id="ana")
    assert problems(memory) == ""
    after = derived(memory)
    assert after["passage"] == before["passage"]
    assert after["terms"] == before["terms"]


def test_changed_terms_of_a_passage_are_reported(memory: Memory) -> None:
    change(memory, "DELETE FROM lexical WHERE rowid = 7")
    change(memory, "INSERT INTO lexical (rowid, text, header) VALUES (7, 'other words', 'ana')")
    assert "are not its words" in problems(memory)


@pytest.mark.parametrize("table", ["lexical_data", "lexical_docsize", "lexical_config"])
def test_a_keyword_index_without_its_inside_is_reported_and_rebuilt(memory: Memory, table: str) -> None:
    change(memory, f"DELETE FROM {table}")
    home = memory.home
    memory.close()
    with Memory(home, embedder=WordEmbedder()) as again:
        assert problems(again)
        again.rebuild(user_id="ana")
        assert problems(again) == ""
        assert again.search("number3", user_id="ana", mode="lexical")


def test_terms_that_no_search_finds_are_reported(memory: Memory) -> None:
    for number in range(60):
        memory.add(" ".join(f"word{number}x{n}" for n in range(200)), user_id="ana")
    change(memory, "INSERT INTO lexical (lexical) VALUES ('optimize')")
    change(memory, "DELETE FROM lexical_idx")
    assert "no search finds" in problems(memory)
    memory.rebuild(user_id="ana")
    assert problems(memory) == ""


def test_everything_derived_can_be_dropped_and_comes_back_the_same(memory: Memory) -> None:
    before = derived(memory)
    hits = [hit.id for hit in memory.search("coin of the harbour", user_id="ana", limit=20)]
    memory.rebuild(user_id="ana")
    memory.index(user_id="ana")
    after = derived(memory)
    assert after["passage"] == before["passage"]
    assert after["terms"] == before["terms"]
    assert sorted(row[2:] for row in after["vector"]) == sorted(row[2:] for row in before["vector"])
    assert [hit.id for hit in memory.search("coin of the harbour", user_id="ana", limit=20)] == hits


def test_a_file_without_any_index_gets_one_when_it_is_opened(memory: Memory) -> None:
    before = derived(memory)
    memory.close()
    connection = apsw.Connection(str(memory.home / "users" / "ana.db"))
    for table in ("pending", "vector", "model", "lexical_term", "lexical", "passage"):
        connection.execute(f"DROP TABLE {table}")
    connection.execute("DELETE FROM meta WHERE name = 'index_version'")
    connection.close()
    with Memory(memory.home, embedder=WordEmbedder()) as again:
        assert problems(again) == ""
        assert derived(again)["terms"] == before["terms"]


def test_a_file_of_the_index_before_keeps_its_vectors(memory: Memory) -> None:
    before = derived(memory)
    memory.close()
    connection = apsw.Connection(str(memory.home / "users" / "ana.db"))
    connection.execute("ALTER TABLE model DROP COLUMN declarative")
    connection.execute("UPDATE meta SET value = 4 WHERE name = 'index_version'")
    connection.close()
    with Memory(memory.home, embedder=WordEmbedder()) as again:
        assert problems(again) == ""
        assert derived(again)["vector"] == before["vector"]
        again.add("one word more", user_id="ana")
        again.index(user_id="ana")
        assert derived(again)["model"] == before["model"]
