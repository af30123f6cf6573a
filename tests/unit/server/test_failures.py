from __future__ import annotations

import inspect
import json

import pytest

from everyword import errors
from everyword.errors import ContextLengthExceeded, DiskFullError, EverywordError, NotFoundError, TooManyRequestsError
from everyword.server import failures

TREE = [each for _, each in inspect.getmembers(errors, inspect.isclass) if issubclass(each, EverywordError)]


def test_no_row_of_the_table_hides_a_later_one() -> None:
    kinds = [kind for kind, _ in failures.STATUS]
    hidden = [late for at, late in enumerate(kinds) if any(issubclass(late, early) for early in kinds[:at])]
    assert hidden == []


@pytest.mark.parametrize("kind", TREE)
def test_every_error_has_a_status_and_only_the_root_is_unexpected(kind: type[EverywordError]) -> None:
    status = failures.status_of(kind("x"))
    assert 400 <= status < 600
    assert (status == 500) == (kind is EverywordError)


def test_a_trouble_of_the_disk_does_not_tell_paths() -> None:
    told = failures.document_of(DiskFullError("/srv/memory/users/ana.db is full"), "r1")
    assert "/srv" not in json.dumps(told)
    assert told["error"]["type"] == "DiskFullError"
    assert "free some space" in told["error"]["message"]


def test_an_error_of_the_caller_is_told_as_it_is() -> None:
    told = failures.document_of(NotFoundError("No message 'x'."), "r1")
    assert told == {"error": {"type": "NotFoundError", "message": "No message 'x'.", "request_id": "r1"}}


def test_a_budget_that_does_not_hold_tells_its_numbers() -> None:
    told = failures.document_of(ContextLengthExceeded("too long", needed=20, budget=5), "r1")
    assert (told["error"]["needed"], told["error"]["budget"]) == (20, 5)


def test_too_many_requests_say_when_to_come_back_in_whole_seconds() -> None:
    assert failures.headers_of(TooManyRequestsError("x", retry_after_s=0.2)) == {"Retry-After": "1"}


def test_answers_hold_lone_surrogates_and_no_numbers_that_json_lacks() -> None:
    said = failures.as_bytes({"a": "\ud800", "b": [float("inf"), {"c": float("nan")}], "d": 1.5})
    assert said == b'{"a": "\\ud800", "b": [null, {"c": null}], "d": 1.5}'
