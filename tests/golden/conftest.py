"""One check: a text is what its file says. `UPDATE_GOLDEN=1` writes the files anew; read the diff before it is kept."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture
def check() -> Callable[[str, str], None]:
    def checked(text: str, file: str) -> None:
        path = HERE / file
        if os.environ.get("UPDATE_GOLDEN"):
            path.write_text(text + "\n", "utf-8")
        assert text + "\n" == path.read_text("utf-8")

    return checked
