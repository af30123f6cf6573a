from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

Run = Callable[..., Result]
Document = Callable[[Result], Any]


def test_a_small_corpus_goes_into_the_prompt(run: Run, document: Document) -> None:
    advice = document(run("advise", "--corpus", "150K", "--json"))["advice"]
    assert (advice["routes"], advice["strategy"], advice["needs_memory"]) == (["context"], "full", False)


def test_the_answers_are_read_and_the_rows_are_shown(run: Run) -> None:
    shown = run(
        "advise", "--corpus", "2M", "--updates", "daily", "--sessions", "history", "--errors", "nothing-outdated"
    )
    assert shown.exit_code == 0
    assert shown.stdout.startswith("use        retrieval and memory\nstrategy   hybrid\nmemory     of pointers only")
    assert "updates: daily" in shown.stdout
    assert "until questions about time stay near 20 % right" in shown.stdout


def test_a_preset_is_a_start_that_options_change(run: Run, document: Document) -> None:
    assert "memory     not needed" in run("advise", "--preset", "support").stdout
    changed = document(run("advise", "--preset", "support", "--sessions", "history", "--json"))
    assert changed["advice"]["needs_memory"] is True
    assert changed["situation"]["corpus_tokens"] == 8_000


def test_the_line_from_which_an_index_pays_is_told(run: Run, document: Document) -> None:
    costs = document(run("advise", "--corpus", "1M", "--price", "3", "--questions", "100", "--json"))["costs"]
    assert costs["stuffing"]["tokens"] == 300.0
    assert costs["break_even_questions_a_month"] == pytest.approx(1.02 / 12 / (998_500 * 3 / 1e6))
    assert "an index never pays" in run("advise", "--corpus", "1K", "--price", "3").stdout


def test_without_a_corpus_the_own_memory_is_counted(filled: Run, document: Document) -> None:
    assert 10 < document(filled("advise", "--json"))["situation"]["corpus_tokens"] < 100


@pytest.mark.parametrize(
    "wrong", [["--corpus", "many"], ["--corpus", "1K", "--updates", "weekly"], ["--preset", "game"]]
)
def test_a_wrong_answer_is_told_with_the_right_ones(run: Run, wrong: list[str]) -> None:
    shown = run("advise", *wrong)
    assert shown.exit_code == 2
    assert shown.stderr


def test_figures_of_a_running_system_say_which_line_was_crossed(run: Run, document: Document, tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    figures.write_text('{"fallback_rate": 0.6, "memory_p95_s": 0.3, "temporal_accuracy": 0.2}')
    shown = run("advise", "--figures", figures).stdout
    assert "fallback_rate 0.6 (bound 0.5)\n  more than half of the questions fall back" in shown
    assert "claims with validity, or a graph" in shown
    assert "memory_p95_s" not in shown
    found = document(run("advise", "--figures", figures, "--json"))["signals"]
    assert [each["figure"] for each in found] == ["fallback_rate", "temporal_accuracy"]


@pytest.mark.parametrize("content", ["", "[1]", '{"fallback_rate": "high"}', '{"vibes": 1}'])
def test_figures_that_cannot_be_read_are_told(run: Run, tmp_path: Path, content: str) -> None:
    figures = tmp_path / "figures.json"
    figures.write_text(content)
    assert run("advise", "--figures", figures).exit_code == 2
