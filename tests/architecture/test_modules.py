from __future__ import annotations

import ast
from pathlib import Path

import pytest

VAGUE = {"base", "common", "helper", "helpers", "manager", "misc", "util", "utils"}


def _modules(project: Path) -> list[Path]:
    return sorted((project / "src/everyword").rglob("*.py"))


def test_every_module_says_what_it_is(project: Path) -> None:
    written = [path for path in _modules(project) if path.read_text("utf-8").strip()]
    silent = [path for path in written if not ast.get_docstring(ast.parse(path.read_text("utf-8")))]
    assert not silent


def test_every_module_is_named_by_what_it_holds(project: Path) -> None:
    assert not [path for path in _modules(project) if VAGUE & set(path.relative_to(project).with_suffix("").parts)]


def test_only_the_command_line_prints(project: Path) -> None:
    library = [path for path in _modules(project) if "cli" not in path.parts]
    assert not [path for path in library if "print" in _called(ast.parse(path.read_text("utf-8")))]


def _called(tree: ast.Module) -> set[str]:
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {function.id for function in calls if isinstance(function, ast.Name)}


@pytest.mark.parametrize("suffix", [".sql", ".jsonl", ".json", ".typed"])
def test_data_files_lie_inside_the_package(project: Path, suffix: str) -> None:
    assert list((project / "src/everyword").rglob(f"*{suffix}"))
