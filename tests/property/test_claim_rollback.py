"""Whatever happens after a snapshot, a rollback brings every derived row back as it was, except of what was forgotten."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from everyword import Memory
from everyword.testing.scripted_model import ScriptedModel
from everyword.testing.scripted_replies import Asked

pytest.importorskip("pydantic")

Rows = dict[str, list[dict[str, Any]]]
SAID = (
    "I love {w} tea.",
    "I hate {w} tea.",
    "I moved to {w}.",
    "My cat is called {w}.",
    "My order number is {n}{w}.",
    "Never push {w} to main.",
    "I walked to the {w} lake.",
    "I'm going to paint the {w} door.",
    "My notes on {w} are in /nowhere/at/all/{w}.md",
    "我喜歡喝{w}茶。",
)
OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(
            (
                "say",
                "say",
                "say",
                "correct",
                "forget",
                "use",
                "resolve",
                "years",
                "write",
                "rebuild",
                "keep",
                "back",
                "readmit",
                "restart",
            )
        ),
        st.integers(0, 999),
    ),
    min_size=4,
    max_size=14,
)
_STATEMENT = re.compile(r"^(\d+)\. \([^)]*\) (.*)$", re.MULTILINE)


def retold(asked: Asked) -> dict[str, Any]:
    """Write each statement as a line of its own, in other words where that is easy."""
    told = [(int(number), text.replace("I ", "The user ", 1)) for number, text in _STATEMENT.findall(asked.last)]
    return {"lines": [{"text": text, "sources": [number]} for number, text in told]}


def quoted(asked: Asked) -> dict[str, Any]:
    """Take each message as it is; what somebody hates may contradict the first claim that is known."""
    found = re.findall(r"^Message (\d+)[^\n]*:\n(.*)$", asked.last, re.MULTILINE)
    return {
        "claims": [
            {
                "message": int(number),
                "quote": text,
                "kind": "note",
                "state": "statement",
                "doubts": [1] if "hate" in text else [],
            }
            for number, text in found
        ]
    }


def opened(home: Path, *, reads: bool) -> Memory:
    """Return a memory whose claims rules have read, or one whose claims a language model reads and writes about."""
    from everyword.models.structured_chat import StructuredChat

    model = ScriptedModel()
    model.when(lambda asked: asked.body["purpose"] == "claims", quoted)
    model.when(lambda asked: asked.body["purpose"] == "summary", retold)
    options: dict[str, Any] = {"llm": StructuredChat(model, repairs=0)} if reads else {}
    return Memory(home, embedder="none", **options)


class Life:
    """A user who says, corrects, forgets and asks; every message has a word of its own."""

    def __init__(self, home: Path, *, reads: bool) -> None:
        self.home, self.reads = home, reads
        self.memory = opened(home, reads=reads)
        self.words: dict[str, str] = {}
        self.gone: list[str] = []
        self.forgotten: set[int] = set()
        self.year = 2020

    def do(self, name: str, number: int) -> None:
        act: Callable[[int], None] = getattr(self, name)
        act(number)
        self.derive()

    def derive(self) -> None:
        self.memory.claims.derive(user_id="ana")
        self.memory.claims.of(user_id="ana")

    def word(self) -> str:
        number, word = len(self.words) + len(self.gone), "zq"
        for _ in range(3):
            number, place = divmod(number, 20)
            word += "bcdfghjklmnprstvwxyz"[place]
        return f"{word}q"

    def said(self, text: str, word: str, year: int | None = None) -> None:
        added = self.memory.add(text, user_id="ana", timestamp=f"{year or self.year}-01-01")
        self.words[added.message_ids[0]] = word

    def say(self, number: int) -> None:
        word = self.word()
        self.said(SAID[number % len(SAID)].format(w=word, n=number), word)

    def years(self, number: int) -> None:
        self.year += 1 + number % 10
        self.say(number)

    def correct(self, number: int) -> None:
        if claims := self.memory.claims.of(user_id="ana"):
            word = self.word()
            claim = claims[number % len(claims)]
            done = self.memory.claims.correct(claim.claim_id, f"I live in {word}.", user_id="ana")
            self.words[done.message_id] = word

    def forget(self, number: int) -> None:
        if ids := list(self.words):
            chosen = ids[number % len(ids)]
            (seq,) = [each.seq for each in self.memory.messages(user_id="ana") if each.message_id == chosen]
            self.memory.forget(user_id="ana", message_ids=[chosen])
            self.gone.append(self.words.pop(chosen))
            self.forgotten.add(seq)

    def use(self, number: int) -> None:
        self.memory.context(
            "Which tea, which lake?", user_id="ana", strategy="notes", asked_at=f"{self.year}-02-{1 + number % 28:02d}"
        )

    def resolve(self, number: int) -> None:
        claims = [each for each in self.memory.claims.of(user_id="ana") if "/nowhere" in each.text]
        if claims:
            self.memory.claims.resolve(claims[number % len(claims)].claim_id, user_id="ana")

    def write(self, _: int) -> None:
        if self.memory.summaries.is_written:
            self.memory.summaries.write(user_id="ana")

    def rebuild(self, _: int) -> None:
        self.memory.rebuild(user_id="ana")

    def keep(self, number: int) -> None:
        if self.words:
            self.memory.claims.snapshot(
                user_id="ana", name=f"{number} {len(self.memory.claims.snapshots(user_id='ana'))}"
            )

    def back(self, number: int) -> None:
        kept = self.memory.claims.snapshots(user_id="ana")
        if kept:
            self.memory.claims.rollback(user_id="ana", name=kept[number % len(kept)].name)

    def restart(self, _: int) -> None:
        """Close the memory, which writes down what was shown, and open it again."""
        self.memory.close()
        self.memory = opened(self.home, reads=self.reads)

    def readmit(self, _: int) -> None:
        self.memory.claims.derive(user_id="ana", passed_over=True)


def dump(home: Path) -> Rows:
    """Return every row of every table of claims, marks and summaries, read beside the library."""
    (path,) = (each for each in home.rglob("*.db") if each.stat().st_size)
    connection = apsw.Connection(str(path))
    try:
        tables = [
            row[0]
            for row in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND (name GLOB 'claim*' OR name GLOB 'summary*')"
            )
        ]
        return {table: read(connection, table) for table in tables if table != "claim_snapshot"}
    finally:
        connection.close()


def read(connection: apsw.Connection, table: str) -> list[dict[str, Any]]:
    """Return the rows in the order of their keys."""
    names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    return [dict(zip(names, row, strict=True)) for row in connection.execute(f"SELECT * FROM {table}")]


def without(rows: Rows, gone: set[int]) -> Rows:
    """Return rows as they stand once messages are forgotten: whatever names one of them is gone, links with their claims."""
    left = {table: [row for row in found if row.get("seq") not in gone] for table, found in rows.items()}
    claims = {row["id"] for row in left.get("claim", ())}
    left["claim_link"] = [row for row in left["claim_link"] if {row["newer"], row["older"]} <= claims]
    if "summary_chunk" in left:
        left["summary_chunk"] = [row for row in left["summary_chunk"] if not gone & set(json.loads(row["seqs"]))]
        chunks = {row["id"] for row in left["summary_chunk"]}
        left["summary_line"] = [row for row in left["summary_line"] if row["chunk"] in chunks]
    return left


def as_bytes(rows: Rows) -> bytes:
    return repr(sorted((table, found) for table, found in rows.items() if found)).encode()


def holding(home: Path, words: list[str]) -> list[str]:
    kept = [path.read_bytes().lower() for path in home.rglob("*") if path.is_file()]
    return [word for word in words if any(word.encode() in content for content in kept)]


def check(before: list[tuple[str, int]], after: list[tuple[str, int]], *, reads: bool) -> Rows:
    """Live, keep a snapshot, live on, go back; return what the snapshot had."""
    with TemporaryDirectory() as folder:
        life = Life(Path(folder), reads=reads)
        try:
            kept = gone_back(life, before, after)
        finally:
            life.memory.close()
        assert holding(life.home, life.gone) == []
        return kept


def gone_back(life: Life, before: list[tuple[str, int]], after: list[tuple[str, int]]) -> Rows:
    for each in (("say", 0), *before, ("say", 1), ("say", 9)):  # What is hated is linked to what is known by then.
        life.do(*each)
    life.memory.claims.snapshot(user_id="ana", name="here")
    kept, told = dump(life.home), shown(life.memory)
    life.forgotten.clear()
    for each in after:
        life.do(*each)
    life.memory.claims.rollback(user_id="ana", name="here")
    assert as_bytes(dump(life.home)) == as_bytes(without(kept, life.forgotten))
    if not life.forgotten:
        assert shown(life.memory) == told
    assert [word for word in life.gone if any(word in each.text for each in shown(life.memory))] == []
    assert life.memory.verify(user_id="ana").ok
    return kept


def shown(memory: Memory) -> list[Any]:
    """Return claims, ended ones too, and written lines."""
    return [*memory.claims.of(user_id="ana", closed=True), *memory.summaries.of(user_id="ana")]


SLOW = settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


@SLOW
@given(before=OPERATIONS, after=OPERATIONS)
def test_a_rollback_restores_every_byte_whatever_happened_since(
    before: list[tuple[str, int]], after: list[tuple[str, int]]
) -> None:
    check(before, after, reads=False)


@SLOW
@given(before=OPERATIONS, after=OPERATIONS)
def test_a_rollback_restores_every_byte_of_what_a_model_read_and_wrote(
    before: list[tuple[str, int]], after: list[tuple[str, int]]
) -> None:
    check(before, after, reads=True)


def test_every_table_takes_part() -> None:
    before = [("say", number) for number in range(10)] + [("correct", 0), ("years", 6), ("use", 1)]
    kept = check(
        [*before, ("resolve", 0)],
        [("say", 1), ("use", 9), ("restart", 0), ("say", 8), ("resolve", 1), ("forget", 3)],
        reads=False,
    )
    newest = -1  # Nothing of the snapshot is forgotten with it.
    read = check([*before, ("write", 0)], [("say", 1), ("forget", newest), ("say", 1), ("write", 0)], reads=True)
    rows = {table: [*found, *read[table]] for table, found in kept.items()}
    assert [table for table, found in rows.items() if not found] == []
    assert set(rows) == {
        "claim",
        "claim_link",
        "claim_read",
        "claim_use",
        "claim_dead",
        "summary_chunk",
        "summary_line",
    }
