from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path

import pytest

BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_examples_of_the_guide_run_one_after_the_other(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if absent := [name for name in ("openai", "pydantic") if importlib.util.find_spec(name) is None]:
        pytest.fail(f"not installed: {absent}") if os.environ.get("CI") else pytest.skip(f"not installed: {absent}")
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall((project / "docs/howto/language-models.md").read_text("utf-8"))
    assert len(blocks) == 3
    for block in blocks:
        exec(compile(block, "<guide>", "exec", dont_inherit=True), {"__name__": "__main__"})
    assert capsys.readouterr().out.startswith("example 1 0 ")
