from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everyword.errors import InvalidInputError
from everyword.evals.catalogue import dataset
from everyword.evals.dataset import Case, Dataset, Question, Said
from everyword.evals.filler import Filler, Session, from_dataset, generated, in_turn, session
from everyword.evals.generated.catalogue import generate
from everyword.evals.haystack import compose, conditions, lengths, tokens_of

START = datetime.fromisoformat("2024-03-01T10:00:00+00:00")


def case(*hours: float, tokens: int = 40, **fields: object) -> Case:
    """Two messages for each session, `hours` after the start; the question is about the second message."""
    messages = tuple(
        Said(
            role=role,
            text=f"{role} in session {number} ".ljust(4 * tokens, "x"),
            session=f"own-{number}",
            created_at=(START + timedelta(hours=hour, minutes=minute)).isoformat(),
        )
        for number, hour in enumerate(hours)
        for minute, role in enumerate(("user", "assistant"))
    )
    question = Question(
        text="What was said?",
        evidence=frozenset({1}),
        kind="own",
        name="q",
        quotes=((1, "assistant in session 0"),),
        sessions=frozenset({"own-0"}),
        asked_at=(START + timedelta(days=90)).isoformat(),
    )
    return Case(name="c", messages=messages, questions=(replace(question, **fields),))  # pyright: ignore[reportArgumentType]


def undated(found: Case) -> Case:
    return replace(found, messages=tuple(replace(said, created_at=None) for said in found.messages))


def pool(sizes: list[int], name: str = "pool") -> Filler:
    """Sessions of one message each, of these tokens."""
    found = [
        session([Said(role="user", text=f"{number:04}" + "y" * (4 * size - 4), session="other", created_at=None)])
        for number, size in enumerate(sizes)
    ]

    def sessions(_: str) -> Iterator[Session]:
        return iter(found)

    return Filler(name=name, sessions=sessions)


def contents(found: Case) -> set[tuple[str, str, str | None]]:
    return {(said.role, said.text, said.created_at) for said in found.messages}


# ---- lengths ----


def test_lengths_are_read_with_their_units() -> None:
    assert lengths("15k,120k, 1.2m ,12M,800") == [15_000, 120_000, 1_200_000, 12_000_000, 800]
    assert lengths("15k,15000") == [15_000]


@pytest.mark.parametrize("text", ["", "15k,", "x", "-3k", "0", "1.2.3m", "15kb", "15 000"])
def test_what_is_no_length_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError, match="is no length: write for example"):
        lengths(text)


# ---- generated filler ----


@cache
def core(language: str) -> Case:
    return next(generate(language=language, questions=40, tokens=10_000, seed=5).cases)


@given(
    language=st.sampled_from(["en", "zh-Hant"]),
    sizes=st.lists(st.integers(11_000, 90_000), min_size=2, max_size=4, unique=True),
    seed=st.integers(0, 50),
)
@settings(max_examples=20)
def test_a_history_has_its_length_and_its_questions_at_any_size(language: str, sizes: list[int], seed: int) -> None:
    own = core(language)
    wanted = [own.messages[place].text for question in own.questions for place in sorted(question.evidence)]
    for size in sizes:
        found = compose(own, size, generated(language), seed)
        assert tokens_of(found) == pytest.approx(size, rel=0.01)
        assert [question.text for question in found.questions] == [question.text for question in own.questions]
        assert [
            found.messages[place].text for question in found.questions for place in sorted(question.evidence)
        ] == wanted
        assert all(
            quote in found.messages[place].text for question in found.questions for place, quote in question.quotes
        )
        assert contents(own) <= contents(found)


@given(
    language=st.sampled_from(["en", "zh-Hans"]),
    sizes=st.tuples(st.integers(11_000, 40_000), st.floats(1.5, 3.0)),
    seed=st.integers(0, 50),
)
@settings(max_examples=20)
def test_the_shorter_history_is_within_the_longer_one(language: str, sizes: tuple[int, float], seed: int) -> None:
    size, times = sizes
    short, long = (compose(core(language), tokens, generated(language), seed) for tokens in (size, int(size * times)))
    assert contents(short) <= contents(long)
    assert len(contents(long) - contents(short)) > 0


def test_the_same_seed_gives_the_same_history_and_another_seed_another() -> None:
    first, again, other = (compose(core("en"), 30_000, generated("en"), seed) for seed in (1, 1, 2))
    assert first == again != other


def test_messages_are_in_order_of_time_and_sessions_named_by_place() -> None:
    found = compose(core("en"), 60_000, generated("en"))
    times = [datetime.fromisoformat(said.created_at or "") for said in found.messages]
    assert times == sorted(times)
    names = list(dict.fromkeys(said.session for said in found.messages))
    assert names == [f"session-{number}" for number in range(1, len(names) + 1)]


def test_filler_lies_within_the_time_of_the_case() -> None:
    own = core("en")
    found = compose(own, 60_000, generated("en"))
    assert found.messages[0].text == own.messages[0].text
    assert found.messages[-1].text == own.messages[-1].text


def test_filler_is_spread_evenly() -> None:
    found = compose(case(*range(0, 2400, 24)), 200_000, generated("en"))
    times = [datetime.fromisoformat(said.created_at or "") for said in found.messages]
    quarters = [START + timedelta(hours=2400 * part / 4) for part in range(5)]
    shares = [sum(first <= time < last for time in times) / len(times) for first, last in pairwise(quarters)]
    assert all(share == pytest.approx(0.25, abs=0.03) for share in shares)


def test_at_one_point_two_million_tokens_there_are_some_four_hundred_sessions() -> None:
    found = compose(case(0, 24, 240, tokens=1_500), 1_200_000, generated("en"))
    assert tokens_of(found) == pytest.approx(1_200_000, rel=0.01)
    assert 327 <= len({said.session for said in found.messages}) <= 476
    assert 1_641 <= sum(said.role == "user" for said in found.messages) <= 2_568


@pytest.mark.soak
@pytest.mark.parametrize("language", ["en", "zh-Hant"])
def test_twelve_million_tokens_are_made_within_a_minute(language: str) -> None:
    started = time.process_time()
    found = compose(core(language), 12_000_000, generated(language))
    assert tokens_of(found) == pytest.approx(12_000_000, rel=0.01)
    assert time.process_time() - started < 60


def test_conditions_differ_in_filler_only() -> None:
    own = core("en")
    found = dict(conditions(own, lengths("11k,30k,60k"), generated("en"), seed=3))
    assert list(found) == [11_000, 30_000, 60_000]
    texts = [
        [
            (question.text, sorted(found[size].messages[place].text for place in question.evidence))
            for question in found[size].questions
        ]
        for size in found
    ]
    assert texts[0] == texts[1] == texts[2]
    assert contents(found[11_000]) < contents(found[30_000]) < contents(found[60_000])


# ---- where evidence is afterwards ----


def test_evidence_quotes_and_sessions_point_to_the_same_messages() -> None:
    own = case(
        0, 50, 100, evidence=frozenset({1, 4}), quotes=((4, "user in session 2"),), sessions=frozenset({"own-2"})
    )
    found = compose(own, 2_000, pool([40] * 70))
    (question,) = found.questions
    assert [found.messages[place].text for place in sorted(question.evidence)] == [
        own.messages[1].text,
        own.messages[4].text,
    ]
    assert found.messages[question.quotes[0][0]].text == own.messages[4].text
    assert {said.session for said in found.messages if said.text == own.messages[4].text} == question.sessions


@pytest.mark.parametrize("known", [0, 1, 2, 3, 5])
def test_what_was_known_when_it_was_asked_is_still_known_and_no_more(known: int) -> None:
    own = case(0, 50, 100, known=known)
    found = compose(own, 2_000, pool([40] * 70))
    memory = [said.text for said in found.messages[: found.questions[0].known]]
    assert [said.text for said in own.messages if said.text in memory] == [said.text for said in own.messages[:known]]


def test_what_knew_everything_knows_everything() -> None:
    found = compose(case(0, 50, 100, known=6), 2_000, pool([40] * 70))
    assert found.questions[0].known == len(found.messages)
    assert compose(case(0, 50, 100), 2_000, pool([40] * 70)).questions[0].known is None


def test_a_session_that_is_left_and_taken_up_again_keeps_one_name() -> None:
    own = case(0, 50, 100)
    again = replace(
        own, messages=tuple(replace(said, session="a" if said.session != "own-1" else "b") for said in own.messages)
    )
    found = compose(again, 2_000, pool([40] * 70))
    names = {said.text: said.session for said in found.messages}
    assert names[own.messages[0].text] == names[own.messages[5].text] != names[own.messages[2].text]


# ---- histories with little or no time ----


def test_without_dates_filler_stands_between_the_sessions_without_dates() -> None:
    found = compose(undated(case(0, 50, 100)), 2_000, pool([40] * 70))
    assert all(said.created_at is None for said in found.messages)
    own = [place for place, said in enumerate(found.messages) if "in session" in said.text]
    assert (own[0], own[-1]) == (0, len(found.messages) - 1)
    assert own[2] - own[1] > 5
    assert own[4] - own[3] > 5


@pytest.mark.parametrize("dated", [True, False])
def test_one_session_gets_filler_before_and_after_it(dated: bool) -> None:
    own = case(0) if dated else undated(case(0))
    found = compose(own, 2_000, pool([40] * 70))
    place = next(place for place, said in enumerate(found.messages) if "in session" in said.text)
    assert 5 < place < len(found.messages) - 5
    times = [said.created_at or "" for said in found.messages]
    assert times == sorted(times)
    assert times[-1] <= (own.questions[0].asked_at or "")


def test_a_session_of_files_is_drawn_together_before_the_next_begins() -> None:
    long = [
        session(
            Said(
                role="user",
                text=f"{number}-{minute} " + "y" * 40,
                session="s",
                created_at=(START + timedelta(hours=minute)).isoformat(),
            )
            for minute in range(3)
        )
        for number in range(40)
    ]
    found = compose(case(0, 50, 100), 1_000, Filler(name="long", sessions=lambda _: iter(long)))
    times = [said.created_at or "" for said in found.messages]
    assert times == sorted(times)


# ---- files ----


@given(
    seed=st.integers(0, 10_000),
    longest=st.integers(200, 900),
    wanted=st.integers(4_000, 25_000),
    hours=st.lists(st.integers(0, 3_000), min_size=2, max_size=6, unique=True),
)
@settings(max_examples=60)
def test_whole_sessions_of_many_sizes_meet_the_length(seed: int, longest: int, wanted: int, hours: list[int]) -> None:
    random = Random(seed)
    found = compose(case(*sorted(hours)), wanted, pool([random.randint(60, longest) for _ in range(600)]))
    assert tokens_of(found) == pytest.approx(wanted, rel=0.01)
    assert len({said.text for said in found.messages}) == len(found.messages)


def test_sessions_that_the_case_has_already_are_not_added_again() -> None:
    own = case(0, 50)
    filler = from_dataset(Dataset(name="own", sha256="0", cases=iter([own])))
    with pytest.raises(InvalidInputError, match="'own' has only 0 tokens of filler and 840 are missing: add generated"):
        compose(own, 1_000, filler)
    found = compose(own, 1_000, in_turn([filler, pool([40] * 40)]))
    assert sum("in session" in said.text for said in found.messages) == 4


def test_sessions_that_are_too_long_for_the_length_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="too long for it. Use generated filler, or a longer history"):
        compose(case(0, 50), 1_000, pool([700, 900, 800] * 30))


def test_a_history_that_is_too_long_already_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="'c' has 240 tokens already: 200 is too short"):
        compose(case(0, 50, 100), 200, pool([40] * 40))


def test_a_history_of_the_wanted_length_stays_as_it_is_but_for_the_names() -> None:
    own = case(0, 50, 100)
    assert contents(compose(own, 240, pool([40] * 40))) == contents(own)


def test_a_published_conversation_gets_sessions_of_the_others(data_folder: Path) -> None:
    path = data_folder / "locomo" / "locomo_dev.json"
    first, *others = dataset("locomo", path).cases
    filler = from_dataset(Dataset(name="locomo", sha256="", cases=iter(others)))
    found = {size: compose(first, size, filler) for size in (30_000, 80_000)}
    assert all(tokens_of(each) == pytest.approx(size, rel=0.01) for size, each in found.items())
    assert contents(first) < contents(found[30_000]) < contents(found[80_000])
    authors = {said.author for said in first.messages}
    assert {said.author for said in found[80_000].messages} > authors
    assert [
        sorted(found[80_000].messages[place].text for place in question.evidence)
        for question in found[80_000].questions
    ] == [sorted(first.messages[place].text for place in question.evidence) for question in first.questions]
