"""Whether the history seems not to hold the answer, and why: the best lines are held against the words of the question.

Two checks, each a logistic score with its weights below; `benchmarks/no_evidence.py` fits them and prints how often they
are right. A question that names one of several speakers is checked for whose words the best lines are, since what another
one said of himself is no answer. Any other question is checked for whether one line holds enough of its words and lies near
enough to it in meaning. Texts that do not ask for a record are not judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from everyword.domain.passage import Passage
from everyword.domain.query import Query
from everyword.ports import PassageTable, SearchIndex
from everyword.retrieval.gather import Gathered, Ints, Scores
from everyword.retrieval.recall_question import asks_for_record
from everyword.retrieval.wanted import Wanted, wanted
from everyword.text.clauses import clauses, sentences
from everyword.text.words import fold, is_unspaced, terms

FEWEST = 100
"""Passages below which nothing can stand out."""
MOST_TERMS = (24, 48)
"""Terms of a question, spaced and unspaced, above which it is a story and no question."""
import os
SPLIT = sentences if os.environ.get('SP') else clauses
LINES = int(os.environ.get('LN','4'))
"""Passages that are read of each channel and each side."""
_AROUND = 0.5
_SHORT = 400
"""Characters of a question before a line that still count as standing around it."""
_FIRST = re.compile(r"\b(?:i|my|me|mine|myself|we|our|us|ours)\b|我|咱", re.IGNORECASE)
_SECOND = re.compile(r"\b(?:you|your|yours|u|ur)\b|[你您妳]", re.IGNORECASE)
_MARK = re.compile("[?？]")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorer:
    """A logistic score: above 0 there seems to be no evidence."""

    weights: Mapping[str, float]
    bias: float

    def score(self, measures: Mapping[str, float]) -> float:
        """Return the log odds, less those that the threshold asks for."""
        return self.bias + sum(weight * measures[name] for name, weight in self.weights.items())


UNSAID = Scorer(weights={"fused": -0.08, "held": -3.4, "near": -1.05, "words": -0.13, "unseen": 0.49, "unseen names": 3.9}, bias=4.0)
ANOTHER = Scorer(weights={"gap": 6.0}, bias=-1.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the check says of one question."""

    no_evidence: bool | None
    """None: it cannot tell."""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A clause of a passage that was read."""

    terms: frozenset[str]
    around: frozenset[str]
    """Terms of its passage, and of a question right before it."""
    is_asked: bool
    """It is part of a question."""
    about_other: bool
    """It speaks of `you` and not of `I`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One question as the scorers see it."""

    scorer: Scorer
    measures: Mapping[str, float]
    wanted: Wanted
    held: frozenset[str]
    """Terms of the question that the best line holds."""
    speaker: str | None
    """Whom the question names."""


def check(index: SearchIndex, query: Query, found: Gathered, fused: Scores, first: Sequence[int]) -> Verdict:
    """Return whether there seems to be no evidence. `first`: positions of the first passages of the final order."""
    measured = measure(index, query, found, fused, first)
    if measured is None:
        return Verdict(no_evidence=None)
    if measured.scorer.score(measured.measures) < 0.0:
        return Verdict(no_evidence=False)
    return Verdict(no_evidence=True, why=_why(measured))


def measure(index: SearchIndex, query: Query, found: Gathered, fused: Scores, first: Sequence[int]) -> Measured | None:
    """Return the measures of a question; None where they do not apply."""
    if np.count_nonzero(~np.isnan(fused)) < FEWEST or found.clauses is None or not asks_for_record(query.text):
        return None
    named = _named(found.corpus, query.text)
    names = {term for name in named for term in terms(name)}
    asked = wanted(query.text, found.idf, float(np.log1p(2.0 * len(found.corpus) + 1.0)), without=names)
    if len(named) > 1 or not 0 < len(asked.weights) <= MOST_TERMS[is_unspaced(query.text)]:
        return None
    others = {name for name in found.corpus.names if name} - set(named)
    if named and others:
        return _of_speaker(index, found, asked, fused, named[0])
    return _of_anybody(index, query, found, asked, fused, first)


def _named(corpus: PassageTable, question: str) -> list[str]:
    """Return the speakers whom a question names."""
    words = set(_WORD.findall(fold(question)))
    return [name for name in corpus.names if name and words & set(_WORD.findall(fold(name)))]


# ---- nobody said it ----


def _of_anybody(
    index: SearchIndex, query: Query, found: Gathered, asked: Wanted, fused: Scores, first: Sequence[int]
) -> Measured:
    level = _held(found, asked, power=2)
    read = _passages(index, found.corpus, _top(level, fused, found.allowed))
    held = _most_held(asked, (line for passage in read.values() for line in _lines(passage)))
    near = [_above(found.clauses, place) for place in first] if found.clauses is not None else []
    lexical = found.scores.get("lexical", np.empty(0))
    measures = {
        "fused": float(np.nanmax(fused)),
        "held": asked.share(held, power=2),
        "near": max((each for each in near if not np.isnan(each)), default=0.0),
        "words": _above(lexical, int(np.nanargmax(lexical))) if np.isfinite(lexical).any() else 0.0,
        "unseen": asked.unseen_share,
        "unseen names": float(min(len(asked.names & asked.unseen), 2)),
        "unspaced": float(is_unspaced(query.text)),
    }
    return Measured(scorer=UNSAID, measures=measures, wanted=asked, held=held, speaker=None)


def _most_held(asked: Wanted, lines: Iterator[Line]) -> frozenset[str]:
    """Return the terms of the line that holds most of the question."""
    return max((line.terms for line in lines), key=lambda held: asked.share(held, power=2), default=frozenset())


def _above(scores: Scores, place: int) -> float:
    """Return by how many standard deviations one score is above the mean of all."""
    known = scores[~np.isnan(scores)]
    return float((scores[place] - known.mean()) / max(known.std(), 1e-9))


# ---- another speaker said it ----


def _of_speaker(index: SearchIndex, found: Gathered, asked: Wanted, fused: Scores, speaker: str) -> Measured:
    corpus = found.corpus
    own = corpus.named == corpus.names.index(speaker)
    theirs = ~own & ~np.isin(corpus.named, [place for place, name in enumerate(corpus.names) if not name])
    level = _held(found, asked)
    before = _before(corpus, level)
    most = {True: (0.0, frozenset[str]()), False: (0.0, frozenset[str]())}
    sides = [(is_own, _top(level + _AROUND * np.where(before < 0, 0.0, level[before]), fused, found.allowed & mask)) for is_own, mask in ((True, own), (False, theirs))]
    read = _passages(index, corpus, [each for _, places in sides for place in places for each in (place, int(before[place])) if each >= 0])
    for is_own, places in sides:
        for place in places:
            for line in _lines(read[place], read.get(int(before[place]))) if place in read else ():
                if not line.is_asked:
                    about_speaker = is_own != line.about_other
                    share = asked.share(line.terms, line.around)
                    most[about_speaker] = max(most[about_speaker], (share, line.terms), key=lambda each: each[0])
    measures = {"gap": most[False][0] - most[True][0], "own": most[True][0], "other": most[False][0]}
    return Measured(scorer=ANOTHER, measures=measures, wanted=asked, held=most[False][1], speaker=speaker)


def _before(corpus: PassageTable, level: Scores) -> Ints:
    """Return for each position that of a short passage of another speaker right before it in the session, or -1."""
    earlier, later = corpus.order[:-1], corpus.order[1:]
    fits = (corpus.sessions[earlier] == corpus.sessions[later]) & (corpus.lengths[earlier] <= _SHORT)
    fits &= (corpus.named[earlier] != corpus.named[later]) | (corpus.roles[earlier] != corpus.roles[later])
    found = np.full(len(corpus), -1, dtype=np.int64)
    found[later[fits]] = earlier[fits]
    return found


# ---- lines ----


def _held(found: Gathered, asked: Wanted, *, power: int = 1) -> Scores:
    """Return how much weight of the question each passage holds, as far as the index tells."""
    level = np.zeros(len(found.corpus))
    for term, weight in asked.weights.items():
        if term in found.holders:
            level[found.holders[term]] += weight**power
    return level


def _top(level: Scores, fused: Scores, mask: npt.NDArray[np.bool_]) -> list[int]:
    """Return the positions that hold most; of those that hold as much, the first ones."""
    known = np.flatnonzero(mask & (level > 0.0))
    if len(known) > LINES:
        known = known[level[known] >= np.partition(level[known], -LINES)[-LINES]]
    return known[np.lexsort((-np.nan_to_num(fused[known], nan=-np.inf), -level[known]))][:LINES].tolist()


def _passages(index: SearchIndex, corpus: PassageTable, places: Sequence[int]) -> dict[int, Passage]:
    """Return passages by position."""
    ids = {int(corpus.ids[place]): place for place in places}
    return {ids[each.passage_id]: each for each in index.passages(list(ids))}


def _lines(passage: Passage, earlier: Passage | None = None) -> Iterator[Line]:
    """Yield the sentences of a passage; `earlier`: what another speaker said right before."""
    text = passage.text
    said_by = frozenset(terms(passage.author or ""))
    pieces = [(start, end, frozenset(terms(text[start:end])) | said_by) for start, end in SPLIT(text)]
    around = frozenset[str]().union(*(held for _, _, held in pieces))
    if earlier is not None and _MARK.search(earlier.text):
        around |= frozenset(terms(earlier.text))
    for start, end, held in pieces:
        words = text[start:end]
        yield Line(
            terms=held,
            around=around,
            is_asked=_MARK.search(words) is not None,
            about_other=_SECOND.search(words) is not None and _FIRST.search(words) is None,
        )


# ---- in words ----


def _why(measured: Measured) -> str:
    """Return the reason as a sentence, with the words of the question."""
    asked = measured.wanted
    held = _quoted(asked, [term for term in asked.weights if term in measured.held])
    if measured.speaker is not None:
        return f"no evidence: what comes nearest is not {measured.speaker}'s own; another speaker's line holds {held or 'more of it'}"
    unseen = _quoted(asked, [term for term in asked.weights if term in asked.unseen])
    nearest = f"the nearest line holds only {held}" if held else "no line holds a word of it"
    return f"no evidence: {f'{unseen} stand nowhere, and ' if unseen else ''}{nearest}"


def _quoted(asked: Wanted, chosen: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(repr(asked.words.get(term, term)) for term in chosen))
