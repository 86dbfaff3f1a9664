-- Downloads of models that super-admins have started. Those of the command line leave no row.
CREATE TABLE model_fetches (
  id          TEXT    PRIMARY KEY, -- UUIDv7
  name        TEXT    NOT NULL,
  state       TEXT    NOT NULL CHECK (state IN ('running', 'done', 'cancelled', 'failed')),
  bytes_total INTEGER NOT NULL,
  error       TEXT,                -- in words for the operator; null unless it failed
  started_at  INTEGER NOT NULL,    -- Unix ms, like the other time
  finished_at INTEGER
) STRICT;
CREATE UNIQUE INDEX model_fetches_running ON model_fetches (state) WHERE state = 'running';
