from __future__ import annotations

import json
from pathlib import Path

import pytest

from everyword.errors import InvalidInputError
from everyword.evals.catalogue import LOADERS, dataset


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data.json"


@pytest.mark.parametrize("name", LOADERS)
@pytest.mark.parametrize(
    "document",
    [
        {},
        [],
        "text",
        ["a", "b"],
        [[1]],
        [None],
        [{"title": "a chat", "mapping": {}}],
        [{"sample_id": 1, "conversation": None, "qa": []}],
        [{"sample_id": 1, "conversation": {"session_1": [{"text": "no id"}]}, "qa": []}],
        [{"sample_id": 1, "conversation": {}, "qa": [{"category": 1, "question": "?", "evidence": 7}]}],
        [{"question_id": "q", "question": "?", "haystack_sessions": [[]], "haystack_dates": []}],
        [{"question_id": "q", "question": "?", "haystack_sessions": [[{"role": "user"}]], "haystack_dates": ["x"]}],
        {"dialogues": [{"session_uuid": "u", "current_time": "x", "dialogue_turns": [{"speaker": "System"}]}]},
        {"dialogues": []},
    ],
)
def test_a_file_of_another_layout_is_refused_with_its_name(file: Path, name: str, document: object) -> None:
    file.write_text(json.dumps(document), "utf-8")
    with pytest.raises(InvalidInputError, match="data.json"):
        list(dataset(name, file).cases)


@pytest.mark.parametrize("name", LOADERS)
def test_a_path_with_nothing_of_the_set_is_refused_with_its_name(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    for path in ("empty", "missing"):
        with pytest.raises(InvalidInputError, match=path):
            list(dataset(name, tmp_path / path).cases)


def test_an_unknown_dataset_is_answered_with_the_known_ones(file: Path) -> None:
    with pytest.raises(InvalidInputError, match="'squad'.*locomo, longmemeval, realmem, beam, lifebench, madial"):
        dataset("squad", file)


def test_every_dataset_is_documented(project: Path) -> None:
    text = (project / "docs" / "reference" / "datasets.md").read_text("utf-8")
    assert [line.split("`")[1] for line in text.splitlines() if line.startswith("| `")] == list(LOADERS)


def test_corrections_are_for_locomo_only(file: Path) -> None:
    with pytest.raises(InvalidInputError, match="no corrections for 'beam'"):
        dataset("beam", file, corrections=file)


def test_corrections_reach_the_loader(tmp_path: Path) -> None:
    data, corrections = tmp_path / "locomo.json", tmp_path / "corrections.json"
    turns = [{"dia_id": "D1:1", "speaker": "Ana", "text": "I have 37 coins."}]
    qa = [{"question": "How many?", "answer": 38, "evidence": ["D1:1"], "category": 4}]
    data.write_text(json.dumps([{"sample_id": "c", "conversation": {"session_1": turns}, "qa": qa}]), "utf-8")
    corrections.write_text(json.dumps([{"sample_id": "c", "question": "How many?", "answer": "37"}]), "utf-8")
    for given, answer in ((None, "38"), (corrections, "37")):
        (case,) = dataset("locomo", data, corrections=given).cases
        assert case.questions[0].answer == answer


@pytest.mark.parametrize(
    ("name", "path", "questions"),
    [
        ("locomo", "locomo/locomo_dev.json", 885),
        ("longmemeval", "longmemeval/longmemeval_s_dev.json", 27),
        ("realmem", "realmem", 728),
        ("beam", "beam", 160),
        ("lifebench", "lifebench", 431),
        ("madial", "madial", 320),
    ],
)
def test_what_holds_for_every_set(data_folder: Path, name: str, path: str, questions: int) -> None:
    found = dataset(name, data_folder / path)
    assert found.name == name
    cases = list(found.cases)
    assert sum(len(case.questions) for case in cases) == questions
    assert len({case.name for case in cases}) == len(cases)
    for case in cases:
        sessions = list(dict.fromkeys(said.session for said in case.messages))
        assert sessions == [f"session-{number}" for number in range(1, len(sessions) + 1)], "named by their places"
        assert all(said.created_at for said in case.messages)
        assert {said.role for said in case.messages} <= {"user", "assistant"}
        assert len({question.name for question in case.questions}) == len(case.questions)
        for question in case.questions:
            known = len(case.messages) if question.known is None else question.known
            assert all(0 <= place < known for place in question.evidence)
            assert {case.messages[place].session for place in question.evidence} <= question.sessions
            assert question.sessions <= {said.session for said in case.messages[:known]}
            assert question.answerable or not (question.evidence or question.sessions)
            assert question.text.strip()
            assert question.kind
            assert question.answer or question.rubric
