"""Documents outside the memory: a claim points to a file or an address, and nothing of the document is copied.

Nothing is fetched over a network unless a resolver is given that does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from everyword.domain.claim import Pointed

Resolver = Callable[[str], str | None]
"""Given an address, returns the content of today; None where nothing is there."""
ABOUT = 200
"""Characters that may say what a document is about: more would be a copy of it."""
_ADDRESS = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://[^\s<>\"'`，。；！？」』）)]+")
_PATH = re.compile(
    r"(?<![\w:/])(?:~|\.{1,2})?/(?:[\w.@%+-]+/)*[\w.@%+-]+|(?<![\w:/\\])[A-Za-z]:\\(?:[^\s\\:*?\"<>|]+\\)*[^\s\\:*?\"<>|]+"
    r"|`[^`\n]+\.\w{1,8}`|(?<![\w/])(?:[\w@+-]+/)+[\w@+-]+\.\w{1,8}\b"
)
_MOST = 100_000
"""Characters of a file that are read."""


def pointers(text: str) -> list[str]:
    """Return the addresses and paths of files that a text names, in its order."""
    addresses = [(found.start(), found.group().rstrip(".,;:!?")) for found in _ADDRESS.finditer(text)]
    bare = _ADDRESS.sub(lambda found: " " * len(found.group()), text)
    paths = [(found.start(), found.group().strip("`").rstrip(".,;:!?")) for found in _PATH.finditer(bare)]
    return list(dict.fromkeys(each for _, each in sorted([*addresses, *paths])))


def resolved(targets: Sequence[str], resolver: Resolver | None, folder: Path | None = None) -> list[Pointed]:
    """Return what is there today for each; an address without a resolver is not looked up."""
    return [_resolved(each, resolver, folder) for each in targets]


def _resolved(target: str, resolver: Resolver | None, folder: Path | None) -> Pointed:
    if resolver is not None:
        content = resolver(target)
    elif "://" in target and not target.startswith("file://"):
        return Pointed(target=target, status="POINTER_UNCHECKED")
    else:
        content = _file(target.removeprefix("file://"), folder)
    return Pointed(target=target, status="POINTER_DEAD" if content is None else "POINTER_OK", content=content)


def _file(target: str, folder: Path | None) -> str | None:
    """Return the beginning of a file; of a folder the names in it."""
    path = (folder or Path()) / Path(target).expanduser()
    try:
        if path.is_dir():
            return "\n".join(sorted(each.name for each in path.iterdir()))
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_MOST)
    except (OSError, ValueError):
        return None
