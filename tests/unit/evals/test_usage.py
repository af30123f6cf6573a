from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from everyword import Memory
from everyword.errors import InvalidInputError
from everyword.evals.usage import Asked, habits


def said(text: str, day: int, role: str = "user", **fields: Any) -> dict[str, Any]:
    return {"role": role, "content": text, "created_at": f"2026-03-{day:02}T09:00:00+00:00", **fields}


def memory_of(folder: Path, *messages: dict[str, Any]) -> Memory:
    memory = Memory(folder, embedder="none")
    memory.add(list(messages), user_id="ana", session_id="s1")
    return memory


def test_the_prompt_is_told_apart_by_who_said_it(tmp_path: Path) -> None:
    messages = [
        said("The anchor lamp is broken.", 1),
        said("An anchor lamp costs 40.", 2, "assistant"),
        said("anchor lamp: 3 in stock", 3, "tool"),
    ]
    with memory_of(tmp_path, *messages) as memory:
        found = habits(memory, user_id="ana", questions=[Asked(text="What of the anchor lamp?")])
    assert set(found.sources) == {"words of user", "words of assistant", "words of tool", "dates and marks", "question"}
    assert sum(found.sources.values()) == pytest.approx(1.0)
    assert all(share > 0 for share in found.sources.values())


def test_a_message_is_asked_at_its_time_and_finds_only_what_was_before(tmp_path: Path) -> None:
    with memory_of(
        tmp_path, said("The red anchor lamp is broken.", 1), said("The red anchor lamp is lost.", 2)
    ) as memory:
        found = habits(memory, user_id="ana", strategy="bm25")
    assert found.questions == 2
    assert found.doubles == 0.0, "the first finds nothing, the second only the first"
    assert found.sources["words of user"] > 0


def test_what_says_the_same_as_something_before_it_is_a_double(tmp_path: Path) -> None:
    messages = [
        said("The blue lantern hangs in the boat house near the pier.", 1),
        said("the blue lantern hangs in the boat house, near the pier!", 2),
        said("A blue lantern is expensive.", 3),
    ]
    with memory_of(tmp_path, *messages) as memory:
        asked = [Asked(text="Where is the blue lantern?")]
        assert habits(memory, user_id="ana", questions=asked).doubles == pytest.approx(1 / 3)
        assert habits(memory, user_id="ana", questions=asked, first=1).doubles == 0.0


def test_an_item_is_stale_where_its_file_was_named_again_later(tmp_path: Path) -> None:
    messages = [
        said("src/app.py reads the marbles from a list.", 1),
        said("Now src/app.py reads the marbles from a table.", 11),
        said("notes.txt lists all marbles.", 3),
        said("Marbles are round, says https://example.com/src/round.html.", 4),
    ]
    with memory_of(tmp_path, *messages) as memory:
        found = habits(memory, user_id="ana", questions=[Asked(text="Where do marbles come from?")])
    assert (found.items, found.stale, found.days_behind_median) == (3, 1, 10.0)


def test_the_change_of_a_file_on_disk_counts_where_it_is_there(tmp_path: Path) -> None:
    files = tmp_path / "project"
    files.mkdir()
    (files / "app.py").write_text("", "utf-8")
    changed = datetime(2026, 3, 21, 9, tzinfo=UTC).timestamp()
    os.utime(files / "app.py", (changed, changed))
    with memory_of(tmp_path / "home", said("app.py has the marbles.", 1), said("gone.py has marbles.", 2)) as memory:
        found = habits(memory, user_id="ana", questions=[Asked(text="Where are the marbles?")], files=files)
    assert (found.items, found.stale, found.days_behind_median, found.days_behind_p90) == (2, 1, 20.0, 20.0)


def test_nothing_found_is_no_share_of_doubles(tmp_path: Path) -> None:
    with memory_of(tmp_path, said("The anchor lamp is broken.", 1)) as memory:
        found = habits(memory, user_id="ana", questions=[Asked(text="xylophone")])
    assert (found.doubles, found.items, found.days_behind_median) == (None, 0, None)


def test_questions_are_spread_over_the_whole_history(tmp_path: Path) -> None:
    messages = [said(f"Anchor number {day} lies in harbour {day}.", day) for day in range(1, 29)]
    with memory_of(tmp_path, *messages, said("ok", 29)) as memory:
        assert habits(memory, user_id="ana", count=7).questions == 7
        assert habits(memory, user_id="ana", count=500).questions == 28


def test_a_memory_without_a_question_is_refused(tmp_path: Path) -> None:
    with memory_of(tmp_path, said("ok", 1)) as memory, pytest.raises(InvalidInputError, match="'ana'"):
        habits(memory, user_id="ana")
