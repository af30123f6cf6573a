"""Other memory systems by name, as packages register them under the entry point group `everyword.eval_systems`."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import cast

from everyword.errors import InvalidInputError, ModelMissingError
from everyword.evals.adapters.measured import MeasuredSystem
from everyword.evals.adapters.system import OpenSystem
from everyword.ports import Embedder, TokenCounter

GROUP = "everyword.eval_systems"


def systems() -> list[str]:
    """Return the names that are registered; nothing of them is loaded."""
    return sorted(entry_points(group=GROUP).names)


def opener(name: str, *, embedder: Embedder | None, counter: TokenCounter) -> Callable[[Path], MeasuredSystem]:
    """Return what opens an empty system in a folder. Raise InvalidInputError, ModelMissingError."""
    opened = _loaded(name)
    return lambda folder: MeasuredSystem(opened(folder, embedder), counter, folder)


def _loaded(name: str) -> OpenSystem:
    found = entry_points(group=GROUP, name=name)
    if not found:
        raise InvalidInputError(f"No memory system {name!r}: choose one of {', '.join(systems())}.")
    try:
        return cast("OpenSystem", next(iter(found)).load())
    except ImportError as error:
        raise ModelMissingError(
            f"The memory system {name!r} cannot be loaded ({error}): install its package."
        ) from error
