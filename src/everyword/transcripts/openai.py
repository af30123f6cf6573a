"""OpenAI messages of the chat API, and items of the Responses API."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from everyword.domain.message import ROLES, Role
from everyword.errors import InvalidMessageError
from everyword.transcripts.content import call, view
from everyword.transcripts.json_text import is_array, is_object, text_or_none
from everyword.transcripts.said import Calls, Said

NAME = "openai"
ITEMS = frozenset({"function_call", "function_call_output", "reasoning", "custom_tool_call", "custom_tool_call_output"})
ARGUMENTS = ("arguments", "input", "action", "queries", "code", "operation")
OUTPUTS = ("output", "outputs", "results", "error")
PROBED = 5
NO_OUTPUT = "[no output]"
KNOWN = ", ".join(sorted(ROLES))


def most(found: Iterable[bool]) -> bool:
    """Tell whether at least half are true: one odd message does not hide what the others are."""
    answers = list(found)
    return 2 * sum(answers) >= len(answers) > 0


def is_item(value: Mapping[str, Any]) -> bool:
    """Tell whether this is an item of the Responses API other than a message."""
    kind = value.get("type")
    return "role" not in value and isinstance(kind, str) and (kind in ITEMS or kind.endswith(("_call", "_call_output")))


def recognises(value: Any) -> bool:
    """Tell whether this is an OpenAI message or item, or an object that holds some."""
    if not is_object(value):
        return False
    for key in ("messages", "input", "output"):
        inner = value.get(key)
        if is_array(inner) and inner and "type" not in value:
            return most(recognises(item) for item in inner[:PROBED])
    if is_array(value.get("choices")):
        return any(is_object(choice) and recognises(choice.get("message")) for choice in value["choices"])
    return is_item(value) or _is_message(value)


def _is_message(value: Mapping[str, Any]) -> bool:
    if value.get("role") not in (*ROLES, "function"):
        return False
    return isinstance(value.get("content", 0), str | list | None) or is_array(value.get("tool_calls"))


def said(value: Mapping[str, Any], calls: Calls) -> list[Said]:
    """Return what the message or item says. Raise InvalidMessageError."""
    if "role" not in value and value.get("type") == "reasoning":
        return [Said(role="assistant", text=_reasoning(value) or "[reasoning]")]
    if "role" not in value and is_item(value):
        return _item(value, calls)
    return [_message(value, calls)]


def _message(value: Mapping[str, Any], calls: Calls) -> Said:
    role = role_of(value)
    content = value.get("content")
    if not (content is None or isinstance(content, str) or (is_array(content) and _are_parts(content))):
        raise InvalidMessageError(f"content must be a text or a list of parts, not {_kind(content)}")
    announced = list(_calls(value, calls))
    text = view([value.get("reasoning_content"), value.get("reasoning"), content, value.get("refusal"), _spoken(value)])
    call_id = value.get("tool_call_id")
    if not text and not announced and not (role == "tool" and call_id and content is not None):
        raise InvalidMessageError(_why_empty(role))
    author = text_or_none(value.get("name")) or (calls.name_of(call_id) if role == "tool" else None)
    return Said(
        role=role,
        text="\n".join(part for part in (text, *announced) if part) or NO_OUTPUT,
        author=author,
        metadata={"tool_call_id": call_id if role == "tool" else None},
    )


def role_of(value: Mapping[str, Any]) -> Role:
    """Return the role, `function` as tool. Raise InvalidMessageError where it is unknown."""
    role = value.get("role")
    if role == "function":
        return "tool"
    if not isinstance(role, str) or role not in ROLES:
        given = f"unknown role {role!r}" if "role" in value else "the message has no role"
        raise InvalidMessageError(f"{given}: use one of {KNOWN}")
    return role  # type: ignore[return-value]


def _are_parts(content: Sequence[Any]) -> bool:
    return all(isinstance(part, str | dict) for part in content)


def _kind(content: Any) -> str:
    if is_array(content):
        odd = next(part for part in content if not isinstance(part, str | dict))
        return f"a list with {type(odd).__name__} in it"
    return type(content).__name__


def _why_empty(role: str) -> str:
    if role == "tool":
        return "a tool message needs content, or a tool_call_id and content that may be empty"
    return f"the {role} message has no content and no tool calls: give it one of them"


def _calls(value: Mapping[str, Any], calls: Calls) -> Iterator[str]:
    given = value.get("tool_calls")
    if given is not None and not is_array(given):
        raise InvalidMessageError(f"tool_calls must be a list, not {type(given).__name__}")
    for one in given or ():
        if not is_object(one):
            raise InvalidMessageError(f"a tool call must be an object, not {type(one).__name__}")
        inner = next((one[key] for key in ("function", "custom") if is_object(one.get(key))), one)
        calls.remember(one.get("id"), inner.get("name"))
        yield view(call(inner.get("name"), _arguments(inner)))
    legacy = value.get("function_call")
    if is_object(legacy):
        yield view(call(legacy.get("name"), legacy.get("arguments")))


def _arguments(inner: Mapping[str, Any]) -> Any:
    return next((inner[key] for key in (*ARGUMENTS, "args") if inner.get(key) is not None), None)


def _spoken(value: Mapping[str, Any]) -> Any:
    audio = value.get("audio")
    return audio.get("transcript") if is_object(audio) else None


def _reasoning(value: Mapping[str, Any]) -> str:
    return view([value.get("summary"), value.get("content")])


def _item(value: Mapping[str, Any], calls: Calls) -> list[Said]:
    kind = str(value["type"])
    if kind.endswith("_output"):
        return [_output(value, calls)]
    name = text_or_none(value.get("name")) or kind.removesuffix("_call")
    calls.remember(value.get("call_id") or value.get("id"), name)
    announced = Said(role="assistant", text=view(call(name, _arguments(value))))
    results = {key: value[key] for key in OUTPUTS if value.get(key)}
    if not results:
        return [announced]
    return [announced, Said(role="tool", text=view(list(results.values())), author=name, blocks=results)]


def _output(value: Mapping[str, Any], calls: Calls) -> Said:
    call_id = value.get("call_id")
    output = value.get("output")
    if output is None and call_id is None:
        raise InvalidMessageError("a tool output needs an output or a call_id")
    return Said(
        role="tool",
        text=view(output) or NO_OUTPUT,
        author=calls.name_of(call_id) or text_or_none(value.get("name")),
        metadata={"tool_call_id": call_id},
    )
