"""What a run has found so far, one JSON line each, so that a run that was killed goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from everyword.errors import InvalidInputError
from everyword.evals.outcome import Outcome

OutcomeKey = tuple[str, str, str, int, int | None]
"""Case, question, strategy, budget, target."""


def fingerprint(parts: Mapping[str, Any]) -> str:
    """Return 12 hex digits of what determines figures: equal parts, equal figures."""
    said = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:12]


class Journal:
    """Outcomes and other records of runs in one file; each run knows its own by its fingerprint. Threads may share it."""

    def __init__(self, path: Path | None = None, *, resume: bool = False) -> None:
        """Open a journal; without a path it is only in memory.

        Raise InvalidInputError where the file holds lines and `resume` is not set, or holds something else.
        """
        self._lock = threading.Lock()
        self._outcomes: dict[tuple[str, OutcomeKey], Outcome] = {}
        self._others: dict[tuple[str, str], list[dict[str, Any]]] = {}
        self._file: BinaryIO | None = None
        if path is not None:
            self._file = self._opened(path, resume=resume)

    @classmethod
    def read(cls, path: Path) -> Journal:
        """Return what a journal holds so far, without writing to it: another process may. Raise InvalidInputError."""
        found = cls()
        try:
            raw = path.read_bytes()
        except OSError as error:
            raise InvalidInputError(f"{path} cannot be read ({error.strerror}): give the journal of a run.") from error
        found._take_all(raw[: raw.rfind(b"\n") + 1], path)
        return found

    def _opened(self, path: Path, *, resume: bool) -> BinaryIO:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a+b", buffering=0)
        try:
            self._read(file, path, resume=resume)
        except BaseException:
            file.close()
            raise
        return file

    def _read(self, file: BinaryIO, path: Path, *, resume: bool) -> None:
        """Take what is there; a last line that a kill cut short is cut off, and its work is done again."""
        file.seek(0)
        raw = file.read()
        if raw and not resume:
            raise InvalidInputError(f"{path} holds a journal: go on with --resume, or name another file.")
        whole = raw.rfind(b"\n") + 1
        self._take_all(raw[:whole], path)
        if whole < len(raw):
            file.truncate(whole)

    def _take_all(self, raw: bytes, path: Path) -> None:
        for number, line in enumerate(raw.splitlines(), 1):
            self._take(line, f"{path}, line {number}")

    def _take(self, line: bytes, place: str) -> None:
        try:
            record = json.loads(line)
            if record["kind"] == "outcome":
                self._know(record["run"], Outcome.from_record(record["record"]))
            else:
                self._others.setdefault((record["run"], record["kind"]), []).append(record["record"])
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInputError(f"{place} is no line of a journal ({error}): name another file.") from error

    def _know(self, run: str, outcome: Outcome) -> None:
        self._outcomes[run, _key(outcome)] = outcome

    def outcome(self, run: str, key: OutcomeKey) -> Outcome | None:
        """Return what is known of a question; None: it is still to be asked."""
        return self._outcomes.get((run, key))

    def outcomes(self) -> Iterator[Outcome]:
        """Yield every outcome of every run."""
        yield from self._outcomes.values()

    def records(self, run: str, kind: str) -> list[dict[str, Any]]:
        """Return the other records of a run."""
        with self._lock:
            return list(self._others.get((run, kind), ()))

    def add(self, run: str, outcome: Outcome) -> None:
        """Keep an outcome; it is in the file when this returns."""
        with self._lock:
            self._know(run, outcome)
            self._write(run, "outcome", outcome.record())

    def note(self, run: str, kind: str, record: dict[str, Any]) -> None:
        """Keep another record."""
        with self._lock:
            self._others.setdefault((run, kind), []).append(record)
            self._write(run, kind, record)

    def _write(self, run: str, kind: str, record: dict[str, Any]) -> None:
        if self._file is not None:
            line = json.dumps({"run": run, "kind": kind, "record": record}, ensure_ascii=False)
            self._file.write(f"{line}\n".encode("utf-8", "backslashreplace"))

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _key(outcome: Outcome) -> OutcomeKey:
    return outcome.case, outcome.question, outcome.strategy, outcome.budget, outcome.target
