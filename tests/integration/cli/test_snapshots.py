"""Snapshots of claims from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from typer.testing import Result

Run = Callable[..., Result]


@pytest.fixture
def stated(run: Run) -> None:
    run("add", "I live in Taichung.", "--user", "ana")
    run("claims", "--user", "ana")


def claims(run: Run) -> list[str]:
    found = json.loads(run("claims", "--user", "ana", "--json").stdout)
    return [each["text"] for each in found["claims"]]


@pytest.mark.usefixtures("stated")
def test_a_rollback_puts_the_claims_back_and_says_what_is_passed_over(run: Run) -> None:
    assert "clean" in run("snapshots", "--make", "clean", "--user", "ana").stdout
    run("add", "I moved to Lisbon.", "--user", "ana")
    assert claims(run) == ["I moved to Lisbon."]
    done = run("snapshots", "--rollback", "clean", "--user", "ana")
    assert "1 later messages are passed over" in done.stderr
    assert claims(run) == ["I live in Taichung."]


@pytest.mark.usefixtures("stated")
def test_a_deleted_snapshot_is_not_listed(run: Run) -> None:
    run("snapshots", "--make", "clean", "--user", "ana")
    assert json.loads(run("snapshots", "--delete", "clean", "--user", "ana", "--json").stdout) == {"snapshots": []}


@pytest.mark.usefixtures("stated")
def test_an_unknown_snapshot_is_an_error_that_names_it(run: Run) -> None:
    done = run("snapshots", "--rollback", "never", "--user", "ana")
    assert done.exit_code != 0
    assert "never" in done.stderr
