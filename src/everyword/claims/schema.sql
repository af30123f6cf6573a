-- Everything here is derived from the log: dropped and read anew at will. A change of this file raises store.VERSION.
-- No words are copied: a claim is characters of a message. Only index terms of its object are kept beside it.
CREATE TABLE claim (
    id INTEGER PRIMARY KEY,
    extractor TEXT NOT NULL, -- each reads for itself; the claims of one are never mixed with those of another
    seq INTEGER NOT NULL,
    start INTEGER NOT NULL, -- characters of the message's text
    stop INTEGER NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    trust TEXT NOT NULL,
    slot TEXT NOT NULL,
    polarity INTEGER NOT NULL,
    objects TEXT NOT NULL, -- JSON
    replaces TEXT NOT NULL, -- JSON
    corrects TEXT,
    confidence REAL NOT NULL,
    UNIQUE (extractor, seq, start, stop, kind)
) STRICT;

CREATE INDEX claim_seq ON claim (seq);

CREATE TABLE claim_link (
    newer INTEGER NOT NULL REFERENCES claim (id) ON DELETE CASCADE,
    older INTEGER NOT NULL REFERENCES claim (id) ON DELETE CASCADE,
    relation TEXT NOT NULL,
    PRIMARY KEY (newer, older)
) STRICT, WITHOUT ROWID;

CREATE INDEX claim_link_older ON claim_link (older);

-- The journal: which messages were read, by whom, and what went wrong. It holds no words.
CREATE TABLE claim_read (
    extractor TEXT NOT NULL,
    seq INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    failure TEXT, -- NULL: it was read
    refused INTEGER NOT NULL, -- claims that were put forward and not taken
    PRIMARY KEY (extractor, seq)
) STRICT, WITHOUT ROWID;

-- Which messages may be read: found without touching their words.
CREATE INDEX claim_readable ON message (seq) WHERE role = 'user' AND origin = 'user' AND branch IS NULL;
