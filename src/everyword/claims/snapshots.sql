-- Copies of the claim tables under a name. No words but the index terms that claims have; a message that is forgotten goes
-- from every copy. A change of the columns of schema.sql changes these too and raises snapshots.VERSION.
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
