from __future__ import annotations

import json
from typing import Any

import pytest
from rich.cells import cell_len


@pytest.fixture
def filled(run: Any) -> Any:
    for number in range(6):
        turn = [
            {"role": "user", "content": "Who has the spare key?"},
            {"role": "user", "content": "The spare key is with Mrs. Chou."},
        ]
        assert run("add", "--messages-json", "--session", f"s{number}", stdin=json.dumps(turn)).exit_code == 0
    return run


def test_each_figure_says_what_it_means_in_eighty_columns(filled: Any) -> None:
    shown = filled("health")
    assert shown.exit_code == 0
    assert max(map(cell_len, shown.stdout.splitlines())) <= 80
    words = " ".join(shown.stdout.split())
    for part in ("prompt by source", "duplicates", "index lag", "last verify never", "-> everyword verify"):
        assert part in words


def test_the_same_figures_are_a_document(filled: Any) -> None:
    assert filled("index").exit_code == filled("verify").exit_code == 0
    found = json.loads(filled("health", "--json").stdout)
    figures = {figure["name"]: figure for figure in found["figures"]}
    assert not found["ok"], "the key was told six times"
    assert figures["duplicates"]["value"] > 0.5
    assert "forget" in figures["duplicates"]["remedy"]
    assert figures["index lag"]["remedy"] is figures["last verify"]["remedy"] is None
    assert figures["prompt by source"]["value"].keys() == {"evidence", "question"}
    assert found["questions"] == 6


def test_a_memory_of_nobody_has_nothing_to_tell(run: Any) -> None:
    shown = run("health", "--user", "nobody")
    assert shown.exit_code == 0
    assert "nothing yet" in shown.stdout
