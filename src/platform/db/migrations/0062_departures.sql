-- Moves of stores to other nodes, the newest hundred. A row outlives its store, as the trace of where that went.
CREATE TABLE store_moves (
  id             TEXT    PRIMARY KEY, -- UUIDv7
  store_id       TEXT    NOT NULL,
  slug           TEXT    NOT NULL,
  url            TEXT    NOT NULL,    -- where the target takes moves
  fingerprint    TEXT    NOT NULL,    -- of its certificate, in hex, as the code holds it
  target_id      TEXT    NOT NULL,    -- the move as the target names it
  token          BLOB    NOT NULL,    -- sealed
  new_url        TEXT    NOT NULL,    -- where the store is served afterwards
  reembeds       INTEGER NOT NULL CHECK (reembeds IN (0, 1)), -- whether the target makes the vectors anew
  phase          TEXT    NOT NULL CHECK (phase IN
    ('copying', 'catching_up', 'paused', 'verifying', 'switching', 'moved', 'cancelled', 'failed')),
  cursor         TEXT    CHECK (json_valid(cursor)), -- where the first pass goes on; null at its start
  last_batch     INTEGER NOT NULL DEFAULT 0, -- the highest number that a batch may have had so far
  rows_sent      INTEGER NOT NULL DEFAULT 0,
  bytes_sent     INTEGER NOT NULL DEFAULT 0,
  products       INTEGER NOT NULL,    -- when it began
  products_done  INTEGER NOT NULL DEFAULT 0,
  pictures_done  INTEGER NOT NULL DEFAULT 0,
  pauses         INTEGER NOT NULL DEFAULT 0, -- pauses of writes that were given up
  pause_ms       INTEGER,             -- how long the last pause took
  pause_at       INTEGER NOT NULL DEFAULT 0, -- no pause before
  repairs        INTEGER NOT NULL DEFAULT 0, -- walks over tables that had differed
  tries          INTEGER NOT NULL DEFAULT 0, -- failures since the last success
  next_at        INTEGER NOT NULL DEFAULT 0, -- Unix ms, like all times; nothing is tried before
  problem        TEXT,                -- why it waits, in words for the operator
  error          TEXT,                -- why it failed
  is_target_told INTEGER NOT NULL DEFAULT 0 CHECK (is_target_told IN (0, 1)), -- of its end, where it has failed or was cancelled
  started_at     INTEGER NOT NULL,
  advanced_at    INTEGER NOT NULL,    -- the last success
  finished_at    INTEGER
) STRICT;
CREATE UNIQUE INDEX store_moves_running ON store_moves (store_id) WHERE finished_at IS NULL;
CREATE INDEX store_moves_of_store ON store_moves (store_id, id);
