from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from everyword.errors import InvalidInputError
from everyword.evals.dataset import Case, Dataset, Said
from everyword.evals.lifebench import load
from everyword.evals.lifebench_records import RECORDS


def turn(user: str, assistant: str) -> dict[str, Any]:
    return {
        "user": {"action": "topic query", "content": user},
        "assistant": {"action": "talk", "reference": "用户信息总结", "content": assistant},
    }


SMS = {
    "type": "sms",
    "event_id": "EV-5",
    "message_content": "明天见。",
    "contactName": "安娜",
    "phoneNumber": "+8613800000000",
}
CALL = {
    "type": "call",
    "event_id": "EV-5",
    "contactName": "安娜",
    "phoneNumber": "+8613800000000",
    "call_result": "接通",
}
FILES: dict[str, list[dict[str, Any]]] = {
    "sms": [
        {**SMS, "datetime": "2025-01-03 09:00:00", "message_type": "接收", "phone_id": 7102},
        {**SMS, "datetime": "2025-01-02 10:00:00", "message_type": "发送", "phone_id": "7101"},
        {**SMS, "datetime": "2025-01-02 10:00:00", "message_type": "发送", "phone_id": "7101"},
        {**SMS, "datetime": "2025-02-09 10:00:00", "message_type": "发送", "phone_id": "7103"},
        {**SMS, "datetime": "someday", "message_type": "发送", "phone_id": "7104"},
    ],
    "call": [
        {
            **CALL,
            "datetime": "2025-01-02 08:30:00",
            "datetime_end": "2025-01-02 08:45:10",
            "direction": 1,
            "phone_id": 7201,
        }
    ],
    "note": [
        {
            "title": "硬币",
            "content": "共37枚",
            "datetime": "2025-01-02 20:00:00",
            "summarized_info": "我记了硬币",
            "phone_id": 7301,
        },
        {"title": "下雨", "content": "带伞", "datetime": "2025-01-02 21:00:00", "phone_id": 7302},
        {"title": "下雨", "content": "不带伞", "datetime": "2025-01-02 22:00:00", "phone_id": 7302},
    ],
    "agent_chat": [
        {
            "event_id": "EV-9",
            "date": "2025-01-02",
            "phone_id": 7401,
            "conversation": {
                "turn 1": turn("我有37枚硬币。", "好的。"),
                "turn 2": {"assistant": {"content": "还有？"}, "content": "漏"},
            },
        },
        {
            "event_id": "EV-8",
            "date": "2025-01-02",
            "phone_id": 7402,
            "conversation": {"turn 1": turn("下雨了。", "带伞。")},
        },
        {"event_id": "EV-7", "date": "2025-01-02", "phone_id": 7403, "conversation": {"turn 1": {"content": "漏"}}},
    ],
}
QUESTIONS: list[dict[str, Any]] = [
    {
        "question": "有多少枚硬币？",
        "answer": "37枚",
        "score_points": [{"description": "答出37枚", "score": 10}],
        "required_events": [{"event_id": "EV-5", "event_name": "数硬币"}],
        "evidence": [
            {"type": "note", "id": "7301"},
            {"type": "sms", "id": 7101},
            {"type": "agent_chat", "id": "7401"},
            {"type": "sms", "id": "7999"},
            {"type": "note", "id": "7302"},
            {"type": "sms", "id": "7103"},
        ],
        "ask_time": "2025-01",
        "question_type": "Multi-hop reasoning",
    },
    {
        "question": "哪一种？",
        "options": [{"option": "A", "content": "金币"}, {"option": "B", "content": "银币"}],
        "answer": "B",
        "evidence": [{"type": "sms", "id": "7103"}],
        "ask_time": "2025-02-09",
        "question_type": "Information Extraction",
    },
    {"question": "有猫吗？", "type": "question_answer", "answer": "无法回答", "ask_time": "", "question_type": "Unanswerable"},
    {"question": "聊了什么？", "answer": "伞", "evidence": [{"type": "agent_chat", "id": 7402}], "ask_time": "2025-01", "question_type": "X"},
    {"question": "还有呢？", "answer": "?", "evidence": [{"type": "agent_chat", "id": 7403}], "ask_time": "2025-01", "question_type": "X"},
]  # fmt: skip


def written(folder: Path, files: Any = FILES, questions: Any = QUESTIONS) -> Path:
    folder.mkdir(parents=True)
    for name, records in files.items():
        (folder / f"{name}.json").write_text(json.dumps(records, ensure_ascii=False), "utf-8")
    (folder / "QA_clean.json").write_text(json.dumps(questions, ensure_ascii=False), "utf-8")
    return folder


def shown(said: Said) -> tuple[str, str, str | None, str]:
    return said.session, said.source, said.author, said.text


@pytest.fixture
def loaded(tmp_path: Path) -> tuple[Dataset, Case]:
    found = load(written(tmp_path / "ana"))
    (case,) = list(found.cases)
    return found, case


def test_records_are_told_by_day_and_source_and_chats_by_conversation(loaded: tuple[Dataset, Case]) -> None:
    assert loaded[1].name == "ana"
    assert [shown(said) for said in loaded[1].messages] == [
        ("session-1", "call", None, "打给安娜的电话，08:30至08:45，接通"),
        ("session-2", "sms", None, "发给安娜的短信：明天见。"),
        ("session-3", "note", None, "备忘录《硬币》：共37枚"),
        ("session-3", "note", None, "备忘录《下雨》：带伞"),
        ("session-3", "note", None, "备忘录《下雨》：不带伞"),
        ("session-4", "chat", None, "我有37枚硬币。"),
        ("session-4", "chat", None, "好的。"),
        ("session-4", "chat", None, "还有？"),
        ("session-5", "chat", None, "下雨了。"),
        ("session-5", "chat", None, "带伞。"),
        ("session-6", "sms", "安娜", "安娜发来的短信：明天见。"),
        ("session-7", "sms", None, "发给安娜的短信：明天见。"),
    ]


def test_roles_and_times_are_those_of_the_record(loaded: tuple[Dataset, Case]) -> None:
    messages = loaded[1].messages
    assert [said.role for said in messages if said.source == "chat"] == [
        "user",
        "assistant",
        "assistant",
        "user",
        "assistant",
    ]
    assert {said.role for said in messages if said.source != "chat"} == {"user"}
    assert messages[0].created_at == "2025-01-02T08:30:00+00:00"
    assert messages[5].created_at == "2025-01-02T00:00:00+00:00"


def test_evidence_is_records_and_a_chat_is_known_as_its_session(loaded: tuple[Dataset, Case]) -> None:
    first, choice, nobody, chat, broken = loaded[1].questions
    assert first.evidence == {1, 2}
    assert first.sessions == {"session-2", "session-3", "session-4"}
    assert (choice.evidence, choice.sessions) == ({11}, {"session-7"})
    assert (chat.evidence, chat.sessions) == (frozenset(), {"session-5"})
    assert (broken.evidence, broken.sessions) == (frozenset(), frozenset())
    assert not nobody.answerable
    assert all(question.answerable for question in (first, choice, chat, broken))


def test_a_question_knows_what_was_recorded_until_it_is_asked(loaded: tuple[Dataset, Case]) -> None:
    first, choice, nobody, *_ = loaded[1].questions
    assert (first.known, first.asked_at) == (11, "2025-01-31T23:59:59+00:00")
    assert (choice.known, choice.asked_at) == (12, "2025-02-09T23:59:59+00:00")
    assert (nobody.known, nobody.asked_at) == (None, None)


def test_what_cannot_be_used_is_counted(loaded: tuple[Dataset, Case]) -> None:
    assert loaded[0].left_out == {
        "record that is shipped twice": 1,
        "record without a time": 1,
        "chat message that names no speaker": 2,
        "evidence id that does not resolve": 2,
        "evidence id that several records share": 1,
        "evidence later than the question": 1,
        "evidence that is a chat, known as a session": 2,
        "question without evidence that resolves": 1,
        "user without calendar.json": 1,
        "user without push.json": 1,
        "user without photo.json": 1,
    }


def test_a_choice_shows_its_options_and_names_the_words_of_the_right_one(loaded: tuple[Dataset, Case]) -> None:
    first, choice, *_ = loaded[1].questions
    assert (choice.text, choice.answer) == ("哪一种？\nA. 金币\nB. 银币", "B. 银币")
    assert (first.text, first.answer, first.rubric) == ("有多少枚硬币？", "37枚", ("答出37枚",))
    assert (first.kind, first.labels) == ("Multi-hop reasoning", ("form:open", "sources:3"))
    assert (choice.name, choice.labels) == ("qa1", ("form:choice", "sources:1"))


@pytest.mark.parametrize(
    ("source", "record", "author", "text"),
    [
        ("sms", {**SMS, "message_type": "接收与发送"}, None, "与安娜的短信往来：明天见。"),
        ("call", {**CALL, "datetime": "2025-01-02 08:30:00", "direction": 0}, None, "安娜打来的电话，接通"),
        (
            "call",
            {"contactName": "安娜", "datetime": "2025-01-02 08:30:00", "call_type": "拨打", "duration": "85", "remark": "约好周末。"},
            None,
            "打给安娜的电话，时长85秒。约好周末",
        ),
        (
            "call",
            {"contactName": "安娜", "datetime": "x", "call_type": "视频通话", "call_duration": "3分12秒", "summarized_info": "聊天"},
            None,
            "与安娜的视频通话，时长3分12秒。聊天",
        ),
        ("call", {"contactName": "安娜", "datetime": "x"}, None, "与安娜的电话"),
        (
            "calendar",
            {"title": "开会", "start_time": "2025-01-02 09:00:00", "end_time": "2025-01-02 10:00:00", "description": "带材料。", "recurrence": "每周重复"},
            None,
            "日程《开会》，2025-01-02 09:00:00至2025-01-02 10:00:00。带材料。重复：每周重复",
        ),
        ("push", {"source": "微信", "title": "付款", "content": "已付5元", "push_status": "已读"}, "微信", "推送通知《付款》：已付5元"),
        (
            "photo",
            {
                "caption": "湖边。",
                "title": "IMG_1",
                "location": {"province": "天津市", "city": "天津市", "streetNumber": "XX号", "poi": "湖"},
                "faceRecognition": ["安娜", "本"],
                "imageTag": ["湖", "秋天"],
                "ocrText": "无",
                "shoot_mode": "人像",
            },
            None,
            "照片：湖边。地点：天津市湖。人物：安娜、本。标签：湖、秋天",
        ),
        ("photo", {"caption": "菜单", "location": "家", "faceRecognition": ["无"], "ocrText": "面 5元"}, None, "照片：菜单。地点：家。文字：面 5元"),
    ],
)  # fmt: skip
def test_a_record_says_who_what_and_when(source: str, record: dict[str, Any], author: str | None, text: str) -> None:
    assert RECORDS[source](record) == (author, text)


def test_what_is_stored_tells_no_id(loaded: tuple[Dataset, Case], tmp_path: Path) -> None:
    stored = "\n".join(" ".join(map(str, shown(said))) for said in loaded[1].messages)
    assert not any(secret in stored for secret in ("EV-", "710", "720", "730", "740", "用户信息总结"))
    others = json.loads(
        json.dumps([FILES, QUESTIONS]).replace('"EV-', '"W-').replace("7101", "9101").replace("7301", "9301")
    )
    (other,) = load(written(tmp_path / "other", *others)).cases
    assert other.messages == loaded[1].messages, "other ids, the same messages"
    assert [each.evidence for each in other.questions] == [each.evidence for each in loaded[1].questions]


def test_a_folder_of_users_is_read_also_as_published_and_packed(loaded: tuple[Dataset, Case], tmp_path: Path) -> None:
    user = written(tmp_path / "data" / "ben")
    written(tmp_path / "data" / "ana")
    (tmp_path / "data" / "README.md").write_text("nothing", "utf-8")
    for folder, names in {"QA": ["QA_clean"], "phone_data": list(FILES)}.items():
        (user / folder).mkdir()
        for name in names:
            (user / folder / f"{name}.json.gz").write_bytes(gzip.compress((user / f"{name}.json").read_bytes()))
            (user / f"{name}.json").unlink()
    cases = list(load(tmp_path / "data").cases)
    assert [case.name for case in cases] == ["ana", "ben"]
    assert cases[0] == loaded[1]
    assert (cases[1].messages, cases[1].questions) == (loaded[1].messages, loaded[1].questions)


@pytest.mark.parametrize("name", ["sms", "agent_chat", "QA_clean"])
@pytest.mark.parametrize("document", [{"a": 1}, [7], [{"phone_id": 1, "datetime": "2025-01-01"}], "text"])
def test_another_layout_is_refused_with_the_path_of_the_file(tmp_path: Path, name: str, document: Any) -> None:
    user = written(tmp_path / "ana")
    (user / f"{name}.json").write_text(json.dumps(document), "utf-8")
    with pytest.raises(InvalidInputError, match=f"{name}.json has another layout"):
        list(load(user).cases)


def test_the_development_folders_have_the_records_that_questions_name(data_folder: Path) -> None:
    found = load(data_folder / "lifebench")
    counted: Counter[str] = Counter()
    for case in found.cases:
        folder = data_folder / "lifebench" / case.name
        ids: dict[str, set[str]] = {}
        for path in folder.glob("*.json"):
            if path.stem != "QA_clean":
                records = json.loads(path.read_text("utf-8"))
                ids[path.stem] = {str(each["phone_id"]) for each in records}
                counted["shipped twice"] += len(records) - len(ids[path.stem])
        stored = Counter(said.source for said in case.messages)
        for source in ("sms", "call", "calendar", "note", "push", "photo"):
            assert stored[source] == len(ids[source])
        assert stored["chat"] == (folder / "agent_chat.json").read_text("utf-8").count('"action"')
        for record, question in zip(
            json.loads((folder / "QA_clean.json").read_text("utf-8")), case.questions, strict=True
        ):
            named = [(each["type"], str(each["id"])) for each in record.get("evidence", [])]
            resolved = {(source, number) for source, number in named if number in ids[source]}
            counted["dangling"] += len(named) - len(resolved)
            records = {each for each in resolved if each[0] != "agent_chat"}
            late = bool(records) and not question.evidence
            counted["late"] += len(records) if late else 0
            assert late or Counter(case.messages[place].source for place in question.evidence) == Counter(
                source for source, _ in records
            )
            counted["chats"] += len(resolved) - len(records)
            counted["unanswerable"] += not question.answerable
        assert "new_event" not in "".join(said.text for said in case.messages)
    assert counted == {"shipped twice": 43, "dangling": 98, "late": 19, "chats": 286, "unanswerable": 6}
    assert found.left_out == {
        "record that is shipped twice": 43,
        "evidence id that does not resolve": 98,
        "evidence later than the question": 19,
        "evidence that is a chat, known as a session": 286,
        "chat message that names no speaker": 1,
        "question without evidence that resolves": 4,
    }
