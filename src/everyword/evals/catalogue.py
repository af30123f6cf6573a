"""Every dataset by its name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from everyword.errors import InvalidInputError
from everyword.evals import beam, lifebench, locomo, longmemeval, madial, realmem
from everyword.evals.dataset import Dataset

LOADERS: dict[str, Callable[[Path], Dataset]] = {
    "locomo": locomo.load,
    "longmemeval": longmemeval.load,
    "realmem": realmem.load,
    "beam": beam.load,
    "lifebench": lifebench.load,
    "madial": madial.load,
}


def dataset(name: str, path: Path, *, corrections: Path | None = None) -> Dataset:
    """Return a dataset; corrections are for LoCoMo. Raise InvalidInputError that names the known ones."""
    if name not in LOADERS:
        raise InvalidInputError(f"No dataset {name!r}: choose one of {', '.join(LOADERS)}.")
    if corrections is None:
        return LOADERS[name](path)
    if name != "locomo":
        raise InvalidInputError(f"There are no corrections for {name!r}: leave them out, or choose locomo.")
    return locomo.load(path, corrections)
