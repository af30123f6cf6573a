from __future__ import annotations

import json
from collections.abc import Callable

from everyword.evals.outcome import Outcome


def test_an_outcome_comes_back_from_json_as_it_was(outcome: Callable[..., Outcome]) -> None:
    first = outcome(labels=("language:en",), roles=("assistant", "user"), ranked={"turn rr": 0.5}, miss="not packed")
    assert Outcome.from_record(json.loads(json.dumps(first.record()))) == first


def test_only_all_of_the_evidence_is_complete(outcome: Callable[..., Outcome]) -> None:
    assert [outcome(share=share).complete for share in (1.0, 0.5, 0.0, None)] == [True, False, False, False]
