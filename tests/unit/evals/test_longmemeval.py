from __future__ import annotations

import gzip
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
        "haystack_dates": ["2023/05/23 (Tue) 09:00", "2023/05/22 (Mon) 22:45", "2023/05/24 (Wed) 08:00"],
        "haystack_session_ids": ["answer_1b", "noise_7", "answer_2b"],
        "answer_session_ids": ["answer_1b", "answer_2b"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "One more coin.", "has_answer": True},
                {"role": "assistant", "content": "Fine.", "has_answer": False},
            ],
            [{"role": "user", "content": "I have 37 coins.", "has_answer": True}],
            [{"role": "user", "content": "It rained."}],
        ],
        **fields,
    }


@pytest.fixture
def loaded(tmp_path: Path) -> tuple[Dataset, list[Case]]:
    no_label = [[{"role": "user", "content": "Hi."}], [], []]
    records = [
        record("q1"),
        record("q2_abs"),
        record("q3", haystack_sessions=no_label),
        record("q4", question_date=None, question_type="single-session-preference", answer="They prefer gold."),
    ]
    path = tmp_path / "longmemeval.json"
    path.write_text(json.dumps(records), "utf-8")
    found = load(path)
    return found, list(found.cases)


def test_sessions_are_in_the_order_of_their_dates(loaded: tuple[Dataset, list[Case]]) -> None:
    messages = loaded[1][0].messages
    assert [said.text for said in messages] == ["I have 37 coins.", "One more coin.", "Fine.", "It rained."]
    assert [said.created_at for said in messages] == [
        "2023-05-22T22:45:00+00:00",
        "2023-05-23T09:00:00+00:00",
        "2023-05-23T09:00:00+00:00",
        "2023-05-24T08:00:00+00:00",
    ]
    assert [said.role for said in messages] == ["user", "user", "assistant", "user"]


def test_evidence_is_the_turns_that_are_marked_and_the_sessions_that_are_named(
    loaded: tuple[Dataset, list[Case]],
) -> None:
    (question,) = loaded[1][0].questions
    assert question.evidence == {0, 1}
    assert question.sessions == {"session-2", "session-3"}
    assert (question.name, question.kind, question.answer) == ("q1", "multi-session", "38")
    assert question.asked_at == "2023-05-30T23:40:00+00:00"
    assert loaded[1][3].questions[0].asked_at is None


def test_a_question_that_the_history_does_not_answer_needs_nothing(loaded: tuple[Dataset, list[Case]]) -> None:
    (question,) = loaded[1][1].questions
    assert not question.answerable
    assert not question.evidence
    assert not question.sessions


def test_a_question_without_marked_turns_has_its_sessions_and_is_counted(loaded: tuple[Dataset, list[Case]]) -> None:
    (question,) = loaded[1][2].questions
    assert question.answerable
    assert not question.evidence
    assert question.sessions == {"session-2", "session-3"}
    assert loaded[0].left_out == {"question whose evidence is known by its sessions only": 1}


def test_what_a_preference_expects_is_a_rubric(loaded: tuple[Dataset, list[Case]]) -> None:
    assert loaded[1][3].questions[0].rubric == ("They prefer gold.",)
    assert loaded[1][0].questions[0].rubric == ()


def test_no_id_gives_an_answer_away(loaded: tuple[Dataset, list[Case]], tmp_path: Path) -> None:
    stored = "\n".join(f"{said.session} {said.author} {said.text}" for case in loaded[1] for said in case.messages)
    assert not any(secret in stored for secret in ("answer", "noise", "_abs", "q1"))
    assert {said.session for said in loaded[1][0].messages} == {"session-1", "session-2", "session-3"}
    text = (tmp_path / "longmemeval.json").read_text("utf-8")
    (tmp_path / "other.json").write_text(text.replace('"answer_1b"', '"a"').replace('"noise_7"', '"z"'), "utf-8")
    others = load(tmp_path / "other.json").cases
    assert [case.messages for case in others] == [case.messages for case in loaded[1]], "other ids, the same messages"


def test_a_packed_file_gives_the_same_cases(loaded: tuple[Dataset, list[Case]], tmp_path: Path) -> None:
    packed = tmp_path / "longmemeval.json.gz"
    packed.write_bytes(gzip.compress((tmp_path / "longmemeval.json").read_bytes()))
    assert list(load(packed).cases) == loaded[1]


def test_histories_are_read_one_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "longmemeval.json"
    path.write_text(json.dumps([record("q1"), record("q2")])[:-20], "utf-8")
    assert next(load(path).cases).name == "q1", "the end of the file is not read yet"


def test_the_development_file_has_the_turns_and_sessions_that_it_marks(data_folder: Path) -> None:
    path = data_folder / "longmemeval" / "longmemeval_s_dev.json"
    found = load(path)
    cases = list(found.cases)
    text = path.read_text("utf-8")
    assert len(cases) == text.count('"question_id"') == 27
    assert sum(not case.questions[0].answerable for case in cases) == 4
    assert sum(len(case.messages) for case in cases) == text.count('"content"')
    records = [each for each in json.loads(text) if "_abs" not in each["question_id"]]
    marked = [turn for each in records for session in each["haystack_sessions"] for turn in session]
    assert (
        sum(len(case.questions[0].evidence) for case in cases)
        == sum(bool(turn.get("has_answer")) for turn in marked)
        == 58
    )
    assert sum(len(case.questions[0].sessions) for case in cases) == sum(
        len(each["answer_session_ids"]) for each in records
    )
    assert found.left_out == {}
    stored = "\n".join(f"{said.session}\n{said.text}" for case in cases for said in case.messages)
    assert not any(session_id in stored for each in records for session_id in each["answer_session_ids"])
