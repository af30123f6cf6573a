-- What prompts took: figures and digests only, no words. Not derived: a rebuild leaves it, `forget` of everything takes it.
CREATE TABLE IF NOT EXISTS prompt_record (
    id INTEGER PRIMARY KEY,
    at_us INTEGER NOT NULL, -- microseconds since 1970, UTC
    budget INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    ledger TEXT NOT NULL, -- JSON: tokens by source
    kept REAL,
    common REAL,
    flushed INTEGER NOT NULL,
    answer INTEGER -- NULL: not known
) STRICT;

CREATE TABLE IF NOT EXISTS prompt_session (
    session BLOB PRIMARY KEY, -- digest of its name
    entry INTEGER NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    prefix_characters INTEGER NOT NULL,
    trail BLOB NOT NULL
) STRICT;
