from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from typer.testing import Result

Run = Callable[..., Result]
Document = Callable[[Result], Any]


def test_what_the_user_stated_is_listed_with_its_id(filled: Run, document: Document) -> None:
    shown = filled("claims")
    assert "note, " in shown.stdout
    assert "  My spare key is with Mrs. Chou from the tea shop.\n" in shown.stdout
    found = document(filled("claims", "--json"))
    assert [each["text"] for each in found["claims"]] == ["My spare key is with Mrs. Chou from the tea shop."]
    assert found["waiting"] == 0


def test_a_claim_is_remembered_listed_and_corrected(run: Run, document: Document) -> None:
    done = document(run("claims", "--remember", "Answer in French.", "--kind", "procedure", "--json"))
    assert (done["problem"], done["used"]) == (None, 17)
    assert "procedure, " in run("claims", "--kind", "procedure").stdout
    right = run("claims", "--correct", done["claim_id"], "Answer in Dutch.")
    assert right.stdout.startswith("stored as ")
    assert [each["text"] for each in document(run("claims", "--json"))["claims"]] == ["Answer in Dutch."]
    assert len(document(run("claims", "--closed", "--json"))["claims"]) == 2


def test_a_profile_over_its_room_is_stored_and_told(run: Run) -> None:
    shown = run("claims", "--remember", "I prefer " + "x" * 2_100, "--kind", "profile")
    assert shown.exit_code == 0
    assert "Rewrite" in shown.stderr


def test_reading_beforehand_and_a_wrong_kind(filled: Run) -> None:
    assert filled("claims", "--derive").exit_code == 0
    assert filled("claims", "--kind", "rumour").exit_code == 2
    assert filled("claims", "--correct", "nothing", "Right.").exit_code == 3


def test_a_document_is_pointed_to_and_looked_up_from_a_folder(run: Run, document: Document, tmp_path: Path) -> None:
    done = document(run("claims", "--point", "notes/plan.md", "The plan for the door", "--json"))
    found = document(run("claims", "--resolve", done["claim_id"], "--folder", str(tmp_path), "--json"))
    assert found["pointers"] == [{"target": "notes/plan.md", "status": "POINTER_DEAD"}]
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/plan.md").write_text("Green.", encoding="utf-8")
    assert "POINTER_OK" in run("claims", "--resolve", done["claim_id"], "--folder", str(tmp_path)).stdout


def test_what_a_rollback_passed_over_is_read_when_asked_for(run: Run, document: Document) -> None:
    run("claims", "--remember", "I love tea.")
    run("snapshots", "--make", "clean")
    run("claims", "--remember", "I love rice.")
    run("snapshots", "--rollback", "clean")
    run("claims", "--derive")
    assert [each["text"] for each in document(run("claims", "--json"))["claims"]] == ["I love tea."]
    run("claims", "--derive", "--passed-over")
    assert [each["text"] for each in document(run("claims", "--json"))["claims"]] == ["I love tea.", "I love rice."]
