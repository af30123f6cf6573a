from __future__ import annotations

import pytest

from everyword.cli.evaluation.fillers import language_of
from everyword.cli.evaluation.options import budgets, lengths, names
from everyword.cli.evaluation.table import blocks, interval, limits_of, markdown, tokens
from everyword.errors import InvalidInputError
from everyword.evals.dataset import Case, Question


@pytest.mark.parametrize(
    ("text", "found"),
    [("1500", [1500]), ("500,1_500 , 8k", [500, 1500, 8000]), ("0.5M", [500_000])],
)
def test_budgets_are_whole_numbers_of_tokens(text: str, found: list[int]) -> None:
    assert budgets(text) == found


@pytest.mark.parametrize("text", ["", ",", "0", "-5", "1e3", "many", "1500 tokens"])
def test_other_budgets_are_refused(text: str) -> None:
    with pytest.raises(InvalidInputError, match="--budget"):
        budgets(text)


def test_lengths_may_name_the_published_history() -> None:
    assert lengths(None) == (None,)
    assert lengths("published,15K,120k,1.2M,15000") == (None, 15_000, 120_000, 1_200_000)
    with pytest.raises(InvalidInputError, match="--lengths"):
        lengths("15K,long")


def test_names_are_the_parts_between_commas() -> None:
    assert names(" a, b,,c ") == ("a", "b", "c")
    assert names(None) == ()


@pytest.mark.parametrize(
    ("name", "question", "language"),
    [
        ("conv-1", "Where is the key?", "en"),
        ("u1", "鑰匙在誰那裡？", "zh-Hant"),
        ("u1", "钥匙在谁那里？", "zh-Hans"),
        ("zh-Hans-0-1", "Where?", "zh-Hans"),
    ],
)
def test_generated_fillers_speak_the_language_of_the_questions(name: str, question: str, language: str) -> None:
    asked = Question(text=question, evidence=frozenset(), kind="k")
    assert language_of(Case(name=name, messages=(), questions=(asked,))) == language


def test_a_table_has_aligned_columns() -> None:
    assert markdown(["a", "bb"], [["long", "1"], ["x", "22"]]).splitlines() == [
        "| a    | bb |",
        "|------|---:|",
        "| long |  1 |",
        "| x    | 22 |",
    ]


def test_columns_that_do_not_fit_stand_in_tables_of_their_own() -> None:
    columns = {f"column {number}": ["x" * 20] for number in range(7)}
    shown = blocks(["name"], [["row"]], columns)
    tables = shown.split("\n\n")
    assert len(tables) == 3
    assert all(len(line) <= 80 for line in shown.splitlines())
    assert [name for name in columns if name not in shown] == []


def test_numbers_are_written_for_reading() -> None:
    assert interval(0.5, 0.25, 0.75) == "50.0 (25.0-75.0)"
    assert interval(None, None, None) == "-"
    assert [tokens(number) for number in (900, 15_000, 1_200_000)] == ["900", "15K", "1.2M"]
    assert limits_of(52) == "One question of 52 is 1.9 points: a difference of one or two is noise."
    assert limits_of(0) == ""
