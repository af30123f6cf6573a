"""Elements of a JSON array that is too large for memory: exact bytes, one at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

CHUNK = 1 << 18
SPACE = b" \t\r\n"
# Everything up to the next bracket, or up to a string that the buffer does not hold whole.
BETWEEN = re.compile(rb'(?:[^"\[\]{}]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+', re.DOTALL)
BETWEEN_AT_TOP = re.compile(rb'(?:[^"\[\]{},]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+', re.DOTALL)
IN_STRING = re.compile(rb"[^\"\\]*+(?:\\.[^\"\\]*+)*+", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """One element, its position in the array, and the offset of its first byte in the file."""

    number: int
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """The array cannot be read past this byte."""

    number: int
    offset: int
    reason: str


def elements(stream: BinaryIO, *, chunk: int = CHUNK) -> Iterator[Element | Broken]:
    """Yield the elements of the array that the stream holds; end with Broken where it does not end as one."""
    return _Splitter(stream, chunk).run()


class _Splitter:
    """Scans a window of the file; bytes before the current element are dropped as it moves on."""

    def __init__(self, stream: BinaryIO, chunk: int) -> None:
        self.stream = stream
        self.chunk = chunk
        self.window = bytearray()
        self.base = stream.tell()
        self.position = 0
        self.begin = 0
        self.number = 0
        self.depth = 1
        self.in_string = False

    def run(self) -> Iterator[Element | Broken]:
        if self._next_byte() != ord("["):
            yield self._broken("expected the start of an array")
            return
        self.position += 1
        self.begin = self.position
        while True:
            closer = self._advance()
            if closer is None:
                yield from self._cut_short()
                return
            if closer == ord("}"):
                yield self._broken("a bracket closes what was never opened")
                return
            found = self._element(last=closer == ord("]"))
            if found is not None:
                yield found
            if closer == ord("]"):
                break
        if self._next_byte() is not None:
            yield self._broken("something follows the end of the array")

    def _element(self, *, last: bool) -> Element | None:
        raw = bytes(self.window[self.begin : self.position])
        data = raw.strip(SPACE)
        offset = self.base + self.begin + len(raw) - len(raw.lstrip(SPACE))
        self.position += 1
        self._forget()
        if last and not data:
            return None
        found = Element(number=self.number, offset=offset, data=data)
        self.number += 1
        return found

    def _advance(self) -> int | None:
        """Move to the byte that ends the current element and return it; None at the end of the file."""
        while True:
            if self.position >= len(self.window):
                if not self._read():
                    return None
                continue
            if self.in_string:
                if not self._leave_string():
                    return None
                continue
            pattern = BETWEEN_AT_TOP if self.depth == 1 else BETWEEN
            match = pattern.match(self.window, self.position)
            self.position = match.end() if match else self.position
            if self.position < len(self.window) and self._at_end_of_element():
                return self.window[self.position]

    def _at_end_of_element(self) -> bool:
        byte = self.window[self.position]
        if byte == ord(",") or (self.depth == 1 and byte in b"]}"):
            return True
        self.in_string = byte == ord('"')
        self.depth += (byte in b"[{") - (byte in b"]}")
        self.position += 1
        return False

    def _leave_string(self) -> bool:
        match = IN_STRING.match(self.window, self.position)
        self.position = match.end() if match else self.position
        if self.position < len(self.window) and self.window[self.position] == ord('"'):
            self.in_string = False
            self.position += 1
            return True
        return self._read()

    def _next_byte(self) -> int | None:
        """Skip space and return the byte after it; None at the end of the file."""
        while True:
            while self.position < len(self.window):
                if self.window[self.position] not in SPACE:
                    return self.window[self.position]
                self.position += 1
            self.begin = self.position
            self._forget()
            if not self._read():
                return None

    def _read(self) -> bool:
        data = self.stream.read(self.chunk)
        self.window += data
        return bool(data)

    def _forget(self) -> None:
        """Drop what was consumed, in large steps so that small elements cost nothing."""
        self.begin = self.position
        if self.begin >= self.chunk or self.begin >= len(self.window):
            del self.window[: self.begin]
            self.base += self.begin
            self.position = self.begin = 0

    def _cut_short(self) -> Iterator[Element | Broken]:
        """Yield what is left: an element of which the end is there, and the place where the file is cut."""
        rest = bytes(self.window[self.begin :])
        offset = self.base + self.begin + len(rest) - len(rest.lstrip(SPACE))
        data = rest.strip(SPACE)
        if data[-1:] in (b"}", b"]", b'"') and len(data) > 1 and self.depth == 1 and not self.in_string:
            yield Element(number=self.number, offset=offset, data=data)
            self.number += 1
            offset += len(data)
        yield Broken(number=self.number, offset=offset, reason="the file ends before the array does")

    def _broken(self, reason: str) -> Broken:
        offset = self.base + min(self.position, len(self.window))
        return Broken(number=self.number, offset=offset, reason=reason)
