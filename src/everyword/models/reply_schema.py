"""What a structured reply has to fit: a JSON schema, a dataclass or a pydantic model, read in one way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from everyword.errors import InvalidInputError
from everyword.models.extras import required

LISTED = 5
"""Mistakes that are told at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplySchema:
    """A form for replies."""

    name: str
    document: Mapping[str, Any]
    """The JSON schema."""
    read: Callable[[Any], Any]
    """Returns the value of a parsed reply; raises ValueError, which says what does not fit."""

    @property
    def is_strict(self) -> bool:
        """Tell whether every object is closed and demands all of its properties, as OpenAI's strict mode wants it."""
        return _is_strict(self.document)


def reply_schema(schema: Any) -> ReplySchema:
    """Return the form that a dict, a dataclass, a pydantic model or another type stands for. Raise InvalidInputError."""
    if isinstance(schema, ReplySchema):
        return schema
    if isinstance(schema, Mapping):
        return _of_document(cast("Mapping[str, Any]", schema))
    return _of_type(schema)


def _of_document(document: Mapping[str, Any]) -> ReplySchema:
    jsonschema = required("jsonschema", extra="llm")
    try:
        jsonschema.Draft202012Validator.check_schema(document)
    except jsonschema.SchemaError as error:
        raise InvalidInputError(f"The schema is no JSON schema: {error.message}") from error
    validator = jsonschema.Draft202012Validator(document)

    def read(value: Any) -> Any:
        mistakes = [(each.absolute_path, each.message) for each in validator.iter_errors(value)]
        if mistakes:
            raise ValueError(told(mistakes))
        return value

    return ReplySchema(name=_name(str(document.get("title", "reply"))), document=document, read=read)


def _of_type(form: Any) -> ReplySchema:
    pydantic = required("pydantic", extra="llm")
    try:
        adapter = pydantic.TypeAdapter(form)
        document = adapter.json_schema()
    except pydantic.errors.PydanticUserError as error:
        raise InvalidInputError(f"{form!r} cannot be a schema: {error}") from error

    def read(value: Any) -> Any:
        try:
            return adapter.validate_python(value)
        except pydantic.ValidationError as error:
            mistakes = [(each["loc"], each["msg"]) for each in error.errors(include_url=False)]
            raise ValueError(told(mistakes)) from error

    return ReplySchema(name=_name(getattr(form, "__name__", "reply")), document=document, read=read)


def told(mistakes: Iterable[tuple[Iterable[str | int], str]]) -> str:
    """Return the mistakes in one line, each with its place."""
    lines = [f"{'.'.join(map(str, place)) or 'the value'}: {message}" for place, message in mistakes]
    more = [f"and {len(lines) - LISTED} more"] if len(lines) > LISTED else []
    return "; ".join([*lines[:LISTED], *more])


def _name(title: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "_", title)[:64] or "reply"


def _is_strict(node: Any) -> bool:
    if isinstance(node, list):
        return all(map(_is_strict, cast("list[Any]", node)))
    if not isinstance(node, Mapping):
        return True
    found = cast("Mapping[str, Any]", node)
    properties = found.get("properties")
    if found.get("type") == "object" and not isinstance(properties, Mapping):
        return False
    if isinstance(properties, Mapping):
        names = set(cast("Mapping[str, Any]", properties))
        if found.get("additionalProperties") is not False or set(found.get("required", ())) != names:
            return False
    return all(map(_is_strict, found.values()))
