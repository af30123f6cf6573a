from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from everyword import Memory
from everyword.log.sqlite.database import migrations

FOLDER = Path(__file__).parent
FROZEN = sorted(FOLDER.glob("schema_*.db"))


def made() -> Any:
    specification = importlib.util.spec_from_file_location("make_frozen", FOLDER / "make_frozen.py")
    assert specification
    assert specification.loader
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture(params=FROZEN, ids=lambda path: path.stem)
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    (tmp_path / "users").mkdir()
    shutil.copy(request.param, tmp_path / "users" / "ana.db")
    with Memory(tmp_path, embedder="hash:32") as opened:
        yield opened


def test_there_is_a_frozen_file_of_every_schema() -> None:
    assert [path.stem for path in FROZEN] == [f"schema_{number}" for number in range(1, len(migrations()) + 1)]


def test_a_file_of_every_schema_opens_and_verifies(memory: Memory) -> None:
    assert memory.verify(user_id="ana").problems == ()
    assert memory.stats(user_id="ana")["messages"] == 6
    assert memory.stats(user_id="ana")["models"] == {"hash:32": "active"}


def test_every_message_of_an_old_file_is_what_was_said(memory: Memory) -> None:
    stored = list(memory._stores.of("ana", create=False).log.scan())
    for message, draft in zip(stored, made().drafts()[:6], strict=True):
        said = {name: getattr(draft, name) for name in type(draft).__slots__}
        assert replace(message, **said) == message


def test_an_old_file_is_searched_and_written(memory: Memory) -> None:
    assert memory.search("locker 4711", user_id="ana", mode="lexical")[0].seq == 5
    assert memory.search("计程车", user_id="ana", mode="lexical")[0].seq == 4
    memory.index(user_id="ana")  # a newer index drops the vectors of an older one
    assert memory.search("sister Vera moved", user_id="ana", mode="semantic")[0].seq == 1
    assert memory.add("new words", user_id="ana").seqs == (8,)
    assert memory.search("new words", user_id="ana")[0].seq == 8
    memory.rebuild(user_id="ana")
    assert memory.verify(user_id="ana").ok
