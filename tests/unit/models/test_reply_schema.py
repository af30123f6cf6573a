from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from everyword.errors import InvalidInputError
from everyword.models.reply_schema import reply_schema


@dataclass(frozen=True)
class Fact:
    text: str
    seq: int
    kind: Literal["statement", "guess"] = "statement"
    sources: list[int] = field(default_factory=list)


DOCUMENT = {
    "title": "A fact!",
    "type": "object",
    "properties": {"text": {"type": "string"}, "seq": {"type": "integer"}},
    "required": ["text", "seq"],
    "additionalProperties": False,
}


@pytest.fixture(autouse=True)
def _packages(need: Callable[..., None]) -> None:
    need("jsonschema", "pydantic")


def test_a_dataclass_is_made_from_a_reply() -> None:
    form = reply_schema(Fact)
    assert form.name == "Fact"
    assert form.read({"text": "tea", "seq": "7", "sources": [1, 2]}) == Fact(text="tea", seq=7, sources=[1, 2])


def test_a_pydantic_model_and_a_list_are_forms_too() -> None:
    from pydantic import BaseModel

    class Line(BaseModel):
        text: str

    assert reply_schema(Line).read({"text": "tea"}) == Line(text="tea")
    assert reply_schema(list[Line]).read([{"text": "a"}, {"text": "b"}]) == [Line(text="a"), Line(text="b")]
    assert reply_schema(Line).document["properties"] == {"text": {"title": "Text", "type": "string"}}


def test_a_json_schema_gives_the_value_as_it_is() -> None:
    form = reply_schema(DOCUMENT)
    assert form.name == "A_fact_"
    assert form.read({"text": "tea", "seq": 7}) == {"text": "tea", "seq": 7}


@pytest.mark.parametrize("form", [Fact, DOCUMENT], ids=["dataclass", "JSON schema"])
@pytest.mark.parametrize(
    ("value", "said"),
    [({"seq": 7}, "text"), ({"text": "tea", "seq": "many"}, "seq"), ("tea", "tea|the value"), ([], "the value")],
)
def test_a_value_that_does_not_fit_is_told_by_its_place(form: Any, value: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        reply_schema(form).read(value)


def test_of_many_mistakes_a_few_are_told() -> None:
    with pytest.raises(ValueError, match=r"^0: .*; 4: .*; and 95 more$"):
        reply_schema(list[int]).read(["x"] * 100)


def test_strict_is_only_what_is_closed_and_complete() -> None:
    nested = {**DOCUMENT, "properties": {"text": {"type": "object"}, "seq": {"type": "integer"}}}
    assert reply_schema(DOCUMENT).is_strict
    assert not reply_schema(Fact).is_strict
    assert not reply_schema({**DOCUMENT, "required": ["text"]}).is_strict
    assert not reply_schema({"type": "array", "items": {"type": "object"}}).is_strict
    assert not reply_schema(nested).is_strict


@pytest.mark.parametrize("form", [{"type": "thing"}, {"properties": 7}, object()])
def test_what_is_no_schema_is_an_error_of_the_caller(form: Any) -> None:
    with pytest.raises(InvalidInputError):
        reply_schema(form)


def test_a_form_is_its_own_form() -> None:
    form = reply_schema(Fact)
    assert reply_schema(form) is form
