from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from everyword.demo import history_path

Run = Callable[..., Result]
Start = Callable[..., subprocess.Popen[bytes]]
Interrupt = Callable[[subprocess.Popen[bytes]], None]


def test_a_home_that_cannot_be_written_has_its_code(run: Run, history: Path, home: Path) -> None:
    home.mkdir()
    (home / "users").write_text("a file where a folder must be")
    refused = run("import", history)
    assert refused.exit_code == 6
    assert refused.stderr.startswith("everyword: ")
    assert "Traceback" not in refused.stderr


def test_a_read_only_home_has_its_code(run: Run, history: Path, home: Path) -> None:
    home.mkdir(mode=0o500)
    if os.access(home, os.W_OK):
        home = type(home)("/proc/self/fdinfo/everyword")
        if not home.parent.is_dir():
            pytest.skip("this user may write everywhere, and there is no folder that refuses")
    assert run("import", history, "--home", home).exit_code == 6


def test_a_damaged_log_has_its_code(filled: Run, home: Path) -> None:
    for file in (home / "users").iterdir():
        file.write_bytes(b"not a database at all" * 500)
    assert filled("stats").exit_code == 6
    assert filled("verify").exit_code == 6


def test_an_error_shows_its_traceback_only_on_demand(run: Run) -> None:
    assert "Traceback" not in run("search", " ").stderr
    assert "Traceback" in run("search", " ", EVERYWORD_DEBUG="1").stderr


@pytest.mark.skipif(os.name == "nt", reason="there are no named pipes to wait at on Windows")
def test_an_interrupted_command_ends_with_its_code(started: Start, interrupt: Interrupt, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "endless.jsonl")
    process = started("import", tmp_path / "endless.jsonl")
    with (tmp_path / "endless.jsonl").open("wb"):
        interrupt(process)
        _, told = process.communicate()
    assert process.returncode == 130
    assert b"Traceback" not in told


def test_a_reader_that_goes_away_is_no_error(run: Run, started: Start) -> None:
    run("import", history_path(), "--no-index")
    process = started("export")
    assert process.stdout.readline().startswith(b"{")
    process.stdout.close()
    told = process.stderr.read()
    process.stdin.close()
    process.stderr.close()
    assert process.wait() == 141
    assert told == b""


def test_output_is_utf8_whatever_the_locale_says(filled: Run, started: Start, environment: dict[str, str]) -> None:
    environment |= {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    shown, _ = started("search", "烏克麗麗").communicate()
    assert "茶水間" in shown.decode("utf-8")
