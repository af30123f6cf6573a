from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from datetime import datetime, timedelta
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everyword.errors import InvalidInputError
from everyword.evals.dataset import Case, Question
from everyword.evals.generated.catalogue import KINDS, generate
from everyword.evals.generated.needles import POSITIONS
from everyword.evals.generated.stock import LANGUAGES, ROLES, rows, simplified, stock
from everyword.evals.haystack import tokens_of
from everyword.text.clauses import words
from everyword.text.tokens import EstimateCounter
from everyword.text.words import terms

CHINESE = ("zh-Hant", "zh-Hans")


@cache
def cases(language: str, kinds: tuple[str, ...] = KINDS, questions: int = 100, seed: int = 0) -> tuple[Case, ...]:
    return tuple(generate(kinds, language, questions=questions, seed=seed).cases)


def asked(language: str, *kinds: str, questions: int = 100, seed: int = 0) -> list[tuple[Case, Question]]:
    return [
        (case, question) for case in cases(language, kinds or KINDS, questions, seed) for question in case.questions
    ]


def labelled(question: Question, name: str) -> list[str]:
    return [label.partition(":")[2] for label in question.labels if label.startswith(f"{name}:")]


# ---- the whole ----


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_hundred_questions_of_all_kinds_stand_over_one_history_of_fifteen_thousand_tokens(language: str) -> None:
    (case,) = cases(language)
    assert tokens_of(case) == pytest.approx(15_000, rel=0.01)
    assert Counter(question.kind for question in case.questions) == {
        "needles": 16, "asides": 16, "updates": 16, "counts": 10, "lists": 10, "temporal": 12, "preferences": 4, "never": 16,
    }  # fmt: skip
    assert len({question.name for question in case.questions}) == 100


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_quote_stands_in_a_message_of_the_evidence(language: str) -> None:
    for case, question in asked(language):
        assert all(quote in case.messages[place].text for place, quote in question.quotes)
        assert {place for place, _ in question.quotes} == question.evidence
        assert {case.messages[place].role for place in question.evidence} == set(labelled(question, "role"))
        assert labelled(question, "language") == [language]
        assert question.asked_at is not None
        assert question.asked_at > (case.messages[-1].created_at or "")


@pytest.mark.parametrize("language", LANGUAGES)
def test_messages_are_in_order_of_time_and_sessions_are_named_by_place(language: str) -> None:
    (case,) = cases(language)
    times = [datetime.fromisoformat(said.created_at or "") for said in case.messages]
    assert times == sorted(times)
    names = list(dict.fromkeys(said.session for said in case.messages))
    assert names == [f"session-{number}" for number in range(1, len(names) + 1)]
    assert {said.role for said in case.messages} == set(ROLES)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["needles", "asides", "updates", "counts", "lists"])
def test_the_roles_hold_the_evidence_evenly(language: str, kind: str) -> None:
    held = Counter(role for _, question in asked(language, kind, questions=60) for role in labelled(question, "role"))
    assert set(held) == set(ROLES)
    assert max(held.values()) - min(held.values()) <= 6


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_label_of_overlap_is_what_the_index_terms_say(language: str) -> None:
    for _, question in asked(language):
        if question.quotes:
            said = {term for _, quote in question.quotes for term in terms(quote)}
            shares = bool(said & set(terms(question.text)))
            assert labelled(question, "overlap") == ["words" if shares else "none"], question


@given(
    kinds=st.lists(st.sampled_from(KINDS), min_size=1, unique=True),
    language=st.sampled_from(LANGUAGES),
    questions=st.integers(1, 60),
    tokens=st.integers(6_000, 30_000),
    seed=st.integers(0, 1_000),
)
@settings(max_examples=25)
def test_any_number_of_any_kinds_is_made(
    kinds: list[str], language: str, questions: int, tokens: int, seed: int
) -> None:
    found = list(generate(kinds, language, questions=questions, tokens=tokens, seed=seed).cases)
    every = [(case, question) for case in found for question in case.questions]
    assert len(every) == questions
    assert {question.kind for _, question in every} <= set(kinds)
    assert all(tokens_of(case) == pytest.approx(tokens, rel=0.01) for case in found)
    assert all(quote in case.messages[place].text for case, question in every for place, quote in question.quotes)


# ---- repeatable ----


def test_the_same_arguments_give_the_same_data_and_another_seed_another() -> None:
    first, again, other = (generate(questions=20, seed=seed) for seed in (1, 1, 2))
    assert first.sha256 == again.sha256 != other.sha256
    assert list(first.cases) == list(again.cases)


def test_another_process_gives_the_same_data() -> None:
    program = "from everyword.evals.generated.catalogue import generate; print(generate(language='zh-Hans', questions=30).sha256)"
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert found == {generate(language="zh-Hans", questions=30).sha256 + "\n"}


def test_both_scripts_ask_the_same_questions() -> None:
    (traditional,), (simple,) = (cases(language) for language in CHINESE)
    pairs = list(zip(traditional.questions, simple.questions, strict=True))
    assert all(one.kind == other.kind and len(one.quotes) == len(other.quotes) for one, other in pairs)
    same = [(one, other) for one, other in pairs if labelled(one, "script") == ["same"]]
    assert all(simplified(one.text) == other.text for one, other in same)


# ---- needles ----


@pytest.mark.parametrize("language", LANGUAGES)
def test_needles_stand_at_each_position_equally_often(language: str) -> None:
    places = Counter(label for _, question in asked(language, "needles") for label in labelled(question, "position"))
    assert places == {str(position): 20 for position in POSITIONS}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_needle_stands_where_its_label_says(language: str) -> None:
    count = EstimateCounter().count
    for case, question in asked(language, "needles", questions=25):
        (place,) = question.evidence
        before = sum(count(said.text) for said in case.messages[:place])
        share = 100 * before / tokens_of(case)
        assert share == pytest.approx(int(labelled(question, "position")[0]), abs=8)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_and_the_last_session_hold_needles(language: str) -> None:
    for case in cases(language, ("needles",)):
        places = {place for question in case.questions for place in question.evidence}
        held = {case.messages[place].session for place in places}
        assert {case.messages[0].session, case.messages[-1].session} <= held


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_answer_to_a_needle_is_in_its_quote(language: str) -> None:
    for _, question in asked(language, "needles"):
        assert question.answer in question.quotes[0][1]


# ---- asides ----


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_aside_stands_inside_a_long_message(language: str) -> None:
    for case, question in asked(language, "asides"):
        ((place, quote),) = question.quotes
        text = case.messages[place].text
        assert 200 <= words(text) <= 400
        assert 0.15 * len(text) < text.index(quote) < 0.85 * len(text)
        assert text.count(quote) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_half_of_the_questions_about_asides_share_no_word_with_them(language: str) -> None:
    found = Counter(label for _, question in asked(language, "asides") for label in labelled(question, "overlap"))
    assert found == {"words": 50, "none": 50}


@pytest.mark.parametrize("language", CHINESE)
def test_half_of_the_chinese_questions_about_asides_are_in_the_other_script(language: str) -> None:
    found = asked(language, "asides")
    scripts = Counter(label for _, question in found for label in labelled(question, "script"))
    assert scripts == {"same": 50, "other": 50}
    by_other = {question.quotes: question.text for _, question in found if labelled(question, "script") == ["other"]}
    hans = [question.text for _, question in found if _is_simplified(question, language)]
    assert all(simplified(text) == text for text in hans)
    assert len(by_other) == 25


def _is_simplified(question: Question, language: str) -> bool:
    return (language == "zh-Hans") == (labelled(question, "script") == ["same"])


# ---- updates, counts, lists ----


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_newest_value_is_the_answer_to_what_it_is_now(language: str) -> None:
    found = asked(language, "updates")
    by_label = {
        question.quotes: (case, question) for case, question in found if labelled(question, "asks") == ["current"]
    }
    histories = [(case, question) for case, question in found if labelled(question, "asks") != ["current"]]
    assert len(by_label) == len(histories) == 50
    for _, question in histories:
        said = sorted(question.quotes)
        newest = (said[-1],)
        assert newest in by_label
        assert by_label[newest][1].answer in said[-1][1]
        assert question.answer in (said[-2] if labelled(question, "asks") == ["before"] else said[0])[1]
        assert labelled(question, "changes") == [str(len(said) - 1)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_values_change_one_to_five_times(language: str) -> None:
    changes = Counter(label for _, question in asked(language, "updates") for label in labelled(question, "changes"))
    assert changes == {str(number): 20 for number in range(1, 6)}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["counts", "lists"])
def test_the_pieces_of_a_set_stand_in_different_sessions(language: str, kind: str) -> None:
    sizes: set[int] = set()
    for case, question in asked(language, kind, questions=20):
        sessions = {case.messages[place].session for place in question.evidence}
        sizes.add(len(sessions))
        assert len(sessions) == len(question.quotes)
        if kind == "counts":
            assert question.answer == str(len(sessions))
        else:
            pieces = question.answer.split(", " if language == "en" else "、")
            quotes = [quote for _, quote in question.quotes]
            assert len(pieces) == len(quotes)
            assert all(piece in quote for piece, quote in zip(pieces, quotes, strict=True))
    assert sizes == {2, 3, 4, 5, 6}


# ---- times ----


def happened(case: Case, place: int, quote: str, language: str) -> datetime:
    """The day by the date of the message and the word for the day, the longest that fits."""
    days = sorted(stock(language, "temporal")["days"], key=lambda day: -len(day[0]))
    ago = next(number for word, number in days if word in quote)
    return datetime.fromisoformat(case.messages[place].created_at or "") - timedelta(days=ago)


@pytest.mark.parametrize("language", LANGUAGES)
def test_answers_about_times_follow_from_the_dates_of_the_messages(language: str) -> None:
    seen: set[str] = set()
    for case, question in asked(language, "temporal"):
        days = [happened(case, place, quote, language).date() for place, quote in question.quotes]
        (asks,) = labelled(question, "asks")
        seen.add(asks)
        if asks == "when":
            day = days[0]
            written = f"{day.day} {day:%B} {day.year}" if language == "en" else f"{day.year}年{day.month}月{day.day}日"
            assert question.answer == written
        elif asks == "between":
            assert question.answer == str(abs((days[0] - days[1]).days))
        elif asks == "order":
            names = {row[0]: row[2] for role in ROLES for row in rows(stock(language, "temporal")[role])}
            first = question.quotes[days.index(min(days))][1]
            (name,) = [name for frame, name in names.items() if _same(frame, first)]
            assert question.answer == name
        else:
            assert 1 <= (days[0] - days[1]).days <= 7
            assert question.answer in question.quotes[1][1]
    assert seen == {"when", "between", "order", "week before"}


def _same(frame: str, said: str) -> bool:
    before, _, after = frame.partition("{day}")
    return said.startswith(before) and said.endswith(after)


# ---- never ----


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_never_happened_has_no_evidence_and_no_quote(language: str) -> None:
    for _, question in asked(language):
        assert question.answerable == (question.kind != "never")
        if question.kind == "never":
            assert (question.evidence, question.quotes, question.answer) == (frozenset(), (), "")


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_never_happened_is_of_four_kinds_and_is_not_said(language: str) -> None:
    found = asked(language, "never", questions=40)
    assert {label for _, question in found for label in labelled(question, "of")} >= {"needles", "asides", "updates"}
    asides = {
        row[column]: row[0] for role in ROLES for row in rows(stock(language, "asides")[role]) for column in (1, 2)
    }
    never = [(case, asides[question.text]) for case, question in found if question.text in asides]
    assert never
    assert not [aside for case, aside in never if any(aside in said.text for said in case.messages)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_of_a_thing_that_never_happened_no_question_is_answered_in_the_same_history(language: str) -> None:
    for case in cases(language):
        told = {question.text for question in case.questions if question.answerable}
        assert not told & {question.text for question in case.questions if not question.answerable}


# ---- preferences ----


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_preference_says_what_a_good_answer_keeps_to(language: str) -> None:
    found = asked(language, "preferences", questions=15)
    assert all(question.rubric == (question.answer,) and question.answer for _, question in found)
    assert all(labelled(question, "role") == ["user"] for _, question in found)


# ---- refused ----


def test_unknown_kinds_and_impossible_sizes_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="No kinds 'poems': choose from needles"):
        generate(["needles", "poems"])
    with pytest.raises(InvalidInputError, match="choose from needles"):
        generate([])
    with pytest.raises(InvalidInputError, match="at least 1 question"):
        generate(questions=0)
    with pytest.raises(InvalidInputError, match="No generated text in 'ja'"):
        generate(language="ja")
    with pytest.raises(InvalidInputError, match="10 tokens hold no question"):
        generate(["asides"], tokens=10)
