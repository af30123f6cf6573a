from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from everyword.evals.dataset import Case, Dataset
from everyword.evals.realmem import load

SECRETS = ("uuid-a", "uuid-b", "uuid-c", "Coins_1", "Rain_1", "Q-7", "Coins_1-DM")


def turn(speaker: str, content: str, **more: Any) -> dict[str, Any]:
    return {"speaker": speaker, "content": content, "is_query": False, "query_id": None, **more}


def query(content: str, **more: Any) -> dict[str, Any]:
    kind = {"topic": "Coins", "category_name": "Dynamic Updating", "session_type": "multi_session"}
    return turn("User", content, is_query=True, **kind, **more)


def reply(content: str, *sessions: str) -> dict[str, Any]:
    used = [{"session_uuid": each, "content": f"A memory of {each[-1]}."} for each in sessions]
    return turn("Assistant", content, memory_used=used, memory_session_uuids=list(sessions))


def session(identifier: str, uuid: str, day: str, *turns: dict[str, Any]) -> dict[str, Any]:
    memory = {"index": f"{identifier}-DM-01", "content": "37 coins", "source_turn": 1, "session_uuid": uuid}
    return {
        "session_identifier": identifier,
        "session_uuid": uuid,
        "current_time": day,
        "dialogue_turns": list(turns),
        "extracted_memory": [memory],
    }


DIALOGUES = [
    session(
        "Coins_1:S1", "uuid-a", "2026-01-02 (Friday)", turn("User", "I have 37 coins."), turn("Assistant", "Fine.")
    ),
    session("Rain_1:S1", "uuid-b", "2026-01-05 (Monday)", turn("User", "It rained."), reply("Yes.", "uuid-a")),
    session(
        "Coins_1:S2",
        "uuid-c",
        "2026-01-03 (Saturday)",
        turn("User", "Hello."),
        turn("Assistant", "Hello."),
        query("How many coins?", query_id="Q-7"),
        reply("37.", "uuid-a", "uuid-b", "uuid-c", "uuid-x"),
        query("And now?"),
        reply("Still 37.", "uuid-c"),
        query("Nobody answers?"),
    ),
]


@pytest.fixture
def loaded(tmp_path: Path) -> tuple[Dataset, Case]:
    path = tmp_path / "Ana_Silva_dialogues_256k.json"
    path.write_text(json.dumps({"_metadata": {"person_name": "Ana"}, "dialogues": DIALOGUES}), "utf-8")
    found = load(path)
    (case,) = list(found.cases)
    return found, case


def test_sessions_stay_in_the_order_of_the_file_also_where_dates_do_not(loaded: tuple[Dataset, Case]) -> None:
    _, case = loaded
    assert case.name == "Ana_Silva"
    assert [said.session for said in case.messages] == ["session-1"] * 2 + ["session-2"] * 2 + ["session-3"] * 7
    assert [case.messages[place].created_at for place in (0, 2, 4)] == [
        "2026-01-02T00:00:00+00:00",
        "2026-01-05T00:00:00+00:00",
        "2026-01-03T00:00:00+00:00",
    ]
    assert [(said.role, said.text) for said in case.messages[:2]] == [
        ("user", "I have 37 coins."),
        ("assistant", "Fine."),
    ]


def test_a_query_knows_only_the_sessions_before_its_own(loaded: tuple[Dataset, Case]) -> None:
    first, second, third = loaded[1].questions
    assert [question.known for question in (first, second, third)] == [4, 4, 4]
    assert first.sessions == {"session-1", "session-2"}
    assert second.sessions == frozenset()
    assert not any(question.evidence for question in loaded[1].questions)


def test_a_query_has_its_reply_what_it_was_written_from_and_its_kind(loaded: tuple[Dataset, Case]) -> None:
    first, second, third = loaded[1].questions
    assert (first.name, first.text, first.answer) == ("Q-7", "How many coins?", "37.")
    assert first.rubric == ("A memory of a.", "A memory of b.", "A memory of c.", "A memory of x.")
    assert (first.kind, first.labels) == ("Dynamic Updating", ("scope:multi_session", "topic:Coins"))
    assert first.asked_at == "2026-01-03T00:00:00+00:00"
    assert (second.name, third.name) == ("query-2", "query-3")
    assert third.answer == ""


def test_what_cannot_be_used_is_counted(loaded: tuple[Dataset, Case]) -> None:
    assert loaded[0].left_out == {
        "reply from memory to a turn that is no query": 1,
        "evidence session that is not in the file": 1,
        "evidence session that is not before the query's own": 2,
        "question without an evidence session": 2,
    }


def test_sessions_are_taken_from_the_memories_where_the_reply_does_not_list_them(tmp_path: Path) -> None:
    used = turn("Assistant", "37.", memory_used=[{"session_uuid": "uuid-a", "content": "37 coins"}])
    dialogues = [DIALOGUES[0], session("Coins_1:S2", "uuid-c", "2026-01-03", query("How many?"), used)]
    path = tmp_path / "Ana_dialogues_256k.json"
    path.write_text(json.dumps({"dialogues": dialogues}), "utf-8")
    (case,) = load(path).cases
    assert case.questions[0].sessions == {"session-1"}


def test_what_is_stored_tells_no_id(loaded: tuple[Dataset, Case], tmp_path: Path) -> None:
    stored = "\n".join(f"{said.session} {said.author} {said.text}" for said in loaded[1].messages)
    assert not any(secret in stored for secret in SECRETS)
    text = (tmp_path / "Ana_Silva_dialogues_256k.json").read_text("utf-8")
    for secret in SECRETS:
        text = text.replace(secret, f"{secret}-other")
    (tmp_path / "other.json").write_text(text, "utf-8")
    (other,) = load(tmp_path / "other.json").cases
    assert other.messages == loaded[1].messages, "other ids, the same messages"
    assert [each.sessions for each in other.questions] == [each.sessions for each in loaded[1].questions]


def test_a_folder_gives_a_case_for_each_persona_also_packed(loaded: tuple[Dataset, Case], tmp_path: Path) -> None:
    first = tmp_path / "Ana_Silva_dialogues_256k.json"
    packed = tmp_path / "Ben_Silva_dialogues_256k.json.gz"
    packed.write_bytes(gzip.compress(first.read_bytes()))
    (tmp_path / "persona_all.json").write_text("[]", "utf-8")
    found = load(tmp_path)
    cases = list(found.cases)
    assert [case.name for case in cases] == ["Ana_Silva", "Ben_Silva"]
    assert cases[0].messages == cases[1].messages
    lines = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in (first, packed))
    assert found.sha256 == hashlib.sha256(lines.encode()).hexdigest()
    assert loaded[0].sha256 == hashlib.sha256(first.read_bytes()).hexdigest()


def test_the_development_files_have_the_sessions_that_replies_name(data_folder: Path) -> None:
    found = load(data_folder / "realmem")
    cases = list(found.cases)
    texts = [path.read_text("utf-8") for path in sorted((data_folder / "realmem").glob("*.json"))]
    assert [len(case.questions) for case in cases] == [text.count('"is_query": true') for text in texts]
    assert [len(case.messages) for case in cases] == [text.count('"speaker": ') for text in texts]
    named = 0
    for text in texts:
        for dialogue in json.loads(text)["dialogues"]:
            for asked, answered in zip(dialogue["dialogue_turns"], dialogue["dialogue_turns"][1:], strict=False):
                named += len(set(answered.get("memory_session_uuids", []))) if asked["is_query"] else 0
    kept = sum(len(question.sessions) for case in cases for question in case.questions)
    assert (named, kept) == (1231, 1230)
    assert found.left_out == {
        "reply from memory to a turn that is no query": 24,
        "evidence session that is not before the query's own": 1,
    }


def test_ids_of_the_development_files_are_not_stored_but_where_the_words_have_them(data_folder: Path) -> None:
    cases = list(load(data_folder / "realmem").cases)
    stored = "\n".join(f"{said.session}\n{said.text}" for case in cases for said in case.messages)
    asked = "\n".join(question.text for case in cases for question in case.questions)
    names: set[str] = set()
    for path in (data_folder / "realmem").glob("*.json"):
        for dialogue in json.loads(path.read_text("utf-8"))["dialogues"]:
            assert dialogue["session_uuid"] not in stored
            names.add(dialogue["session_identifier"])
    said_aloud = [said for case in cases for said in case.messages if any(name in said.text for name in names)]
    assert len(said_aloud) == 49, "the assistant quotes its own notes"
    assert {said.role for said in said_aloud} == {"assistant"}
    assert not any(name in asked for name in names), "no question can be answered by them"
