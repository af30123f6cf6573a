"""The index of one user: words at once, vectors when they are ready, all of it rebuildable from the log."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Protocol, cast

import apsw

from everyword.domain.message import Message
from everyword.domain.passage import Passage
from everyword.index import lexical, passages, vectors
from everyword.ports import Embedder, ModelIdentity, Progress, question_vectors
from everyword.text.words import is_unspaced

if TYPE_CHECKING:
    from everyword.index.corpus import Corpus
    from everyword.index.dense import DenseScan, Similarities
    from everyword.index.postings import Postings

VERSION = 5
"""Of schema.sql and of the keys: another number in a file means a rebuild when it is opened, unless a step leads here."""
_STEPS: Mapping[int, str] = {4: "ALTER TABLE model ADD COLUMN declarative BLOB"}
"""What makes the schema of a version that of the next, so that vectors need not be computed again."""
_PAGES = 250
"""Of 4 KB, merged in one transaction: others write in between."""
TABLES = ("pending", "vector", "model", "passage")


class Storage(Protocol):
    """The database that the log owns."""

    def transaction(self) -> Any: ...
    def reading(self) -> Any: ...


class Log(Protocol):
    """What a rebuild reads."""

    def scan(self, *, after: int = 0, batch: int = 500) -> Iterator[Message]: ...
    def by_seq(self, seqs: Iterable[int]) -> list[Message]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexStats:
    """Counts of derived rows."""

    passages: int
    vectors: int
    pending: int
    """Passages that wait for a vector of the model in use."""
    models: tuple[tuple[str, str], ...]
    """Name and state (active, building)."""


class Index:
    """Passages, their terms and their vectors."""

    def __init__(self, storage: Storage, log: Log) -> None:
        self._storage = storage
        self._log = log
        self._corpus: Corpus | None = None
        self._postings: Postings | None = None
        self._scan: DenseScan | None = None
        self._generation = -1
        self._state = (-1, -1)
        """Changes by this connection, and by others, when the corpus was read."""
        self._create()

    # --- writing ---------------------------------------------------------------------------------------------------

    def _create(self) -> None:
        with self._storage.reading() as connection:
            version = _meta(connection, "index_version")
        if version == VERSION:
            return
        with self._storage.transaction() as connection:
            while (version := _meta(connection, "index_version")) in _STEPS:
                connection.execute(_STEPS[version])
                _set_meta(connection, "index_version", version + 1)
            if version != VERSION:
                self._rebuild(connection)

    def add(self, messages: Sequence[Message]) -> None:
        """Index new messages by their words and queue them for vectors; call it in the log's transaction."""
        with self._storage.transaction() as connection:
            for message in messages:
                self._add(connection, message)

    def _add(self, connection: apsw.Connection, message: Message) -> None:
        stored = passages.insert(connection, message)
        for passage_id, span in stored:
            lexical.insert(connection, passage_id, passages.key(message, span))
        vectors.enqueue(connection, [passage_id for passage_id, _ in stored])

    def erase(self, seqs: Sequence[int]) -> None:
        """Remove every derived row of these messages; call it in the log's transaction, before the messages go."""
        with self._storage.transaction() as connection:
            ids = passages.ids_of(connection, seqs)
            for passage_id in ids:
                lexical.delete(connection, passage_id)
            vectors.delete(connection, ids)
            passages.delete(connection, ids)
            lexical.purge(connection)
            _raise_generation(connection)

    def rebuild(self, progress: Progress | None = None) -> None:
        """Drop everything derived and make it again from the log; vectors wait for their model."""
        with self._storage.transaction() as connection:
            self._rebuild(connection, progress)

    def _rebuild(self, connection: apsw.Connection, progress: Progress | None = None) -> None:
        kept = connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'model'").get
        models = cast(
            "list[Any]",
            connection.execute("SELECT identity, centre FROM model WHERE state = 'active'").fetchall() if kept else [],
        )
        lexical.drop(connection)
        for table in TABLES:
            connection.execute(f"DROP TABLE IF EXISTS {table}")
        connection.execute(files("everyword.index").joinpath("schema.sql").read_text("utf-8"))
        for identity, centre in models:
            connection.execute(
                "INSERT INTO model (identity, state, centre) VALUES (?, 'active', ?)", (identity, centre)
            )
        total = connection.execute("SELECT count(*) FROM message").get or 0
        for done, message in enumerate(self._log.scan(), 1):
            self._add(connection, message)
            if progress is not None:
                progress(done, total)
        _set_meta(connection, "index_version", VERSION)
        _raise_generation(connection)
        self._corpus = self._postings = self._scan = None

    def merge(self, *, is_whole: bool = False) -> None:
        """Make lookups of words quicker after additions; `is_whole`: as quick as can be, after many."""
        with self._storage.reading() as connection:
            if lexical.segments(connection) < 2:
                return
        pages = -_PAGES if is_whole else _PAGES
        while self._merged(pages):
            pages = _PAGES

    def _merged(self, pages: int) -> bool:
        with self._storage.transaction() as connection:
            return lexical.merge(connection, pages)

    # --- vectors ---------------------------------------------------------------------------------------------------

    def use(self, embedder: Embedder) -> None:
        """Make this embedder the one whose vectors are wanted; the active one serves until the new one is complete."""
        identity = embedder.identity
        with self._storage.reading() as connection:
            known = {model.identity: model.declarative for model in vectors.models(connection)}
        if identity not in known:
            centre = _centre(embedder)
            with self._storage.transaction() as connection:
                vectors.register(connection, identity, centre)
        if known.get(identity) is None:
            declarative = _declarative(embedder)
            with self._storage.transaction() as connection:
                vectors.tell(connection, identity, declarative)

    def embed(self, embedder: Embedder, *, limit: int = 64) -> int:
        """Compute the vectors of the newest waiting passages; return how many were done. Raise ModelError."""
        from everyword.index.embedding import encoded

        identity = embedder.identity
        with self._storage.reading() as connection:
            ids = vectors.waiting(connection, identity, limit)
            found = self.passages(ids)
            model = next((each for each in vectors.models(connection) if each.identity == identity), None)
        if model is None or (not ids and model.active):
            return 0
        done = encoded(found, embedder, model.centre)
        with self._storage.transaction() as connection:
            for passage, code, clause_codes in done:
                vectors.store(connection, identity, passage, code, clause_codes)
            vectors.settle(connection, identity, ids)
            vectors.take_over(connection, identity)
        return len(ids)

    def pending(self) -> int:
        """Return how many passages have no vector yet."""
        with self._storage.reading() as connection:
            return vectors.count_waiting(connection)

    def waiting(self, embedder: Embedder) -> int:
        """Return how many passages wait for a vector of this model."""
        with self._storage.reading() as connection:
            return vectors.count_waiting_for(connection, embedder.identity)

    def has_work(self, embedder: Embedder) -> bool:
        """Tell whether passages wait for a vector of this model, or it has not told statements from questions yet."""
        with self._storage.reading() as connection:
            known = {model.identity: model.declarative for model in vectors.models(connection)}
        return self.waiting(embedder) > 0 or known.get(embedder.identity, b"") is None

    def active(self) -> ModelIdentity | None:
        """Return the model whose vectors are searched."""
        with self._storage.reading() as connection:
            model = vectors.active(connection)
            return None if model is None else model.identity

    # --- reading ---------------------------------------------------------------------------------------------------

    def corpus(self) -> Corpus:
        """Return the arrays of all passages, up to date with the file."""
        from everyword.index.corpus import Corpus

        with self._storage.reading() as connection:
            state = (connection.total_changes(), connection.pragma("data_version"))
            if self._corpus is not None and state == self._state:
                return self._corpus
            generation = _meta(connection, "index_generation")
            if self._corpus is None or generation != self._generation:
                self._corpus, self._postings, self._scan, self._generation = Corpus(), None, None, generation
            self._corpus, self._state = self._corpus.grown(connection), state
            return self._corpus

    def session_number(self, session_id: str) -> int | None:
        """Return the number that stands for a session in the corpus; None: there is no such session."""
        with self._storage.reading() as connection:
            return connection.execute("SELECT id FROM session WHERE name = ?", (session_id,)).get

    def term_hits(
        self, wanted: dict[str, bool], *, header_weight: float = lexical.HEADER_WEIGHT
    ) -> list[lexical.TermHits]:
        """Return for each term of a question the passages that hold it."""
        with self._storage.reading() as connection:
            corpus = self.corpus()
            found = lexical.hits(
                connection, self._known(), wanted, corpus.ids, corpus.norms, header_weight=header_weight
            )
            return list(found)

    def group_hits(self, groups: Sequence[Mapping[str, bool]]) -> list[lexical.TermHits | None]:
        """Return for each group of terms the passages that hold any of them (True: any term that begins with it)."""
        with self._storage.reading() as connection:
            corpus = self.corpus()
            return list(lexical.any_of(connection, self._known(), groups, corpus.ids, corpus.norms))

    def _known(self) -> Postings:
        from everyword.index.postings import Postings

        if self._postings is None:
            self._postings = Postings()
        return self._postings

    def similarities(self, embedder: Embedder, question: str) -> Similarities | None:
        """Return the similarity of every passage; None where the active vectors are of another model."""
        from everyword.index.dense import DenseScan

        with self._storage.reading() as connection:
            model = vectors.active(connection)
            if model is None or model.identity != embedder.identity:
                return None
            self.corpus()
            if self._scan is None or self._scan.model != model:
                self._scan = DenseScan(model)
            self._scan = scan = self._scan.grown(connection)
        return scan.similarities(question_vectors(embedder, question))

    def passages(self, passage_ids: Sequence[int]) -> list[Passage]:
        """Return passages with their words, newest first; unknown ids are left out."""
        with self._storage.reading() as connection:
            query = (
                "SELECT id, seq, start, stop FROM passage WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id DESC"
            )
            known = connection.execute(query, (json.dumps(list(passage_ids)),)).fetchall()
            messages = {message.seq: message for message in self._log.by_seq({row[1] for row in known})}
        return [
            Passage(
                passage_id=passage_id,
                seq=seq,
                start=start,
                stop=stop,
                text=messages[seq].text[start:stop],
                author=messages[seq].author,
                created_at=messages[seq].created_at,
            )
            for passage_id, seq, start, stop in known
            if seq in messages
        ]

    def spans(self, passage_ids: Sequence[int]) -> list[tuple[int, int, int, int]]:
        """Return (id, sequence number, start, stop) of passages, without their words."""
        query = "SELECT id, seq, start, stop FROM passage WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id"
        with self._storage.reading() as connection:
            return connection.execute(query, (json.dumps(list(passage_ids)),)).fetchall()

    # --- checking --------------------------------------------------------------------------------------------------

    def stats(self) -> IndexStats:
        """Return counts."""
        with self._storage.reading() as connection:
            models = vectors.models(connection)
            return IndexStats(
                passages=connection.execute("SELECT count(*) FROM passage").get or 0,
                vectors=connection.execute("SELECT count(*) FROM vector").get or 0,
                pending=vectors.count_waiting(connection),
                models=tuple((model.identity.name, "active" if model.active else "building") for model in models),
            )

    def verify(self) -> list[str]:
        """Return where a derived row does not agree with the log: spans, terms, vectors."""
        with self._storage.reading() as connection:
            try:
                words = [*self._verify_words(connection), *passages.verify(connection)]
            except apsw.Error as error:
                words = [f"the index of words cannot be read ({error}): rebuild it"]
            return [*words, *_verify_vectors(connection)]

    def _verify_words(self, connection: apsw.Connection) -> Iterator[str]:
        stored = {
            (seq, start, stop): (passage_id, script)
            for passage_id, seq, start, stop, script in connection.execute(
                "SELECT id, seq, start, stop, script FROM passage"
            )
        }
        terms = lexical.fingerprints(connection)
        for message in self._log.scan():
            for span in passages.spans(message):
                passage_id, script = stored.pop((message.seq, *span), (None, None))
                if passage_id is None:
                    yield f"message {message.seq}: characters {span[0]}-{span[1]} are not indexed"
                elif terms.pop(passage_id, 0) != lexical.fingerprint(passages.key(message, span)):
                    yield f"message {message.seq}: the index terms of characters {span[0]}-{span[1]} are not its words"
                elif script != is_unspaced(message.text[span[0] : span[1]]):
                    yield f"message {message.seq}: the script of characters {span[0]}-{span[1]} is not that of its words"
        yield from (
            f"passage {passage_id}: its message {seq} is not in the log"
            for (seq, _, _), (passage_id, _) in stored.items()
        )
        yield from (f"index terms of passage {passage_id} belong to no message" for passage_id in terms)
        yield from (
            f"the index term {term!r} is there, but no search finds it" for term in lexical.unreachable(connection)
        )


def _verify_vectors(connection: apsw.Connection) -> Iterator[str]:
    """Every passage has a vector or waits for one, in each model; no vector is without its passage."""
    from everyword.index import codes

    missing = connection.execute(
        "SELECT m.id, p.id FROM model m, passage p WHERE NOT EXISTS (SELECT 1 FROM vector v WHERE v.model = m.id AND "
        "v.passage = p.id) AND NOT EXISTS (SELECT 1 FROM pending q WHERE q.model = m.id AND q.passage = p.id)"
    )
    yield from (f"passage {passage}: no vector of model {model} and not waiting for one" for model, passage in missing)
    for what, table in (("vector of", "vector"), ("place in the queue of", "pending")):
        orphans = connection.execute(f"SELECT passage FROM {table} WHERE passage NOT IN (SELECT id FROM passage)")
        yield from (f"{what} passage {passage}: there is no such passage" for (passage,) in orphans)
    for model in vectors.models(connection):
        size, clause = codes.nibble_length(model.identity.dimensions), codes.bit_length(model.identity.dimensions)
        cut = connection.execute(
            "SELECT passage FROM vector WHERE model = ? AND (length(code) <> ? OR length(clauses) % ? <> 0)",
            (model.model_id, size, clause),
        )
        yield from (
            f"vector of passage {passage}: its length is not that of {model.identity.name}" for (passage,) in cut
        )


def _centre(embedder: Embedder) -> bytes:
    from everyword.index.embedding import centre

    return centre(embedder)


def _declarative(embedder: Embedder) -> bytes:
    from everyword.index.declarative import declarative

    return declarative(embedder)


def _meta(connection: apsw.Connection, name: str) -> Any:
    return connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).get


def _set_meta(connection: apsw.Connection, name: str, value: Any) -> None:
    connection.execute("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", (name, value))


def _raise_generation(connection: apsw.Connection) -> None:
    """Tell every process that rows which it may hold in memory are gone."""
    _set_meta(connection, "index_generation", (_meta(connection, "index_generation") or 0) + 1)
