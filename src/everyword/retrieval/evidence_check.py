"""Whether the history seems not to hold the answer, and why: the best lines are held against the words of the question.

Two checks, each a logistic score; `benchmarks/no_evidence.py` fits their weights and prints how often they are right. A
question that names one of several speakers is checked for whose words the best lines are, since what another one says of
himself is no answer. Any other question is checked for whether one line holds enough of its words, and whether anything
comes near it in meaning. Texts that do not ask for a record are not judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from everyword.domain.passage import Passage
from everyword.domain.query import Query
from everyword.ports import ModelIdentity, PassageTable, SearchIndex
from everyword.retrieval.gather import Gathered, Ints, Scores
from everyword.retrieval.recall_question import asks_for_record
from everyword.retrieval.wanted import AROUND, Wanted, wanted
from everyword.text.clauses import sentences
from everyword.text.words import fold, is_unspaced, terms

FEWEST = 100
"""Passages below which nothing can stand out."""
MOST_TERMS = (24, 48)
"""Terms of a question, spaced and unspaced, above which it is a story and no question."""
READ = 4
"""Passages whose lines are read, of each side."""
COVERING = 10
"""Passages that may cover the tokens of a question between them."""
_FARTHEST = 2
"""Tokens that are covered least."""
_SAME_SCRIPT = 0.5
"""Share of the passages below which no word of the question can be expected to match."""
_FAR = 4.0
"""Standard deviations above which more says nothing: in a history of one subject anything else is far from the mean."""
_SHORT = 400
"""Characters of a question right before a line that still count as standing around it."""
_FIRST = re.compile(r"\b(?:i|my|me|mine|myself|we|our|us|ours)\b|我|咱", re.IGNORECASE)
_SECOND = re.compile(r"\b(?:you|your|yours|u|ur)\b|[你您妳]", re.IGNORECASE)
_MARK = re.compile("[?？]")
_WORD = re.compile(r"\w+")
_NOTHING = frozenset[str]()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorer:
    """A logistic score: above 0 there seems to be no evidence."""

    weights: Mapping[str, float]
    bias: float

    def score(self, measures: Mapping[str, float]) -> float:
        """Return the log odds, less those of the bar."""
        return self.bias + sum(weight * measures[name] for name, weight in self.weights.items())

    def even(self, name: str, measures: Mapping[str, float]) -> float:
        """Return the value of one measure with which the score would be 0, given the others."""
        return -self.score({**measures, name: 0.0}) / self.weights[name]


UNSAID = Scorer(
    weights={
        "fused": -0.124,
        "held": -3.166,
        "near": -0.953,
        "words": -0.093,
        "unseen": 0.959,
        "unseen names": 4.215,
        "unspaced": -0.956,
    },
    bias=4.26,
)
"""Nobody said it."""
UNCOVERED = Scorer(
    weights={"fused": -0.135, "held": -2.544, "covered": -16.919, "unseen names": 4.351},
    bias=5.77,
)
"""Nobody said it, told by the tokens of the question; only for the models that this was fitted with."""
FITTED = frozenset({"e5-small:q4", "e5-small:int8"})
ANOTHER = Scorer(weights={"gap": 6.187}, bias=-0.83)
"""Another speaker said it of himself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the check says of one question."""

    no_evidence: bool | None = None
    """None: it cannot tell."""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A sentence of a passage."""

    terms: frozenset[str]
    around: frozenset[str]
    """Terms of its passage, and of a question right before it."""
    is_asked: bool
    about_other: bool
    """It speaks of `you` and not of `I`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One question as a scorer sees it."""

    scorer: Scorer
    measures: Mapping[str, float]
    wanted: Wanted
    held: frozenset[str]
    """Terms of the line that holds most; with a speaker, of the line that holds most of somebody else."""
    speaker: str | None = None
    """Whom the question names."""


def check(index: SearchIndex, query: Query, found: Gathered, fused: Scores, first: Sequence[int]) -> Verdict:
    """Tell whether there seems to be no evidence. `first`: positions of the best passages of the first candidates."""
    measured = measure(index, query, found, fused, first, is_exact=False)
    if measured is None:
        return Verdict()
    is_missing = measured.scorer.score(measured.measures) > 0.0
    return Verdict(no_evidence=is_missing, why=_why(measured) if is_missing else "")


def measure(
    index: SearchIndex, query: Query, found: Gathered, fused: Scores, first: Sequence[int], *, is_exact: bool = True
) -> Measured | None:
    """Return the measures of a question; None where they do not tell.

    Unless `is_exact`, lines are read only until one holds so much that there is evidence whatever the others hold.
    """
    if not _can_tell(query, found, fused):
        return None
    named = _named(found.corpus, query.text)
    without = {term for name in named for term in terms(name)}
    asked = wanted(query.text, found.idf, float(np.log(2.0 * len(found.corpus) + 2.0)), without=without)
    if len(named) > 1 or not 0 < len(asked.weights) <= MOST_TERMS[is_unspaced(query.text)]:
        return None
    if named and any(name and name != named[0] for name in found.corpus.names):
        return _of_speaker(index, found, asked, fused, named[0])
    return _of_anybody(index, query, found, asked, fused, first, is_exact=is_exact)


def _can_tell(query: Query, found: Gathered, fused: Scores) -> bool:
    """Tell whether a text asks for a record of a history that is long enough and mostly in its own script."""
    if np.count_nonzero(~np.isnan(fused)) < FEWEST or found.clauses is None or not asks_for_record(query.text):
        return False
    same = found.corpus.scripts[found.allowed] == int(is_unspaced(query.text))
    return bool(same.mean() >= _SAME_SCRIPT)


def _named(corpus: PassageTable, question: str) -> list[str]:
    """Return the speakers whom a question names."""
    words = set(_WORD.findall(fold(question)))
    return [name for name in corpus.names if name and not words.isdisjoint(_WORD.findall(fold(name)))]


# ---- nobody said it ----


def _of_anybody(
    index: SearchIndex,
    query: Query,
    found: Gathered,
    asked: Wanted,
    fused: Scores,
    first: Sequence[int],
    *,
    is_exact: bool,
) -> Measured:
    measures = {
        "fused": float(np.nanmax(fused)),
        "near": _near(found.clauses, first),
        "words": _near(found.scores.get("lexical")),
        "unseen": asked.unseen_share,
        "unseen names": float(min(len(asked.names & asked.unseen), 2)),
        "unspaced": float(is_unspaced(query.text)),
    }
    scorer = UNSAID
    if (covered := _covered(found, fused)) is not None:
        scorer, measures["covered"] = UNCOVERED, covered
    places = _top(_level(found, asked, power=2), fused, found.allowed)
    enough = np.inf if is_exact else scorer.even("held", measures)
    share, held = _most_held(index, found.corpus, places, asked, enough)
    return Measured(scorer=scorer, measures={**measures, "held": share}, wanted=asked, held=held)


def _covered(found: Gathered, fused: Scores) -> float | None:
    """Return how near the tokens of the question that are farthest come to what is ranked first; None: it cannot be told.

    Passages whose vectors are not there yet cover nothing, though they may hold the answer.
    """
    if found.alike is None or found.clauses is None or not _is_fitted(found.alike.identity):
        return None
    first = np.flatnonzero(~np.isnan(fused))
    if len(first) > COVERING:
        first = first[np.argpartition(fused[first], -COVERING)[-COVERING:]]
    if np.isnan(found.clauses[first]).any():
        return None
    near = found.alike.coverage(found.corpus.ids[first])
    return None if near is None else float(np.sort(near)[:_FARTHEST].mean())


def _most_held(
    index: SearchIndex, corpus: PassageTable, places: Sequence[int], asked: Wanted, enough: float
) -> tuple[float, frozenset[str]]:
    """Return the share and the terms of the line that holds most, or of the first that holds enough."""
    most = (0.0, _NOTHING)
    for place in places if enough > 0.0 else ():
        for passage in index.passages([int(corpus.ids[place])]):
            held = [(asked.share(line.terms, power=2), line.terms) for line in _lines(passage)]
            most = max(most, *held, key=_first_of) if held else most
        if most[0] >= enough:
            break
    return most


def _is_fitted(identity: ModelIdentity) -> bool:
    return identity.name in FITTED and identity.units == "clauses"


def _near(scores: Scores | None, places: Sequence[int] | None = None) -> float:
    """Return by how many standard deviations the best of some places, or of all, is above the mean of all."""
    if scores is None or np.isnan(scores).all():
        return 0.0
    known = scores[~np.isnan(scores)]
    best = np.nanmax(known if places is None else [*scores[list(places)], known.mean()])
    return min(float((best - known.mean()) / max(known.std(), 1e-9)), _FAR)


# ---- another speaker said it ----


def _of_speaker(index: SearchIndex, found: Gathered, asked: Wanted, fused: Scores, speaker: str) -> Measured:
    corpus = found.corpus
    own = corpus.named == corpus.names.index(speaker)
    theirs = ~own & ~np.isin(corpus.named, [place for place, name in enumerate(corpus.names) if not name])
    before = _before(corpus)
    level = _level(found, asked)
    level += AROUND * np.where(before < 0, 0.0, level[before])
    sides = [(is_own, _top(level, fused, found.allowed & mask)) for is_own, mask in ((True, own), (False, theirs))]
    places = [place for _, side in sides for place in side]
    read = _passages(index, corpus, [*places, *(int(before[place]) for place in places if before[place] >= 0)])
    most = {True: (0.0, _NOTHING), False: (0.0, _NOTHING)}
    for is_own, side in sides:
        for place in side:
            for line in _lines(read[place], read.get(int(before[place]))) if place in read else ():
                if not line.is_asked:
                    is_of_speaker = is_own != line.about_other
                    share = asked.share(line.terms, line.around)
                    most[is_of_speaker] = max(most[is_of_speaker], (share, line.terms), key=_first_of)
    measures = {"gap": most[False][0] - most[True][0]}
    return Measured(scorer=ANOTHER, measures=measures, wanted=asked, held=most[False][1], speaker=speaker)


def _before(corpus: PassageTable) -> Ints:
    """Return for each position that of a short passage of another speaker right before it in the session, or -1."""
    earlier, later = corpus.order[:-1], corpus.order[1:]
    fits = (corpus.sessions[earlier] == corpus.sessions[later]) & (corpus.lengths[earlier] <= _SHORT)
    fits &= (corpus.named[earlier] != corpus.named[later]) | (corpus.roles[earlier] != corpus.roles[later])
    found = np.full(len(corpus), -1, dtype=np.int64)
    found[later[fits]] = earlier[fits]
    return found


# ---- lines ----


def _level(found: Gathered, asked: Wanted, *, power: int = 1) -> Scores:
    """Return how much weight of the question each passage holds, as the index tells."""
    level = np.zeros(len(found.corpus))
    for term, weight in asked.weights.items():
        if term in found.holders:
            level[found.holders[term]] += weight**power
    return level


def _top(level: Scores, fused: Scores, mask: npt.NDArray[np.bool_]) -> list[int]:
    """Return the positions that hold most; of those that hold as much, the best ranked."""
    known = np.flatnonzero(mask & (level > 0.0))
    if len(known) > READ:
        known = known[level[known] >= np.partition(level[known], -READ)[-READ]]
    return known[np.lexsort((-np.nan_to_num(fused[known], nan=-np.inf), -level[known]))][:READ].tolist()


def _passages(index: SearchIndex, corpus: PassageTable, places: Sequence[int]) -> dict[int, Passage]:
    """Return passages by position."""
    by_id = {int(corpus.ids[place]): place for place in places}
    return {by_id[each.passage_id]: each for each in index.passages(list(by_id))}


def _lines(passage: Passage, earlier: Passage | None = None) -> Iterator[Line]:
    """Yield the sentences of a passage; `earlier`: what another speaker said right before."""
    texts = [passage.text[start:end] for start, end in sentences(passage.text)]
    said_by = terms(passage.author or "")
    held = [frozenset((*terms(text), *said_by)) for text in texts]
    around = _NOTHING.union(*held)
    if earlier is not None and _MARK.search(earlier.text):
        around |= frozenset(terms(earlier.text))
    for text, each in zip(texts, held, strict=True):
        yield Line(
            terms=each,
            around=around,
            is_asked=_MARK.search(text) is not None,
            about_other=_SECOND.search(text) is not None and _FIRST.search(text) is None,
        )


def _first_of(pair: tuple[float, frozenset[str]]) -> float:
    return pair[0]


# ---- in words ----


def _why(measured: Measured) -> str:
    """Return the reason as a sentence, with the words of the question."""
    asked = measured.wanted
    held = asked.quoted(measured.held)
    if measured.speaker is not None:
        return f"no evidence: {held or 'what is asked'} stands in words of somebody else than {measured.speaker!r}"
    nearest = f"the nearest line holds only {held}" if held else "no line holds a word of the question"
    unseen = asked.quoted(asked.unseen)
    return f"no evidence: nobody said {unseen}, and {nearest}" if unseen else f"no evidence: {nearest}"
