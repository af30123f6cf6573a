-- Lines that a language model wrote from claims: dropped and written anew at will. A change of this file raises
-- summary_store.VERSION. A chunk is one reply: whatever it says may hold words of any message that it was written from, so
-- that it goes as a whole when one of them is forgotten.
CREATE TABLE summary_chunk (
    id INTEGER PRIMARY KEY,
    writer TEXT NOT NULL,
    claims TEXT NOT NULL, -- JSON: ids, in order
    seqs TEXT NOT NULL, -- JSON: the messages that those quote
    generation INTEGER NOT NULL,
    refused INTEGER NOT NULL,
    failure TEXT, -- NULL: it was written
    attempts INTEGER NOT NULL
) STRICT;

CREATE TABLE summary_line (
    chunk INTEGER NOT NULL REFERENCES summary_chunk (id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    text TEXT NOT NULL,
    claims TEXT NOT NULL,
    seqs TEXT NOT NULL,
    PRIMARY KEY (chunk, place)
) STRICT, WITHOUT ROWID;
