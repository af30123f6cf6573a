from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

PINS = ("demo", "test", "bench")


def _pinned(text: str) -> set[tuple[str, str]]:
    return set(re.findall(r"^([\w.-]+)==([^\s;\\]+)", text, re.MULTILINE))


@pytest.mark.parametrize("name", PINS)
def test_the_pins_are_those_of_the_lock(project: Path, name: str) -> None:
    lock = tomllib.loads((project / "uv.lock").read_text("utf-8"))
    locked = {(each["name"], each["version"]) for each in lock["package"] if "version" in each}
    pins = _pinned((project / "requirements" / f"{name}.txt").read_text("utf-8"))
    assert pins
    assert pins <= locked


def test_the_lock_names_no_index_but_the_public_one(project: Path) -> None:
    lock = tomllib.loads((project / "uv.lock").read_text("utf-8"))
    sources = {str(each["source"].get("registry")) for each in lock["package"] if each["name"] != "everyword"}
    assert sources == {"https://pypi.org/simple"}


@pytest.mark.parametrize("name", PINS)
def test_every_pin_has_hashes_and_no_address(project: Path, name: str) -> None:
    text = (project / "requirements" / f"{name}.txt").read_text("utf-8")
    assert "://" not in text
    assert not [line for line in text.splitlines() if line.startswith("-")]
    assert text.count("==") <= text.count("--hash=sha256:")
