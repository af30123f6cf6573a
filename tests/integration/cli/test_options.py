from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

Run = Callable[..., Result]
Document = Callable[[Result], Any]


def test_a_command_without_a_user_names_the_option(run: Run) -> None:
    nobody = run("search", "key", EVERYWORD_USER=None)
    assert nobody.exit_code == 2
    assert "--user" in nobody.stderr
    assert "EVERYWORD_USER" in nobody.stderr


def test_an_empty_user_is_refused(run: Run) -> None:
    assert run("stats", "--user", " ").exit_code == 2


def test_options_may_stand_before_and_after_the_command(filled: Run, home: Path, document: Document) -> None:
    before = filled("--home", home, "--user", "me", "--json", "stats", EVERYWORD_HOME=None, EVERYWORD_USER=None)
    after = filled("stats", "--home", home, "--user", "me", "--json", EVERYWORD_HOME=None, EVERYWORD_USER=None)
    assert document(before) == document(after)
    assert document(after)["messages"] == 3


def test_an_option_after_the_command_goes_before_one_in_front_and_the_environment(
    filled: Run, document: Document
) -> None:
    assert document(filled("--user", "other", "stats", "--user", "me", "--json"))["messages"] == 3
    assert document(filled("--user", "other", "stats", "--json"))["messages"] == 0


def test_users_are_apart(filled: Run) -> None:
    foreign = filled("search", "key", "--user", "other")
    assert foreign.exit_code == 0
    assert foreign.stdout == ""
    assert "'other'" in foreign.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "key"),
        ("context", "Who has my key?"),
        ("context", "Who has my key?", "--openai"),
        ("explain", "Who has my key?"),
        ("stats",),
        ("verify",),
        ("rebuild",),
        ("index",),
        ("users",),
        ("settings",),
        ("add", "Words."),
        ("forget", "--everything", "--yes"),
        ("demo", "--user", "demo"),
    ],
)
def test_json_is_one_document_and_nothing_else_is_on_stdout(
    filled: Run, document: Document, arguments: tuple[str, ...]
) -> None:
    assert document(filled(*arguments, "--json"))


def test_json_leaves_chinese_as_it_is(filled: Run) -> None:
    assert "烏克麗麗" in filled("search", "烏克麗麗", "--json").stdout


def test_an_error_is_a_document_on_stderr_where_json_is_asked_for(filled: Run) -> None:
    wrong = filled("search", "key", "--limit", "0", "--json")
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    error = json.loads(wrong.stderr)["error"]
    assert error["type"] == "InvalidInputError"
    assert "limit=0" in error["message"]


def test_a_wrong_command_line_is_a_document_too(run: Run) -> None:
    assert json.loads(run("stats", "--nope", "--json").stderr)["error"]["message"].startswith("No such option")
