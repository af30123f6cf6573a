"""Every request to a language model: what for, how many tokens, how it ended. It holds no word of anybody."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from everyword.errors import StorageError
from everyword.ports import Usage

FILE = "usage.jsonl"
ANSWERED = "ok"

Group = Literal["purpose", "model", "outcome", "day"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One line of the ledger."""

    at: str
    """ISO 8601, UTC."""
    purpose: str
    model: str
    outcome: str = ANSWERED
    """`ok`, or the failure: refused, cut off, unreadable, access refused, failed."""
    calls: int = 1
    """0: a note about calls that have lines of their own."""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    is_estimated: bool = False
    milliseconds: float = 0.0

    @property
    def day(self) -> str:
        """Return the day in UTC."""
        return self.at[:10]


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """Calls added up."""

    calls: int = 0
    failures: int = 0
    usage: Usage = field(default_factory=Usage)
    milliseconds: float = 0.0

    def with_call(self, call: Call) -> Total:
        """Return the total with one more line."""
        usage = Usage(
            input_tokens=call.input_tokens,
            output_tokens=call.output_tokens,
            cached_tokens=call.cached_tokens,
            is_estimated=call.is_estimated,
        )
        return Total(
            calls=self.calls + call.calls,
            failures=self.failures + (call.outcome != ANSWERED),
            usage=self.usage + usage,
            milliseconds=self.milliseconds + call.milliseconds,
        )


class UsageLedger:
    """Lines in a file that several processes may append to, or in memory. Safe for many threads."""

    def __init__(self, path: Path | None = None, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._path = path
        self._now = now
        self._lock = threading.Lock()
        self._lines = b""
        self._read = 0
        self._days: dict[str, Total] = {}

    @property
    def today(self) -> str:
        """Return the day that is counted now, in UTC."""
        return self._now().astimezone(UTC).isoformat()[:10]

    def add(self, usage: Usage, *, model: str, purpose: str, outcome: str, milliseconds: float) -> None:
        """Write one call. Raise StorageError."""
        self._write(
            Call(
                at=self._time(),
                purpose=purpose,
                model=model,
                outcome=outcome,
                input_tokens=usage.input_tokens,
                output_tokens=usage.output_tokens,
                cached_tokens=usage.cached_tokens,
                is_estimated=usage.is_estimated,
                milliseconds=round(milliseconds, 1),
            )
        )

    def note(self, outcome: str, *, model: str, purpose: str) -> None:
        """Write that calls which have their lines already came to nothing. Raise StorageError."""
        self._write(Call(at=self._time(), purpose=purpose, model=model, outcome=outcome, calls=0))

    def calls(self) -> Iterator[Call]:
        """Yield every line, oldest first; one that a crash left unfinished is passed over."""
        for line in self._content(0).splitlines():
            if (call := _call(line)) is not None:
                yield call

    def totals(self, by: Group = "purpose") -> dict[str, Total]:
        """Return the sums, by what the calls were for, by model, by outcome or by day."""
        sums: dict[str, Total] = {}
        for call in self.calls():
            group = getattr(call, by)
            sums[group] = sums.get(group, Total()).with_call(call)
        return dict(sorted(sums.items()))

    def spent(self, day: str | None = None) -> Total:
        """Return the sum of one day, or of all; only lines that are new since the last time are read."""
        with self._lock:
            self._catch_up()
            if day is not None:
                return self._days.get(day, Total())
            every = list(self._days.values())
        return Total(
            calls=sum(each.calls for each in every),
            failures=sum(each.failures for each in every),
            usage=sum((each.usage for each in every), Usage()),
            milliseconds=sum(each.milliseconds for each in every),
        )

    def _catch_up(self) -> None:
        content = self._content(self._read)
        whole = content[: content.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.splitlines():
            if (call := _call(line)) is not None:
                self._days[call.day] = self._days.get(call.day, Total()).with_call(call)

    def _content(self, start: int) -> bytes:
        if self._path is None:
            return self._lines[start:]
        try:
            with self._path.open("rb") as file:
                file.seek(start)
                return file.read()
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise _unusable(self._path, error) from error

    def _write(self, call: Call) -> None:
        line = json.dumps(asdict(call), ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        with self._lock:
            if self._path is None:
                self._lines += line
                return
            try:
                _append(self._path, line)
            except OSError as error:
                raise _unusable(self._path, error) from error

    def _time(self) -> str:
        return self._now().astimezone(UTC).isoformat(timespec="milliseconds")


def _append(path: Path, line: bytes) -> None:
    """Add a line in one write, so that lines of several processes do not mix; after a torn one, begin a new line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    opened = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    try:
        size = os.lseek(opened, 0, os.SEEK_END)
        is_torn = size > 0 and _last_byte(opened, size) != b"\n"
        os.write(opened, b"\n" + line if is_torn else line)
    finally:
        os.close(opened)


def _last_byte(opened: int, size: int) -> bytes:
    os.lseek(opened, size - 1, os.SEEK_SET)
    return os.read(opened, 1)


def _call(line: bytes) -> Call | None:
    try:
        record: Mapping[str, Any] = json.loads(line)
        return replace(Call(at="", purpose="", model=""), **record)
    except (ValueError, TypeError):
        return None


def _unusable(path: Path, error: OSError) -> StorageError:
    return StorageError(f"The ledger of usage {path} cannot be used ({error.strerror}): check the folder.")
