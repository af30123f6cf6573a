"""Packages that come with an extra, imported on first use."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from everyword.errors import ModelMissingError


def required(module: str, *, extra: str) -> Any:
    """Return the module. Raise ModelMissingError, which says how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ModelMissingError(f'{error}. Install it: pip install "everyword[{extra}]"') from error


def package_folder(package: str) -> Path | None:
    """Return the folder of an installed package, which is not imported; None where it is not there."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0])
