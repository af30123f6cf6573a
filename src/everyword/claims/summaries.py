"""Summaries that a language model writes from claims, in the background, a few claims at a time.

Each generation is written from the claims and from the lines before, and checked against the claims, so that no error of one
is handed on to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from everyword.background import BackgroundWorker
from everyword.claims.grounding import is_about_assistant
from everyword.claims.writer import Checked, Writer, may_be_written
from everyword.domain.claim import Claim, Told
from everyword.domain.summary import Chunk, SummaryLine, Written
from everyword.errors import ModelMissingError, ReplyError
from everyword.ports import LanguageModel, Progress, Store

CHUNK = 40
"""Claims that are written about together at the most."""
STEP = 8
"""Claims that join in one generation; in the background so many are waited for."""
ATTEMPTS = 3
"""After so many failures the claims of a chunk stay quoted until `rebuild`."""
ToldOf = Callable[[Store, datetime | None], Told]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    """What is written next: claims, and the chunk in whose place."""

    claims: tuple[Claim, ...]
    over: Chunk | None = None
    fresh: tuple[Claim, ...] = ()
    """Those that are new in it."""


class Summaries:
    """The written lines of all users of a memory; every call names whose."""

    def __init__(
        self, store_of: Callable[[str], Store], told: ToldOf, model: LanguageModel | None, *, in_background: bool
    ) -> None:
        """`told`: `Claims.told`; without a model nothing is written, and whatever shows summaries quotes."""
        self._store_of = store_of
        self._told = told
        self._writer = None if model is None else Writer(model)
        works = in_background and model is not None
        self._worker = BackgroundWorker("everyword-summaries", self._work, waits="Summaries wait") if works else None

    @property
    def is_written(self) -> bool:
        """Tell whether there is a language model to write them."""
        return self._writer is not None

    def of(self, *, user_id: str) -> list[SummaryLine]:
        """Return the lines that hold, each with the claims and messages that it comes from."""
        store = self._store_of(user_id)
        return list(self.written(store, self._told(store, None).claims).lines)

    def write(self, *, user_id: str, progress: Progress | None = None) -> int:
        """Write about every claim that waits, in this thread; return how many chunks were written. Raise ModelError."""
        if self._writer is None:
            raise ModelMissingError("There is no language model: the setting llm is 'none'. Choose one, openai:MODEL.")

        def told(done: int) -> bool:
            if progress is not None:
                progress(done, done)
            return True

        return self._write(self._store_of(user_id), self._writer, least=1, going_on=told)

    # --- for the memory that it belongs to --------------------------------------------------------------------------

    def written(self, store: Store, claims: Sequence[Claim]) -> Written:
        """Return the lines whose claims all hold among those that are told, and what to know about them."""
        if self._writer is None:
            return Written()
        chunks = store.summaries.chunks(self._writer.name)
        held = {claim.claim_id for claim in claims if goes_in(claim)}
        lines = tuple(line for chunk in chunks for line in chunk.lines if held >= set(line.claim_ids))
        said = {each for line in lines for each in line.claim_ids}
        notes = [f"{len(lines)} lines are written by a language model, {len(held - said)} claims are quoted"]
        if refused := sum(chunk.refused for chunk in chunks):
            notes.append(f"{refused} written lines did not agree with their sources, which are quoted instead")
        if failures := sorted({chunk.failure for chunk in chunks if chunk.failure is not None}):
            notes.append(
                f"the language model could not write some of the summary ({', '.join(failures)}): it is quoted"
            )
        return Written(lines=lines, notes=tuple(notes))

    def schedule(self, store: Store) -> None:
        """Write what waits some time, where that is wanted."""
        if self._worker is not None:
            self._worker.schedule(store)

    def stats(self, store: Store) -> dict[str, Any]:
        """Return counts, and why the background work failed, where it did."""
        if self._writer is None:
            return {"writer": None, "lines": 0}
        failures = self._worker.failures if self._worker else {}
        waiting = _waiting(self._told(store, None).claims, store.summaries.chunks(self._writer.name))
        counts = store.summaries.stats(self._writer.name)
        return {**counts, "waiting": waiting, "failure": failures.get(str(store.path))}

    def close(self) -> None:
        """Stop the background work after the reply at hand."""
        if self._worker is not None:
            self._worker.close()

    def _work(self, store: Store) -> None:
        if self._writer is not None:
            self._write(store, self._writer, least=STEP, going_on=self._goes_on)

    def _goes_on(self, _done: int) -> bool:
        return self._worker is None or not self._worker.is_stopping

    def _write(self, store: Store, writer: Writer, *, least: int, going_on: Callable[[int], bool]) -> int:
        """Do one job after another, each found anew: claims may end and messages may go while the model writes."""
        done, tried = 0, set[tuple[str, ...]]()
        while (job := self._next(store, writer, least, tried)) is not None:
            tried.add(_key(job))
            done += _do(store, writer, job)
            if not going_on(done):
                break
        return done

    def _next(self, store: Store, writer: Writer, least: int, tried: set[tuple[str, ...]]) -> _Job | None:
        claims = [each for each in self._told(store, None).claims if goes_in(each)]
        chunks = store.summaries.chunks(writer.name)
        return next((job for job in _jobs(claims, chunks, least) if _key(job) not in tried), None)


def goes_in(claim: Claim) -> bool:
    """Tell whether a claim may be in a summary that is written."""
    return may_be_written(claim) and not is_about_assistant(claim.text)


def _key(job: _Job) -> tuple[str, ...]:
    return (str(job.over.number if job.over else 0), *(claim.claim_id for claim in job.claims))


def _jobs(claims: Sequence[Claim], chunks: Sequence[Chunk], least: int) -> Iterator[_Job]:
    """Yield what to write: first chunks of which a claim has ended, then what failed, then what is new."""
    held = {claim.claim_id: claim for claim in claims}
    for chunk in chunks:
        left = tuple(held[each] for each in chunk.claim_ids if each in held)
        if len(left) < len(chunk.claim_ids) or (chunk.failure is not None and chunk.attempts < ATTEMPTS):
            yield _Job(claims=left, over=chunk)
    known = {each for chunk in chunks for each in chunk.claim_ids}
    fresh = [claim for claim in claims if claim.claim_id not in known]
    if len(fresh) < least:
        return
    last = chunks[-1] if chunks and chunks[-1].failure is None and len(chunks[-1].claim_ids) < CHUNK else None
    joining = tuple(fresh[: min(STEP, CHUNK - len(last.claim_ids) if last else STEP)])
    before = _held_of(last, held)
    yield _Job(claims=(*before, *joining), over=last, fresh=joining)


def _waiting(claims: Sequence[Claim], chunks: Sequence[Chunk]) -> int:
    """Return how many claims will be written about in the background; fewer new ones than a step are quoted until then."""
    held = [claim for claim in claims if goes_in(claim)]
    again = sum(len(job.claims) for job in _jobs(held, chunks, STEP) if not job.fresh)
    fresh = len({claim.claim_id for claim in held}.difference(*(chunk.claim_ids for chunk in chunks)))
    return again + (fresh if fresh >= STEP else 0)


def _held_of(chunk: Chunk | None, held: Mapping[str, Claim]) -> list[Claim]:
    return [] if chunk is None else [held[each] for each in chunk.claim_ids if each in held]


def _do(store: Store, writer: Writer, job: _Job) -> int:
    """Write one chunk and store it; return how many were."""
    if job.over is not None and not job.claims:
        store.summaries.drop(job.over)
        return 0
    before = _before(job)
    try:
        found = writer.write(job.claims, before)
    except ReplyError as error:
        return _keep_failure(store, writer, job, error.failure)
    return _keep(store, writer, job, found)


def _before(job: _Job) -> list[SummaryLine]:
    """Return the lines of the chunk that still hold."""
    named = {claim.claim_id for claim in job.claims}
    return [line for line in job.over.lines if named >= set(line.claim_ids)] if job.over is not None else []


def _keep(store: Store, writer: Writer, job: _Job, found: Checked) -> int:
    chunk = Chunk(
        number=0,
        claim_ids=tuple(claim.claim_id for claim in job.claims),
        lines=found.lines,
        generation=1 if job.over is None else job.over.generation + 1,
        refused=found.refused,
    )
    return int(store.summaries.put(writer.name, chunk, [claim.seq for claim in job.claims], over=job.over))


def _keep_failure(store: Store, writer: Writer, job: _Job, failure: str) -> int:
    """Note what could not be written; where claims were to join a chunk, it stays as it is and they wait beside it."""
    claims, over = (job.fresh, None) if job.fresh else (job.claims, job.over)
    chunk = Chunk(
        number=0,
        claim_ids=tuple(claim.claim_id for claim in claims),
        lines=(),
        generation=1 if over is None else over.generation + 1,
        failure=failure,
        attempts=1 if over is None else over.attempts + 1,
    )
    store.summaries.put(writer.name, chunk, [claim.seq for claim in claims], over=over)
    return 0
