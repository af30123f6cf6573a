from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from everyword import Memory


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    folder: Path = tmp_path_factory.mktemp("memory")
    with Memory(folder, embedder="hash:256", vectors="off") as opened:
        walks = [{"role": "user", "content": f"Walk {number}: along the river to the mill."} for number in range(110)]
        opened.add(walks, user_id="ana")
        opened.add("My spare key is with Mrs. Chou from the tea shop.", user_id="ana", session_id="key")
        opened.index(user_id="ana")
        yield opened


def test_a_context_without_evidence_says_so_and_why(memory: Memory) -> None:
    found = memory.context("When did I fly to Reykjavik?", user_id="ana", budget=300)
    assert found.no_evidence is True
    assert [note for note in found.trace.notes if note.startswith("no evidence: nobody said 'fly', 'Reykjavik'")]


@pytest.mark.parametrize(("question", "told"), [("Who has my spare key?", False), ("spare key", None)])
def test_a_context_with_evidence_or_without_a_question_has_no_reason(
    memory: Memory, question: str, told: bool | None
) -> None:
    found = memory.context(question, user_id="ana", budget=300)
    assert found.no_evidence is told
    assert found.trace.notes == ()


def test_a_strategy_of_one_channel_does_not_tell(memory: Memory) -> None:
    found = memory.context("When did I fly to Reykjavik?", user_id="ana", budget=300, strategy="bm25")
    assert found.no_evidence is None


def test_words_in_the_question_alone_are_packed_all_the_same(memory: Memory) -> None:
    found = memory.context("Did Gudrun take my spare key to Reykjavik?", user_id="ana", budget=300)
    assert any("Mrs. Chou" in each.text for each in found.evidence)
