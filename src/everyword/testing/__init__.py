"""Contracts that every adapter keeps, and fakes, for authors of adapters: subclass a contract and give it your adapter.

The contract modules import pytest, which Everyword itself does not need.
"""

from __future__ import annotations
