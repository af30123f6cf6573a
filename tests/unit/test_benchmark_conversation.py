from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest


@pytest.fixture(scope="module")
def model(project: Path) -> ModuleType:
    """The corpus model of the benchmarks, which is no package."""
    spec = importlib.util.spec_from_file_location("benchmark_conversation", project / "benchmarks" / "conversation.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # Dataclasses look their module up there.
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("tokens", [15_000, 120_000])
def test_a_conversation_has_the_tokens_that_were_asked_for(model: ModuleType, tokens: int) -> None:
    assert sum(said.tokens for said in model.conversation(tokens)) == pytest.approx(tokens, rel=0.02)


def test_a_seed_gives_the_same_conversation_and_another_seed_another(model: ModuleType) -> None:
    first, again, other = (list(model.conversation(15_000, seed=seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_messages_are_as_long_as_those_of_real_conversations(model: ModuleType) -> None:
    said = list(model.conversation(200_000))
    assert np.mean([each.tokens for each in said]) == pytest.approx(230, rel=0.1)
    assert 40 <= np.mean([each.tokens for each in said if each.role == "user"]) <= 90


def test_time_goes_on_and_some_sessions_are_chinese(model: ModuleType) -> None:
    said = list(model.conversation(200_000))
    times = [each.created_at for each in said]
    assert times == sorted(times)
    assert 0 < sum(not each.text.isascii() for each in said) < len(said) / 2


def test_a_question_has_six_to_twelve_words_and_some_of_its_message(model: ModuleType) -> None:
    random = np.random.default_rng(1)
    for said in list(model.conversation(30_000, seed=3)):
        if said.text.isascii():
            words = model.question(said, random).rstrip("?").split()
            assert 6 <= len(words) <= 12
            assert set(words) & {word.lower() for word in said.text.replace(",", " ").replace(".", " ").split()}


def test_texts_of_one_session_are_of_one_topic(model: ModuleType) -> None:
    said = [each for each in model.conversation(30_000) if each.role == "assistant"]
    topics: dict[str, list[int]] = {}
    for each in said:
        topics.setdefault(each.session, []).append(model.topic_of(each.text))
    agreeing = [max(found.count(topic) for topic in found) / len(found) for found in topics.values()]
    assert np.mean(agreeing) > 0.9
