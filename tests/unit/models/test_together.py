from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt
import pytest

from everyword.models.together import MOST_CALLS, Together

Rows = npt.NDArray[np.float32]


class Slow:
    """Counts its runs; the first waits until it is told to go on."""

    def __init__(self) -> None:
        self.runs: list[list[str]] = []
        self.has_begun, self.may_end = threading.Event(), threading.Event()

    def __call__(self, texts: Sequence[str]) -> Rows:
        self.runs.append(list(texts))
        self.has_begun.set()
        assert self.may_end.wait(30)
        if "bad" in texts:
            raise ValueError("bad")
        return np.array([[float(text)] for text in texts], np.float32).reshape(len(texts), 1)


def waiting(together: Together[Rows], count: int) -> None:
    """Return when so many calls wait."""
    while len(together._waiting) < count:  # pyright: ignore[reportPrivateUsage] - nothing else tells that a thread waits
        threading.Event().wait(0.005)


def test_calls_that_wait_share_the_next_run_and_each_gets_its_own_rows() -> None:
    slow = Slow()
    together = Together(slow)
    with ThreadPoolExecutor(16) as pool:
        first = pool.submit(together, ["0"])
        assert slow.has_begun.wait(30)
        others = [pool.submit(together, [str(n), str(n + 100)]) for n in range(1, 9)]
        waiting(together, len(others))
        slow.may_end.set()
        assert first.result(30).tolist() == [[0.0]]
        for n, other in enumerate(others, 1):
            assert other.result(30).tolist() == [[float(n)], [float(n + 100)]]
    assert [len(run) for run in slow.runs] == [1, 16]


def test_a_run_has_an_end_however_many_wait() -> None:
    slow = Slow()
    together = Together(slow)
    with ThreadPoolExecutor(MOST_CALLS * 3) as pool:
        first = pool.submit(together, ["0"])
        assert slow.has_begun.wait(30)
        others = [pool.submit(together, [str(n)]) for n in range(MOST_CALLS * 2)]
        waiting(together, len(others))
        slow.may_end.set()
        assert [other.result(30).tolist() for other in others] == [[[float(n)]] for n in range(MOST_CALLS * 2)]
        first.result(30)
    assert [len(run) for run in slow.runs] == [1, MOST_CALLS, MOST_CALLS]


def test_who_came_first_is_in_the_next_run_and_nobody_waits_for_ever() -> None:
    slow = Slow()
    together = Together(slow)
    with ThreadPoolExecutor(MOST_CALLS * 2) as pool:
        calls = [pool.submit(together, ["-1"])]
        assert slow.has_begun.wait(30)
        for n in range(MOST_CALLS + 4):
            calls.append(pool.submit(together, [str(n)]))
            waiting(together, n + 1)
        slow.may_end.set()
        for call in calls:
            call.result(30)
    assert {str(n) for n in range(MOST_CALLS - 1)} <= set(slow.runs[1])


def test_a_text_that_fails_fails_its_caller_alone() -> None:
    slow = Slow()
    together = Together(slow)
    with ThreadPoolExecutor(8) as pool:
        first = pool.submit(together, ["0"])
        assert slow.has_begun.wait(30)
        good, bad = pool.submit(together, ["7"]), pool.submit(together, ["bad"])
        waiting(together, 2)
        slow.may_end.set()
        assert good.result(30).tolist() == [[7.0]]
        with pytest.raises(ValueError, match="bad"):
            bad.result(30)
        first.result(30)
    assert together(["3"]).tolist() == [[3.0]]


def test_no_text_gives_no_row() -> None:
    slow = Slow()
    slow.may_end.set()
    assert Together(slow)([]).shape == (0, 1)


def test_other_work_lets_those_who_wait_pass_but_not_for_ever() -> None:
    slow = Slow()
    together = Together(slow)
    together.let_pass(30)
    with ThreadPoolExecutor(2) as pool:
        asked = pool.submit(together, ["1"])
        assert slow.has_begun.wait(30)
        assert together.is_busy
        together.let_pass(0.01)
        assert not asked.done()
        passing = pool.submit(together.let_pass, 30)
        slow.may_end.set()
        passing.result(30)
        assert asked.result(30).tolist() == [[1.0]]
    assert not together.is_busy


def test_many_batches_of_other_work_wait_no_longer_than_one() -> None:
    slow = Slow()
    together = Together(slow, patience_s=0.1)
    with ThreadPoolExecutor(2) as pool:
        asked = pool.submit(together, ["1"])
        assert slow.has_begun.wait(30)
        done = pool.submit(list, together.between(range(1000)))
        assert done.result(30) == list(range(1000))
        slow.may_end.set()
        asked.result(30)


def test_batches_of_other_work_are_one_at_a_time() -> None:
    together = Together(Slow())
    inside, most = 0, list[int]()

    def work(batches: Sequence[int]) -> int:
        nonlocal inside
        done = 0
        for batch in together.between(batches):
            inside += 1
            most.append(inside)
            threading.Event().wait(0.001)
            inside -= 1
            done += batch
        return done

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, [[1, 2, 3]] * 8)) == [6] * 8
    assert set(most) == {1}


def test_other_work_that_fails_in_the_middle_lets_the_next_go_on() -> None:
    together = Together(Slow())

    def fail() -> None:
        for batch in together.between([1, 2]):
            raise ValueError(batch)

    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(ValueError, match="1"):
            pool.submit(fail).result(30)
        assert pool.submit(lambda: list(together.between([5]))).result(30) == [5]


def test_while_other_work_runs_more_of_it_had_better_wait() -> None:
    together = Together(Slow())
    for _ in together.between([1, 2]):
        assert together.is_busy
    assert not together.is_busy


def test_work_of_many_batches_does_not_keep_other_work_from_its_first() -> None:
    together = Together(Slow())
    done: list[str] = []
    begun = threading.Event()

    def work(name: str, batches: int) -> None:
        for batch in together.between(range(batches)):
            begun.set()
            threading.Event().wait(0.01)
            done.append(f"{name}{batch}")

    with ThreadPoolExecutor(2) as pool:
        long = pool.submit(work, "long", 20)
        assert begun.wait(30)
        pool.submit(work, "short", 3).result(30)
        long.result(30)
    assert done.index("short2") < 12
