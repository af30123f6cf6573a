from __future__ import annotations

from pathlib import Path

import pytest

from everyword.claims.pointers import pointers, resolved


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The plan is at https://example.org/plan?x=1.", ["https://example.org/plan?x=1"]),
        ("報告在 https://example.org/報告，請看。", ["https://example.org/報告"]),
        ("My notes are in ~/notes/today.md.", ["~/notes/today.md"]),
        ("My notes are in docs/howto/claims.md and /etc/hosts", ["docs/howto/claims.md", "/etc/hosts"]),
        (r"See C:\work\plan.txt please", [r"C:\work\plan.txt"]),
        ("See `plan.txt` please", ["plan.txt"]),
        ("I like tea and/or coffee.", []),
        ("My rent is 850 euros.", []),
    ],
)
def test_a_text_points_to_addresses_and_files(text: str, expected: list[str]) -> None:
    assert pointers(text) == expected


def test_files_are_read_and_addresses_are_not_looked_up(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "here.md").write_text("Hello", encoding="utf-8")
    found = resolved(["a/here.md", "a/gone.md", "https://example.org/x"], None, tmp_path)
    assert [(each.status, each.content) for each in found] == [
        ("POINTER_OK", "Hello"),
        ("POINTER_DEAD", None),
        ("POINTER_UNCHECKED", None),
    ]


def test_a_resolver_is_asked_about_all() -> None:
    found = resolved(["https://example.org/x", "https://example.org/y"], {"https://example.org/x": "Hi"}.get)
    assert [(each.status, each.content) for each in found] == [("POINTER_OK", "Hi"), ("POINTER_DEAD", None)]
