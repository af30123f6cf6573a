from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

Run = Callable[..., Result]
Document = Callable[[Result], Any]
OnTerminal = Callable[..., tuple[int, str]]

_STYLE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


def test_matched_words_are_marked_on_a_terminal(filled: Run, on_terminal: OnTerminal) -> None:
    _, shown = on_terminal("search", "spare", "key", "--limit", "1")
    marked = re.findall(r"\x1b\[1;33m(\w+)\x1b\[0m", shown)
    assert marked == ["spare", "key"]


def test_no_color_is_respected(filled: Run, on_terminal: OnTerminal) -> None:
    _, shown = on_terminal("search", "spare", "key", NO_COLOR="1")
    assert "[33m" not in shown


def test_an_import_shows_its_progress_on_a_terminal(on_terminal: OnTerminal, history: Path) -> None:
    code, shown = on_terminal("import", history)
    assert code == 0
    plain = _STYLE.sub("", shown)
    assert "messages" in plain
    assert "vectors" in plain
    assert "3 messages added" in plain


@pytest.mark.parametrize(("answer", "code", "left"), [("n\n", 1, 3), ("y\n", 0, 0)])
def test_forgetting_asks_and_tells_how_many(
    filled: Run, on_terminal: OnTerminal, document: Document, answer: str, code: int, left: int
) -> None:
    ended, shown = on_terminal("forget", "--everything", answer=answer)
    assert ended == code
    assert "Forget 3 messages of 'me'?" in shown
    assert document(filled("stats", "--json"))["messages"] == left


@pytest.mark.parametrize(
    ("scope", "count"),
    [
        (("--before", "2026-02-22"), 2),
        (("--after", "2026-02-22T19:49:00+08:00"), 2),
        (("--session", "history"), 3),
    ],
)
def test_the_number_that_is_asked_for_is_the_number_that_goes(
    filled: Run, on_terminal: OnTerminal, document: Document, scope: tuple[str, ...], count: int
) -> None:
    _, shown = on_terminal("forget", *scope, answer="n\n")
    assert f"Forget {count} messages" in shown
    assert document(filled("forget", *scope, "--yes", "--json"))["messages"] == count


def test_a_stored_escape_sequence_does_not_steer_the_terminal(run: Run, on_terminal: OnTerminal) -> None:
    run("add", "The key \x1b[2Jis here.")
    for command in (("search", "key"), ("context", "key")):
        _, shown = on_terminal(*command)
        assert "\x1b[2J" not in shown
        assert "␛[2J" in _STYLE.sub("", shown)
