from __future__ import annotations

import pytest

from everyword.retrieval.several import asks_for_several

SEVERAL = (
    "What activities does Melanie partake in?",
    "How many dogs does Andrew have?",
    "how often did I miss the rehearsal?",
    "Which events has Jon been to?",
    "What are my brother's hobbies?",
    "Who were the guests at the party?",
    "In what ways did she help the neighbours?",
    "What kinds of tea do I like?",
    "Where have I been skiing?",
    "Thanks. Which ferries did we take?",
    "我養過哪些動物？",
    "他去过几次日本？",
    "我有幾個孩子？",
    "她都什么时候去游泳？",
)
ONE = (
    "What is the name of my sister's dog?",
    "What does James do for a living?",
    "Which bus does she take to work?",
    "What class was moved to Friday?",
    "What news did Ana get from the embassy?",
    "When did I move to the new flat?",
    "Where were the keys?",
    "Who helped her with the garden?",
    "How long is the lease?",
    "我妹妹的狗叫什麼名字？",
    "會議改到哪一天？",
    "订单号码是多少？",
)


@pytest.mark.parametrize("question", SEVERAL)
def test_lists_and_counts_ask_for_several_things(question: str) -> None:
    assert asks_for_several(question)


@pytest.mark.parametrize("question", ONE)
def test_a_question_for_one_thing_does_not(question: str) -> None:
    assert not asks_for_several(question)
