"""What a coding agent's hook stores, in this process and as the command that the agent runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everyword import Memory
from everyword.adapters.transcript_hook import record
from everyword.errors import InvalidInputError

THREAD = "0199a213-81c0-7800-8aa1-bbab2a035a53"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "memory", embedder="none") as opened:
        yield opened


def turn(number: int, question: str, answer: str) -> str:
    """Return the records of one turn as Claude Code writes them."""
    shared = {"sessionId": "s-1", "cwd": "/src/app", "version": "2.0", "isSidechain": False, "userType": "external"}
    asked = {"role": "user", "content": question}
    replied = {"role": "assistant", "model": "m", "content": [{"type": "text", "text": answer}]}
    records = [
        {**shared, "type": "user", "uuid": f"u{number}", "parentUuid": None, "message": asked},
        {**shared, "type": "assistant", "uuid": f"a{number}", "parentUuid": f"u{number}", "message": replied},
    ]
    return "".join(json.dumps({**each, "timestamp": f"2026-05-0{number}T10:00:00Z"}) + "\n" for each in records)


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    file = tmp_path / "s-1.jsonl"
    file.write_text(turn(1, "Which port does the service use?", "Port 7391."), "utf-8")
    return file


def event(transcript: Path) -> str:
    return json.dumps({"session_id": "s-1", "transcript_path": str(transcript), "hook_event_name": "Stop"})


def test_each_turn_is_stored_once(memory: Memory, transcript: Path) -> None:
    assert record(event(transcript), agent="claude-code", memory=memory, user_id="me").added == 2
    with transcript.open("a", encoding="utf-8") as file:
        file.write(turn(2, "And the database?", "Port 5439."))
    done = record(event(transcript), agent="claude-code", memory=memory, user_id="me")
    assert (done.added, done.duplicates, done.skipped) == (2, 2, ())
    assert [message.session_id for message in memory.messages(user_id="me")] == ["s-1"] * 4
    assert "7391" in memory.context("Which port does the service use?", user_id="me").text


def test_a_last_line_that_is_half_written_is_taken_with_the_next_turn(memory: Memory, transcript: Path) -> None:
    whole = turn(2, "And the database?", "Port 5439.")
    before = transcript.read_text("utf-8")
    transcript.write_text(before + whole[:-40], "utf-8")
    first = record(event(transcript), agent="claude-code", memory=memory, user_id="me")
    assert (first.added, len(first.skipped)) == (3, 1)
    transcript.write_text(before + whole, "utf-8")
    assert record(event(transcript), agent="claude-code", memory=memory, user_id="me").added == 1


def rollout(folder: Path) -> Path:
    file = folder / "sessions" / "2026" / "05" / "01" / f"rollout-2026-05-01T10-00-00-{THREAD}.jsonl"
    file.parent.mkdir(parents=True)
    said = [("user", "input_text", "Rename the flag."), ("assistant", "output_text", "It is --quiet now.")]
    records = [{"type": "session_meta", "payload": {"id": THREAD, "cwd": "/src/app"}}] + [
        {
            "type": "response_item",
            "payload": {"type": "message", "role": role, "content": [{"type": kind, "text": text}]},
        }
        for role, kind, text in said
    ]
    lines = [json.dumps({"timestamp": "2026-05-01T10:00:00Z", **each}) for each in records]
    file.write_text("\n".join(lines) + "\n", "utf-8")
    return file


def test_the_file_of_a_codex_thread_is_found_by_its_id(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    rollout(tmp_path / "codex")
    done = json.dumps({"type": "agent-turn-complete", "thread-id": THREAD, "turn-id": "1", "input-messages": []})
    assert record(done, agent="codex", memory=memory, user_id="me").added == 2
    assert record(done, agent="codex", memory=memory, user_id="me").duplicates == 2
    assert memory.search("--quiet", user_id="me", limit=1)[0].text == "It is --quiet now."


@pytest.mark.parametrize(
    "given, agent, told",
    [
        ("", "claude-code", "as JSON"),
        ("[]", "claude-code", "JSON object"),
        ("{}", "claude-code", "transcript_path"),
        ('{"transcript_path": "/nowhere/x.jsonl"}', "claude-code", "no transcript at"),
        ('{"type": "agent-turn-complete"}', "codex", "thread-id"),
        ('{"thread-id": "../*"}', "codex", "thread-id"),
        (f'{{"thread-id": "{THREAD}"}}', "codex", "no transcript of thread"),
        ("{}", "emacs", "claude-code, codex"),
    ],
)
def test_an_event_that_names_no_transcript_is_refused(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, agent: str, told: str
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    with pytest.raises(InvalidInputError, match=told):
        record(given, agent=agent, memory=memory, user_id="me")
    assert memory.users() == []


def _run(arguments: list[str], tmp_path: Path, *, stdin: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "EVERYWORD_HOME": str(tmp_path / "memory"), "EVERYWORD_USER": "me"}
    return subprocess.run(arguments, input=stdin, env=environment, capture_output=True, text=True)


def test_the_command_stores_the_transcript_and_prints_nothing(tmp_path: Path, transcript: Path) -> None:
    ran = _run([sys.executable, "-m", "everyword", "hook", "claude-code"], tmp_path, stdin=event(transcript))
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    with Memory(tmp_path / "memory", embedder="none") as memory:
        assert len(memory.messages(user_id="me")) == 2


def test_a_command_that_fails_does_not_stop_the_agent(tmp_path: Path) -> None:
    """Claude Code blocks on exit code 2 alone."""
    ran = _run([sys.executable, "-m", "everyword", "hook", "claude-code"], tmp_path, stdin="{}")
    assert ran.returncode not in (0, 2)
    assert "transcript_path" in ran.stderr
    assert ran.stdout == ""


def _printed(agent: str, tmp_path: Path) -> str:
    return _run([sys.executable, "-m", "everyword", "hook", agent, "--print-config"], tmp_path).stdout


def test_the_printed_settings_of_claude_code_run_the_command(tmp_path: Path, transcript: Path) -> None:
    hooks: dict[str, Any] = json.loads(_printed("claude-code", tmp_path))["hooks"]
    assert set(hooks) == {"Stop", "SubagentStop", "SessionEnd"}
    command = hooks["Stop"][0]["hooks"][0]["command"]
    ran = subprocess.run(command, shell=True, input=event(transcript), capture_output=True, text=True, cwd="/")
    assert (ran.returncode, ran.stdout) == (0, ""), ran.stderr
    with Memory(tmp_path / "memory", embedder="none") as memory:
        assert len(memory.messages(user_id="me")) == 2


def test_the_printed_settings_of_codex_run_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    rollout(tmp_path / "codex")
    command = tomllib.loads(_printed("codex", tmp_path))["notify"]
    assert _run([*command, json.dumps({"thread-id": THREAD})], tmp_path).returncode == 0
    with Memory(tmp_path / "memory", embedder="none") as memory:
        assert len(memory.messages(user_id="me")) == 2
