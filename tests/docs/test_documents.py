"""Documents are held to what the code does: examples run, and every name in them exists."""

from __future__ import annotations

import ast
import inspect
import re
import shlex
from collections.abc import Iterator
from dataclasses import fields
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.core import TyperGroup

from everyword import Memory, errors
from everyword.cli.main import app
from everyword.config import Settings
from everyword.models.catalogue import EMBEDDERS, RERANKERS
from everyword.strategies.catalogue import STRATEGIES
from everyword.text.tokens import COUNTERS
from everyword.transcripts import FORMATS

PROJECT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*PROJECT.glob("*.md"), *(PROJECT / "docs").rglob("*.md")])
REFERENCE = PROJECT / "docs" / "reference"

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def _blocks(path: Path, language: str) -> list[str]:
    return [body for named, body in _BLOCK.findall(path.read_text("utf-8")) if named == language]


def _named(path: Path) -> str:
    return path.relative_to(PROJECT).as_posix()


def _examples() -> list[tuple[str, str]]:
    return [(f"{_named(path)}:{i}", block) for path in DOCUMENTS for i, block in enumerate(_blocks(path, "python"), 1)]


def _imported(example: str) -> set[str]:
    """Return the packages that an example imports."""
    nodes = list(ast.walk(ast.parse(example)))
    named = [each.name for node in nodes if isinstance(node, ast.Import) for each in node.names]
    named += [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    named += ["langgraph" for name in named if name == "everyword.adapters.langgraph"]
    return {name.partition(".")[0] for name in named}


def _command_lines() -> Iterator[tuple[str, list[str]]]:
    for path in DOCUMENTS:
        for block in _blocks(path, "console"):
            for line in block.splitlines():
                words = shlex.split(line.removeprefix("$ "), comments=True)
                if "everyword" in words[:2]:
                    yield f"{_named(path)}: {line}", words[words.index("everyword") + 1 :]


def _program() -> TyperGroup:
    program = typer.main.get_command(app)
    assert isinstance(program, TyperGroup)
    return program


@pytest.mark.usefixtures("own_loop")
@pytest.mark.parametrize("example", [pytest.param(block, id=name) for name, block in _examples()])
def test_an_example_runs(example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "openai" in example:
        ast.parse(example)
        pytest.skip("needs a provider")
    if absent := sorted(name for name in _imported(example) if find_spec(name) is None):
        pytest.skip(f"needs {', '.join(absent)}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVERYWORD_EMBEDDER", "hash:256")
    exec(compile(example, "<example>", "exec"), {"__name__": "example"})


def test_the_first_example_of_the_readme_prints_what_stands_below_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = PROJECT / "README.md"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVERYWORD_EMBEDDER", "hash:256")
    exec(compile(_blocks(readme, "python")[0], "<README>", "exec"), {"__name__": "example"})
    assert capsys.readouterr().out.strip() == _blocks(readme, "text")[0].strip()


def test_the_first_screen_of_the_readme_has_both_commands_an_example_and_the_picture() -> None:
    text = (PROJECT / "README.md").read_text("utf-8")
    first, _, _ = text.partition("\n## ")
    assert "make demo" in first
    assert "make test" in first
    assert "docs/flow.svg" in first
    assert len(_blocks(PROJECT / "README.md", "python")[0].splitlines()) <= 24


@pytest.mark.parametrize("line", [pytest.param(words, id=name) for name, words in _command_lines()])
def test_a_command_of_the_documents_exists_with_its_options(line: list[str]) -> None:
    program: Any = _program()
    words = iter(line)
    while isinstance(program, TyperGroup):
        word = next(words)
        assert word in program.commands
        program = program.commands[word]
    known = {option for parameter in program.params for option in [*parameter.opts, *parameter.secondary_opts]}
    asked = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
    assert asked <= known


@pytest.mark.parametrize("path", [pytest.param(path, id=_named(path)) for path in DOCUMENTS])
def test_every_link_leads_somewhere(path: Path) -> None:
    links = [link for link in _LINK.findall(path.read_text("utf-8")) if "://" not in link]
    assert not [link for link in links if not (path.parent / link).exists()]


def test_every_path_in_the_architecture_exists() -> None:
    named = set(re.findall(r"`([\w./]+(?:/|\.py|\.sql|\.md))`", (PROJECT / "ARCHITECTURE.md").read_text("utf-8")))
    assert len(named) > 40
    assert not [
        path for path in named if not any((root / path).exists() for root in (PROJECT, PROJECT / "src/everyword"))
    ]


def test_every_folder_of_the_package_is_in_the_architecture() -> None:
    text = (PROJECT / "ARCHITECTURE.md").read_text("utf-8")
    folders = {path.parent.name for path in (PROJECT / "src/everyword").glob("*/__init__.py")}
    assert not {folder for folder in folders if f"`{folder}/`" not in text}


def _rows(document: str) -> dict[str, str]:
    text = (REFERENCE / document).read_text("utf-8")
    return {
        name: line
        for line in text.splitlines()
        if line.startswith("| `")
        for name in re.findall(r"`([^`]+)`", line)[:1]
    }


def test_every_setting_is_documented_with_its_default() -> None:
    rows = _rows("settings.md")
    assert not [field.name for field in fields(Settings) if f"`{field.default}`" not in rows.get(field.name, "")]


def test_every_error_is_documented_with_its_exit_code() -> None:
    classes = [
        each for _, each in inspect.getmembers(errors, inspect.isclass) if issubclass(each, errors.EverywordError)
    ]
    rows = _rows("errors.md")
    assert not [each.__name__ for each in classes if f"| {each.exit_code} |" not in rows.get(each.__name__, "")]
    assert set(rows) == {each.__name__ for each in classes}


def test_every_format_strategy_model_and_counter_is_documented() -> None:
    assert set(_rows("formats.md")) == set(FORMATS)
    assert set(_rows("strategies.md")) == set(STRATEGIES)
    text = (REFERENCE / "settings.md").read_text("utf-8")
    examples = [kind.example for kind in [*EMBEDDERS.values(), *RERANKERS.values()]]
    assert not [name for name in [*examples, *COUNTERS] if f"`{name}`" not in text]


def test_every_call_of_memory_is_documented() -> None:
    text = (REFERENCE / "python.md").read_text("utf-8")
    calls = [name for name, _ in inspect.getmembers(Memory, inspect.isfunction) if not name.startswith("_")]
    assert not [name for name in calls if f"`{name}(" not in text]


def test_every_command_is_documented() -> None:
    text = (REFERENCE / "cli.md").read_text("utf-8")
    assert not [name for name in _program().commands if f"`{name}`" not in text]


def test_every_table_is_in_the_reference_of_formats() -> None:
    written = (REFERENCE / "formats.md").read_text(encoding="utf-8")
    schemas = [path.read_text(encoding="utf-8") for path in (PROJECT / "src/everyword").rglob("*.sql")]
    tables = {
        name for each in schemas for name in re.findall(r"CREATE (?:VIRTUAL )?TABLE (?:IF NOT EXISTS )?(\w+)", each)
    }
    assert len(tables) > 20
    assert [name for name in sorted(tables) if f"`{name}`" not in written] == []
