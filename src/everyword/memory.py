"""Memory: keep every word, find the ones that matter, pack them into a budget. The whole flow, in one file."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from everyword.claims.claims import Claims
from everyword.claims.summaries import Summaries
from everyword.config import Settings
from everyword.domain.account import Seen, Verified
from everyword.domain.context import Context
from everyword.domain.health import Health
from everyword.domain.message import ROLES, Added, Draft, Message, Skipped
from everyword.domain.prompt import ORDERS, Order, Prompt, Window
from everyword.domain.query import Query
from everyword.domain.report import Explained, Explanation, Forgotten, Hit, Imported, Verification
from everyword.domain.scope import moment, scope
from everyword.domain.trace import Trace
from everyword.domain.user import user
from everyword.embedding_worker import EmbeddingWorker
from everyword.errors import (
    ContextLengthExceeded,
    EverywordError,
    InvalidInputError,
    ModelError,
    ModelMissingError,
    NotFoundError,
    StorageError,
)
from everyword.packing.conversation import Conversation, conversation
from everyword.packing.health import Findings, examined, last_questions
from everyword.packing.packer import Frame
from everyword.packing.prompt import (
    compared,
    filled,
    memory_room,
    next_seen,
    record_of,
    room_beside,
    warned,
    window_of,
)
from everyword.packing.render import locale_of, turn
from everyword.ports import Embedder, LanguageModel, Progress, Reranker, Store, Stores, TokenCounter
from everyword.retrieval.recipe import Channel
from everyword.routing.report import BOUND, WINDOW, RouteReport, report
from everyword.sessions.short_term import ShortTerm
from everyword.sessions.store import MemorySessions, SessionStore
from everyword.strategies import catalogue
from everyword.strategies.route import ROUTE
from everyword.strategies.strategy import Routing, Sources, Strategy
from everyword.transcripts import everyword as exports
from everyword.transcripts import formats
from everyword.transcripts.live import drafts

if TYPE_CHECKING:
    from everyword.retrieval.search import Ranking

_LOGGER = logging.getLogger("everyword")

Mode = Literal["fused", "lexical", "semantic"]
Moment = datetime | date | str

_AT_ONCE = 24
"""Passages of a write whose vectors are computed before `add` returns, when the model is loaded."""
_MANY = 1_000
"""New messages after which the whole index of words is put in order."""
_IMPORT_BATCH = 500
_ANSWERS = 100
"""Prompts over which the share of input is taken."""
_UNCHECKED = "the index was not checked, since the log is damaged"


class Memory:
    """Long-term memory of any number of users; every call names whose."""

    def __init__(
        self,
        stores: Stores,
        settings: Settings,
        *,
        embedder: Embedder | None,
        load_embedder: Callable[[str], Embedder | None],
        reranker: Reranker | None,
        counter: TokenCounter,
        language_model: LanguageModel | None = None,
        session_store: SessionStore | None = None,
    ) -> None:
        self._stores = stores
        self._settings = settings
        self._embedder = embedder
        self._load_embedder = load_embedder
        self._reranker = reranker
        self._counter = counter
        self._worker = EmbeddingWorker(embedder) if embedder is not None else None
        self._others: dict[str, Embedder | None] = {}
        self._taken_up: set[Path] = set()
        self._language_model = language_model
        self.claims = Claims(self._known, self.add, language_model, in_background=settings.claims == "auto")
        """What users stated about themselves: `of`, `derive`, `remember`, `correct`."""
        self.summaries = Summaries(
            self._known, self.claims.told, language_model, in_background=settings.claims == "auto"
        )
        """Lines that a language model wrote from claims: `of`, `write`."""
        self.claims.then = self.summaries.schedule
        self.short_term = ShortTerm(self._known, session_store or MemorySessions(), ttl_s=settings.session_ttl)
        """Values that expire with their session, and its last turns: `put`, `get`, `values`, `active`, `end`, `recent`."""

    # --- words in --------------------------------------------------------------------------------------------------

    def add(
        self,
        messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        user_id: str,
        session_id: str | None = None,
        run_id: str | None = None,
        agent_id: str | None = None,
        timestamp: Moment | None = None,
        metadata: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Added:
        """Store messages of a conversation and return their ids. Durable and findable by words when it returns.

        OpenAI, Responses or Anthropic messages, or a text that the user said. `run_id` is another name of `session_id`.
        Raise InvalidInputError before anything is stored, StorageError when nothing was.
        """
        whose = user(user_id)
        if run_id is not None and session_id not in (None, run_id):
            raise InvalidInputError(f"run_id is another name of session_id: {run_id!r} and {session_id!r} differ.")
        said = drafts(
            messages,
            session_id=_session(session_id or run_id),
            agent_id=agent_id,
            created_at=moment(timestamp, name="timestamp", end_of_day=False) or datetime.now(UTC),
            metadata=dict(metadata or {}),
            idempotency_key=idempotency_key,
        )
        store = self._stores.of(whose, create=True)
        stored, duplicates = self._append(store, said)
        self.short_term.said(whose, stored[0].session_id)
        self._embed_soon(store, len(stored) - duplicates)
        self.claims.schedule(store)
        return Added(
            message_ids=tuple(message.message_id for message in stored),
            seqs=tuple(message.seq for message in stored),
            session_id=stored[0].session_id,
            duplicates=duplicates,
            pending_passages=store.index.pending() if self._embedder else 0,
        )

    def _append(self, store: Store, said: Sequence[Draft]) -> tuple[list[Message], int]:
        """Store drafts and their index in one transaction; return them as stored, and how many were there before."""
        with store.transaction():
            appended = store.log.append(said, received_at=datetime.now(UTC))
            store.index.add(appended.new)
        return list(appended.messages), len(appended.messages) - len(appended.new)

    def import_file(
        self,
        path: str | Path,
        *,
        user_id: str,
        format: str | None = None,  # noqa: A002 - the word of the command line
        progress: Callable[[int], None] | None = None,
    ) -> Imported:
        """Store the conversations of a file or folder; what is stored already is not stored again.

        `progress` is called with the number of messages read. Records that cannot be taken are reported, the rest goes in.
        Raise TranscriptError, StorageError.
        """
        name = format or formats.recognise(path)
        store = self._stores.of(user(user_id), create=True)
        added = duplicates = read = 0
        skipped: list[Skipped] = []
        sessions: set[str] = set()
        records = formats.read(path, name)
        while batch := list(islice(records, _IMPORT_BATCH)):
            skipped.extend(record for record in batch if isinstance(record, Skipped))
            said = [record for record in batch if isinstance(record, Draft)]
            new, old = self._import_batch(store, said, skipped)
            added, duplicates, read = added + new, duplicates + old, read + len(said)
            sessions.update(draft.session_id or "default" for draft in said)
            if progress is not None:
                progress(read)
        store.index.merge(is_whole=added >= _MANY)
        self._schedule(store)
        self.claims.schedule(store)
        return Imported(
            format=name,
            added=added,
            duplicates=duplicates,
            skipped=tuple(skipped),
            sessions=len(sessions),
            pending_passages=store.index.pending() if self._embedder else 0,
        )

    def _import_batch(self, store: Store, said: list[Draft], skipped: list[Skipped]) -> tuple[int, int]:
        """Store one batch; where a record clashes, one by one, so that the others go in."""
        try:
            stored, old = self._append(store, said) if said else ([], 0)
            return len(stored) - old, old
        except InvalidInputError as error:
            if len(said) == 1:
                skipped.append(Skipped(place=f"message {said[0].key}", reason=str(error)))
                return 0, 0
        halves = [self._import_batch(store, half, skipped) for half in (said[: len(said) // 2], said[len(said) // 2 :])]
        return sum(new for new, _ in halves), sum(old for _, old in halves)

    def _embed_soon(self, store: Store, new: int) -> None:
        """Compute vectors now where it takes no time that a caller would notice, else in the background."""
        if self._embedder is None or self._settings.vectors == "off" or not new:
            return
        is_ready = getattr(self._embedder, "is_loaded", False) and not getattr(self._embedder, "is_busy", False)
        if is_ready and store.index.waiting(self._embedder) <= _AT_ONCE:
            try:
                store.index.use(self._embedder)
                store.index.embed(self._embedder, limit=_AT_ONCE)
                return
            except ModelError:
                pass  # The worker tries again and keeps the reason.
        self._schedule(store)

    def _schedule(self, store: Store) -> None:
        if self._worker is not None and self._settings.vectors != "off":
            self._worker.schedule(store)

    def index(self, *, user_id: str, progress: Progress | None = None) -> int:
        """Compute all vectors that wait, in this thread; return how many passages were done. Raise ModelError."""
        store = self._known(user_id)
        if self._embedder is None:
            raise ModelMissingError(
                "There is no embedder: the setting embedder is 'none'. Choose one, e.g. e5-small:q4."
            )
        store.index.merge(is_whole=True)  # Before, so that the vectors take the room that it leaves.
        store.index.use(self._embedder)
        total, done = store.index.waiting(self._embedder), 0
        while count := store.index.embed(self._embedder):
            done += count
            if progress is not None:
                progress(done, max(total, done))
        return done

    # --- words out -------------------------------------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        user_id: str,
        limit: int = 10,
        mode: Mode = "fused",
        roles: Sequence[str] | None = None,
        session_id: str | None = None,
        after: Moment | None = None,
        before: Moment | None = None,
    ) -> list[Hit]:
        """Return the best messages for a question or words. A date alone as `before` includes that day.

        Raise InvalidInputError, ModelError (only with mode="semantic"; "fused" falls back to words and context notes say so).
        """
        store = self._known(user_id)
        if limit < 1:
            raise InvalidInputError(f"limit={limit!r}: ask for at least 1.")
        chosen = _with_mode(catalogue.strategy("evidence"), mode)
        asked = _query(query, roles=roles, session_id=session_id, after=after, before=before)
        if mode == "semantic":
            self._require_vectors(store)
        ranking = self._rank(store, asked, chosen)
        best = list(islice(ranking.candidates(), min(limit, len(ranking))))
        messages = {message.seq: message for message in store.log.by_seq([each.seqs[0] for each in best])}
        return [_hit(messages[each.seqs[0]], each.score) for each in best if each.seqs[0] in messages]

    def context(
        self,
        question: str,
        *,
        user_id: str,
        budget: int | None = None,
        strategy: str | Strategy | None = None,
        session_id: str | None = None,
        recent_turns: int | None = None,
        roles: Sequence[str] | None = None,
        after: Moment | None = None,
        before: Moment | None = None,
        asked_at: Moment | None = None,
        order: Order = "chronological",
    ) -> Context:
        """Return what the model should see to answer: dated evidence, recent turns of the session, the question.

        `budget` counts all of it, in tokens; `order` is that of the evidence.
        Raise ContextLengthExceeded where question and recent turns alone do not fit.
        """
        store = self._known(user_id)
        chosen = catalogue.strategy(strategy or self._settings.strategy)
        room = self._budget(budget)
        turns = _turns(recent_turns, chosen, session_id)
        recent = tuple(store.log.recent(session_id=_session(session_id), turns=turns))
        if recent_turns is None:
            recent = self._within_half(recent, room)
        asked = _query(
            question,
            roles=roles,
            after=after,
            before=before,
            asked_at=asked_at,
            hidden=frozenset(message.seq for message in recent),
        )
        if order not in ORDERS:
            raise InvalidInputError(f"order={order!r}: choose one of {', '.join(sorted(ORDERS))}.")
        return self._filled(store, chosen, asked, self._frame(chosen, question, recent, budget=room, order=order))

    def _frame(
        self,
        chosen: Strategy,
        question: str,
        recent: tuple[Message, ...],
        *,
        budget: int,
        order: Order,
        spoken: str = "",
    ) -> Frame:
        """Return what stands in a context whatever is found; its labels are in the language of `spoken`, or of the question."""
        return Frame(
            question=question,
            budget=budget,
            counter=self._counter,
            strategy=chosen.name,
            style=chosen.style,
            locale=locale_of(spoken or question),
            order=order,
            recent=recent,
        )

    def _filled(self, store: Store, chosen: Strategy, asked: Query, frame: Frame) -> Context:
        packed = chosen.fill(self._sources(store, asked), asked, frame)
        shown = [each.message.seq for each in packed.evidence if each.message.role == "user"]
        self.claims.used(store, shown, asked.asked_at or datetime.now(UTC))
        return replace(packed, pending_passages=store.index.pending() if self._embedder else 0, asked_at=asked.asked_at)

    def prompt(
        self,
        question: str,
        *,
        user_id: str,
        window: Window | int,
        session_id: str | None = None,
        strategy: str | Strategy | None = None,
        recent_turns: int | None = None,
        roles: Sequence[str] | None = None,
        after: Moment | None = None,
        before: Moment | None = None,
        asked_at: Moment | None = None,
    ) -> Prompt:
        """Return all that the model is sent, inside its window: what stays first, then evidence, turns and question.

        A number as `window` is that of the tokens that the model takes. Without `recent_turns` the turns of the session
        stay until they no longer fit; then the newest half of their room stays. Raise ContextLengthExceeded.
        """
        store = self._known(user_id)
        chosen = catalogue.strategy(strategy or self._settings.strategy)
        given, named = window_of(window), _session(session_id)
        asked = _query(question, roles=roles, after=after, before=before, asked_at=asked_at)
        left = room_beside(given, question, self._counter)
        memory = memory_room(given, self._settings.budget, left, has_turns=named is not None)
        seen = store.accounts.seen(named or "")
        talk = Conversation()
        if named is not None:
            talk = conversation(
                store.log,
                named,
                question,
                seen=seen,
                room=left - memory,
                keep=given.keep,
                counter=self._counter,
                turns=chosen.recent_turns if recent_turns is None else _turns(recent_turns, chosen, named),
            )
        asked = replace(asked, hidden_seqs=talk.hidden)
        spoken = talk.shown[0].text if talk.shown else ""  # One language while it stays: labels are part of the prefix.
        frame = self._frame(chosen, question, talk.shown, budget=left, order=given.order, spoken=spoken)
        made = filled(given, frame, partial(self._filled, store, chosen, asked), memory=memory)
        return self._accounted(store, made, named or "", talk, seen)

    def _accounted(self, store: Store, made: Prompt, session_id: str, talk: Conversation, seen: Seen | None) -> Prompt:
        """Return the prompt beside the last one of its session, and write its figures down."""
        made = warned(compared(made, seen), talk, store.accounts.records(_ANSWERS))
        try:
            store.accounts.add(record_of(made), session_id, next_seen(made, talk), answered=talk.answered)
        except StorageError as error:
            _LOGGER.warning("the prompt is not on the account: %s", error)
        return made

    def _sources(self, store: Store, asked: Query) -> Sources:
        return Sources(
            index=store.index,
            log=store.log,
            rank=partial(self._rank, store),
            claims=partial(self.claims.told, store, asked.asked_at),
            written=partial(self.summaries.written, store),
            routing=self._routing(store),
        )

    def _routing(self, store: Store) -> Routing:
        return Routing(
            model=self._language_model,
            evidence_tokens=self._settings.route_evidence,
            window_tokens=self._settings.llm_window,
            audit_percent=self._settings.route_audit,
            journal=store.routes,
        )

    def _within_half(self, recent: tuple[Message, ...], budget: int) -> tuple[Message, ...]:
        """Return the last of the recent messages: where nobody asked for them by number, half the budget is evidence's."""
        left, first = budget // 2, len(recent)
        while first and (left := left - self._counter.count(turn(recent[first - 1]))) >= 0:
            first -= 1
        return recent[first:]

    def _rank(self, store: Store, asked: Query, chosen: Strategy) -> Ranking:
        from everyword.retrieval.search import rank

        embedder, note = self._searching_embedder(store)
        try:
            ranking = rank(
                store.index,
                asked,
                chosen.recipe,
                embedder=embedder,
                reranker=self._reranker,
                score_clauses=self._settings.reranker != "none",
            )
        except ModelError as error:
            if chosen.recipe.channels == ("passage", "clause"):
                raise
            note = f"the model failed, found by words only: {error}"
            _LOGGER.warning("%s", note)
            ranking = rank(store.index, asked, chosen.recipe, embedder=None, reranker=self._reranker)
        if note:
            ranking.notes.append(note)
        return ranking

    def _searching_embedder(self, store: Store) -> tuple[Embedder | None, str | None]:
        """Return the embedder whose vectors the store has now, and a note where it is not the one of the settings."""
        if self._embedder is None:
            return None, None
        active = store.index.active()
        if active is None or active == self._embedder.identity:
            return self._embedder, None
        if active.name not in self._others:
            try:
                self._others[active.name] = self._load_embedder(active.name)
            except EverywordError:
                self._others[active.name] = None
        other = self._others[active.name]
        if other is None or other.identity != active:
            return (
                None,
                f"the vectors are of {active.name}, which cannot be loaded; those of {self._embedder.identity.name} wait",
            )
        return other, f"vectors of {active.name} answer until those of {self._embedder.identity.name} are complete"

    def _require_vectors(self, store: Store) -> None:
        """Make sure that a search by vectors alone has some, so that no empty list stands for a failure."""
        if self._embedder is None:
            raise ModelMissingError("mode='semantic' needs an embedder: the setting embedder is 'none'.")
        counts = store.index.stats()
        if counts.passages and not counts.vectors:
            raise ModelError(
                f"None of the {counts.passages} passages has a vector yet: call index() or `everyword index`, or search "
                "with mode='fused', which finds them by their words."
            )

    def explain(
        self, question: str, *, user_id: str, message_ids: Sequence[str] = (), limit: int = 20, **arguments: Any
    ) -> Explanation:
        """Return rank and score in every stage of what was packed, of the first that were dropped, and of named messages.

        Takes the arguments of `context` too.
        """
        found = self.context(question, user_id=user_id, **arguments)
        store = self._known(user_id)
        named = [store.log.by_id(message_id) for message_id in message_ids]
        dropped = {each.seq: f"dropped: {each.reason}" for each in found.dropped[:limit]}
        outcome = dict.fromkeys((message.seq for message in found.recent), "shown as a recent turn")
        outcome |= dropped | {e.message.seq: "packed" if e.is_whole else "packed in part" for e in found.evidence}
        messages = {message.seq: message for message in [*store.log.by_seq(outcome), *named]}
        return Explanation(
            question=question,
            strategy=found.strategy,
            tokens=found.tokens,
            budget=found.budget,
            ledger=found.ledger,
            candidates={stage.name: stage.candidates for stage in found.trace.stages},
            messages=tuple(_explained(messages[seq], found.trace, outcome.get(seq)) for seq in sorted(messages)),
            notes=found.trace.notes,
        )

    def routes(
        self, *, user_id: str, window: int = WINDOW, bound: float = BOUND, recalibrate: bool = False
    ) -> RouteReport:
        """Return what the strategy `route` decided: fallback rate, audit, drift, and what to change.

        The fallback rate has drifted where that of the last `window` decisions is more than `bound` from that of the first;
        `recalibrate` makes the last ones the first. Raise InvalidInputError.
        """
        store = self._known(user_id)
        found = report(
            store.routes.decisions(), evidence_tokens=self._settings.route_evidence, window=window, bound=bound
        )
        if recalibrate:
            store.routes.recalibrate(window)
        return found

    # --- care ------------------------------------------------------------------------------------------------------

    def get(self, message_id: str, *, user_id: str) -> Message:
        """Return one message. Raise NotFoundError."""
        return self._known(user_id).log.by_id(message_id)

    def messages(
        self,
        *,
        user_id: str,
        session_id: str | None = None,
        after_seq: int = 0,
        limit: int | None = None,
        newest: bool = False,
    ) -> list[Message]:
        """Return messages of a session, or of all, in the order of arrival.

        `after_seq` leaves out what stands up to that sequence number; `newest` takes the last `limit` instead of the first.
        """
        store = self._known(user_id)
        if limit is not None and limit < 1:
            raise InvalidInputError(f"limit={limit!r}: ask for at least 1.")
        where = scope(session_id=_session(session_id))
        return store.log.by_seq(store.log.chosen(where, after_seq=after_seq, limit=limit, newest=newest))

    def users(self) -> list[str]:
        """Return the ids of all users of this folder."""
        return self._stores.users()

    def stats(self, *, user_id: str) -> dict[str, Any]:
        """Return counts, sizes and how far the index is behind."""
        store = self._known(user_id)
        index = store.index.stats()
        failures = self._worker.failures if self._worker else {}
        return {
            "user_id": user_id,
            **store.log.stats(),
            "passages": index.passages,
            "vectors": index.vectors,
            "pending_passages": index.pending,
            "models": dict(index.models),
            "bytes_on_disk": sum(each.stat().st_size for each in store.path.parent.glob(f"{store.path.name}*")),
            "path": str(store.path),
            "vector_failure": failures.get(str(store.path)),
            "claims": self.claims.stats(store),
            "summaries": self.summaries.stats(store),
        }

    def verify(self, *, user_id: str) -> Verification:
        """Check the file, every message against its digest, and every derived row against the messages."""
        store = self._known(user_id)
        problems = store.log.verify()
        derived = (
            [*store.index.verify(), *store.claims.verify(), *store.summaries.verify()] if not problems else [_UNCHECKED]
        )
        if not problems:
            self._note_verified(store, len(derived))
        counts = store.index.stats()
        return Verification(
            messages=store.log.stats()["messages"],
            passages=counts.passages,
            vectors=counts.vectors,
            problems=(*problems, *derived),
        )

    def _note_verified(self, store: Store, problems: int) -> None:
        """Write down that the check ran, for `health`; a log that is damaged is not written to."""
        try:
            store.accounts.note_verified(Verified(at=datetime.now(UTC), problems=problems))
        except StorageError as error:
            _LOGGER.warning("the check is not on the account: %s", error)

    def health(self, *, user_id: str, questions: int = 20) -> Health:
        """Return how the memory is: figures, each with what it means and, where it is bad, what helps.

        Evidence is looked at for the user's last questions, as if they were asked again.
        """
        if isinstance(questions, bool) or not isinstance(questions, int) or questions < 1:
            raise InvalidInputError(f"questions={questions!r}: ask for at least 1.")
        store, counts = self._known(user_id), self.stats(user_id=user_id)
        name = "evidence" if self._settings.strategy == ROUTE.name else self._settings.strategy
        chosen = catalogue.strategy(name)
        contexts: list[Context] = []
        for asked in last_questions(store.log, questions):
            query = _query(asked.text, hidden=frozenset((asked.seq,)))
            frame = self._frame(chosen, asked.text, (), budget=self._settings.budget, order="chronological")
            with suppress(ContextLengthExceeded):  # A strategy that shows all or nothing has no duplicates to show.
                contexts.append(self._filled(store, chosen, query, frame))
        extractor = counts["claims"]["extractor"]
        return examined(
            user_id,
            Findings(
                contexts=contexts,
                records=store.accounts.records(),
                stats=counts if self._embedder else {**counts, "pending_passages": 0},
                claims=store.claims.claims(extractor),
                waiting_since=next((each.received_at for each in store.claims.waiting(extractor, 1)), None),
                verified=store.accounts.verified(),
                now=datetime.now(UTC),
            ),
        )

    def rebuild(self, *, user_id: str, progress: Progress | None = None) -> None:
        """Drop everything derived and make it again from the log; vectors follow in the background."""
        store = self._known(user_id)
        with store.transaction():
            store.summaries.rebuild()
            store.claims.rebuild()
            store.index.rebuild(progress)
        self._schedule(store)
        self.claims.schedule(store)

    def export(self, *, user_id: str) -> Iterator[bytes]:
        """Yield the lines of an export that `import_file` reads back identical."""
        store = self._known(user_id)
        return exports.write(store.log.scan(), {"user_id": user_id, "exported_at": datetime.now(UTC).isoformat()})

    def forget(
        self,
        *,
        user_id: str,
        message_ids: Sequence[str] | None = None,
        session_id: str | None = None,
        after: Moment | None = None,
        before: Moment | None = None,
        everything: bool = False,
        dry_run: bool = False,
    ) -> Forgotten:
        """Erase messages and all that was derived from them; afterwards their bytes are in no file of the folder.

        `dry_run` only tells what would go.
        Raise InvalidInputError without a scope, NotFoundError where the scope holds no message.
        """
        store = self._known(user_id)
        where = scope(message_ids=message_ids, session_id=_session(session_id), after=after, before=before)
        if where.is_everything != everything:
            raise InvalidInputError(
                "Say what to forget: message_ids, session_id, after/before, or everything=True alone."
            )
        if unknown := set(message_ids or ()) - set(store.log.seqs_of(message_ids or ())):
            raise NotFoundError(f"No message {min(unknown)!r} in this memory.")
        with store.transaction():
            seqs = store.log.chosen(where)
            if not seqs and not everything:
                raise NotFoundError(f"No message of {user_id!r} is in this scope; nothing was erased.")
            going = Forgotten(messages=len(seqs), sessions=store.log.sessions_of(seqs))
            if dry_run:
                return going
            store.summaries.erase(seqs)
            store.claims.erase(seqs)
            store.index.erase(seqs)
            store.log.erase(seqs)
            store.accounts.erase(everything=everything)
            if everything:
                store.routes.erase()
                store.owe_removal()
        store.shrink()
        if everything:
            del store  # The file is deleted when nobody has it open.
            self._stores.discard(user_id)
        else:
            self.summaries.schedule(store)
        self.short_term.forgot(
            user_id,
            going.sessions,
            ended=session_id is not None and (after, before, message_ids) == (None, None, None),
            everything=everything,
        )
        return going

    def close(self) -> None:
        """Stop the background work and close every file."""
        if self._worker is not None:
            self._worker.close()
        self.claims.close()
        self.summaries.close()
        self.short_term.close()
        self._stores.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _known(self, user_id: str) -> Store:
        """Return the store of a user; one who never said anything has an empty one that leaves no file."""
        store = self._stores.of(user(user_id), create=False)
        if store.path not in self._taken_up:
            self._taken_up.add(store.path)
            self._take_up(store)
        return store

    def _take_up(self, store: Store) -> None:
        """Go on with the vectors that an earlier process left waiting."""
        if self._embedder is not None and store.path.exists() and store.index.has_work(self._embedder):
            self._schedule(store)
        if store.path.exists():
            self.claims.take_up(store)
            self.summaries.schedule(store)

    def _budget(self, budget: int | None) -> int:
        chosen = self._settings.budget if budget is None else budget
        if isinstance(chosen, bool) or not isinstance(chosen, int) or chosen < 1:
            raise InvalidInputError(f"budget={budget!r}: give a whole number of tokens, at least 1.")
        return chosen


def _session(session_id: str | None) -> str | None:
    if session_id is None:
        return None
    if not isinstance(session_id, str) or not session_id.strip() or len(session_id) > 512 or not _is_whole(session_id):
        raise InvalidInputError(
            f"session_id={session_id!r}: use a text of 1 to 512 characters, none of them half of one."
        )
    return session_id


def _is_whole(text: str) -> bool:
    """Tell whether the text has no lone surrogates, which no database holds."""
    return not any(0xD800 <= ord(character) < 0xE000 for character in text)


def _turns(asked: int | None, chosen: Strategy, session_id: str | None) -> int:
    """Return how many recent turns are shown: as asked, as the strategy has it, or two where a session is named."""
    if asked is not None:
        if asked < 0:
            raise InvalidInputError(f"recent_turns={asked!r}: give 0 or more.")
        return asked
    if chosen.recent_turns is not None:
        return chosen.recent_turns
    return 2 if session_id is not None else 0


def _query(
    text: str,
    *,
    roles: Sequence[str] | None = None,
    session_id: str | None = None,
    after: Moment | None = None,
    before: Moment | None = None,
    asked_at: Moment | None = None,
    hidden: frozenset[int] = frozenset(),
) -> Query:
    if not isinstance(text, str) or not text.strip():
        raise InvalidInputError("The question is empty: say what to look for.")
    if roles is not None and (unknown := set(roles) - ROLES):
        raise InvalidInputError(f"Unknown roles {sorted(unknown)}: choose from {', '.join(sorted(ROLES))}.")
    return Query(
        text=text.encode("utf-8", "replace").decode("utf-8"),
        asked_at=moment(asked_at, name="asked_at", end_of_day=False) or datetime.now(UTC),
        roles=None if roles is None else frozenset(roles),
        in_session=_session(session_id),
        after=moment(after, name="after", end_of_day=False),
        before=moment(before, name="before", end_of_day=True),
        hidden_seqs=hidden,
    )


def _with_mode(chosen: Strategy, mode: str) -> Strategy:
    """Return a strategy that uses only the channels of a mode."""
    channels: dict[str, tuple[Channel, ...]] = {
        "fused": chosen.recipe.channels,
        "lexical": ("lexical",),
        "semantic": ("passage", "clause"),
    }
    if mode not in channels:
        raise InvalidInputError(f"mode={mode!r}: choose one of {', '.join(channels)}.")
    weights = dict(zip(chosen.recipe.channels, chosen.recipe.weights, strict=True))
    recipe = replace(chosen.recipe, channels=channels[mode], weights=tuple(weights[name] for name in channels[mode]))
    return replace(chosen, recipe=recipe)


def _hit(message: Message, score: float) -> Hit:
    return Hit(
        id=message.message_id,
        text=message.text,
        score=score,
        role=message.role,
        created_at=message.created_at,
        session_id=message.session_id,
        seq=message.seq,
        metadata=message.metadata,
        author=message.author,
        origin=message.origin,
    )


def _explained(message: Message, trace: Trace, outcome: str | None) -> Explained:
    places = trace.places(message.seq)
    return Explained(
        message_id=message.message_id,
        seq=message.seq,
        speaker=message.speaker,
        created_at=message.created_at,
        text=message.text,
        stages=places,
        outcome=outcome or ("dropped: rank" if places else "not found"),
    )
