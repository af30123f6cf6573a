-- What `route` decided: figures only, no words and no message. Not derived: a rebuild leaves it, `forget` of everything takes it.
CREATE TABLE IF NOT EXISTS route_decision (
    id INTEGER PRIMARY KEY,
    at_us INTEGER NOT NULL, -- microseconds since 1970, UTC
    by TEXT NOT NULL,
    was_enough INTEGER NOT NULL,
    took TEXT NOT NULL,
    evidence_tokens INTEGER NOT NULL,
    full_tokens INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    audit TEXT NOT NULL
) STRICT;
