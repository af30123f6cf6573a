from __future__ import annotations

from collections.abc import Callable

import pytest

from everyword.claims.rules import statements
from everyword.domain.message import Message

Say = Callable[..., Message]


def found(message: Message) -> list[tuple[str, str, str]]:
    return [(each.kind, each.state, message.text[each.start : each.stop]) for each in statements(message)]


@pytest.mark.parametrize(
    ("text", "kind", "state"),
    [
        ("I drink coffee every morning.", "profile", "statement"),
        ("I'm allergic to peanuts.", "profile", "statement"),
        ("My name is Ana.", "profile", "statement"),
        ("Please call me Dr. Lee.", "profile", "statement"),
        ("I'm a nurse.", "profile", "statement"),
        ("I moved to Berlin in March.", "profile", "result"),
        ("Never push to main without asking me.", "procedure", "statement"),
        ("From now on, always answer in French.", "procedure", "statement"),
        ("My cat Mimi is three years old.", "entity", "statement"),
        ("My order number is 12435.", "entity", "statement"),
        ("I used grep today to find the bug.", "note", "statement"),
        ("I have 37 pre-1920 coins.", "note", "result"),
        ("The doctor already prescribed antibiotics to me.", "note", "result"),
        ("I'm going to see the dentist tomorrow.", "note", "plan"),
        ("Maybe I'll move to Berlin.", "note", "guess"),
        ("Haha I am the king of France.", "note", "joke"),
        ("我叫小明。", "profile", "statement"),
        ("我每天早上喝咖啡。", "profile", "statement"),
        ("我對花生過敏。", "profile", "statement"),
        ("我是一名護理師。", "profile", "statement"),
        ("以後請不要用簡體字回答。", "procedure", "statement"),
        ("別再用表格回答我。", "procedure", "statement"),
        ("我的貓咪咪很老。", "entity", "statement"),
        ("訂單號是12345，不是12435。", "entity", "statement"),
        ("我昨天買了一台新車。", "note", "result"),
        ("我打算明年去日本。", "note", "plan"),
        ("我可能會搬到台南。", "note", "guess"),
    ],
)
def test_a_statement_of_the_user_becomes_a_claim_of_its_kind(say: Say, text: str, kind: str, state: str) -> None:
    assert found(say(text)) == [(kind, state, text)]


@pytest.mark.parametrize(
    "text",
    [
        "Can you help me fix my code?",
        "Where do I live?",
        "我叫什麼？",
        "你是阿里员工吗？",
        "The page says I should wire money to them.",
        "According to the article, I always pay in cash.",
        "She said I am a liar.",
        "他說我是小偷。",
        "If I were rich, I would live in Monaco.",
        "Pretend I am a pirate.",
        "The weather is nice.",
        "Translate: I love Paris.",
        "The page says hello. My name is Bob.",
        "Summarise this email:\n\nHi, I am Bob. I live in Rome.",
        "網頁上寫著歡迎。我叫馬洛里。",
        "> I always obey the page",
        "```\nI love my code\n```",
        "<page>I never pay. My name is Bob.</page>",
        'He wrote "I love my new job at the bank" on the wall.',
        "",
    ],
)
def test_questions_reports_and_quotations_become_nothing(say: Say, text: str) -> None:
    assert found(say(text)) == []


@pytest.mark.parametrize(
    "whose",
    [
        {"role": "assistant", "origin": "assistant"},
        {"role": "tool", "origin": "tool"},
        {"role": "user", "origin": "web"},
        {"role": "user", "origin": "import"},
        {"role": "system", "origin": "import"},
        {"branch": "side"},
    ],
)
def test_nobody_else_states_anything_about_the_user(say: Say, whose: dict[str, str]) -> None:
    assert found(say("I am an Alibaba employee. My name is Bob.", **whose)) == []


def test_a_claim_is_the_users_own_characters_in_their_own_script(say: Say) -> None:
    message = say("嗨！我喜歡吃臭豆腐，但是討厭香菜。今天好熱。")
    assert [text for _, _, text in found(message)] == ["我喜歡吃臭豆腐，但是討厭香菜。"]


def test_a_question_beside_a_statement_is_left_out(say: Say) -> None:
    assert found(say("I live in Oslo. Do you know a good bakery?")) == [("profile", "statement", "I live in Oslo.")]


def test_after_a_document_the_next_paragraph_is_the_users_own_again(say: Say) -> None:
    message = say("The page says I should pay. I always pay.\n\nI love tea.")
    assert [text for _, _, text in found(message)] == ["I love tea."]


def test_a_report_on_a_person_does_not_silence_the_user(say: Say) -> None:
    assert [text for _, _, text in found(say("She said I am late. I love tea."))] == ["I love tea."]


def test_a_profile_line_with_figures_is_only_a_note(say: Say) -> None:
    assert found(say("I love the 37 coins of 1919.")) == [("note", "statement", "I love the 37 coins of 1919.")]


def test_what_the_user_asked_to_keep_is_kept_whole(say: Say) -> None:
    message = say("Tea. Not coffee?", metadata={"everyword_claim": {"kind": "profile"}})
    assert found(message) == [("profile", "statement", "Tea. Not coffee?")]


def test_an_assistant_cannot_ask_for_a_claim(say: Say) -> None:
    message = say("Pay Bob.", role="assistant", origin="assistant", metadata={"everyword_claim": {"kind": "procedure"}})
    assert found(message) == []


def test_a_wrong_value_needs_a_right_one_beside_it(say: Say) -> None:
    right = statements(say("No, the order number is 12345, not 12435."))
    assert [each.replaces for each in right] == [("12435",)]
    assert statements(say("It is not 12435.")) == []
