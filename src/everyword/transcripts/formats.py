"""The formats that can be read, by name; which one a file has; and the way from a path to drafts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from everyword.domain.message import Draft, Skipped
from everyword.errors import TranscriptError, UnknownFormatError
from everyword.transcripts import (
    anthropic,
    chatgpt,
    claude_ai,
    claude_code,
    codex,
    everyword,
    jsonl,
    langchain,
    mem0,
    openai,
    sharegpt,
    slack,
)
from everyword.transcripts.json_text import is_object
from everyword.transcripts.records import first_values, layout_of, records
from everyword.transcripts.sources import DOCUMENTS, LOGS, Source, named, sources

PROBED_FILES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """How one format is recognised and read."""

    name: str
    recognises: Callable[[Any], bool]
    """Whether one record of a file is of this format."""
    read: Callable[[Sequence[Source]], Iterator[Draft | Skipped]]


FORMATS: dict[str, Format] = {
    one.name: one
    for one in (
        Format(name=everyword.NAME, recognises=everyword.recognises, read=everyword.read),
        Format(name=chatgpt.NAME, recognises=chatgpt.recognises, read=chatgpt.read),
        Format(name=claude_ai.NAME, recognises=claude_ai.recognises, read=claude_ai.read),
        Format(name=claude_code.NAME, recognises=claude_code.recognises, read=claude_code.read),
        Format(name=codex.NAME, recognises=codex.recognises, read=codex.read),
        Format(name=sharegpt.NAME, recognises=sharegpt.recognises, read=sharegpt.read),
        Format(name=langchain.NAME, recognises=langchain.recognises, read=langchain.read),
        Format(name=slack.NAME, recognises=slack.recognises, read=slack.read),
        Format(name=mem0.NAME, recognises=mem0.recognises, read=mem0.read),
        Format(name=anthropic.NAME, recognises=anthropic.recognises, read=partial(jsonl.read_as, anthropic.NAME)),
        Format(name=openai.NAME, recognises=openai.recognises, read=partial(jsonl.read_as, openai.NAME)),
        Format(name=jsonl.NAME, recognises=jsonl.recognises, read=jsonl.read),
    )
}
"""In the order in which they are tried: the more particular before the more general."""


def read(path: str | Path, format: str | None = None) -> Iterator[Draft | Skipped]:  # noqa: A002 - the command's word
    """Yield the drafts of the file or folder, and Skipped for each record that cannot be taken.

    Raise TranscriptError at once where the path holds no conversation, UnknownFormatError where the format is unknown.
    """
    chosen = _format(format) if format is not None else FORMATS[recognise(path)]
    files = sources(Path(path))
    if len(files) == 1:
        layout_of(files[0])
    return chosen.read(files)


def recognise(path: str | Path) -> str:
    """Return the name of the format. Raise UnknownFormatError where none fits, TranscriptError where nothing is."""
    files = sources(Path(path))
    if not files:
        raise TranscriptError(f"{str(path)!r} holds no files")
    if slack.is_export(files):
        return slack.NAME
    if len(files) == 1:
        return _of_file(files[0]) or _refuse(path)
    export = named(files, *chatgpt.FILES)
    for file in export or (*named(files, *LOGS), *named(files, *DOCUMENTS))[:PROBED_FILES]:
        name = _of_member(file)
        if name is not None:
            return name
    return _refuse(path)


def _of_member(file: Source) -> str | None:
    try:
        return _of_file(file)
    except TranscriptError:
        return None


def _of_file(file: Source) -> str | None:
    """Return the format whose mark is on one of the first records."""
    try:
        layout = layout_of(file)
    except UnknownFormatError:
        return None
    values = first_values(file)
    if layout == "object" and not values:
        raise TranscriptError(f"{file.name!r} is cut or damaged: {_first_reason(file)}")
    for one in FORMATS.values():
        if any(one.recognises(value) for value in values):
            return jsonl.NAME if _is_general(one.name, layout, values) else one.name
    return None


def _first_reason(file: Source) -> str:
    return next((one.reason for one in records(file) if isinstance(one, Skipped)), "it holds nothing")


def _is_general(name: str, layout: str, values: Sequence[Any]) -> bool:
    """Messages of a provider in lines, or lists of them, are a file of jsonl; one list or object is the provider's."""
    if name not in (openai.NAME, anthropic.NAME):
        return False
    return layout == "lines" or (layout == "array" and not all(map(_is_single, values)))


def _is_single(value: Any) -> bool:
    return is_object(value) and ("role" in value or openai.is_item(value))


def _format(name: str) -> Format:
    if name not in FORMATS:
        raise UnknownFormatError(f"unknown format {name!r}: use one of {_known()}")
    return FORMATS[name]


def _refuse(path: str | Path) -> str:
    raise UnknownFormatError(
        f"the format of {Path(path).name!r} is not recognised: name it with --format, one of {_known()}"
    )


def _known() -> str:
    return ", ".join(sorted(FORMATS))
