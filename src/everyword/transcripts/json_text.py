"""JSON values together with the exact text that they were read from, so that a record's bytes survive."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeGuard

LENIENT = json.JSONDecoder(strict=False)
SPACE = re.compile(r"[ \t\r\n]*")
SURROGATE = re.compile("[\ud800-\udfff]")


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Tell whether a JSON value is an object."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Tell whether a JSON value is an array."""
    return isinstance(value, list)


def text_or_none(value: object) -> str | None:
    """Return a text that is not empty, or None."""
    return value if isinstance(value, str) and value else None


def visible(text: str) -> str:
    """Return the text with lone surrogates as U+FFFD, the only characters that no encoding can hold."""
    return SURROGATE.sub("\ufffd", text)


def clean(value: Any) -> Any:
    """Return the JSON value with every text in it visible."""
    if isinstance(value, str):
        return visible(value)
    if is_object(value):
        return {visible(str(key)): clean(item) for key, item in value.items()}
    if is_array(value):
        return [clean(item) for item in value]
    return value


def dump(value: Any) -> bytes:
    """Return the value as JSON bytes; lone surrogates stay, as escapes."""
    try:
        return json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(value, ensure_ascii=True).encode()


def exact(text: str, value: Any) -> bytes:
    """Return the bytes that the text was decoded from, or JSON of the value where those are not readable JSON."""
    data = text.encode("utf-8", "surrogateescape")
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return dump(value)
    return data


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A JSON value and where it stands."""

    source: str
    start: int
    end: int
    value: Any
    place: str

    def payload(self) -> bytes:
        """Return the exact bytes of this value in the file."""
        return exact(self.source[self.start : self.end], self.value)

    def members(self) -> dict[str, Piece]:
        """Return the values of an object by key; of keys that repeat, the last."""
        return {key: self._part(span, f"[{key!r}]") for key, span in _members(self.source, self.start)}

    def items(self) -> Iterator[Piece]:
        """Yield the elements of an array."""
        for number, span in enumerate(_items(self.source, self.start)):
            yield self._part(span, f"[{number}]")

    def list_at(self, key: str) -> Iterator[Piece]:
        """Yield the elements of the array under a key of this object."""
        if not is_object(self.value) or not is_array(self.value.get(key)):
            return
        found = next(span for name, span in reversed(list(_members(self.source, self.start))) if name == key)
        for number, span in enumerate(_items(self.source, found[0])):
            yield self._part(span, f".{key}[{number}]")

    def _part(self, span: tuple[int, int, Any], suffix: str) -> Piece:
        start, end, value = span
        return Piece(source=self.source, start=start, end=end, value=value, place=self.place + suffix)


def piece(data: bytes, place: str) -> Piece:
    """Read one JSON value that fills the data. Raise ValueError with the reason."""
    text = data.decode("utf-8", "surrogateescape")
    start = _skip(text, 0)
    try:
        value, end = LENIENT.raw_decode(text, start)
    except RecursionError as error:
        raise ValueError("nested too deeply to be read") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"not valid JSON: {error.msg} at character {error.pos}") from error
    if _skip(text, end) != len(text):
        raise ValueError(f"not valid JSON: something follows the value at character {end}")
    return Piece(source=text, start=start, end=end, value=value, place=place)


def _skip(text: str, position: int) -> int:
    match = SPACE.match(text, position)
    return match.end() if match else position


def _members(text: str, start: int) -> Iterator[tuple[str, tuple[int, int, Any]]]:
    position = _skip(text, _skip(text, start) + 1)
    while text[position] == '"':
        key, position = LENIENT.raw_decode(text, position)
        begin = _skip(text, _skip(text, position) + 1)
        value, end = LENIENT.raw_decode(text, begin)
        yield key, (begin, end, value)
        position = _skip(text, end)
        position = _skip(text, position + 1) if text[position] == "," else position


def _items(text: str, start: int) -> Iterator[tuple[int, int, Any]]:
    position = _skip(text, _skip(text, start) + 1)
    while text[position] != "]":
        value, end = LENIENT.raw_decode(text, position)
        yield position, end, value
        position = _skip(text, end)
        position = _skip(text, position + 1) if text[position] == "," else position
