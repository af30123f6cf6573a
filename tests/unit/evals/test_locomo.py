from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from everyword.errors import InvalidInputError
from everyword.evals.dataset import Case, Dataset
from everyword.evals.locomo import load


def turn(dia_id: str, speaker: str, text: str, **more: Any) -> dict[str, Any]:
    return {"dia_id": dia_id, "speaker": speaker, "text": text, **more}


CONVERSATION = {
    "speaker_a": "Ana",
    "speaker_b": "Ben",
    "session_10": [turn("D10:1", "Ben", "Bye.")],
    "session_10_date_time": "9:05 am on 1 June, 2023",
    "session_2": [turn("D2:1", "Ben", "A new coin!", img_url=["x"], blip_caption="a photo of a coin", query="krona")],
    "session_2_date_time": "some time",
    "session_1": [turn("D1:1", "Ana", "I have 37 coins."), turn("D1:2", "Ben", "Fine.")],
    "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_3_date_time": "1:56 pm on 9 May, 2023",
}
QA: list[dict[str, Any]] = [
    {"question": "How many coins?", "answer": 38, "evidence": ["D1:1; D2:1"], "category": 1},
    {"question": "When?", "answer": "May", "evidence": ["D1:1", "D:1:2", "D10:01", "D"], "category": 2},
    {"question": "Why?", "answer": "?", "evidence": [], "category": 3},
    {"question": "Who left?", "answer": "Ben", "evidence": ["D10:1", "D10:1"], "category": 4},
    {"question": "Which cat?", "adversarial_answer": "none", "evidence": ["D1:1"], "category": 5},
    {"question": "What?", "answer": 1, "evidence": ["D99:1"], "category": 4},
]


def written(path: Path, sample_id: str = "conv-26") -> Path:
    path.write_text(json.dumps([{"sample_id": sample_id, "conversation": CONVERSATION, "qa": QA}]), "utf-8")
    return path


@pytest.fixture
def loaded(tmp_path: Path) -> tuple[Dataset, Case]:
    found = load(written(tmp_path / "locomo.json"))
    (case,) = list(found.cases)
    return found, case


def corrected(folder: Path, *records: dict[str, Any]) -> tuple[Dataset, Case]:
    path = folder / "corrections.json"
    path.write_text(json.dumps(records), "utf-8")
    found = load(written(folder / "locomo.json"), path)
    (case,) = list(found.cases)
    return found, case


def test_sessions_are_in_the_order_of_their_numbers_and_named_by_their_places(loaded: tuple[Dataset, Case]) -> None:
    _, case = loaded
    assert [said.session for said in case.messages] == ["session-1", "session-1", "session-2", "session-3"]
    assert case.name == "conv-26"


def test_a_message_has_its_speaker_its_picture_and_the_time_of_its_session(loaded: tuple[Dataset, Case]) -> None:
    first, _, picture, last = loaded[1].messages
    assert (first.author, first.role, first.created_at) == ("Ana", "user", "2023-05-08T13:56:00+00:00")
    assert picture.text == "A new coin! [image: a photo of a coin]"
    assert picture.created_at is None
    assert last.created_at == "2023-06-01T09:05:00+00:00"


def test_evidence_is_places_also_where_ids_share_a_string_or_are_misspelt(loaded: tuple[Dataset, Case]) -> None:
    questions = [(each.name, each.kind, set(each.evidence), set(each.sessions)) for each in loaded[1].questions]
    assert questions == [
        ("qa0", "multi-hop", {0, 2}, {"session-1", "session-2"}),
        ("qa1", "temporal", {0, 1, 3}, {"session-1", "session-3"}),
        ("qa2", "open-domain", set(), set()),
        ("qa3", "single-hop", {3}, {"session-3"}),
        ("qa5", "single-hop", set(), set()),
    ]


def test_answers_are_texts_also_where_the_file_has_numbers(loaded: tuple[Dataset, Case]) -> None:
    assert [question.answer for question in loaded[1].questions] == ["38", "May", "?", "Ben", "1"]
    assert all(question.answerable for question in loaded[1].questions)


def test_what_is_left_out_is_counted(loaded: tuple[Dataset, Case]) -> None:
    assert loaded[0].left_out == {
        "question without an answer (category 5)": 1,
        "question without evidence that resolves": 2,
        "evidence id that does not resolve": 2,
    }


def test_a_packed_file_gives_the_same_case(tmp_path: Path, loaded: tuple[Dataset, Case]) -> None:
    packed = tmp_path / "locomo.json.gz"
    packed.write_bytes(gzip.compress((tmp_path / "locomo.json").read_bytes()))
    assert list(load(packed).cases) == [loaded[1]]


def test_what_is_stored_tells_no_id_and_no_annotation(tmp_path: Path, loaded: tuple[Dataset, Case]) -> None:
    stored = "\n".join(f"{said.session} {said.author} {said.text}" for said in loaded[1].messages)
    for secret in ("D1", "D2", "D10", "session_", "session-10", "conv-26", "krona"):
        assert secret not in stored
    text = (tmp_path / "locomo.json").read_text("utf-8")
    for number in ("10", "2", "1"):
        text = text.replace(f"D{number}:", f"D{number}7:").replace(f"session_{number}", f"session_{number}7")
    (tmp_path / "other.json").write_text(text, "utf-8")
    (other,) = load(tmp_path / "other.json").cases
    assert other.messages == loaded[1].messages, "other ids, the same messages"


def test_corrections_of_the_audit_replace_answer_and_evidence(tmp_path: Path) -> None:
    found, case = corrected(
        tmp_path,
        {
            "question_id": "locomo_0_qa0",
            "question": "How many coins?",
            "golden_answer": "38",
            "category": 1,
            "error_type": "TEMPORAL_ERROR",
            "cited_evidence": ["D1:1; D2:1"],
            "correct_evidence": ["D1:1", "D10:1"],
            "reasoning": "…",
            "correct_answer": "37",
        },
        {
            "question_id": "locomo_9_qa0",
            "question": "How many coins?",
            "correct_evidence": [],
            "correct_answer": "of another conversation",
        },
    )
    assert (case.questions[0].answer, case.questions[0].evidence) == ("37", {0, 3})
    assert case.questions[0].sessions == {"session-1", "session-3"}
    assert case.questions[1].answer == "May"
    assert found.left_out["correction applied"] == 1
    assert found.left_out["correction of a question that is not in the data"] == 1
    assert found.name == "locomo-corrected", "figures of the two are never mixed"


def test_corrections_of_ones_own_may_name_one_of_the_two(tmp_path: Path) -> None:
    found, case = corrected(
        tmp_path,
        {"sample_id": "conv-26", "question": "How many coins?", "answer": 37},
        {"sample_id": "conv-26", "question": "Who left?", "evidence": ["D1:2"]},
        {"sample_id": "conv-26", "question": "What?", "evidence": []},
        {"sample_id": "conv-26", "question": "Which cat?", "answer": "a category that is left out"},
    )
    by_name = {question.name: question for question in case.questions}
    assert (by_name["qa0"].answer, by_name["qa0"].evidence) == ("37", {0, 2})
    assert (by_name["qa3"].answer, by_name["qa3"].evidence) == ("Ben", {1})
    assert by_name["qa5"].evidence == frozenset()
    assert found.left_out["correction applied"] == 3
    assert found.left_out["correction of a question that is not in the data"] == 1


def test_corrections_are_read_from_the_folder_of_the_audit(tmp_path: Path) -> None:
    audit = tmp_path / "audit"
    audit.mkdir()
    with pytest.raises(InvalidInputError, match="audit has no errors.json"):
        load(written(tmp_path / "locomo.json"), audit)
    record = {"question": "Who left?", "correct_answer": "Ana", "correct_evidence": ["D1:1"]}
    (audit / "errors_conv_0.json").write_text(json.dumps([{"question_id": "locomo_0_qa3", **record}]), "utf-8")
    (case,) = load(written(tmp_path / "locomo.json"), audit).cases
    assert case.questions[3].answer == "Ana"


@pytest.mark.parametrize(
    "record",
    [
        {"question": "Who left?"},
        {"question_id": "locomo_0_qa3", "question": "Who left?"},
        {"question_id": "qa3", "question": "Who left?", "correct_answer": "", "correct_evidence": []},
        {"question_id": "locomo_10_qa3", "question": "Who left?", "correct_answer": "", "correct_evidence": []},
        {"sample_id": "conv-26", "answer": "no question"},
        "text",
    ],
)
def test_corrections_of_another_layout_are_refused_with_their_path(tmp_path: Path, record: Any) -> None:
    path = tmp_path / "corrections.json"
    path.write_text(json.dumps([record]), "utf-8")
    with pytest.raises(InvalidInputError, match="corrections.json has another layout"):
        load(written(tmp_path / "locomo.json"), path)


def test_the_development_file_has_the_evidence_that_its_text_names(data_folder: Path) -> None:
    path = data_folder / "locomo" / "locomo_dev.json"
    found = load(path)
    cases = list(found.cases)
    wanted = unresolved = 0
    for record in json.loads(path.read_text("utf-8")):
        ids = {turn["dia_id"] for key, turns in record["conversation"].items() if key[-1].isdigit() for turn in turns}
        for asked in record["qa"]:
            if asked["category"] != 5:
                text = " ".join(asked["evidence"]).replace("D:", "D")
                named = {each.replace(":0", ":") for each in re.findall(r"D\d+:\d+", text)}
                wanted += len(named & ids)
                unresolved += len(named - ids) + ("D" in asked["evidence"])
    assert sum(len(question.evidence) for case in cases for question in case.questions) == wanted == 1309
    assert found.left_out == {
        "question without an answer (category 5)": 272,
        "evidence id that does not resolve": unresolved,
        "question without evidence that resolves": 2,
    }
    assert sum(len(case.messages) for case in cases) == 3435
    assert not re.search(r"\bD\d+:\d+", "\n".join(said.text for case in cases for said in case.messages))
