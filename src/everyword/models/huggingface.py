"""Folders of Hugging Face models: downloaded only because the user named one, and once."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from everyword.errors import ModelMissingError
from everyword.models.extras import required

WANTED = (
    "model.onnx*",
    "onnx/model.onnx*",
    "tokenizer.json",
    "everyword.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "1_Pooling/config.json",
)


def model_folder(name: str, cache: Path, *, file: str | None = None) -> Path:
    """Return the local folder of `ID` or `ID@REVISION`; what was downloaded before is taken as it is, offline.

    Only the graph, the tokenizer and their settings are taken. Raise ModelMissingError.
    """
    folder = cache / "hf" / quote(name, safe="@")
    complete = folder / f".complete-{quote(file or 'default', safe='')}"
    if not complete.is_file():
        download(name, folder, [*WANTED, f"{file}*"] if file else [*WANTED])
        complete.touch()
    return folder


def download(name: str, folder: Path, wanted: list[str]) -> None:
    hub = required("huggingface_hub", extra="hf")
    repository, _, revision = name.partition("@")
    try:
        hub.snapshot_download(repository, revision=revision or None, local_dir=folder, allow_patterns=wanted)
    except Exception as error:  # the hub and its http client have no common error
        raise ModelMissingError(
            f"Cannot get {name!r} from Hugging Face: {error}. Check the name and the network, or download the folder "
            "elsewhere and name it with 'onnx:PATH'."
        ) from error
