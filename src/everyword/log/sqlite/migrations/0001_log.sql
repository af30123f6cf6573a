-- The record of every message. Rows are only added; `forget` is the one way out.
CREATE TABLE session (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE message (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again after forgetting
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    session INTEGER NOT NULL REFERENCES session (id),
    role TEXT NOT NULL,
    origin TEXT NOT NULL,
    branch TEXT, -- NULL: the main branch
    author TEXT,
    agent TEXT,
    created_us INTEGER, -- microseconds since 1970 UTC; NULL where the source does not tell
    offset_minutes INTEGER, -- of the clock that said it
    received_us INTEGER NOT NULL,
    characters INTEGER NOT NULL, -- of the text
    text BLOB NOT NULL, -- packed by payload.py
    payload BLOB NOT NULL, -- packed by payload.py; unpacks to the original bytes
    digest BLOB NOT NULL CHECK (length(digest) = 16), -- blake2b of everything above that the caller said
    metadata TEXT, -- JSON; NULL: none
    key ANY -- idempotency key; 32 hex digits are kept as 16 bytes
) STRICT;

CREATE UNIQUE INDEX message_key ON message (key) WHERE key IS NOT NULL;
CREATE INDEX message_session ON message (session, seq);

CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value ANY
) STRICT, WITHOUT ROWID;
