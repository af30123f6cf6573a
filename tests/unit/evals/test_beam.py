from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everyword.errors import InvalidInputError
from everyword.evals.beam import load, unmarked
from everyword.evals.dataset import Case, Dataset


def said(role: str, number: int, content: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "id": number, "content": content, **more}


CHAT: list[dict[str, Any]] = [
    {
        "batch_number": 1,
        "time_anchor": None,
        "turns": [
            [
                said("user", 700, "I have 37 coins. ->-> 1,1", time_anchor="March-15-2024", index="1,1"),
                said("assistant", 701, "Fine.\n"),
            ],
            [said("user", 702, "Is x -> y? ->-> 1,N/A"), said("assistant", 703, "Yes. ->->  1,2")],
        ],
    },
    {
        "batch_number": 2,
        "time_anchor": None,
        "turns": [[said("user", 704, "One more coin. ->-> 2,14)", time_anchor="April-05-2024")]],
    },
]
QUESTIONS: dict[str, list[dict[str, Any]]] = {
    "abstention": [
        {
            "question": "Which cat?",
            "ideal_response": "Nothing is said of a cat.",
            "rubric": ["Says so"],
            "source_chat_ids": [700],
        }
    ],
    "knowledge_update": [
        {
            "question": "How many coins?",
            "answer": "38",
            "source_chat_ids": {"original_info": [700], "updated_info": ["704", 700]},
            "rubric": ["States: 38", "Not: 37"],
        }
    ],
    "summarization": [
        {"question": "Sum it up.", "ideal_summary": "Coins.", "source_chat_ids": [[702], [999]], "rubric": ["Coins"]},
        {"question": "And shorter.", "ideal_summary": "Coins.", "source_chat_ids": ["chat_id: 700"], "rubric": []},
    ],
    "preference_following": [{"question": "Which?", "expected_compliance": "Gold.", "source_chat_ids": None}],
}


def written(folder: Path, chat: Any = CHAT, questions: Any = QUESTIONS) -> Path:
    folder.mkdir(parents=True)
    (folder / "chat.json").write_text(json.dumps(chat), "utf-8")
    (folder / "probing_questions.json").write_text(json.dumps(questions), "utf-8")
    return folder


@pytest.fixture
def loaded(tmp_path: Path) -> tuple[Dataset, Case]:
    found = load(written(tmp_path / "7"))
    (case,) = list(found.cases)
    return found, case


def test_marks_of_the_generator_are_taken_off_and_nothing_else(loaded: tuple[Dataset, Case]) -> None:
    assert [each.text for each in loaded[1].messages] == [
        "I have 37 coins.", "Fine.\n", "Is x -> y?", "Yes.", "One more coin.",
    ]  # fmt: skip


@given(st.text(), st.integers(0, 99), st.integers(0, 99) | st.just("N/A"), st.sampled_from(["", ")"]))
def test_a_mark_is_taken_off_whatever_stands_before_it(text: str, batch: int, turn: int | str, end: str) -> None:
    assert unmarked(f"{text} ->-> {batch},{turn}{end}") == text.rstrip()
    assert text.startswith(unmarked(text))


def test_a_batch_is_a_session_with_the_time_of_its_anchor(loaded: tuple[Dataset, Case]) -> None:
    case = loaded[1]
    assert case.name == "7"
    assert [each.session for each in case.messages] == ["session-1"] * 4 + ["session-2"]
    assert [each.created_at for each in case.messages] == ["2024-03-15T00:00:00+00:00"] * 4 + [
        "2024-04-05T00:00:00+00:00"
    ]
    assert [each.role for each in case.messages] == ["user", "assistant", "user", "assistant", "user"]


def test_evidence_is_read_from_lists_and_from_dicts_of_lists(loaded: tuple[Dataset, Case]) -> None:
    found = [(each.name, each.kind, set(each.evidence), set(each.sessions)) for each in loaded[1].questions]
    assert found == [
        ("abstention-1", "abstention", set(), set()),
        ("knowledge_update-1", "knowledge_update", {0, 4}, {"session-1", "session-2"}),
        ("summarization-1", "summarization", {2}, {"session-1"}),
        ("summarization-2", "summarization", set(), set()),
        ("preference_following-1", "preference_following", set(), set()),
    ]
    assert loaded[0].left_out == {
        "evidence id that does not resolve": 2,
        "question without evidence that resolves": 2,
    }


def test_answers_and_rubrics_have_the_name_that_each_ability_gives_them(loaded: tuple[Dataset, Case]) -> None:
    assert [(each.answer, each.rubric, each.answerable) for each in loaded[1].questions] == [
        ("Nothing is said of a cat.", ("Says so",), False),
        ("38", ("States: 38", "Not: 37"), True),
        ("Coins.", ("Coins",), True),
        ("Coins.", (), True),
        ("Gold.", (), True),
    ]


def test_a_folder_of_conversations_is_read_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for number in ("10", "2"):
        written(tmp_path / "100K" / number)
    nested = written(tmp_path / "100K" / "1")
    (nested / "probing_questions").mkdir()
    (nested / "probing_questions.json").rename(nested / "probing_questions" / "probing_questions.json")
    packed = nested / "chat.json.gz"
    packed.write_bytes(gzip.compress((nested / "chat.json").read_bytes()))
    (nested / "chat.json").unlink()
    cases = list(load(tmp_path).cases)
    assert [case.name for case in cases] == ["100K/1", "100K/2", "100K/10"]
    assert cases[0].messages == cases[1].messages


def test_a_long_chat_keeps_its_batches_under_its_plans_whose_ids_repeat(tmp_path: Path) -> None:
    folder = written(tmp_path / "1", [{"plan-1": CHAT, "plan-2": None}, {"plan-1": None, "plan-2": CHAT[1:]}])
    (folder / "plan-0").mkdir()
    (folder / "plan-0" / "chat.json").write_text(json.dumps(CHAT), "utf-8")
    found = load(tmp_path)
    (case,) = found.cases
    assert [each.session for each in case.messages] == ["session-1"] * 4 + ["session-2", "session-3"]
    assert case.questions[1].evidence == {0}
    assert found.left_out["evidence id that several messages share"] == 1


def test_what_is_stored_tells_no_id(loaded: tuple[Dataset, Case], tmp_path: Path) -> None:
    stored = "\n".join(f"{each.session} {each.author} {each.text}" for each in loaded[1].messages)
    assert not any(secret in stored for secret in ("700", "702", "->->", "1,1", "main_question"))
    others = json.loads(json.dumps(CHAT).replace('"id": 70', '"id": 90'))
    (other,) = load(written(tmp_path / "other", others)).cases
    assert other.messages == loaded[1].messages, "other ids, the same messages"


@pytest.mark.parametrize(
    ("chat", "questions"),
    [
        ({}, QUESTIONS),
        ([{"turns": [[{"id": 1}]]}], QUESTIONS),
        ([7], QUESTIONS),
        (CHAT, []),
        (CHAT, {"abstention": [{}]}),
    ],
)
def test_another_layout_is_refused_with_the_path_of_the_file(tmp_path: Path, chat: Any, questions: Any) -> None:
    named = "probing_questions.json" if chat is CHAT else "chat.json"
    with pytest.raises(InvalidInputError, match=f"{named} has another layout"):
        list(load(written(tmp_path / "1", chat, questions)).cases)


def numbers(value: Any) -> Iterator[int]:
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from numbers(each)
    elif value is not None:
        yield value


def test_the_development_folders_have_the_messages_that_questions_name(data_folder: Path) -> None:
    found = load(data_folder / "beam")
    cases = list(found.cases)
    assert [case.name for case in cases] == list("12345678")
    for case in cases:
        chat = (data_folder / "beam" / case.name / "chat.json").read_text("utf-8")
        questions = json.loads((data_folder / "beam" / case.name / "probing_questions.json").read_text("utf-8"))
        assert len(case.messages) == chat.count('"role": ')
        assert len({question.kind for question in case.questions}) == 10
        for question in case.questions:
            ability, number = question.name.rsplit("-", 1)
            named = set(numbers(questions[ability][int(number) - 1].get("source_chat_ids")))
            assert question.evidence == named, "ids of these chats count messages from 0"
    assert sum(len(question.evidence) for case in cases for question in case.questions) == 448
    assert sum(not question.answerable for case in cases for question in case.questions) == 16
    assert not any("->->" in each.text for case in cases for each in case.messages)
    assert found.left_out == {}
