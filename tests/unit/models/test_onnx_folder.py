from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from everyword.errors import ModelError, ModelMissingError, SettingsError
from everyword.models.onnx_folder import OnnxFolderEmbedder
from everyword.ports import Embedder

Write = Callable[..., Path]

LOOK_UP = ("Gather", ["table", "input_ids"], "last_hidden_state", {})
TABLE = np.random.default_rng(7).normal(size=(10, 4)).astype(np.float32)
CLS, SEP, QUERY, COIN, DOCTOR, TEA = 2, 3, 4, 6, 7, 8


@pytest.fixture
def folder(write_tokenizer: Write, write_model: Write) -> Path:
    """A model whose token vectors are the rows of TABLE."""
    write_tokenizer()
    return write_model([LOOK_UP], table=TABLE, outputs={"last_hidden_state": ["b", "s", 4]}, inputs=only_ids())


def only_ids(kind: int = 7) -> dict[str, int]:
    return {"input_ids": kind}


def unit_mean(*tokens: int) -> np.ndarray:
    mean = TABLE[list(tokens)].mean(axis=0)
    return mean / np.linalg.norm(mean)


def test_token_vectors_are_averaged_without_padding(folder: Path) -> None:
    embedder = OnnxFolderEmbedder(folder)
    assert isinstance(embedder, Embedder)
    found = embedder.embed_passages(["coin", "coin doctor tea"])
    assert np.allclose(found, [unit_mean(CLS, COIN, SEP), unit_mean(CLS, COIN, DOCTOR, TEA, SEP)], atol=1e-5)


_IN_A_NEW_PROCESS = """
import sys
from pathlib import Path
from everyword.models.onnx_folder import OnnxFolderEmbedder
assert OnnxFolderEmbedder(Path(sys.argv[1])).embed_queries(["coin"]).shape == (1, 4)
"""


def test_a_model_leaves_no_trace_of_its_use_in_the_home_folder(folder: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    kept = {
        name: value for name, value in os.environ.items() if name not in ("ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME")
    }
    environment = {**kept, "HOME": str(home), "USERPROFILE": str(home)}
    ran = subprocess.run(
        [sys.executable, "-c", _IN_A_NEW_PROCESS, str(folder)], env=environment, capture_output=True, timeout=60
    )
    assert ran.returncode == 0, ran.stderr
    assert not list(home.rglob("*"))


def test_the_identity_says_what_the_vectors_are(folder: Path) -> None:
    identity = OnnxFolderEmbedder(folder, query_prefix="query: ").identity
    assert (identity.name, identity.dimensions, identity.query_prefix) == (f"onnx:{folder}", 4, "query: ")
    before = identity.revision
    (folder / "model.onnx_data").write_bytes(b"other weights")
    assert OnnxFolderEmbedder(folder).identity.revision != before


def test_another_pooling_or_length_is_another_identity(folder: Path) -> None:
    identities = [
        OnnxFolderEmbedder(folder, **options).identity for options in ({}, {"pooling": "first"}, {"max_tokens": 9})
    ]
    assert len({identity.revision for identity in identities}) == 3


def test_no_texts_give_no_rows(folder: Path) -> None:
    assert OnnxFolderEmbedder(folder).embed_queries([]).shape == (0, 4)


def test_prefixes_and_pooling_are_read_from_the_folder_and_the_caller_comes_first(folder: Path) -> None:
    (folder / "everyword.json").write_text(json.dumps({"query_prefix": "query: ", "pooling": "first"}))
    assert np.allclose(OnnxFolderEmbedder(folder).embed_queries(["coin"])[0], unit_mean(CLS), atol=1e-5)
    averaged = OnnxFolderEmbedder(folder, pooling="mean").embed_queries(["coin"])[0]
    assert np.allclose(averaged, unit_mean(CLS, QUERY, COIN, SEP), atol=1e-5)


def test_settings_of_sentence_transformers_are_understood(folder: Path) -> None:
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    (folder / "config_sentence_transformers.json").write_text('{"prompts": {"query": "query: ", "document": ""}}')
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 4}')
    settings = OnnxFolderEmbedder(folder).load().settings
    assert (settings.pooling, settings.query_prefix, settings.max_tokens) == ("first", "query: ", 4)


def test_the_padding_token_of_the_tokenizer_is_used(folder: Path) -> None:
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    tokenizer["padding"] = {
        "strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": None,
        "pad_id": 1, "pad_type_id": 0, "pad_token": "[UNK]",
    }  # fmt: skip
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    assert OnnxFolderEmbedder(folder).load().tokenizer.pad == 1


def test_a_long_text_is_cut(folder: Path) -> None:
    found = OnnxFolderEmbedder(folder, max_tokens=4).embed_passages(["coin doctor " + "tea " * 1000])
    assert np.allclose(found[0], unit_mean(CLS, COIN, DOCTOR, SEP), atol=1e-5)


def test_lone_surrogates_and_empty_texts_have_vectors(folder: Path) -> None:
    found = OnnxFolderEmbedder(folder).embed_passages(["\ud83d", ""])
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)


def test_a_tokenizer_without_a_frame_takes_an_empty_text(write_tokenizer: Write, write_model: Write) -> None:
    write_tokenizer(framed=False)
    folder = write_model([LOOK_UP], table=TABLE, outputs={"last_hidden_state": ["b", "s", 4]}, inputs=only_ids())
    assert np.allclose(OnnxFolderEmbedder(folder).embed_passages(["", "coin"])[1], unit_mean(COIN), atol=1e-5)


def test_a_graph_that_pools_itself_is_read_as_it_is(write_tokenizer: Write, write_model: Write) -> None:
    write_tokenizer()
    nodes = [LOOK_UP, ("ReduceMax", ["last_hidden_state", "axis"], "sentence_embedding", {"keepdims": 0})]
    outputs: dict[str, list[int | str]] = {"last_hidden_state": ["b", "s", 4], "sentence_embedding": ["b", 4]}
    folder = write_model(
        nodes,
        table=TABLE,
        outputs=outputs,
        inputs=only_ids(),
        constants={"axis": np.array([1])},
        file="onnx/model.onnx",
    )
    peak = TABLE[[CLS, COIN, SEP]].max(axis=0)
    assert np.allclose(OnnxFolderEmbedder(folder).embed_passages(["coin"])[0], peak / np.linalg.norm(peak), atol=1e-5)


def test_the_inputs_are_those_that_the_graph_asks_for(write_tokenizer: Write, write_model: Write) -> None:
    write_tokenizer()
    int32 = 6
    inputs = {"input_ids": int32, "attention_mask": int32, "token_type_ids": int32}
    folder = write_model([LOOK_UP], table=TABLE, outputs={"last_hidden_state": ["b", "s", 4]}, inputs=inputs)
    assert np.allclose(OnnxFolderEmbedder(folder).embed_passages(["tea"])[0], unit_mean(CLS, TEA, SEP), atol=1e-5)


def test_an_unknown_input_is_a_model_error(write_tokenizer: Write, write_model: Write) -> None:
    write_tokenizer()
    inputs = {"input_ids": 7, "pixels": 7}
    folder = write_model([LOOK_UP], table=TABLE, outputs={"last_hidden_state": ["b", "s", 4]}, inputs=inputs)
    with pytest.raises(ModelError, match="pixels"):
        OnnxFolderEmbedder(folder).embed_passages(["tea"])


def test_a_graph_that_fails_is_a_model_error(write_tokenizer: Write, write_model: Write) -> None:
    write_tokenizer()
    folder = write_model([LOOK_UP], table=TABLE[:5], outputs={"last_hidden_state": ["b", "s", 4]}, inputs=only_ids())
    with pytest.raises(ModelError, match="failed on a batch"):
        OnnxFolderEmbedder(folder).embed_passages(["tea"])


@pytest.mark.parametrize(("absent", "named"), [("model.onnx", "model.onnx"), ("tokenizer.json", "tokenizer.json")])
def test_a_missing_file_is_named(folder: Path, absent: str, named: str) -> None:
    (folder / absent).unlink()
    with pytest.raises(ModelMissingError, match=named):
        OnnxFolderEmbedder(folder).embed_passages(["tea"])


def test_files_that_are_something_else_are_model_errors(folder: Path) -> None:
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match="not a tokenizer"):
        OnnxFolderEmbedder(folder).load()
    (folder / "model.onnx").write_text("no graph")
    with pytest.raises(ModelError, match="cannot load"):
        OnnxFolderEmbedder(folder).load()


@pytest.mark.parametrize(
    "settings",
    [
        '{"poolin": "mean"}',
        '{"pooling": "median"}',
        "[]",
        "{",
        '{"pooling": "output"}',
        '{"max_tokens": "9"}',
        '{"max_tokens": 1}',
        '{"query_prefix": 1}',
    ],
)
def test_settings_that_cannot_be_used_are_errors(folder: Path, settings: str) -> None:
    (folder / "everyword.json").write_text(settings)
    with pytest.raises(SettingsError):
        OnnxFolderEmbedder(folder).load()
