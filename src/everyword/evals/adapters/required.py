"""Packages of other systems, imported when one is opened."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from everyword.errors import ModelMissingError


def required(module: str, *, package: str) -> Any:
    """Return a module. Raise ModelMissingError, which says how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ModelMissingError(f"{error}. Install it: pip install {package}") from error
