"""Every strategy of the catalogue from the command line, on an imported export, without and with a language model."""

from __future__ import annotations

import importlib.util
import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from everyword.cli.main import app
from everyword.strategies.catalogue import STRATEGIES
from everyword.testing.scripted_replies import Asked
from everyword.testing.scripted_server import ScriptedServer

Run = Callable[..., Result]
QUESTION = "How many coins do I have, and what about tea?"
SAID = (
    "I love tea.",
    "I have 37 coins from before 1920.",
    "Never push to main without asking me.",
    "My cat Mimi is three years old.",
    "I live in Lisbon.",
    "My sister Ana works at the harbour.",
)
_STATEMENT = re.compile(r"^(\d+)\. \([^)]*\) (.*)$", re.MULTILINE)
_MESSAGE = re.compile(r"^Message (\d+)[^\n]*:\n(.*)$", re.MULTILINE)


def export(path: Path) -> Path:
    """Write a ChatGPT export of one conversation: what is worth keeping, then much that is not."""
    turns: list[tuple[str, str]] = []
    for text in SAID:
        turns += [("user", text), ("assistant", "Good to know.")]
    for number in range(60):
        turns += [("user", f"What is {number} times {number}?"), ("assistant", f"It is {number * number}. " * 12)]
    mapping: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": ["n0"]}}
    for number, (role, text) in enumerate(turns):
        mapping[f"n{number}"] = {
            "id": f"n{number}",
            "parent": f"n{number - 1}" if number else "root",
            "children": [f"n{number + 1}"] if number + 1 < len(turns) else [],
            "message": {
                "id": f"m{number}",
                "author": {"role": role},
                "create_time": 1_767_225_600 + 60 * number,
                "content": {"content_type": "text", "parts": [text]},
            },
        }
    conversation = {
        "title": "About me",
        "id": "c1",
        "create_time": 1_767_225_600,
        "mapping": mapping,
        "current_node": f"n{len(turns) - 1}",
    }
    path.write_text(json.dumps([conversation]), "utf-8")
    return path


def kept(asked: Asked) -> dict[str, Any]:
    found = [(number, text) for number, text in _MESSAGE.findall(asked.last) if text in SAID]
    return {"claims": [{"message": int(number), "quote": text, "kind": _kind(text)} for number, text in found]}


def _kind(text: str) -> str:
    return "procedure" if text.startswith("Never") else "profile" if "love" in text else "note"


def shortened(asked: Asked) -> dict[str, Any]:
    return {
        "lines": [
            {"text": re.sub(r"^(I|My)\b", "The user", text), "sources": [int(number)]}
            for number, text in _STATEMENT.findall(asked.last)
        ]
    }


def answered(asked: Asked) -> dict[str, Any]:
    is_there = "37 coins" in asked.last
    return {"answerable": is_there, "answer": "37 coins." if is_there else ""}


@pytest.fixture(scope="module")
def offline(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The commands on a memory that has no language model."""
    return _commands(tmp_path_factory.mktemp("offline"), {})


@pytest.fixture(scope="module")
def online(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """The same with an endpoint that answers as its prompts want it."""
    if absent := [name for name in ("jsonschema", "openai", "pydantic") if importlib.util.find_spec(name) is None]:
        pytest.fail(f"not installed: {absent}") if os.environ.get("CI") else pytest.skip(f"not installed: {absent}")
    with ScriptedServer() as server:
        server.when("choose sentences worth remembering", kept)
        server.when("You keep a summary", shortened)
        server.when("Answer the last question", answered)
        server.otherwise({})
        endpoint = {"EVERYWORD_LLM": "openai:tiny", "EVERYWORD_LLM_BASE_URL": server.base_url}
        run = _commands(tmp_path_factory.mktemp("online"), endpoint)
        done = run("claims", "--derive")
        assert done.exit_code == 0, done.output
        yield run


def _commands(folder: Path, more: dict[str, str]) -> Run:
    environment = {
        "EVERYWORD_HOME": str(folder / "memory"),
        "EVERYWORD_USER": "me",
        "EVERYWORD_EMBEDDER": "hash:64",
        "COLUMNS": "80",
        **more,
    }

    def run(*words: str) -> Result:
        return CliRunner().invoke(app, list(words), env=environment)

    done = run("import", str(export(folder / "conversations.json")))
    assert done.exit_code == 0, done.output
    return run


def context(run: Run, name: str, budget: int) -> dict[str, Any]:
    done = run("context", QUESTION, "--strategy", name, "--budget", str(budget), "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def budget_of(name: str) -> int:
    return 20_000 if name == "full" else 900


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_strategy_works_without_an_endpoint(offline: Run, name: str) -> None:
    found = context(offline, name, budget_of(name))
    assert found["strategy"] == name
    assert 0 < found["tokens"] <= budget_of(name)
    assert sum(found["ledger"].values()) == found["tokens"]
    assert found["text"].endswith(QUESTION)
    assert found["evidence"]


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_strategy_works_with_an_endpoint(online: Run, name: str) -> None:
    found = context(online, name, budget_of(name))
    assert found["strategy"] == name
    assert 0 < found["tokens"] <= budget_of(name)
    assert sum(found["ledger"].values()) == found["tokens"]
    assert found["text"].endswith(QUESTION)
    assert found["evidence"]


@pytest.mark.parametrize("name", ["summary", "compact", "notes", "profile"])
def test_with_an_endpoint_the_lines_are_written_and_without_one_quoted(offline: Run, online: Run, name: str) -> None:
    quoted, written = context(offline, name, 900)["text"], context(online, name, 900)["text"]
    assert "user's words] I love tea." in quoted
    assert "written] The user love tea." in written
    assert "I love tea." not in written


def test_the_router_asks_only_where_there_is_an_endpoint(offline: Run, online: Run) -> None:
    notes = [" ".join(context(run, "route", 900)["trace"]["notes"]) for run in (offline, online)]
    assert "no language model is set" in notes[0]
    assert "openai:tiny says whether the evidence is enough: it is" in notes[1]
    assert online("advise", "--routes").stdout.startswith("decisions")


def test_a_history_that_does_not_fit_is_an_error_of_the_whole_one_alone(offline: Run) -> None:
    assert offline("context", QUESTION, "--strategy", "full", "--budget", "900").exit_code == 4
