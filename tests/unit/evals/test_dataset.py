from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path

import pytest

from everyword.errors import InvalidInputError
from everyword.evals.catalogue import LOADERS, dataset
from everyword.evals.dataset import read_json


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data.json"


def test_a_file_is_known_by_its_bytes(file: Path) -> None:
    file.write_text("[1]", "utf-8")
    assert read_json(file) == ([1], hashlib.sha256(b"[1]").hexdigest())


def test_a_packed_file_is_read_and_known_by_its_own_bytes(tmp_path: Path) -> None:
    file = tmp_path / "data.json.gz"
    file.write_bytes(gzip.compress(b'["gold"]'))
    assert read_json(file) == (["gold"], hashlib.sha256(file.read_bytes()).hexdigest())


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff\xfe", b"PK\x03\x04", b"not json at all"])
def test_a_file_that_is_no_json_is_refused(file: Path, raw: bytes) -> None:
    file.write_bytes(raw)
    with pytest.raises(InvalidInputError, match="is not JSON"):
        read_json(file)


@pytest.mark.parametrize("raw", [b"plain", gzip.compress(b"[1]")[:-9], gzip.compress(b"[" * 9), b""])
def test_a_broken_gz_is_refused(tmp_path: Path, raw: bytes) -> None:
    file = tmp_path / "data.json.gz"
    file.write_bytes(raw)
    with pytest.raises(InvalidInputError, match="is not JSON"):
        read_json(file)


def test_a_file_that_is_not_there_is_refused_with_the_option_that_names_it(file: Path) -> None:
    with pytest.raises(InvalidInputError, match="cannot be read .*--data"):
        read_json(file)
    with pytest.raises(InvalidInputError, match="cannot be read"):
        read_json(file.parent)


@pytest.mark.parametrize("name", LOADERS)
@pytest.mark.parametrize(
    "document",
    [
        {},
        [],
        "text",
        ["a", "b"],
        [[1]],
        [None],
        [{"title": "a chat", "mapping": {}}],
        [{"sample_id": 1, "conversation": None, "qa": []}],
        [{"sample_id": 1, "conversation": {"session_1": [{"text": "no id"}]}, "qa": []}],
        [{"sample_id": 1, "conversation": {}, "qa": [{"category": 1, "evidence": 7}]}],
        [{"question_id": "q", "question": "?", "haystack_sessions": [[]], "haystack_dates": []}],
        [{"question_id": "q", "question": "?", "haystack_sessions": [[{"role": "user"}]], "haystack_dates": ["x"]}],
    ],
)
def test_a_file_of_another_layout_is_refused_with_its_name(file: Path, name: str, document: object) -> None:
    file.write_text(json.dumps(document), "utf-8")
    with pytest.raises(InvalidInputError, match="data.json"):
        list(dataset(name, file).cases)


def test_an_unknown_dataset_is_answered_with_the_known_ones(file: Path) -> None:
    with pytest.raises(InvalidInputError, match="'beam'.*locomo, longmemeval"):
        dataset("beam", file)


def test_the_development_files_have_the_known_numbers_of_questions(data_folder: Path) -> None:
    counts = {}
    for name, path in (("locomo", "locomo/locomo_dev.json"), ("longmemeval", "longmemeval/longmemeval_s_dev.json")):
        found = dataset(name, data_folder / path)
        counts[name] = sum(len(case.questions) for case in found.cases)
        assert sum(found.left_out.values()) > 0
    assert counts == {"locomo": 883, "longmemeval": 23}
