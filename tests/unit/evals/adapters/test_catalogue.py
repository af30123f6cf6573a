from __future__ import annotations

import sys
from pathlib import Path

import pytest

from everyword.errors import InvalidInputError, ModelMissingError
from everyword.evals.adapters.catalogue import GROUP, opener, systems
from everyword.evals.adapters.chroma import open_chroma
from everyword.evals.adapters.mem0 import open_mem0
from everyword.evals.adapters.system import OpenSystem
from everyword.text.tokens import counter

OWN = """
class Own:
    name = "own"
    def __init__(self, folder): (folder / "kept").write_text("x")
    def add(self, records): self.records = list(records)
    def retrieve(self, question, *, limit, asked_at): return []
    def close(self): pass

def open_own(folder, embedder): return Own(folder)
"""


@pytest.fixture
def another_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that registers two systems, one of which needs what is not there."""
    information = tmp_path / "site" / "own-1.0.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: own\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(f"[{GROUP}]\nown = own_system:open_own\nbroken = not_there:open\n")
    (tmp_path / "site" / "own_system.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.delitem(sys.modules, "own_system", raising=False)


def test_the_systems_of_this_package_are_registered() -> None:
    assert {"chroma", "mem0", "words"} <= set(systems())


def test_what_another_package_registers_is_opened_in_a_folder(another_package: None, tmp_path: Path) -> None:
    assert "own" in systems()
    memory = opener("own", embedder=None, counter=counter("estimate"))(tmp_path)
    memory.add([{"role": "user", "content": "A coin."}], user_id="bench", session_id=None)
    found = memory.context("coin?", user_id="bench", budget=100, strategy="own", asked_at=None)
    assert (found.text, found.strategy) == ("coin?", "own")
    assert (tmp_path / "kept").exists()


def test_an_unknown_system_is_answered_with_the_known_ones() -> None:
    with pytest.raises(InvalidInputError, match="'guess'.*chroma, mem0, words"):
        opener("guess", embedder=None, counter=counter("estimate"))


def test_a_system_that_cannot_be_loaded_says_why(another_package: None) -> None:
    with pytest.raises(ModelMissingError, match=r"'broken'.*not_there.*install"):
        opener("broken", embedder=None, counter=counter("estimate"))


@pytest.mark.parametrize("opened", [open_chroma, open_mem0])
def test_a_system_of_vectors_needs_an_embedder(opened: OpenSystem, tmp_path: Path) -> None:
    with pytest.raises(ModelMissingError, match="--embedder"):
        opened(tmp_path, None)
