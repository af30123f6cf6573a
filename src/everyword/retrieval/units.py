"""What is ranked as one: a message of several windows, a run of one speaker, or a single window."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from everyword.retrieval.recipe import Unit

if TYPE_CHECKING:
    from everyword.ports import PassageTable

Ints = npt.NDArray[np.int64]


def units(corpus: PassageTable, kind: Unit) -> Ints:
    """Return for each passage the number of its unit, counted from 0."""
    if kind == "passage":
        return np.arange(len(corpus), dtype=np.int64)
    if kind == "message":
        return corpus.messages
    return _runs(corpus)


def best(scores: npt.NDArray[np.float64], unit_of: Ints) -> npt.NDArray[np.float64]:
    """Return the best score of each unit; NaN where no passage of it has one."""
    out = np.full(int(unit_of.max()) + 1 if len(unit_of) else 0, -np.inf)
    np.maximum.at(out, unit_of, np.where(np.isnan(scores), -np.inf, scores))
    out[np.isneginf(out)] = np.nan
    return out


def _runs(corpus: PassageTable) -> Ints:
    """Number runs of messages of one speaker that follow each other in a session, on one branch."""
    order = corpus.order
    said_by = zip(corpus.roles.tolist(), corpus.branches.tolist(), corpus.authors, strict=True)
    speakers = np.array([hash(each) for each in said_by], dtype=np.int64)
    session, speaker = corpus.sessions[order], speakers[order]
    starts = np.ones(len(order), dtype=np.int64)
    starts[1:] = (np.diff(session) != 0) | (np.diff(speaker) != 0)
    out = np.empty(len(order), dtype=np.int64)
    out[order] = np.cumsum(starts) - 1
    return out
