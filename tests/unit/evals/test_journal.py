from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from everyword.errors import InvalidInputError
from everyword.evals.journal import Journal, fingerprint
from everyword.evals.outcome import Outcome

MakeOutcome = Callable[..., Outcome]
OpenJournal = Callable[..., Journal]
KEY = ("c", "q1", "evidence", 1500, None)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "runs" / "journal.jsonl"


@pytest.fixture
def journal_at() -> Iterator[OpenJournal]:
    """Open journals that are closed after the test."""
    with ExitStack() as stack:
        yield lambda path, **options: stack.enter_context(Journal(path, **options))


def test_equal_parts_have_one_fingerprint_in_any_order() -> None:
    assert fingerprint({"a": 1, "b": None}) == fingerprint({"b": None, "a": 1})
    assert fingerprint({"a": 1, "b": None}) != fingerprint({"a": 1, "b": 0})
    assert len(fingerprint({})) == 12


def test_what_was_found_is_there_when_the_journal_is_opened_again(
    file: Path, outcome: MakeOutcome, journal_at: OpenJournal
) -> None:
    first = journal_at(file)
    first.add("run", outcome(text="古いコイン\ud800?"))
    first.note("run", "size", {"tokens": 3})
    again = journal_at(file, resume=True)
    assert again.outcome("run", KEY) == outcome(text="古いコイン\ud800?")
    assert again.records("run", "size") == [{"tokens": 3}]


def test_another_run_and_another_condition_are_not_the_same(
    file: Path, outcome: MakeOutcome, journal_at: OpenJournal
) -> None:
    journal = journal_at(file)
    journal.add("run", outcome())
    for run, key in (
        ("other", KEY),
        ("run", ("d", *KEY[1:])),
        ("run", (*KEY[:3], 8000, None)),
        ("run", (*KEY[:4], 15_000)),
    ):
        assert journal.outcome(run, key) is None
    assert journal.records("other", "size") == []


@pytest.mark.parametrize("cut", [1, 20, 200])
def test_a_line_that_was_cut_short_is_done_again(
    file: Path, outcome: MakeOutcome, journal_at: OpenJournal, cut: int
) -> None:
    journal = journal_at(file)
    journal.add("run", outcome("q1"))
    journal.add("run", outcome("q2"))
    file.write_bytes(file.read_bytes()[:-cut])
    again = journal_at(file, resume=True)
    assert again.outcome("run", KEY) is not None
    assert again.outcome("run", ("c", "q2", *KEY[2:])) is None
    again.add("run", outcome("q2"))
    assert [json.loads(line)["record"]["question"] for line in file.read_text("utf-8").splitlines()] == ["q1", "q2"]


def test_a_journal_is_not_gone_on_with_by_accident(file: Path, outcome: MakeOutcome, journal_at: OpenJournal) -> None:
    journal_at(file).add("run", outcome())
    with pytest.raises(InvalidInputError, match="--resume"):
        Journal(file)


def test_an_empty_file_is_a_new_journal(file: Path, journal_at: OpenJournal) -> None:
    file.parent.mkdir()
    file.touch()
    assert list(journal_at(file).outcomes()) == []


@pytest.mark.parametrize("line", ["no json", "[1]", '{"run": "r"}', '{"run": "r", "kind": "outcome", "record": {}}'])
def test_another_file_is_refused_with_the_line(file: Path, line: str) -> None:
    file.parent.mkdir()
    file.write_text(f"{line}\n", "utf-8")
    with pytest.raises(InvalidInputError, match="line 1 is no line of a journal"):
        Journal(file, resume=True)
