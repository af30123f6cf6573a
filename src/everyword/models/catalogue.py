"""Models by name: `kind:name` says which class loads what. Nothing is imported before its kind is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from everyword.errors import SettingsError

if TYPE_CHECKING:
    from everyword.ports import Embedder, LanguageModel, Reranker

    Options = Mapping[str, Any]

Model = TypeVar("Model")

DEFAULT_EMBEDDER = "e5-small:q4"
NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[Model]):
    """One way to get a model: how it is written, and which options it takes."""

    example: str
    load: Callable[[str, Path | None, Options], Model]
    options: frozenset[str] = frozenset()


def embedder(spec: str, *, cache: Path | None = None, **options: Any) -> Embedder | None:
    """Return the embedder that `spec` names, or None for `none`; `A+B` is both side by side. Raise SettingsError.

    `cache` holds built and downloaded models; default: `everyword.models.cache.default_cache()`.
    """
    parts = spec.split("+")
    if len(parts) > 1 and all(part.partition(":")[0] in EMBEDDERS for part in parts):
        return joined(parts, cache, options)
    return named(spec, EMBEDDERS, "embedder", cache, options)


def joined(parts: Sequence[str], cache: Path | None, options: Options) -> Embedder:
    """Return several embedders as one; an option goes to those that know it."""
    from everyword.models.joined import JoinedEmbedder

    known = [EMBEDDERS[part.partition(":")[0]].options for part in parts]
    if unknown := sorted(options.keys() - frozenset().union(*known)):
        raise SettingsError(f"{'+'.join(parts)!r} does not know {unknown!r}.")
    taken = [{name: value for name, value in options.items() if name in names} for names in known]
    members = [named(part, EMBEDDERS, "embedder", cache, each) for part, each in zip(parts, taken, strict=True)]
    return JoinedEmbedder([member for member in members if member is not None])


def reranker(spec: str, *, cache: Path | None = None, **options: Any) -> Reranker | None:
    """Return the reranker that `spec` names, or None for `none`. Raise SettingsError for an unknown one."""
    return named(spec, RERANKERS, "reranker", cache, options)


def language_model(spec: str, **options: Any) -> LanguageModel | None:
    """Return the language model that `spec` names, or None for `none`. Raise SettingsError for an unknown one."""
    return named(spec, LANGUAGE_MODELS, "language model", None, options)


def named(spec: str, kinds: Mapping[str, Kind[Model]], what: str, cache: Path | None, options: Options) -> Model | None:
    if spec == NONE:
        return None
    kind_name, _, name = spec.partition(":")
    kind = kinds.get(kind_name)
    if kind is None:
        known = ", ".join([*(repr(kind.example) for kind in kinds.values()), repr(NONE)])
        raise SettingsError(f"Unknown {what} {spec!r}: use one of {known}.")
    if unknown := sorted(options.keys() - kind.options):
        raise SettingsError(f"{spec!r} does not know {unknown!r}: its options are {sorted(kind.options)!r}.")
    return kind.load(name, cache, options)


def e5_small(name: str, cache: Path | None, options: Options) -> Embedder:
    from everyword.models.e5 import E5Embedder

    quantisation: Any = name or "q4"
    return E5Embedder(quantisation, cache=cache, **options)


def minilm(name: str, cache: Path | None, options: Options) -> Embedder:
    from everyword.models.minilm import MiniLMEmbedder

    if name:
        raise SettingsError(f"minilm comes in one form: use 'minilm', not 'minilm:{name}'.")
    return MiniLMEmbedder(cache=cache, **options)


def hashed(name: str, _cache: Path | None, _options: Options) -> Embedder:
    from everyword.models.hash import HashEmbedder

    if not name:
        return HashEmbedder()
    if not name.isascii() or not name.isdigit():
        raise SettingsError(f"'hash:{name}' is not a number of dimensions: use 'hash' or 'hash:256'.")
    return HashEmbedder(int(name))


def onnx_folder(name: str, _cache: Path | None, options: Options) -> Embedder:
    from everyword.models.onnx_folder import OnnxFolderEmbedder

    return OnnxFolderEmbedder(local_folder("onnx", name), **options)


def hugging_face(name: str, cache: Path | None, options: Options) -> Embedder:
    from everyword.models.onnx_folder import OnnxFolderEmbedder

    return OnnxFolderEmbedder(downloaded("hf", name, cache, options), name=f"hf:{name}", **options)


def openai(name: str, _cache: Path | None, options: Options) -> Embedder:
    from everyword.models.openai_embedder import OpenAIEmbedder

    return OpenAIEmbedder(name, **options)


def openai_chat(name: str, _cache: Path | None, options: Options) -> LanguageModel:
    from everyword.models.openai_chat import OpenAIChat

    return OpenAIChat(name, **options)


def late(name: str, cache: Path | None, options: Options) -> Reranker:
    from everyword.models.late import LateInteraction

    quantisation: Any = name or "q4"
    return LateInteraction(quantisation, cache=cache, **options)


def onnx_cross_encoder(name: str, _cache: Path | None, options: Options) -> Reranker:
    from everyword.models.cross_encoder import CrossEncoder

    return CrossEncoder(local_folder("onnx-rerank", name), **options)


def hugging_face_cross_encoder(name: str, cache: Path | None, options: Options) -> Reranker:
    from everyword.models.cross_encoder import CrossEncoder

    return CrossEncoder(downloaded("hf-rerank", name, cache, options), name=f"hf-rerank:{name}", **options)


def http_rerank(name: str, _cache: Path | None, options: Options) -> Reranker:
    from everyword.models.http_reranker import HttpReranker

    return HttpReranker(name, **options)


def tei_rerank(name: str, _cache: Path | None, options: Options) -> Reranker:
    from everyword.models.http_reranker import HttpReranker

    return HttpReranker(name, shape="tei", **options)


def local_folder(kind: str, name: str) -> Path:
    if not name:
        raise SettingsError(f"Name the folder of the model: '{kind}:PATH'.")
    return Path(name)


def downloaded(kind: str, name: str, cache: Path | None, options: Options) -> Callable[[], Path]:
    """Return what downloads the model, on first use."""
    from everyword.models.cache import default_cache
    from everyword.models.huggingface import model_folder

    if not name:
        raise SettingsError(f"Name the model: '{kind}:OWNER/NAME' or '{kind}:OWNER/NAME@REVISION'.")
    return lambda: model_folder(name, cache or default_cache(), file=options.get("file"))


FOLDER_OPTIONS = frozenset({"threads", "query_prefix", "passage_prefix", "pooling", "max_tokens", "file"})
CROSS_ENCODER_OPTIONS = frozenset({"threads", "max_tokens", "file"})
HTTP_OPTIONS = frozenset({"api_key", "timeout_s", "retries"})
OPENAI_OPTIONS = HTTP_OPTIONS | {"base_url", "dimensions", "query_prefix", "passage_prefix"}

EMBEDDERS: Mapping[str, Kind[Embedder]] = {
    "e5-small": Kind(example="e5-small:q4", load=e5_small, options=frozenset({"threads", "weights", "progress"})),
    "minilm": Kind(example="minilm", load=minilm, options=frozenset({"threads"})),
    "hash": Kind(example="hash:256", load=hashed),
    "onnx": Kind(example="onnx:PATH", load=onnx_folder, options=FOLDER_OPTIONS),
    "hf": Kind(example="hf:OWNER/NAME", load=hugging_face, options=FOLDER_OPTIONS),
    "openai": Kind(example="openai:MODEL", load=openai, options=OPENAI_OPTIONS),
}
RERANKERS: Mapping[str, Kind[Reranker]] = {
    "late": Kind(example="late:q4", load=late, options=frozenset({"threads"})),
    "onnx-rerank": Kind(example="onnx-rerank:PATH", load=onnx_cross_encoder, options=CROSS_ENCODER_OPTIONS),
    "hf-rerank": Kind(example="hf-rerank:OWNER/NAME", load=hugging_face_cross_encoder, options=CROSS_ENCODER_OPTIONS),
    "http-rerank": Kind(example="http-rerank:URL", load=http_rerank, options=HTTP_OPTIONS | {"model"}),
    "tei-rerank": Kind(example="tei-rerank:URL", load=tei_rerank, options=HTTP_OPTIONS),
}
LANGUAGE_MODELS: Mapping[str, Kind[LanguageModel]] = {
    "openai": Kind(example="openai:MODEL", load=openai_chat, options=HTTP_OPTIONS | {"base_url"}),
}
