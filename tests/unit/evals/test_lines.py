from __future__ import annotations

import threading
import time

import pytest

from everyword.evals import lines


@pytest.mark.parametrize("count", [1, 2, 5])
def test_results_come_in_the_order_of_the_things(count: int) -> None:
    def slow(number: int) -> int:
        time.sleep(0.001 * (number % 3))
        return number * number

    with lines.opened(count, threading.Event()) as work:
        assert list(work(slow, range(20))) == [number * number for number in range(20)]


def test_only_as_many_are_taken_as_are_worked_on() -> None:
    taken: list[int] = []

    def given() -> object:
        for number in range(100):
            taken.append(number)
            yield number

    with lines.opened(2, threading.Event()) as work:
        results = work(lambda number: number, given())
        assert next(results) == 0
        assert len(taken) <= 4


def test_an_error_stops_the_other_lines() -> None:
    stopped = threading.Event()
    with pytest.raises(ZeroDivisionError):
        with lines.opened(2, stopped) as work:
            list(work(lambda number: 1 / number, [1, 0, 2]))
    assert stopped.is_set()
