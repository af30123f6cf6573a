"""Packages that come with an extra, imported on first use."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from everyword.errors import ModelMissingError


def required(module: str, *, extra: str) -> Any:
    """Return the module. Raise ModelMissingError, which says how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ModelMissingError(f'{error}. Install it: pip install "everyword[{extra}]"') from error
