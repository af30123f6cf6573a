from __future__ import annotations

import pytest

from everyword.claims.triples import relates_others, relations


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My sister Mia lives in Lisbon.", [("user", "sister", "Mia"), ("Mia", "lives in", "Lisbon")]),
        ("My sister lives in Porto.", [("user", "sister", "user's sister"), ("user's sister", "lives in", "Porto")]),
        ("Rex is Mia's dog.", [("Mia", "dog", "Rex")]),
        ("Mia’s dog is called Rex.", [("Mia", "dog", "Rex")]),
        ("I have a dog called Rex.", [("user", "dog", "Rex")]),
        ("Mia's husband Tom works at Acme Corp.", [("Mia", "husband", "Tom"), ("Tom", "works at", "Acme Corp")]),
        ("I live in New York.", [("user", "lives in", "New York")]),
        ("我妹妹小美住在台北。", [("user", "妹妹", "小美"), ("小美", "住在", "台北")]),
        ("我妹妹小美在台積電上班。", [("user", "妹妹", "小美"), ("小美", "上班", "台積電")]),
        ("來福是小美的狗。", [("小美", "狗", "來福")]),
        ("小美的狗叫來福。", [("小美", "狗", "來福")]),
        ("我的猫叫咪咪。", [("user", "猫", "咪咪")]),
        ("The weather is nice.", []),
        ("My new car is red.", []),
        ("這家店的老闆是王先生。", []),
        ("我叫小明。", []),
    ],
)
def test_a_sentence_relates_what_it_names(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert [(each.subject, each.relation, each.object) for each in relations(text)] == expected


def test_what_a_model_calls_an_edge_is_read_more_freely() -> None:
    assert relations("Carla often argues with Dmitri.") == ()
    (only,) = relations("Carla often argues with Dmitri.", is_edge=True)
    assert (only.subject, only.relation, only.object) == ("Carla", "often argues with", "Dmitri")


@pytest.mark.parametrize(
    "text", ["Paris is nice.", "I live in Rome.", "He lives in Rome.", "今天很熱。", "What is Mia's dog called?"]
)
def test_only_two_named_things_are_a_relation_of_others(text: str) -> None:
    assert not relates_others(text)
