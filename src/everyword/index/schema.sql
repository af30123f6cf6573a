-- Everything here is derived from the log: dropped and rebuilt at will. A change of this file raises index.VERSION.
CREATE TABLE passage (
    id INTEGER PRIMARY KEY,
    seq INTEGER NOT NULL,
    start INTEGER NOT NULL, -- characters of the message's text
    stop INTEGER NOT NULL,
    session INTEGER NOT NULL,
    role INTEGER NOT NULL, -- place in domain.passage.ROLES
    branch INTEGER NOT NULL, -- 1: not the main branch
    script INTEGER NOT NULL, -- 1: most of it is written without spaces between words
    author TEXT,
    created_us INTEGER
) STRICT;

CREATE INDEX passage_seq ON passage (seq);

CREATE VIRTUAL TABLE lexical USING fts5 (
    text,
    header,
    content = '',
    contentless_delete = 1,
    detail = none, -- lexical.py says by other terms how often and where a term stands
    tokenize = "ascii tokenchars '.:#+-_'"
);

INSERT INTO lexical (lexical, rank) VALUES ('usermerge', 2); -- lexical.merge joins two segments of a size

CREATE VIRTUAL TABLE lexical_term USING fts5vocab (lexical, instance);

CREATE TABLE model (
    id INTEGER PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE, -- JSON of ports.ModelIdentity
    state TEXT NOT NULL CHECK (state IN ('active', 'building')),
    centre BLOB NOT NULL, -- float32, what codes are relative to
    declarative BLOB -- float32, from questions and small talk to statements; NULL: not known yet
) STRICT;

CREATE TABLE vector (
    id INTEGER PRIMARY KEY,
    model INTEGER NOT NULL REFERENCES model (id),
    passage INTEGER NOT NULL,
    code BLOB NOT NULL, -- of the passage: codes.NIBBLES
    clauses BLOB NOT NULL -- of its clauses, one after another: codes.BITS
) STRICT;

CREATE UNIQUE INDEX vector_passage ON vector (model, passage);

CREATE TABLE pending (
    model INTEGER NOT NULL,
    passage INTEGER NOT NULL,
    PRIMARY KEY (model, passage)
) STRICT, WITHOUT ROWID;
