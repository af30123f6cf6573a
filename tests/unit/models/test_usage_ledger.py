from __future__ import annotations

import json
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from everyword.errors import StorageError
from everyword.models.usage_ledger import UsageLedger
from everyword.ports import Usage

NOON = datetime(2026, 5, 22, 12, tzinfo=UTC)


def fill(ledger: UsageLedger, *, purpose: str = "answer", tokens: int = 10, outcome: str = "ok") -> None:
    usage = Usage(input_tokens=tokens, output_tokens=1)
    ledger.add(usage, model="openai:tiny", purpose=purpose, outcome=outcome, milliseconds=5.04)


def test_a_line_says_what_it_was_for_and_what_it_took(tmp_path: Path) -> None:
    ledger = UsageLedger(tmp_path / "new" / "usage.jsonl", now=lambda: NOON)
    fill(ledger)
    lines = (tmp_path / "new" / "usage.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [
        {
            "at": "2026-05-22T12:00:00.000+00:00",
            "purpose": "answer",
            "model": "openai:tiny",
            "outcome": "ok",
            "calls": 1,
            "input_tokens": 10,
            "output_tokens": 1,
            "cached_tokens": 0,
            "is_estimated": False,
            "milliseconds": 5.0,
        }
    ]


def test_calls_are_added_up_by_purpose_and_by_outcome() -> None:
    ledger = UsageLedger()
    fill(ledger)
    fill(ledger, purpose="judge", tokens=5, outcome="refused")
    fill(ledger, purpose="judge", tokens=7)
    ledger.note("unreadable", model="openai:tiny", purpose="judge")
    totals = ledger.totals()
    assert list(totals) == ["answer", "judge"]
    assert (totals["judge"].calls, totals["judge"].failures) == (2, 2)
    assert totals["judge"].usage == Usage(input_tokens=12, output_tokens=2)
    assert {outcome: total.calls for outcome, total in ledger.totals(by="outcome").items()} == {
        "ok": 2,
        "refused": 1,
        "unreadable": 0,
    }


def test_a_day_is_one_of_utc() -> None:
    now = [NOON]
    ledger = UsageLedger(now=lambda: now[0])
    fill(ledger, tokens=10)
    now[0] = datetime(2026, 5, 23, 7, 59, tzinfo=timezone(timedelta(hours=8)))
    assert ledger.today == "2026-05-22"
    fill(ledger, tokens=20)
    now[0] += timedelta(minutes=1)
    fill(ledger, tokens=40)
    assert ledger.today == "2026-05-23"
    assert ledger.spent("2026-05-22").usage.input_tokens == 30
    assert ledger.spent("2026-05-23").usage.input_tokens == 40
    assert ledger.spent().usage.input_tokens == 70
    assert ledger.spent("2026-05-24").calls == 0


def test_lines_of_another_process_count_as_they_come(tmp_path: Path) -> None:
    path = tmp_path / "usage.jsonl"
    ours, theirs = UsageLedger(path), UsageLedger(path)
    fill(ours)
    assert ours.spent().calls == 1
    fill(theirs)
    fill(theirs)
    assert (ours.spent().calls, theirs.spent().calls) == (3, 3)


def test_a_line_that_a_crash_tore_costs_no_other_line(tmp_path: Path) -> None:
    path = tmp_path / "usage.jsonl"
    ledger = UsageLedger(path)
    fill(ledger)
    assert ledger.spent().calls == 1
    with path.open("ab") as file:
        file.write(b'{"at": "2026-05-')
    assert ledger.spent().calls == 1
    fill(ledger)
    assert ledger.spent().calls == 2
    assert len(list(ledger.calls())) == 2
    assert UsageLedger(path).spent().calls == 2


def test_lines_of_a_newer_version_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "usage.jsonl"
    path.write_text('{"at": "2026-05-22", "colour": "red"}\n[]\n\n')
    assert list(UsageLedger(path).calls()) == []


def test_threads_and_processes_write_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "usage.jsonl"
    program = f"""
from pathlib import Path
from everyword.models.usage_ledger import UsageLedger
from everyword.ports import Usage
for _ in range(50):
    UsageLedger(Path({str(path)!r})).add(Usage(input_tokens=1), model="m", purpose="p", outcome="ok", milliseconds=0)
"""
    processes = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(2)]
    ledger = UsageLedger(path)
    threads = [threading.Thread(target=lambda: [fill(ledger) for _ in range(25)]) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [process.wait() for process in processes] == [0, 0]
    assert len(list(ledger.calls())) == ledger.spent().calls == 150


def test_a_ledger_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="ledger"):
        fill(UsageLedger(tmp_path / "file" / "usage.jsonl"))
    (tmp_path / "usage.jsonl").mkdir()
    with pytest.raises(StorageError, match="ledger"):
        UsageLedger(tmp_path / "usage.jsonl").spent()


def test_a_file_that_is_not_there_yet_is_empty(tmp_path: Path) -> None:
    ledger = UsageLedger(tmp_path / "usage.jsonl")
    assert (ledger.spent().calls, ledger.totals()) == (0, {})
