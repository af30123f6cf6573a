from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from everyword.evals.dataset import Case, Dataset
from everyword.evals.longmemeval import load


def record(question_id: str, **fields: Any) -> dict[str, Any]:
    return {
        "question_id": question_id,
        "question_type": "multi-session",
        "question": "How many coins do I have?",
        "answer": 38,
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_dates": ["2023/05/23 (Tue) 09:00", "2023/05/22 (Mon) 22:45"],
        "haystack_session_ids": ["answer_1b", "noise_7"],
        "answer_session_ids": ["answer_1b"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "One more coin.", "has_answer": True},
                {"role": "assistant", "content": "Fine.", "has_answer": False},
            ],
            [{"role": "user", "content": "I have 37 coins.", "has_answer": True}],
        ],
        **fields,
    }


@pytest.fixture
def loaded(tmp_path: Path) -> tuple[Dataset, list[Case]]:
    no_label = [[{"role": "user", "content": "Hi."}], []]
    records = [
        record("q1"),
        record("q2_abs"),
        record("q3", haystack_sessions=no_label),
        record("q4", question_date=None),
    ]
    path = tmp_path / "longmemeval.json"
    path.write_text(json.dumps(records), "utf-8")
    found = load(path)
    return found, list(found.cases)


def test_sessions_are_in_the_order_of_their_dates(loaded: tuple[Dataset, list[Case]]) -> None:
    messages = loaded[1][0].messages
    assert [said.text for said in messages] == ["I have 37 coins.", "One more coin.", "Fine."]
    assert [said.created_at for said in messages] == [
        "2023-05-22T22:45:00+00:00",
        "2023-05-23T09:00:00+00:00",
        "2023-05-23T09:00:00+00:00",
    ]
    assert [said.role for said in messages] == ["user", "user", "assistant"]


def test_evidence_is_the_turns_that_are_marked(loaded: tuple[Dataset, list[Case]]) -> None:
    (question,) = loaded[1][0].questions
    assert question.evidence == {0, 1}
    assert question.kind == "multi-session"
    assert question.asked_at == "2023-05-30T23:40:00+00:00"
    assert loaded[1][1].questions[0].asked_at is None


def test_no_id_gives_an_answer_away(loaded: tuple[Dataset, list[Case]]) -> None:
    assert not any("answer" in said.session for case in loaded[1] for said in case.messages)
    assert {said.session for said in loaded[1][0].messages} == {"session-1", "session-2"}


def test_questions_without_an_answer_are_left_out_and_counted(loaded: tuple[Dataset, list[Case]]) -> None:
    found, cases = loaded
    assert [case.name for case in cases] == ["q1", "q4"]
    assert found.left_out == {"no answer in the history": 1, "no turn marked has_answer": 1}
