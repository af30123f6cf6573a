from __future__ import annotations

import itertools
import re
import runpy
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from everyword.evals.report import card
from everyword.evals.report.markdown import folded_command
from everyword.evals.report.markdown_table import markdown_table, width

SAMPLE: Callable[..., dict[str, Any]] = runpy.run_path(str(Path(__file__).with_name("report_sample.py")))["sample"]


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return SAMPLE(questions=120, lengths=(None, 120_000))


@pytest.fixture(scope="module")
def lines(document: dict[str, Any]) -> list[str]:
    return card([document]).splitlines()


def test_a_card_has_the_figure_and_interval_of_every_strategy(document: dict[str, Any], lines: list[str]) -> None:
    for each in document["results"]:
        share, low, high = (100 * each[name] for name in ("all_evidence", "all_evidence_low", "all_evidence_high"))
        said = re.compile(rf"\| {each['strategy']} .*\b{share:.1f}(\*\*)? \({low:.1f}–{high:.1f}\)")
        assert any(said.search(line) for line in lines), each["strategy"]


def test_a_card_has_every_table(lines: list[str]) -> None:
    heads = [line for line in lines if line.startswith("## ")]
    for word in (
        "Strategies",
        "by kind",
        "by role",
        "by label",
        "by case",
        "in the context",
        "was lost",
        "Order",
        "without an answer",
        "Latency",
        "tokens of history",
        "Pairs",
        "What was run",
        "Limits",
    ):
        assert any(word in head for head in heads), word


def test_a_card_fits_a_terminal_of_80_columns(lines: list[str]) -> None:
    assert [line for line in lines if width(line) > 80 and not line.startswith("##")] == []


def test_the_columns_of_a_table_stand_under_each_other(lines: list[str]) -> None:
    for line, below in itertools.pairwise(lines):
        if line.startswith("|") and below.startswith("|"):
            assert width(line) == width(below)
            assert line.count("|") == below.count("|")


def test_the_command_of_a_card_is_the_one_that_was_given(document: dict[str, Any]) -> None:
    shown = re.search(r"```sh\n(.*?)\n```", card([document]), re.S)
    assert shown is not None
    assert shlex.split(shown[1].replace("\\\n", " ")) == shlex.split(document["command"])


def test_a_command_is_folded_between_its_arguments_only() -> None:
    command = "everyword eval retrieval --data '/data/my chats -- of 2024/all of the very long name of a folder.json' --budget 1500 --strategies bm25"
    folded = folded_command(command)
    assert len(folded) > 1
    assert shlex.split("\n".join(folded).replace("\\\n", " ")) == shlex.split(command)


def test_a_command_that_is_none_stays_as_it_is() -> None:
    assert folded_command("everyword eval 'open") == ["everyword eval 'open"]


def test_a_card_names_the_run_and_the_data(document: dict[str, Any], lines: list[str]) -> None:
    said = "\n".join(lines)
    for name in ("run", "sha256", "everyword", "embedder", "counter"):
        assert document[name] in said


def test_words_of_the_data_do_not_break_a_table() -> None:
    table = markdown_table(["a|b", "n"], [["<b>x</b>\nand `c`", "**1.0** (0.5)"], ["**bold**", "snake_case < 3"]])
    assert table == [
        "| a\\|b                     |              n |",
        "|--------------------------|---------------:|",
        "| &lt;b>x&lt;/b> and \\`c\\` |  **1.0** (0.5) |",
        "| \\*\\*bold\\*\\*             | snake_case < 3 |",
    ]


def test_a_table_that_is_too_wide_goes_on_below_with_its_first_column() -> None:
    table = markdown_table(
        ["kind", *(f"strategy {each}" for each in range(9))], [["單一事實", *("84.1 (80.0–88.0)" for _ in range(9))]]
    )
    assert max(map(width, table)) <= 80
    assert sum(line.count("84.1 (80.0–88.0)") for line in table) == 9
    assert sum(line.startswith("| 單一事實") for line in table) == sum(line.startswith("| kind") for line in table) > 1


def test_bold_in_a_card_is_the_bold_of_the_page() -> None:
    def row(strategy: str, share: float) -> dict[str, Any]:
        return {
            "strategy": strategy,
            "budget": 1500,
            "length": None,
            "questions": 400,
            "all_evidence": share,
            "tokens_max": 1500,
        }

    said = card([{"results": [row("evidence", 0.9), row("bm25", 0.6)]}])
    assert "**90.0** (86.7–92.6)" in said
    assert "**" not in card([{"results": [row("evidence", 0.9), row("bm25", 0.89)]}])


def test_several_runs_follow_each_other(document: dict[str, Any]) -> None:
    assert card([document, document]).count("\n## What was run") == 2


def test_a_command_with_a_fence_in_it_cannot_leave_its_block() -> None:
    assert "\n````sh\necho '```'\n````\n" in card([{"command": "echo '```'"}])


def test_a_card_of_nothing_says_so() -> None:
    assert card([]) == "No run was given.\n"
