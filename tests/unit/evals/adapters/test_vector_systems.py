"""Chroma and mem0 as they are installed; where one is not, its tests are skipped."""

from __future__ import annotations

import importlib.util
import logging
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everyword.errors import InvalidInputError, ModelMissingError
from everyword.evals.adapters.catalogue import opener
from everyword.evals.adapters.measured import MeasuredSystem
from everyword.evals.adapters.mem0 import Embeddings
from everyword.testing.word_embedder import WordEmbedder
from everyword.text.tokens import counter

PACKAGES = {"chroma": "chromadb", "mem0": "mem0"}
TEXTS = ["The coin is gold.", "It rained all day.", "Supper was late.", "A violin stands in the hall.", "Fine, thanks."]

pytestmark = pytest.mark.filterwarnings("ignore")  # Of the packages under test.


@pytest.fixture(params=PACKAGES)
def system(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MeasuredSystem]:
    name = request.param
    if importlib.util.find_spec(PACKAGES[name]) is None:
        pytest.skip(f"{PACKAGES[name]} is not installed: `everyword eval` measures {name} only where it is")
    monkeypatch.setenv("EVERYWORD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(logging, "raiseExceptions", False)
    memory = opener(name, embedder=WordEmbedder(dimensions=256), counter=counter("estimate"))(tmp_path)
    yield memory
    memory.close()


def say(memory: MeasuredSystem, *texts: str, **fields: Any) -> None:
    said = [{"role": "user", "content": text, "created_at": "2026-05-22T09:00:00Z", **fields} for text in texts]
    memory.add(said, user_id="bench", session_id="s1")


def found(memory: MeasuredSystem, question: str, budget: int = 1500) -> list[str]:
    context = memory.context(question, user_id="bench", budget=budget, strategy="other", asked_at=None)
    assert context.tokens <= budget
    return [each.message.text for each in sorted(context.evidence, key=lambda each: each.rank)]


def test_what_is_nearest_comes_first(system: MeasuredSystem) -> None:
    say(system, *TEXTS)
    assert found(system, "Where does the violin stand?")[0] == "A violin stands in the hall."
    assert found(system, "Did it rain all day?")[0] == "It rained all day."


def test_every_message_is_found_where_there_is_room(system: MeasuredSystem) -> None:
    words = [f"word{number}" for number in range(400)]
    say(system, *(f"coin coin coin {' '.join(random.Random(number).sample(words, 4))}" for number in range(300)))
    assert len(found(system, "Which coin?", budget=20_000)) == 300


def test_messages_may_follow_a_question_and_an_empty_memory_finds_nothing(system: MeasuredSystem) -> None:
    assert found(system, "coin?") == []
    say(system, TEXTS[0])
    assert found(system, "coin?") == [TEXTS[0]]
    say(system, *TEXTS[1:])
    assert found(system, "violin hall?")[0] == TEXTS[3]


def test_every_role_is_kept_and_words_stay_as_they_were(system: MeasuredSystem) -> None:
    said = "  硬幣是金的 🎂\nsecond line  "
    say(system, said, role="assistant", name="Ben")
    say(system, "The tool says 37.", role="tool", tool_call_id="c1")
    assert set(found(system, "硬幣 tool says")) == {said, "The tool says 37."}


def test_a_message_is_found_by_the_name_of_who_said_it(system: MeasuredSystem) -> None:
    say(system, "Fine, thanks.", name="Ana")
    say(system, "Fine, thanks.", name="Ben")
    context = system.context("Ben?", user_id="bench", budget=1500, strategy="other", asked_at=None)
    assert [each.message.author for each in context.evidence if each.rank == 1] == ["Ben"]


def test_an_empty_message_does_no_harm(system: MeasuredSystem) -> None:
    say(system, " ", TEXTS[0])
    assert found(system, "coin gold?")[0] == TEXTS[0]


def test_what_is_kept_lies_in_the_folder(system: MeasuredSystem) -> None:
    say(system, *TEXTS)
    assert system.stats(user_id="bench")["bytes_on_disk"] > 1000


def test_two_histories_do_not_mix(system: MeasuredSystem, tmp_path: Path) -> None:
    name = "chroma" if "Chroma" in type(system._system).__name__ else "mem0"
    say(system, TEXTS[0])
    other = opener(name, embedder=WordEmbedder(dimensions=256), counter=counter("estimate"))(tmp_path / "other")
    assert found(other, "coin gold?") == []
    other.close()
    assert found(system, "coin gold?") == [TEXTS[0]]


def test_mem0_gets_vectors_of_questions_and_of_passages_apart() -> None:
    class Apart(WordEmbedder):
        def embed_queries(self, texts: Any) -> Any:
            return -self.embed_passages(texts)

    model = Apart()
    embeddings = Embeddings(model)
    embeddings.prepare(["coin", "coin", "gold"])
    assert model.embedded == 2
    assert embeddings.embed("coin", "add") == [-each for each in embeddings.embed("coin", "search")]
    assert embeddings.embed_batch(["coin", "violin"]) == [embeddings.embed("coin", "add"), embeddings.embed("violin")]
    assert model.embedded == 2 + 1 + 2


@pytest.mark.skipif(importlib.util.find_spec("mem0") is None, reason="mem0 is not installed")
def test_mem0_with_its_telemetry_on_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERYWORD_CACHE", str(tmp_path / "cache"))
    opener("mem0", embedder=WordEmbedder(), counter=counter("estimate"))(tmp_path).close()
    monkeypatch.setattr(sys.modules["mem0.memory.telemetry"], "MEM0_TELEMETRY", True)
    with pytest.raises(InvalidInputError, match="MEM0_TELEMETRY=False"):
        opener("mem0", embedder=WordEmbedder(), counter=counter("estimate"))(tmp_path)


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_that_is_not_there_is_named(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, PACKAGES[name], None)
    with pytest.raises(ModelMissingError, match=rf"pip install {PACKAGES[name]}"):
        opener(name, embedder=WordEmbedder(), counter=counter("estimate"))(tmp_path)
