from __future__ import annotations

from collections.abc import Callable
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
