"""Any sentence embedder in a folder: `model.onnx` (or `onnx/model.onnx`) and `tokenizer.json`."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from everyword.errors import ModelError, ModelMissingError, SettingsError
from everyword.models.batching import Turns, batches, chunks
from everyword.models.hf_tokenizer import TOKENIZER_FILE, Encoded, HfTokenizer, feeds
from everyword.models.session import Session, open_session, run
from everyword.models.together import Together
from everyword.models.units import unit_rows
from everyword.ports import ModelIdentity

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from everyword.ports import Vectors

    Folder = Path | Callable[[], Path]

Pooling = Literal["mean", "first", "output"]

MODEL_FILES = ("model.onnx", "onnx/model.onnx")
OWN_SETTINGS = "everyword.json"
SENTENCE_OUTPUTS = ("sentence_embedding", "sentence_embeddings", "pooled_embedding")
BATCH_TOKENS = 4096
CHUNK_TEXTS = 4096
MATRIX, SEQUENCE = 2, 3
SHORTEST_LIMIT = 4
"""Room for what frames a pair, and a token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderSettings:
    """How a folder's model wants its texts, as `everyword.json` in the folder may say."""

    query_prefix: str = ""
    passage_prefix: str = ""
    pooling: Pooling | None = None
    """`output`: the graph pools itself; `first`: the first token. Default: `output` where there is one, or `mean`."""
    max_tokens: int = 512
    file: str | None = None
    """The graph, where it is not `model.onnx`: for example `onnx/model_quantized.onnx`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedFolder:
    """An open model: its tokenizer, its session, and what is read of it."""

    settings: FolderSettings
    tokenizer: HfTokenizer
    session: Session
    inputs: Mapping[str, str]
    output: str
    pooling: Pooling


def located(folder: Folder) -> Path:
    """Return the absolute path of a folder, fetched where it has to be."""
    return folder.expanduser().absolute() if isinstance(folder, Path) else folder()


def model_file(folder: Path, named: str | None = None) -> Path:
    """Return the graph in the folder. Raise ModelMissingError."""
    for name in (named,) if named else MODEL_FILES:
        if (folder / name).is_file():
            return folder / name
    raise ModelMissingError(
        f"{str(folder)!r} holds no {named or ' or '.join(MODEL_FILES)}: name a folder with an ONNX model."
    )


def folder_settings(folder: Path, overrides: Mapping[str, Any]) -> FolderSettings:
    """Return the settings: the overrides, before `everyword.json`, before what sentence-transformers wrote beside."""
    own = read_json(folder / OWN_SETTINGS)
    merged = {**sentence_transformers_settings(folder), **own, **overrides}
    known = {field.name for field in fields(FolderSettings)}
    if unknown := sorted(merged.keys() - known):
        raise SettingsError(f"Unknown settings {unknown!r} of an ONNX model: use {sorted(known)!r}.")
    check_values(merged)
    return FolderSettings(**merged)


def check_values(settings: Mapping[str, Any]) -> None:
    pooling, length = settings.get("pooling"), settings.get("max_tokens", SHORTEST_LIMIT)
    if pooling not in (None, *get_args(Pooling)):
        raise SettingsError(f"Unknown pooling {pooling!r}: use one of {get_args(Pooling)!r}.")
    if not isinstance(length, int) or length < SHORTEST_LIMIT:
        raise SettingsError(f"max_tokens is a number of at least {SHORTEST_LIMIT}, not {length!r}.")
    for name in ("query_prefix", "passage_prefix"):
        if not isinstance(settings.get(name, ""), str):
            raise SettingsError(f"{name} is a text, not {settings[name]!r}.")


def sentence_transformers_settings(folder: Path) -> dict[str, Any]:
    """Read pooling, length and prompts where the folder is a sentence-transformers model."""
    found: dict[str, Any] = {}
    if read_json(folder / "1_Pooling" / "config.json").get("pooling_mode_cls_token"):
        found["pooling"] = "first"
    if length := read_json(folder / "sentence_bert_config.json").get("max_seq_length"):
        found["max_tokens"] = int(length)
    prompts: dict[str, str] = read_json(folder / "config_sentence_transformers.json").get("prompts") or {}
    found["query_prefix"] = prompts.get("query", "")
    found["passage_prefix"] = prompts.get("passage") or prompts.get("document") or ""
    return found


def read_json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise SettingsError(f"{str(path)!r} is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise SettingsError(f"{str(path)!r} holds no JSON object.")
    return found  # pyright: ignore[reportUnknownVariableType] - JSON


def folder_revision(folder: Path, loaded: LoadedFolder) -> str:
    """Return a checksum of all that a vector depends on: graph, weights beside it, tokenizer, length and pooling."""
    graph = model_file(folder, loaded.settings.file)
    digest = hashlib.sha256(f"{loaded.output} {loaded.pooling} {loaded.settings.max_tokens}".encode())
    for path in [*sorted(graph.parent.glob(f"{graph.name}*")), folder / TOKENIZER_FILE]:
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:16]


class OnnxFolderEmbedder:
    """Embeds with the model of a folder, opened on first use; a text over its length is cut. Safe for many threads.

    A folder that has to be fetched first is a function that returns it, and needs a name.
    """

    def __init__(self, folder: Folder, *, name: str | None = None, threads: int | None = None, **settings: Any) -> None:
        self._folder = folder
        self._name = name or f"onnx:{located(folder)}"
        self._threads = threads
        self._overrides = settings
        self._lock = threading.Lock()
        self._loaded: LoadedFolder | None = None
        self._identity: ModelIdentity | None = None
        self._asked = Together(lambda texts: self._embed(self.load().settings.query_prefix, texts))

    @property
    def is_loaded(self) -> bool:
        """Tell whether the model is in memory, so that a few texts take milliseconds."""
        return self._loaded is not None

    @property
    def is_busy(self) -> bool:
        """Tell whether questions wait or passages are at work, so that more of these had better be left for later."""
        return self._asked.is_busy

    @property
    def identity(self) -> ModelIdentity:
        """Opens the model and embeds one word, the first time: only the model knows its dimensions."""
        if self._identity is None:
            loaded = self.load()
            self._identity = ModelIdentity(
                name=self._name,
                dimensions=self._embed("", ["dimensions"]).shape[1],
                query_prefix=loaded.settings.query_prefix,
                passage_prefix=loaded.settings.passage_prefix,
                revision=folder_revision(located(self._folder), loaded),
            )
        return self._identity

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._asked(texts)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return self._embed(self.load().settings.passage_prefix, texts, self._asked.between)

    def load(self) -> LoadedFolder:
        """Open what is not open. Raise ModelMissingError, ModelError, SettingsError."""
        with self._lock:
            if self._loaded is None:
                self._loaded = open_folder(located(self._folder), self._threads, self._overrides)
            return self._loaded

    def _embed(self, prefix: str, texts: Sequence[str], turns: Turns = iter) -> Vectors:
        import numpy as np

        if not texts:
            return np.empty((0, self.identity.dimensions), np.float32)
        loaded = self.load()
        rows = [embed_chunk(loaded, [prefix + text for text in chunk], turns) for chunk in chunks(texts, CHUNK_TEXTS)]
        return unit_rows(np.concatenate(rows))


def open_folder(folder: Path, threads: int | None, overrides: Mapping[str, Any]) -> LoadedFolder:
    settings = folder_settings(folder, overrides)
    session = open_session(model_file(folder, settings.file), threads=threads, extra="onnx")
    output, pooling = chosen_output(session, settings.pooling)
    return LoadedFolder(
        settings=settings,
        tokenizer=HfTokenizer(folder, tokens=settings.max_tokens),
        session=session,
        inputs={port.name: port.type for port in session.get_inputs()},
        output=output,
        pooling=pooling,
    )


def chosen_output(session: Session, pooling: Pooling | None) -> tuple[str, Pooling]:
    """Return which output to read and how to pool it."""
    outputs = session.get_outputs()
    ready = [port.name for port in outputs if port.name in SENTENCE_OUTPUTS]
    ready += [port.name for port in outputs if len(outputs) == 1 and len(port.shape) == MATRIX]
    if ready and pooling in (None, "output"):
        return ready[0], "output"
    if pooling == "output":
        raise SettingsError(
            f"The graph has no sentence output, only {[port.name for port in outputs]!r}: set pooling to 'mean'."
        )
    tokens = [port.name for port in outputs if len(port.shape) == SEQUENCE]
    if not tokens:
        raise ModelError(
            f"The graph gives no token vectors, only {[port.name for port in outputs]!r}: it embeds no sentences."
        )
    return ("last_hidden_state" if "last_hidden_state" in tokens else tokens[0]), pooling or "mean"


def embed_chunk(loaded: LoadedFolder, texts: Sequence[str], turns: Turns) -> Vectors:
    import numpy as np

    encoded = loaded.tokenizer.encode(texts)
    vectors: Vectors | None = None
    for batch in turns(batches([len(one.ids) for one in encoded], tokens=BATCH_TOKENS)):
        rows = infer(loaded, [encoded[place] for place in batch])
        if vectors is None:
            vectors = np.empty((len(texts), rows.shape[1]), np.float32)
        vectors[batch] = rows
    return np.empty((0, 0), np.float32) if vectors is None else vectors


def infer(loaded: LoadedFolder, encoded: Sequence[Encoded]) -> Vectors:
    inputs = feeds(encoded, loaded.tokenizer.pad, loaded.inputs)
    found = run(loaded.session, inputs, loaded.output)
    if loaded.pooling == "output":
        return found
    if loaded.pooling == "first":
        return found[:, 0]
    return means(found, [len(one.ids) for one in encoded])


def means(hidden: npt.NDArray[np.float32], lengths: Sequence[int]) -> Vectors:
    """Return the mean over the real tokens of each text."""
    import numpy as np

    counts = np.array(lengths, np.int64)[:, None]
    real = (np.arange(hidden.shape[1], dtype=np.int64) < counts).astype(np.float32)
    return np.einsum("bth,bt->bh", hidden, real) / counts.astype(np.float32)
