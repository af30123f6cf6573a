from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

Run = Callable[..., Result]
COMMANDS = ("retrieval", "answer", "ablation", "report", "pairs", "check", "review", "habits")
THINGS = ("coin", "boat", "ukulele", "lantern", "compass", "kettle", "sextant", "anvil")


def turn(number: int, speaker: str, text: str) -> dict[str, Any]:
    return {"dia_id": f"D1:{number}", "speaker": speaker, "text": text}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A file of two conversations in LoCoMo's layout."""
    said = [turn(n, "Ana", f"I keep the old {thing} in room {n}.") for n, thing in enumerate(THINGS)]
    said += [turn(n, "Ben", "The weather was fine, we walked along the shore.") for n in range(len(THINGS), 40)]
    asked = [
        {
            "question": f"Where does Ana keep the old {thing}?",
            "answer": f"room {n}",
            "evidence": [f"D1:{n}"],
            "category": 1 + n % 4,
        }
        for n, thing in enumerate(THINGS)
    ]
    conversation = {"session_1": said, "session_1_date_time": "1:56 pm on 8 May, 2023"}
    file = tmp_path / "locomo.json"
    samples = [{"sample_id": name, "conversation": conversation, "qa": asked} for name in ("one", "two")]
    file.write_text(json.dumps(samples), "utf-8")
    return file


@pytest.fixture
def retrieval(run: Run, data: Path, tmp_path: Path) -> Run:
    """Run `eval retrieval` over the data with a cache of its own."""

    def command(*arguments: str | Path, name: str = "retrieval") -> Result:
        given = ("--dataset", "locomo", "--data", data, "--budget", "120", *arguments)
        return run("eval", name, *given, EVERYWORD_CACHE=str(tmp_path / "cache"))

    return command


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_has_an_example_and_fits_eighty_columns(run: Run, command: str) -> None:
    shown = run("eval", command, "--help").stdout
    assert f"  everyword eval {command}" in shown
    assert [line for line in shown.splitlines() if len(line) > 80] == []
    assert "--json" in shown


def test_all_commands_are_listed(run: Run) -> None:
    shown = run("eval", "--help").stdout
    assert [name for name in COMMANDS if f"\n  {name} " not in shown] == []


def test_the_document_has_the_keys_that_are_promised(retrieval: Run, document: Callable[[Result], Any]) -> None:
    found = document(retrieval("--strategies", "bm25,evidence", "--json"))
    promised = (
        "run command everyword started_at task dataset sha256 messages tokens left_out embedder reranker counter seed"
    )
    assert set(f"{promised} answerer judge lengths results pairs explained outcomes".split()) == set(found)
    assert (found["dataset"], found["task"], found["embedder"], found["messages"]) == (
        "locomo",
        "retrieval",
        "hash:256",
        80,
    )
    promised = (
        "strategy budget length questions all_evidence all_evidence_low all_evidence_high all_evidence_whole "
        "all_evidence_macro evidence_share tokens_mean tokens_sd tokens_max calls p50_ms p95_ms p99_ms bytes ranked "
        "worst_rank_median misses failures abstention by_kind by_case by_role by_label accuracy"
    )
    for row in found["results"]:
        assert set(promised.split()) <= set(row)
        assert 0 <= row["all_evidence_low"] <= row["all_evidence"] <= row["all_evidence_high"] <= 1
        assert row["tokens_max"] <= row["budget"] == 120
        assert row["questions"] == 16
        assert row["bytes"] > 0
    assert [(pair["a"], pair["b"], pair["n"]) for pair in found["pairs"]] == [("bm25", "evidence", 16)]
    assert len(found["outcomes"]) == 32


def test_the_command_in_the_document_makes_the_figures_again(
    run: Run, retrieval: Run, document: Callable[[Result], Any], tmp_path: Path
) -> None:
    first = document(retrieval("--strategies", "bm25", "--limit", "5", "--json"))
    words = first["command"].split()
    assert words[:3] == ["everyword", "eval", "retrieval"]
    again = document(run(*words[1:], "--json", EVERYWORD_CACHE=str(tmp_path / "cache")))
    assert again["run"] == first["run"]
    assert [each["share"] for each in again["outcomes"]] == [each["share"] for each in first["outcomes"]]


def test_the_tables_have_counts_intervals_and_tests_in_eighty_columns(retrieval: Run) -> None:
    result = retrieval("--strategies", "bm25,raw-semantic,raw-fused,raw-rag,evidence,window@90")
    assert result.exit_code == 0, result.stderr
    shown = result.stdout
    assert [line for line in shown.splitlines() if len(line) > 80] == []
    assert "| evidence     |    120 | 16 |" in shown
    assert "(80.6-100.0)" in shown, "the Wilson interval of 16 of 16"
    assert "evidence / bm25 @120: all evidence alone" in shown
    assert "evidence / window @120" in shown
    assert "One question of 16 is 6.2 points" in shown
    assert "| all evidence by kind |" in shown
    assert "one: 8 questions" in result.stderr


def test_a_folder_gets_the_document_the_page_the_card_and_the_journal(
    retrieval: Run, document: Callable[[Result], Any], tmp_path: Path
) -> None:
    out = tmp_path / "results" / "small"
    result = retrieval("--strategies", "bm25,evidence", "--out", out, "--json")
    assert sorted(each.name for each in out.iterdir()) == ["card.md", "journal.jsonl", "report.html", "run.json"]
    assert json.loads((out / "run.json").read_text("utf-8")) == document(result)
    assert "<html" in (out / "report.html").read_text("utf-8")
    assert "evidence" in (out / "card.md").read_text("utf-8")


def test_a_journal_is_gone_on_with_only_when_asked(
    retrieval: Run, document: Callable[[Result], Any], tmp_path: Path
) -> None:
    journal = tmp_path / "journal.jsonl"
    first = document(retrieval("--strategies", "bm25", "--journal", journal, "--json"))
    refused = retrieval("--strategies", "bm25", "--journal", journal)
    assert refused.exit_code == 2
    assert "--resume" in refused.stderr
    again = document(retrieval("--strategies", "bm25", "--journal", journal, "--resume", "--json"))
    assert {**again, "started_at": "", "command": ""} == {**first, "started_at": "", "command": ""}


def test_parallel_jobs_give_the_same_figures(retrieval: Run, document: Callable[[Result], Any]) -> None:
    alone, together = (
        document(retrieval("--strategies", "bm25,evidence", "--jobs", jobs, "--json")) for jobs in ("1", "3")
    )
    assert alone["run"] == together["run"]
    for one, other in zip(alone["outcomes"], together["outcomes"], strict=True):
        assert {**one, "milliseconds": 0} == {**other, "milliseconds": 0}
    assert [row["all_evidence"] for row in alone["results"]] == [row["all_evidence"] for row in together["results"]]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--budget", "many"), "--budget"),
        (("--budget", "0"), "--budget"),
        (("--strategies", "magic"), "magic"),
        (("--strategies", ","), "No strategy is named"),
        (("--cases", "three"), "No case three: choose from one, two"),
        (("--lengths", "long"), "--lengths"),
        (("--seeds", "3"), "A seed changes nothing"),
        (("--filler", "x.json"), "--lengths"),
        (("--language", "en"), "--language is of what is generated"),
        (("--kinds", "needles"), "--dataset generated"),
        (("--lengths", "2K", "--filler", "none.jsonl"), "none.jsonl"),
        (("--lengths", "2K", "--language", "fr"), "'fr'"),
        (("--resume",), "--journal"),
        (("--dataset", "nowhere"), "nowhere"),
        (("--embedder", "nothing"), "nothing"),
        (("--limit", "0"), "--limit"),
    ],
)
def test_wrong_input_is_refused_with_what_to_do(retrieval: Run, arguments: tuple[str, ...], said: str) -> None:
    result = retrieval(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""


def test_data_that_is_not_named_or_not_there_is_refused(run: Run, tmp_path: Path) -> None:
    for given, said in ((), "--data"), (("--data", tmp_path / "none.json"), "none.json"):
        result = run("eval", "retrieval", "--dataset", "locomo", *given)
        assert result.exit_code == 2
        assert said in result.stderr


GENERATED = ("--dataset", "generated", "--embedder", "none", "--strategies", "bm25,evidence")


@pytest.fixture
def generated(run: Run) -> Run:
    return lambda *arguments: run("eval", "retrieval", *GENERATED, *map(str, arguments))


def test_generated_questions_are_asked_at_every_length_under_every_seed(
    generated: Run, document: Callable[[Result], Any]
) -> None:
    arguments = ("--kinds", "needles,never", "--questions", "8", "--lengths", "4K,8K", "--seeds", "2")
    found = document(generated(*arguments, "--json"))
    assert (found["dataset"], found["seed"], found["lengths"]) == ("generated-en", 0, [4_000, 8_000])
    assert [(row["strategy"], row["length"], row["seeds"]) for row in found["results"]] == [
        (name, length, 2) for name in ("bm25", "evidence") for length in (4_000, 8_000)
    ]
    for row in found["results"]:
        assert row["history_tokens"] == pytest.approx(row["length"], rel=0.02)
        assert row["questions"] == 8, "four needles under each of two seeds"
    assert {each["seed"] for each in found["outcomes"]} == {0, 1}
    unanswerable = [each for each in found["outcomes"] if not each["answerable"]]
    assert len(unanswerable) == 8 * 4
    assert {each["share"] for each in unanswerable} == {None}
    shown = generated(*arguments).stdout
    assert "sd |" in shown
    assert "@1500 4K" in shown


def test_another_seed_asks_other_questions(generated: Run, document: Callable[[Result], Any]) -> None:
    first, same, other = (
        document(generated("--kinds", "needles", "--questions", "3", "--seed", seed, "--json")) for seed in (1, 1, 2)
    )
    assert (first["sha256"], first["run"]) == (same["sha256"], same["run"])
    assert first["sha256"] != other["sha256"]


def test_several_languages_are_one_run(generated: Run, document: Callable[[Result], Any]) -> None:
    arguments = ("--kinds", "needles", "--questions", "3", "--language", "en,zh-Hant")
    (row, _) = document(generated(*arguments, "--json"))["results"]
    assert {"language:en", "language:zh-Hant"} <= set(row["by_label"])
    assert row["questions"] == 6


def test_histories_are_raised_with_data_with_own_conversations_and_with_generated_ones(
    retrieval: Run, document: Callable[[Result], Any], data: Path, history: Path
) -> None:
    for fillers in ((f"locomo:{data}", "generated"), (str(history), "generated"), ("generated",), ()):
        named = [word for each in fillers for word in ("--filler", each)]
        found = document(
            retrieval("--strategies", "bm25", "--lengths", "published,12K", "--cases", "one", *named, "--json")
        )
        assert [row["length"] for row in found["results"]] == [None, 12_000]
        published, raised = found["results"]
        assert published["history_tokens"] < 1_000
        assert raised["history_tokens"] == pytest.approx(12_000, rel=0.01)
        assert raised["questions"] == 8
        assert found["tokens"] < 1_000, "of the published history"


def test_a_history_that_is_too_long_is_left_out(retrieval: Run, document: Callable[[Result], Any]) -> None:
    found = document(retrieval("--strategies", "bm25", "--lengths", "100", "--json"))
    assert found["results"] == []
    assert found["left_out"] == {"history longer than 100 tokens": 16}
    assert "left out: 16" in retrieval("--strategies", "bm25", "--lengths", "100").stdout


def test_answers_are_judged_offline_and_a_sheet_is_left_for_a_person(
    retrieval: Run, run: Run, document: Callable[[Result], Any], tmp_path: Path
) -> None:
    out = tmp_path / "answers"
    found = document(
        retrieval(
            "--strategies", "bm25", "--answerer", "none", "--judge", "none", "--out", out, "--json", name="answer"
        )
    )
    (row,) = found["results"]
    assert (found["task"], found["answerer"], found["judge"]) == ("answering", "quoting the context", "fixed rules")
    assert row["judged"] == 16
    assert row["accuracy"] == 1.0, "the sentence of the context holds the room"
    assert row["accuracy_with_evidence"]["questions"] == 16
    with (out / "review.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 12
    assert {each["judge"] for each in rows} == {"right"}
    sheet = tmp_path / "sheet.csv"
    assert document(run("eval", "review", out / "run.json", "--csv", sheet, "--json"))["rows"] == 12
    assert sheet.read_bytes() == (out / "review.csv").read_bytes()


def test_the_tables_of_answers_tell_them_apart_by_their_evidence(retrieval: Run) -> None:
    result = retrieval("--strategies", "bm25,window@60", name="answer")
    assert "| strategy | budget |  n |    accuracy (95 %) |" in result.stdout
    assert "Accuracy where all the evidence is in the context, and where it is not:" in result.stdout
    assert [line for line in result.stdout.splitlines() if len(line) > 80] == []


@pytest.fixture
def runs(retrieval: Run, tmp_path: Path) -> tuple[Path, Path]:
    """Two documents over the same data."""
    for strategy in ("bm25", "window"):
        assert retrieval("--strategies", strategy, "--out", tmp_path / strategy).exit_code == 0
    return tmp_path / "bm25" / "run.json", tmp_path / "window" / "run.json"


def test_runs_over_the_same_data_are_merged_and_tested(
    run: Run, runs: tuple[Path, Path], document: Callable[[Result], Any], tmp_path: Path
) -> None:
    merged = document(run("eval", "report", *runs, "--merge", "--json"))
    assert [row["strategy"] for row in merged["results"]] == ["bm25", "window"]
    assert [(pair["a"], pair["b"], pair["only_a"], pair["only_b"]) for pair in merged["pairs"]] == [
        ("bm25", "window", 16, 0)
    ]
    page, card = tmp_path / "all.html", tmp_path / "all.md"
    assert run("eval", "report", *runs, "--html", page, "--card", card).exit_code == 0
    assert page.read_text("utf-8").count("window") > 1
    assert "bm25" in card.read_text("utf-8")
    twice = run("eval", "report", runs[0], runs[0], "--merge")
    assert twice.exit_code == 2
    assert "more than one of the runs" in twice.stderr


def test_a_report_shows_the_tables_again(run: Run, runs: tuple[Path, Path]) -> None:
    assert "| bm25     |    120 | 16 |" in run("eval", "report", runs[0]).stdout


def test_pairs_of_one_run_and_of_two(run: Run, retrieval: Run, runs: tuple[Path, Path], tmp_path: Path) -> None:
    retrieval("--strategies", "bm25,window", "--out", tmp_path / "both")
    shown = run("eval", "pairs", tmp_path / "both" / "run.json").stdout
    assert "bm25 / window @120: all evidence alone 16 / 0 of 16, p = 3.1e-05" in shown, "2 / 2**16"
    between = run("eval", "pairs", tmp_path / "both" / "run.json", runs[0]).stdout
    assert "bm25 (1) / bm25 (2) @120: all evidence alone 0 / 0 of 16, p = 1.000" in between
    assert "window" not in between


def test_pairs_of_a_run_with_one_strategy_are_none(run: Run, runs: tuple[Path, Path]) -> None:
    result = run("eval", "pairs", runs[0])
    assert (result.exit_code, result.stdout) == (0, "")
    assert "nothing to compare" in result.stderr


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"results": []}'])
def test_what_is_no_document_is_refused(run: Run, tmp_path: Path, text: str) -> None:
    file = tmp_path / "x.json"
    file.write_text(text, "utf-8")
    result = run("eval", "report", file)
    assert result.exit_code == 2
    assert "x.json" in result.stderr


def test_a_check_fails_where_another_strategy_is_better(run: Run, retrieval: Run, tmp_path: Path) -> None:
    retrieval("--strategies", "bm25,window@90", "--out", tmp_path / "both")
    file = tmp_path / "both" / "run.json"
    assert run("eval", "check", file, "--strategy", "bm25", "--least", "1.0").exit_code == 0
    worse = run("eval", "check", file, "--strategy", "window")
    assert worse.exit_code == 0, "what sends more is no rival"
    text = json.loads(file.read_text("utf-8"))
    for row in text["results"]:
        row["budget"] = 90
    file.write_text(json.dumps(text), "utf-8")
    worse = run("eval", "check", file, "--strategy", "window")
    assert worse.exit_code == 1
    assert "window @90 0.0 %: less than bm25 @90 100.0 %" in worse.stdout
    assert run("eval", "check", file).exit_code == 2, "evidence was not run"


def test_a_check_fails_below_the_least(run: Run, runs: tuple[Path, Path]) -> None:
    assert run("eval", "check", runs[1], "--strategy", "window", "--least", "0.5").exit_code == 1


def test_an_ablation_shows_the_gain_of_each_stage(
    retrieval: Run, document: Callable[[Result], Any], tmp_path: Path
) -> None:
    found = document(retrieval("--other-embedder", "hash:64", "--limit", "6", "--json", name="ablation"))
    steps = found["steps"]
    assert [steps[0]["step"], steps[-1]["step"]] == ["words", "model"]
    assert {each["questions"] for each in steps} == {6}
    for before, after in zip(steps, steps[1:], strict=False):
        assert after["gain"] == pytest.approx(after["all_evidence"] - before["all_evidence"])
    journal = tmp_path / "ablation.jsonl"
    shown = retrieval("--limit", "6", "--journal", journal, name="ablation").stdout
    assert "| key text: words " in shown
    assert "One question of 6" in shown
    assert [line for line in shown.splitlines() if len(line) > 80] == []
    assert retrieval("--limit", "6", "--journal", journal, "--resume", name="ablation").stdout == shown
    assert retrieval("--budget", "100,200", name="ablation").exit_code == 2


def test_habits_are_three_figures_without_words(filled: Run, document: Callable[[Result], Any]) -> None:
    found = document(filled("eval", "habits", "--json"))
    assert found["questions"] == 2
    assert sum(found["sources"].values()) == pytest.approx(1.0)
    shown = filled("eval", "habits").stdout
    assert "Prompt by source:" in shown
    assert "Doubles among the first 10:" in shown
    assert "name a file: 0" in shown
    assert "spare" not in shown


def test_habits_take_questions_from_a_file(filled: Run, document: Callable[[Result], Any], tmp_path: Path) -> None:
    file = tmp_path / "questions.txt"
    file.write_text("Who has my spare key?\n\nWhere is the ukulele?\n文玲的烏克麗麗在哪裡？\n", "utf-8")
    found = document(filled("eval", "habits", "--questions", file, "--budget", "300", "--json"))
    assert found["questions"] == 3
    assert 0 < found["tokens_mean"] <= 300


def test_habits_of_nobody_are_refused(run: Run) -> None:
    result = run("eval", "habits")
    assert result.exit_code == 2
    assert "'me'" in result.stderr
