"""Records of a file, whichever way it holds them: a line each, the elements of an array, or one object."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO, Literal

from everyword.domain.message import Skipped
from everyword.errors import TranscriptError, UnknownFormatError
from everyword.transcripts.elements import Broken, elements
from everyword.transcripts.json_text import Piece, is_array, is_object, piece
from everyword.transcripts.sources import Source

Layout = Literal["lines", "array", "object"]

HEAD = 1 << 18
LONG_LINE = 1 << 26
PROBE_LINES = 50
PROBE_RECORDS = 200
UNREADABLE = (EOFError, OSError, zlib.error, zipfile.BadZipFile)


def records(source: Source) -> Iterator[Piece | Skipped]:
    """Yield every record with its place; one that is not JSON, and the rest of a damaged file, as Skipped."""
    try:
        layout = layout_of(source)
    except TranscriptError as error:
        yield Skipped(place=source.name, reason=str(error))
        return
    readers = {"lines": _lines, "array": _array, "object": _object}
    try:
        with source.open() as stream:
            yield from readers[layout](stream, source.name)
    except UNREADABLE as error:
        yield Skipped(place=source.name, reason=f"the file cannot be read further: {error}")


def layout_of(source: Source) -> Layout:
    """Tell how the file holds its records. Raise TranscriptError, UnknownFormatError where it is not JSON."""
    try:
        with source.open() as stream:
            head = stream.read(HEAD)
    except UNREADABLE as error:
        raise TranscriptError(f"{source.name!r} cannot be read: {error}") from error
    text = head.lstrip()
    if not text:
        raise TranscriptError(f"{source.name!r} is empty")
    whole = len(head) < HEAD
    lines = [line for line in text.split(b"\n") if line.strip()]
    if _has_lines(lines, whole=whole, expected=source.in_lines) or (
        text[:1] == b"{" and len(lines) == 1 and not whole and _has_long_lines(source)
    ):
        return "lines"
    if text[:1] == b"[":
        return "array"
    if text[:1] == b"{":
        return "object"
    raise UnknownFormatError(f"{source.name!r} is not JSON: it holds no conversation that can be read")


def _has_lines(lines: list[bytes], *, whole: bool, expected: bool) -> bool:
    complete = lines if whole else lines[:-1]
    if len(lines) == 1:
        return expected or (not whole and lines[0][:1] not in b"[{")
    first = complete[0].strip() if complete else b""
    if first in (b"{", b"[") or (first.endswith((b",", b"{", b"[")) and not _is_json(first)):
        return False
    if len(complete) > 1 and all(map(_is_json, complete[:2])):
        return True
    return any(_is_record(line) for line in complete[:PROBE_LINES]) and (
        _is_json(first) or not _is_json(b"".join(lines))
    )


def _has_long_lines(source: Source) -> bool:
    """Look past a first line that is longer than the head."""
    with source.open() as stream:
        line = stream.readline(LONG_LINE)
        return bool(stream.read(HEAD).strip()) and _is_json(line)


def _is_record(line: bytes) -> bool:
    return line.lstrip()[:1] == b"{" and _is_json(line)


def _is_json(data: bytes) -> bool:
    try:
        piece(data, "")
    except ValueError:
        return False
    return True


def _lines(stream: BinaryIO, name: str) -> Iterator[Piece | Skipped]:
    for number, line in enumerate(stream, start=1):
        if line.strip():
            yield _read(line.rstrip(b"\r\n"), f"{name}:{number}", whole=True)


def _array(stream: BinaryIO, name: str) -> Iterator[Piece | Skipped]:
    for element in elements(stream):
        place = f"{name}[{element.number}]"
        if isinstance(element, Broken):
            yield Skipped(
                place=f"{name}, byte {element.offset}", reason=f"{element.reason} (in element {element.number})"
            )
        else:
            yield _read(element.data, place)


def _object(stream: BinaryIO, name: str) -> Iterator[Piece | Skipped]:
    yield _read(stream.read(), name)


def _read(data: bytes, place: str, *, whole: bool = False) -> Piece | Skipped:
    """Read a record; `whole` keeps space around the value in its payload, as part of the line."""
    try:
        found = piece(data, place)
    except ValueError as error:
        return Skipped(place=place, reason=str(error))
    if not whole:
        return found
    return Piece(source=found.source, start=0, end=len(found.source), value=found.value, place=place)


def first_values(source: Source, count: int = 20) -> list[object]:
    """Return the first readable records that are objects or arrays, to recognise the format by."""
    found = (record.value for record in islice(records(source), PROBE_RECORDS) if isinstance(record, Piece))
    return list(islice((value for value in found if is_object(value) or is_array(value)), count))
