from __future__ import annotations

import io
import json
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pytest

from everyword.domain.message import Draft
from everyword.errors import TranscriptError, UnknownFormatError
from everyword.transcripts import FORMATS, read, recognise

NAMES = ["anthropic", "chatgpt", "claude-ai", "claude-code", "codex", "everyword"]
NAMES += ["jsonl", "langchain", "mem0", "openai", "sharegpt", "slack"]


def test_the_formats_have_these_names() -> None:
    assert sorted(FORMATS) == NAMES


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "telegram.json",
            '{"name": "Ana", "type": "personal_chat", "messages": [{"id": 1, "type": "message", "text": "x"}]}',
        ),
        ("gemini.json", '{"sessionId": "s", "messages": [{"type": "user", "content": ["x"]}]}'),
        ("chat.txt", "12/03/2023, 10:00 - Ana: hello\n"),
        ("chat2.txt", "[12/03/2023, 10:00] Ana: hello\n"),
        ("page.html", "<html></html>"),
        ("data.db", "SQLite format 3\x00"),
        ("table.json", '[{"a": 1}, {"b": 2}]'),
        ("numbers.json", "[1, 2]"),
        ("empty.json", "[]"),
        ("settings.json", "{}"),
        ("log.jsonl", '{"level": "info"}\n{"level": "warn"}\n'),
    ],
)
def test_what_is_no_known_format_is_refused_with_the_known_ones(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(UnknownFormatError) as refused:
        read(path)
    assert "--format" in str(refused.value)
    assert all(known in str(refused.value) for known in NAMES)


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "empty"), (b"  \n\n", "empty"), (b"\xff\xfe{\x00}\x00", "UTF-16"), (b"PK\x03\x04junk", "not recognised")],
)
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(content)
    with pytest.raises(TranscriptError, match=words):
        read(path)


def test_a_missing_file_an_empty_folder_and_a_zip_of_other_things_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TranscriptError, match="no file"):
        recognise(tmp_path / "gone.json")
    (tmp_path / "folder").mkdir()
    with pytest.raises(TranscriptError, match="no files"):
        recognise(tmp_path / "folder")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.txt", "x")
        archive.writestr("b.json", "[1]")
    with pytest.raises(UnknownFormatError, match=r"a\.zip"):
        recognise(tmp_path / "a.zip")


def test_an_unknown_name_of_a_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormatError, match="unknown format 'word'"):
        read(tmp_path, "word")


def test_a_forced_format_reports_every_record_that_is_not_of_it(take: Any) -> None:
    drafts, skipped = take([{"role": "user", "content": "x"}, {"a": 1}], format="chatgpt")
    assert (drafts, len(skipped)) == ([], 2)


def test_a_forced_format_still_refuses_what_is_not_json(take: Any) -> None:
    with pytest.raises(TranscriptError, match="not JSON"):
        take("hello", format="openai")


def test_a_broken_first_line_does_not_hide_the_format(take: Any) -> None:
    drafts, skipped = take('{"role": "us\n{"role": "user", "content": "x"}\n', name="a.jsonl")
    assert (len(drafts), len(skipped)) == (1, 1)


def test_a_zip_whose_member_is_damaged_is_reported(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(
            "conversations.json", json.dumps([{"uuid": "c", "chat_messages": [{"sender": "human", "text": "x"}]}])
        )
    path = tmp_path / "a.zip"
    path.write_bytes(buffer.getvalue().replace(b'"text": "x"', b'"text": "y"', 1))
    with pytest.raises(TranscriptError, match="CRC"):
        list(read(path, "claude-ai"))


def test_a_large_export_is_read_in_bounded_memory(tmp_path: Path) -> None:
    turns = [{"uuid": str(i), "sender": "human", "text": "words and words " * 60} for i in range(100)]
    one = json.dumps({"uuid": "c", "name": "n", "chat_messages": turns}).encode()
    path = tmp_path / "conversations.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with archive.open("conversations.json", "w") as member:
            member.write(b"[" + one)
            for _ in range(60_000_000 // len(one)):
                member.write(b"," + one)
            member.write(b"]")
    tracemalloc.start()
    try:
        found = read(path)
        count = sum(isinstance(next(found), Draft) for _ in range(3_000))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 3_000
    assert peak < 30_000_000
