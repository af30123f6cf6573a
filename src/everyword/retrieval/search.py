"""From a question to ranked evidence: gather, fuse, rerank, select."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice

import numpy as np

from everyword.domain.passage import ROLES
from everyword.domain.query import Query
from everyword.domain.trace import Place, Stage
from everyword.errors import ModelError
from everyword.ports import Embedder, PassageTable, Reranker, SearchIndex, WeighedReranker
from everyword.retrieval import density
from everyword.retrieval.asker import is_about_asker
from everyword.retrieval.evidence_check import Verdict, check
from everyword.retrieval.fusion import RRF_K, Scores, ranks, reciprocal_ranks, standard_scores
from everyword.retrieval.gather import Gathered, gather
from everyword.retrieval.recall_question import asks_for_record
from everyword.retrieval.recipe import CANDIDATES, DENSE, Channel, Recipe
from everyword.retrieval.standout import AMONG, WORST_RANK, standing_out
from everyword.retrieval.units import Ints, best, units
from everyword.text.words import is_unspaced

_SESSION_PASSAGES = 3
_FEWEST_FOREIGN = 8
_AT_ONCE = 64
_PLAIN = 0.5
"""Standard deviations from which on a passage is a statement like any other, and gets no more for it."""
_HEAD = 1024
"""Units that are sorted at first: more than a budget holds."""
_FIRST = 3
"""Candidates whose nearness in meaning tells whether there is evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One unit in the order of the ranking."""

    rank: int
    score: float
    passage_ids: tuple[int, ...]
    """Its passages, best first."""
    seqs: tuple[int, ...]
    """Their messages, in the order of the log."""


class Ranking:
    """Units of one question, best first, and the stages that put them there."""

    def __init__(self, found: Gathered, unit_of: Ints, passage_scores: Scores) -> None:
        self.corpus = found.corpus
        self.stages: list[Stage] = []
        self.notes = found.notes
        self.idf = found.idf
        self.related = found.related
        self._scores = best(passage_scores, unit_of)
        self._length = int(np.count_nonzero(~np.isnan(self._scores)))
        self._order = _descending(self._scores, _HEAD)
        """The first units; all of them once somebody asks for more."""
        self._final = np.empty(0)
        """Scores of as many of the first as were judged anew: reciprocal ranks, and so are those of the rest then."""
        self._turns: Ints | None = None
        """Places of the first units in the order of their turns."""
        self._allowed = found.allowed
        self._alike = found.alike
        self._unit_of = unit_of
        self._passage_scores = passage_scores
        self.check: Callable[[], Verdict] = Verdict
        """Looks whether the history seems to hold the answer; a ranking that cannot tell has no check."""

    def __len__(self) -> int:
        return self._length

    @cached_property
    def verdict(self) -> Verdict:
        """Return whether the history seems not to hold the answer, and why; read when somebody asks."""
        return self.check()

    def clause_scores(self, passage_ids: Sequence[int]) -> dict[int, Sequence[float]]:
        """Return by passage the similarity of each of its clauses to the question; empty where vectors do not tell."""
        if self._alike is None:
            return {}
        of_clauses = self._alike.of_clauses(np.array(passage_ids, dtype=np.int64))
        return {each: scores.tolist() for each, scores in zip(passage_ids, of_clauses, strict=True)}

    def head(self, count: int) -> tuple[Ints, Ints]:
        """Return the positions of the passages of the first units, and where those of each unit begin among them."""
        by_unit, bounds = self._members
        units = self._units(0, count)
        sizes = bounds[units + 1] - bounds[units]
        starts = np.cumsum(sizes) - sizes
        places = by_unit[np.repeat(bounds[units] - starts, sizes) + np.arange(sizes.sum())]
        allowed = self._allowed[places]
        return (places, starts) if allowed.all() else (places[allowed], np.cumsum(allowed)[starts] - allowed[starts])

    def let_in(self, nearness: Scores, lead: float) -> None:
        """Raise the unit whose clause stands out to rank 6, with the score that this rank has; `nearness`: of passages.

        `lead`: standard deviations over all passages (standout.py).
        """
        known = nearness[~np.isnan(nearness)]
        places, starts = self.head(AMONG)
        if not len(places) or not len(known):
            return
        place = standing_out(np.fmax.reduceat(nearness[places], starts), lead * float(known.std()))
        if place is None or place < WORST_RANK:
            return
        order = self._units(0, place + 1)
        score = np.nextafter(self._scores[order[WORST_RANK - 1]], np.inf)
        self._scores[order[place]] = self._passage_scores[places[np.nanargmax(nearness[places])]] = score
        self._order = np.insert(np.delete(self._order, place), WORST_RANK - 1, order[place])

    def lift(self, judged: Scores, weight: float) -> Scores:
        """Add a judgement of the first units to their scores, and order them by that; none falls below the rest.

        Return the new scores in the order of before. A unit that is not judged (NaN) counts as an average one.
        """
        first = self._units(0, len(judged))
        added = weight * standard_scores(_filled("passage", judged))
        self._scores = self._scores.copy()
        self._scores[first] += added - added.min()
        lifted = self._scores[first]
        self._order[: len(judged)] = first[np.argsort(-lifted, kind="stable")]
        return lifted

    def judge(self, judged: Scores, weight: float | None = None) -> None:
        """Fuse a judgement of the first units with their order; scores are reciprocal ranks from here.

        With a weight, standard scores are summed, of which those of the judgement count so many times.
        """
        first = self._units(0, len(judged))
        final = reciprocal_ranks([self._scores[first], judged])
        if weight is not None:
            final = reciprocal_ranks([standard_scores(self._scores[first]) + weight * standard_scores(judged)])
        order = np.argsort(-final, kind="stable")
        self._order[: len(judged)] = first[order]
        self._final = final[order]

    def cut(self, length: int) -> None:
        """Let go of all but the first units."""
        self._length = min(self._length, length)

    def arrange(self, room: tuple[int, int]) -> Scores:
        """Let the first units take their turn by what they promise for their tokens; return that for each passage."""
        first = self._units(0, CANDIDATES)
        tokens = density.tokens(self.corpus.lengths, self.corpus.scripts)
        sizes = np.bincount(self._unit_of, tokens, len(self._scores)).astype(np.float64)
        promised = np.full(len(self._scores), np.nan)
        promised[first] = density.densities(sizes[first], room)
        self._turns = np.argsort(-promised[first], kind="stable")
        return np.where(self._allowed, promised[self._unit_of], np.nan)

    def candidates(self) -> Iterator[Candidate]:
        """Yield the units from the best to the worst."""
        return self._candidates(np.arange(len(self)))

    def in_turn(self) -> Iterator[Candidate]:
        """Yield the units as a budget takes them: the best first, or the first ones as they are arranged."""
        return self.candidates() if self._turns is None else self._candidates(self._turns)

    def _candidates(self, places: Ints) -> Iterator[Candidate]:
        """Yield the units of some ranks, which are counted from 0."""
        by_unit, bounds = self._members
        for start in range(0, len(places), _AT_ONCE):
            chosen = places[start : start + _AT_ONCE]
            units = self._units(0, int(chosen.max()) + 1)[chosen]
            members = zip(bounds[units].tolist(), bounds[units + 1].tolist(), strict=True)
            for place, score, (first, last) in zip(chosen.tolist(), self._shown(chosen, units), members, strict=True):
                found = by_unit[first:last]
                yield self._candidate(place + 1, score, found[self._allowed[found]])

    def _units(self, start: int, stop: int) -> Ints:
        """Return the units of some ranks, counted from 0."""
        stop = min(stop, len(self))
        if stop > len(self._order):
            rest = _descending(self._scores, self._length)[len(self._order) :]
            self._order = np.concatenate([self._order, rest])
        return self._order[start:stop]

    def _shown(self, places: Ints, units: Ints) -> list[float]:
        """Return the scores of units at some places."""
        if not len(self._final):
            return self._scores[units].tolist()
        judged = self._final[np.minimum(places, len(self._final) - 1)]
        return np.where(places < len(self._final), judged, 1.0 / (RRF_K + places + 1)).tolist()

    @cached_property
    def _members(self) -> tuple[Ints, Ints]:
        """Return the positions by unit, and where each unit begins among them."""
        by_unit = np.argsort(self._unit_of, kind="stable")
        bounds = np.concatenate([[0], np.cumsum(np.bincount(self._unit_of, minlength=len(self._scores)))])
        return by_unit, bounds

    def _candidate(self, rank: int, score: float, members: Ints) -> Candidate:
        if len(members) > 1:
            members = members[np.argsort(-self._passage_scores[members], kind="stable")]
        seqs = self.corpus.seqs[members].tolist()
        return Candidate(
            rank=rank,
            score=score,
            passage_ids=tuple(self.corpus.ids[members].tolist()),
            seqs=tuple(sorted(set(seqs))),
        )


def rank(
    index: SearchIndex,
    query: Query,
    recipe: Recipe,
    *,
    embedder: Embedder | None = None,
    reranker: Reranker | None = None,
    score_clauses: bool = True,
) -> Ranking:
    """Return the ranking of a question. Without a reranker the stored clauses judge, unless `score_clauses` is False.

    Raise ModelError.
    """
    found = gather(index, query, recipe, embedder)
    stages = [
        _stage(name, found.corpus, each, found.milliseconds.get(name, 0.0)) for name, each in found.scores.items()
    ]
    started = time.perf_counter()
    fused = fuse(found, query, recipe)
    ranking = Ranking(found, units(found.corpus, recipe.unit), fused)
    if recipe.standout and "clause" in found.scores:
        ranking.let_in(found.scores["clause"], recipe.standout)
    stages.append(_stage("fused", found.corpus, fused, (time.perf_counter() - started) * 1000))
    if recipe.fusion == "scores" and len(channels_of(found, recipe)) > 1:
        ranking.check = partial(check, index, query, found, fused, _first(ranking))
    if recipe.tokens and (stage := _by_tokens(ranking, found, recipe)) is not None:
        stages.append(stage)
    by_clauses = score_clauses and found.clauses is not None and "clause" not in recipe.channels
    head = list(islice(ranking.candidates(), recipe.rerank if reranker or by_clauses else 0))
    started = time.perf_counter()
    judged: Scores | None = None
    if head and reranker is not None:
        judged = _by_model(index, query, reranker, head, found.notes)
    elif head and found.clauses is not None:
        places, starts = ranking.head(recipe.rerank)
        judged = np.fmax.reduceat(found.clauses[places], starts)
    if judged is not None:
        weight = reranker.weight if isinstance(reranker, WeighedReranker) else None
        stages.append(_reranked(ranking, head, judged, weight, started))
    if recipe.keep is not None:
        ranking.cut(recipe.keep)
    if recipe.room is not None:
        started = time.perf_counter()
        promised = ranking.arrange(recipe.room)
        stages.append(_stage("density", found.corpus, promised, (time.perf_counter() - started) * 1000))
    ranking.stages = stages
    return ranking


def channels_of(found: Gathered, recipe: Recipe) -> list[Channel]:
    """Return the channels of the recipe that could run."""
    return [name for name in recipe.channels if name in found.scores]


def fuse(found: Gathered, query: Query, recipe: Recipe) -> Scores:
    """Return one score a passage; NaN for what no channel found or the question excludes."""
    names = channels_of(found, recipe)
    channels = [found.scores[name] for name in names]
    if not channels:
        return np.full(len(found.corpus), np.nan)
    if recipe.fusion == "ranks":
        return channels[0].copy() if len(channels) == 1 else reciprocal_ranks(channels)
    weights = dict(zip(recipe.channels, recipe.weights, strict=True))
    known = ~np.logical_and.reduce([np.isnan(channel) for channel in channels])
    is_whole = bool(known.all())
    places = slice(None) if is_whole else known
    total = np.zeros(len(found.corpus))
    for name, scores in zip(names, channels, strict=True):
        total[places] += weights[name] * standard_scores(_filled(name, scores)[places])
    if recipe.other_script:
        _across_scripts(found, query, recipe, total)
    for bonus in _bonuses(found, query, recipe):
        total += bonus
    if recipe.session_bonus and known.any():
        level = total if is_whole else np.where(known, total, total[known].min())
        total += recipe.session_bonus * found.corpus.session_means(level, _SESSION_PASSAGES)
    if not is_whole:
        total[~known] = np.nan
    return total


def _bonuses(found: Gathered, query: Query, recipe: Recipe) -> Iterator[Scores]:
    """Yield what passages get for what they are and who said them, whatever they are about."""
    corpus = found.corpus
    if recipe.declarative and found.declarative is not None and asks_for_record(query.text):
        plain = np.minimum(standard_scores(found.declarative), _PLAIN)
        yield recipe.declarative * np.where(np.isnan(found.declarative), 0.0, plain)
    if recipe.author_bonus and (named := _named(corpus, query.text)) is not None:
        yield recipe.author_bonus * named
    if recipe.asker_bonus and is_about_asker(query.text):
        yield recipe.asker_bonus * (corpus.roles == ROLES.index("user"))
    if recipe.branch_penalty and corpus.branches.any():
        yield np.where(corpus.branches == 1, -recipe.branch_penalty, 0.0)


def _first(ranking: Ranking) -> list[int]:
    """Return the position of the best passage of each of the first candidates."""
    ids = [candidate.passage_ids[0] for candidate in islice(ranking.candidates(), _FIRST)]
    return ranking.corpus.positions(np.array(ids, dtype=np.int64)).tolist()


def _across_scripts(found: Gathered, query: Query, recipe: Recipe, total: Scores) -> None:
    """Score passages of another script than the question's among themselves, by vectors.

    Hardly a word of theirs can match, and a model places each language apart; without this they lose to any passage of
    the question's own language that shares a word with it. One with a name or number of the question keeps what that earns.
    """
    foreign = found.allowed & (found.corpus.scripts != int(is_unspaced(query.text)))
    dense: list[Channel] = [name for name in DENSE if name in found.scores]
    if not dense or foreign.sum() < _FEWEST_FOREIGN:
        return
    weights = dict(zip(recipe.channels, recipe.weights, strict=True))
    taken_over = recipe.other_script * weights.get("lexical", 0.0) / len(dense)
    by_vectors = sum(
        (weights[name] + taken_over) * standard_scores(_filled(name, found.scores[name])[foreign]) for name in dense
    )
    total[foreign] = np.maximum(total[foreign], by_vectors)


def _filled(channel: Channel, scores: Scores) -> Scores:
    """Return scores without gaps: words that do not occur count nothing, a vector that is not there yet is an average one."""
    missing = np.isnan(scores)
    if not missing.any():
        return scores
    return np.where(missing, 0.0 if channel == "lexical" or missing.all() else np.nanmean(scores), scores)


def _named(corpus: PassageTable, question: str) -> Scores | None:
    """Return 1 for messages of an author whom the question names; None where it names nobody, or all."""
    words = set(re.findall(r"\w+", question.casefold()))
    asked = [bool(name and words & set(re.findall(r"\w+", name.casefold()))) for name in corpus.names]
    if not any(asked) or all(is_asked for name, is_asked in zip(corpus.names, asked, strict=True) if name):
        return None
    return np.array(asked)[corpus.named].astype(np.float64)


def _by_tokens(ranking: Ranking, found: Gathered, recipe: Recipe) -> Stage | None:
    """Lift the first candidates by how near the tokens of the question come to their clauses; return the order after that.

    None: no vectors tell.
    """
    started = time.perf_counter()
    places, starts = ranking.head(recipe.rerank)
    near = found.alike.by_tokens(found.corpus.ids[places]) if found.alike is not None and len(places) else None
    if near is None or np.isnan(near).all():
        return None
    scores = ranking.lift(np.fmax.reduceat(near.astype(np.float64), starts), recipe.tokens)
    lifted = np.full(len(found.corpus), np.nan)
    lifted[places] = np.repeat(scores, np.diff(starts, append=len(places)))
    return _stage("tokens", found.corpus, lifted, (time.perf_counter() - started) * 1000)


def _by_model(
    index: SearchIndex, query: Query, reranker: Reranker, head: Sequence[Candidate], notes: list[str]
) -> Scores | None:
    """Return what a reranker says of the candidates' words; None and a note where it fails: their order stands."""
    read = [c.passage_ids[:1] if isinstance(reranker, WeighedReranker) else sorted(c.passage_ids) for c in head]
    texts = {p.passage_id: p.text for p in index.passages([each for ids in read for each in ids])}
    words = ["\n".join(texts[each] for each in ids if each in texts) for ids in read]
    try:
        judged = np.asarray(reranker.scores(query.text, words), dtype=np.float64)
    except ModelError as error:
        notes.append(f"the reranker {reranker.name!r} failed, the order before it stands: {error}")
        return None
    if judged.shape != (len(head),):
        notes.append(
            f"the reranker {reranker.name!r} gave {judged.size} scores for {len(head)} texts: they were not used"
        )
        return None
    return judged


def _reranked(
    ranking: Ranking, head: Sequence[Candidate], judged: Scores, weight: float | None, started: float
) -> Stage:
    """Fuse a judgement of the first candidates with their order; return its stage. Scores are reciprocal ranks from here."""
    ranking.judge(judged, weight)
    places = {
        seq: Place(rank=int(place), score=float(score))
        for candidate, place, score in zip(head, ranks(judged), judged, strict=True)
        if not np.isnan(score)
        for seq in candidate.seqs
    }
    milliseconds = (time.perf_counter() - started) * 1000
    return Stage(name="reranked", candidates=len(head), places=places, milliseconds=milliseconds)


def _descending(scores: Scores, count: int) -> Ints:
    """Return at least so many of the units that have a score, best first; ties in the order of the log."""
    known = np.flatnonzero(~np.isnan(scores))
    level = scores[known]
    if len(known) > count:
        known = known[level >= np.partition(level, len(known) - count)[len(known) - count]]
    return known[np.argsort(-scores[known], kind="stable")]


def _stage(name: str, corpus: PassageTable, scores: Scores, milliseconds: float) -> Stage:
    known = int((~np.isnan(scores)).sum())
    return Stage(name=name, candidates=known, places=_Places(corpus.seqs, scores), milliseconds=milliseconds)


class _Places(Mapping[int, Place]):
    """Ranks by message, computed when somebody asks."""

    def __init__(self, seqs: Ints, scores: Scores) -> None:
        self._seqs = seqs
        self._scores = scores

    @cached_property
    def _messages(self) -> dict[int, Place]:
        numbers, unit_of = np.unique(self._seqs, return_inverse=True)
        scores = best(self._scores, unit_of.astype(np.int64)) if len(numbers) else np.empty(0)
        placed = ranks(scores)
        return {
            int(seq): Place(rank=int(place), score=float(score))
            for seq, place, score in zip(numbers, placed, scores, strict=True)
            if not np.isnan(score)
        }

    def __getitem__(self, seq: int) -> Place:
        return self._messages[seq]

    def __iter__(self) -> Iterator[int]:
        return iter(self._messages)

    def __len__(self) -> int:
        return len(self._messages)
