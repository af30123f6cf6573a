"""What an OpenAI-compatible endpoint understands: learned from what it refuses, since none of them says it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from everyword.models.reply_schema import ReplySchema

Form = Literal["json_schema", "json_object with schema", "json_object", "words"]
FORMS: tuple[Form, ...] = get_args(Form)
MOST_CHANGES = 5
"""Of the dialect for one request: one for each thing that can be refused, three for the form."""

_REFUSES = re.compile(
    r"unsupported|not support|unrecogni[sz]ed|unknown|unexpected|not (?:permitted|allowed|available)|extra |invalid"
    r"|only the default|instead|(?:must|should) be|failed to|grammar"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How a request is written."""

    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    has_temperature: bool = True
    form: Form = "json_schema"
    """How a schema is told: enforced in either of two ways, JSON of any form enforced, or in words alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """What is asked, whatever the dialect."""

    messages: Sequence[Mapping[str, Any]]
    max_tokens: int
    temperature: float
    schema: ReplySchema | None = None


def written(request: ChatRequest, dialect: Dialect) -> dict[str, Any]:
    """Return the arguments of the client's `chat.completions.create`."""
    arguments: dict[str, Any] = {"messages": list(request.messages), dialect.limit: request.max_tokens}
    if dialect.has_temperature:
        arguments["temperature"] = request.temperature
    if request.schema is None:
        return arguments
    if dialect.form == "json_schema":
        return arguments | {"response_format": {"type": "json_schema", "json_schema": _schema(request.schema)}}
    arguments["messages"] = [*request.messages, {"role": "system", "content": in_words(request.schema)}]
    if dialect.form == "words":
        return arguments
    enforced = {"schema": dict(request.schema.document)} if dialect.form == "json_object with schema" else {}
    return arguments | {"response_format": {"type": "json_object", **enforced}}


def adapted(dialect: Dialect, complaint: str) -> Dialect | None:
    """Return a dialect without what the endpoint complains about; None where the complaint is about something else."""
    said = complaint.lower()
    if not _REFUSES.search(said):
        return None
    if "max_tokens" in said or "max_completion_tokens" in said:
        other = "max_completion_tokens" if dialect.limit == "max_tokens" else "max_tokens"
        return replace(dialect, limit=other)
    if "temperature" in said and dialect.has_temperature:
        return replace(dialect, has_temperature=False)
    if re.search(r"response_format|json_schema|json_object|grammar|schema", said) and dialect.form != FORMS[-1]:
        return replace(dialect, form=FORMS[FORMS.index(dialect.form) + 1])
    return None


def in_words(schema: ReplySchema) -> str:
    """Return the request for a form, for endpoints that do not enforce one."""
    document = json.dumps(schema.document, ensure_ascii=False)
    return f"Reply with one JSON value and nothing else. It has to fit this JSON schema:\n{document}"


def _schema(schema: ReplySchema) -> dict[str, Any]:
    strict = {"strict": True} if schema.is_strict else {}
    return {"name": schema.name, "schema": dict(schema.document), **strict}
