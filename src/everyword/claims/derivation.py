"""The background job: read what waits, batch by batch; each batch is one transaction, so that a kill loses and doubles nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from everyword.claims.extractor import Extractor
from everyword.domain.message import Message
from everyword.errors import ReplyError
from everyword.ports import ClaimTable


def derive(store: ClaimTable, extractor: Extractor, *, going_on: Callable[[int], bool] | None = None) -> int:
    """Read every message that waits; return how many were done. Raise ModelError where the model fails altogether.

    A message that cannot be read is noted with its reason and tried again by the next call. `going_on` is told how many
    are done after each batch, and may end the work.
    """
    done = 0
    tried: set[int] = set()
    while batch := [each for each in store.waiting(extractor.name, extractor.batch) if each.seq not in tried]:
        tried.update(message.seq for message in batch)
        _read(store, extractor, batch)
        done += len(batch)
        if going_on is not None and not going_on(done):
            break
    return done


def _read(store: ClaimTable, extractor: Extractor, batch: Sequence[Message]) -> None:
    """Read a batch; where it is refused or unusable, its halves, so that one message keeps no other from being read."""
    try:
        found = extractor.read(batch, store.claims(extractor.name) if not extractor.is_quick else ())
    except ReplyError as error:
        if len(batch) == 1:
            store.fail(extractor.name, batch[0].seq, error.failure)
            return
        middle = len(batch) // 2
        _read(store, extractor, batch[:middle])
        _read(store, extractor, batch[middle:])
        return
    store.keep(extractor.name, [each.seq for each in batch], found.statements, found.links, found.refused)
