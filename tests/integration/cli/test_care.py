from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

Run = Callable[..., Result]
Document = Callable[[Result], Any]


def _database(home: Path) -> Path:
    return home / "users" / "me.db"


def test_stats_count_messages_and_vectors(filled: Run, document: Document) -> None:
    counts = document(filled("stats", "--json"))
    assert (counts["messages"], counts["passages"], counts["vectors"], counts["pending_passages"]) == (3, 3, 3, 0)
    assert "messages          3\n" in filled("stats").stdout


def test_a_sound_memory_is_verified(filled: Run, document: Document) -> None:
    assert filled("verify").stdout == "ok: 3 messages, 3 passages, 3 vectors\n"
    assert document(filled("verify", "--json"))["ok"] is True


def test_a_changed_word_is_found_by_the_check(filled: Run, home: Path) -> None:
    with sqlite3.connect(_database(home)) as connection:
        connection.execute("UPDATE message SET text = CAST(x'00' || 'My spare key is gone.' AS BLOB) WHERE seq = 1")
    connection.close()
    found = filled("verify")
    assert found.exit_code == 1
    assert found.stdout
    assert "problems" in found.stderr


def test_a_rebuild_repairs_what_is_derived(filled: Run, home: Path) -> None:
    with sqlite3.connect(_database(home)) as connection:
        connection.execute("DELETE FROM vector")
    connection.close()
    assert filled("verify").exit_code == 1
    assert filled("rebuild").stdout == "Rebuilt 3 passages of 3 messages, 3 with vectors.\n"
    assert filled("verify").exit_code == 0
    assert "Mrs. Chou" in filled("search", "key").stdout


def test_users_are_listed(filled: Run, document: Document) -> None:
    filled("add", "Hello", "--user", "佩芬")
    assert filled("users").stdout.splitlines() == ["me", "佩芬"]
    assert document(filled("users", "--json")) == {"users": ["me", "佩芬"]}


def test_settings_tell_where_each_comes_from(run: Run, home: Path, document: Document) -> None:
    home.mkdir()
    (home / "settings.toml").write_text("budget = 900\n")
    found = document(run("settings", "--json"))
    assert found["home"] == str(home)
    assert found["settings"]["budget"] == {"value": 900, "source": str(home / "settings.toml")}
    assert found["settings"]["embedder"] == {"value": "hash", "source": "EVERYWORD_EMBEDDER"}
    assert found["settings"]["strategy"]["source"] == "default"
    assert "EVERYWORD_EMBEDDER" in run("settings").stdout


@pytest.mark.parametrize("text", ["budget = lots", "budgets = 3", "budget = -1"])
def test_settings_that_cannot_be_used_are_refused(run: Run, home: Path, text: str) -> None:
    home.mkdir()
    (home / "settings.toml").write_text(text)
    assert run("settings").exit_code == 2
    assert run("stats").exit_code == 2


def test_another_embedder_takes_over_with_one_command(filled: Run, home: Path, document: Document) -> None:
    filled("add", "Hello", "--user", "other")
    changed = filled("rebuild", "--embedder", "hash:64", EVERYWORD_EMBEDDER=None, EVERYWORD_USER=None)
    assert changed.exit_code == 0
    assert changed.stdout.splitlines() == [
        "hash:64 took over for me: 3 passages have new vectors.",
        "hash:64 took over for other: 1 passages have new vectors.",
    ]
    assert (home / "settings.toml").read_text() == 'embedder = "hash:64"\n'
    counts = document(filled("stats", "--json", EVERYWORD_EMBEDDER=None))
    assert counts["models"] == {"hash:64": "active"}
    assert "Mrs. Chou" in filled("search", "key", EVERYWORD_EMBEDDER=None).stdout


def test_another_embedder_for_one_user_leaves_the_others_for_later(filled: Run, document: Document) -> None:
    filled("add", "Hello", "--user", "other")
    found = document(filled("rebuild", "--embedder", "hash:64", "--json", EVERYWORD_EMBEDDER=None))
    assert found == {"embedder": "hash:64", "indexed": {"me": 3}, "waiting_users": ["other"]}


def test_other_settings_stay_when_the_embedder_changes(run: Run, home: Path) -> None:
    home.mkdir()
    (home / "settings.toml").write_text("# mine\nbudget = 900\nembedder = 'hash'\n")
    assert run("rebuild", "--embedder", "hash:64", EVERYWORD_EMBEDDER=None).exit_code == 0
    assert (home / "settings.toml").read_text() == '# mine\nbudget = 900\nembedder = "hash:64"\n'


def test_an_environment_that_goes_before_the_new_embedder_is_told(filled: Run) -> None:
    assert "EVERYWORD_EMBEDDER" in filled("rebuild", "--embedder", "hash:64").stderr


def test_a_model_that_cannot_be_loaded_changes_no_setting(filled: Run, home: Path, tmp_path: Path) -> None:
    failed = filled("rebuild", "--embedder", f"onnx:{tmp_path / 'no-model'}", EVERYWORD_EMBEDDER=None)
    assert failed.exit_code == 7
    assert not (home / "settings.toml").exists()
    assert "Mrs. Chou" in filled("search", "key").stdout


def test_an_unknown_embedder_changes_no_setting(filled: Run, home: Path) -> None:
    assert filled("rebuild", "--embedder", "magic:8ball").exit_code == 2
    assert not (home / "settings.toml").exists()


def test_a_memory_goes_back_to_words_only(filled: Run) -> None:
    changed = filled("rebuild", "--embedder", "none", EVERYWORD_EMBEDDER=None)
    assert changed.exit_code == 0
    assert "words only" in changed.stdout
    assert "Mrs. Chou" in filled("search", "key", EVERYWORD_EMBEDDER=None).stdout


def test_vectors_without_an_embedder_are_a_model_error(filled: Run) -> None:
    assert filled("index", EVERYWORD_EMBEDDER="none").exit_code == 7
