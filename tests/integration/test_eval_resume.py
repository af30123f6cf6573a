from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from everyword.testing.scripted_replies import ScriptedReply
from everyword.testing.scripted_server import ScriptedServer

QUESTIONS = 30
TIMES = ("milliseconds", "p50_ms", "p95_ms", "p99_ms", "started_at", "command", "bytes")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    said = [
        {"dia_id": f"D1:{n}", "speaker": "Ana", "text": f"Box number {n} holds {n * 17 % 101} marbles."}
        for n in range(QUESTIONS)
    ]
    asked = [
        {"question": f"What does box number {n} hold?", "answer": f"{n * 17 % 101} marbles", "evidence": [f"D1:{n}"], "category": 4}
        for n in range(QUESTIONS)
    ]  # fmt: skip
    conversation = {"session_1": said, "session_1_date_time": "1:56 pm on 8 May, 2023"}
    file = tmp_path / "locomo.json"
    file.write_text(
        json.dumps([{"sample_id": name, "conversation": conversation, "qa": asked} for name in ("one", "two")]), "utf-8"
    )
    return file


def started(task: str, data: Path, out: Path, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
    given = ["--dataset", "locomo", "--data", str(data), "--embedder", "hash", "--budget", "200", "--out", str(out)]
    return subprocess.Popen(
        [sys.executable, "-m", "everyword", "eval", task, *given, *arguments],
        env={**os.environ, "EVERYWORD_CACHE": str(data.parent / "cache"), **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def finished(process: subprocess.Popen[bytes]) -> None:
    _, said = process.communicate(timeout=100)
    assert process.returncode == 0, said.decode()


def outcomes(journal: Path) -> int:
    return journal.read_bytes().count(b'"kind": "outcome"') if journal.exists() else 0


def killed(process: subprocess.Popen[bytes], journal: Path, after: int) -> int:
    """End a run at once when its journal has so many outcomes; return how many it has then."""
    deadline = time.monotonic() + 90
    while outcomes(journal) < after:
        assert process.poll() is None, process.communicate()[1].decode()
        assert time.monotonic() < deadline
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return outcomes(journal)


def report(out: Path) -> Any:
    """Return the document without what a clock or a disk decides."""
    return timeless(json.loads((out / "run.json").read_text("utf-8")))


def timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: timeless(each) for key, each in value.items() if key not in TIMES}
    return [timeless(each) for each in value] if isinstance(value, list) else value


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_run_that_was_killed_goes_on_to_the_same_report(data: Path, tmp_path: Path, jobs: str) -> None:
    arguments = ("--strategies", "bm25,raw-fused,evidence", "--jobs", jobs)
    finished(started("retrieval", data, tmp_path / "whole", *arguments))
    out = tmp_path / "killed"
    journal = out / "journal.jsonl"
    total = 2 * 3 * QUESTIONS
    known = killed(started("retrieval", data, out, *arguments), journal, after=total // 3)
    assert known < total
    assert not (out / "run.json").exists()
    finished(started("retrieval", data, out, *arguments, "--resume"))
    assert outcomes(journal) == total, "every question is in the journal once"
    assert report(out) == report(tmp_path / "whole")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_no_call_to_a_model_is_repeated_after_a_kill(data: Path, tmp_path: Path) -> None:
    if absent := [name for name in ("jsonschema", "openai", "pydantic") if importlib.util.find_spec(name) is None]:
        pytest.fail(f"not installed: {absent}") if os.environ.get("CI") else pytest.skip(f"not installed: {absent}")
    out, total = tmp_path / "out", 2 * QUESTIONS
    with ScriptedServer() as server:
        server.otherwise(ScriptedReply(text="There is no record of it.", delay_s=0.02))
        environment = {
            "EVERYWORD_LLM_BASE_URL": server.base_url,
            "EVERYWORD_LLM_API_KEY": "key",
            "EVERYWORD_HOME": str(tmp_path / "home"),
        }
        arguments = ("--strategies", "bm25", "--answerer", "openai:scripted", "--judge", "none")
        known = killed(started("answer", data, out, *arguments, **environment), out / "journal.jsonl", after=total // 3)
        before = len(server.requests)
        assert known <= before <= known + 1, "one answer may have been under way"
        finished(started("answer", data, out, *arguments, "--resume", **environment))
        assert len(server.requests) - before == total - known
    found = json.loads((out / "run.json").read_text("utf-8"))
    assert sum(row["calls"] for row in found["results"]) == total
    asked = [each["question"] for each in found["outcomes"]]
    assert len(asked) == total
