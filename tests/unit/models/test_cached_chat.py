from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from everyword.errors import StorageError
from everyword.models.cached_chat import CachedChat, ReplyCache
from everyword.ports import Usage
from everyword.testing.scripted_model import ScriptedModel
from everyword.testing.scripted_replies import ScriptedReply

QUESTION = [{"role": "user", "content": "Where is the key?"}]


@pytest.fixture
def cache(tmp_path: Path) -> ReplyCache:
    return ReplyCache(tmp_path / "deep" / "replies.db")


def test_what_was_asked_before_is_not_asked_again(cache: ReplyCache, tmp_path: Path) -> None:
    first = CachedChat(ScriptedModel("Under the \ud83d mat."), cache).complete(QUESTION, max_tokens=5)
    cache.close()
    again = CachedChat(ScriptedModel(), ReplyCache(tmp_path / "deep" / "replies.db")).complete(QUESTION, max_tokens=5)
    assert again.text == first.text == "Under the \ud83d mat."
    assert (first.calls, again.calls) == (1, 0)
    assert again.usage == Usage()


def test_the_purpose_alone_asks_nothing_anew(cache: ReplyCache) -> None:
    model = CachedChat(ScriptedModel("in"), cache)
    model.complete(QUESTION, max_tokens=5, purpose="answer")
    assert model.complete(QUESTION, max_tokens=5, purpose="judge").calls == 0


@pytest.mark.parametrize(
    "changed",
    [
        {"messages": [{"role": "user", "content": "Where is the Key?"}]},
        {"messages": [{"role": "system", "content": "Where is the key?"}]},
        {"messages": [*QUESTION, *QUESTION]},
        {"max_tokens": 6},
        {"temperature": 0.1},
        {"schema": {"type": "object"}},
        {"name": "another"},
        {"variation": 1},
    ],
    ids=str,
)
def test_whatever_a_reply_depends_on_asks_anew(cache: ReplyCache, need: Callable[..., None], changed: Any) -> None:
    need("jsonschema")
    CachedChat(ScriptedModel("first"), cache).complete(QUESTION, max_tokens=5)
    options = {"messages": QUESTION, "max_tokens": 5, **changed}
    inner = ScriptedModel("second", name=options.pop("name", "scripted"))
    model = CachedChat(inner, cache, variation=options.pop("variation", 0))
    assert model.complete(options.pop("messages"), **options).text == "second"


@pytest.mark.parametrize(
    "said",
    [ScriptedReply(refusal="no"), ScriptedReply(text="Under", finish="length"), ScriptedReply(text="")],
    ids=["refused", "cut off", "empty"],
)
def test_what_is_no_whole_reply_is_asked_again(cache: ReplyCache, said: ScriptedReply) -> None:
    model = CachedChat(ScriptedModel(said, "Under the mat."), cache)
    model.complete(QUESTION, max_tokens=5)
    assert len(cache) == 0
    assert model.complete(QUESTION, max_tokens=5).text == "Under the mat."


def test_clearing_leaves_no_byte(cache: ReplyCache, tmp_path: Path) -> None:
    CachedChat(ScriptedModel("the secret is 4711"), cache).complete(QUESTION, max_tokens=5)
    assert any(b"4711" in path.read_bytes() for path in (tmp_path / "deep").iterdir())
    cache.clear()
    assert len(cache) == 0
    assert not any(b"4711" in path.read_bytes() for path in (tmp_path / "deep").iterdir())


def test_threads_share_a_cache(cache: ReplyCache) -> None:
    inner = ScriptedModel().otherwise(lambda asked: asked.last)
    model = CachedChat(inner, cache)
    wrong: list[str] = []

    def run() -> None:
        for number in range(30):
            said = model.complete([{"role": "user", "content": str(number)}], max_tokens=5).text
            if said != str(number):
                wrong.append(said)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(cache) == 30


def test_a_file_that_is_no_cache_is_told_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "replies.db").write_bytes(b"something else " * 100)
    with pytest.raises(StorageError, match="llm_cache"):
        ReplyCache(tmp_path / "replies.db")
