"""The commands as a person runs them: in this process, in another one, and on a terminal of 80 columns."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from everyword.cli.main import app

PROGRAM = [sys.executable, "-m", "everyword"]
HISTORY = [
    {
        "role": "user",
        "content": "My spare key is with Mrs. Chou from the tea shop.",
        "created_at": "2026-02-22T19:48:00+08:00",
    },
    {"role": "assistant", "content": "Good to know.", "created_at": "2026-02-22T19:49:00+08:00"},
    {"role": "user", "content": "文玲的烏克麗麗先寄放在公司三樓茶水間。", "created_at": "2026-04-26T16:18:00+08:00"},
]

Run = Callable[..., Result]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "memory"


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    return {"EVERYWORD_HOME": str(home), "EVERYWORD_USER": "me", "EVERYWORD_EMBEDDER": "hash", "COLUMNS": "80"}


@pytest.fixture
def run(environment: dict[str, str]) -> Run:
    """Run one command in this process; a value of None takes a variable out of the environment."""

    def command(*arguments: str | Path, stdin: str | bytes | None = None, **variables: str | None) -> Result:
        return CliRunner().invoke(app, [str(each) for each in arguments], stdin, {**environment, **variables})

    return command


@pytest.fixture
def started(environment: dict[str, str]) -> Callable[..., subprocess.Popen[bytes]]:
    """Start one command in a process of its own."""

    def command(*arguments: str | Path) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*PROGRAM, *map(str, arguments)],
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=_heeds_interrupts if os.name == "posix" else None,  # noqa: PLW1509 - no thread runs here
        )

    return command


def _heeds_interrupts() -> None:
    """Undo what a shell does to jobs in the background, which ignore an interrupt."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def on_terminal(environment: dict[str, str]) -> Callable[..., tuple[int, str]]:
    """Run one command on a terminal, type an answer, and return its exit code and what was seen."""
    if os.name == "nt":
        pytest.skip("there are no pseudo-terminals on Windows")

    def command(*arguments: str | Path, answer: str = "", **variables: str) -> tuple[int, str]:
        import pty

        process, screen = pty.fork()
        if process == 0:
            named = {"TERM": "xterm-256color", **environment, **variables}
            os.execvpe(PROGRAM[0], [*PROGRAM, *map(str, arguments)], {**os.environ, **named})
        os.write(screen, answer.encode())
        shown = _everything(screen)
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), shown

    return command


def _everything(screen: int) -> str:
    """Return what is written until the program has gone; Linux then reports an error instead of an end."""
    shown = b""
    try:
        while part := os.read(screen, 65536):
            shown += part
    except OSError:
        pass
    os.close(screen)
    return shown.decode().replace("\r\n", "\n")


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """A file of three messages."""
    file = tmp_path / "history.jsonl"
    file.write_text("".join(f"{json.dumps(message, ensure_ascii=False)}\n" for message in HISTORY), "utf-8")
    return file


@pytest.fixture
def filled(run: Run, history: Path) -> Run:
    """The runner, on a memory of three messages."""
    assert run("import", history).exit_code == 0
    return run


@pytest.fixture
def document() -> Callable[[Result], Any]:
    """Return the one JSON document of a command that went well."""

    def parsed(result: Result) -> Any:
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)

    return parsed


@pytest.fixture
def interrupt() -> Callable[[subprocess.Popen[bytes]], None]:
    return lambda process: process.send_signal(signal.SIGINT)
