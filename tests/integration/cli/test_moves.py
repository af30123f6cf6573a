from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

Run = Callable[..., Result]
Document = Callable[[Result], Any]

_ID = "0" * 32


def test_an_export_imports_identical_into_another_home(filled: Run, tmp_path: Path) -> None:
    first = tmp_path / "me.jsonl"
    assert filled("export", "-o", first).exit_code == 0
    assert filled("import", first, "--home", tmp_path / "other").exit_code == 0
    again = filled("export", "--home", tmp_path / "other").stdout.splitlines()
    received = ("received_at",)
    before, after = (
        [{name: value for name, value in json.loads(line).items() if name not in received} for line in lines[1:]]
        for lines in (first.read_text("utf-8").splitlines(), again)
    )
    assert before == after
    assert len(before) == 3
    assert filled("verify", "--home", tmp_path / "other").exit_code == 0


def test_an_export_goes_to_stdout_unless_a_file_is_named(filled: Run) -> None:
    lines = filled("export").stdout.splitlines()
    assert [json.loads(line).get("seq") for line in lines] == [None, 1, 2, 3]
    assert filled("export", "-o", "-").stdout.splitlines()[1:] == lines[1:]


def test_an_export_to_a_file_tells_how_much_it_wrote(filled: Run, tmp_path: Path, document: Document) -> None:
    written = filled("export", "-o", tmp_path / "me.jsonl")
    assert (written.stdout, written.stderr) == ("", f"3 messages written to {tmp_path / 'me.jsonl'}.\n")
    assert document(filled("export", "-o", tmp_path / "me.jsonl", "--json"))["messages"] == 3


def test_a_file_that_cannot_be_written_leaves_nothing_behind(filled: Run, tmp_path: Path) -> None:
    refused = filled("export", "-o", tmp_path / "no" / "folder.jsonl")
    assert refused.exit_code == 1
    assert refused.stderr.startswith("everyword: ")
    assert not (tmp_path / "no").exists()


def test_a_session_is_forgotten(filled: Run) -> None:
    filled("add", "A secret canary.", "--session", "s1")
    gone = filled("forget", "--session", "s1", "--yes")
    assert gone.stdout == "Forgotten: 1 messages of 1 session.\n"
    assert "canary" not in filled("export").stdout
    assert filled("verify").exit_code == 0


def test_named_messages_and_times_are_forgotten(filled: Run, document: Document) -> None:
    wanted = document(filled("search", "spare key", "--limit", "1", "--json"))["results"][0]["id"]
    assert document(filled("forget", "--message", wanted, "--yes", "--json"))["messages"] == 1
    assert (
        document(filled("forget", "--after", "2026-04-01", "--before", "2026-04-26", "--yes", "--json"))["messages"]
        == 1
    )
    assert document(filled("stats", "--json"))["messages"] == 1


def test_everything_is_forgotten(filled: Run, home: Path, document: Document) -> None:
    assert filled("forget", "--everything", "--yes").exit_code == 0
    assert document(filled("stats", "--json"))["messages"] == 0
    assert not [file for file in home.rglob("*") if file.is_file() and b"Chou" in file.read_bytes()]


def test_forgetting_is_refused_where_nobody_can_confirm_it(filled: Run, document: Document) -> None:
    refused = filled("forget", "--everything")
    assert refused.exit_code == 2
    assert "--yes" in refused.stderr
    assert document(filled("stats", "--json"))["messages"] == 3


@pytest.mark.parametrize("arguments", [(), ("--everything", "--session", "s1")])
def test_forgetting_without_one_clear_scope_is_refused(filled: Run, arguments: tuple[str, ...]) -> None:
    refused = filled("forget", *arguments, "--yes")
    assert refused.exit_code == 2
    assert "--everything" in refused.stderr


@pytest.mark.parametrize("arguments", [("--message", _ID), ("--session", "never"), ("--after", "2099-01-01")])
def test_what_is_not_there_cannot_be_forgotten(filled: Run, arguments: tuple[str, ...]) -> None:
    assert filled("forget", *arguments, "--yes").exit_code == 3
