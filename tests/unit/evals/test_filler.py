from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest

from everyword.errors import InvalidInputError
from everyword.evals.dataset import Case, Dataset, Said
from everyword.evals.filler import Filler, from_dataset, generated, in_turn, session, sessions_of
from everyword.evals.generated.stock import LANGUAGES
from everyword.text.tokens import EstimateCounter


def said(text: str, session: str, role: str = "user", **fields: str) -> Said:
    return Said(role=role, text=text, session=session, created_at="2024-05-01T09:00:00+00:00", **fields)


def dataset(*histories: list[Said]) -> Dataset:
    cases = [Case(name=str(place), messages=tuple(found), questions=()) for place, found in enumerate(histories)]
    return Dataset(name="own", sha256="0" * 64, cases=iter(cases))


def test_messages_that_stand_together_are_one_session() -> None:
    found = list(sessions_of([said("a", "s1"), said("b", "s1"), said("c", "s2"), said("d", "s1")]))
    assert [[each.text for each in one.messages] for one in found] == [["a", "b"], ["c"], ["d"]]


def test_the_tokens_of_a_session_are_those_of_its_texts() -> None:
    assert session([said("x" * 9, "s"), said("三個字", "s")]).tokens == 3 + 3


def test_sessions_of_files_keep_texts_roles_and_authors() -> None:
    history = [
        said("Hello.", "s1", author="Ana"),
        said("Hi.", "s1", role="assistant"),
        said("2 results", "s2", role="tool"),
    ]
    found = list(from_dataset(dataset(history)).sessions("1"))
    assert {each for one in found for each in one.messages} == set(history)


def test_a_session_that_two_histories_share_comes_once() -> None:
    shared = [said("The same.", "s1")]
    found = list(from_dataset(dataset([*shared, said("One.", "s2")], [*shared, said("Two.", "s2")])).sessions("1"))
    assert sorted(one.messages[0].text for one in found) == ["One.", "The same.", "Two."]


def test_files_come_in_an_order_of_their_own_for_each_seed() -> None:
    filler = from_dataset(dataset([said(f"text {number}", f"s{number}") for number in range(30)]))

    def order(seed: str) -> list[str]:
        return [one.messages[0].text for one in filler.sessions(seed)]

    assert order("1") == order("1") != order("2")
    assert set(order("1")) == set(order("2"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_generated_sessions_are_the_same_for_the_same_seed(language: str) -> None:
    filler = generated(language)
    first, again, other = (list(islice(filler.sessions(seed), 20)) for seed in ("1", "1", "2"))
    assert first == again != other


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_generated_session_is_never_long_beside_those_before_it(language: str) -> None:
    total = 10_000
    for one in islice(generated(language).sessions("short"), 250):
        assert one.tokens <= 0.025 * total
        assert one.tokens == sum(EstimateCounter().count(each.text) for each in one.messages)
        total += one.tokens


@pytest.mark.parametrize("language", LANGUAGES)
def test_generated_sessions_hold_every_role_and_long_messages_of_users(language: str) -> None:
    found = [each for one in islice(generated(language).sessions("roles"), 300) for each in one.messages]
    assert {each.role for each in found} == {"user", "assistant", "tool"}
    long = [each for each in found if each.role == "user" and EstimateCounter().count(each.text) > 270]
    assert len(long) > 20


def test_an_unknown_language_is_refused_before_the_first_session() -> None:
    with pytest.raises(InvalidInputError, match="No generated text in 'xx'"):
        generated("xx")


def test_fillers_in_turn_begin_the_second_after_the_first() -> None:
    def sessions(text: str) -> Filler:
        def of(seed: str) -> Iterator[object]:
            return iter([session([said(f"{text} {seed}", "s")])])

        return Filler(name=text, sessions=of)  # pyright: ignore[reportArgumentType]

    both = in_turn([sessions("first"), sessions("second")])
    assert both.name == "first then second"
    assert [one.messages[0].text for one in both.sessions("7")] == ["first 7", "second 7"]
