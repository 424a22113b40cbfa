-- Who asked what. Bytes are those of the events, told when an answer is let go.
CREATE TABLE cgrag_answers (
    answer_id text PRIMARY KEY,
    owner text NOT NULL,
    request_id text NOT NULL,
    session_id text NOT NULL,
    repository text NOT NULL,
    created timestamptz NOT NULL,
    is_cancelled boolean NOT NULL DEFAULT false,
    bytes bigint NOT NULL DEFAULT 0,
    body text NOT NULL
);
CREATE UNIQUE INDEX cgrag_answers_by_request ON cgrag_answers (owner, request_id) WHERE request_id <> '';
CREATE INDEX cgrag_answers_by_age ON cgrag_answers (created);
CREATE INDEX cgrag_answers_by_session ON cgrag_answers (session_id);
CREATE INDEX cgrag_answers_by_repository ON cgrag_answers (repository);
CREATE TABLE cgrag_answer_events (
    answer_id text NOT NULL REFERENCES cgrag_answers ON DELETE CASCADE,
    sequence bigint NOT NULL,
    created timestamptz NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (answer_id, sequence)
);
-- Answers that are being made, or were when their maker died: events may have been shown that are not kept. Replica and
-- token name the maker; times are the server's. `wanted` is how long somebody follows the answer at another replica.
CREATE TABLE cgrag_answer_holds (
    answer_id text PRIMARY KEY REFERENCES cgrag_answers ON DELETE CASCADE,
    replica text NOT NULL,
    token bigint NOT NULL,
    until timestamptz NOT NULL,
    wanted timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 50);
CREATE TABLE cgrag_answer_ratings (
    answer_id text PRIMARY KEY REFERENCES cgrag_answers ON DELETE CASCADE,
    rating integer NOT NULL,
    comment text NOT NULL
);
-- Why gaps stay unresolved.
CREATE TABLE cgrag_answer_debts (
    repository text NOT NULL,
    outcome text NOT NULL,
    wanted text NOT NULL,
    count bigint NOT NULL,
    last timestamptz NOT NULL,
    PRIMARY KEY (repository, outcome, wanted)
);
