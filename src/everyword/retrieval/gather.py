"""Candidates of every channel: passages by their words, by their meaning and by their best clause."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from everyword.domain.passage import ROLES
from everyword.domain.query import Query
from everyword.domain.scope import microseconds
from everyword.ports import Alike, Embedder, PassageTable, SearchIndex
from everyword.retrieval.recipe import Channel, Recipe
from everyword.text import dates
from everyword.text.related import Group, related
from everyword.text.words import query_terms

Scores = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
_Found = TypeVar("_Found")
INDEX_K1 = 1.2
"""The k1 that the ratios of the index were made with."""


@dataclass(slots=True, kw_only=True)
class Gathered:
    """Scores over all passages; NaN where a channel does not know one."""

    corpus: PassageTable
    allowed: npt.NDArray[np.bool_]
    scores: dict[Channel, Scores]
    idf: dict[str, float]
    """Weight of each term of the question that occurs."""
    holders: dict[str, Ints] = field(default_factory=dict[str, Ints])
    """Positions of the passages that hold each of these terms."""
    related: dict[str, float] = field(default_factory=dict[str, float])
    """Weight of each term that answers may use instead of one of the question's."""
    clauses: Scores | None = None
    """Similarity of each passage's best clause, where vectors are there: what the clause scorer judges by."""
    declarative: Scores | None = None
    """How much each passage reads as a statement, where the model's vectors tell."""
    alike: Alike | None = None
    milliseconds: dict[str, float] = field(default_factory=dict[str, float])
    """Time that each channel took; both of vectors are one scan, which counts for the first."""
    notes: list[str] = field(default_factory=list[str])


def gather(index: SearchIndex, query: Query, recipe: Recipe, embedder: Embedder | None) -> Gathered:
    """Return what each channel of the recipe says; one that cannot run leaves a note. Raise ModelError."""
    corpus = index.corpus()
    found = Gathered(corpus=corpus, allowed=_allowed(index, corpus, query, recipe), scores={}, idf={})
    dense = [channel for channel in recipe.channels if channel != "lexical"]
    if "lexical" in recipe.channels:
        lexical = partial(_lexical, index, corpus, query, recipe, found)
        found.scores["lexical"], found.milliseconds["lexical"] = _timed(lexical)
    if dense:
        # In a thread beside the words it would take longer: whoever comes back to the interpreter waits for the other.
        if embedder is not None:
            alike = partial(index.similarities, embedder, query.text)
            found.alike, found.milliseconds[dense[0]] = _timed(alike)
        _dense(corpus, recipe, found)
    if not found.allowed.all():
        for scores in (*found.scores.values(), found.clauses, found.declarative):
            if scores is not None:
                scores[~found.allowed] = np.nan
    return found


def _timed(compute: Callable[[], _Found]) -> tuple[_Found, float]:
    """Return what is computed and the milliseconds that it took."""
    started = time.perf_counter()
    return compute(), (time.perf_counter() - started) * 1000


def _allowed(index: SearchIndex, corpus: PassageTable, query: Query, recipe: Recipe) -> npt.NDArray[np.bool_]:
    """Tell for each passage whether the conditions of the question let it in."""
    allowed = np.ones(len(corpus), dtype=np.bool_)
    for roles in (query.roles, recipe.roles):
        if roles is not None:
            allowed &= np.isin(corpus.roles, [ROLES.index(role) for role in roles])
    if query.in_session is not None:
        number = index.session_number(query.in_session)
        allowed &= corpus.sessions == (-1 if number is None else number)
    if query.after is not None:
        allowed &= corpus.created_us >= microseconds(query.after)
    if query.before is not None:
        allowed &= (corpus.created_us <= microseconds(query.before)) & (corpus.created_us > np.iinfo(np.int64).min)
    if query.hidden_seqs:
        allowed &= ~np.isin(corpus.seqs, list(query.hidden_seqs))
    return allowed


def _lexical(index: SearchIndex, corpus: PassageTable, query: Query, recipe: Recipe, found: Gathered) -> Scores:
    """Return BM25 where the counts of neighbours are added before each term saturates; NaN where no term occurs."""
    wanted = query_terms(query.text)
    if recipe.header_weight:
        asked = query.asked_at.date() if query.asked_at else None
        wanted.update(dict.fromkeys(dates.keys(query.text, asked), False))
    total = np.zeros(len(corpus))
    for hits in index.term_hits(wanted, header_weight=recipe.header_weight):
        places, ratios = _placed(corpus, hits.passage_ids, hits.ratios)
        found.holders[hits.term] = places
        if recipe.neighbours:
            places, ratios = corpus.with_neighbours(places, ratios, recipe.neighbours)
        total[places] += hits.idf * _saturated(ratios, recipe)
        found.idf[hits.term] = hits.idf
    weights, groups = _related(query.text, recipe, corpus)
    for weight, group, hits in zip(weights, groups, index.group_hits(groups) if groups else (), strict=True):
        if hits is not None:
            found.related.update({term: max(weight * hits.idf, found.related.get(term, 0.0)) for term in group})
            places, ratios = _placed(corpus, hits.passage_ids, hits.ratios)
            total[places] += weight * hits.idf * _saturated(ratios, recipe)
    total[total == 0.0] = np.nan
    return total


def _saturated(ratios: Scores, recipe: Recipe) -> Scores:
    """Return what BM25 makes of the ratios of one term with the k1 of the recipe."""
    scaled = ratios * (INDEX_K1 / recipe.k1)
    return (recipe.k1 + 1.0) * scaled / (1.0 + scaled)


def _related(question: str, recipe: Recipe, corpus: PassageTable) -> tuple[list[float], list[Group]]:
    """Return words that answers may use instead of the question's, as groups of which any one counts, and their weights."""
    weights: list[float] = []
    groups: list[Group] = []
    scripts = {script for script, is_there in enumerate((not corpus.scripts.all(), corpus.scripts.any())) if is_there}
    for relatives in related(question) if recipe.synonyms or recipe.members else ():
        for weight, group in ((recipe.synonyms, relatives.synonyms), (recipe.members, relatives.members)):
            known = {term: is_prefix for term, is_prefix in group.items() if int(not term.isascii()) in scripts}
            if weight and known:
                weights.append(weight)
                groups.append(known)
    return weights, groups


def _dense(corpus: PassageTable, recipe: Recipe, found: Gathered) -> None:
    alike = found.alike
    if alike is None:
        found.notes.append("no vectors of the model in use: found by words only")
        return
    if len(alike.passage_ids) < len(corpus):
        found.notes.append(f"{len(corpus) - len(alike.passage_ids)} passages have no vector yet: found by words only")
    passages = alike.centred(recipe.centred) if recipe.centred else alike.passages
    declarative = alike.declarative if recipe.declarative else None
    told = [passages, alike.clauses, *([] if declarative is None else [declarative])]
    places, columns = _placed(corpus, alike.passage_ids, np.stack(told, axis=1))
    scores = np.full((len(told), len(corpus)), np.nan)
    scores[:, places] = columns.T
    by_passage, found.clauses, *rest = scores
    found.declarative = rest[0] if rest else None
    if "passage" in recipe.channels:
        found.scores["passage"] = by_passage
    if "clause" in recipe.channels:
        found.scores["clause"] = found.clauses


def _placed(corpus: PassageTable, passage_ids: Ints, values: npt.NDArray[Any]) -> tuple[Ints, npt.NDArray[Any]]:
    """Return positions and values; passages that came or went since the corpus was read are left out."""
    if not len(corpus):
        return np.empty(0, dtype=np.int64), values[:0]
    places = np.minimum(corpus.positions(passage_ids), len(corpus) - 1)
    known = corpus.ids[places] == passage_ids
    return (places, values) if known.all() else (places[known], values[known])
