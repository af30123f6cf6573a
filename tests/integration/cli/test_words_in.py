from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

Run = Callable[..., Result]
Document = Callable[[Result], Any]


def test_an_import_tells_what_it_added_and_the_second_adds_nothing(run: Run, history: Path) -> None:
    first, second = run("import", history), run("import", history)
    assert first.stdout == "3 messages added, 0 there already, 0 skipped; 3 passages have new vectors.\n"
    assert second.stdout == "0 messages added, 3 there already, 0 skipped.\n"
    assert (first.exit_code, second.exit_code) == (0, 0)


def test_records_that_cannot_be_taken_are_told_and_the_exit_code_says_so(run: Run, history: Path) -> None:
    history.write_text(history.read_text("utf-8") + "{broken\n", "utf-8")
    part = run("import", history)
    assert part.exit_code == 8
    assert part.stdout.startswith("3 messages added, 0 there already, 1 skipped")
    assert "skipped history.jsonl" in part.stderr


def test_only_the_first_skipped_records_are_told_and_json_has_all(run: Run, history: Path) -> None:
    history.write_text(history.read_text("utf-8") + "{broken\n" * 25, "utf-8")
    told = run("import", history).stderr.splitlines()
    assert len([line for line in told if line.startswith("skipped history")]) == 20
    assert told[-1].startswith("skipped 5 more")
    found = run("import", history, "--json")
    assert found.exit_code == 8
    skipped = json.loads(found.stdout)["skipped"]
    assert len(skipped) == 25
    assert set(skipped[0]) == {"path", "place", "reason"}


@pytest.mark.parametrize("content", ["", "no conversation at all", '{"a": 1}'])
def test_a_file_that_is_no_transcript_is_refused(run: Run, tmp_path: Path, content: str) -> None:
    file = tmp_path / "other.txt"
    file.write_text(content)
    refused = run("import", file)
    assert refused.exit_code == 5
    assert refused.stdout == ""
    assert refused.stderr.startswith("everyword: ")
    assert "Traceback" not in refused.stderr


def test_a_path_that_does_not_exist_is_refused(run: Run, tmp_path: Path) -> None:
    refused = run("import", tmp_path / "nothing.json")
    assert refused.exit_code == 5
    assert "nothing.json" in refused.stderr


def test_an_unknown_format_is_answered_with_the_known_ones(run: Run, history: Path) -> None:
    refused = run("import", history, "--format", "telegram")
    assert refused.exit_code == 5
    assert "chatgpt" in refused.stderr


def test_a_bad_path_does_not_keep_the_others_out(run: Run, history: Path, tmp_path: Path) -> None:
    mixed = run("import", tmp_path / "nothing.json", history, "--json")
    assert mixed.exit_code == 5
    found = json.loads(mixed.stdout)
    assert found["added"] == 3
    assert "error" in found["files"][0]
    assert found["files"][1]["format"] == "jsonl"
    assert json.loads(mixed.stderr)["error"]["type"] == "TranscriptError"


def test_no_index_leaves_the_vectors_for_later(run: Run, history: Path, document: Document) -> None:
    stored = run("import", history, "--no-index")
    assert "everyword index" in stored.stderr
    assert document(run("stats", "--json"))["pending_passages"] == 3
    assert run("index").stdout == "3 passages have new vectors; 3 in all.\n"


def test_a_missing_model_keeps_no_words_out(run: Run, history: Path, tmp_path: Path) -> None:
    stored = run("import", history, EVERYWORD_EMBEDDER=f"onnx:{tmp_path / 'no-model'}")
    assert stored.exit_code == 0
    assert stored.stdout.startswith("3 messages added")
    assert "vectors wait" in stored.stderr
    assert "Mrs. Chou" in run("search", "key").stdout


def test_words_only_is_no_reason_for_a_warning(run: Run, history: Path) -> None:
    stored = run("import", history, EVERYWORD_EMBEDDER="none")
    assert stored.stderr == ""


def test_an_unknown_embedder_is_wrong_input(run: Run, history: Path) -> None:
    assert run("import", history, EVERYWORD_EMBEDDER="magic:8ball").exit_code == 2


def test_a_text_is_added_with_its_speaker_time_and_session(run: Run, document: Document) -> None:
    added = run(
        "add", "The bill was 87,360.", "--role", "assistant", "--session", "s1", "--at", "2026-03-19T09:44:00+08:00"
    )
    assert added.exit_code == 0
    assert added.stdout.startswith("#1 ")
    (hit,) = document(run("search", "bill", "--json"))["results"]
    assert hit["id"] == added.stdout.split()[1]
    assert (hit["role"], hit["session_id"], hit["created_at"]) == ("assistant", "s1", "2026-03-19T09:44:00+08:00")


def test_a_text_comes_from_stdin(run: Run, document: Document) -> None:
    assert run("add", "-", stdin="Words from a pipe.").exit_code == 0
    assert document(run("search", "pipe", "--json"))["results"][0]["text"] == "Words from a pipe."


def test_messages_of_a_program_come_from_stdin(run: Run, document: Document) -> None:
    turn = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "你好"}]
    added = document(run("add", "--messages-json", "--session", "s1", "--json", stdin=json.dumps(turn)))
    assert added["seqs"] == [1, 2]
    assert len(added["message_ids"]) == 2
    assert added["session_id"] == "s1"


@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [
        ((), None),
        (("",), None),
        (("text", "--messages-json"), "[]"),
        (("--messages-json",), "not json"),
        (("--messages-json",), "[]"),
        (("--messages-json",), "3"),
        (("--messages-json",), '[{"role": "wizard", "content": "x"}]'),
        (("text", "--role", "wizard"), None),
        (("text", "--at", "tomorrow"), None),
        (("-",), b"\xff\xfe"),
    ],
)
def test_what_cannot_be_added_is_wrong_input(run: Run, arguments: tuple[str, ...], stdin: str | bytes | None) -> None:
    refused = run("add", *arguments, stdin=stdin)
    assert refused.exit_code == 2, refused.stderr
    assert refused.stdout == ""
    assert run("stats", "--json").exit_code == 0
