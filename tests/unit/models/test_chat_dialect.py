from __future__ import annotations

from collections.abc import Callable

import pytest

from everyword.models.chat_dialect import ChatRequest, Dialect, adapted, written
from everyword.models.reply_schema import reply_schema

MESSAGES = [{"role": "user", "content": "Where?"}]
FORM = {
    "type": "object",
    "properties": {"place": {"type": "string"}},
    "required": ["place"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("complaint", "better"),
    [
        (
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            Dialect(limit="max_completion_tokens"),
        ),
        (
            "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
            Dialect(has_temperature=False),
        ),
        (
            "This response_format type is unavailable now: json_schema is not supported",
            Dialect(form="json_object with schema"),
        ),
        (
            "1 validation error: {'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text' or 'json_object'\"}",
            Dialect(form="json_object with schema"),
        ),
        ("Failed to parse grammar", Dialect(form="json_object with schema")),
    ],
)
def test_what_is_refused_is_left_out(complaint: str, better: Dialect) -> None:
    assert adapted(Dialect(), complaint) == better


def test_the_form_falls_from_schema_to_json_to_words_and_no_further() -> None:
    dialect: Dialect | None = Dialect()
    forms: list[str] = []
    while dialect is not None:
        forms.append(dialect.form)
        dialect = adapted(dialect, "response_format is not supported")
    assert forms == ["json_schema", "json_object with schema", "json_object", "words"]


@pytest.mark.parametrize(
    "complaint",
    [
        "This model's maximum context length is 8192 tokens.",
        "Rate limit reached for tokens per min.",
        "messages: roles must alternate",
        "",
    ],
)
def test_other_complaints_change_nothing(complaint: str) -> None:
    assert adapted(Dialect(), complaint) is None


def test_each_dialect_is_written_as_the_endpoint_takes_it(need: Callable[..., None]) -> None:
    need("jsonschema")
    request = ChatRequest(messages=MESSAGES, max_tokens=9, temperature=0.5, schema=reply_schema(FORM))
    first = written(request, Dialect())
    assert (first["max_tokens"], first["temperature"]) == (9, 0.5)
    assert first["response_format"]["json_schema"] == {"name": "reply", "schema": FORM, "strict": True}
    assert first["messages"] == MESSAGES

    last = written(request, Dialect(limit="max_completion_tokens", has_temperature=False, form="words"))
    assert set(last) == {"messages", "max_completion_tokens"}
    assert '"place"' in last["messages"][-1]["content"]
    assert written(request, Dialect(form="json_object"))["response_format"] == {"type": "json_object"}
    enforced = written(request, Dialect(form="json_object with schema"))["response_format"]
    assert enforced == {"type": "json_object", "schema": FORM}
