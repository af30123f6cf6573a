"""How another program starts this one, from any folder."""

from __future__ import annotations

import sys
from pathlib import Path


def program() -> list[str]:
    """Return the command: the installed one, or this Python with the package."""
    installed = Path(sys.executable).with_name("everyword")
    return [str(installed)] if installed.exists() else [sys.executable, "-m", "everyword"]
