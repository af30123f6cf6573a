"""Claims: what a user has stated about themselves, read out of the log, listed, added to and corrected."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import date, datetime
from typing import Any, Protocol

from everyword.background import BackgroundWorker
from everyword.claims.by_model import ModelExtractor
from everyword.claims.caps import PROFILE_CHARACTERS, problem, used
from everyword.claims.derivation import derive
from everyword.claims.extractor import Extractor
from everyword.claims.rules import RuleExtractor, asked_for
from everyword.claims.trust import ASKED
from everyword.claims.validity import claim_id as id_of
from everyword.domain.claim import CLAIM_KINDS, Claim, ClaimKind, Remembered, Told
from everyword.domain.message import Added
from everyword.domain.scope import moment
from everyword.errors import InvalidInputError, NotFoundError
from everyword.ports import LanguageModel, Progress, Store

Moment = datetime | date | str
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
        self._worker = BackgroundWorker("everyword-claims", self._work, waits="Claims wait") if in_background else None

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

    def derive(self, *, user_id: str, progress: Progress | None = None) -> int:
        """Read every message that waits, in this thread; return how many were read. Raise ModelError."""
        store = self._store_of(user_id)
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
        wrong = next((each for each in self.of(user_id=user_id, closed=True) if each.claim_id == claim_id), None)
        if wrong is None:
            raise NotFoundError(f"No claim {claim_id!r} in the memory of {user_id!r}: claims.of(...) lists their ids.")
        return self._state(text, {"kind": wrong.kind, "corrects": claim_id}, user_id, session_id, timestamp)

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
        characters = used(self.of(user_id=user_id))
        return Remembered(
            claim_id=id_of(statement, message),
            message_id=message.message_id,
            used=characters,
            capacity=PROFILE_CHARACTERS,
            problem=problem(characters),
        )

    # --- for the memory that it belongs to --------------------------------------------------------------------------

    def told(self, store: Store, as_of: datetime | None) -> Told:
        """Return all claims, and what to know about them: who chose them, and how many messages are not read yet."""
        if self._extractor.is_quick:
            derive(store.claims, self._extractor)
        waiting = store.claims.count_waiting(self._extractor.name)
        notes = [_QUOTED] if self._extractor.is_quick else []
        if waiting:
            notes.append(f"messages not read for claims yet: {waiting}; call claims.derive()")
        return Told(claims=tuple(store.claims.claims(self._extractor.name, as_of=as_of)), notes=tuple(notes))

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
        if self._worker is not None:
            self._worker.close()

    def _work(self, store: Store) -> None:
        derive(store.claims, self._extractor, going_on=self._goes_on)

    def _goes_on(self, _done: int) -> bool:
        return self._worker is None or not self._worker.is_stopping
