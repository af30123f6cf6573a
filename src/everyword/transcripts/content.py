"""The readable view of what a message holds: text, calls, results, and a marker for what is not text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from everyword.transcripts.json_text import is_array, is_object, visible

Block = Mapping[str, Any]
LONGEST_TOKEN = 2_000
CAPTIONS = ("caption", "alt_text", "alt", "blip_caption", "title", "filename", "file_name", "name")
TEXTS = (
    "text",
    "value",
    "thinking",
    "refusal",
    "transcript",
    "summary",
    "output",
    "content",
    "message",
    "extracted_content",
)
TEXT_TYPES = frozenset(
    {
        "text",
        "input_text",
        "output_text",
        "summary_text",
        "reasoning_text",
        "thinking",
        "refusal",
        "reasoning",
        "text_delta",
    }
)


def view(content: Any) -> str:
    """Return the words of a message's content, its parts joined with line ends."""
    return visible("\n".join(line for line in lines(content) if line))


def lines(content: Any) -> Iterator[str]:
    """Yield the view of each part of a content."""
    if content is None:
        return
    if isinstance(content, str):
        yield content
    elif is_array(content):
        for part in content:
            yield from lines(part)
    elif is_object(content):
        yield from _block(content)
    else:
        yield json.dumps(content, ensure_ascii=False)


def call(name: Any, arguments: Any) -> str:
    """Return the view of a tool call: its name and its arguments as JSON."""
    given = arguments if isinstance(arguments, str) else "" if arguments is None else shown(arguments)
    return f"{name if isinstance(name, str) and name else 'tool'}({given})"


def marker(kind: str, label: Any = None) -> str:
    """Return what stands for something that is not text."""
    return f"[{kind}: {label}]" if isinstance(label, str) and label else f"[{kind}]"


def caption(block: Block) -> str | None:
    """Return the name or caption that a picture or file has."""
    return next((block[key] for key in CAPTIONS if isinstance(block.get(key), str) and block[key]), None)


def shown(value: Any) -> str:
    """Return JSON of a value; long encoded data in it becomes a marker, for it holds no words."""
    return json.dumps(_without_data(value), ensure_ascii=False, default=str)


def _without_data(value: Any) -> Any:
    if is_object(value):
        return {key: _without_data(item) for key, item in value.items()}
    if is_array(value):
        return [_without_data(item) for item in value]
    if isinstance(value, str) and len(value) > LONGEST_TOKEN and value.isascii() and not any(map(str.isspace, value)):
        return f"[data: {len(value)} characters]"
    return value


def _block(block: Block) -> Iterator[str]:
    kind = block.get("type")
    kind = kind if isinstance(kind, str) else ""
    reader = READERS.get(kind)
    if reader is None and kind.endswith("tool_use"):
        reader = _call
    if reader is None and kind.endswith("tool_result"):
        reader = _result
    found = [line for line in (reader or _plain)(block) if line]
    yield from found or _unknown(block, kind)


def _plain(block: Block) -> Iterator[str]:
    """Read a part of text, whatever its type is called."""
    for key in TEXTS:
        yield from lines(block.get(key))


def _call(block: Block) -> Iterator[str]:
    arguments = block.get("input", block.get("arguments", block.get("args")))
    yield call(block.get("name"), arguments)


def _result(block: Block) -> Iterator[str]:
    yield from lines(block.get("content"))
    yield from lines(block.get("error"))
    if not any(line for line in lines(block.get("content"))) and not block.get("error"):
        yield marker("no output")


def _image(block: Block) -> Iterator[str]:
    yield marker("image", caption(block) or _address(block))


def _file(block: Block) -> Iterator[str]:
    inner = block.get("file")
    inner = inner if is_object(inner) else {}
    yield marker("file", caption(block) or caption(inner) or _address(block))
    source = block.get("source")
    if is_object(source) and source.get("type") in ("text", "content"):
        yield from lines(source.get("data"))
        yield from lines(source.get("content"))
    yield from lines(block.get("context"))
    yield from lines(block.get("text"))


def _address(block: Block) -> str | None:
    """Return a link or id of a picture or file; never its data."""
    for key in ("image_url", "source", "url", "file_id", "path", "file", "file_url", "document_url"):
        found = block.get(key)
        if is_object(found):
            found = found.get("url") or found.get("file_id")
        if isinstance(found, str) and found and not found.startswith("data:"):
            return found
    return None


def _audio(block: Block) -> Iterator[str]:
    yield marker("audio", caption(block))
    for key in ("transcript", "text"):
        yield from lines(block.get(key))


def _hidden(_block: Block) -> Iterator[str]:
    yield marker("thinking", "redacted")


def _search_result(block: Block) -> Iterator[str]:
    for key in ("title", "url", "source", "content", "text"):
        yield from lines(block.get(key))


def _signed(block: Block) -> Iterator[str]:
    """Read thinking, of which sometimes only the signature is left."""
    yield from lines(block.get("thinking"))
    yield from lines(block.get("summaries"))
    if not block.get("thinking") and not block.get("summaries"):
        yield marker("thinking")


def _unknown(block: Block, kind: str) -> Iterator[str]:
    """Show a part of unknown type whole, so that none of its words is lost to a reader."""
    rest = {
        key: value for key, value in block.items() if key not in ("type", "cache_control", "annotations", "citations")
    }
    if kind in TEXT_TYPES or not any(value not in (None, "", [], {}) for value in rest.values()):
        return
    yield marker(kind or "part", shown(rest))


READERS: dict[str, Callable[[Block], Iterator[str]]] = {
    "tool_use": _call,
    "tool_call": _call,
    "function_call": _call,
    "tool_result": _result,
    "image": _image,
    "image_url": _image,
    "input_image": _image,
    "image_asset_pointer": _image,
    "document": _file,
    "file": _file,
    "input_file": _file,
    "input_audio": _audio,
    "audio": _audio,
    "redacted_thinking": _hidden,
    "thinking": _signed,
    "search_result": _search_result,
    "web_search_result": _search_result,
}
