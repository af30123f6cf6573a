from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from everyword.domain.message import Draft, Skipped
from everyword.transcripts import read

Taken = tuple[list[Draft], list[Skipped]]
Reader = Callable[..., Taken]


@pytest.fixture
def take(tmp_path: Path) -> Reader:
    """Write a file of text, bytes, or JSON (a list of `lines`, or one document) and read it."""

    def _take(content: Any, *, name: str = "file.json", format: str | None = None, lines: bool = False) -> Taken:
        path = tmp_path / name
        if lines:
            content = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in content)
        elif not isinstance(content, str | bytes):
            content = json.dumps(content, ensure_ascii=False)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return sorted_out(read(path, format))

    return _take


def sorted_out(found: Any) -> Taken:
    everything = list(found)
    drafts = [one for one in everything if isinstance(one, Draft)]
    for draft in drafts:
        json.loads(draft.payload)
    return drafts, [one for one in everything if isinstance(one, Skipped)]


@pytest.fixture
def take_path() -> Callable[[Path], Taken]:
    """Read what is at a path."""
    return lambda path: sorted_out(read(path))
