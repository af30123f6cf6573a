"""Regular expressions that are compiled when they are first used, so that no process waits for those it does not need."""

from __future__ import annotations

import re
from typing import Any, cast


def expression(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return what has the methods of a compiled pattern; a mistake in it shows at its first use."""
    return cast("re.Pattern[str]", _Uncompiled(pattern, flags))


class _Uncompiled:
    """Compiles at the first use and takes up each method then, so that it costs nothing from there on."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags
        self._compiled: re.Pattern[str] | None = None

    def __getattr__(self, name: str) -> Any:
        if self._compiled is None:
            self._compiled = re.compile(self.pattern, self._flags)
        found = getattr(self._compiled, name)
        setattr(self, name, found)
        return found
