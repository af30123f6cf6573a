from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from everyword.errors import InvalidInputError
from everyword.evals.dataset import Case, Dataset
from everyword.evals.madial import load

MEMORIES = {
    "901": {"time": "2024-01-05", "scene": "Activity", "emotion": "Happy", "event": "Ben flew a kite."},
    "902": {"time": "2023-12-25", "scene": "Activity", "emotion": "Happy", "event": "Ben danced at the party."},
    "903": {"time": "2024-01-05", "scene": "Food", "emotion": "Happy", "event": "Ana ate a mango."},
    "904": {"time": "2024-01-05", "scene": "Food", "emotion": "Sad", "event": "Ben lost a coin."},
}
OWNERS = {"901": 1, "902": 1, "903": 2, "904": 1}
DIALOGUES: list[dict[str, Any]] = [
    {
        "dialogue": [
            "<BOD>\n",
            '<Ben>: "I will perform!"\n',
            '<Assistant>: "Great."\n',
            ' <Ben>:"What do I wear?"\n',
            '<Assistant>: "You danced "so" well last year."\n',
            '<Ben>: "Yes!"\n',
            '<Assistant>: "And the kite?"\n',
            "<EOD>\n",
        ],
        "test-turn": [4, 6],
        "relevant-id": [902, 901, 977],
        "user-id": 1,
    },
    {
        "dialogue": ['<Ana>: "I am hungry."\n', "“A mango”, as before?\n"],
        "test-turn": [1],
        "relevant-id": [903],
        "user-id": 2,
    },
    {"dialogue": ['<Ana>: "Hm."\n', '<Assistant>: "Hm?"\n'], "test-turn": [1], "relevant-id": [901], "user-id": 2},
]


def lines(records: list[Any]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def written(folder: Path, language: str = "en", *, owned: bool = False) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    owner = {key: {"user-id": OWNERS[key], "id": key} if owned else {} for key in MEMORIES}
    memories = [{key: {**memory, **owner[key]}} for key, memory in MEMORIES.items()]
    (folder / f"MADial-Bench-{language}-memory.json").write_text(lines(memories), "utf-8")
    dialogues = folder / f"MADial-Bench-{language}-dialogue.json"
    dialogues.write_text(lines(DIALOGUES), "utf-8")
    return dialogues


@pytest.fixture
def loaded(tmp_path: Path) -> tuple[Dataset, list[Case]]:
    found = load(written(tmp_path / "en"))
    return found, list(found.cases)


def test_each_child_has_its_own_memories_by_their_days(loaded: tuple[Dataset, list[Case]]) -> None:
    ben, ana = loaded[1]
    assert (ben.name, ana.name) == ("en-Ben", "en-Ana")
    assert [said.text for said in ben.messages] == ["Ben danced at the party.", "Ben flew a kite.", "Ben lost a coin."]
    assert [said.session for said in ben.messages] == ["session-1", "session-2", "session-2"]
    assert ben.messages[0].created_at == "2023-12-25T00:00:00+00:00"
    assert {said.source for said in ben.messages} == {"memory"}
    assert [said.text for said in ana.messages] == ["Ana ate a mango."]


def test_an_edition_that_names_the_child_gives_the_same_cases(tmp_path: Path) -> None:
    named, guessed = load(written(tmp_path / "a", owned=True)), load(written(tmp_path / "b"))
    assert list(named.cases) == list(guessed.cases)


def test_a_question_is_the_dialogue_up_to_the_first_turn_that_recalls(loaded: tuple[Dataset, list[Case]]) -> None:
    first = loaded[1][0].questions[0]
    assert first.text == "Ben: I will perform!\nAssistant: Great.\nBen: What do I wear?"
    assert first.answer == 'You danced "so" well last year.'
    assert (first.name, first.labels, first.asked_at) == ("dialogue-0", ("language:en",), "2024-06-16T00:00:00+00:00")
    assert loaded[1][1].questions[0].answer == "A mango”, as before?", "a turn without a name is kept as it is"


def test_evidence_is_the_memories_of_that_child(loaded: tuple[Dataset, list[Case]]) -> None:
    ben, ana = loaded[1]
    assert ben.questions[0].evidence == {0, 1}
    assert ben.questions[0].sessions == {"session-1", "session-2"}
    assert [question.evidence for question in ana.questions] == [{0}, frozenset()]
    assert loaded[0].left_out == {
        "evidence id that does not resolve": 2,
        "question without evidence that resolves": 1,
    }


def test_a_memory_of_nobody_is_counted(tmp_path: Path) -> None:
    dialogues = written(tmp_path)
    with (tmp_path / "MADial-Bench-en-memory.json").open("a", encoding="utf-8") as file:
        file.write(lines([{"905": {"time": "2024-01-05", "event": "It rained."}}]))
    found = load(dialogues)
    assert sum(len(case.messages) for case in found.cases) == 4
    assert found.left_out["memory of no child"] == 1


def test_a_folder_gives_both_languages_also_packed(tmp_path: Path) -> None:
    written(tmp_path / "en")
    chinese = written(tmp_path / "ch", "zh", owned=True)
    for path in (chinese, chinese.with_name("MADial-Bench-zh-memory.json")):
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    cases = {case.name: case for case in load(tmp_path).cases}
    assert sorted(cases) == ["en-Ana", "en-Ben", "zh-Ana", "zh-Ben"]
    assert cases["zh-Ben"].messages == cases["en-Ben"].messages
    assert cases["zh-Ben"].questions[0].labels == ("language:zh",)


def test_what_is_stored_tells_no_id(loaded: tuple[Dataset, list[Case]], tmp_path: Path) -> None:
    stored = "\n".join(f"{said.session} {said.author} {said.text}" for case in loaded[1] for said in case.messages)
    assert not any(secret in stored for secret in ("901", "902", "903", "904"))
    for path in (tmp_path / "en").iterdir():
        path.write_text(path.read_text("utf-8").replace("90", "80"), "utf-8")
    others = load(tmp_path / "en").cases
    assert [case.messages for case in others] == [case.messages for case in loaded[1]], "other ids, the same messages"


def test_dialogues_without_memories_are_refused_with_the_file_that_is_missing(tmp_path: Path) -> None:
    dialogues = written(tmp_path)
    dialogues.with_name("MADial-Bench-en-memory.json").unlink()
    with pytest.raises(InvalidInputError, match="en-dialogue.json needs MADial-Bench-en-memory.json"):
        load(dialogues)


@pytest.mark.parametrize("name", ["memory", "dialogue"])
@pytest.mark.parametrize("text", ["[]", "7", '{"a": {}}', '{"1": {"time": "2024-01-05"}, "2": {}}'])
def test_another_layout_is_refused_with_the_path_of_the_file(tmp_path: Path, name: str, text: str) -> None:
    dialogues = written(tmp_path)
    (tmp_path / f"MADial-Bench-en-{name}.json").write_text(text, "utf-8")
    with pytest.raises(InvalidInputError, match=f"en-{name}.json has another layout"):
        list(load(dialogues).cases)


def test_lines_that_are_no_json_are_refused(tmp_path: Path) -> None:
    dialogues = written(tmp_path)
    dialogues.write_text("{}\nno", "utf-8")
    with pytest.raises(InvalidInputError, match="en-dialogue.json is not JSON"):
        list(load(dialogues).cases)


def test_the_development_files_have_the_memories_that_dialogues_name(data_folder: Path) -> None:
    folder = data_folder / "madial"
    found = load(folder)
    cases = {case.name: case for case in found.cases}
    sizes = {name: (len(case.messages), len(case.questions)) for name, case in cases.items()}
    assert sizes == {"en-Bart": (76, 76), "en-Lisa": (84, 84), "zh-Bart": (83, 76), "zh-Lisa": (88, 84)}
    assert found.left_out == {}
    for language in ("en", "zh"):
        memories: dict[str, Any] = {}
        for line in (folder / f"MADial-Bench-{language}-memory.json").read_text("utf-8").splitlines():
            memories |= json.loads(line)
        if language == "en":
            assert all("Bart" in memory["event"] for memory in list(memories.values())[:76]), (
                "the publisher's own split"
            )
        dialogues = (folder / f"MADial-Bench-{language}-dialogue.json").read_text("utf-8").splitlines()
        for number, line in enumerate(dialogues):
            dialogue = json.loads(line)
            case = cases[f"{language}-{('Bart', 'Lisa')[dialogue['user-id'] - 1]}"]
            (question,) = [each for each in case.questions if each.name == f"dialogue-{number}"]
            events = sorted(memories[str(each)]["event"] for each in dialogue["relevant-id"])
            assert sorted(case.messages[place].text for place in question.evidence) == events
            said = "".join(dialogue["dialogue"][: dialogue["test-turn"][0]])
            assert re.sub(r'[<>":“”\s]|BOD', "", question.text) == re.sub(r'[<>":“”\s]|BOD', "", said)
    assert sum(len(question.evidence) for case in cases.values() for question in case.questions) == 810
