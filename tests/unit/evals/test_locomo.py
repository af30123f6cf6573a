from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from everyword.evals.dataset import Case, Dataset
from everyword.evals.locomo import load


def turn(dia_id: str, speaker: str, text: str, **more: Any) -> dict[str, Any]:
    return {"dia_id": dia_id, "speaker": speaker, "text": text, **more}


CONVERSATION = {
    "speaker_a": "Ana",
    "speaker_b": "Ben",
    "session_10": [turn("D10:1", "Ben", "Bye.")],
    "session_10_date_time": "9:05 am on 1 June, 2023",
    "session_2": [turn("D2:1", "Ben", "A new coin!", img_url=["x"], blip_caption="a photo of a coin")],
    "session_2_date_time": "some time",
    "session_1": [turn("D1:1", "Ana", "I have 37 coins."), turn("D1:2", "Ben", "Fine.")],
    "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_3_date_time": "1:56 pm on 9 May, 2023",
}
QA: list[dict[str, Any]] = [
    {"question": "How many coins?", "answer": 38, "evidence": ["D1:1; D2:1"], "category": 1},
    {"question": "When?", "answer": "May", "evidence": ["D1:1", "D:11:26", "D30:05"], "category": 2},
    {"question": "Why?", "answer": "?", "evidence": [], "category": 3},
    {"question": "Who left?", "answer": "Ben", "evidence": ["D10:1", "D10:1"], "category": 4},
    {"question": "Which cat?", "adversarial_answer": "none", "evidence": ["D1:1"], "category": 5},
    {"question": "What?", "answer": 1, "evidence": ["D99:1"], "category": 4},
]


@pytest.fixture
def loaded(tmp_path: Path) -> tuple[Dataset, Case]:
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([{"sample_id": "conv-1", "conversation": CONVERSATION, "qa": QA}]), "utf-8")
    found = load(path)
    (case,) = list(found.cases)
    return found, case


def test_sessions_are_in_the_order_of_their_numbers(loaded: tuple[Dataset, Case]) -> None:
    _, case = loaded
    assert [said.session for said in case.messages] == ["session-1", "session-1", "session-2", "session-10"]
    assert case.name == "conv-1"


def test_a_message_has_its_speaker_its_picture_and_the_time_of_its_session(loaded: tuple[Dataset, Case]) -> None:
    first, _, picture, last = loaded[1].messages
    assert (first.author, first.role, first.created_at) == ("Ana", "user", "2023-05-08T13:56:00+00:00")
    assert picture.text == "A new coin! [image: a photo of a coin]"
    assert picture.created_at is None
    assert last.created_at == "2023-06-01T09:05:00+00:00"


def test_evidence_is_places_of_messages_also_where_ids_share_a_string(loaded: tuple[Dataset, Case]) -> None:
    kinds = [(question.text, question.kind, set(question.evidence)) for question in loaded[1].questions]
    assert kinds == [
        ("How many coins?", "multi-hop", {0, 2}),
        ("When?", "temporal", {0}),
        ("Who left?", "single-hop", {3}),
    ]


def test_what_is_left_out_is_counted(loaded: tuple[Dataset, Case]) -> None:
    assert loaded[0].left_out == {
        "no answer in the conversation": 1,
        "no evidence that resolves": 2,
        "evidence id that does not resolve": 3,
    }
