"""The demo: a sample history goes in, six questions come back with the evidence that answers them."""

from __future__ import annotations

import json
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from everyword import Memory
from everyword.cli import terminal, vectors
from everyword.cli.demo_report import Answered, Stored, document, show_end, show_question, show_start
from everyword.cli.options import Home, Json, User, whose
from everyword.cli.progress import Bars
from everyword.demo import Question, history_path, questions
from everyword.text.tokens import counter

USER = "demo"


def demo(*, user: User = None, home: Home = None, as_json: Json = False) -> None:
    """See it work on a sample history.

    Five months of conversations go in and six questions come back with the evidence that answers them: offline, in
    about a minute. Nothing is kept, unless --home names a folder.
    """
    named = whose(user or USER)
    with _folder(home) as folder, Memory(folder, vectors="off", model_progress=(bars := Bars()).model) as memory:
        with bars:
            stored = _stored(memory, folder, named, bars, is_kept=home is not None)
        if not as_json:
            show_start(stored)
        answered: list[Answered] = []
        for number, asked in enumerate(questions(), 1):
            answered.append(_answered(memory, stored, asked))
            if not as_json:
                show_question(number, answered[-1], stored)
    if as_json:
        terminal.write_json(document(stored, answered))
    else:
        show_end(stored, answered)


@contextmanager
def _folder(home: Path | None) -> Generator[Path, None, None]:
    """Yield the folder of the memory; one that nobody named is gone afterwards."""
    if home is not None:
        yield home
        return
    with TemporaryDirectory(prefix="everyword-demo-") as folder:
        yield Path(folder)


def _stored(memory: Memory, folder: Path, user_id: str, bars: Bars, *, is_kept: bool) -> Stored:
    """Import the history and compute its vectors."""
    started = time.perf_counter()
    imported = memory.import_file(history_path(), user_id=user_id, progress=bars.messages)
    read = time.perf_counter()
    if vectors.are_wanted(folder):
        vectors.follow(memory, user_id, bars)
    indexed = time.perf_counter()
    records = [record for record in map(json.loads, memory.export(user_id=user_id)) if "payload" in record]
    memory.search("warm up", user_id=user_id)
    return Stored(
        home=folder if is_kept else None,
        user_id=user_id,
        messages=_of_history(records),
        sessions=imported.sessions,
        embedder=vectors.chosen(folder).embedder,
        vectors=memory.stats(user_id=user_id)["vectors"],
        full_tokens=_tokens(records, vectors.chosen(folder).counter),
        import_ms=1000 * (read - started),
        index_ms=1000 * (indexed - read),
    )


def _of_history(records: list[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """Return the stored messages in the order of the lines of the history."""
    stored = {record["payload"]: record for record in records}
    return tuple(stored[line] for line in history_path().read_text("utf-8").splitlines())


def _tokens(records: list[dict[str, Any]], counter_name: str) -> int:
    """Return the tokens of the whole history as a transcript: what a model would read without a memory."""
    counted = counter(counter_name)
    return sum(counted.count(f"{record['created_at']} {record['role']}: {record['text']}\n") for record in records)


def _answered(memory: Memory, stored: Stored, asked: Question) -> Answered:
    """Ask one question, and see what of its evidence is in the context."""
    started = time.perf_counter()
    packed = memory.context(asked.question, user_id=stored.user_id)
    milliseconds = 1000 * (time.perf_counter() - started)
    shown = {each.message.seq: "whole" if each.is_whole else "in part" for each in packed.evidence}
    wanted = [stored.messages[line - 1] for line in asked.evidence]
    return Answered(
        asked=asked,
        packed=packed,
        evidence=tuple((record, shown.get(record["seq"])) for record in wanted),
        milliseconds=milliseconds,
    )
