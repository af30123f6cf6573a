from __future__ import annotations

import numpy as np
import pytest

from everyword.retrieval.search import is_faint

SPREAD = np.sin(np.arange(500.0))


@pytest.mark.parametrize("question", ["Did I ever own a parrot?", "我養過鸚鵡嗎？"])
def test_nothing_that_stands_out_is_no_evidence(question: str) -> None:
    assert is_faint(SPREAD, question) is True


@pytest.mark.parametrize("question", ["Did I ever own a parrot?", "我養過鸚鵡嗎？"])
def test_one_passage_far_above_the_others_is_evidence(question: str) -> None:
    assert is_faint(np.append(SPREAD, 8.0), question) is False


def test_passages_without_a_score_do_not_count() -> None:
    assert is_faint(np.append(SPREAD, np.full(10_000, np.nan)), "Where is it?") is True


def test_too_few_passages_cannot_tell() -> None:
    assert is_faint(SPREAD[:50], "Where is it?") is None
    assert is_faint(np.zeros(500), "Where is it?") is None
