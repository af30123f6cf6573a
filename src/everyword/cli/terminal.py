"""The two streams: data on stdout, talk on stderr; colour and width only where a person looks."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

NARROWEST = 40
_OPENING = "「『（《〈【〔“‘([{"
_CLOSING = "」』）》〉】〕”’)]}，。、；：！？…,.;:!?"
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def prepare() -> None:
    """Make both streams UTF-8, whatever the locale says."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def mute() -> None:
    """Send what is still buffered nowhere: the reader of stdout is gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def is_shown() -> bool:
    """Tell whether a person sees stdout."""
    return sys.stdout.isatty()


def width() -> int | None:
    """Return the columns to fit in: of COLUMNS or of the terminal; None where lines may have any length."""
    named = os.environ.get("COLUMNS", "")
    if named.isascii() and named.isdigit() and int(named) > 0:
        return max(NARROWEST, int(named))
    return max(NARROWEST, os.get_terminal_size(sys.stdout.fileno()).columns) if is_shown() else None


def visible(text: str) -> str:
    """Return the text with control characters made visible: stored words must not steer a terminal."""
    return _CONTROL.sub(_picture, text.replace("\r\n", "\n"))


def _picture(match: re.Match[str]) -> str:
    code = ord(match.group())
    return chr(0x2400 + code) if code < 0x20 else "\N{REPLACEMENT CHARACTER}"


def console() -> Console:
    """Return a console on stdout; plain text where nobody looks."""
    from rich.console import Console

    return Console(file=sys.stdout, width=width(), highlight=False, markup=False, emoji=False)


def say(message: str) -> None:
    """Tell the person something, on stderr."""
    print(visible(message), file=sys.stderr)


def write(text: str) -> None:
    """Put words on stdout exactly as they are; on a terminal visibly and with a line end."""
    sys.stdout.write(f"{visible(text)}\n" if is_shown() else text)


def write_lines(lines: Iterable[str]) -> None:
    """Put lines on stdout."""
    for line in lines:
        print(visible(line))


def write_json(document: Any) -> None:
    """Put one JSON document on stdout."""
    print(as_json(document))


def as_json(document: Any) -> str:
    """Return a JSON document, readable where a person sees it; lone surrogates are escaped."""
    text = json.dumps(document, ensure_ascii=False, indent=2 if is_shown() else None)
    return re.sub(r"[\ud800-\udfff]", lambda match: f"\\u{ord(match.group()):04x}", text)


def show(*parts: RenderableType) -> None:
    """Put styled parts on stdout, one under the other, without blanks at line ends where nobody looks."""
    screen = console()
    with screen.capture() as captured:
        for part in parts:
            screen.print(part)
    text = captured.get()
    sys.stdout.write(text if is_shown() else "".join(f"{line.rstrip()}\n" for line in text.splitlines()))


def show_text(text: Text, *, indent: int = 0) -> None:
    """Put styled text on stdout: wrapped to the width, or one line a paragraph where there is none."""
    screen, columns = console(), width()
    for paragraph in text.split("\n", allow_blank=True):
        for line in [paragraph] if columns is None else wrapped(paragraph, columns - indent):
            line.rstrip()
            screen.print(" " * indent if line else "", line, sep="", soft_wrap=True)


def wrapped(paragraph: Text, columns: int) -> Iterable[Text]:
    """Return lines of at most so many cells, broken at blanks and beside wide characters."""
    from rich.cells import cell_len

    words, start, taken, room_at = paragraph.plain, 0, 0, 0
    cuts: list[int] = []
    for place, character in enumerate(words):
        if place and _may_break(words[place - 1], character):
            room_at = place
        if taken + cell_len(character) > columns and character != " ":
            start = room_at if room_at > start else place
            cuts.append(start)
            taken = cell_len(words[start:place])
        taken += cell_len(character)
    return paragraph.divide(cuts)


def _may_break(before: str, after: str) -> bool:
    from rich.cells import cell_len

    if before == " ":
        return True
    return (
        after not in _CLOSING and before not in _OPENING and after != " " and 2 in (cell_len(before), cell_len(after))
    )
