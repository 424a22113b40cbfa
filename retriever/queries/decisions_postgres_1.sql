-- The decision log: append-only. Identity of a retrieval is the pair of its repository and the id that its caller knows.
CREATE TABLE cgrag_retrievals (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    repository text NOT NULL,
    retrieval_id text NOT NULL,
    time timestamptz NOT NULL,            -- of the last addition
    decisions bigint NOT NULL,            -- added so far
    UNIQUE (repository, retrieval_id)
);
CREATE INDEX cgrag_retrievals_by_time ON cgrag_retrievals (time);
-- One row for each addition, which is read as it was written: all together.
CREATE TABLE cgrag_decisions (
    retrieval bigint NOT NULL REFERENCES cgrag_retrievals ON DELETE CASCADE,
    first bigint NOT NULL,                -- sequence of the first one, from 1 for each retrieval
    contents text[] NOT NULL,             -- each a JSON array in the order of the fields of Decision
    PRIMARY KEY (retrieval, first)
);
