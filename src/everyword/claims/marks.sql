-- What happened to claims since they were said: numbers and days, no words. A change of this file raises marks.VERSION.
CREATE TABLE claim_use (
    seq INTEGER PRIMARY KEY, -- of the message that the claims quote
    used_at TEXT NOT NULL -- when it was last shown in a context
) STRICT;

CREATE TABLE claim_dead (
    seq INTEGER NOT NULL,
    start INTEGER NOT NULL,
    stop INTEGER NOT NULL,
    dead_at TEXT NOT NULL, -- when something that the claim points to was not there
    PRIMARY KEY (seq, start, stop)
) STRICT, WITHOUT ROWID;
