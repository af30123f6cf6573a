from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from everyword.errors import SettingsError
from everyword.models.hash import HashEmbedder
from everyword.ports import Embedder


def similarity(one: str, other: str) -> float:
    embedder = HashEmbedder()
    return float(embedder.embed_queries([one])[0] @ embedder.embed_passages([other])[0])


def test_it_is_an_embedder() -> None:
    assert isinstance(HashEmbedder(), Embedder)
    assert HashEmbedder(64).identity.name == "hash:64"


@given(st.lists(st.text(st.characters(), max_size=40), max_size=5), st.integers(1, 64))
def test_every_row_has_length_1(texts: list[str], dimensions: int) -> None:
    vectors = HashEmbedder(dimensions).embed_passages(texts)
    assert vectors.shape == (len(texts), dimensions)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_shared_words_are_near_and_case_and_width_do_not_matter() -> None:
    assert similarity("pre-1920 coins", "my coins from before 1920") > similarity("pre-1920 coins", "a cup of tea")
    assert similarity("Ｃｏｉｎ", "coin") == pytest.approx(1)


def test_cjk_is_compared_by_pairs_of_characters() -> None:
    assert similarity("我之前的職業", "之前的職業是什麼") > 0.5 > similarity("我之前的職業", "今天下雨")


def test_a_vector_is_the_same_in_another_process() -> None:
    code = "from everyword.models.hash import HashEmbedder as H; print(H(8).embed_queries(['coin 職業'])[0].tolist())"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "7"}
    said = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert said.stdout.strip() == str(HashEmbedder(8).embed_passages(["coin 職業"])[0].tolist())


def test_a_vector_is_the_same_in_every_version() -> None:
    found = HashEmbedder(8).embed_passages(["coin 職業"])[0]
    assert np.allclose(found, [0, 0, 0, -0.1543, 0.7715, -0.6172, 0, 0], atol=1e-4)


def test_no_dimensions_are_an_error() -> None:
    with pytest.raises(SettingsError, match="at least one"):
        HashEmbedder(0)
