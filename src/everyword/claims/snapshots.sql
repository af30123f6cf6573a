-- Copies of all that is derived as claims, under a name: claims, the journal, marks, and the lines that a language model
-- wrote. A message that is forgotten goes from every copy, with whatever was written where it was seen. A change of the
-- columns of schema.sql, marks.sql or summaries.sql changes these too and raises snapshots.VERSION.
CREATE TABLE claim_snapshot (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    made_at TEXT NOT NULL,
    last_seq INTEGER NOT NULL, -- of the log when it was made: what came later is passed over by a rollback
    passed_over TEXT NOT NULL -- JSON: ranges that an earlier rollback had passed over
) STRICT;

CREATE TABLE snapshot_claim (
    snapshot INTEGER NOT NULL REFERENCES claim_snapshot (id) ON DELETE CASCADE,
    id INTEGER NOT NULL,
    extractor TEXT NOT NULL,
    seq INTEGER NOT NULL,
    start INTEGER NOT NULL,
    stop INTEGER NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    trust TEXT NOT NULL,
    slot TEXT NOT NULL,
    polarity INTEGER NOT NULL,
    objects TEXT NOT NULL,
    replaces TEXT NOT NULL,
    corrects TEXT,
    confidence REAL NOT NULL,
    PRIMARY KEY (snapshot, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX snapshot_claim_seq ON snapshot_claim (seq);

CREATE TABLE snapshot_link (
    snapshot INTEGER NOT NULL,
    newer INTEGER NOT NULL,
    older INTEGER NOT NULL,
    relation TEXT NOT NULL,
    PRIMARY KEY (snapshot, newer, older),
    FOREIGN KEY (snapshot, newer) REFERENCES snapshot_claim (snapshot, id) ON DELETE CASCADE,
    FOREIGN KEY (snapshot, older) REFERENCES snapshot_claim (snapshot, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE snapshot_read (
    snapshot INTEGER NOT NULL REFERENCES claim_snapshot (id) ON DELETE CASCADE,
    extractor TEXT NOT NULL,
    seq INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    failure TEXT,
    refused INTEGER NOT NULL,
    PRIMARY KEY (snapshot, extractor, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX snapshot_read_seq ON snapshot_read (seq);

CREATE TABLE snapshot_use (
    snapshot INTEGER NOT NULL REFERENCES claim_snapshot (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    used_at TEXT NOT NULL,
    PRIMARY KEY (snapshot, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE snapshot_dead (
    snapshot INTEGER NOT NULL REFERENCES claim_snapshot (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    start INTEGER NOT NULL,
    stop INTEGER NOT NULL,
    dead_at TEXT NOT NULL,
    PRIMARY KEY (snapshot, seq, start, stop)
) STRICT, WITHOUT ROWID;

CREATE TABLE snapshot_chunk (
    snapshot INTEGER NOT NULL REFERENCES claim_snapshot (id) ON DELETE CASCADE,
    id INTEGER NOT NULL,
    writer TEXT NOT NULL,
    claims TEXT NOT NULL,
    seqs TEXT NOT NULL,
    generation INTEGER NOT NULL,
    refused INTEGER NOT NULL,
    failure TEXT,
    attempts INTEGER NOT NULL,
    PRIMARY KEY (snapshot, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE snapshot_line (
    snapshot INTEGER NOT NULL,
    chunk INTEGER NOT NULL,
    place INTEGER NOT NULL,
    text TEXT NOT NULL,
    claims TEXT NOT NULL,
    seqs TEXT NOT NULL,
    PRIMARY KEY (snapshot, chunk, place),
    FOREIGN KEY (snapshot, chunk) REFERENCES snapshot_chunk (snapshot, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
