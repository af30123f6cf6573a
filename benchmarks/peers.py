"""The same passages, vectors and questions in rank_bm25, bm25s and Chroma, one after another in a process of its own."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from phases import USER, Figures, query_model, read_questions, spread, timed

from everyword.assembly import UserFiles
from everyword.index.dense import DenseScan
from everyword.index.vectors import models
from everyword.text.words import terms

if TYPE_CHECKING:
    from everyword.ports import Vectors

FIRST = 60
LONGEST_BUILD_S = 60.0
"""Of rank_bm25; where it would take longer it is left out."""
_SAMPLE = 2000
_CHROMA_BATCH = 5000
_READ = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Passages:
    """What the peers search: the passages of a memory, their index terms and their vectors as they are stored there."""

    texts: list[str]
    terms: list[list[str]]
    vectors: Vectors


def peers(home: Path, *, are_drawn: bool) -> Figures:
    """Ask each peer for its first 60 passages of each question."""
    asked = read_questions(home)
    found = _passages(home)
    model = query_model(are_drawn=are_drawn)
    model.embed_queries(["loads the model"])
    embedded = [timed(lambda text=text: model.embed_queries([text])) for text in asked]
    keys = [terms(text) for text in asked]
    okapi, okapi_s = _rank_bm25(found, keys)
    sparse, sparse_s = _bm25s(found, keys)
    chroma, chroma_s = _chroma(found, [rows for _, rows in embedded])
    with_embedding = [seconds + own for (seconds, _), own in zip(embedded, chroma_s, strict=True)]
    both = [first + second for first, second in zip(with_embedding, okapi_s, strict=False)]
    return {
        "passages": len(found.texts),
        "rank_bm25": okapi | ({"query_ms": spread(okapi_s)} if okapi_s else {}),
        "bm25s": sparse | {"query_ms": spread(sparse_s)},
        "chroma": chroma | {"query_ms": spread(chroma_s), "with_embedding_ms": spread(with_embedding)},
        "chroma_and_rank_bm25": {"query_ms": spread(both)} if both else {},
    }


def _passages(home: Path) -> Passages:
    files = UserFiles(home / "users", open_files=1)
    index = files.of(USER, create=False).index
    database = files.of(USER, create=False).database
    with database.reading() as connection:
        model = next(each for each in models(connection) if each.active)
        scan = DenseScan(model).grown(connection)
    order = np.argsort(scan.ids)
    texts: list[str] = []
    for ids in np.array_split(scan.ids[order], max(1, len(order) // _READ)):
        texts += [each.text for each in reversed(index.passages(ids.tolist()))]
    vectors = np.concatenate([block.vectors for block in scan._blocks])[order] + scan.centre
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    files.close()
    return Passages(texts=texts, terms=[terms(text) for text in texts], vectors=vectors)


def _rank_bm25(found: Passages, asked: Sequence[list[str]]) -> tuple[Figures, list[float]]:
    from rank_bm25 import BM25Okapi

    expected = timed(lambda: BM25Okapi(found.terms[:_SAMPLE]))[0] * len(found.terms) / _SAMPLE
    if expected > LONGEST_BUILD_S:
        return {"left_out": f"building it would take about {expected:.0f} s"}, []
    build, index = timed(lambda: BM25Okapi(found.terms))
    return {"build_s": build}, [timed(lambda words=words: _best(index.get_scores(words)))[0] for words in asked]


def _best(scores: Any) -> Any:
    first = np.argpartition(-scores, min(FIRST, len(scores) - 1))[:FIRST]
    return first[np.argsort(-scores[first])]


def _bm25s(found: Passages, asked: Sequence[list[str]]) -> tuple[Figures, list[float]]:
    import bm25s

    index = bm25s.BM25()
    build, _ = timed(lambda: index.index(found.terms, show_progress=False))
    count = min(FIRST, len(found.terms))
    return {"build_s": build}, [
        timed(lambda words=words: index.retrieve([words], k=count, show_progress=False))[0] for words in asked
    ]


def _chroma(found: Passages, asked: Sequence[Vectors]) -> tuple[Figures, list[float]]:
    """Fill a collection in memory whose vectors are given, so that it loads no model and asks no network."""
    import chromadb
    from chromadb.config import Settings

    client = chromadb.EphemeralClient(settings=Settings(anonymized_telemetry=False))
    collection = client.create_collection("bench", embedding_function=None, metadata={"hnsw:space": "cosine"})
    start = time.perf_counter()
    for first in range(0, len(found.texts), _CHROMA_BATCH):
        part = slice(first, first + _CHROMA_BATCH)
        collection.add(
            ids=[str(place) for place in range(len(found.texts))[part]],
            embeddings=found.vectors[part],
            documents=found.texts[part],
        )
    build = time.perf_counter() - start
    count = min(FIRST, len(found.texts))

    def ask(rows: Vectors) -> Any:
        return collection.query(query_embeddings=rows, n_results=count)

    ask(asked[0])
    return {"build_s": build}, [timed(lambda rows=rows: ask(rows))[0] for rows in asked]
