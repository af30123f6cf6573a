"""Passages in the background let the questions pass that wait for the same model."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from everyword.models.e5 import E5Embedder
from everyword.models.hash import HashEmbedder
from everyword.models.joined import JoinedEmbedder
from everyword.models.onnx_folder import OnnxFolderEmbedder
from everyword.models.session import Port, Session
from everyword.models.with_units import EmbedderOfUnits

LOOK_UP = ("Gather", ["table", "input_ids"], "last_hidden_state", {})
TABLE = np.random.default_rng(7).normal(size=(10, 4)).astype(np.float32)


class Held:
    """A session whose first run waits until it is told to go on."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.runs = 0
        self.has_begun, self.may_end = threading.Event(), threading.Event()

    def run(self, output_names: Sequence[str] | None, feeds: Mapping[str, Any]) -> list[Any]:
        self.runs += 1
        self.has_begun.set()
        assert self.may_end.wait(30)
        return self._session.run(output_names, feeds)

    def get_inputs(self) -> Sequence[Port]:
        return self._session.get_inputs()

    def get_outputs(self) -> Sequence[Port]:
        return self._session.get_outputs()


def held(model: E5Embedder | OnnxFolderEmbedder) -> Held:
    """Hold the model's next run."""
    loaded: Any = model.load()
    session = Held(loaded.session)
    model._loaded = replace(loaded, session=session)  # pyright: ignore[reportPrivateUsage] - a run cannot be held from outside
    return session


@pytest.fixture
def folder_model(write_tokenizer: Callable[..., Path], write_model: Callable[..., Path]) -> OnnxFolderEmbedder:
    """A model of a folder, as minilm is one."""
    write_tokenizer()
    outputs = {"last_hidden_state": ["b", "s", 4]}
    return OnnxFolderEmbedder(write_model([LOOK_UP], table=TABLE, outputs=outputs, inputs={"input_ids": 7}))


@pytest.mark.parametrize("name", ["e5", "folder"])
def test_passages_wait_for_a_question_that_came_first(name: str, request: pytest.FixtureRequest) -> None:
    model: E5Embedder | OnnxFolderEmbedder = (
        E5Embedder(cache=request.getfixturevalue("e5_cache"), threads=1)
        if name == "e5"
        else request.getfixturevalue("folder_model")
    )
    session = held(model)
    with ThreadPoolExecutor(2) as pool:
        assert not model.is_busy
        question = pool.submit(model.embed_queries, ["coin"])
        assert session.has_begun.wait(30)
        assert model.is_busy
        passages = pool.submit(model.embed_passages, ["coin doctor", "tea"])
        threading.Event().wait(0.2)
        assert session.runs == 1, "the passages did not wait"
        session.may_end.set()
        assert len(question.result(30)) == 1
        assert len(passages.result(30)) == 2
    assert not model.is_busy


def test_a_question_waits_for_no_other_work(folder_model: OnnxFolderEmbedder) -> None:
    session = held(folder_model)
    with ThreadPoolExecutor(2) as pool:
        passages = pool.submit(folder_model.embed_passages, ["coin doctor"])
        assert session.has_begun.wait(30)
        assert folder_model.is_busy, "more passages had better wait"
        question = pool.submit(folder_model.embed_queries, ["coin"])
        while session.runs < 2:
            threading.Event().wait(0.005)
        session.may_end.set()
        question.result(30)
        passages.result(30)


def test_an_embedder_around_others_is_busy_where_one_of_them_is(folder_model: OnnxFolderEmbedder) -> None:
    joined = JoinedEmbedder([HashEmbedder(32), folder_model])
    around = [joined, EmbedderOfUnits(folder_model, "both"), EmbedderOfUnits(joined, "turn")]
    session = held(folder_model)
    with ThreadPoolExecutor(1) as pool:
        assert [each.is_busy for each in around] == [False, False, False]
        question = pool.submit(joined.embed_queries, ["coin"])
        assert session.has_begun.wait(30)
        assert [each.is_busy for each in around] == [True, True, True]
        session.may_end.set()
        question.result(30)
    assert [each.is_busy for each in around] == [False, False, False]


def test_an_embedder_that_says_nothing_of_itself_is_neither_loaded_nor_busy() -> None:
    class Silent:
        identity = HashEmbedder(32).identity

        def embed_queries(self, texts: Sequence[str]) -> Any:
            return HashEmbedder(32).embed_queries(texts)

        embed_passages = embed_queries

    for model in (EmbedderOfUnits(Silent(), "both"), JoinedEmbedder([Silent(), HashEmbedder(32)])):
        assert (model.is_loaded, model.is_busy) == (False, False)
