"""Every dataset by its name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from everyword.errors import InvalidInputError
from everyword.evals import locomo, longmemeval
from everyword.evals.dataset import Dataset

LOADERS: dict[str, Callable[[Path], Dataset]] = {"locomo": locomo.load, "longmemeval": longmemeval.load}


def dataset(name: str, path: Path) -> Dataset:
    """Return a dataset. Raise InvalidInputError that names the known ones."""
    if name not in LOADERS:
        raise InvalidInputError(f"No dataset {name!r}: choose one of {', '.join(LOADERS)}.")
    return LOADERS[name](path)
