"""What a server says of itself: its log lines and its metrics."""

from __future__ import annotations

import json
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everyword.server.log_lines import JsonLines
from everyword.server.metrics import Metrics, percentile

SECRET = "the spare key is under the third pot"


def _line(record: logging.LogRecord) -> dict[str, object]:
    return json.loads(JsonLines().format(record))


def test_a_line_is_one_json_object_with_its_fields() -> None:
    record = logging.LogRecord("everyword.server", logging.INFO, "x.py", 1, "request", None, None)
    record.fields = {"status": 200}
    line = _line(record)
    assert (line["event"], line["status"], line["level"]) == ("request", 200, "info")


def test_an_exception_is_logged_without_its_words() -> None:
    try:
        int(SECRET)
    except ValueError as error:
        record = logging.LogRecord(
            "uvicorn.error", logging.ERROR, "x.py", 1, "failed", None, (type(error), error, error.__traceback__)
        )
    line = JsonLines().format(record)
    assert SECRET not in line
    assert json.loads(line)["error"] == "ValueError"
    assert json.loads(line)["at"]


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=300))
def test_the_99th_percentile_is_the_nearest_rank(values: list[int]) -> None:
    ordered = sorted(values)
    least = next(value for value in ordered if sum(each <= value for each in ordered) * 100 >= 99 * len(ordered))
    assert percentile(ordered, 0.99) == least


def test_nothing_has_no_percentile() -> None:
    assert percentile([], 0.99) == 0


def test_the_lag_is_the_sum_of_what_users_wait_for_now() -> None:
    metrics = Metrics()
    metrics.lagging("ana", 5)
    metrics.lagging("ben", 7)
    told = metrics.text({"ana": 2, "ben": 0}.__getitem__).decode()
    assert "everyword_index_lag_passages 2.0" in told
    assert "ana" not in told


@pytest.mark.parametrize("route", ["/v1/memories/{message_id}"])
def test_an_answer_is_counted_under_its_pattern(route: str) -> None:
    metrics = Metrics()
    metrics.answered(route, 200, 0.01)
    assert f'everyword_requests_total{{route="{route}",status="200"}} 1.0' in metrics.text(lambda _: 0).decode()
