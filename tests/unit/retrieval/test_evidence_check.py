from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from everyword.assembly import UserFile
from everyword.domain.message import Draft, Message
from everyword.domain.query import Query
from everyword.models.hash import HashEmbedder
from everyword.ports import Embedder
from everyword.retrieval.evidence_check import FEWEST, UNCOVERED, UNSAID, Verdict, measure
from everyword.retrieval.search import rank
from everyword.strategies.catalogue import STRATEGIES
from everyword.testing.drafts import draft
from everyword.testing.word_embedder import WordEmbedder

Keep = Callable[..., list[Message]]
Ask = Callable[..., Verdict]
TALK = [
    draft(f"Week {number}: it rained on the way to the office.", session_id=f"s{number}") for number in range(FEWEST)
]
SUBJECTS = ("去上班的路上下雨", "開會開了很久", "晚餐吃麵", "車子送修", "陽台的花開了", "夜裡睡不好", "買了新的檯燈")
KEY = draft("My spare key is with Mrs. Chou from the tea shop.", session_id="key")


@pytest.fixture
def ask(store: UserFile, keep: Keep) -> Ask:
    """Store drafts behind a hundred of small talk, and return the verdict on a question."""
    embedder = HashEmbedder(256)

    def asked(question: str, *drafts: Draft, talk: list[Draft] = TALK, vectors: Embedder | None = embedder) -> Verdict:
        keep(*talk, *drafts, embedder=vectors)
        return rank(store.index, Query(text=question), STRATEGIES["evidence"].recipe, embedder=vectors).verdict

    return asked


def friends(name: str, text: str) -> Draft:
    return draft(text, author=name, session_id="friends")


def test_a_question_that_one_line_answers_has_evidence(ask: Ask) -> None:
    assert ask("Who has my spare key?", KEY) == Verdict(no_evidence=False)


def test_what_nobody_said_has_none(ask: Ask) -> None:
    assert ask("When did I fly to Reykjavik with Tobias?", KEY).no_evidence is True


@pytest.mark.parametrize(("name", "has_all"), [("words", True), ("e5-small:q4", False)])
def test_tokens_do_not_judge_for_another_model_or_while_vectors_are_missing(
    store: UserFile, keep: Keep, name: str, has_all: bool
) -> None:
    words = WordEmbedder(name, dimensions=512)
    keep(*TALK, embedder=words)
    keep(KEY, embedder=words if has_all else None)
    asked = rank(store.index, Query(text="Who has my spare key?"), STRATEGIES["evidence"].recipe, embedder=words)
    assert isinstance(asked.check, partial)
    measured = measure(*asked.check.args)
    assert measured is not None
    assert measured.scorer is UNSAID


def test_a_token_that_nothing_comes_near_leaves_a_question_uncovered(store: UserFile, keep: Keep) -> None:
    words = WordEmbedder("e5-small:q4", dimensions=512)
    keep(*TALK, draft("My spare key is here", session_id="key"), embedder=words)
    covered = []
    for question in ("Who has my spare key?", "Who has my spare harpoon?"):
        asked = rank(store.index, Query(text=question), STRATEGIES["evidence"].recipe, embedder=words)
        assert isinstance(asked.check, partial)
        measured = measure(*asked.check.args)
        assert measured is not None
        assert measured.scorer is UNCOVERED
        covered.append(measured.measures["covered"])
    assert covered[0] > covered[1] + 0.1


@pytest.mark.parametrize(("question", "is_missing"), [("備用鑰匙在誰那裡？", False), ("我養的鸚鵡叫什麼名字？", True)])
def test_chinese_is_judged_too(ask: Ask, question: str, is_missing: bool) -> None:
    talk = [draft(f"第{number}週：{SUBJECTS[number % 7]}。", session_id=f"s{number}") for number in range(FEWEST)]
    assert ask(question, draft("備用鑰匙在茶行的周太太那裡。", session_id="key"), talk=talk).no_evidence is is_missing


def test_a_question_in_another_script_than_the_history_is_not_judged(ask: Ask) -> None:
    assert ask("我養的鸚鵡叫什麼名字？", KEY) == Verdict()


def test_the_reason_names_what_nobody_said_and_what_the_nearest_line_holds(ask: Ask) -> None:
    assert ask("Where is the spare tyre of Gudrun?", KEY).why == (
        "no evidence: nobody said 'tyre', 'Gudrun', and the nearest line holds only 'spare'"
    )


def test_a_date_that_nobody_wrote_out_is_no_missing_word(ask: Ask) -> None:
    assert ask("Who has my spare key since August 2023?", KEY).no_evidence is False


def test_what_another_speaker_did_is_no_evidence(ask: Ask) -> None:
    said = friends("Melanie", "I won the pottery race with a blue vase."), friends("Caroline", "Lovely, how was it?")
    verdict = ask("What did Caroline win the pottery race with?", *said)
    assert verdict.no_evidence is True
    assert verdict.why == "no evidence: 'pottery', 'race' stands in words of somebody else than 'Caroline'"


@pytest.mark.parametrize(
    "said",
    [
        [("Caroline", "I win every pottery race."), ("Melanie", "Lovely!")],
        [("Melanie", "So you win every pottery race!"), ("Caroline", "Hm.")],
        [("Melanie", "Did you win the pottery race?"), ("Caroline", "I did, by a minute.")],
    ],
    ids=["said by her", "said to her", "answered by her"],
)
def test_what_a_speaker_did_is_evidence_whoever_tells_it(ask: Ask, said: list[tuple[str, str]]) -> None:
    assert ask("Which pottery race did Caroline win?", *(friends(*each) for each in said)).no_evidence is False


def test_a_question_for_advice_is_not_judged(ask: Ask) -> None:
    assert ask("What should I pack for Reykjavik?", KEY) == Verdict()


def test_a_question_about_several_speakers_is_not_judged(ask: Ask) -> None:
    said = friends("Melanie", "I paint."), friends("Caroline", "I run.")
    assert ask("What do Melanie and Caroline cook?", *said) == Verdict()


def test_a_whole_story_is_not_judged(ask: Ask) -> None:
    words = " ".join(f"thing{number}" for number in range(30))
    assert ask(f"Where are {words}?", KEY) == Verdict()


def test_a_short_history_is_not_judged(ask: Ask) -> None:
    assert ask("When did I fly to Reykjavik?", KEY, talk=TALK[: FEWEST - 2]) == Verdict()


def test_words_alone_do_not_judge(ask: Ask) -> None:
    assert ask("When did I fly to Reykjavik?", KEY, vectors=None) == Verdict()
