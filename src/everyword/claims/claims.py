"""Claims: what a user has stated about themselves, read out of the log, listed, added to and corrected."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any, Protocol

from everyword.background import BackgroundWorker
from everyword.claims.archive import marked
from everyword.claims.by_model import ModelExtractor
from everyword.claims.caps import PROFILE_CHARACTERS, kept_notes, notes_problem, problem, used
from everyword.claims.derivation import derive
from everyword.claims.extractor import Extractor
from everyword.claims.graph import graph_of
from everyword.claims.pointers import ABOUT, Resolver, pointers, resolved
from everyword.claims.rules import RuleExtractor, asked_for
from everyword.claims.trust import ASKED
from everyword.claims.uses import UseJournal
from everyword.claims.validity import claim_id as id_of
from everyword.domain.claim import CLAIM_KINDS, Claim, ClaimKind, ClaimSnapshot, Pointed, Remembered, Told
from everyword.domain.graph import Graph
from everyword.domain.message import Added
from everyword.domain.scope import moment
from everyword.errors import InvalidInputError, NotFoundError
from everyword.ports import LanguageModel, Progress, Store

Moment = datetime | date | str
_LONGEST_NAME = 100
_QUOTED = "claims are sentences of the user chosen by rule, without a language model: English and Chinese only"


class Add(Protocol):
    """`Memory.add`."""

    def __call__(
        self,
        messages: Any,
        *,
        user_id: str,
        session_id: str | None = None,
        timestamp: Moment | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> Added: ...


class Claims:
    """The claims of all users of a memory; every call names whose. Whatever is derived can be read anew from the log."""

    def __init__(
        self, store_of: Callable[[str], Store], add: Add, model: LanguageModel | None, *, in_background: bool
    ) -> None:
        """`in_background`: read what is added as it comes; otherwise when `derive` is called.

        Without a model, what waits is also read when somebody asks: rules take no time that one would notice.
        """
        self._store_of = store_of
        self._add = add
        self._extractor: Extractor = RuleExtractor() if model is None else ModelExtractor(model)
        self.then: Callable[[Store], None] | None = None
        """Called with each store whose messages the background work has read."""
        self._worker = BackgroundWorker("everyword-claims", self._work, waits="Claims wait") if in_background else None
        self._uses = UseJournal()

    def of(
        self,
        *,
        user_id: str,
        kinds: Collection[ClaimKind] | None = None,
        as_of: Moment | None = None,
        closed: bool = False,
    ) -> list[Claim]:
        """Return what holds, as it stood at a time, in the order in which it was said; `closed`: what was ended too.

        A date alone as `as_of` includes that day. Raise InvalidInputError.
        """
        if kinds is not None and (unknown := set(kinds) - CLAIM_KINDS):
            raise InvalidInputError(f"Unknown kinds {sorted(unknown)}: choose from {', '.join(sorted(CLAIM_KINDS))}.")
        found = self.told(self._store_of(user_id), moment(as_of, name="as_of", end_of_day=True)).claims
        return [each for each in found if (closed or each.is_open) and (kinds is None or each.kind in kinds)]

    def graph(self, *, user_id: str, as_of: Moment | None = None, closed: bool = False) -> Graph:
        """Return whom and what the user has named, and how those are related, as it stood at a time.

        `closed`: relations too that a later statement ended. Raise InvalidInputError.
        """
        found = graph_of(self.of(user_id=user_id, as_of=as_of, closed=closed))
        return found if closed else replace(found, edges=tuple(edge for edge in found.edges if edge.is_open))

    def derive(self, *, user_id: str, progress: Progress | None = None, passed_over: bool = False) -> int:
        """Read every message that waits, in this thread; return how many were read. Raise ModelError.

        `passed_over`: those too that a rollback passed over.
        """
        store = self._store_of(user_id)
        if passed_over:
            store.claims.snapshots.readmit()
        total = store.claims.count_waiting(self._extractor.name)

        def told(done: int) -> bool:
            if progress is not None:
                progress(done, max(total, done))
            return True

        return derive(store.claims, self._extractor, going_on=told)

    def remember(
        self,
        text: str,
        *,
        user_id: str,
        kind: ClaimKind = "note",
        session_id: str | None = None,
        timestamp: Moment | None = None,
    ) -> Remembered:
        """Store a text that the user wants kept as a claim of a kind. It is a message of theirs like any other.

        A profile that has outgrown its room is a `problem` of what is returned; the text is stored all the same.
        Raise InvalidInputError.
        """
        if kind not in CLAIM_KINDS:
            raise InvalidInputError(f"kind={kind!r}: choose one of {', '.join(sorted(CLAIM_KINDS))}.")
        return self._state(text, {"kind": kind}, user_id, session_id, timestamp)

    def correct(
        self,
        claim_id: str,
        text: str,
        *,
        user_id: str,
        session_id: str | None = None,
        timestamp: Moment | None = None,
    ) -> Remembered:
        """Store what is right in place of a claim, which is closed and in no summary any more. Raise NotFoundError."""
        wrong = self._named(claim_id, user_id)
        return self._state(text, {"kind": wrong.kind, "corrects": claim_id}, user_id, session_id, timestamp)

    def _named(self, claim_id: str, user_id: str) -> Claim:
        found = next((each for each in self.of(user_id=user_id, closed=True) if each.claim_id == claim_id), None)
        if found is None:
            raise NotFoundError(f"No claim {claim_id!r} in the memory of {user_id!r}: claims.of(...) lists their ids.")
        return found

    def _state(
        self, text: str, wish: dict[str, Any], user_id: str, session_id: str | None, timestamp: Moment | None
    ) -> Remembered:
        if not isinstance(text, str) or not text.strip():
            raise InvalidInputError("The text is empty: say what to remember.")
        added = self._add(text, user_id=user_id, session_id=session_id, timestamp=timestamp, metadata={ASKED: wish})
        store = self._store_of(user_id)
        message = store.log.by_id(added.message_ids[0])
        statement = asked_for(message)
        if statement is None:
            raise InvalidInputError(f"{text!r} cannot be remembered: use plain words.")
        store.claims.keep(self._extractor.name, [message.seq], [statement])
        holding = self.of(user_id=user_id)
        characters = used(holding)
        problems = [problem(characters), notes_problem(*kept_notes(holding)) if statement.kind == "note" else None]
        return Remembered(
            claim_id=id_of(statement, message),
            message_id=message.message_id,
            used=characters,
            capacity=PROFILE_CHARACTERS,
            problem=" ".join(each for each in problems if each is not None) or None,
        )

    # --- documents outside ------------------------------------------------------------------------------------------

    def point(
        self,
        target: str,
        *,
        about: str,
        user_id: str,
        session_id: str | None = None,
        timestamp: Moment | None = None,
    ) -> Remembered:
        """Keep where a document is, a path or an address, and in a line what it is about; nothing of it is copied.

        Raise InvalidInputError.
        """
        if not isinstance(about, str) or len(about) > ABOUT or len(about.splitlines()) > 1:
            raise InvalidInputError(
                f"A document stays where it is: say in one line of at most {ABOUT} characters what it is about."
            )
        if pointers(target) != [target]:
            raise InvalidInputError(
                f"target={target!r}: give the path of a file, with a slash in it, or an address with ://."
            )
        return self._state(f"{about.strip()}: {target}", {"kind": "note"}, user_id, session_id, timestamp)

    def resolve(
        self, claim_id: str, *, user_id: str, resolver: Resolver | None = None, folder: str | Path | None = None
    ) -> list[Pointed]:
        """Look up now what a claim points to; where it is gone, the claim is stale until it is found again.

        Files are read, relative ones from `folder`; addresses only by a `resolver`, which is then asked about all. Raise
        NotFoundError.
        """
        claim = self._named(claim_id, user_id)
        found = resolved(pointers(claim.text), resolver, None if folder is None else Path(folder))
        checked = [each for each in found if each.status != "POINTER_UNCHECKED"]
        if checked:
            is_dead = any(each.status == "POINTER_DEAD" for each in checked)
            self._store_of(user_id).claims.marks.point(claim.seq, claim.span, is_dead=is_dead)
        return found

    # --- snapshots --------------------------------------------------------------------------------------------------

    def snapshot(self, *, user_id: str, name: str) -> ClaimSnapshot:
        """Keep all claims as they stand under a name. Raise InvalidInputError where it is taken."""
        if not isinstance(name, str) or not name.strip() or len(name) > _LONGEST_NAME:
            raise InvalidInputError(f"name={name!r}: use a text of 1 to {_LONGEST_NAME} characters.")
        store = self._store_of(user_id)
        if not store.path.exists():
            raise NotFoundError(f"{user_id!r} has said nothing yet: there are no claims to keep.")
        self.told(store, None)
        self._uses.write(store)
        made = store.claims.snapshots.make(name)
        if made is None:
            raise InvalidInputError(f"There is a snapshot {name!r} already: choose another name, or delete that one.")
        return made

    def snapshots(self, *, user_id: str) -> list[ClaimSnapshot]:
        """Return the snapshots, oldest first."""
        return self._store_of(user_id).claims.snapshots.all()

    def rollback(self, *, user_id: str, name: str) -> None:
        """Put all claims back as a snapshot has them; messages that came later are passed over, and stay in the log.

        Marks of use, dead pointers and written lines go back with them. Raise NotFoundError.
        """
        store = self._store_of(user_id)
        if store.claims.restore(name):
            self._uses.drop(store)
        else:
            raise NotFoundError(f"No snapshot {name!r} of {user_id!r}: claims.snapshots(...) lists them.")

    def delete_snapshot(self, *, user_id: str, name: str) -> None:
        """Delete a snapshot. Raise NotFoundError."""
        if not self._store_of(user_id).claims.snapshots.drop(name):
            raise NotFoundError(f"No snapshot {name!r} of {user_id!r}: claims.snapshots(...) lists them.")

    # --- for the memory that it belongs to --------------------------------------------------------------------------

    def told(self, store: Store, as_of: datetime | None) -> Told:
        """Return all claims, and what to know about them: who chose them, and how many messages are not read yet."""
        if self._extractor.is_quick:
            derive(store.claims, self._extractor)
        waiting = store.claims.count_waiting(self._extractor.name)
        notes = [_QUOTED] if self._extractor.is_quick else []
        if waiting:
            notes.append(f"messages not read for claims yet: {waiting}; call claims.derive()")
        marks = store.claims.marks.read().with_uses(self._uses.waiting(store))
        claims = marked(store.claims.claims(self._extractor.name, as_of=as_of), marks, as_of)
        return Told(claims=tuple(claims), notes=tuple(notes))

    def used(self, store: Store, seqs: Iterable[int], when: datetime) -> None:
        """Note that messages were shown. It is written down later, by another thread or by `close`."""
        self._uses.note(store, seqs, when)

    def schedule(self, store: Store) -> None:
        """Read what waits some time, where that is wanted."""
        if self._worker is not None:
            self._worker.schedule(store)

    def take_up(self, store: Store) -> None:
        """Go on with what an earlier process left waiting."""
        if self._worker is not None and store.claims.count_waiting(self._extractor.name):
            self._worker.schedule(store)

    def stats(self, store: Store) -> dict[str, Any]:
        """Return counts, and why the background work failed, where it did."""
        failures = self._worker.failures if self._worker else {}
        return {**store.claims.stats(self._extractor.name), "failure": failures.get(str(store.path))}

    def close(self) -> None:
        """Stop the background work after the batch at hand."""
        self._uses.close()
        if self._worker is not None:
            self._worker.close()

    def _work(self, store: Store) -> None:
        derive(store.claims, self._extractor, going_on=self._goes_on)
        if self.then is not None:
            self.then(store)

    def _goes_on(self, _done: int) -> bool:
        return self._worker is None or not self._worker.is_stopping
