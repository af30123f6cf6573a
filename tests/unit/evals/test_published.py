from __future__ import annotations

import gzip
import hashlib
import json
import subprocess
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everyword.errors import InvalidInputError
from everyword.evals.published import existing, in_layout, iso, read_json, read_lines, read_records, sha256_of_files


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
    records, sha256 = read_records(file, "a set")
    assert (list(records), sha256) == (["gold"], hashlib.sha256(file.read_bytes()).hexdigest())
    assert read_lines(file) == [["gold"]]


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff\xfe", b"PK\x03\x04", b"not json at all", b"[" * 99_999])
def test_a_file_that_is_no_json_is_refused(file: Path, raw: bytes) -> None:
    file.write_bytes(raw)
    with pytest.raises(InvalidInputError, match="data.json is not JSON"):
        read_json(file)


@pytest.mark.parametrize("raw", [b"plain", gzip.compress(b"[1]", mtime=0)[:-9], gzip.compress(b"[" * 9, mtime=0), b""])
def test_a_broken_gz_is_refused(tmp_path: Path, raw: bytes) -> None:
    file = tmp_path / "data.json.gz"
    file.write_bytes(raw)
    with pytest.raises(InvalidInputError, match="data.json.gz is not JSON"):
        read_json(file)
    with pytest.raises(InvalidInputError, match="data.json.gz is not"):
        list(read_records(file, "a set")[0])


def test_a_file_that_is_not_there_is_refused_with_the_option_that_names_it(file: Path) -> None:
    for read in (read_json, read_lines, lambda path: read_records(path, "a set")):
        with pytest.raises(InvalidInputError, match="cannot be read .*--data"):
            read(file)
        with pytest.raises(InvalidInputError, match="cannot be read"):
            read(file.parent)


@pytest.mark.parametrize("raw", ["{}", '"text"', "7", "nothing", ""])
def test_records_of_what_is_no_list_are_refused_at_once(file: Path, raw: str) -> None:
    file.write_text(raw, "utf-8")
    with pytest.raises(InvalidInputError, match="data.json is not a set: it should be a list"):
        read_records(file, "a set")


def test_an_empty_list_is_refused(file: Path) -> None:
    file.write_text(" [ ] ", "utf-8")
    with pytest.raises(InvalidInputError, match="list of records is empty"):
        read_records(file, "a set")


def test_a_list_that_is_cut_short_gives_its_records_and_then_the_place(file: Path) -> None:
    file.write_text('[{"a": 1}, {"b": ', "utf-8")
    records, _ = read_records(file, "a set")
    assert next(records) == {"a": 1}
    with pytest.raises(InvalidInputError, match="data.json is damaged at byte 11"):
        next(records)


def test_a_record_that_is_no_json_is_refused_with_the_path(file: Path) -> None:
    file.write_text('[{"a": 1}, {a: 2}]', "utf-8")
    with pytest.raises(InvalidInputError, match="data.json is not JSON"):
        list(read_records(file, "a set")[0])


def test_a_large_file_costs_the_memory_of_one_record(file: Path) -> None:
    size, number = 300_000, 60
    file.write_text(json.dumps([{"text": "x" * size}] * number), "utf-8")
    tracemalloc.start()
    try:
        assert sum(len(record["text"]) for record in read_records(file, "a set")[0]) == size * number
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < size * number / 4


@given(st.lists(st.recursive(st.none() | st.text() | st.integers(), st.lists, max_leaves=5), min_size=1))
def test_records_are_what_the_whole_document_holds(
    tmp_path_factory: pytest.TempPathFactory, document: list[object]
) -> None:
    file = tmp_path_factory.mktemp("records") / "data.json"
    file.write_text(json.dumps(document), "utf-8")
    assert list(read_records(file, "a set")[0]) == document


def test_several_files_are_known_by_what_sha256sum_prints(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    paths = [tmp_path / "b" / "x.json", tmp_path / "a.json"]
    for number, path in enumerate(paths):
        path.write_text(str(number), "utf-8")
    printed = "".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(tmp_path).as_posix()}\n"
        for path in paths[::-1]
    )
    assert sha256_of_files(tmp_path, paths) == hashlib.sha256(printed.encode()).hexdigest()
    assert sha256_of_files(tmp_path, paths[1:]) == hashlib.sha256(b"1").hexdigest()
    try:
        told = subprocess.run(["sha256sum", "a.json", "b/x.json"], cwd=tmp_path, capture_output=True, check=True)
    except FileNotFoundError:
        pytest.skip("no sha256sum on this machine")
    assert told.stdout.decode() == printed


def test_a_file_is_found_also_when_it_is_packed(tmp_path: Path) -> None:
    assert existing(tmp_path, "data.json") is None
    (tmp_path / "data.json.gz").write_bytes(b"")
    assert existing(tmp_path, "data.json") == tmp_path / "data.json.gz"
    (tmp_path / "data.json").write_bytes(b"")
    assert existing(tmp_path, "data.json") == tmp_path / "data.json"


def test_a_time_takes_the_first_form_that_fits() -> None:
    assert iso("2025-01-02", "%Y-%m-%d %H:%M", "%Y-%m-%d") == "2025-01-02T00:00:00+00:00"
    assert iso("2025-01-02 09:30", "%Y-%m-%d %H:%M", "%Y-%m-%d") == "2025-01-02T09:30:00+00:00"
    assert iso("some day", "%Y-%m-%d") is None


@pytest.mark.parametrize("record", [{}, None, [], 7, {"a": None}])
def test_a_record_of_another_layout_is_refused_with_the_path(file: Path, record: object) -> None:
    with pytest.raises(InvalidInputError, match="data.json has another layout"):
        in_layout(lambda read: read["a"]["b"], record, file)
